"""The page and the table: complete, self-contained, names escaped."""

from __future__ import annotations

import io
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
from dynamics_nodes.demo.measurement import figures
from dynamics_nodes.demo.page import page
from dynamics_nodes.demo.recording import JointTrack, WrenchTrack
from dynamics_nodes.demo.table import show
from rich.console import Console

from demo.recordings import recording

EVIL = '<script>alert("x")</script>&<b>'


class Elements(HTMLParser):
    """Names and attributes of all elements, and whether they are nested rightly."""

    VOID = frozenset({"meta", "br", "hr", "img", "link", "input"})

    def __init__(self, text):
        super().__init__()
        self.seen, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def made(**options):
    rec = recording(**options)
    return page(rec, figures(rec))


def test_names_are_escaped():
    text = made(robot=EVIL, nodes=("sim", EVIL), reported=("sim", EVIL), troubles=[EVIL])
    assert "<script" not in text.lower()
    assert "&lt;script&gt;" in text


def test_joint_names_in_plots_are_escaped():
    rec = replace(recording(), joints=(EVIL, *recording().joints[1:]))
    assert "<script" not in page(rec, figures(rec)).lower()


def test_the_page_loads_nothing_and_is_well_formed():
    elements = Elements(made())
    assert elements.open == []
    loading = {"src", "href", "xlink:href", "srcset", "data", "action"}
    for tag, attributes in elements.seen:
        assert tag not in ("script", "iframe", "img", "link")
        for name in loading & set(attributes):
            assert attributes[name].startswith("#"), (tag, attributes)
    assert "url(http" not in made()


def test_ids_are_unique_so_that_plots_do_not_clip_one_another():
    ids = [a["id"] for _, a in Elements(made()).seen if "id" in a]
    assert len(ids) == len(set(ids))


def test_every_figure_and_every_plot_is_there():
    text = made()
    assert text.count("<svg") == 4
    assert "All figures are within their bounds." in text
    for name in ("PD alone", "PD and inverse dynamics", "tool", "panda_joint7", "499"):
        assert name in text


def test_what_is_off_is_said_first():
    text = made(drift=0.02)
    assert "Off: drift while floating." in text
    assert "within their bounds" not in text


def test_a_page_of_nothing_measured_says_so():
    nothing = JointTrack(np.zeros(0), np.zeros((0, 7)), np.zeros((0, 7)))
    rec = recording()
    runs = {name: replace(run, track=nothing) for name, run in rec.runs.items()}
    silent = replace(rec.push, estimate=WrenchTrack(np.zeros(0), np.zeros((0, 6))))
    rec = replace(rec, floating=nothing, runs=runs, push=silent)
    text = page(rec, figures(rec))
    assert text.count("<svg") == 4
    assert "not measured" in text
    assert "Off: drift while floating" in text


def test_the_table_has_figures_wrench_and_loops():
    rec, out = recording(drift=0.02), io.StringIO()
    show(Console(file=out, width=120), rec, figures(rec))
    text = out.getvalue()
    for words in ("drift while floating", "OFF", "at most 0.01 rad", "exerted", "10.00", "499"):
        assert words in text

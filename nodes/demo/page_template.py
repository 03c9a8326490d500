"""The page of the demonstration; every value is escaped where it is filled in."""

TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ robot }}: floating, tracking, feeling</title>
<style>
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --surface: #ffffff; --ink: #16191d; --muted: #5a6270; --grid: #dfe2e7;
  --series-1: #2a78d6; --series-2: #d95926; --series-3: #12875c; --good: #12875c; --bad: #c22f2f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121417; --surface: #1b1e23; --ink: #eceef1; --muted: #a2a9b4; --grid: #363b43;
    --series-1: #5598e7; --series-2: #f08a4b; --series-3: #35b384; --good: #35b384;
    --bad: #f07070;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.2rem; margin: 0 0 .35rem; }
p { margin: 0 0 .9rem; max-width: 46rem; }
.lead { color: var(--muted); }
.verdict { font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); }
section {
  background: var(--surface); border: 1px solid var(--grid); border-radius: 12px;
  padding: 1.4rem 1.5rem; margin-top: 1.25rem;
}
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 1rem;
  margin-top: 1.5rem; }
.card { background: var(--surface); border: 1px solid var(--grid); border-radius: 12px;
  padding: 1rem 1.15rem; }
.card .value { white-space: nowrap; font-size: 1.45rem; font-weight: 650; line-height: 1.25; }
.card .name { color: var(--muted); font-size: .88rem; overflow-wrap: anywhere; }
.card .bound { font-size: .85rem; margin-top: .25rem; }
.plot { margin: .6rem 0 0; overflow-x: auto; }
.plot svg { display: block; width: 100%; height: auto; min-width: 36rem;
  font-family: inherit; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .4rem .75rem; border-bottom: 1px solid var(--grid);
  white-space: nowrap; }
th { color: var(--muted); font-weight: 500; font-size: .88rem; }
tr:last-child td { border-bottom: 0; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
code { font-family: ui-monospace, "SF Mono", Menlo, monospace; font-size: .92em; }
</style>
</head>
<body>
<main>
<h1>{{ robot }}: floating, tracking, feeling</h1>
<p class="lead">A simulated arm, two controllers and a wrench estimator, each a process of its
own, joined by ROS&nbsp;2 topics.</p>
{% if failed %}
<p class="verdict bad">Off: {{ failed|map(attribute="name")|join(", ") }}.</p>
{% else %}
<p class="verdict good">All figures are within their bounds.</p>
{% endif %}

<div class="cards">
{% for f in figures if f.bounded and (not f.ok or f.in_front) %}
  <div class="card">
    <div class="name">{{ f.name }}</div>
    <div class="value">{{ f.text }}</div>
    <div class="bound {{ "good" if f.ok else "bad" }}">
      {{ "✓" if f.ok else "✗" }} {{ f.bound }}
    </div>
  </div>
{% endfor %}
</div>

<section>
<h2>Floating</h2>
<p>The controller sends the gravity torque <code>g(q)</code> and nothing else. If the model is
right, the arm stays where it is, in any pose.</p>
<div class="plot">{{ drift }}</div>
</section>

<section>
<h2>Tracking a fast motion</h2>
<p>The same motion with the same gains. With the gains alone, an error must build up before
there is a torque. With the inverse dynamics in front, the model provides the torque of the motion
and the gains see only what is left.</p>
<div class="plot">{{ tracking }}</div>
<div class="scroll"><table>
<tr><th>run</th><th>RMS error, mrad</th><th>peak error, mrad</th></tr>
{% for r in runs %}
<tr><td>{{ r.name }}</td><td>{{ r.rms }}</td><td>{{ r.peak }}</td></tr>
{% endfor %}
</table></div>
</section>

<section>
<h2>Joint torques</h2>
<p>The largest torque of each joint during the motion, as a share of what its drive can do.</p>
<div class="plot">{{ torques }}</div>
</section>

<section>
<h2>Feeling a push</h2>
<p>A known force and moment act on the tool. The estimator knows only joint positions, velocities
and torques. The shaded time is the one that counts, after transients. Axes are those of the
tool; the wrench is what the environment exerts on the robot.</p>
<div class="plot">{{ wrench }}</div>
<div class="scroll"><table>
<tr><th>component</th><th>exerted</th><th>estimated</th><th>unit</th></tr>
{% for p in push %}
<tr>
  <td>{{ p.axis }}</td><td>{{ p.exerted }}</td><td>{{ p.estimated }}</td><td>{{ p.unit }}</td>
</tr>
{% endfor %}
</table></div>
</section>

<section>
<h2>Loops</h2>
<p>What each node said of its own loop, over the whole demonstration. It ran {{ timing }}.</p>
<div class="scroll"><table>
<tr>
  <th>node</th><th>rate wanted, Hz</th><th>rate, Hz</th><th>longest cycle, ms</th>
  <th>longest work, ms</th><th>deadlines missed</th>
</tr>
{% for l in loops %}
<tr>
  <td>{{ l.node }}</td><td>{{ "%.0f"|format(l.wanted) }}</td><td>{{ "%.0f"|format(l.rate) }}</td>
  <td>{{ "%.2f"|format(1e3 * l.worst_cycle) }}</td><td>{{ "%.2f"|format(1e3 * l.worst_work) }}</td>
  <td>{{ l.missed }}</td>
</tr>
{% endfor %}
</table></div>
</section>
</main>
</body>
</html>
"""

"""The demonstration: four nodes as processes, a seven-joint arm, three trials, measured.

``python -m dynamics_nodes.demo`` starts the simulated robot, both controllers and the estimator,
puts the arm through the trials of :mod:`.trials`, and reports what :mod:`.measurement` makes of
the recordings: as a table (:mod:`.table`) and as a web page (:mod:`.page`).
"""

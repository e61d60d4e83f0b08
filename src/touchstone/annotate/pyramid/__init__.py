r"""Pyramid documents: their JSON form, the rules that a save must keep, live figures, files, feedback and reviews.

Nothing here knows the database or the web. Editing happens in the browser (``static/pyramid``), also while there is no
connection; the server reads whole documents and checks them. Both check by one table of rules,
``static/pyramid/rules.js``.

A **document** is the body of a save. All offsets are code points, end exclusive, into the lines joined by a newline:
those of the pyramid in a pyramid document, those of the peer summary in a peer document::

    {"format": "touchstone.annotate.pyramid/1",
     "units": [{"uid": "1", "label": "Cats sleep", "comment": null,
                "contributors": [{"id": "c1", "label": "Cats...sleep", "comment": null,
                                  "parts": [{"label": "Cats", "start": 21, "end": 25},
                                            {"label": "sleep", "start": 26, "end": 31}]}]}],
     "unassigned": [{"id": "c2", "label": "a lot", "comment": null, "parts": [...]}],
     "next": {"unit": 2, "contributor": 3}}

A peer document has the format ``touchstone.annotate.peer/1`` and the same keys. Its units are entries for the units of
the pyramid in its material, labelled "(weight) label"; uid "0" holds content that matches no unit. A contributor keeps
its id when it moves. ``next`` never decreases, so that no number is used twice. What an imported file holds beyond the
format is kept under ``extra`` in units, contributors and parts. The text itself is the *material*; a save cannot
change it.

An adjudicated document also has the key "adjudication": the two versions that are compared, and the choices (see
`rounds`).

A **review** and a **change** are::

    {"proposals": [{"key": "p1", "about": "7", "verdict": "change", "comment": "two statements", "change": {...}}],
     "decisions": {"p1": {"taken": true, "reply": ""}}}
    {"name": "split", "said": "split unit 7",
     "units": {"items": {"7": [before, after], "9": [null, after]}, "order": [["7", "8"], ["7", "9", "8"]]},
     "unassigned": {"items": {}, "order": null}}
"""

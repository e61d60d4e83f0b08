"""The paper kit says what was run, cites what it names, and compiles."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import touchstone
from touchstone import items, lexsub, mt, nli
from touchstone.cli.demo import EXAMPLES
from touchstone.core.registry import find_task, task_names
from touchstone.core.report.paper import paper_files, write_paper
from touchstone.core.resampling import Resampling

FOLDER = EXAMPLES / "lexsub"


@pytest.fixture(scope="module")
def kit():
    runs = [FOLDER / f"{name}.oot" for name in ("careful", "eager", "frequent")]
    results = lexsub.score(FOLDER / "demo.gold", runs, ["rank@10", "R"])
    return paper_files([touchstone.compare(results, name) for name in ("rank@10", "R")])


def items_kit(**options):
    """Return the kit of three systems whose names and measure are hard on LaTeX."""
    chance = np.random.default_rng(1)
    rows = [
        {"system": f"sys_{place} & 50% #{place}", "item": item, "err_%": float(chance.random() + place)}
        for place in range(3)
        for item in range(20)
    ]
    results = items.score(rows, lower_is_better=("err_%",), **options)
    return paper_files([touchstone.compare(results, "err_%")])


def test_the_table_has_values_intervals_letters_and_the_best_in_bold(kit):
    lines = kit["table.tex"].split("\n")
    careful = next(line for line in lines if line.startswith("careful"))
    eager = next(line for line in lines if line.startswith("eager"))
    assert r"\textbf{0.681}\textsuperscript{a} {[}0.631, 0.727]" in careful
    assert r"0.281\textsuperscript{c}" in eager
    assert r"\textbf{0.720}" in eager  # the best under R
    assert "| careful | **0.681**<sup>a</sup> [0.631, 0.727] |" in kit["table.md"]


def test_a_baseline_is_a_line_without_a_letter_and_no_system():
    folder = EXAMPLES / "nli"
    results = nli.score(folder / "gold.jsonl", [folder / "careful.jsonl", folder / "overlap.jsonl"], ["accuracy"])
    found = paper_files([touchstone.compare(results, "accuracy")])
    lines = found["table.md"].splitlines()
    assert [line.split()[1] for line in lines[2:5]] == ["careful", "overlap", "majority_class"]
    assert "| majority_class | 0.605 [0.461, 0.733] |" in lines
    assert "2 systems and 1 baseline on 38 items." in found["table.md"]
    assert "We compare 2 systems (careful and overlap) on 38 items, beside a baseline (majority" in found["methods.md"]


def test_the_caption_has_items_intervals_test_and_signature(kit):
    for text in (kit["table.tex"], kit["table.md"]):
        assert "3 systems on 36 items" in text
        assert re.search(r"95\\?% jackknife t intervals over targets", text)
        assert "paired permutation test over 9 targets" in text
        assert re.search(r"Signature: touchstone \S+ .* lexsub .* 36 kept", text)


def test_the_methods_cite_each_entry_of_the_references_and_no_other(kit):
    cited = {key for keys in re.findall(r"\\cite\{([^}]+)\}", kit["methods.tex"]) for key in keys.split(",")}
    assert cited == set(re.findall(r"@\w+\{([^,]+),", kit["references.bib"]))
    assert cited == set(re.findall(r"@([a-z][\w-]+)", kit["methods.md"]))
    assert {"jabbari-2010", "holm-1979", "noreen-1989", "miller-1974", "touchstone"} <= cited
    # The title that docs/lexsub.md gives too; the same authors wrote another paper in that year.
    assert "title = {Evaluating Lexical Substitution: Analysis and New Measures}" in kit["references.bib"]


def test_the_methods_follow_the_options():
    text = items_kit(resampling=Resampling("percentile", 200))["methods.md"]
    assert "95% percentile bootstrap intervals over items, 200 draws [@efron-tibshirani-1993]" in text
    assert "miller" not in text
    assert "intervals" not in items_kit(resampling=Resampling("none"))["methods.md"]


def test_the_pairs_have_difference_interval_p_and_corrected_p(kit):
    assert "| Measure | Pair | Difference | 95% interval | p | p (Holm) |" in kit["pairs.md"]
    assert "| rank@10 | careful – frequent | 0.151 | [0.060, 0.242] | 0.012 | 0.012 |" in kit["pairs.md"]
    assert r"95\% interval" in kit["pairs.tex"]
    assert "p adjusted over 3 pairs by Holm" in kit["pairs.tex"]


def test_the_results_are_a_sentence_for_each_measure(kit):
    said = kit["results.md"]
    assert (
        "Under rank@10, careful (0.681) is significantly better than frequent (0.530) and eager: "
        "the difference from frequent is 0.151"
    ) in said
    assert "(95% interval 0.060 to 0.242; p = 0.012, Holm correction for 3 pairs)" in said
    assert "Under R, eager (0.720) is significantly better than careful" in said


def test_the_interval_has_the_name_of_the_method_really_used(kit, mt_kit):
    assert "in Wilson's form for values from 0 to 1 [@wilson-1927]" in kit["methods.md"]
    assert "corrected for skewness [@hall-1992]" in mt_kit["methods.md"]
    assert "wilson" not in mt_kit["methods.md"]


@pytest.fixture(scope="module")
def mt_kit():
    folder = EXAMPLES / "mt"
    runs = [folder / "de-en" / name for name in ("heron", "magpie")]
    results = mt.score(folder / "refA.en", runs, ["bleu", "chrf", "ter"])
    return paper_files([touchstone.compare(results, name) for name in ("bleu", "chrf", "ter")])


def test_metrics_have_their_proper_names_and_the_signature_of_sacrebleu(mt_kit):
    assert mt_kit["table.md"].startswith("| System | BLEU | chrF | TER ↓ |")
    assert r"(sacrebleu nrefs:1\|case:mixed\|eff:no\|tok:13a\|smooth:exp\|version:" in mt_kit["methods.md"]


def test_two_systems_have_no_letters_and_no_correction(mt_kit):
    whole = "".join(mt_kit.values()).lower()
    assert not any(word in whole for word in ("letter", "holm", "adjusted", "<sup>", "superscript", "piepho"))
    assert "| BLEU | heron – magpie |" in mt_kit["pairs.md"]


def test_the_reference_of_touchstone_agrees_with_the_citation_file(kit):
    citation = (EXAMPLES.parents[2] / "CITATION.cff").read_text("utf-8")
    author = re.search(r"- name: (.+)", citation)[1]
    year = re.search(r"date-released: (\d{4})-", citation)[1]
    entry = kit["references.bib"].partition("\n\n")[0]
    assert f"author = {{{{{author}}}}}" in entry
    assert f"year = {{{year}}}" in entry
    assert f"Version {re.search(r'^version: (.+)', citation, re.MULTILINE)[1]}" in entry


def test_every_paper_of_a_measure_is_in_the_references():
    known = set(
        re.findall(r"@\w+\{([^,]+),", (EXAMPLES.parent / "core" / "report" / "references.bib").read_text("utf-8"))
    )
    sources = [keys for name in task_names() for keys in find_task(name).measures.sources.values()]
    named = {key for keys in sources for key in keys.split()}
    assert len(named) > 10
    assert named <= known


def test_lower_is_better_has_an_arrow():
    kit = items_kit()
    assert r"err\_\% $\downarrow$" in kit["table.tex"]
    assert "↓" in kit["table.md"]
    assert re.search(r"sys\\_0 \\& 50\\% \\#0 & \\textbf\{0\.", kit["table.tex"])


DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\begin{document}
\input{table}
\input{pairs}
\input{results}
\input{methods}
\bibliographystyle{plain}
\bibliography{references}
\end{document}
"""


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no LaTeX: pdflatex is not installed")
@pytest.mark.parametrize("which", ["lexsub", "hard"])
def test_a_real_latex_compiles_the_kit_with_its_citations(which, kit, tmp_path):
    for name, text in (kit if which == "lexsub" else items_kit()).items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "paper.tex").write_text(DOCUMENT)
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper"]
    for command in (latex, ["bibtex", "paper"], latex, latex):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600)
        assert done.returncode == 0, done.stdout[-2000:]
    log = (tmp_path / "paper.log").read_text("latin-1")
    assert "undefined" not in log
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000


def test_the_folder_is_made_and_holds_all_files(tmp_path):
    results = lexsub.score(FOLDER / "demo.gold", [FOLDER / "careful.oot", FOLDER / "eager.oot"], ["rank@10"])
    write_paper([touchstone.compare(results, "rank@10")], tmp_path / "kit")
    assert sorted(path.name for path in (tmp_path / "kit").iterdir()) == [
        *("methods.md", "methods.tex", "pairs.md", "pairs.tex", "references.bib"),
        *("results.md", "results.tex", "table.md", "table.tex"),
    ]


def test_a_system_that_skips_items_is_named_with_its_value_if_they_were_failures():
    scores = {"a": dict.fromkeys(range(20), 0.5), "b": {n: 1.0 * (n > 0) for n in range(15)}}
    kit = paper_files([touchstone.compare(items.score(scores, policy=touchstone.Policy(missing="skip")))])
    for name in ("results.md", "table.md"):
        assert "b skips 25.0% of the items; its value would be 0.700 if these were failures." in kit[name]
    whole = paper_files([touchstone.compare(items.score({**scores, "b": dict.fromkeys(range(20), 1.0)}))])
    assert not [text for text in whole.values() if "skips" in text]

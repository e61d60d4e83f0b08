"""A signature with every number: the same signature means the same number, on any machine."""

import json
import shutil
from pathlib import Path

import pytest

import touchstone
from touchstone import lexsub
from touchstone.core.resampling import Resampling

EXAMPLES = Path(touchstone.__file__).parent / "examples" / "lexsub"
SYSTEMS = ("careful.best", "careful.oot", "eager.oot", "frequent.oot")
NAMES = ["best1", "P(k=1)", "R", "F(k=1)", "rank@10"]


def examples(folder=EXAMPLES):
    return lexsub.score(lexsub.read_gold(folder / "demo.gold"), lexsub.read_runs([folder / n for n in SYSTEMS]), NAMES)


def scored(folder, gold, answers, measures=("R",), **options):
    """Score one system on a gold, both given as text."""
    (folder / "g.gold").write_text(gold)
    (folder / "s.oot").write_text(answers)
    return lexsub.score(lexsub.read_gold(folder / "g.gold"), lexsub.read_run(folder / "s.oot"), measures, **options)


def test_the_same_inputs_elsewhere_have_the_same_signature_and_the_same_numbers(tmp_path):
    shutil.copytree(EXAMPLES, tmp_path / "elsewhere")
    assert examples(tmp_path / "elsewhere").to_json() == examples().to_json()


def test_the_signature_names_all_that_the_numbers_depend_on():
    signature = examples().signature
    said = " ".join(f"{key}:{value}" for key, value in signature.items())
    assert signature["touchstone"] == touchstone.__version__
    assert signature["gold"] == lexsub.read_gold(EXAMPLES / "demo.gold").digest
    for word in ("36 kept", "0 excluded", "rank@10", "P(k=1)", "best given", "best first of ranked", "no boundary"):
        assert word in said
    assert {"keys", "policy", "intervals"} <= set(signature)


SWORDS = {
    "contexts": {"c": {"context": "bright"}},
    "targets": {"1": {"context_id": "c", "target": "bright", "offset": 0, "pos": "ADJ"}},
    "substitutes": {
        "a": {"target_id": "1", "substitute": "clever"},
        "b": {"target_id": "1", "substitute": "smart"},
    },
    "substitute_labels": {"a": ["TRUE", "TRUE"], "b": ["TRUE", "FALSE"]},
}


def _swords(folder, changed):
    (folder / "dev.json").write_text(json.dumps(SWORDS))
    (folder / "r.jsonl").write_text('{"id":"1","answers":["smart"]}')
    gold = lexsub.read_gold(folder / "dev.json", min_weight=2 if changed else 1)
    return lexsub.score(gold, lexsub.read_run(folder / "r.jsonl"), ["R"])


def _encoding(folder, changed):
    """É and é in Latin-1 are one answer, and two if the same bytes are read as code page 437."""
    (folder / "g.gold").write_bytes("w.n 1 :: é 2;\n".encode("latin-1"))
    (folder / "s.oot").write_bytes("w.n 1 ::: É\n".encode("latin-1"))
    encoding = "cp437" if changed else "latin-1"
    gold = lexsub.read_gold(folder / "g.gold", encoding=encoding)
    return lexsub.score(gold, lexsub.read_run(folder / "s.oot", encoding=encoding), ["R"])


def _varied(before=Resampling(cluster="item"), step=3, **options):  # noqa: B008 (immutable)
    """Forty items of ten words and two parts of speech, of which every third (or *step*-th) is found in full."""

    def make(folder, changed):
        gold = "".join(f"w{n % 10}.{'nv'[n % 3 == 0]} {n} :: a 2;b {n % 5 + 1};\n" for n in range(40))
        every = step if changed else 3
        answers = "".join(f"w{n % 10}.n {n} ::: {'a;b' if n % every else 'b;x'}\n" for n in range(40))
        usual = {"resampling": before}
        return scored(folder, gold, answers, ["R", "P"], **(usual | options if changed else usual))

    return make


def _lemmatized(folder, changed):
    return scored(folder, "w.v 1 :: hurry 2;\n", "w.v 1 ::: hurried\n", ["R"], lemmatize=changed)


def _min_responses(folder, changed):
    (folder / "g.gold").write_text("w.n 1 :: a 2;\nw.n 2 :: b 1;\n")
    (folder / "s.oot").write_text("w.n 1 ::: a\n")
    gold = lexsub.read_gold(folder / "g.gold", min_responses=1 if changed else None)
    return lexsub.score(gold, lexsub.read_run(folder / "s.oot"), ["R"])


def _pooled(folder, changed):
    (folder / "pool").write_text("w.n::a\n")
    pool = folder / "pool" if changed else None
    return scored(folder, "w.n 1 :: a 2;b 2;\n", "w.n 1 ::: a;b\n", ["R"], pool=pool)


def _cut(folder, changed):
    (folder / "g.gold").write_text("w.n 1 :: a 2;b 2;\n")
    (folder / "s.jsonl").write_text('{"id":"1","answers":["a","b"]' + (',"cut":1}' if changed else "}"))
    return lexsub.score(lexsub.read_gold(folder / "g.gold"), lexsub.read_run(folder / "s.jsonl"), ["R"])


def _duplicates(folder, changed):
    text = "w.n 1 ::: a\nw.n 1 ::: b\n" if changed else "w.n 1 ::: b\n"
    return scored(folder, "w.n 1 :: a 2;b 1;\n", text, ["R"], policy=lexsub.Policy(duplicates="first"))


@pytest.mark.parametrize(
    "make",
    [
        _swords,
        _encoding,
        _lemmatized,
        _min_responses,
        _pooled,
        _cut,
        _duplicates,
        _varied(step=4),
        _varied(Resampling("percentile"), resampling=Resampling("percentile", seed=5)),
        _varied(Resampling("percentile"), resampling=Resampling("percentile", draws=500)),
        _varied(resampling=Resampling("bca", cluster="item")),
        _varied(resampling=Resampling(level=0.5, cluster="item")),
        _varied(resampling=Resampling(cluster="target")),
        _varied(resampling=Resampling(cluster="pos")),
    ],
    ids=[
        *("swords min weight", "encoding", "lemmatize", "min responses", "pool", "cut", "duplicates", "answers"),
        *("seed", "draws", "bca", "level", "cluster target", "cluster pos"),
    ],
)
def test_other_numbers_never_have_the_same_signature(tmp_path, make):
    """The same signature means the same number: whatever changes a number changes the signature."""
    before, after = make(tmp_path, changed=False), make(tmp_path, changed=True)
    assert before.rows != after.rows
    assert before.signature != after.signature


def test_official_figures_are_signed_as_such(tmp_path):
    gold, answers = "w.n 1 :: a-b 2;c 1;\n", "w.n 1 ::: A b\n"
    ours, theirs = (scored(tmp_path, gold, answers, ["els07.oot.R"], compat=rules) for rules in ("none", "els07"))
    assert (ours.rows[0].value, theirs.rows[0].value) == (2 / 3, 0)
    assert ours.signature != theirs.signature
    both = scored(tmp_path, gold, answers, ["els07.oot.R"], compat="both")
    assert {row.measure: row.value for row in both.rows} == {"els07.oot.R": 2 / 3, "els07.oot.R@official": 0}

"""Analyses given beside the texts, in the place of the embedded analyser's."""

import hashlib
import pickle

import pytest

from touchstone import mt
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.tasks.mt.formats.analyses import inline_analyses, read_analyses


def words(*rows: str) -> str:
    """Return CoNLL-U of words given as form/lemma/upos/xpos/head/relation."""
    lines = []
    for number, row in enumerate(rows, 1):
        form, lemma, upos, xpos, head, relation = row.split("/")
        lines.append("\t".join([str(number), form, lemma, upos, xpos, "_", head, relation, "_", "_"]))
    return "\n".join([*lines, "", ""])


DOG = words("Dogs/dog/NOUN/NNS/2/nsubj", "bark/bark/VERB/VBP/0/root")
CAT = words("Cats/cat/NOUN/_/2/nsubj", "purr/purr/VERB/_/0/root")


@pytest.fixture
def stored(tmp_path):
    def read(text, segments):
        path = tmp_path / "a.conllu"
        path.write_text(text)
        analyser, _ = read_analyses(path, segments)
        return analyser

    return read


def test_a_sentence_belongs_to_each_line_that_is_not_blank(stored):
    found = stored(DOG + CAT, ["Dogs bark", "", "Cats purr"])
    dogs, cats = found.parse(["Dogs bark", "Cats purr"])
    assert dogs.lemmas == ("dog", "bark")
    assert dogs.dependents("nsubj") == ((1, 2),)
    assert (cats.starts, cats.ends) == ((0, 5), (4, 9))


def test_the_universal_tag_stands_in_for_a_missing_one(stored):
    (cats,) = stored(CAT, ["Cats purr"]).tag(["Cats purr"])
    assert cats.tags == ("NOUN", "VERB")


def test_comments_group_sentences_to_segments(stored):
    text = f"# segment = 2\n{DOG}{CAT}# segment = 1\n{words('No/no/INTJ/UH/0/root')}"
    found = stored(text, ["No", "Dogs bark Cats purr"])
    (both,) = found.parse(["Dogs bark Cats purr"])
    assert both.forms == ("Dogs", "bark", "Cats", "purr")
    assert both.heads == (2, 0, 4, 2)
    assert both.relations == ("nsubj", "root", "nsubj", "parataxis")
    assert [both.text[a:b] for a, b in zip(both.starts, both.ends, strict=True)] == list(both.forms)


@pytest.mark.parametrize(
    ("text", "segments", "code"),
    [
        (DOG, ["Dogs bark", "Cats purr"], Code.MISMATCH),
        (f"# segment = 1\n{DOG}", ["Dogs bark", "Cats purr"], Code.MISSING_ID),
        (f"# segment = 2\n{DOG}", ["Dogs bark", ""], Code.MISMATCH),
        (f"# segment = 9\n{DOG}", ["Dogs bark"], Code.BAD_CELL),
        (f"{DOG}# segment = 1\n{CAT}", ["Dogs bark"], Code.BAD_CELL),
        (CAT, ["Dogs bark"], Code.MISMATCH),
    ],
)
def test_analyses_that_do_not_fit_the_text_are_refused(stored, text, segments, code):
    with pytest.raises(TouchstoneError) as refused:
        stored(text, segments)
    assert code in refused.value.codes


def test_inline_tokens_carry_lemma_and_tag():
    (found,) = inline_analyses(["1/2/CD cup/NN"], "a").tag(["1/2/CD cup/NN"])
    assert (found.lemmas, found.tags) == (("1/2", "cup"), ("CD", "NN"))
    with pytest.raises(TouchstoneError) as refused:
        inline_analyses(["cup"], "a")
    assert refused.value.code == Code.BAD_CELL
    assert (refused.value.faults[0].line, refused.value.faults[0].value) == (1, "cup")


@pytest.fixture
def files(tmp_path):
    for name, text in {"ref.en": "Dogs bark\n", "x.en": "Cats purr\n", "r.conllu": DOG, "x.conllu": CAT}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_given_analyses_replace_the_analyser_of_every_text(files):
    given = {"analyses": [f"ref={files / 'r.conllu'}", f"x={files / 'x.conllu'}"]}
    inputs = mt.read(files / "ref.en", files / "x.en", **given)
    (run,) = inputs.runs
    assert inputs.gold.texts[0].parsed()[0].tags == ("NNS", "VBP")
    assert run.texts.tagged()[0].lemmas == ("cat", "purr")
    digest = hashlib.sha256((files / "r.conllu").read_bytes()).hexdigest()[:12]
    assert inputs.gold.signature["analyses"] == f"#{digest}"
    assert run.signature != mt.read(files / "ref.en", files / "x.en").runs[0].signature
    signature = mt.score(files / "ref.en", files / "x.en", ["maxsim(n)"], **given).signature
    assert str(files) not in "".join(signature.values())  # digests of the files, not their paths


def test_a_folder_of_analyses_may_have_those_of_other_systems(files):
    folder = files / "analyses"
    folder.mkdir()
    for name in ("x", "other"):
        (folder / f"{name}.conllu").write_text(CAT)
    given = {"analyses": [f"ref={files / 'r.conllu'}", folder]}
    assert mt.score(files / "ref.en", files / "x.en", ["maxsim(n)"], **given).systems[0].system == "x"


def test_a_block_takes_its_own_analyses_and_roles(files):
    (files / "two.en").write_text("Dogs bark\nCats purr\n")
    (files / "two.conllu").write_text(DOG + CAT)
    row = '{"roles": [{"type": "%s", "predicate": "bark", "tokens": ["Dogs"]}]}\n'
    (files / "two.jsonl").write_text(row % "A0" + row % "A1")
    given = {"analyses": [f"ref={files / 'two.conllu'}"], "roles": [f"ref={files / 'two.jsonl'}"]}
    texts = mt.read_gold([files / "two.en"], mt.Options(**given)).texts[0]
    block = pickle.loads(pickle.dumps(texts.cut(slice(1, 2))))
    assert (block.segments, block.first) == (("Cats purr",), 2)
    assert block.tagged()[0].lemmas == ("cat", "purr")
    assert [role.type for role in block.roles[0]] == ["A1"]
    assert block.analyser.signature.endswith("(1 sentences)")


def test_analyses_of_some_texts_only_are_refused(files):
    of_ref, of_x = f"ref={files / 'r.conllu'}", f"x={files / 'x.conllu'}"
    for given, code, value, near in (
        ({"analyses": [of_ref]}, Code.OPTION_NEEDED, "x", None),
        ({"analyses": [of_x]}, Code.MISMATCH, None, None),
        ({"analyses": [of_ref, f"xx={files / 'x.conllu'}"]}, Code.OPTION_NEEDED, "x", "xx"),
        ({"analyses": [of_ref, of_x, f"y={files / 'x.conllu'}"]}, Code.UNKNOWN_NAME, "y", "x"),
        ({"analyses": [of_ref, "x"]}, Code.BAD_VALUE, "x", None),
    ):
        with pytest.raises(TouchstoneError) as refused:
            mt.score(files / "ref.en", files / "x.en", ["maxsim(n)"], **given)
        [fault] = refused.value.faults
        assert (fault.code, fault.value, fault.near) == (code, value, near)


def test_a_system_that_is_called_like_the_references_needs_another_name(files):
    with pytest.raises(TouchstoneError) as refused:
        mt.read(files / "ref.en", {"ref": files / "x.en"}, analyses=[f"ref={files / 'r.conllu'}"])
    assert (refused.value.code, refused.value.faults[0].value) == (Code.OPTION_NEEDED, "ref")
    assert "ref= stands for the references" in refused.value.hint


def test_roles_are_read_beside_every_text_or_beside_none(files):
    row = '{"roles": [{"type": "A0", "predicate": "bark", "tokens": ["Dogs"]}]}\n'
    for name in ("r.jsonl", "x.jsonl"):
        (files / name).write_text(row)
    given = {"roles": [f"ref={files / 'r.jsonl'}", f"x={files / 'x.jsonl'}"]}
    inputs = mt.read(files / "ref.en", files / "x.en", **given)
    (run,) = inputs.runs
    for texts in (inputs.gold.texts[0], run.texts, run.texts.filled()):
        assert texts.roles is not None
        assert [role.type for role in texts.roles[0]] == ["A0"]
    assert [source.stem for source in (*inputs.gold.analyses, *run.analyses)] == ["r", "x"]
    with pytest.raises(TouchstoneError) as refused:
        mt.read(files / "ref.en", files / "x.en", roles=[f"ref={files / 'r.jsonl'}"])
    assert refused.value.code == Code.OPTION_NEEDED

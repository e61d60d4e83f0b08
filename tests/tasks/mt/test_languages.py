"""Other languages: tokenisers, all of sacrebleu's parameters, MAXSIM with analyses and synonyms of one's own."""

import subprocess
import sys

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from touchstone import mt
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.tasks.mt import languages, sacre
from touchstone.tasks.mt.measures import MEASURES

TEXTS = {
    "zh": (
        ["我希望大家能花点时间考虑一个非常简单的事实。", "猫睡在椅子上。", "他昨天去了北京。"],
        ["我想请大家花时间考虑一个很简单的事实。", "猫在椅子上睡觉。", "他昨天到北京去了。"],
    ),
    "ja": (
        ["今日はとても良い天気ですね。", "猫が椅子の上で寝ている。", "彼は昨日東京へ行きました。"],
        ["今日は天気がとても良いです。", "猫は椅子の上に寝ている。", "彼は昨日、東京に行った。"],
    ),
    "ko": (
        ["오늘은 날씨가 아주 좋네요.", "고양이가 의자 위에서 자고 있다.", "그는 어제 서울에 갔습니다."],
        ["오늘 날씨가 매우 좋습니다.", "고양이는 의자 위에서 잔다.", "그는 어제 서울로 갔다."],
    ),
}
ENGLISH = (
    ["The cat sat on the mat.", "It rained (hard) all day, and I stayed."],
    ["The cat sits on mats.", "Rain fell."],
)


@pytest.mark.parametrize("lang", TEXTS)
def test_bleu_has_the_tokeniser_of_the_language_and_the_figure_of_sacrebleus_command(lang, tmp_path):
    references, outputs = TEXTS[lang]
    for name, lines in (("ref", references), ("out", outputs)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    results = mt.score(tmp_path / "ref", {"a": tmp_path / "out"}, ["bleu"], lang=lang)
    command = [sys.executable, "-m", "sacrebleu", str(tmp_path / "ref"), "-i", str(tmp_path / "out")]
    command += ["-l", f"en-{lang}", "-b", "-w", "4"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (row,) = results.rows
    assert f"{row.value:.4f}" == printed.strip()
    assert row.measure == f"bleu(tokenize={languages.BLEU_TOKENIZERS[lang]})"
    assert any(note.startswith(f'for lang="{lang}": bleu(tokenize=') for note in results.notes)


PARAMETERS = {
    "bleu(tokenize=intl,lowercase=yes)": lambda h, r: BLEU(tokenize="intl", lowercase=True).corpus_score(h, [r]),
    "bleu(smooth_method=floor,smooth_value=0.5)": lambda h, r: BLEU(
        smooth_method="floor", smooth_value=0.5
    ).corpus_score(h, [r]),
    "bleu(smooth_method=add-k)": lambda h, r: BLEU(smooth_method="add-k").corpus_score(h, [r]),
    "bleu(smooth_method=none)": lambda h, r: BLEU(smooth_method="none").corpus_score(h, [r]),
    "bleu(max_ngram_order=2,effective_order=yes)": lambda h, r: BLEU(
        max_ngram_order=2, effective_order=True
    ).corpus_score(h, [r]),
    "bleu(tokenize=char)": lambda h, r: BLEU(tokenize="char").corpus_score(h, [r]),
    "chrf(word_order=2)": lambda h, r: CHRF(word_order=2).corpus_score(h, [r]),
    "chrf(char_order=4,beta=1,lowercase=yes,whitespace=yes)": lambda h, r: CHRF(
        char_order=4, beta=1, lowercase=True, whitespace=True
    ).corpus_score(h, [r]),
    "chrf(eps_smoothing=yes)": lambda h, r: CHRF(eps_smoothing=True).corpus_score(h, [r]),
    "ter(normalized=yes,no_punct=yes)": lambda h, r: TER(normalized=True, no_punct=True).corpus_score(h, [r]),
    "ter(case_sensitive=yes)": lambda h, r: TER(case_sensitive=True).corpus_score(h, [r]),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_every_parameter_of_sacrebleu_gives_its_figure(name):
    references, outputs = ENGLISH
    results = mt.score(references, {"a": outputs}, [name])
    assert results.rows[0].measure == name
    assert results.rows[0].value == PARAMETERS[name](outputs, references).score


def test_a_parameter_at_its_default_is_not_part_of_the_name():
    assert MEASURES.find("bleu(tokenize=13a,lowercase=no)").name == "bleu"
    assert MEASURES.find("chrf(beta=2)").name == "chrf"


@pytest.mark.parametrize(
    ("name", "code", "value", "near"),
    [
        ("bleu(tokenise=zh)", Code.UNKNOWN_NAME, "tokenise", "tokenize"),
        ("bleu(tokenize=xx)", Code.UNKNOWN_NAME, "xx", "zh"),
        ("chrf(word_order=many)", Code.BAD_VALUE, "many", None),
        ("ter(normalized=maybe)", Code.BAD_VALUE, "maybe", None),
        ("bleu(max_ngram_order=0)", Code.BAD_VALUE, "0", None),
    ],
)
def test_parameters_that_are_not_understood_are_refused(name, code, value, near):
    with pytest.raises(TouchstoneError) as caught:
        MEASURES.find(name)
    [fault] = caught.value.faults
    assert (fault.code, fault.value, fault.near) == (code, value, near)


@pytest.mark.parametrize(
    ("lang", "measure", "code"),
    [
        ("zh", "bleu(tokenize=13a)", Code.UNSUPPORTED),
        ("zh", "bleu(v11b)", Code.UNSUPPORTED),
        ("th", "bleu", Code.UNSUPPORTED),
        ("zh", "meteor(classic)", Code.UNSUPPORTED),
        ("en", "bleu", Code.OPTION_NEEDED),
    ],
)
def test_what_a_language_cannot_have_is_refused(lang, measure, code):
    references, outputs = TEXTS["zh"]
    with pytest.raises(TouchstoneError) as refused:
        mt.score(references, {"a": outputs}, [measure], lang=lang)
    assert (refused.value.code, refused.value.faults[0].value) == (code, measure)
    assert mt.score(references, {"a": outputs}, ["chrf"]).rows  # characters are characters


def test_a_missing_tokeniser_is_named(monkeypatch):
    def refuse(self, **_):
        raise RuntimeError("Please install the Japanese tokenizer dependencies")

    monkeypatch.setattr("sacrebleu.metrics.bleu.BLEU.__init__", refuse)
    with pytest.raises(TouchstoneError) as caught:
        sacre.Configuration.of("bleu", {"tokenize": "ja-mecab"}).metric()
    assert caught.value.code == Code.MISSING_EXTRA
    assert "ipadic" in str(caught.value)
    assert "pip install 'sacrebleu[ja]'" in str(caught.value)


CONLLU = """# text = Das Auto hielt .
1\tDas\tder\tDET\tART\t_\t2\tdet\t_\t_
2\tAuto\tAuto\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3\thielt\thalten\tVERB\tVVFIN\t_\t0\troot\t_\t_
4\t.\t.\tPUNCT\t$.\t_\t3\tpunct\t_\t_

# text = Der Wagen hielt .
1\tDer\tder\tDET\tART\t_\t2\tdet\t_\t_
2\tWagen\tWagen\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3\thielt\thalten\tVERB\tVVFIN\t_\t0\troot\t_\t_
4\t.\t.\tPUNCT\t$.\t_\t3\tpunct\t_\t_
"""


@pytest.fixture
def german(tmp_path):
    files = {"ref.de": "Der Wagen hielt .\n", "a.de": "Das Auto hielt .\n", "de.conllu": CONLLU}
    for name, text in {**files, "de.tsv": "Auto\tWagen\tKarre\nhalten\tstoppen\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_maxsim_takes_analyses_and_synonyms_of_another_language(german):
    options = {"lang": "de", "analyses": (str(german / "de.conllu"),), "synonyms": german / "de.tsv"}
    results = mt.score(german / "ref.de", {"a": german / "a.de"}, ["maxsim(n+d)"], **options)
    parts = next(iter(results.items))
    # der and halten are equal, auto and wagen synonyms with the same tag: 3 of 3; der is no synonym of itself.
    assert (parts["maxsim(n+d).1.exact"], parts["maxsim(n+d).1.soft"], parts["maxsim(n+d).d.soft"]) == (2, 1, 1)
    bigrams, trigrams = (0.75 + 1) / 2, (0.5 + 1 + 1) / 3
    assert results.rows[0].value == pytest.approx((1 + bigrams + trigrams + 1) / 4)
    signature = results.signature["metrics"]
    assert "analyser:de.conllu#" in signature
    assert "synonyms:de.tsv#" in signature
    assert "touchstone.text" not in signature  # not our analyser, and not our WordNet
    assert "wordnet" not in signature.lower()
    explained = mt.explain(german / "ref.de", {"a": german / "a.de"}, measure="maxsim(n+d)", **options)
    assert f"{results.rows[0].value:.3f}" in explained.tables[0].title


@pytest.mark.parametrize(("given", "wanted"), [("analyses", "and maxsim with analyses=… and synonyms=…"), (None, "")])
def test_maxsim_of_another_language_needs_both(german, given, wanted):
    options = {"analyses": (str(german / "de.conllu"),)} if given else {"synonyms": german / "de.tsv"}
    with pytest.raises(TouchstoneError) as caught:
        mt.score(german / "ref.de", {"a": german / "a.de"}, ["maxsim(n)"], lang="de", **options)
    assert caught.value.code == Code.UNSUPPORTED
    assert wanted in str(caught.value)


def test_texts_without_an_analysis_and_single_synonyms_are_refused(german):
    (german / "b.de").write_text("Der Zug hielt .\n", encoding="utf-8")
    options = {"lang": "de", "analyses": (str(german / "de.conllu"),), "synonyms": german / "de.tsv"}
    with pytest.raises(TouchstoneError) as refused:
        mt.score(german / "ref.de", {"b": german / "b.de"}, ["maxsim(n)"], **options)
    assert refused.value.code == Code.MISSING_ID
    assert refused.value.faults[0].line == 1
    assert refused.value.faults[0].value.startswith("Der Zug hielt")
    (german / "de.tsv").write_text("Auto\n", encoding="utf-8")
    with pytest.raises(TouchstoneError) as refused:
        mt.score(german / "ref.de", {"a": german / "a.de"}, ["maxsim(n)"], **options)
    assert refused.value.code == Code.BAD_CELL
    assert (refused.value.faults[0].line, refused.value.faults[0].value) == (1, "Auto")


@pytest.mark.parametrize(
    ("lang", "measures"),
    [("zh", ["bleu(tokenize=zh)", "chrf"]), ("th", ["chrf"]), ("en", ["maxsim(n)", "bleu", "chrf"])],
)
def test_without_a_measure_those_are_scored_that_the_language_can_have(lang, measures):
    results = mt.score(["a cat sat"], {"x": ["a cat sat"]}, lang=lang)
    assert [measure.name for measure in results.measures] == measures


def test_a_metric_of_ones_own_gets_sources_references_and_whole_batches(tmp_path, monkeypatch):
    (tmp_path / "mine21.py").write_text(
        "from touchstone.mt import Own\n"
        "seen = []\n"
        "def scores(batch):\n"
        "    seen.append((len(batch.hypotheses), batch.sources, batch.references))\n"
        "    return [len(text) for text in batch.hypotheses]\n"
        "whole = Own(batch=scores)\n"
        "short = Own(batch=lambda batch: [1.0])\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").write_text("eins\nzwei\n", encoding="utf-8")
    results = mt.score(["a b", "c"], {"x": ["aa", "c"]}, ["mine21:whole"], source=tmp_path / "src", jobs=1)
    assert results.rows[0].value == 1.5
    import mine21

    assert mine21.seen[-1] == (2, ["eins", "zwei"], [["a b"], ["c"]])
    with pytest.raises(TouchstoneError) as refused:
        mt.score(["a b", "c"], {"x": ["aa", "c"]}, ["mine21:short"], jobs=1)
    assert refused.value.code == Code.MISMATCH

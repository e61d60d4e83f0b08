"""What may be done to answers before they are scored: a pool, or base forms."""

import pytest
from tests.tasks.lexsub.helpers import PLAIN, refusal, written

from touchstone import lexsub
from touchstone.tasks.lexsub.preparing import read_pool


def test_a_pool_drops_the_answers_outside_it_and_is_signed(tmp_path, gold_of, run_of):
    gold = gold_of("a.n 1 :: x 2;y-z 1;\n")
    run = run_of("a.n 1 ::: w;Y Z;v;x\n")
    pool = written(tmp_path, "p.cands", "a.n::x;Y-z;other\nb.v::q\n")
    results = lexsub.score(gold, run, ["gap", "P.set"], resampling=PLAIN, pool=pool)
    assert [row.value for row in results.rows] == [pytest.approx((1 + 3 / 2) / (2 + 3 / 2)), 1]
    assert results.signature["pool"] == f"#{read_pool(pool).source.digest[:12]}"
    assert lexsub.score(gold, run, ["gap"], resampling=PLAIN).signature.get("pool") is None


def test_a_pool_of_another_shape_or_without_a_target_is_refused(tmp_path, gold_of, run_of):
    assert ":2: " in refusal(read_pool, written(tmp_path, "p", "a.n::x\nno separator\n"))
    assert ":2: " in refusal(read_pool, written(tmp_path, "p", "a.n::x\na.n::y\n"))
    pool = written(tmp_path, "p", "b.n::x\n")
    assert '"a.n"' in refusal(lexsub.score, gold_of("a.n 1 :: x 2;\n"), run_of("a.n 1 ::: x\n"), pool=pool)


def test_answers_are_lemmatised_only_when_asked_and_never_the_gold(gold_of, run_of):
    gold = gold_of("run.v 1 :: hurry 2;\ndog.n 2 :: guide dog 2;\nbig.a 3 :: larger 2;\ngo.v 4 :: give up 2;\n")
    run = run_of("run.v 1 ::: hurried\ndog.n 2 ::: guide dogs\nbig.a 3 ::: larger\ngo.v 4 ::: gave up\n")
    items = [
        lexsub.score(gold, run, ["R"], resampling=PLAIN, lemmatize=asked).items.to_pandas()["R"].tolist()
        for asked in (False, True)
    ]
    assert items == [[0, 0, 1, 0], [1, 1, 0, 1]]

"""What the tests of lexical substitution call."""

import pytest

from touchstone import TouchstoneError, lexsub
from touchstone.core.resampling import Resampling

PLAIN = Resampling("none")
GOLD = "bright.a 1 :: clever 3;smart 1;\nbright.a 2 :: shiny 2;\nrun.v 13 :: hurry 2;\n"
ANSWERS = "bright.a 1 ::: clever;smart\nbright.a 2 ::: shiny\nrun.v 13 ::: rush\n"


def written(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def weights(gold, name):
    return dict(gold[name].gold.weights)


def value(gold, run, measure, **options):
    return lexsub.score(gold, run, [measure], resampling=PLAIN, **options).rows[0].value


def refusal(read, *arguments, **options) -> str:
    with pytest.raises(TouchstoneError) as caught:
        read(*arguments, **options)
    return str(caught.value)

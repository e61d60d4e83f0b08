"""A small world of our own: a language model, vectors and sentences in which the right answers are known."""

import re

import pytest

ARPA = """\
\\data\\
ngram 1=8
ngram 2=4
ngram 3=2

\\1-grams:
-99 <s> -0.30103
-1.0 </s>
-0.5 the -0.2
-1.5 match -0.1
-1.2 game -0.4
-2.0 they -0.3
-1.7 lost -0.25
-2.5 <unk>

\\2-grams:
-0.7 <s> they -0.05
-0.4 they lost -0.15
-0.6 lost the -0.35
-0.3 the game

\\3-grams:
-0.1 they lost the
-0.2 lost the game

\\end\\
"""

VECTORS = """\
match 1.0 0.1 0.0
game 0.9 0.2 0.1
lucifer 0.0 1.0 0.1
lost 0.8 0.0 0.3
burn 0.1 0.9 0.2
contest 0.7 0.2 0.2
"""


@pytest.fixture(scope="session")
def shared_arpa(tmp_path_factory):
    """Give a language model that no test changes, with the tabs that KenLM insists on."""
    path = tmp_path_factory.mktemp("lm") / "shared.arpa"
    path.write_text(re.sub(r"^(-[0-9.]+) (.*?)(?: (-[0-9.]+))?$", _tabbed, ARPA, flags=re.MULTILINE))
    return path


def _tabbed(entry):
    return "\t".join(filter(None, entry.groups()))


@pytest.fixture
def arpa(tmp_path):
    path = tmp_path / "small.arpa"
    path.write_text(ARPA)
    return path


@pytest.fixture
def glove(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text(VECTORS)
    return path

"""Options of a task: keywords in Python, checked where they are given, and shown in signatures."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

import pytest

from touchstone.base.errors import TouchstoneError
from touchstone.base.options import build_options, changed_options, option


@dataclass(frozen=True)
class Options:
    """Options of every kind."""

    rules: Literal["ours", "theirs"] = option("ours", "Which rules.")
    words: Path | None = option(None, "A file.")
    style: str = option("plain", "How tables look.", sign=None)


def test_a_value_that_is_no_choice_is_refused_with_the_nearest():
    assert build_options(Options, {"rules": "theirs"}).rules == "theirs"
    with pytest.raises(TouchstoneError, match='unknown value of rules: "their"; nearest valid name "theirs"'):
        build_options(Options, {"rules": "their"})


def test_a_signature_shows_what_differs_from_the_defaults_and_changes_a_number(tmp_path):
    (tmp_path / "words").write_text("a b")
    assert changed_options(Options()) == {}
    changed = changed_options(Options("theirs", tmp_path / "words", "wide"))
    assert list(changed) == ["rules", "words"]
    assert changed["words"] == f"#{sha256(b'a b').hexdigest()[:12]}"


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_with_another_content_has_another_signature(tmp_path, kind):
    options = build_options(Options, {"words": kind(tmp_path / "words")})
    signatures = []
    for text in ("a b", "a c"):
        (tmp_path / "words").write_text(text)
        signatures.append(changed_options(options)["words"])
    assert signatures[0] != signatures[1]

"""Configurations: written, read back, shipped; what is wrong in one is said."""

import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.systems.substitution.config import SYSTEMS, Config, read_config, shipped_config

GOOD = Config("mine", 2, True, {"lm.left": 1.0, "sense.order": -0.25}, 0.2, {"from": 'a "quoted" \\ file'})


def test_what_is_written_is_read_back(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(GOOD.to_toml())
    assert read_config(path) == GOOD
    path.write_bytes(GOOD.to_toml().replace("\n", "\r\n").encode())
    assert read_config(path) == GOOD


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_ships_with_what_it_was_learned_from(system):
    config = shipped_config(system)
    assert config.system == system
    assert config.learned["from"].startswith("trial.gold#")
    assert config.learned["items"] == "295"
    assert config.learned["words"] == "30"
    assert f"{system}.toml#" in config.signature


@pytest.mark.parametrize(
    ("old", "new", "code", "value"),
    [
        ("level = 2", "level = 9", Code.OUT_OF_RANGE, "9"),
        ("level = 2", "level = 2.5", Code.BAD_CELL, "candidates.level"),
        ("twice = true", "twice = 1", Code.BAD_CELL, "candidates.twice"),
        ("threshold = 0.2", "threshold = 0", Code.OUT_OF_RANGE, "0.0"),
        ("threshold = 0.2", "threshold = nan", Code.BAD_CELL, "boundary.threshold"),
        ('"lm.left" = 1.0', '"lm.lefd" = 1.0', Code.UNKNOWN_NAME, "lm.lefd"),
        ("[boundary]", "[bounday]", Code.UNKNOWN_NAME, "bounday"),
        ('system = "mine"', "system = 3", Code.BAD_CELL, "system"),
        ('system = "mine"', 'system = "mine', Code.UNREADABLE, None),
        ('[weights]\n"lm.left" = 1.0\n"sense.order" = -0.25', "", Code.EMPTY, None),
    ],
)
def test_what_is_wrong_in_one_is_said(tmp_path, old, new, code, value):
    text = GOOD.to_toml()
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(TouchstoneError) as error:
        read_config(path)
    [fault] = error.value.faults
    assert (fault.code, fault.value, fault.file) == (code, value, str(path))


def test_an_unknown_system_is_refused_with_the_nearest():
    with pytest.raises(TouchstoneError, match='no such system: "cmcl"; nearest valid name "cmlc"'):
        shipped_config("cmcl")

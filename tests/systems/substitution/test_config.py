"""Configurations: written, read back, shipped; what is wrong in one is said."""

import pytest

from touchstone import TouchstoneError
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
    ("old", "new", "said"),
    [
        ("level = 2", "level = 9", "level must be 1, 2, 3 or 4"),
        ("level = 2", "level = 2.5", 'must be a whole number: "candidates.level"'),
        ("twice = true", "twice = 1", "must be true or false"),
        ("threshold = 0.2", "threshold = 0", "threshold must be above 0"),
        ("threshold = 0.2", "threshold = nan", "must be a finite number"),
        ('"lm.left" = 1.0', '"lm.lefd" = 1.0', 'no such feature: "lm.lefd"; nearest valid name "lm.left"'),
        ("[boundary]", "[bounday]", 'unknown entry: "bounday"; nearest valid name "boundary"'),
        ('system = "mine"', "system = 3", "must name the system"),
        ('system = "mine"', 'system = "mine', "not TOML"),
        ('[weights]\n"lm.left" = 1.0\n"sense.order" = -0.25', "", "no weights"),
    ],
)
def test_what_is_wrong_in_one_is_said(tmp_path, old, new, said):
    text = GOOD.to_toml()
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(TouchstoneError) as error:
        read_config(path)
    assert said in str(error.value)


def test_an_unknown_system_is_refused_with_the_nearest():
    with pytest.raises(TouchstoneError, match='no such system: "cmcl"; nearest valid name "cmlc"'):
        shipped_config("cmcl")

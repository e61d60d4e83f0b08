"""A system as a small TOML file: its candidates, its weights, its boundary, and what they were learned from."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.io.text import Source, read_text
from touchstone.tasks.lexsub.systems.candidates import LEVELS
from touchstone.tasks.lexsub.systems.features import check_features
from touchstone.tasks.lexsub.systems.neural import PARTS

SYSTEMS = ("bow", "lm", "cmlc", "neural")
SHIPPED = Path(__file__).with_name("shipped")
_TABLES = ("candidates", "weights", "rerank", "boundary", "learned")
_KEEP = "keep"


@dataclass(frozen=True)
class Config:
    """All that makes a system, but for the resources it reads."""

    system: str
    level: int
    """Which candidates WordNet gives: see `candidates`."""
    twice: bool
    """Whether synonyms of synonyms are candidates too."""
    weights: Mapping[str, float]
    threshold: float
    """The share of the first answer's softmax weight from which the boundary keeps an answer."""
    learned: Mapping[str, str] = field(default_factory=dict)
    """What the numbers were learned from, and how they did there."""
    rerank: Mapping[str, float] = field(default_factory=dict)
    """Weights of what networks say, by which the best candidates are ordered anew: see `neural`."""
    keep: int = 0
    """How many candidates are ordered anew."""
    source: Source | None = field(default=None, compare=False)

    @property
    def signature(self) -> str:
        """The name of the system and the digest of its file."""
        return f"{self.system} {self.source}" if self.source else f"{self.system} as learned"

    def to_toml(self) -> str:
        """Return the text of its file.

        >>> print(Config("lm", 2, False, {"lm.left": 1.0}, 0.25).to_toml())
        system = "lm"
        <BLANKLINE>
        [candidates]
        level = 2
        twice = false
        <BLANKLINE>
        [weights]
        "lm.left" = 1.0
        <BLANKLINE>
        [boundary]
        threshold = 0.25
        <BLANKLINE>
        """
        parts = [f'system = "{self.system}"\n', _table("candidates", {"level": self.level, "twice": self.twice})]
        parts += [_table("weights", self.weights)]
        parts += [_table("rerank", {_KEEP: self.keep, **self.rerank})] if self.rerank else []
        parts += [_table("boundary", {"threshold": self.threshold})]
        parts += [_table("learned", self.learned)] if self.learned else []
        return "\n".join(parts)


def shipped_config(system: str) -> Config:
    """Return the configuration that comes with the package, learned on the trial data of SemEval-2007 task 10."""
    if system not in SYSTEMS:
        hint = f"known: {', '.join(SYSTEMS)}"
        raise TouchstoneError("no such system", value=system, near=nearest(system, SYSTEMS), hint=hint)
    return read_config(SHIPPED / f"{system}.toml")


def read_config(path: str | Path) -> Config:
    """Read a configuration; what is missing, unknown or of the wrong kind is refused."""
    text, source = read_text(path)
    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TouchstoneError(f"not TOML ({str(error).lower()})", file=source.name) from None
    reader = _Reader(source.name, whole)
    config = Config(
        system=reader.text("system"),
        level=reader.whole("candidates", "level"),
        twice=reader.truth("candidates", "twice"),
        weights=reader.numbers("weights"),
        threshold=reader.number("boundary", "threshold"),
        rerank={name: value for name, value in reader.numbers("rerank").items() if name != _KEEP},
        keep=reader.whole("rerank", _KEEP) if reader.table("rerank") else 0,
        learned={name: str(value) for name, value in reader.table("learned").items()},
        source=Source(Path(source.name).name, source.digest, source.path),
    )
    _check(config, source.name)
    return config


def _check(config: Config, file: str) -> None:
    check_features(config.weights, file)
    if not config.weights:
        raise TouchstoneError("no weights", file=file, hint="touchstone lexsub train writes such a file")
    if config.rerank and (set(config.rerank) != set(PARTS) or config.keep < 1):
        raise TouchstoneError(f"rerank must have keep, above 0, and {', '.join(PARTS)}", file=file)
    if config.level not in LEVELS:
        raise TouchstoneError("level must be 1, 2, 3 or 4", file=file, value=str(config.level))
    if not 0 < config.threshold <= 1:
        raise TouchstoneError("threshold must be above 0 and at most 1", file=file, value=str(config.threshold))


class _Reader:
    """Takes values out of a TOML document, or says which is missing or of the wrong kind."""

    def __init__(self, file: str, whole: dict[str, object]) -> None:
        self._file, self._whole = file, whole
        unknown = next((name for name in whole if name not in ("system", *_TABLES)), None)
        if unknown:
            raise TouchstoneError("unknown entry", file=file, value=unknown, near=nearest(unknown, _TABLES))

    def table(self, name: str) -> dict[str, object]:
        found = self._whole.get(name, {})
        if not isinstance(found, dict):
            raise TouchstoneError("must be a table", file=self._file, value=name)
        return found

    def text(self, name: str) -> str:
        found = self._whole.get(name)
        if not isinstance(found, str) or not found.strip():
            raise TouchstoneError("must name the system", file=self._file, value=name)
        return found

    def whole(self, table: str, name: str) -> int:
        found = self.table(table).get(name)
        if not isinstance(found, int) or isinstance(found, bool):
            raise TouchstoneError("must be a whole number", file=self._file, value=f"{table}.{name}")
        return found

    def truth(self, table: str, name: str) -> bool:
        found = self.table(table).get(name)
        if not isinstance(found, bool):
            raise TouchstoneError("must be true or false", file=self._file, value=f"{table}.{name}")
        return found

    def number(self, table: str, name: str) -> float:
        return self._number(self.table(table).get(name), f"{table}.{name}")

    def numbers(self, table: str) -> dict[str, float]:
        return {name: self._number(value, f"{table}.{name}") for name, value in self.table(table).items()}

    def _number(self, found: object, name: str) -> float:
        if (
            not isinstance(found, int | float)
            or isinstance(found, bool)
            or found != found
            or abs(found) == float("inf")
        ):
            raise TouchstoneError("must be a finite number", file=self._file, value=name)
        return float(found)


def _table(name: str, values: Mapping[str, object]) -> str:
    return "".join([f"[{name}]\n", *(f"{_key(key)} = {_value(value)}\n" for key, value in values.items())])


def _key(name: str) -> str:
    return name if name.replace("_", "").isalnum() else f'"{name}"'


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, int):
        return str(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

"""A system as a small TOML file: its candidates, its weights, its boundary, and what they were learned from."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import TypeVar

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.files import Source
from touchstone.io.checksums import KEY, check_shipped, damaged
from touchstone.io.text import read_text
from touchstone.systems.substitution.candidates import LEVELS
from touchstone.systems.substitution.features import check_features
from touchstone.systems.substitution.neural import PARTS

SYSTEMS = ("bow", "lm", "cmlc", "neural")
SHIPPED = Path(__file__).with_name("shipped")
CHECKSUM = "checksum"
_TABLES = ("candidates", "weights", "rerank", "boundary", "learned", CHECKSUM)
_KEEP = "keep"
_KINDS: Mapping[type, str] = {
    str: "name the system",
    int: "be a whole number",
    bool: "be true or false",
    float: "be a finite number",
}

Value = TypeVar("Value", str, int, bool, float)


@dataclass(frozen=True)
class Config:
    """All that makes a system, except the resources it reads."""

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
    """Weights of what networks say, by which the best candidates are ordered again: see `neural`."""
    keep: int = 0
    """How many candidates are ordered again."""
    neighbours: int = 0
    """How many words near in vectors are candidates too."""
    source: Source | None = field(default=None, compare=False)

    @property
    def signature(self) -> str:
        """The name of the system and the digest of its file."""
        return f"{self.system} {self.source}" if self.source else f"{self.system} as learned"

    def to_toml(self) -> str:
        """Return the text of its file, with the checksum of what it says.

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
        [checksum]
        sha256 = "a54e3f2c601032904ac2a98c5ba553682a7b222be522081374c493c2d4b63674"
        <BLANKLINE>
        """
        return f"{self._content()}\n{_table(CHECKSUM, {KEY: self.checksum})}"

    @property
    def checksum(self) -> str:
        """The checksum of what the file says, however it is laid out."""
        return sha256(self._content().encode()).hexdigest()

    def _content(self) -> str:
        parts = [f'system = "{self.system}"\n', self._candidates()]
        parts += [_table("weights", self.weights)]
        parts += [_table("rerank", {_KEEP: self.keep, **self.rerank})] if self.rerank else []
        parts += [_table("boundary", {"threshold": self.threshold})]
        parts += [_table("learned", self.learned)] if self.learned else []
        return "\n".join(parts)

    def _candidates(self) -> str:
        near = {"neighbours": self.neighbours} if self.neighbours else {}
        return _table("candidates", {"level": self.level, "twice": self.twice, **near})


def shipped_config(system: str) -> Config:
    """Return the configuration that comes with the package, learned on the trial data of SemEval-2007 task 10."""
    if system not in SYSTEMS:
        hint = f"known: {', '.join(SYSTEMS)}"
        what = "no such system"
        raise TouchstoneError(what, value=system, near=nearest(system, SYSTEMS), code=Code.UNKNOWN_NAME, hint=hint)
    config = read_config(SHIPPED / f"{system}.toml")
    assert config.source is not None
    check_shipped(SHIPPED / f"{system}.toml", config.source.digest)
    return config


def read_config(path: str | Path) -> Config:
    """Read the configuration in the file *path*; what is missing, unknown or of the wrong kind is refused."""
    text, source = read_text(path)
    try:
        root = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TouchstoneError(f"not TOML ({str(error).lower()})", file=source.name, code=Code.UNREADABLE) from None
    document = _Document(source.name, root)
    keep = document.get("rerank", _KEEP, int) if document.tables["rerank"] else 0
    config = Config(
        system=document.get("", "system", str),
        level=document.get("candidates", "level", int),
        twice=document.get("candidates", "twice", bool),
        weights=document.numbers("weights"),
        threshold=document.get("boundary", "threshold", float),
        rerank={name: value for name, value in document.numbers("rerank").items() if name != _KEEP},
        keep=keep,
        neighbours=document.get("candidates", "neighbours", int, 0),
        learned={name: str(value) for name, value in document.tables["learned"].items()},
        # The name without its folder: a signature must not depend on where the file is.
        source=Source(Path(source.name).name, source.digest, source.path),
    )
    _check(config, source.name)
    # A file that a person wrote has no checksum.
    written = document.tables[CHECKSUM].get(KEY)
    if written not in (None, config.checksum):
        raise damaged(source.name, "copy it again; or remove the table [checksum] if you changed the file yourself")
    return config


def _check(config: Config, file: str) -> None:
    check_features(config.weights, file)
    if not config.weights:
        hint = "touchstone lexsub train writes such a file"
        raise TouchstoneError("no weights", file=file, code=Code.EMPTY, hint=hint)
    if config.rerank and (set(config.rerank) != set(PARTS) or config.keep < 1):
        raise TouchstoneError(f"rerank must have keep, above 0, and {', '.join(PARTS)}", file=file, code=Code.BAD_CELL)
    if config.level not in LEVELS:
        raise TouchstoneError("level must be 1, 2, 3 or 4", file=file, value=str(config.level), code=Code.OUT_OF_RANGE)
    if not 0 < config.threshold <= 1:
        what = "threshold must be above 0 and at most 1"
        raise TouchstoneError(what, file=file, value=str(config.threshold), code=Code.OUT_OF_RANGE)


class _Document:
    """The entries of a TOML document, each of the kind that is asked for."""

    def __init__(self, file: str, root: dict[str, object]) -> None:
        self._file = file
        unknown = next((name for name in root if name not in ("system", *_TABLES)), None)
        if unknown:
            near = nearest(unknown, _TABLES)
            raise TouchstoneError("unknown entry", file=file, value=unknown, near=near, code=Code.UNKNOWN_NAME)
        self.tables: dict[str, dict[str, object]] = {"": root}
        for name in _TABLES:
            table = root.get(name, {})
            if not isinstance(table, dict):
                raise TouchstoneError("must be a table", file=file, value=name, code=Code.BAD_CELL)
            self.tables[name] = table

    def get(self, table: str, name: str, kind: type[Value], default: Value | None = None) -> Value:
        value = self.tables[table].get(name, default)
        # TOML writes 1 for 1.0. True is an int to Python, but must not pass for a number here.
        if kind is float and type(value) is int:
            value = float(value)
        wrong = not value.strip() if isinstance(value, str) else isinstance(value, float) and not isfinite(value)
        if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool) or wrong:
            what = f"must {_KINDS[kind]}"
            raise TouchstoneError(what, file=self._file, value=f"{table}.{name}".lstrip("."), code=Code.BAD_CELL)
        return value

    def numbers(self, table: str) -> dict[str, float]:
        return {name: self.get(table, name, float) for name in self.tables[table]}


def _table(name: str, values: Mapping[str, object]) -> str:
    rows = (
        f"{key if key.replace('_', '').isalnum() else json.dumps(key)} = {json.dumps(value, ensure_ascii=False)}\n"
        for key, value in values.items()
    )
    return "".join([f"[{name}]\n", *rows])

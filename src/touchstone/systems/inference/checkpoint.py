"""The folder of a training run: configuration and words as JSON, weights as safetensors; no pickle is ever read.

``config.json`` and ``vocabulary.json`` say what the model is; ``weights.safetensors`` has the best epoch;
``state.safetensors`` is there while training is under way, with all that is needed to go on; ``log.jsonl`` has a
line for each epoch.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import read_bytes
from touchstone.base.signature import content_digest
from touchstone.io.checksums import check_tensors, sealed_tensors
from touchstone.io.text import read_text
from touchstone.io.writing import replacing, write_text
from touchstone.systems.inference.settings import DEFAULTS, Settings
from touchstone.systems.inference.vocabulary import Vocabulary

FORMAT = 1
"""The version of the files; others are refused."""
CONFIG, VOCABULARY, WEIGHTS, STATE, LOG = (
    "config.json",
    "vocabulary.json",
    "weights.safetensors",
    "state.safetensors",
    "log.jsonl",
)

_AGAIN = "the file was changed or cut off; train the model again, or copy the folder again"

Tensors = dict[str, Tensor]


@dataclass(frozen=True)
class Config:
    """What a model was trained with: its settings, and the digests of words, lexicon and pairs."""

    settings: Settings
    vocabulary: str
    lexicon: str
    training: str
    development: str
    format: int = FORMAT

    @property
    def digest(self) -> str:
        """The digest of all of it; weights carry it, so that they are not read under another configuration."""
        return content_digest(config=[self.to_json()])

    def to_json(self) -> str:
        """Return the configuration as the text of its file."""
        return json.dumps(asdict(self), indent=2) + "\n"

    def differences(self, other: "Config") -> list[str]:
        """Return the names of what differs from another configuration, settings by their names."""
        mine, others = ({**asdict(config.settings), **asdict(config)} for config in (self, other))
        return [name for name in mine if name not in ("settings", "format") and mine[name] != others[name]]


def write_run(folder: Path, config: Config, vocabulary: Vocabulary) -> None:
    """Write what a run starts with; the configuration last, since it makes the folder one of a run."""
    write_text(
        folder / VOCABULARY, json.dumps({**asdict(vocabulary), "touchstone": __version__}, ensure_ascii=False) + "\n"
    )
    write_text(folder / CONFIG, config.to_json())


def read_config(folder: Path) -> Config:
    """Read the configuration of a run."""
    path = folder / CONFIG
    if not path.exists():
        hint = "give the folder that touchstone nli train wrote"
        raise TouchstoneError("not the folder of a trained model", file=str(folder), code=Code.NO_FILE, hint=hint)
    fields = _read_json(path)
    if fields.get("format") != FORMAT:
        what = f"the checkpoint has format {fields.get('format')}, and this version of touchstone reads format {FORMAT}"
        hint = "train it again, or use the version that wrote it"
        raise TouchstoneError(what, file=str(path), code=Code.UNREADABLE, hint=hint)
    try:
        settings = Settings(**fields.pop("settings"))
        config = Config(settings, **fields)
    except (TypeError, KeyError) as error:
        raise _damaged(path) from error
    if settings.model not in DEFAULTS:
        raise TouchstoneError("no such model", file=str(path), value=settings.model, code=Code.UNKNOWN_NAME)
    return config


def read_vocabulary(folder: Path, config: Config) -> Vocabulary:
    """Read the words of a run."""
    contents = _read_json(folder / VOCABULARY)
    contents.pop("touchstone", None)
    try:
        vocabulary = Vocabulary(**contents)
    except TypeError as error:
        raise _damaged(folder / VOCABULARY) from error
    if vocabulary.digest != config.vocabulary:
        hint = "its folder was changed after training; train it again"
        what = "not the words that the model was trained with"
        raise TouchstoneError(what, file=str(folder / VOCABULARY), code=Code.MISMATCH, hint=hint)
    return vocabulary


def write_tensors(path: Path, tensors: Mapping[str, Tensor], config: Config, about: Mapping[str, Any]) -> None:
    """Write tensors with the digest of their configuration and what else there is to say *about* them."""
    from safetensors.torch import save

    on_cpu = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    data = save(on_cpu, {"about": json.dumps({"config": config.digest, **about})})
    with replacing(path) as beside:
        beside.write_bytes(sealed_tensors(data))


def read_tensors(path: Path, config: Config) -> tuple[Tensors, dict[str, Any]]:
    """Read tensors and what the file says about them; refuse those of another configuration."""
    from safetensors import SafetensorError, safe_open

    if not path.exists():
        hint = "training has not finished its first epoch; run the same command again"
        raise TouchstoneError("the model has no weights yet", file=str(path), code=Code.NO_FILE, hint=hint)
    try:
        with safe_open(path, "pt") as file:
            about: dict[str, Any] = json.loads((file.metadata() or {}).get("about", "{}"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except (SafetensorError, OSError, ValueError) as error:
        raise _damaged(path) from error
    if about.pop("config", None) != config.digest:
        hint = "files of different runs were mixed; train it again"
        raise TouchstoneError("not the weights of this configuration", file=str(path), code=Code.MISMATCH, hint=hint)
    check_tensors(read_bytes(path)[0], str(path), _AGAIN)
    return tensors, about


def load_weights(model: nn.Module, tensors: Mapping[str, Tensor], path: Path) -> None:
    """Put weights into a model of the same shapes."""
    try:
        model.load_state_dict(dict(tensors))
    except RuntimeError as error:
        raise _damaged(path) from error


def _read_json(path: Path) -> dict[str, Any]:
    text, _ = read_text(path)
    try:
        content = json.loads(text)
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise _damaged(path)
    return content


def _damaged(path: Path) -> TouchstoneError:
    return TouchstoneError("the checkpoint is damaged", file=str(path), code=Code.UNREADABLE, hint=_AGAIN)

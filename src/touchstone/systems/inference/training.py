"""The training loop of all models: from pairs, vectors and settings to the folder of a run.

The order of pairs and the dropout of an epoch depend on the seed and its number alone, and all else is written after
each epoch, so a run that was killed goes on as if nothing had happened.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats
from touchstone.base.spelling import setting
from touchstone.core.scoring import Progress
from touchstone.io.text import read_text
from touchstone.io.writing import make_folder, write_text
from touchstone.lexicon import wordnet
from touchstone.systems.inference import checkpoint
from touchstone.systems.inference.batches import Batcher
from touchstone.systems.inference.optimising import make_optimiser, negative_log_likelihood, rate_share
from touchstone.systems.inference.pretrained import Pretrained
from touchstone.systems.inference.registry import build
from touchstone.systems.inference.relations import cached_relations
from touchstone.systems.inference.settings import Settings
from touchstone.systems.inference.texts import Texts, all_tokens, labelled, read_pieces, read_texts
from touchstone.systems.inference.vocabulary import Matrix, Vocabulary, make_vocabulary, read_vectors, trained_words
from touchstone.tasks.nli.auditing import letters_and_digits
from touchstone.tasks.nli.labels import LABELS
from touchstone.tasks.nli.model import GoldSet, Pair

EVALUATED = 256
"""Pairs that are evaluated together; their number changes no label."""


@dataclass(frozen=True, eq=False)
class Data:
    """What models are trained on: pairs over the same forms, words and their vectors.

    *first* has further weights that a pre-trained model starts from, *sizes* its settings.
    """

    training: Texts
    development: Texts
    vocabulary: Vocabulary
    vectors: Matrix
    notes: tuple[str, ...] = ()
    first: Mapping[str, Tensor] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)

    def sample(self, size: int, seed: int) -> "Data":
        """Return the same with *size* training pairs that the seed draws; smaller draws are part of larger ones."""
        rows = np.random.default_rng(seed).permutation(len(self.training))[:size]
        training = self.training.take(np.sort(rows))
        vocabulary = self.vocabulary
        if not self.first:  # a pre-trained model keeps its pieces of words
            vocabulary = replace(vocabulary, own=trained_words(training, vocabulary.known))
        return replace(self, training=training, vocabulary=vocabulary)


def read_data(
    training: Sequence[GoldSet],
    development: GoldSet,
    vectors: str | Path | Pretrained,
    *,
    exclude: Sequence[GoldSet] = (),
) -> Data:
    """Return pairs ready for training.

    Parameters
    ----------
    training, development
        Pairs with gold labels, of two or three kinds; pairs without one are left out.
    vectors
        A file of word vectors, or the encoder that a cross-encoder starts from.
    exclude
        Test sets: training pairs with one of their premises are left out.
    """
    banned = {letters_and_digits(pair.premise) for gold in exclude for pair in gold.pairs}
    pairs = [pair for gold in training for pair in labelled(gold)]
    remaining = [pair for pair in pairs if letters_and_digits(pair.premise) not in banned] if banned else pairs
    if not remaining:
        hint = "the sets to exclude have all premises of the training sets"
        raise TouchstoneError("no training pair is left", code=Code.EMPTY, hint=hint)
    notes = (
        [f"training pairs left out, since a test set has their premise: {len(pairs) - len(remaining):,}"]
        if exclude
        else []
    )
    for gold in (*training, development):
        absent = len(gold) - len(gold.scored)
        notes += [f"{gold.source.stem}: pairs left out, since they have no gold label: {absent:,}"] if absent else []
    if isinstance(vectors, Pretrained):
        return make_pieces(remaining, labelled(development), vectors, tuple(notes))
    return make_data(remaining, labelled(development), vectors, tuple(notes))


def make_data(
    training: Sequence[Pair], development: Sequence[Pair], vectors: str | Path, notes: tuple[str, ...] = ()
) -> Data:
    """Return labelled pairs with the vectors of their words, ready for training."""
    word_vectors = read_vectors(vectors, all_tokens([*training, *development]))
    texts = read_texts([*training, *development], frozenset(word_vectors.words))
    training_texts, held_out = _parted(texts, len(training))
    return Data(
        training_texts,
        held_out,
        make_vocabulary(training_texts, word_vectors),
        np.asarray(word_vectors.rows, np.float32),
        notes,
    )


def make_pieces(
    training: Sequence[Pair], development: Sequence[Pair], encoder: Pretrained, notes: tuple[str, ...] = ()
) -> Data:
    """Return labelled pairs in the pieces of an encoder, ready for training."""
    texts = read_pieces([*training, *development], encoder.vocabulary.known)
    training_texts, held_out = _parted(texts, len(training))
    return Data(training_texts, held_out, encoder.vocabulary, encoder.vectors, notes, encoder.weights, encoder.sizes)


def _parted(texts: Texts, first: int) -> tuple[Texts, Texts]:
    """Return the first pairs and the others."""
    return texts.take(np.arange(first)), texts.take(np.arange(first, len(texts)))


@dataclass
class State:
    """How far a run is: the rate of the next epoch, the epochs done, the best of them, and the log so far."""

    rate: float
    epoch: int = 0
    best: float = -1.0
    best_epoch: int = 0
    log: list[dict[str, Any]] = field(default_factory=list)

    def finished(self, settings: Settings) -> bool:
        """Return whether all epochs are done, or none was the best for too long."""
        return self.epoch >= settings.epochs or self.epoch - self.best_epoch >= settings.patience

    def add(self, settings: Settings, loss: float, accuracy: float, seconds: float) -> None:
        """Note one more epoch, and set the rate of the next."""
        self.epoch += 1
        record = {"epoch": self.epoch, "loss": loss, "accuracy": accuracy, "rate": self.rate, "seconds": seconds}
        self.log.append(record)
        if accuracy > self.best:
            self.best, self.best_epoch = accuracy, self.epoch
        plateau = settings.halved == "on plateau" and self.best_epoch != self.epoch
        if plateau or (settings.halved == "every second epoch" and self.epoch % 2 == 0):
            self.rate /= 2


def train(
    settings: Settings,
    data: Data,
    folder: str | Path,
    *,
    device: str = "auto",
    tell: Callable[[str], None] = lambda _: None,
    progress: Progress = lambda done, total: None,  # noqa: ARG005
) -> State:
    """Train a model, or go on where an earlier call was interrupted; return how it went.

    Parameters
    ----------
    settings, data
        What to train, and on what.
    folder
        Where the run is written; one with other settings or data is refused.
    device
        ``cpu``, ``cuda``, or ``auto`` for a GPU where there is one.
    tell, progress
        Called with a sentence after each epoch, and with the pairs done and their number after each batch.
    """
    folder = Path(folder)
    settings = replace(settings, **data.sizes)  # type: ignore[arg-type]
    config = _config(settings, data)
    where = chosen_device(device)
    make_folder(folder)
    _check_folder(folder, config)
    torch.manual_seed(settings.seed)
    model = build(settings, data.vocabulary.trained, data.vectors)
    # What the encoder does not have, such as the classifier, keeps its first weights.
    model.load_state_dict(dict(data.first), strict=False)
    model.to(where)
    optimiser = make_optimiser(model, settings)
    state = _resumed(folder, config, model, optimiser)
    if not state.epoch:
        checkpoint.write_run(folder, config, data.vocabulary)
    if not state.finished(settings):
        batcher, tested = _batchers(settings, data, where)
    while not state.finished(settings):
        start = time.perf_counter()
        loss = train_epoch(model, optimiser, batcher, settings, state, progress)
        accuracy = float(np.mean(right_labels(model, tested)))
        state.add(settings, loss, accuracy, round(time.perf_counter() - start, 2))
        best = state.best_epoch == state.epoch
        if best:
            about = {"epoch": state.epoch, "accuracy": accuracy}
            checkpoint.write_tensors(folder / checkpoint.WEIGHTS, model.state_dict(), config, about)
        _save(folder, config, model, optimiser, state)
        tell(f"epoch {state.epoch}: loss {loss:.4f}, {accuracy:.2%} right on the development set{' (best)' * best}")
    _write_log(folder, state)
    (folder / checkpoint.STATE).unlink(missing_ok=True)
    return state


def _batchers(settings: Settings, data: Data, device: torch.device) -> tuple[Batcher, Batcher]:
    """Return what makes batches of the training set and of the development set."""
    both = (data.training, data.development)
    table = cached_relations(both, instances=settings.instances) if settings.uses_relations else None
    rows = data.vocabulary.rows(data.training.forms)
    training, development = (Batcher(texts, rows, settings, device, table) for texts in both)
    return training, development


def _config(settings: Settings, data: Data) -> checkpoint.Config:
    lexicon = str(wordnet().signature) if settings.uses_relations else ""
    return checkpoint.Config(settings, data.vocabulary.digest, lexicon, data.training.digest, data.development.digest)


def _check_folder(folder: Path, config: checkpoint.Config) -> None:
    """Refuse a folder that has another run."""
    if not (folder / checkpoint.CONFIG).exists():
        return
    differing = checkpoint.read_config(folder).differences(config)
    if differing:
        what = f"the folder has a run with another {', '.join(differing)}"
        hint = "name another folder with -o, or remove this one"
        raise TouchstoneError(what, file=str(folder), code=Code.MISMATCH, hint=hint)


def chosen_device(name: str) -> torch.device:
    """Return a device by name; ``auto`` is a GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError):  # no such name, no such GPU, no GPU at all
        hint = "use cpu, auto, or cuda where PyTorch finds a GPU"
        raise TouchstoneError("no such device", value=name, code=Code.UNKNOWN_NAME, hint=hint) from None


def train_epoch(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    batcher: Batcher,
    settings: Settings,
    state: State,
    progress: Progress = lambda done, total: None,  # noqa: ARG005
) -> float:
    """Train on all pairs once, and return their mean loss."""
    epoch = state.epoch + 1
    torch.manual_seed(int(np.random.SeedSequence([settings.seed, epoch]).generate_state(1)[0]))
    trained = [weight for group in optimiser.param_groups for weight in group["params"]]
    model.train()
    total, done = torch.zeros((), device=trained[0].device), 0
    for batch in batcher.shuffled(settings.batch, settings.seed, epoch):
        share = rate_share((state.epoch + done / batcher.size) / settings.epochs, settings.warmup)
        for group in optimiser.param_groups:
            group["lr"] = state.rate * share
        with torch.autocast("cuda", torch.bfloat16, enabled=batch.right.is_cuda):
            scores = model(batch)
        loss = negative_log_likelihood(scores.float(), batch.right, settings.smoothing)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if settings.clip is not None:
            nn.utils.clip_grad_norm_(trained, settings.clip)
        optimiser.step()
        total += loss.detach() * len(batch.right)  # on the device: nothing waits for it
        done += len(batch.right)
        progress(done, batcher.size)
    mean = float(total) / batcher.size
    if not np.isfinite(mean):
        hint = f"try a lower rate: {setting('rate', python='Settings(rate=…)')}"
        raise TouchstoneError(f"training diverged in epoch {epoch}: the loss is {mean}", code=Code.FAILED, hint=hint)
    return mean


def probabilities(model: nn.Module, batcher: Batcher) -> Floats:
    """Return the probability of each label for each pair: in 32 bits, without dropout, whatever the batches."""
    model.eval()
    result = np.zeros((batcher.size, len(LABELS)))
    # TF32 rounds the factors of products, by which labels would differ between machines.
    before, torch.backends.cudnn.allow_tf32 = torch.backends.cudnn.allow_tf32, False
    try:
        with torch.inference_mode():
            for pairs, batch in batcher.in_order_of_length(EVALUATED):
                result[pairs] = model(batch).double().softmax(1).cpu().numpy()
    finally:
        torch.backends.cudnn.allow_tf32 = before
    return result


def right_labels(model: nn.Module, batcher: Batcher) -> Bools:
    """Return whether the likeliest label of each pair is right."""
    best = probabilities(model, batcher).argmax(1)
    right: Bools = batcher.right[np.arange(batcher.size), best]
    return right


def _save(
    folder: Path, config: checkpoint.Config, model: nn.Module, optimiser: torch.optim.Optimizer, state: State
) -> None:
    """Write all that is needed to go on after this epoch, then the log."""
    tensors = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    for number, state_of_weight in optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser.{number}.{name}": tensor for name, tensor in state_of_weight.items()}
    checkpoint.write_tensors(folder / checkpoint.STATE, tensors, config, asdict(state))
    _write_log(folder, state)


def _write_log(folder: Path, state: State) -> None:
    write_text(folder / checkpoint.LOG, "".join(json.dumps(record) + "\n" for record in state.log))


def _resumed(folder: Path, config: checkpoint.Config, model: nn.Module, optimiser: torch.optim.Optimizer) -> State:
    """Return how far the run in the folder is, and put its weights into the model and the optimiser."""
    path = folder / checkpoint.STATE
    if not path.exists():
        return _finished_state(folder, config) or State(config.settings.rate)
    tensors, about = checkpoint.read_tensors(path, config)
    weights = {name.removeprefix("model."): tensor for name, tensor in tensors.items() if name.startswith("model.")}
    checkpoint.load_weights(model, weights, path)
    states: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimiser."):
            _, number, key = name.split(".")
            states.setdefault(int(number), {})[key] = tensor
    optimiser.load_state_dict({"state": states, "param_groups": optimiser.state_dict()["param_groups"]})
    return State(**about)


def _finished_state(folder: Path, config: checkpoint.Config) -> State | None:
    """Return the state of a run that has ended, from its log; None if it has not."""
    if not (folder / checkpoint.LOG).exists():
        return None
    state = State(config.settings.rate)
    for line in read_text(folder / checkpoint.LOG)[0].splitlines():
        record = json.loads(line)
        state.add(config.settings, record["loss"], record["accuracy"], record["seconds"])
    return state if state.finished(config.settings) and (folder / checkpoint.WEIGHTS).exists() else None

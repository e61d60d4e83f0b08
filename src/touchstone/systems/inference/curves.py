"""Learning curves: a model trained on more and more of a training set, with several seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.core.resampling import Resampling
from touchstone.systems.inference.experiments import Experiment, experiment
from touchstone.systems.inference.predicting import run_labels
from touchstone.systems.inference.runs import ModelRun
from touchstone.systems.inference.settings import Settings
from touchstone.systems.inference.training import Data, train
from touchstone.tasks.nli.model import GoldSet


def learning_curve(
    settings: Sequence[Settings],
    data: Data,
    tests: Mapping[str, GoldSet],
    folder: str | Path,
    *,
    sizes: Sequence[int],
    seeds: int,
    vectors: str | Path | None = None,
    device: str = "auto",
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    tell: Callable[[str], None] = lambda _: None,
) -> Experiment:
    """Train models on parts of a training set, and score them on test sets; what an earlier call did is kept.

    Parameters
    ----------
    settings, data
        The models, and the whole training set. A seed decides which pairs are drawn; those of a smaller size are among
        those of a larger one.
    tests
        The test sets by name.
    folder
        Where the runs are written, as MODEL-SIZE-SEED.
    sizes, seeds
        The numbers of training pairs, and how many seeds: 1, 2 and so on.
    vectors
        The vectors of the data, for words of the test sets that are new to the models.
    device, resampling, tell
        As in `touchstone.systems.inference.training.train` and `touchstone.systems.inference.experiments.experiment`.
    """
    if any(model_settings.reads_pieces for model_settings in settings):
        hint = "leave cross_encoder out"
        raise TouchstoneError("a curve is for models that read word vectors", code=Code.UNSUPPORTED, hint=hint)
    too_large = [size for size in sizes if size > len(data.training)]
    if too_large:
        what = f"a size of {too_large[0]:,}, and the training set has {len(data.training):,} pairs"
        raise TouchstoneError(what, code=Code.TOO_FEW, hint="leave that size out, or give more files of training pairs")
    runs = []
    for model_settings in settings:
        for size in sizes:
            for seed in range(1, seeds + 1):
                run_folder = Path(folder) / f"{model_settings.model}-{size}-{seed}"
                tell(f"{run_folder.name}: training")
                state = train(replace(model_settings, seed=seed), data.sample(size, seed), run_folder, device=device)
                tell(f"{run_folder.name}: {state.best:.2%} right on the development set, epoch {state.best_epoch}")
                for test, gold in tests.items():
                    run = run_labels(run_folder, gold, run_folder.name, vectors=vectors, device=device)
                    runs.append(ModelRun(model_settings.model, size, test, run))
    return experiment("Learning curves", "training pairs", tests, runs, resampling=resampling)

"""Make the result files of other tools that the tests and the documentation read.

Made with inspect_ai 0.3.285 and lm_eval 0.4.13; no model and no network is needed. To make them again::

    python -m venv tools && tools/bin/pip install inspect_ai==0.3.285 lm_eval==0.4.13 torch
    tools/bin/python tests/tasks/items/tools/make_fixtures.py

The answers of the "models" are decided here, so that the tests know how many are right. What would name the machine
(folders, users, git revisions) is kept out of the files: the logs are made in a temporary folder, and paths are cut.
"""

import json
import os
import re
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = Path(__file__).parents[4] / "src" / "touchstone" / "examples" / "items" / "logs"

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")
KINDS = ("add", "subtract", "multiply", "halve")


def question(number):
    """Return one of sixty small sums in words: the text, the answer and the kind of sum."""
    kind, name, a, b = KINDS[number % 4], NAMES[number % 5], 3 + number % 17, 2 + number % 11
    texts = {
        "add": (f"{name} has {a} pears and buys {b} more. How many pears are there?", a + b),
        "subtract": (f"{name} bakes {a + b} rolls and sells {b}. How many rolls are left?", a),
        "multiply": (f"{name} fills {a} boxes with {b} eggs each. How many eggs are there?", a * b),
        "halve": (f"{name} cuts a rope of {2 * a} metres in two equal parts. How long is each?", a),
    }
    text, answer = texts[kind]
    return text, str(answer), kind


def right_answers(model):
    """Return which questions a model answers: both 37, heron 10 more, magpie 1 more."""
    hard = [number for number in range(60) if number * 7 % 60 >= 37]  # a fixed shuffle of the sixty numbers
    easy = {number for number in range(60) if number not in hard}
    return easy | set(hard[:10] if model == "heron" else hard[10:11])


# --- inspect_ai ------------------------------------------------------------------------------------------------------


def run_inspect(folder):
    """Run inspect_ai on its own mock model and return nothing; the logs are in *folder*."""
    import inspect_ai
    from inspect_ai import Epochs, Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import Score, includes, match, mean, scorer
    from inspect_ai.solver import generate, solver

    def mock(name, answer):
        """Return a mock model that gives *answer* of the last message and of how often it was seen."""
        seen = {}

        def reply(messages, tools, tool_choice, config):
            text = messages[-1].text
            seen[text] = seen.get(text, 0) + 1
            output = ModelOutput.from_content(f"mockllm/{name}", answer(text, seen[text]))
            output.usage = ModelUsage()  # else tokens are counted, which needs a download
            return output

        return get_model(f"mockllm/{name}", custom_outputs=reply, memoize=False)

    options = {
        "log_dir": str(folder),
        "display": "none",
        "max_samples": 1,
        "log_realtime": False,
        "log_images": False,
        "fail_on_error": True,
    }

    sums = [question(number) for number in range(60)]
    samples = [Sample(id=f"sum-{n:02}", input=t, target=a, metadata={"kind": k}) for n, (t, a, k) in enumerate(sums)]
    places = {text: number for number, (text, _, _) in enumerate(sums)}

    @task
    def small_sums():
        return Task(dataset=MemoryDataset(samples, name="small_sums"), solver=generate(), scorer=match(numeric=True))

    for model in ("heron", "magpie"):

        def answer(text, _, model=model):
            number = places[text]
            return f"{sums[number][1]}" if number in right_answers(model) else "I do not know 0"

        inspect_ai.eval(small_sums(), model=mock(model, answer), **options)

    colours = {"grass": "green", "snow": "white", "coal": "black", "blood": "red"}

    @scorer(metrics={"*": [mean()]})
    def length():
        async def score(state, target):
            text = state.output.completion
            return Score(value={"words": len(text.split()), "short": len(text) < 12})

        return score

    @task
    def colour_names():
        data = [Sample(input=f"What colour is {thing}?", target=colour) for thing, colour in colours.items()]
        return Task(
            dataset=MemoryDataset(data, name="colour_names"),
            solver=generate(),
            scorer=[includes(), length()],
            epochs=Epochs(2, "mean"),
        )

    def colour(right_epochs):
        def answer(text, time):
            thing = text.removeprefix("What colour is ").removesuffix("?")
            return f"It is {colours[thing]}." if time in right_epochs[thing] else "It is hard to say."

        return answer

    heron = {"grass": (1, 2), "snow": (1,), "coal": (1, 2), "blood": ()}
    magpie = {"grass": (1,), "snow": (), "coal": (1, 2), "blood": (2,)}
    inspect_ai.eval(colour_names(), model=mock("heron", colour(heron)), **options)
    inspect_ai.eval(colour_names(), model=mock("magpie", colour(magpie)), log_format="json", **options)

    @solver
    def failing():
        async def solve(state, generate):
            raise RuntimeError("the answer is lost")

        return solve

    @task
    def broken():
        return Task(dataset=MemoryDataset(samples[:2]), solver=failing(), scorer=match())

    inspect_ai.eval(broken(), model=mock("heron", lambda text, _: ""), **options)


def keep_logs(folder):
    """Write the logs to where they are kept, under plain names, without transcripts and traces of the machine."""
    from inspect_ai.log import list_eval_logs, read_eval_log, write_eval_log

    places = {
        ("small_sums", "heron"): EXAMPLES / "sums_heron.eval",
        ("small_sums", "magpie"): EXAMPLES / "sums_magpie.eval",
        ("colour_names", "heron"): HERE / "colours_heron.eval",
        ("colour_names", "magpie"): HERE / "colours_magpie.json",
        ("broken", "heron"): HERE / "broken.eval",
    }
    EXAMPLES.mkdir(exist_ok=True)
    for info in list_eval_logs(str(folder)):
        log = read_eval_log(info.name)
        log.eval.task_file = log.eval.revision = None
        for error in [log.error, *(sample.error for sample in log.samples)]:
            if error:
                error.traceback = error.traceback_ansi = ""
        for sample in log.samples:
            sample.events, sample.attachments, sample.events_data = [], {}, None
        write_eval_log(log, str(places[log.eval.task, log.eval.model.removeprefix("mockllm/")]))


# --- lm_eval ---------------------------------------------------------------------------------------------------------

CHOICES = (
    ("A heron eats", ("fish", "snow", "coal"), "heron magpie"),
    ("A magpie builds", ("a nest", "a boat", "a bridge"), "heron magpie"),
    ("Coal is", ("black", "white", "a bird"), "heron"),
    ("Snow is", ("white", "hot", "a fish"), "heron magpie"),
    ("A rope is", ("long", "loud", "sour"), "magpie"),
    ("Bread is baked in", ("an oven", "a pond", "a box"), "heron"),
)
"""A beginning, the endings of which the first is right, and which models choose it."""

REPLIES = {
    "heron": ("The answer is 5.", "It is 4.", "The answer is 20.", "The answer is 6."),
    "magpie": ("The answer is 5.", "The answer is 3.", "20", "I do not know."),
}
"""Replies to the first four sums, whose answers are 5, 4, 20 and 6."""


def run_lm_eval(folder):
    """Run lm_eval on a model whose answers are decided here; it writes into *folder*, a folder for each model."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "cache")}
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker

    class Decided(LM):
        def __init__(self, name):
            super().__init__()
            self.name = name

        def loglikelihood(self, requests):
            liked = {text: 0 if self.name in models.split() else 1 for text, _, models in CHOICES}
            endings = {text: endings for text, endings, _ in CHOICES}
            pairs = [request.args for request in requests]
            return [(-1.0 if end.strip() == endings[text][liked[text]] else -9.0, False) for text, end in pairs]

        def generate_until(self, requests):
            replies = {question(n)[0]: reply for n, reply in enumerate(REPLIES[self.name])}
            return [replies[request.args[0]] for request in requests]

        def loglikelihood_rolling(self, requests):
            raise NotImplementedError

    choices = [{"start": text, "endings": list(endings), "label": 0} for text, endings, _ in CHOICES]
    sums = [{"question": text, "answer": answer, "kind": kind} for text, answer, kind in map(question, range(4))]
    for name, rows in (("choices", choices), ("sums", sums)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def data(name):
        files = {"test": str(folder / f"{name}.jsonl")}
        return {"task": f"small_{name}", "dataset_path": "json", "dataset_kwargs": {"data_files": files}}

    def pattern(name, regex, group):
        steps = [{"function": "regex", "regex_pattern": regex, "group_select": group}, {"function": "take_first"}]
        return {"name": name, "filter": steps}

    tasks = [
        data("choices")
        | {
            "test_split": "test",
            "output_type": "multiple_choice",
            "doc_to_text": "{{start}}",
            "doc_to_choice": "{{endings}}",
            "doc_to_target": "label",
            "metric_list": [
                {"metric": "acc", "aggregation": "mean", "higher_is_better": True},
                {"metric": "acc_norm", "aggregation": "mean", "higher_is_better": True},
            ],
        },
        data("sums")
        | {
            "test_split": "test",
            "output_type": "generate_until",
            "doc_to_text": "{{question}}",
            "doc_to_target": "{{answer}}",
            "generation_kwargs": {"until": ["\n"]},
            "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
            "filter_list": [
                pattern("strict-match", r"The answer is (\d+)", 0),
                pattern("flexible-extract", r"(\d+)", -1),
            ],
        },
    ]
    for name in ("heron", "magpie"):
        tracker = EvaluationTracker(output_path=str(folder / "out"))
        results = simple_evaluate(
            model=Decided(name),
            model_args=f"pretrained=birds/{name}",
            tasks=tasks,
            evaluation_tracker=tracker,
            log_samples=True,
            bootstrap_iters=0,
        )
        samples = results.pop("samples")
        tracker.save_results_aggregated(results=results, samples=samples)
        for task, own in samples.items():
            tracker.save_results_samples(task_name=task, samples=own)


def keep_samples(folder):
    """Copy the files of lm_eval; of the results only what names the model and its values."""
    kept = ("results", "n-samples", "higher_is_better", "model_name", "model_source", "model_name_sanitized")
    for file in sorted((folder / "out").glob("*/*.json*")):
        target = (
            HERE
            / "lm_eval"
            / file.parent.name
            / re.sub(r"\d{4}-.*(\.jsonl?)", r"2025-11-16T02-50-00.000000\1", file.name)
        )
        target.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text()
        if file.suffix == ".json":
            whole = json.loads(text)
            text = json.dumps({key: whole[key] for key in kept} | {"model_source": "hf"}, indent=1) + "\n"
        target.write_text(text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        run_inspect(Path(name) / "logs")
        keep_logs(Path(name) / "logs")
        run_lm_eval(Path(name))
        keep_samples(Path(name))

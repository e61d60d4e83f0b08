"""What names of measures, items, systems and columns tell: that lower is better, or that something is no system."""

import re
from itertools import pairwise

SUMMARIES = {
    *("all", "average", "avg", "durchschnitt", "gesamt", "insgesamt", "macro", "max", "maximum", "mean", "media"),
    *("median", "micro", "min", "minimum", "mittelwert", "moyenne", "overall", "promedio", "sd", "std", "stdev"),
    *("stddev", "subtotal", "sum", "summe", "total"),
}
"""Names of rows and columns that summarise the others."""

_BESIDE_SUMMARIES = {
    *("categories", "column", "dev", "deviation", "grand", "items", "of", "questions", "row", "score", "scores"),
    *("subjects", "systems", "tasks", "value"),
}
"""Words that stand beside the name of a summary, as in *grand total* and *average of all items*."""

NO_SYSTEMS = {
    *("batch", "count", "delta", "diff", "difference", "difficulty", "doc", "document", "epoch", "fold", "gain"),
    *("gold", "group", "idx", "index", "label", "labels", "len", "length", "num", "number", "position", "rank"),
    *("reference", "row", "seed", "split", "stratum", "target", "timestamp", "tokens", "truth", "weight", "weights"),
    *("words", "year"),
}
"""Names of columns that describe the items, or what was done with them."""

CLUSTERS = ("target", "document", "premise", "topic")
"""Names of fields whose items belong together: the clusters of the tasks."""

LEFT_OUT = "{} is left out"
"""The code of the note that a column is scored only on request."""

SPREADS = {"ci", "sd", "sem", "std", "stddev", "stdev", "stderr", "variance"}
"""Words in names of columns that say how far scores spread."""

LOWER = {
    *("ber", "bias", "bits", "bpb", "brier", "bugs", "cer", "cost", "costs", "crossentropy", "defects", "delay"),
    *("deletions", "deviation", "distance", "divergence", "duration", "ece", "edits", "eer", "elapsed", "entropy"),
    *("err", "error", "errors", "failed", "failure", "failures", "false", "fid", "fnr", "fp", "fpr", "hallucinated"),
    *("hallucination", "hallucinations", "harm", "harmful", "harms", "hter", "inaccuracy", "insertions", "kl"),
    *("latency", "levenshtein", "logloss", "loss", "losses", "mae", "mape", "mcd", "milliseconds", "missed", "misses"),
    *("mistakes", "ms", "mse", "nll", "penalties", "penalty", "perplexities", "perplexity", "place", "position"),
    *("ppl", "price", "rank", "ranks", "regret", "risk", "rmse", "runtime", "sec", "second", "seconds", "secs"),
    *("surprisal", "ter", "time", "timeouts", "toxic", "toxicity", "ttft", "uncertainty", "usd", "used", "violation"),
    *("violations", "wer", "worst", "wrong", "xent"),
}
"""Words in the name of a measure that say that lower is better, as it is with errors, times and ranks."""

HIGHER = {
    *("acc", "accuracy", "agreement", "auc", "auprc", "auroc", "avoidance", "bleu", "chrf", "comet", "correct"),
    *("correctness", "correlation", "detection", "effectiveness", "efficiency", "em", "f", "faithfulness", "fluency"),
    *("free", "helpfulness", "kappa", "kendall", "map", "meteor", "mrr", "ndcg", "pass", "pearson", "precision"),
    *("quality", "recall", "reciprocal", "reduction", "resistance", "robustness", "rouge", "savings", "similarity"),
    *("spearman", "specificity", "success", "tau", "win", "wins"),
}
"""Words in the name of a measure that say that higher is better, also beside one of `LOWER`: *error detection*."""

NEGATIONS = {"inverse", "inverted", "minus", "neg", "negated", "negative", "no", "non", "not", "without", "zero"}
"""Words before one of `LOWER` that turn its direction, as in *no errors*."""

_COMPLEMENT = re.compile(r"\b(1|100)\s*[-−]", re.IGNORECASE)

_RANK_AT = re.compile(r"\brank@\d+", re.IGNORECASE)

_PER = re.compile(r"(?<![a-z])per[\W_]*[a-z]+", re.IGNORECASE)

_WORD = re.compile(r"[a-z]+")

_CAPITAL_INSIDE = re.compile(r"(?<=[a-z])(?=[A-Z])")


def name_words(name: str) -> list[str]:
    """Return the words of a name in small letters.

    >>> name_words("errorRate_2 (avg)")
    ['error', 'rate', 'avg']
    """
    return _WORD.findall(_CAPITAL_INSIDE.sub(" ", name).casefold())


def suggests_lower_is_better(measure: str) -> bool:
    """Return whether the name of a measure says that lower is better.

    >>> [suggests_lower_is_better(name) for name in ("errorRate", "hallucination_rate", "accuracy", "terseness")]
    [True, True, False, False]

    A rank with a cut-off is a score of a ranked list, and other words turn the direction.

    >>> [suggests_lower_is_better(name) for name in ("mean_rank", "rank@10", "error@5")]
    [True, False, True]
    >>> [suggests_lower_is_better(name) for name in ("mean_reciprocal_rank", "1-wer", "no_error", "error_detection_f1")]
    [False, False, False, False]

    What a measure is divided by has no direction.

    >>> [suggests_lower_is_better(name) for name in ("tokens_per_second", "bits_per_byte", "cost per item")]
    [False, True, True]
    """
    words = name_words(_COMPLEMENT.sub("minus ", _PER.sub("", _RANK_AT.sub("", measure))))
    lower = any(word in LOWER and before not in NEGATIONS for before, word in pairwise(["", *words]))
    return lower and HIGHER.isdisjoint(words)


def suggests_higher_is_better(measure: str) -> bool:
    """Return whether the name of a measure says that higher is better.

    >>> [suggests_higher_is_better(name) for name in ("accuracy", "error_detection_F1", "error rate", "tokens")]
    [True, True, False, False]
    """
    return not HIGHER.isdisjoint(name_words(measure)) and NEGATIONS.isdisjoint(name_words(measure))


def is_summary(name: str) -> bool:
    """Return whether a row or a column with this name summarises the others.

    >>> [is_summary(name) for name in ("Mean", "Grand total:", "q1", "mean-pooling", "of")]
    [True, True, False, False, False]
    """
    words = set(name_words(name))
    return bool(words & SUMMARIES) and words <= SUMMARIES | _BESIDE_SUMMARIES


def is_no_system(name: str) -> bool:
    """Return whether a column with this name describes the items or the scores, and is no system.

    >>> [is_no_system(name) for name in ("seed", "promptIdx", "new_std", "delta", "delta-net", "gpt-4")]
    [True, True, True, True, False, False]
    """
    words = set(name_words(name))
    return bool(words & (SPREADS | {"idx", "index"})) or (bool(words) and words <= NO_SYSTEMS)

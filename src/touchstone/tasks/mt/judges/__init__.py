"""Human judgements of translations: how far judges agree, how near metrics come to them, and tuning on them."""

from touchstone.tasks.mt.model import check_choice

__all__ = ["check_choice"]

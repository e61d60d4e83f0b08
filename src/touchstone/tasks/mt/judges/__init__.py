"""Human judgements of translations: how far judges agree, how near metrics come to them, and tuning on them."""

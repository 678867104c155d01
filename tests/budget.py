"""How much a test may look at: `make test` is for every change, `make test-all` looks at all of it."""

from hypothesis import settings


def examples(thorough: int) -> int:
    """So many examples where `--hypothesis-profile=thorough` asks for them, a third otherwise."""
    return thorough if settings.get_current_profile_name() == "thorough" else max(20, thorough // 3)

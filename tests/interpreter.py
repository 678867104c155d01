"""Triton's interpreter without what it does in vain: a third of its time.

At every call of one function of a kernel by another it goes through the whole language to patch it, though that was
done when the kernel was launched; and for every tensor it makes a table of types anew.
"""

import functools
import sys
from typing import Any


def hasten() -> None:
    """Patch the language once for each launch, where the interpreter is used at all."""
    interpreter: Any = sys.modules.get("triton.runtime.interpreter")
    if interpreter is None or hasattr(interpreter._patch_lang, "__wrapped__"):
        return
    language, patch, find_type = interpreter.tl, interpreter._patch_lang, interpreter._get_np_dtype
    types = functools.cache(find_type)

    @functools.wraps(patch)
    def patch_once(fn: Any) -> Any:
        used = [module for module in (language, language.core) if any(one is module for one in fn.__globals__.values())]
        if used and not any(language.core.is_builtin(module.load) for module in used):
            return interpreter._LangPatchScope()  # nothing to restore
        return patch(fn)

    def find_type_once(dtype: Any) -> Any:
        scalar = dtype.element_ty if isinstance(dtype, language.block_type) else dtype
        return types(scalar) if type(scalar) is language.dtype else find_type(dtype)  # pointers have no hash

    interpreter._patch_lang, interpreter._get_np_dtype = patch_once, find_type_once

"""The names and defaults that a stored journal is read by; `python -m tests.helpers_names` writes them down anew."""

import enum
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import msgspec

import controller.core

FILE = Path(__file__).parent / "golden" / "stored-names.txt"


def names() -> tuple[str, ...]:
    """A line for each member of an enum and each field of a struct of the core, sorted."""
    return tuple(sorted({line for module in _modules() for line in _of(module)}))


def _modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(controller.core.__path__, "controller.core."):
        yield importlib.import_module(found.name)


def _of(module: ModuleType) -> Iterator[str]:
    for thing in vars(module).values():
        if not isinstance(thing, type) or thing.__module__ != module.__name__:
            continue
        if issubclass(thing, enum.Enum):
            yield from (f"{thing.__name__} {member.name} = {member.value!r}" for member in thing)
        elif issubclass(thing, msgspec.Struct):
            tag = thing.__struct_config__.tag
            yield f"{thing.__name__} {'' if tag is None else f'{thing.__struct_config__.tag_field}={tag!r}'}".strip()
            yield from (f"{thing.__name__}.{_field(field)}" for field in msgspec.structs.fields(thing))


def _field(field: msgspec.structs.FieldInfo) -> str:
    if field.default is not msgspec.NODEFAULT:
        default = field.default
        return f"{field.encode_name} = {str(default) if isinstance(default, enum.Enum) else default!r}"
    return field.encode_name if field.default_factory is msgspec.NODEFAULT else f"{field.encode_name} = made"


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in names()), encoding="utf-8")

"""Compares what a file says with the structs of `schema`, key by key, and says all that differs.

`msgspec` itself stops at the first difference; here every one becomes a problem with its place. After that the
conversion by `msgspec` cannot fail.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import TypeVar

import msgspec
from msgspec import inspect

from controller.config.problems import Report, did_you_mean, shown

T = TypeVar("T", bound=msgspec.Struct)
Where = Callable[[str], str]
"""Gives the place of a dotted key, for the message."""

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_ABSENT = msgspec.UNSET


class Review(msgspec.Struct, frozen=True):
    """Looks at one file: where its keys stand, and where problems go."""

    where: Where
    report: Report

    def refuse(self, key: str, what: str, value: object = _ABSENT) -> None:
        """A problem with `key`, and with its value where there is one; `what` says what is allowed and what to do."""
        given = "" if value is _ABSENT else f" = {shown(value)}"
        self.report.refuse(f"{self.where(key)}: {key}{given}: {what}")

    def warn(self, key: str, what: str) -> None:
        """Something about `key` that somebody should know."""
        self.report.warn(f"{self.where(key)}: {key}: {what}")


class _Difference(msgspec.Struct, frozen=True):
    key: str
    what: str
    value: object = _ABSENT


def conform(values: Mapping[str, object], schema: type[T], review: Review) -> T | None:
    """Turn a file's values into `schema`; None if there are problems, which are then in the review's report."""
    found = tuple(_table(values, _struct(schema), ""))
    for difference in found:
        review.refuse(difference.key, difference.what, difference.value)
    return None if found else msgspec.convert(dict(values), schema)


def from_text(text: str, schema: type[msgspec.Struct], key: str) -> object:
    """Give the plain text of a drill's `set KEY TEXT` the type that `schema` has for the dotted key.

    Raises `LookupError` for a key the schema does not have (with what was meant), `ValueError` for a text that
    is not of the key's type.
    """
    kind = _descend(_struct(schema), key)
    match _plain(kind):
        case inspect.IntType() if _WHOLE.fullmatch(text):
            return int(text)
        case inspect.BoolType() if text in {"true", "false"}:
            return text == "true"
        case inspect.StrType() | inspect.EnumType() | inspect.AnyType():
            return text
        case inspect.VarTupleType(item_type=inspect.EnumType()):
            return text.split()
        case _:
            raise ValueError(f"{shown(text)} is not allowed; it must be {_allowed(kind)}")


def _descend(kind: inspect.Type, key: str) -> inspect.Type:
    done: list[str] = []
    for name in key.split("."):
        match _plain(kind):
            case inspect.StructType(fields=fields):
                known = {field.encode_name: field.type for field in fields}
                if name not in known:
                    around = ".".join(done) or "a table's file"
                    raise LookupError(f"{around} has no key {shown(name)}.{did_you_mean(name, known)}")
                kind = known[name]
            case inspect.DictType(value_type=value_type):
                kind = value_type
            case _:
                raise LookupError(f"{'.'.join(done)} is a single value, it has no key {shown(name)}")
        done.append(name)
    return kind


def _table(values: Mapping[str, object], kind: inspect.StructType, at: str) -> Iterator[_Difference]:
    fields = {field.encode_name: field for field in kind.fields}
    for name, value in values.items():
        if name in fields:
            yield from _value(value, fields[name].type, _join(at, name))
        else:
            yield _Difference(_join(at, name), f"there is no such key.{did_you_mean(name, fields)}")
    for name, field in fields.items():
        if field.required and name not in values:
            yield _Difference(_join(at, name), f"is missing; give it {_allowed(field.type)}")


def _value(value: object, kind: inspect.Type, key: str) -> Iterator[_Difference]:
    match _plain(kind), value:
        case inspect.StructType() as struct, dict():
            yield from _table(value, struct, key)
        case inspect.DictType(value_type=value_type), dict():
            for name, inner in value.items():
                yield from _value(inner, value_type, _join(key, name))
        case (inspect.VarTupleType(item_type=item_type), list()):
            for inner in value:
                yield from _value(inner, item_type, key)
        case plain, _ if not _fits(value, plain):
            yield _Difference(key, f"must be {_allowed(kind)}{_hint(value, kind)}", value)
        case _:
            return


def _fits(value: object, kind: inspect.Type) -> bool:
    match kind:
        case inspect.IntType(ge=least, le=most):
            if not isinstance(value, int) or isinstance(value, bool):
                return False
            return (least is None or value >= least) and (most is None or value <= most)
        case inspect.BoolType():
            return isinstance(value, bool)
        case inspect.StrType(pattern=pattern):
            return (
                isinstance(value, str)
                and bool(value)
                and (pattern is None or bool(re.search(pattern, value)))
            )
        case inspect.EnumType(cls=cls):
            return isinstance(value, str) and value in _members(cls)
        case inspect.AnyType():
            return True
        case _:
            return False


def _hint(value: object, kind: inspect.Type) -> str:
    match _plain(kind), value:
        case inspect.IntType(), str() if _WHOLE.fullmatch(value):
            return f": write {value} without quotes"
        case inspect.StrType(), int() | float() if not isinstance(value, bool):
            return ": put it in quotes, a bare number is ambiguous"
        case inspect.EnumType(cls=cls), str():
            return f".{did_you_mean(value, _members(cls))}" if len(value) < 40 else ""
        case inspect.BoolType(), _:
            return ", without quotes"
        case _:
            return ""


def _allowed(kind: inspect.Type) -> str:
    """Say in words what a type takes."""
    match kind:
        case inspect.Metadata(extra={"allowed": str(words)}):
            return words
        case inspect.UnionType(types=types):
            return _allowed(types[0])
        case inspect.IntType(ge=int(least), le=int(most)):
            return f"a whole number from {least} to {most}"
        case inspect.IntType():
            return "a whole number"
        case inspect.BoolType():
            return "true or false"
        case inspect.EnumType(cls=cls):
            return "one of " + ", ".join(f'"{name}"' for name in _members(cls))
        case inspect.StrType():
            return "a text in quotes"
        case inspect.VarTupleType(item_type=item_type):
            return f"a list [...], each entry {_allowed(item_type)}"
        case inspect.StructType(fields=fields):
            return "a table [...] with " + ", ".join(field.encode_name for field in fields)
        case _:
            return "a table [...]"


def _plain(kind: inspect.Type) -> inspect.Type:
    """The type itself, without its description and without `None` for not given."""
    match kind:
        case inspect.Metadata(type=inner):
            return _plain(inner)
        case inspect.UnionType(types=types):
            return _plain(types[0])
        case _:
            return kind


@cache
def _struct(schema: type[msgspec.Struct]) -> inspect.StructType:
    kind = inspect.type_info(schema)
    if not isinstance(kind, inspect.StructType):
        raise TypeError(f"{schema} is not a struct")
    return kind


def _members(cls: type[Enum]) -> tuple[str, ...]:
    return tuple(str(member.value) for member in cls)


def _join(at: str, name: str) -> str:
    return f"{at}.{name}" if at else name

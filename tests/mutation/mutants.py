"""Mutants of one file: each is the file with one thing changed, by mutmut's operators.

Left out, because nobody could notice or nobody should have to: annotations, docstrings, decorators, `__all__`, the
options of a class (`frozen=True`), unions of types, what `NewType` is told, sentences (a text with a blank in it: what
a message says is tested by its own test, not letter by letter), upper and lower case of texts, and `assert_never`,
which the type checker proves unreachable. Of a call's arguments each is changed once: a keyword is left out, another
becomes None.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import libcst as cst
import msgspec
from libcst import matchers as m
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

OPERATORS: tuple[tuple[type, Callable[[Any], Any]], ...] = tuple(
    (kind, operator)
    for kind, operator in mutators.mutation_operators
    if operator not in (mutators.operator_string, mutators.operator_arg_removal)
)
SHOWN = 90
"""Characters of a change that are shown, from a little before where it begins."""
UNREACHABLE = m.Call(func=m.Name("assert_never"))
LEFT_ALONE = (
    m.Annotation()
    | m.Decorator()
    | UNREACHABLE
    | m.TypeAlias()
    | m.Call(func=m.Name("NewType"))
    | m.ImportFrom()
    | m.Expr(value=m.SimpleString() | m.ConcatenatedString())
    | m.Assign(targets=[m.AssignTarget(target=m.Name("__all__"))])
    | m.Assign(value=m.BinaryOperation(operator=m.BitOr()))
)


class Mutant(msgspec.Struct, frozen=True):
    """One change of one file."""

    id: str
    """Stands for the statement or function as it is written and for the change: lasts while both do."""
    path: Path
    function: str
    """The outermost function or method, by its qualified name; empty for what runs at import."""
    line: int
    end: int
    before: str
    after: str
    changed: Callable[[], str]
    """Writes the whole changed file, which takes as long as trying it; most are never asked for."""

    @property
    def source(self) -> str:
        """The whole changed file."""
        return self.changed()


def mutants(path: Path, name: str) -> Iterator[Mutant]:
    """Every mutant of the file at `path`, in the file's order; `name` stands for it in their ids."""
    wrapper = MetadataWrapper(cst.parse_module(path.read_text(encoding="utf-8")))
    places = wrapper.resolve(PositionProvider)
    finder = _Finder()
    wrapper.visit(finder)
    seen: Counter[str] = Counter()
    for node, changed, function, anchor in finder.found:
        before, after = (wrapper.module.code_for_node(part).strip() for part in (node, changed))
        anchor_text = wrapper.module.code_for_node(anchor)
        key = f"{name}\0{function}\0{anchor_text}\0{before}\0{after}"
        seen[key] += 1
        place = places[node]
        assert isinstance(place, CodeRange)
        yield Mutant(
            id=hashlib.sha256(f"{key}\0{seen[key]}".encode()).hexdigest()[:10],
            path=path,
            function=function,
            line=place.start.line,
            end=place.end.line,
            before=before,
            after=after,
            changed=partial(_replaced, wrapper.module, node, changed),
        )


def shown(mutant: Mutant) -> str:
    """A mutant as a line: id, place, what was changed into what."""
    before, after = (" ".join(text.split()) for text in (mutant.before, mutant.after))
    at = next(at for at in range(len(before) + 1) if before[: at + 1] != after[: at + 1])
    start = max(0, at - 40)
    changed = " -> ".join(("…" if start else "") + text[start : start + SHOWN] for text in (before, after))
    return f"{mutant.id} {mutant.path.name}:{mutant.line} {mutant.function}: {changed}"


def _replaced(module: cst.Module, node: cst.CSTNode, changed: cst.CSTNode) -> str:
    after = module.deep_replace(node, changed)
    assert isinstance(after, cst.Module)
    return after.code


class _Finder(cst.CSTVisitor):
    """Walks a file and applies every operator to every node that is not left alone."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[cst.CSTNode, cst.CSTNode, str, cst.CSTNode]] = []
        self._names: list[str] = []
        self._function: tuple[str, cst.FunctionDef] | None = None
        self._statement: cst.CSTNode = cst.Module([])

    def on_visit(self, node: cst.CSTNode) -> bool:
        if m.matches(node, LEFT_ALONE):
            return False
        if isinstance(node, cst.ClassDef):
            self._names.append(node.name.value)
            node.body.visit(self)
            self._names.pop()
            return False
        if isinstance(node, cst.FunctionDef) and self._function is None:
            self._enter(node)
            return False
        if isinstance(node, cst.SimpleStatementLine):
            self._statement = node
        self._change(node)
        return True

    def _enter(self, function: cst.FunctionDef) -> None:
        self._statement = function
        function.params.visit(self)
        self._function = (".".join((*self._names, function.name.value)), function)
        function.body.visit(self)
        self._function = None

    def _change(self, node: cst.CSTNode) -> None:
        name, anchor = self._function or (".".join(self._names), self._statement)
        at_import = self._function is None
        for changed in _changes(node):
            if not _gives_up_the_unreachable(node, changed):
                self.found.append((node, changed, "" if at_import else name, anchor))


def _changes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for kind, operator in OPERATORS:
        if isinstance(node, kind):
            yield from operator(node)
    if isinstance(node, cst.SimpleString) and not _is_a_sentence(node):
        quote = node.value[-1]
        yield node.with_changes(value=f"{node.prefix}{quote}XX{node.raw_value}XX{quote}")
    if isinstance(node, cst.Call) and not m.matches(node.func, m.Name("len") | m.Name("isinstance")):
        yield from _with_an_argument_less(node)


def _with_an_argument_less(call: cst.Call) -> Iterator[cst.Call]:
    for index, argument in enumerate(call.args):
        others = [*call.args[:index], *call.args[index + 1 :]]
        if argument.keyword is not None and others:
            yield call.with_changes(args=others)
        elif not (
            argument.star or m.matches(argument.value, m.Name("None")) or _is_a_sentence(argument.value)
        ):
            changed = argument.with_changes(value=cst.Name("None"))
            yield call.with_changes(args=[*call.args[:index], changed, *call.args[index + 1 :]])


def _is_a_sentence(node: cst.CSTNode) -> bool:
    match node:
        case cst.SimpleString():
            return bool(set(" \n") & set(node.raw_value))
        case cst.FormattedString() | cst.ConcatenatedString():
            return True
        case _:
            return False


def _gives_up_the_unreachable(node: cst.CSTNode, changed: cst.CSTNode) -> bool:
    """Whether a `match` only lost the case that types prove impossible."""
    if not isinstance(node, cst.Match) or not isinstance(changed, cst.Match):
        return False
    kept = {id(case) for case in changed.cases}
    lost = next(case for case in node.cases if id(case) not in kept)
    return bool(m.findall(lost, UNREACHABLE))

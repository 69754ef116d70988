"""Reads a shell line with the bash grammar and hands every command that it would run to its judge."""

import re
import time
from collections.abc import Iterator
from functools import lru_cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Tree

from engine.gates.sources.command import expand, redirects
from engine.gates.sources.command.call import Bench, Call, Feed, Scope, TooMuch, base_name, unknown
from engine.gates.sources.command.outputs import output_of
from engine.gates.sources.command.words import Word, literal

_SUBSHELLS = frozenset(("subshell", "command_substitution", "process_substitution"))
_BACKTICKS = re.compile(r"(?<!\\)`((?:[^`\\]|\\.)*)`")
_LOOPS = frozenset(("for_statement", "c_style_for_statement"))
_VALUES = frozenset(
    [
        "word",
        "string",
        "raw_string",
        "ansi_c_string",
        "concatenation",
        "simple_expansion",
        "expansion",
        "number",
        "variable_name",
        "arithmetic_expansion",
        "brace_expression",
        "translated_string",
    ]
)


# The grammar's scanner looks characters up in tables for ASCII and crashes on others; to a shell they are letters.
_LETTERS = bytes(byte if byte < 0x80 else ord("x") for byte in range(256))


MOST_PIPES = 4000
_PIECE = 65_536  # bytes that the parser takes at a time


@lru_cache(maxsize=1)
def _language() -> Language:
    return Language(tree_sitter_bash.language())


def run(bench: Bench, text: str, scope: Scope, stdin: Feed | None) -> None:
    """Judge ``text`` as a shell would run it."""
    data = text.encode("utf-8", "surrogatepass")
    root = _parsed(data.translate(_LETTERS), bench.deadline).root_node
    if root.has_error:
        bench.add([unknown("text that does not parse")])
    _Walk(bench, data).block(root, scope, stdin)


def _parsed(data: bytes, deadline: float) -> Tree:
    """The tree of a text; raises :class:`TooMuch` when it takes too long.

    Recovering from errors takes the square of their number. The parser asks now and then whether it may go on, except
    while it puts a pipeline together: what no hand writes is not begun.
    """
    if data.count(b"|") > MOST_PIPES:
        raise TooMuch
    # A parser of its own for each text: judging goes on in several threads.
    parser = Parser(_language())
    try:
        return parser.parse(
            lambda at, _point: data[at : at + _PIECE],
            progress_callback=lambda _at, _faulty: time.monotonic() > deadline,
        )
    except ValueError as stopped:
        raise TooMuch from stopped


class _Walk:
    """One pass over one parsed text."""

    def __init__(self, bench: Bench, data: bytes) -> None:
        self.bench = bench
        self.expand = expand.Expander(bench, data, self.block)
        self.text = self.expand.source

    def block(self, node: Node, scope: Scope, stdin: Feed | None = None) -> None:
        """Every command below ``node``, in order, in the same shell."""
        for child in node.named_children:
            self.visit(child, scope, stdin)

    def visit(self, node: Node, scope: Scope, stdin: Feed | None = None) -> Feed | None:
        """Judge one statement; the feed is what it would print, when a pipe takes it."""
        self.bench.step()
        kind = node.type
        if kind == "command":
            return self.command(node, scope, stdin)
        if kind == "pipeline":
            return self.pipeline(node, scope, stdin)
        if kind == "redirected_statement":
            return self.redirected(node, scope, stdin)
        if kind in _SUBSHELLS:
            self.block(node, scope.fork(), stdin)
        elif kind == "variable_assignment":
            self.assign(node, scope)
        elif kind in _LOOPS:
            self.loop(node, scope, stdin)
        elif kind == "function_definition":
            self.define(node, scope)
        elif kind in _VALUES or kind == "comment":
            self.expand.words(node, scope)
        else:
            self.block(node, scope, stdin)
        return Feed(None)

    def pipeline(self, node: Node, scope: Scope, stdin: Feed | None) -> Feed | None:
        feed = stdin
        for stage in node.named_children:
            feed = self.visit(stage, scope.fork(), feed)
        return feed

    def command(self, node: Node, scope: Scope, stdin: Feed | None) -> Feed | None:
        name: Word | None = None
        args: list[Word] = []
        env: list[tuple[str, str]] = []
        for child in node.named_children:
            if child.type == "variable_assignment":
                env.append(self._pair(child, scope))
            elif child.type == "command_name":
                words = self.expand.words(child.named_children[0], scope) if child.named_children else []
                name, args = (words[0], words[1:]) if words else (literal(""), [])
            elif child.type == "herestring_redirect":
                stdin = self.herestring(child, scope)
            elif child.type.endswith("_redirect"):
                stdin = self.redirect(child, scope, stdin)
            else:
                args += self.expand.words(child, scope)
        if name is None:
            return Feed(None)
        call = Call(base_name(name.text), tuple(args), scope, stdin, tuple(env), name.text)
        if not name.known and not name.text.startswith("./"):
            self.bench.add([unknown(name.text)])
        self.bench.judge_call(self.bench, call)
        return output_of(call, self.bench.where)

    def _pair(self, node: Node, scope: Scope) -> tuple[str, str]:
        name, words = self._assignment(node, scope)
        return name, " ".join(word.text for word in words)

    def _assignment(self, node: Node, scope: Scope) -> tuple[str, list[Word]]:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is not None and name.type == "subscript":
            self.expand.below(name, scope)
        words: list[Word] = [literal("")]
        if value is not None and value.type == "array":
            words = [word for item in value.named_children for word in self.expand.words(item, scope)]
        elif value is not None:
            words = [self.expand.one(value, scope)]
        return (self.text(name) if name else ""), words

    def assign(self, node: Node, scope: Scope) -> None:
        name, words = self._assignment(node, scope)
        scope.variables[name] = words
        # Alone on its line it holds for all that follows.
        env = ((name, " ".join(word.text for word in words)),)
        self.bench.judge_call(self.bench, Call("", (), scope, None, env))

    def loop(self, node: Node, scope: Scope, stdin: Feed | None) -> None:
        name = node.child_by_field_name("variable")
        values = [w for v in node.children_by_field_name("value") for w in self.expand.words(v, scope)]
        if name is not None and node.type == "for_statement":
            # Every value in one word list: judging the body once covers them all.
            scope.variables[self.text(name)] = values or [Word("$@", known=False)]
        body = node.child_by_field_name("body")
        for child in node.named_children:
            if node.type == "c_style_for_statement" and child != body:
                self.expand.below(child, scope)
        if body is not None:
            self.block(body, scope, stdin)

    def define(self, node: Node, scope: Scope) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            scope.functions[self.text(name)] = self.text(body)
            # Judged where it stands: what is defined here may be called by a name nobody can follow.
            self.block(body, scope.fork())

    def redirected(self, node: Node, scope: Scope, stdin: Feed | None) -> Feed | None:
        body = node.child_by_field_name("body")
        marks = node.children_by_field_name("redirect")
        writes = [mark for mark in marks if self._is_write(mark)]
        for mark in marks:
            if mark not in writes:
                stdin = self.redirect(mark, scope, stdin)
        # The grammar hangs the redirect of a list's last command on the whole list: what it reads is given to all of
        # it, which misses nothing, and what it writes is judged where the list has led (cd x && echo y > z).
        feed = self.visit(body, scope, stdin) if body is not None else None
        for mark in writes:
            self.redirect(mark, scope, stdin, alone=body is None or self._prints_nothing(body))
        for mark in marks:
            if mark.type == "heredoc_redirect":
                self._after_heredoc(mark, scope, stdin if body is None else feed or stdin)
        return feed

    @staticmethod
    def _is_write(mark: Node) -> bool:
        signs = [child.type for child in mark.children if not child.is_named]
        return mark.type == "file_redirect" and not any(sign.startswith("<") and sign != "<>" for sign in signs[:1])

    def _prints_nothing(self, body: Node) -> bool:
        last = body.named_children[-1] if body.type == "list" and body.named_children else body
        return self.text(last).strip() in (":", "true", "cat /dev/null", "echo -n", "printf ''", 'printf ""')

    def _after_heredoc(self, mark: Node, scope: Scope, feed: Feed | None) -> None:
        for child in mark.named_children:
            if child.type in ("pipeline", "command", "list", "redirected_statement"):
                self.visit(child, scope, feed)
            elif child.type == "file_redirect":
                self.redirect(child, scope, None)

    def redirect(self, node: Node, scope: Scope, stdin: Feed | None, *, alone: bool = False) -> Feed | None:
        """Judge one redirect; returns what the command reads after it."""
        if node.type == "herestring_redirect":
            return self.herestring(node, scope)
        if node.type == "heredoc_redirect":
            return self.heredoc(node, scope)
        target = node.child_by_field_name("destination")
        if target is None:
            return stdin
        words = [word for item in node.children_by_field_name("destination") for word in self.expand.words(item, scope)]
        sign = next((c.type for c in node.children if not c.is_named), ">")
        if sign.startswith("<") and sign != "<>":
            return redirects.read(words, scope, self.bench.where)
        self.bench.add(redirects.write(words[:1], sign, scope, self.bench.where, alone=alone))
        return stdin

    def herestring(self, node: Node, scope: Scope) -> Feed:
        words = [word for child in node.named_children for word in self.expand.words(child, scope)]
        return Feed(" ".join(w.text for w in words)) if all(w.known for w in words) else Feed(None)

    def heredoc(self, node: Node, scope: Scope) -> Feed:
        body = next((c for c in node.named_children if c.type == "heredoc_body"), None)
        if body is None:
            return Feed("")
        start = next((self.text(c) for c in node.named_children if c.type == "heredoc_start"), "")
        if any(mark in start for mark in "'\"\\"):
            return Feed(self.text(body))
        for child in self._inner(body):
            self.expand.words(child, scope)
        text = self.text(body)
        if not any(self._inner(body)) and "$(" in text:  # the grammar gives up on some bodies (<<- with tabs)
            self.bench.nested(': "' + text.replace('"', '\\"') + '"', scope.fork())
        for quoted in _BACKTICKS.finditer(self.text(body)):  # the grammar leaves these in a here document as text
            self.bench.nested(quoted.group(1), scope.fork())
        return Feed(self.text(body))

    def _inner(self, body: Node) -> Iterator[Node]:
        return (child for child in body.named_children if child.type in (*_VALUES, "command_substitution"))

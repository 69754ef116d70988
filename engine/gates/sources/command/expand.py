"""What the words of a line expand to, as far as the line tells; substitutions inside are judged on the way."""

from collections.abc import Callable

from tree_sitter import Node

from engine.gates.sources.command.call import Bench, Scope, unknown
from engine.gates.sources.command.words import Word, ansi, braces, has_glob, join, literal, unescape, unescape_double

Block = Callable[[Node, Scope], None]
_PLAIN = frozenset(("word", "number", "variable_name", "brace_expression", "test_operator", "regex", "extglob_pattern"))


class Expander:
    """Turns nodes into words."""

    def __init__(self, bench: Bench, data: bytes, block: Block) -> None:
        self._bench = bench
        self._data = data
        self._block = block

    def source(self, node: Node) -> str:
        """The node's own text."""
        return self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def words(self, node: Node, scope: Scope) -> list[Word]:
        """The words that an argument becomes."""
        if node.type == "simple_expansion" or node.type == "expansion":
            return self._split(node, scope)
        if node.type == "array":
            return [word for child in node.named_children for word in self.words(child, scope)]
        if node.type == "concatenation":
            return [word for whole in self._spread(node, scope) for word in braces(whole)]
        return braces(self.one(node, scope))

    def _spread(self, node: Node, scope: Scope) -> list[Word]:
        """``$files.txt``: one word for each value of a variable with several."""
        whole = [join(self._pieces(node, scope))]
        for child in node.named_children:
            values = scope.variables.get(self._name(child), []) if child.type == "simple_expansion" else []
            if len(values) > 1:
                spare = scope.fork()
                for value in values[1:]:
                    spare.variables[self._name(child)] = [value]
                    whole.append(join(self._pieces(node, spare)))
        return whole

    def _split(self, node: Node, scope: Scope) -> list[Word]:
        values = self._variable(node, scope)
        words: list[Word] = []
        for value in values:
            if value.known and value.text.split() != [value.text]:
                words += [Word(part, glob=has_glob(part), quoted=True, bare=part) for part in value.text.split()]
            else:
                words.append(Word(value.text, value.known, value.glob or has_glob(value.text), True, value.if_empty))
        return words

    def one(self, node: Node, scope: Scope) -> Word:
        """One word, not split."""
        kind = node.type
        text = self.source(node)
        if kind in _PLAIN:
            plain = unescape(text)
            return Word(plain, glob=has_glob(text), quoted="\\" in text, bare=plain)
        if kind == "raw_string":
            return Word(text[1:-1], quoted=True, bare=text[1:-1])
        if kind == "ansi_c_string":
            return Word(ansi(text[2:-1]), quoted=True, bare=ansi(text[2:-1]))
        if kind in ("string", "translated_string"):
            return self._string(node, scope)
        if kind == "concatenation":
            return join(self._pieces(node, scope))
        if kind in ("simple_expansion", "expansion"):
            return self._first(self._variable(node, scope))
        return self._other(node, scope, text)

    @staticmethod
    def _first(values: list[Word]) -> Word:
        return values[0] if values else literal("")

    def _other(self, node: Node, scope: Scope, text: str) -> Word:
        if node.type in ("command_substitution", "process_substitution"):
            return self._substitution(node, scope, text)
        if node.type == "arithmetic_expansion":
            self.below(node, scope)
            return Word("0", known=False, bare="0")
        self.below(node, scope)
        return Word(text, known=not node.named_children, bare=text)

    def below(self, node: Node, scope: Scope) -> None:
        """Judge substitutions hidden anywhere below."""
        for child in node.named_children:
            if child.type in ("command_substitution", "process_substitution"):
                self._substitution(child, scope, "")
            else:
                self.below(child, scope)

    def _substitution(self, node: Node, scope: Scope, text: str) -> Word:
        self._bench.step()
        self._block(node, scope.fork())
        inside = text[2:-1].strip() if text.startswith(("$(", "<(", ">(")) else text.strip("`").strip()
        if node.type == "command_substitution" and scope.cwd:
            if inside == "pwd":
                return Word(scope.cwd, quoted=True, bare=scope.cwd)
            if inside == "git rev-parse --show-toplevel":
                return Word(self._bench.where.project, quoted=True, bare=self._bench.where.project)
        return Word(text, known=False, quoted=True, bare="")

    def _string(self, node: Node, scope: Scope) -> Word:
        start = node.start_byte + (2 if node.type == "translated_string" else 1)
        parts = [Word("", quoted=True)]
        for child in node.named_children:
            if child.type == "string":
                return self._string(child, scope)
            if child.type == "string_content":
                continue
            parts += [self._text(start, child.start_byte), self._quoted(child, scope)]
            start = child.end_byte
        parts.append(self._text(start, node.end_byte - 1))
        return join(parts)

    def _quoted(self, node: Node, scope: Scope) -> Word:
        values = self._variable(node, scope) if node.type in ("simple_expansion", "expansion") else []
        if len(values) > 1:
            text = " ".join(value.text for value in values)
            return Word(text, all(v.known for v in values), quoted=True, bare=text)
        one = values[0] if values else self.one(node, scope)
        return Word(one.text, one.known, False, True, one.if_empty)

    def _text(self, start: int, end: int) -> Word:
        text = unescape_double(self._data[start:end].decode("utf-8", "replace")) if end > start else ""
        return Word(text, quoted=True, bare=text)

    def _pieces(self, node: Node, scope: Scope) -> list[Word]:
        return [self.one(child, scope) for child in node.children]

    def _name(self, node: Node) -> str:
        inner = next((c for c in node.named_children if c.type in ("variable_name", "special_variable_name")), None)
        if inner is None:
            inner = next((c.named_children[0] for c in node.named_children if c.type == "subscript"), None)
        return self.source(inner) if inner is not None else ""

    def _variable(self, node: Node, scope: Scope) -> list[Word]:
        text, name = self.source(node), self._name(node)
        self.below(node, scope)
        if node.type == "expansion" and ("`" in text or "$(" in text) and "command_substitution" not in str(node):
            self._bench.add([unknown(text)])  # the grammar does not look into some expansions
        simple = text.strip("${}") in (name, f"{name}[@]", f"{name}[*]") or node.type == "simple_expansion"
        value = self._value(name, scope)
        if value is not None and simple:
            return value
        if (":-" in text and value is None) or (":=" in text and value is None):
            default = node.named_children[-1] if len(node.named_children) > 1 else None
            if default is not None:
                one = self.one(default, scope)
                return [Word(text, known=False, glob=one.glob, bare=one.if_empty)]
        if value is not None and (":-" in text or ":?" in text):
            return value
        return [Word(text, known=False, bare="")]

    def _value(self, name: str, scope: Scope) -> list[Word] | None:
        if name in scope.variables:
            return scope.variables[name]
        fixed = {"HOME": self._bench.where.home, "PWD": scope.cwd or "", "CONDUIT_HOME": self._bench.where.conduit_home}
        if fixed.get(name):
            return [Word(fixed[name], quoted=True, bare=fixed[name])]
        return None

"""Writes the prefix of a script from what a run recorded: helpers, then a definition for each thing that is missing."""

import ast
import keyword
import re
import string

import _surmise_helpers as helpers

WIDTH = 110
LONG = 70  # characters of a part; a longer one gets a line of its own
NAMES = "StandIn answer SAME Raises Answering base error Awaitable module sys answering here FAILS Arguments".split()
NAMED = ("stand-in", "list", "tuple", "dict", "error", "base")
MANY = 400  # answers in a row that may be written down


class Prefix:
    """`recording` comes from a worker: nothing in it is taken for code that was not checked."""

    def __init__(self, recording, source):
        self.recording = recording
        self.nodes = recording["nodes"]
        self.words = set(re.findall(r"\w+", source))
        self.names = {name: self.free(name if name not in ("sys", "here") else f"_{name}") for name in NAMES}
        self.needs = set()
        self.missing = []
        self.uses = {}
        self.variables = {}
        self.open = set()
        self.lines = []

    def free(self, name):
        while name in self.words:
            name += "_"
        self.words.add(name)
        return name

    def fill(self, text):
        return string.Template(text).substitute(self.names)

    # -- the text ---------------------------------------------------------------------------------------------------

    def text(self):
        """Helpers and definitions."""
        recording = self.recording
        roots = self.roots()
        for reference in roots:
            self.count(reference)
        body = []
        for folder in recording["folders"]:
            self.needs.add("sys")
            body.append(f"{self.names['sys']}.path.append({ascii(folder)})")
        for name in recording["halted"]:
            self.needs.add("sys")
            body.append(f"{self.names['sys']}.modules[{ascii(name)}] = None  # the code copes without it")
        for number in sorted(recording["modules"], key=lambda number: self.nodes[number]["name"]):
            self.define_module(number, body)
        for module, name, reference in recording["placed"]:
            if self.is_name(name):
                value = self.expression(reference)
                self.flush(body)
                body.append(f"__import__({ascii(module)}, fromlist=[{ascii(name)}]).{name} = {value}")
        for failing in recording["failing"]:
            self.define_failing(failing, body)
        if recording["package"]:
            body.append(f"__package__ = {ascii(recording['package'])}")
        for name, (modules, attribute) in recording["imported"].items():
            if all(self.is_name(part) for module in modules for part in module.split(".")) and self.is_name(name):
                wanted = f"from {modules[0]} import {name}"
                body.extend([wanted] if attribute else [f"import {module}" for module in modules])
        for name, text in recording["environment"].items():
            body.append(f"__import__('os').environ.setdefault({ascii(name)}, {ascii(text)})")
        for name, reference in recording["names"].items():
            if self.is_name(name):
                value = self.broken(f"{name} = ", self.pieces(reference))
                self.flush(body)
                body.append(value)
        if recording["parsed"]:
            self.needs.add("sys")
            body.append(f"{self.names['sys']}.argv[1:] = {ascii(recording['parsed'])}")
        if recording["arguments"]:
            self.needs |= {"Arguments", "sys"}
        return self.helpers() + "".join(line + "\n" for line in body)

    def roots(self):
        recording = self.recording
        roots = list(recording["modules"]) + list(recording["names"].values())
        roots += [reference for _module, _name, reference in recording["placed"]]
        return roots + [answer for failing in recording["failing"] for answer in failing["answers"]]

    def flush(self, body):
        """The variables that an expression needs come before it."""
        body.extend(self.lines)
        self.lines.clear()

    def define_module(self, number, body):
        node = self.nodes[number]
        self.needs |= {"module", "sys"}
        name = node["name"]
        value = self.broken("", self.module_call(node))
        self.flush(body)
        body.append(value)
        parent, _, last = name.rpartition(".")
        modules = {self.nodes[other]["name"] for other in self.recording["modules"]}
        if parent in modules and last.isidentifier():
            sys = self.names["sys"]
            body.append(f"{sys}.modules[{ascii(parent)}].{last} = {sys}.modules[{ascii(name)}]")

    def module_call(self, node):
        modules = {self.nodes[number]["name"] for number in self.recording["modules"]}
        own = {key: value for key, value in node["attributes"].items() if f"{node['name']}.{key}" not in modules}
        return (f"{self.names['module']}(", [ascii(node["name"]), *self.keywords(own)], ")")

    def define_failing(self, failing, body):
        name, answers = failing["name"], failing["answers"]
        if not self.is_name(name) or not failing["modules"]:
            return
        self.needs |= {"answering", "sys"}
        values = [self.names["FAILS"] if answer is None else self.expression(answer) for answer in answers]
        self.flush(body)
        holders = [f"__import__({ascii(module)}, fromlist=['*']).{name}" for module in failing["modules"]]
        targets = " = ".join(holders)
        body.append(f"{targets} = {self.names['answering']}({holders[0]}, [{', '.join(values)}])")

    def is_name(self, name):
        good = name.isidentifier() and not keyword.iskeyword(name)
        if not good:
            self.missing.append(f"`{name}`")
        return good

    # -- expressions ------------------------------------------------------------------------------------------------

    def count(self, reference):
        """How often each node is used: those used again get a variable."""
        pending = [reference]
        while pending:
            number = pending.pop()
            if isinstance(number, int):
                self.uses[number] = self.uses.get(number, 0) + 1
                if self.uses[number] == 1:
                    pending.extend(self.parts(self.nodes[number]))

    def parts(self, node):
        kind = node["kind"]
        if kind in ("list", "tuple", "set"):
            return node["items"]
        if kind == "dict":
            return [part for pair in node["pairs"] + node["answers"] for part in pair]
        if kind == "awaitable":
            return [node["value"]]
        parts = list(node.get("attributes", {}).values())
        if kind == "stand-in":
            for operation, answers in node["answers"].items():
                node["answers"][operation] = answers = self.without_repeats(answers)
                parts += answers
        return parts

    def without_repeats(self, answers):
        """The last answer is given again and again: repeats at the end need not be written."""
        alike = [self.content(answer) for answer in answers]
        end = len(alike)
        while end > 1 and alike[end - 2] == alike[-1]:
            end -= 1
        return answers[:end]

    def content(self, reference):
        """Lists of the same elements are the same answer to an iteration."""
        if isinstance(reference, int) and self.nodes[reference]["kind"] == "list":
            items = self.nodes[reference]["items"]
            return ("list", *items) if all(isinstance(item, int) for item in items) else reference
        return reference

    def expression(self, reference):
        """The value in one line."""
        opening, parts, closing = pieces = self.pieces(reference)
        text = opening + ", ".join(parts) + closing
        if len(text) > LONG and isinstance(reference, int) and self.nodes[reference]["kind"] in NAMED:
            return self.variable(reference, pieces)
        return text

    def variable(self, reference, pieces):
        """Defines the value in front of where it is used."""
        node = self.nodes[reference]
        name = re.sub(r"\W+", "_", node.get("name", node["kind"])).strip("_").lower()[:30].rstrip("_")
        name = self.variables[reference] = self.free(f"_{name}")
        self.lines.append(self.broken(f"{name} = ", pieces))
        return name

    def pieces(self, reference):
        """(text before, parts, text after): how a value is written, in one line or in several."""
        if not isinstance(reference, int):
            return (self.literal(reference), [], "")
        if reference in self.variables:
            return (self.variables[reference], [], "")
        if reference in self.open:
            self.missing.append("a value that holds itself")
            return ("None", [], "")
        self.open.add(reference)
        pieces = self.of_node(reference, self.nodes[reference])
        self.open.discard(reference)
        node = self.nodes[reference]
        if self.uses.get(reference, 0) > 1 and node["kind"] not in ("raises", "same", "opaque"):
            return (self.variable(reference, pieces), [], "")
        return pieces

    def literal(self, text):
        if text in ("inf", "-inf", "nan"):
            return f"float({text!r})"
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            self.missing.append("a value that has no literal")
            return "None"
        return ascii(value)

    def keywords(self, attributes):
        plain, odd = [], []
        for name, reference in attributes.items():
            good = name.isidentifier() and not keyword.iskeyword(name)
            (plain if good else odd).append((name, self.expression(reference)))
        parts = [f"{name}={value}" for name, value in plain]
        if odd:
            parts.append("**{" + ", ".join(f"{ascii(name)}: {value}" for name, value in odd) + "}")
        return parts

    def of_node(self, number, node):
        kind, names = node["kind"], self.names
        if kind in ("stand-in", "error", "base"):
            return self.of_stand_in(kind, node)
        if kind == "module":
            self.needs.add("sys")
            return (f"{names['sys']}.modules[{ascii(node['name'])}]", [], "")
        if kind in ("list", "tuple", "set"):
            items = [self.expression(item) for item in node["items"]]
            if kind == "list":
                return ("[", items, "]")
            if kind == "set":
                return ("{", items, "}") if items else ("set()", [], "")
            return ("(", items, ",)" if len(items) == 1 else ")")
        if kind == "dict":
            pairs, answers = (
                [f"{self.expression(key)}: {self.expression(value)}" for key, value in node[part]]
                for part in ("pairs", "answers")
            )
            if not answers:
                return ("{", pairs, "}")
            self.needs.add("Answering")
            return (f"{names['Answering']}({{{', '.join(pairs)}}}, {{", answers, "})")
        if kind == "awaitable":
            self.needs.add("Awaitable")
            return (f"{names['Awaitable']}({self.expression(node['value'])})", [], "")
        if kind == "found" and (not node["name"] or self.is_name(node["name"])):
            module = f"__import__({ascii(node['module'])}, fromlist=['*'])"
            plain = node["name"] if node["module"] == "builtins" else f"{module}.{node['name']}"
            return (plain if node["name"] else module, [], "")
        if kind == "compatible" and node["name"] in helpers.COMPATIBLE:
            return (f"({helpers.COMPATIBLE[node['name']]})", [], "")
        if kind == "same":
            self.needs.add("SAME")
            return (names["SAME"], [], "")
        if kind == "raises" and re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", node["error"]):
            self.needs.add("Raises")
            try:
                arguments = ast.literal_eval(f"({node['arguments']},)") if node["arguments"] else ()
            except (ValueError, SyntaxError):
                arguments = ()
            given = ", ".join(ascii(argument) for argument in arguments)
            return (f"{names['Raises']}(lambda: {node['error']}({given}))", [], "")
        self.missing.append("a real object as an answer")
        return ("None", [], "")

    def of_stand_in(self, kind, node):
        names, name = self.names, ascii(node["name"])
        attributes = self.keywords(node["attributes"])
        if kind != "stand-in":
            self.needs.add(kind)
            if kind == "base" and node["busy"]:
                self.needs.add("busy")
            left = set(node.get("answers", ())) - {"call", "mro_entries", "instancecheck", "subclasscheck"}
            if left:
                self.missing.append(f"operations on the exception class `{node['name']}`")
            return (f"{names[kind]}(", [name, *attributes], ")")
        self.needs.add("StandIn")
        answers = []
        for operation, given in node["answers"].items():
            if len(given) > MANY:
                self.missing.append(f"more than {MANY} answers of `{node['name']}`")
            answers.append(f"{ascii(operation)}: {self.sequence(given[:MANY])}")
        parts = ["{" + ", ".join(answers) + "}"] if answers else []
        return (f"{names['StandIn']}(", [name, *parts, *attributes], ")")

    def sequence(self, given):
        """A list; runs of the same constant are written as a product."""
        runs = []
        for reference in given:
            if runs and not isinstance(reference, int) and runs[-1][0] == reference:
                runs[-1][1] += 1
            else:
                runs.append([reference, 1])
        if all(count < 4 for _, count in runs):
            return "[" + ", ".join(self.expression(reference) for reference in given) + "]"
        texts = [f"[{self.expression(reference)}]" + (f" * {count}" if count > 1 else "") for reference, count in runs]
        return " + ".join(texts)

    def broken(self, head, pieces):
        """One line, or a line for each part."""
        opening, parts, closing = pieces
        line = head + opening + ", ".join(parts) + closing
        if len(line) <= WIDTH or not parts:
            return line
        return "\n".join([head + opening, *(f"    {part}," for part in parts), closing.lstrip(",")])

    # -- helpers ----------------------------------------------------------------------------------------------------

    def helpers(self):
        needs, parts = self.needs, []
        if "StandIn" in needs:
            answer = helpers.ANSWER
            answer += helpers.ANSWER_SAME if "SAME" in needs else ""
            answer += helpers.ANSWER_RAISES if "Raises" in needs else ""
            methods = [helpers.method(operation) for operation in self.operations()]
            if "class" in self.recording["used"]:
                needs.add("sys")
            parts += [helpers.STAND_IN + "".join("\n" + method for method in methods), answer + helpers.ANSWER_END]
        for name, text in [("Raises", helpers.RAISES), ("Answering", helpers.DICT), ("Awaitable", helpers.AWAITABLE)]:
            parts += [text] if name in needs else []
        if "base" in needs:
            head, last = helpers.BASE.rsplit("    return", 1)
            parts.append(head + (helpers.BUSY_BASE if "busy" in needs else "") + "    return" + last)
        for name, text in [("error", helpers.ERROR), ("module", helpers.MODULE), ("answering", helpers.FAILING)]:
            parts += [text] if name in needs else []
        parts += [helpers.SAME] if "SAME" in needs else []
        parts += [helpers.ARGUMENTS] if "Arguments" in needs else []
        head = f"import sys as {self.names['sys']}\n\n\n" if "sys" in needs else ""
        gap = "\n\n"
        return head + "".join(self.fill(part) + gap for part in parts)

    def operations(self):
        """The operations that stand-ins of this script are asked for."""
        used = [operation for operation in self.recording["used"] if operation != "call"]
        return [operation for operation in used if operation.isidentifier()]

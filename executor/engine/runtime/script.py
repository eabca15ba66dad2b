"""Puts the definitions that a snippet needs in front of it, through LibCST. Runs no code of the snippet."""

import json
import sys
import warnings

import _surmise_prefix


def load(folders):
    """LibCST, from the user's own environment or one of the folders."""
    import os
    import site

    environment = os.environ.get("VIRTUAL_ENV")
    if environment:
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        site.addsitedir(os.path.join(environment, "lib", version, "site-packages"))
    sys.path[:0] = folders
    import libcst.native  # the parser; one that is built for another Python is not found

    return libcst


def import_early():
    """Most have it where Python looks anyway: then it is there when the request comes."""
    try:
        load([])
    except Exception:
        return  # the request may name the folder it is in


def main(request):
    """From a request to an answer, both JSON. Bytes travel as Latin-1 text."""
    request = json.loads(request)
    try:
        libcst = load(request["python_path"])
    except Exception as error:
        return json.dumps({"no_libcst": f"{type(error).__name__}: {error}"})
    source = request["source"].encode("latin-1")
    if "guard" in request:
        return json.dumps(guarded(libcst, source, request["guard"]))
    missing = list(request["missing"])
    recording = request["recording"]
    missing += [f"line {line}: {what}" if line else what for line, what in recording["missing"]]
    problem = syntax_error(source)
    if problem:
        missing.append(f"the snippet is no valid Python: {problem}")
    prefix = _surmise_prefix.Prefix(recording, source.decode("utf-8", "replace"))
    definitions = prefix.text()
    missing += dict.fromkeys(prefix.missing)
    try:
        module = libcst.parse_module(source)
        place = Place(libcst, module)
    except (libcst.ParserSyntaxError, UnicodeError, RecursionError, LookupError):
        module = place = None
    if place is not None and place.shared:
        missing.append("the first line holds more than a docstring or a __future__ import")
    text = header(request, missing) + definitions + f"\n# {'-' * 20} {printable(request['name'])}, untouched\n"
    try:
        script = by_tree(libcst, module, place, text, source) if module is not None else None
    except RecursionError:
        script = None
    if script is None:
        script = by_lines(source, text)
    return json.dumps({"written": {"script": script.decode("latin-1"), "missing": missing}})


def guarded(libcst, source, guard):
    """The source with the statements of some lines put under an `if`; formatting and comments stay."""
    from libcst.metadata import MetadataWrapper, PositionProvider

    class Guarding(libcst.CSTTransformer):
        METADATA_DEPENDENCIES = (PositionProvider,)
        done = False

        def leave_IndentedBlock(self, original_node, updated_node):  # noqa: N802 (LibCST calls it)
            places = [self.get_metadata(PositionProvider, statement) for statement in original_node.body]
            inside = [
                at
                for at, place in enumerate(places)
                if guard["line"] <= place.start.line and place.end.line <= guard["end_line"]
            ]
            if self.done or not inside or places[inside[0]].start.line != guard["line"]:
                return updated_node
            self.done = True
            first, last = inside[0], inside[-1]
            body = list(updated_node.body)
            statements = body[first : last + 1]
            leading = statements[0].leading_lines
            statements[0] = statements[0].with_changes(leading_lines=[])
            test = libcst.parse_expression(guard["condition"])
            block = libcst.If(test=test, body=libcst.IndentedBlock(body=statements), leading_lines=leading)
            return updated_node.with_changes(body=[*body[:first], block, *body[last + 1 :]])

    try:
        guarding = Guarding()
        changed = MetadataWrapper(libcst.parse_module(source)).visit(guarding)
    except (libcst.ParserSyntaxError, UnicodeError, RecursionError, LookupError) as error:
        return {"refused": f"{type(error).__name__}: {error}"}
    if not guarding.done:
        return {"refused": "no statement begins at the line"}
    return {"guarded": changed.bytes.decode("latin-1")}


def syntax_error(source):
    """What CPython says of the source, or None. Compiling runs nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<snippet>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return printable(str(error))
    return None


def printable(text):
    return ascii(str(text))[1:-1]


def header(request, missing):
    lines = [
        f"# Written by `{printable(request['command'])}`.",
        "# What follows defines what the snippet misses, as it was in the run that reached most of it.",
    ]
    if missing:
        lines.append("# Not reproduced here, because definitions in front of the snippet cannot express it:")
        lines += [f"# - {printable(what)}" for what in missing]
    return "\n".join(lines) + "\n\n"


class Place:
    """Where definitions may come first: after the docstring and imports from `__future__`."""

    def __init__(self, libcst, module):
        self.index, self.shared = 0, False
        for number, statement in enumerate(module.body):
            if not isinstance(statement, libcst.SimpleStatementLine):
                break
            first, *others = statement.body
            docstring = number == 0 and isinstance(first, libcst.Expr) and is_text(libcst, first.value)
            future = is_future(libcst, first)
            if not docstring and not future:
                break
            self.index = number + 1
            if any(not is_future(libcst, other) for other in others):
                self.shared = True


def is_text(libcst, value):
    if isinstance(value, libcst.ConcatenatedString):
        return is_text(libcst, value.left) and is_text(libcst, value.right)
    return isinstance(value, libcst.SimpleString) and "b" not in value.prefix.lower()


def is_future(libcst, statement):
    if not isinstance(statement, libcst.ImportFrom) or statement.relative:
        return False
    return isinstance(statement.module, libcst.Name) and statement.module.value == "__future__"


def by_tree(libcst, module, place, text, source):
    """The source with the text put in; None if that changes any byte of the source."""
    newline = module.default_newline
    text = text.replace("\n", newline)
    before, after = list(module.body[: place.index]), list(module.body[place.index :])
    added = libcst.parse_module(text, config=module.config_for_parsing)
    statements = list(added.body)
    footer = list(added.footer)
    if statements:
        statements[0] = statements[0].with_changes(leading_lines=[*added.header, *statements[0].leading_lines])
    else:
        footer = [*added.header, *footer]
    header = list(module.header)
    if place.index == 0:
        # Comments in front of the first statement stay at the top: a coding cookie is one of them.
        if statements:
            head, *rest = statements
            head = head.with_changes(leading_lines=[libcst.EmptyLine(indent=False), *head.leading_lines])
            statements = [head, *rest]
    new = module
    if after:
        first = after[0].with_changes(leading_lines=[*footer, *after[0].leading_lines])
        new = module.with_changes(header=header, body=[*before, *statements, first, *after[1:]])
    else:
        new = module.with_changes(body=[*before, *statements], footer=[*footer, *module.footer])
    mark = b"\xef\xbb\xbf"
    script = new.bytes
    if source.startswith(mark) and not script.startswith(mark):
        script = mark + script
    inserted = len(script) - len(source)
    at = next((at for at, pair in enumerate(zip(script, source)) if pair[0] != pair[1]), len(source))
    for start in range(at, max(-1, at - 200), -1):
        if script[:start] == source[:start] and script[start + inserted :] == source[start:]:
            return script
    return None


def by_lines(source, text):
    """For what LibCST does not take: after the comments at the top."""
    lines = source.splitlines(keepends=True)
    at = 0
    for line in lines[:2]:
        if not line.lstrip(b"\xef\xbb\xbf \t").startswith(b"#"):
            break
        at += len(line)
    if at == 0 and source.startswith(b"\xef\xbb\xbf"):
        at = 3
    newline = b"\r\n" if lines and lines[0].endswith(b"\r\n") else b"\n"
    head = source[:at] + (newline if at > 3 and not source[:at].endswith((b"\n", b"\r")) else b"")
    return head + text.encode("ascii", "replace").replace(b"\n", newline) + source[at:]

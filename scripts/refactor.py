"""LibCST codemods that do what commits do that only refactor: extract functions and constants, turn conditions round, nest
them, and write loops for comprehensions."""

import libcst as cst
from libcst import matchers
from libcst.codemod import VisitorBasedCodemodCommand
from libcst.metadata import (
    BuiltinScope,
    ComprehensionScope,
    FunctionScope,
    GlobalScope,
    ParentNodeProvider,
    PositionProvider,
    ScopeProvider,
)
from rename_locals import READS_NAMES

MOST_LOCALS = 5  # parameters of a function that is extracted
SHORT = 3  # characters of a text that is worth a name


def new_name(stem, node, provider):
    """A name that the place of a node makes unique."""
    place = provider.start
    return f"_{stem}_{place.line}_{place.column}"


class Extracting(VisitorBasedCodemodCommand):
    """What moves code out of functions, to the level of the module."""

    METADATA_DEPENDENCIES = (ScopeProvider, PositionProvider, ParentNodeProvider)

    def __init__(self, context):
        super().__init__(context)
        self.functions = []
        self.moved = []

    def visit_FunctionDef(self, node):
        self.functions.append(node)

    def leave_FunctionDef(self, original_node, updated_node):
        self.functions.pop()
        return updated_node

    def position(self, node):
        return self.get_metadata(PositionProvider, node)

    def scope(self, node):
        return self.get_metadata(ScopeProvider, node, None)


class ExtractFunction(Extracting):
    """The value of a `return` becomes a function of the module with the locals that it reads as parameters."""

    def leave_Return(self, original_node, updated_node):
        value = original_node.value
        simple = (cst.Name, cst.SimpleString, cst.Integer, cst.Float)
        if len(self.functions) != 1 or value is None or isinstance(value, simple):
            return updated_node
        banned = (
            matchers.Await() | matchers.Yield() | matchers.Lambda() | matchers.NamedExpr() | matchers.StarredElement()
        )
        inner = matchers.ListComp() | matchers.GeneratorExp() | matchers.SetComp() | matchers.DictComp()
        if matchers.findall(value, banned | inner):
            return updated_node
        locals_ = []
        for name in matchers.findall(value, matchers.Name()):
            parent = self.get_metadata(ParentNodeProvider, name)
            if (
                isinstance(parent, cst.Attribute)
                and parent.attr is name
                or isinstance(parent, cst.Arg)
                and parent.keyword is name
            ):
                continue
            if name.value in READS_NAMES | {"super", "__class__"} or name.value.startswith("__"):
                return updated_node
            scope = self.scope(name)
            found = {assignment.scope for assignment in scope[name.value]} if scope is not None else set()
            if not found or all(isinstance(one, BuiltinScope) for one in found):
                continue
            if all(isinstance(one, GlobalScope) for one in found):
                continue
            if not all(isinstance(one, FunctionScope) for one in found):
                return updated_node
            if name.value not in locals_:
                locals_.append(name.value)
        private = matchers.findall(value, matchers.Attribute(attr=matchers.Name(matchers.MatchRegex(r"__.*[^_]_?"))))
        if private or not locals_ or len(locals_) > MOST_LOCALS:
            return updated_node
        name = new_name("result_of", original_node, self.position(original_node))
        parameters = [cst.Param(cst.Name(one)) for one in locals_]
        body = cst.IndentedBlock([cst.SimpleStatementLine([cst.Return(value)])])
        self.moved.append(cst.FunctionDef(cst.Name(name), cst.Parameters(parameters), body))
        call = cst.Call(cst.Name(name), [cst.Arg(cst.Name(one)) for one in locals_])
        return updated_node.with_changes(value=call, whitespace_after_return=cst.SimpleWhitespace(" "))

    def leave_Module(self, original_node, updated_node):
        return updated_node.with_changes(body=[*updated_node.body, *self.moved])


class ExtractConstant(Extracting):
    """A text that is compared with, or an argument, becomes a constant of the module."""

    def leave_SimpleString(self, original_node, updated_node):
        parent = self.get_metadata(ParentNodeProvider, original_node)
        is_value = isinstance(parent, (cst.Arg, cst.Comparison, cst.ComparisonTarget))
        if not self.functions or not is_value or len(original_node.raw_value) < SHORT or "\n" in original_node.value:
            return updated_node
        scope = self.scope(original_node)
        if scope is None or not isinstance(scope, (FunctionScope, ComprehensionScope)):
            return updated_node
        name = new_name("TEXT", original_node, self.position(original_node))
        target = cst.AssignTarget(cst.Name(name))
        self.moved.append(cst.SimpleStatementLine([cst.Assign([target], original_node)]))
        return cst.Name(name)

    def leave_Module(self, original_node, updated_node):
        return updated_node.with_changes(body=[*updated_node.body, *self.moved])


class TurnConditions(VisitorBasedCodemodCommand):
    """In functions, `if a: x else: y` becomes `if not a: y else: x`, and `if a and b: x` two statements."""

    def __init__(self, context):
        super().__init__(context)
        self.depth = 0

    def visit_FunctionDef(self, node):
        self.depth += 1

    def leave_FunctionDef(self, original_node, updated_node):
        self.depth -= 1
        return updated_node

    def leave_If(self, original_node, updated_node):
        if not self.depth:
            return updated_node
        if isinstance(updated_node.orelse, cst.Else) and isinstance(updated_node.body, cst.IndentedBlock):
            turned = cst.UnaryOperation(cst.Not(), parenthesized(updated_node.test))
            body, other = updated_node.body, updated_node.orelse.body
            orelse = updated_node.orelse.with_changes(body=body)
            return updated_node.with_changes(
                test=turned, body=other, orelse=orelse, whitespace_before_test=cst.SimpleWhitespace(" ")
            )
        is_and = isinstance(updated_node.test, cst.BooleanOperation) and isinstance(updated_node.test.operator, cst.And)
        if updated_node.orelse is None and is_and and isinstance(updated_node.body, cst.IndentedBlock):
            left, right = updated_node.test.left, updated_node.test.right
            inner = cst.If(test=parenthesized(right), body=updated_node.body)
            return updated_node.with_changes(
                test=parenthesized(left),
                body=cst.IndentedBlock([inner]),
                whitespace_before_test=cst.SimpleWhitespace(" "),
            )
        return updated_node


def parenthesized(expression):
    return expression.with_changes(lpar=[cst.LeftParen(), *expression.lpar], rpar=[*expression.rpar, cst.RightParen()])


class WriteLoops(VisitorBasedCodemodCommand):
    """`x = [e for y in z if c]` becomes a loop that appends."""

    METADATA_DEPENDENCIES = (ScopeProvider,)

    def leave_SimpleStatementLine(self, original_node, updated_node):
        pattern = matchers.Assign(
            targets=[matchers.AssignTarget(target=matchers.Name())],
            value=matchers.ListComp(
                for_in=matchers.CompFor(target=matchers.Name(), inner_for_in=None, asynchronous=None)
            ),
        )
        scope = self.get_metadata(ScopeProvider, original_node.body[0], None)
        if len(updated_node.body) != 1 or not matchers.matches(updated_node.body[0], pattern):
            return updated_node
        assignment = updated_node.body[0]
        name, comprehension = assignment.targets[0].target.value, assignment.value
        loop = comprehension.for_in
        variable = loop.target.value
        inner = matchers.ListComp() | matchers.GeneratorExp() | matchers.SetComp() | matchers.DictComp()
        inner |= matchers.Lambda() | matchers.NamedExpr()
        names = [one.value for one in matchers.findall(comprehension, matchers.Name())]
        # The list under its own name would be read while it is made, and the variable would outlive the loop.
        if not isinstance(scope, FunctionScope) or name in names or variable in scope:
            return updated_node
        if matchers.findall(comprehension.elt, inner) or any(matchers.findall(one, inner) for one in loop.ifs):
            return updated_node
        if matchers.findall(loop.iter, inner):
            return updated_node
        append = cst.Expr(cst.Call(cst.Attribute(cst.Name(name), cst.Name("append")), [cst.Arg(comprehension.elt)]))
        body = cst.IndentedBlock([cst.SimpleStatementLine([append])])
        for condition in reversed(loop.ifs):
            body = cst.IndentedBlock([cst.If(test=parenthesized(condition.test), body=body)])
        empty = cst.SimpleStatementLine([assignment.with_changes(value=cst.List([]))])
        empty = empty.with_changes(leading_lines=updated_node.leading_lines)
        return cst.FlattenSentinel([empty, cst.For(target=cst.Name(variable), iter=loop.iter, body=body)])


REFACTORINGS = (ExtractFunction, ExtractConstant, TurnConditions, WriteLoops)

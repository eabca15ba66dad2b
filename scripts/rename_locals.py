"""A LibCST codemod that gives the local variables of functions other names."""

import libcst as cst
from libcst import matchers
from libcst.codemod import VisitorBasedCodemodCommand
from libcst.metadata import ExpressionContextProvider, FunctionScope, ScopeProvider

# What reads the names of locals, or binds a name in a way that has no `Name` to rename.
READS_NAMES = {"locals", "vars", "eval", "exec", "globals", "dir"}


class RenameLocals(VisitorBasedCodemodCommand):
    """Renames locals that are bound by assignments and loops of one function and read there only."""

    METADATA_DEPENDENCIES = (ScopeProvider, ExpressionContextProvider)

    def __init__(self, context):
        super().__init__(context)
        self.renamed = {}

    def visit_FunctionDef(self, node):
        scope = self.get_metadata(ScopeProvider, node.body)
        if not isinstance(scope, FunctionScope):
            return
        calls = matchers.findall(node, matchers.Call(func=matchers.Name()))
        if any(call.func.value in READS_NAMES for call in calls):
            return
        taken = {name.value for name in matchers.findall(node, matchers.Name())}
        for name in {assignment.name for assignment in scope.assignments}:
            found = list(scope[name])
            if name.startswith("_") or f"{name}_value" in taken:
                continue
            places = [getattr(assignment, "node", None) for assignment in found]
            uses = [access.node for assignment in found for access in assignment.references]
            own = all(access.scope is scope for assignment in found for access in assignment.references)
            plain = all(assignment.scope is scope for assignment in found)
            if own and plain and all(isinstance(place, cst.Name) for place in [*places, *uses]):
                for place in [*places, *uses]:
                    self.renamed[place] = f"{name}_value"

    def leave_Name(self, original_node, updated_node):
        if new := self.renamed.get(original_node):
            return updated_node.with_changes(value=new)
        return updated_node

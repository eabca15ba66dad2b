# Empties what everything is built on.
# outcome: completed | error | killed
# coverage: any
import builtins, sys
sys.modules.clear()
vars(builtins).clear()
missing.call()

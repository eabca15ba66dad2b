"""Uncaught NameError for a free variable not yet bound."""


def machine(states):
    def step(state):
        print("step", state)
        return table[state] + offset

    table = {s: i for i, s in enumerate(states)}
    print(sorted(table))
    result = [step(s) for s in states if s != "idle"]
    offset = 1
    return result


machine(["idle", "run"])

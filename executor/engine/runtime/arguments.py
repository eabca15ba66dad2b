"""Arguments that make an `argparse` parser content."""

LEFT_OUT = ("_HelpAction", "_VersionAction")
OPTIONS = 20  # that a search may choose


def arguments_of(parser, is_chosen):
    """[(destination, texts)]: what the parser requires, and of its options those for which `is_chosen` is true."""
    positional, options, commands = [], [], []
    required = {
        id(group._group_actions[0])
        for group in parser._mutually_exclusive_groups
        if group.required and group._group_actions
    }
    left = OPTIONS
    for action in parser._actions:
        if type(action).__name__ in LEFT_OUT:
            continue
        if action.option_strings:
            wanted = action.required or id(action) in required
            if not wanted and left:
                left -= 1
                wanted = is_chosen(action.dest)
            if wanted:
                options.append((action.dest, [action.option_strings[-1], *values_of(action, 1)]))
        elif isinstance(action.choices, dict) and hasattr(action, "_name_parser_map"):
            if action.choices:
                name, command = next(iter(action.choices.items()))
                commands += [(action.dest, [name]), *arguments_of(command, is_chosen)]
        else:
            positional.append((action.dest, values_of(action, 0)))
    return positional + options + commands


def values_of(action, optional):
    """Texts for an action; `optional` is how many it gets if it would do without."""
    count = action.nargs
    if count is None or count == "+":
        count = 1
    elif type(count) is not int:
        count = optional
    return [text_of(action)] * count


def text_of(action):
    for choice in action.choices or ():
        return str(choice)
    return "1"

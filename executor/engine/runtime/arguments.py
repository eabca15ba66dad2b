"""Arguments that make an `argparse` parser content."""

LEFT_OUT = ("_HelpAction", "_VersionAction")
OPTIONS = 20  # that a search may choose


def arguments_of(parser, is_chosen, text_of):
    """[(destination, texts)]: what the parser requires, and of its options those for which `is_chosen` is true.

    `text_of(destination, usual)` is asked for each text; where only some are allowed, any other stands for one of them.
    """
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
                options.append((action.dest, [action.option_strings[-1], *values_of(action, 1, text_of)]))
        elif isinstance(action.choices, dict) and hasattr(action, "_name_parser_map"):
            if action.choices:
                name = allowed(action, text_of(action.dest, next(iter(action.choices))))
                commands += [(action.dest, [name]), *arguments_of(action.choices[name], is_chosen, text_of)]
        else:
            positional.append((action.dest, values_of(action, 0, text_of)))
    return positional + options + commands


def values_of(action, optional, text_of):
    """Texts for an action; `optional` is how many it gets if it would do without."""
    count = action.nargs
    if count is None or count == "+":
        count = 1
    elif type(count) is not int:
        count = optional
    if count == 0:
        return []
    usual = next((str(choice) for choice in action.choices or ()), "1")
    return [allowed(action, text_of(action.dest, usual))] * count


def allowed(action, text):
    """The text, or what the action takes in its place."""
    choices = [str(choice) for choice in action.choices or ()]
    if text in choices:
        return text
    if choices:
        return choices[-1] if text == "1" else choices[len(choices) // 2]
    if action.type in (int, float):
        try:
            action.type(text)
        except ValueError:
            return "2"
    return text

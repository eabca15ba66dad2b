"""Content of what is not there: lines of files, tables of `csv` and standard input, rows of databases."""

from _surmise_samples import is_file, sample_of, text_file

LINES = ["1,1\n"] * 2
NUMBERS = ["1\n"] * 2


def lines_for(answers, value):
    """What a builtin function or a library reads of a stand-in (`csv.reader(file)`); None for what the program itself
    iterates, and for stand-ins in place of something else."""
    instruction = answers.frames.calling_instruction()
    if instruction and not instruction.startswith("CALL"):
        return None
    frame = answers.frames.innermost_of_file()
    table = answers.native.table(frame.f_lineno) if frame is not None else None
    if table and sample_of(value) is None:
        return table
    return lines_of_file(value, table or LINES) if table or instruction else None


def lines_of_file(value, lines):
    """The lines, of the type that the file has which a stand-in is in place of; None for other stand-ins."""
    sample = sample_of(value)
    file = sample() if sample is not None else None
    if file is None or not is_file(file) or file.closed or not file.readable():
        return None
    return lines if hasattr(file, "encoding") else [line.encode() for line in lines]


def give_rows(answers, cursor, arguments, result):
    """Lets a cursor of `sqlite3` whose query failed give rows: as many as the result of the query would have."""
    statement = arguments[0] if arguments else None
    is_query = type(statement) is str and statement.lstrip().lower().startswith(("select", "with"))
    if type(cursor).__name__ != "Cursor" or not is_query:
        return
    count = answers.iteration_length(result)
    if count:
        cursor.row_factory = lambda _cursor, row: answers.element_at(result, row[0])
        cursor.execute("values " + ", ".join(f"({number})" for number in range(count)))


def input_file(answers):
    """A file in place of the standard input that nobody gave."""
    value = answers.fresh("sys.stdin")
    value._surmise_state.sample = text_file
    value._surmise_state.attributes.update(fileno=no_descriptor, isatty=bool)
    return value


def reader(answers, value):
    """`readline` of the standard input that nobody gave, for library code."""
    answers.report(value, "lines", repr(NUMBERS))
    left = iter(NUMBERS)
    return lambda *_size: next(left, "")


def no_descriptor():
    """`fileno` of a file that is none of the system's."""
    import io

    raise io.UnsupportedOperation("fileno")


def no_more_input():
    """`readline` at the end of standard input, as `input()` shows it."""
    raise EOFError("EOF when reading a line")

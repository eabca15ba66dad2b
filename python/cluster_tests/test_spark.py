"""`surmise.spark`: the function that `DataFrame.mapInPandas` calls, with the frames that it passes."""

import pandas
import pytest
import surmise
import surmise.batches
import surmise.spark


class Frame:
    """What of a Spark data frame the schema needs."""

    dtypes = (("id", "bigint"), ("code", "string"))


def test_batches_get_the_columns_of_results():
    work = surmise.spark.in_pandas(runs=2, settings=False)
    batches = [pandas.DataFrame({"id": [1, 2], "code": ["x", "1 / 0"]}), pandas.DataFrame({"id": [3], "code": [None]})]
    first, second = work(iter(batches))
    assert list(first.columns) == ["id", "code", *surmise.batches.COLUMNS]
    assert list(first["outcome"]) == ["completed", "error"] and list(first["error"])[1] == "ZeroDivisionError"
    assert list(second["problem"]) == ["the program is a value of type NoneType, not text"]


def test_schema_names_all_columns():
    columns = [column.split()[0].strip("`") for column in surmise.spark.schema(Frame()).split(", ")]
    assert columns == ["id", "code", *surmise.batches.COLUMNS]


def test_wrong_arguments_are_refused():
    with pytest.raises(surmise.UsageError, match="`stdin` is no option of a batch"):
        surmise.spark.in_pandas(stdin="")
    with pytest.raises(surmise.UsageError, match="the data frame has no column `source`"):
        list(surmise.spark.in_pandas(column="source")(iter([pandas.DataFrame({"code": []})])))

"""Programs of a Spark data frame, run on its executors.

>>> import surmise.spark                                                                 # doctest: +SKIP
>>> work = surmise.spark.in_pandas(column="code", runs=1)                                # doctest: +SKIP
>>> frame.mapInPandas(work, surmise.spark.schema(frame)).write.parquet("results")        # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Callable

from surmise.batches import COLUMNS, checked, results
from surmise.errors import UsageError

if TYPE_CHECKING:
    import pandas


def in_pandas(
    *, column: str = "code", **options: Any
) -> Callable[[Iterator[pandas.DataFrame]], Iterator[pandas.DataFrame]]:
    """The function for ``DataFrame.mapInPandas`` that runs the programs of a column.

    Args:
        column: the column that has their source text.
        options: arguments of :func:`surmise.run`.

    Returns:
        A function of batches, which adds the columns of :data:`surmise.batches.COLUMNS` to each.

    Raises:
        UsageError: an option is wrong.
    """
    options = checked(options)

    def work(batches: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        for batch in batches:
            if column not in batch.columns:
                columns = ", ".join(f"`{name}`" for name in batch.columns)
                raise UsageError(f"the data frame has no column `{column}`", f"it has {columns}")
            yield batch.assign(**results(batch[column], options))

    return work


def schema(frame: Any) -> str:
    """The schema of a Spark data frame with the columns of results, for ``DataFrame.mapInPandas``."""
    own = [f"`{name}` {kind}" for name, kind in frame.dtypes]
    return ", ".join([*own, *(f"`{name}` {kind}" for name, kind in COLUMNS.items())])

"""Programs of a Ray dataset, run on the workers of a cluster.

    >>> import ray, surmise.ray                                                    # doctest: +SKIP
    >>> snippets = ray.data.read_parquet("snippets.parquet")                       # doctest: +SKIP
    >>> surmise.ray.run(snippets, column="code", runs=1).write_parquet("results")  # doctest: +SKIP

Each actor keeps a warm engine from batch to batch. Retries, back pressure and the number of actors are Ray's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from surmise.batches import checked, results
from surmise.errors import UsageError

if TYPE_CHECKING:
    import ray.data


class Runner:
    """The work of one actor, for `Dataset.map_batches`."""

    def __init__(self, column: str, options: dict[str, Any]) -> None:
        self._column = column
        self._options = options
        # The worker process starts and the model is read before the first batch comes.
        results(["value\n"], {**options, "runs": 1})

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        if self._column not in batch:
            columns = ", ".join(f"`{name}`" for name in batch)
            raise UsageError(f"the dataset has no column `{self._column}`", f"it has {columns}")
        found = results((_text(value) for value in batch[self._column]), self._options)
        return {**batch, **{name: _array(values) for name, values in found.items()}}


def run(
    dataset: ray.data.Dataset,
    *,
    column: str = "code",
    batch_size: int = 64,
    concurrency: int | tuple[int, int] | None = None,
    num_cpus: float = 1,
    ray_options: dict[str, Any] | None = None,
    **options: Any,
) -> ray.data.Dataset:
    """Runs the programs of a dataset; the result has its columns, and those of :data:`surmise.batches.COLUMNS`.

    Args:
        dataset: the programs.
        column: the column that has their source text.
        batch_size: programs in a batch.
        concurrency: number of actors, or the least and the most (default: from 1 to the processors of the cluster).
        num_cpus: processors of an actor.
        ray_options: further arguments of ``Dataset.map_batches``.
        options: arguments of :func:`surmise.run`.

    Returns:
        A dataset, which is computed when it is consumed. Rows keep their order only with Ray's execution option
        ``preserve_order``.

    Raises:
        UsageError: Ray is not installed, or an argument is wrong.
    """
    try:
        import ray
        import ray.data
    except ImportError:
        raise UsageError("`ray` is not installed", 'pip install "ray[data]"') from None
    if not isinstance(dataset, ray.data.Dataset):
        raise UsageError(
            f"the dataset is a value of type {type(dataset).__name__}", "pass one that `ray.data` has made"
        )
    if concurrency is None:
        concurrency = (1, max(1, int(ray.cluster_resources().get("CPU", 1) / num_cpus)))
    least, most = (concurrency, concurrency) if isinstance(concurrency, int) else concurrency
    # Ray starts an actor that dies again, and hands its batches out once more.
    return dataset.map_batches(
        Runner,
        fn_constructor_kwargs={"column": column, "options": checked(options)},
        batch_size=batch_size,
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
        num_cpus=num_cpus,
        **(ray_options or {}),
    )


def _text(value: Any) -> Any:
    """Elements of arrays are of types that derive from Python's, or of its own."""
    return str(value) if isinstance(value, str) else value


def _array(values: list[Any]) -> Any:
    import numpy

    return numpy.array(values, dtype=object)

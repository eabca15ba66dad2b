"""`surmise.ray` on a local cluster with two workers."""

import os
import signal
import sys

import pytest
import ray
import surmise
import surmise.batches
import surmise.ray

PROGRAMS = [
    "total = 0\nfor order in orders:\n    total += order.price\nprint(total)\n",
    "print('a' + 1)\n",
    "import warehouse\nif warehouse.is_open():\n    print('open')\nelse:\n    raise KeyError('closed')\n",
    "def f(:\n",
    "x",
    "",
]
OPTIONS = {"runs": 4, "settings": False}


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    ray.shutdown()


def rows(count):
    return [{"number": number, "code": PROGRAMS[number % len(PROGRAMS)]} for number in range(count)]


def on_one_machine(given):
    columns = surmise.batches.results((row["code"] for row in given), OPTIONS)
    return [{**row, **{name: values[at] for name, values in columns.items()}} for at, row in enumerate(given)]


def sorted_rows(dataset):
    return sorted(dataset.take_all(), key=lambda row: row["number"])


def test_results_are_those_of_one_machine():
    given = rows(24)
    dataset = surmise.ray.run(ray.data.from_items(given), batch_size=4, concurrency=2, **OPTIONS)
    found = sorted_rows(dataset)
    assert found == on_one_machine(given)
    assert {row["outcome"] for row in found} == {"completed", "error"}
    assert [row["error"] for row in found][:2] == [None, "TypeError"]


class Dying(surmise.ray.Runner):
    """A runner that is killed in the middle of its first batch, once in all."""

    def __call__(self, batch):
        try:
            os.close(os.open(self._options["python_path"][0] + "/killed", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return super().__call__(batch)
        surmise.ray.Runner.__call__(self, {name: values[:1] for name, values in batch.items()})
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_worker_loses_nothing(tmp_path, monkeypatch):
    given = rows(24)
    monkeypatch.setattr(surmise.ray, "Runner", Dying)
    options = {**OPTIONS, "python_path": [str(tmp_path)]}
    dataset = surmise.ray.run(ray.data.from_items(given), batch_size=4, concurrency=2, **options)
    found = sorted_rows(dataset)
    assert (tmp_path / "killed").exists()
    assert [row["number"] for row in found] == list(range(24))
    assert [row["outcome"] for row in found] == [row["outcome"] for row in on_one_machine(given)]


def test_what_is_no_text_is_said_in_its_row():
    (row,) = surmise.ray.run(ray.data.from_items([{"code": 7}]), concurrency=1, **OPTIONS).take_all()
    assert (row["outcome"], row["problem"]) == ("refused", "the program is a value of type int64, not text")


def test_a_missing_column_ends_the_work():
    dataset = surmise.ray.run(ray.data.from_items([{"text": "x"}]), concurrency=1, **OPTIONS)
    with pytest.raises(Exception, match="the dataset has no column `code`"):
        dataset.take_all()


def test_wrong_arguments_are_refused_before_the_work():
    with pytest.raises(surmise.UsageError, match="of type list"):
        surmise.ray.run([])
    with pytest.raises(surmise.UsageError, match="`runz` is no option of a batch"):
        surmise.ray.run(ray.data.from_items(rows(1)), runz=1)

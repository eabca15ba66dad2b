"""The stage `fetch`: sdist, unpacked source, virtual environment with the pinned requirements."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

from manifest import Project, normalised
from places import Places

PIP_SECONDS = 900


class FetchError(Exception):
    """Raised for a project that cannot be fetched; the message says which step failed, and how."""


def fetch(project: Project, places: Places) -> dict:
    """Leaves `sources/NAME` and `venvs/NAME`, both made anew. The standard library needs an empty venv only."""
    start = time.monotonic()
    log = places.results(project, "fetch") / "log.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("", encoding="utf-8")
    digest = None
    if project.from_sdist:
        path, digest = sdist(project, places, log)
        unpack(path, places.source(project))
    else:
        places.source(project).mkdir(parents=True, exist_ok=True)
    frozen = install(project, places, log)
    return {"ok": True, "seconds": round(time.monotonic() - start, 1), "sdist_sha256": digest, "frozen": frozen}


def sdist(project: Project, places: Places, log: Path) -> tuple[Path, str]:
    """The sdist, downloaded unless it is there, and its SHA-256, checked unless the entry is a draft without one."""
    places.sdists.mkdir(parents=True, exist_ok=True)
    if (path := find(project, places.sdists)) is None:
        with tempfile.TemporaryDirectory(dir=places.work) as folder:
            pip(
                [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", project.name, "--dest", folder]
                + [f"{project.name}=={project.version}"],
                places,
                log,
            )
            for found in Path(folder).iterdir():
                os.replace(found, places.sdists / found.name)
        path = find(project, places.sdists)
    if path is None:
        raise FetchError(f"pip download left no sdist of {project.name} {project.version}")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if project.sdist_sha256 not in (digest, None):
        path.unlink()
        raise FetchError(f"{path.name} has the SHA-256 {digest}, the manifest says {project.sdist_sha256}")
    return path, digest


def find(project: Project, folder: Path) -> Path | None:
    for path in sorted(folder.iterdir()):
        stem = path.name.removesuffix(".tar.gz").removesuffix(".zip").removesuffix(".tar.bz2")
        name, _, version = stem.rpartition("-")
        if stem != path.name and normalised(name) == normalised(project.name) and version == project.version:
            return path
    return None


def unpack(path: Path, target: Path) -> None:
    """Unpacks the sdist, whose single top folder becomes `target`."""
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                archive.extractall(folder)
        else:
            with tarfile.open(path) as archive:
                archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        tops = [entry for entry in Path(folder).iterdir() if entry.is_dir()]
        if len(tops) != 1:
            raise FetchError(f"{path.name} has {len(tops)} top folders, not one")
        tops[0].rename(target)


def install(project: Project, places: Places, log: Path) -> list[str]:
    """A new venv with the requirements and the project; returns what `pip freeze` says, less the project."""
    venv = places.venv(project)
    shutil.rmtree(venv, ignore_errors=True)
    command([sys.executable, "-m", "venv", str(venv)], log, cwd=places.work, env=dict(os.environ))
    python = venv / "bin" / "python"
    wanted = list(project.requirements)
    if project.from_sdist:
        wanted.append(project.install)
    if wanted:
        pip([str(python), "-m", "pip", "install", *wanted], places, log, places.source(project), install_env(project))
    frozen = pip([str(python), "-m", "pip", "freeze", "--all"], places, log)
    pins = [line for line in frozen.splitlines() if "==" in line and not line.startswith("#")]
    own = {normalised(project.name), "pip"}
    return sorted(pin for pin in pins if normalised(pin.split("==")[0]) not in own)


def install_env(project: Project) -> dict[str, str]:
    """Switches such as AIOHTTP_NO_EXTENSIONS act when the project is built. PYTHONPATH is for its tests only."""
    return {name: value for name, value in project.env.items() if name != "PYTHONPATH"}


def pip(words: list[str], places: Places, log: Path, cwd: Path | None = None, extra: dict | None = None) -> str:
    """pip keeps the caller's environment, which may name an index, a certificate or a proxy."""
    env = {**os.environ, "PIP_CACHE_DIR": str(places.pip_cache), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"):
        env.pop(name, None)
    return command(words, log, cwd or places.work, {**env, **(extra or {})})


def command(words: list[str], log: Path, cwd: Path, env: dict[str, str]) -> str:
    """Runs to the end, with everything it says in the log.

    Raises FetchError with the last lines when it fails or takes longer than PIP_SECONDS.
    """
    with log.open("a+", encoding="utf-8", errors="replace") as out:
        out.write(f"$ {' '.join(words)}\n")
        out.flush()
        start = out.tell()
        try:
            code = subprocess.run(
                words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, timeout=PIP_SECONDS
            ).returncode
        except subprocess.TimeoutExpired:
            code = "time limit"
        out.seek(start)
        said = out.read()
    if code != 0:
        tail = " / ".join(line.strip() for line in said.strip().splitlines()[-3:])
        raise FetchError(f"`{' '.join(words[:5])}...` failed ({code}): {tail} (see {log})")
    return said

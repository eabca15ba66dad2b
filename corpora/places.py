"""Paths below the work directory, and the status files that make a build resumable."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from manifest import Project, replace


@dataclass(frozen=True)
class Places:
    """Folders by kind and then by project, so that everything of one kind can be deleted or measured at once."""

    work: Path

    @property
    def sdists(self) -> Path:
        return self.work / "sdists"

    @property
    def pip_cache(self) -> Path:
        return self.work / "pip-cache"

    def source(self, project: Project) -> Path:
        return self.work / "sources" / project.name

    def venv(self, project: Project) -> Path:
        return self.work / "venvs" / project.name

    def home(self, project: Project) -> Path:
        return self.work / "homes" / project.name

    def tmp(self, project: Project) -> Path:
        """Folder for temporary files; short, because the path of a socket must fit into 108 bytes."""
        return self.work / "tmp" / project.name

    def results(self, project: Project, stage: str) -> Path:
        return self.work / "results" / project.name / stage

    def trace(self, project: Project) -> Path:
        return self.work / "traces" / project.name

    def status(self, project: Project, stage: str) -> Path:
        return self.work / "status" / f"{project.name}.{stage}.json"


def finished(places: Places, project: Project, stage: str) -> dict | None:
    """Status of a stage that need not be repeated, because it succeeded for the entry in its current form."""
    status = last(places, project, stage)
    done = status is not None and status.get("fingerprint") == project.fingerprint(stage) and status.get("ok")
    return status if done else None


def last(places: Places, project: Project, stage: str) -> dict | None:
    """Last status of a stage; None if there is none or its file cannot be read."""
    try:
        status = json.loads(places.status(project, stage).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return status if isinstance(status, dict) else None


def record(places: Places, project: Project, stage: str, status: dict) -> dict:
    status = {**status, "name": project.name, "stage": stage, "fingerprint": project.fingerprint(stage)}
    replace(places.status(project, stage), json.dumps(status, indent=1) + "\n")
    return status

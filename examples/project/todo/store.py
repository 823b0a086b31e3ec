"""Keeps the list in a JSON file."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass
class Item:
    text: str
    done: bool = False


def default_path():
    return Path(os.environ.get("TODO_FILE", Path.home() / ".todo.json"))


def load(path):
    if not path.exists():
        return []
    return [Item(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def save(path, items):
    text = json.dumps([asdict(item) for item in items], indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")

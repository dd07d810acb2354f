"""Where the examples are, where their pages go, and where their outcomes are kept."""

from dataclasses import dataclass
from pathlib import Path

from mlhpc.errors import InputError


@dataclass(frozen=True)
class Project:
    """The folders of one checkout."""

    root: Path
    episodes: Path

    @classmethod
    def around(cls, lesson_root: Path) -> "Project":
        """The checkout whose lesson is in ``lesson_root``."""
        episodes = lesson_root.resolve()
        return cls(episodes.parent, episodes)

    @property
    def examples(self) -> Path:
        """The scripts that people write."""
        return self.root / "code" / "examples"

    @property
    def gallery(self) -> Path:
        """The pages that are made from them; nothing else may be kept there."""
        return self.episodes / "gallery"

    @property
    def cache(self) -> Path:
        """What earlier runs gave, by hash."""
        return self.root / ".cache" / "gallery"

    def shown(self, path: Path) -> str:
        """``path`` as people may see it: inside the project, never this machine's folders."""
        inside = path.is_relative_to(self.root)
        return path.relative_to(self.root).as_posix() if inside else path.name

    def scripts(self) -> list[Path]:
        """Every example, by name. Raises InputError where there is none."""
        found = sorted(self.examples.glob("plot_*.py"))
        if not found:
            raise InputError(f"examples: no plot_*.py in {self.shown(self.examples)}")
        return found

"""Executed examples: scripts are run, and what they gave becomes pages, notebooks and figures."""

from mlhpc.lesson.gallery.results import load_results

__all__ = ["load_results"]

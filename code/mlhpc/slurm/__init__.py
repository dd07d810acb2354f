"""Slurm itself: a private one for tests and practice (``box``), its settings (``settings``)."""

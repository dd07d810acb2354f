"""``python -m mlhpc`` is ``mlhpc``."""

from mlhpc.cli import main

raise SystemExit(main())

"""The ledger of claims: read ``claims.toml``, refuse what its format does not allow."""

import re
import tomllib
from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from decimal import Decimal
from pathlib import Path
from typing import Any

from mlhpc.claims import form
from mlhpc.claims.claim import Claim
from mlhpc.errors import InputError

SCHEMA = 1
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class Ledger:
    """All claims by id, in the order of the file. An unknown id raises InputError."""

    def __init__(self, claims: dict[str, Claim], origin: str) -> None:
        self._claims, self.origin = claims, origin

    def __getitem__(self, claim_id: str) -> Claim:
        if claim_id not in self._claims:
            choices = ", ".join(form.near(claim_id, self._claims))
            raise InputError(f"{self.origin}: no claim '{claim_id}'; valid choices: {choices}, ...")
        return self._claims[claim_id]

    def __contains__(self, claim_id: object) -> bool:
        return claim_id in self._claims

    def __iter__(self) -> Iterator[str]:
        return iter(self._claims)

    def __len__(self) -> int:
        return len(self._claims)

    def keys(self) -> KeysView[str]:
        """The ids."""
        return self._claims.keys()

    def values(self) -> ValuesView[Claim]:
        """The claims."""
        return self._claims.values()

    def items(self) -> ItemsView[str, Claim]:
        """The claims with their ids."""
        return self._claims.items()


def load(path: str | Path) -> Ledger:
    """The ledger in a file. Raises InputError: file, claim, key, value, valid choices."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"claims: {path}: cannot be read: {reason}") from None
    return from_text(text, Path(path).name)


def from_text(text: str, origin: str) -> Ledger:
    """The ledger in a text; ``origin`` names it in messages."""
    document = _parse(text, origin)
    form.only(document, ("schema", "claim"), f"{origin}: top level")
    if document.get("schema") != SCHEMA:
        raise InputError(
            f"{origin}: schema: {document.get('schema')} is not known; valid choices: {SCHEMA}"
        )
    tables = document.get("claim", {})
    if not isinstance(tables, dict) or not tables:
        raise InputError(f"{origin}: holds no claim; write tables like [claim.grid-total]")
    ledger = Ledger(
        {name: form.claim(name, table, origin) for name, table in tables.items()}, origin
    )
    return Ledger({name: _filled(claim, ledger) for name, claim in ledger.items()}, origin)


def _parse(text: str, origin: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        twice = re.search(r"Cannot declare \('claim', '([^']*)'\) twice", str(error))
        where = re.search(r"\(at [^)]*\)", str(error))
        if twice:
            what = f"claim '{twice[1]}' is declared twice {where[0] if where else ''}"
            raise InputError(f"{origin}: {what.strip()}") from None
        raise InputError(f"{origin}: not valid TOML: {error}") from None


def _filled(claim: Claim, ledger: Ledger) -> Claim:
    """The claim with each {id} in its texts replaced by what that claim prints.

    So a figure in a text is written once, and cannot differ from the claim that it is.
    """

    def value(match: re.Match[str]) -> str:
        other = ledger[match[1]]
        if not other.numbers:
            raise InputError(f"{ledger.origin}: claim '{claim.id}': '{match[1]}' has no value")
        return other.shown()

    return form.with_texts(claim, lambda text: PLACEHOLDER.sub(value, text))

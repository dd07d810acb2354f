"""What a page teaches, for search engines (JSON-LD), and what the first page counts."""

import html
import re
from pathlib import Path
from typing import Any

from mlhpc import claims
from mlhpc.content import CLAIMS

OBJECTIVES = re.compile(r'<div class="admonition objectives">(.*?)</div>', re.S)
ITEM = re.compile(r"<li>(.*?)</li>", re.S)
TAG = re.compile(r"<[^>]+>")
LICENCE = "https://creativecommons.org/licenses/by/4.0/"


def learning_resource(page: Any, config: Any) -> dict[str, Any]:
    """The page as a LearningResource of schema.org; what is not known is left out."""
    meta = page.meta
    known = {
        "name": plain(page.title or config["site_name"]),
        "description": meta.get("description") or config["site_description"],
        "url": page.canonical_url,
        "inLanguage": "en",
        "license": LICENCE,
        "isAccessibleForFree": True,
        "learningResourceType": "lesson" if meta.get("episode") else "reference",
        "timeRequired": duration(minutes(meta)),
        "teaches": teaches(page.content or ""),
        "dateModified": meta.get("updated"),
    }
    found = {name: value for name, value in known.items() if value not in (None, "", [])}
    return {"@context": "https://schema.org", "@type": "LearningResource"} | found


def teaches(text: str) -> list[str]:
    """The objectives of a page, as plain sentences, from its HTML."""
    block = OBJECTIVES.search(text)
    return [plain(item) for item in ITEM.findall(block[1])] if block else []


def minutes(meta: dict[str, Any]) -> int:
    """Teaching and exercises together; 0 where a page names no time."""
    return int(meta.get("teaching_min", 0)) + int(meta.get("exercises_min", 0))


def duration(total_min: int) -> str:
    """Minutes as an ISO 8601 duration, empty for none: 85 is ``PT1H25M``."""
    hours, rest = divmod(total_min, 60)
    spelled = (f"{hours}H" if hours else "") + (f"{rest}M" if rest else "")
    return f"PT{spelled}" if spelled else ""


def counts(docs: Path, examples: int) -> dict[str, int]:
    """What the lesson has besides episodes, for the slip on the first page."""
    known = {"Examples, run": examples}
    if (docs / CLAIMS).is_file():
        known["Receipts"] = len(list(claims.load(docs / CLAIMS).values()))
    return {name: count for name, count in known.items() if count}


def plain(text: str) -> str:
    """HTML to text on one line."""
    return " ".join(html.unescape(TAG.sub("", text)).split())

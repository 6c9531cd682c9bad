"""Citations: a chapter names a work as people do; the book turns the name into a link into its BibTeX file."""

import re
import unicodedata
from pathlib import Path

ENTRY = re.compile(r"@(\w+)\{([^,\s]+),(.*?)\n\}", re.DOTALL)
FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*?)\},?\s*$", re.MULTILINE)
MENTION = re.compile(r"\b([A-Z][\w-]+)(?: et al\.| and [A-Z][\w-]+)? ((?:19|20)\d\d)\b")
SHORTEST = 5  # letters of a title; what is shorter is emphasis rather than a work


def read(file: Path) -> dict[str, dict[str, str]]:
    """The entries of a BibTeX file by key, each a dict of its fields in lower case and of `type`.

    One field a line, and the closing brace of an entry alone on its line. Raises ValueError when a key occurs twice.
    """
    entries = {}
    for kind, key, body in ENTRY.findall(file.read_text(encoding="utf-8")):
        if key in entries:
            raise ValueError(f"{file.name}: the key {key!r} occurs twice")
        entries[key] = {"type": kind.lower()} | {name.lower(): value for name, value in FIELD.findall(body)}
    return entries


def letters(text: str) -> str:
    """The letters and digits of a text, without accents, TeX and capitals: what makes two spellings of a title equal.

    >>> letters("{HMHS}: a *Hybrid* Algorithm") == letters("HMHS: A hybrid algorithm")
    True
    """
    plain = unicodedata.normalize("NFKD", re.sub(r"\\[a-z]+|\$[^$]*\$|L = λW", "", text)).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", plain.lower())


def title_keys(entries: dict) -> dict[str, list[str]]:
    """The keys of each title, also of what stands before its colon ("Apollo")."""
    found: dict[str, list[str]] = {}
    for key, entry in entries.items():
        for title in {letters(entry["title"]), letters(entry["title"].partition(":")[0])}:
            found.setdefault(title, []).append(key)
    return found


def titles_in(sources: str) -> list[str]:
    """The titles that a chapter's list of sources sets in italics.

    >>> titles_in("Little: *A proof for the formula*, OR 9. · Boutin et al.: *Apollo*, OSDI 2014.")
    ['A proof for the formula', 'Apollo']
    """
    return [" ".join(title.split()) for title in re.findall(r"\*([^*]+)\*", sources) if len(letters(title)) >= SHORTEST]


def sources_of(text: str) -> str:
    """The part of a chapter's Markdown below the heading Sources, or nothing."""
    return re.split(r"^## Sources\s*$", text, flags=re.MULTILINE)[1] if re.search(r"^## Sources\s*$", text, re.MULTILINE) else ""


def cited(text: str, entries: dict) -> str:
    """Markdown with a citation after each work that it names: a title in its Sources, "Ghodsi et al. 2011" anywhere."""
    by_title = title_keys(entries)
    by_name = {}
    for key, entry in entries.items():
        if "year" in entry:
            by_name[letters(entry["author"].partition(",")[0]), entry["year"]] = key

    def after_title(match):
        keys = by_title.get(letters(match.group(1)))
        return f"{match.group()} {{cite:p}}`{','.join(keys)}`" if keys else match.group()

    def after_mention(match):
        key = by_name.get((letters(match.group(1)), match.group(2)))
        return f"{match.group()} {{cite:p}}`{key}`" if key else match.group()

    sources = sources_of(text)
    body = text.removesuffix(sources) if sources else text
    return MENTION.sub(after_mention, body) + re.sub(r"\*([^*]+)\*", after_title, sources)

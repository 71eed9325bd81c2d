"""A page as a browser would take it apart."""

from collections import Counter
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "link", "img", "hr"}
BLOCK = {
    "p",
    "div",
    "ul",
    "ol",
    "dl",
    "table",
    "section",
    "article",
    "pre",
    "h1",
    "h2",
    "h3",
    "details",
    "form",
    "nav",
    "main",
}
REFERRING = {"href", "src", "srcset", "xlink:href", "action", "data", "background", "poster"}


class Page(HTMLParser):
    """All that a browser would look at; it must be valid, and without handlers of events."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.references: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == [], "never closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {attrs}"
        assert not any(name.startswith("on") for name in names), (
            f"<{tag}> handles events at {self.getpos()}: {names}"
        )
        assert not (tag in BLOCK and "p" in self.open), f"<{tag}> inside a paragraph at {self.getpos()}"
        assert not (tag == "a" and "a" in self.open), f"a link inside a link at {self.getpos()}"
        self.tags[tag] += 1
        self.references += [value or "" for name, value in attrs if name in REFERRING]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()} closes another element"

    def handle_data(self, data: str) -> None:
        self.words.append(data)

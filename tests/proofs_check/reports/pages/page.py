"""A page as a browser would take it apart."""

from collections import Counter
from html.parser import HTMLParser
from xml.etree.ElementTree import fromstring

import numpy as np

VOID = {"meta", "input", "br", "link", "img", "hr"}
BLOCK = {"p", "div", "ul", "ol", "dl", "table", "section", "article", "pre", "details", "form", "nav", "main"}
BLOCK |= {"h1", "h2", "h3"}
REFERRING = {"href", "src", "srcset", "xlink:href", "action", "data", "background", "poster"}


class Page(HTMLParser):
    """All that a browser would look at; it must be valid, and without handlers of events."""

    def __init__(self, text):
        super().__init__()
        self.tags = Counter()
        self.references = []
        self.ids = []
        self.words = []
        self.open = []
        self.feed(text)
        self.close()
        assert self.open == [], "never closed"

    def outside(self):
        """What it refers to outside of itself; it needs nothing, and its links lead somewhere."""
        assert not {"script", "link", "iframe", "img", "object"} & set(self.tags)
        assert {r[1:] for r in self.references if r.startswith("#")} <= set(self.ids)
        assert len(set(self.ids)) == len(self.ids)
        return {r for r in self.references if not r.startswith("#")}

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {attrs}"
        events = [name for name in names if name.startswith("on")]
        assert not events, f"<{tag}> handles events at {self.getpos()}: {events}"
        assert not (tag in BLOCK and "p" in self.open), f"<{tag}> inside a paragraph at {self.getpos()}"
        assert not (tag == "a" and "a" in self.open), f"a link inside a link at {self.getpos()}"
        self.tags[tag] += 1
        self.references += [value or "" for name, value in attrs if name in REFERRING]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()} closes another element"

    def handle_data(self, data):
        self.words.append(data)


def points(svg, axes, variable):
    """The places of all marks of a colour between some axes."""
    space = "{http://www.w3.org/2000/svg}"
    groups = [g for g in fromstring(svg).iter(f"{space}g") if g.get("id", "").endswith(f"-axes_{axes}")]
    marks = [use for g in groups for use in g.iter(f"{space}use")]
    mine = [use for use in marks if f"var(--{variable})" in (use.get("style") or "")]
    return np.array([(float(use.get("x", "nan")), float(use.get("y", "nan"))) for use in mine])

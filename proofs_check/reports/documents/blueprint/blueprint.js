"use strict";
(() => {
  const $ = (query, from = document) => from.querySelector(query);
  const all = (query, from = document) => [...from.querySelectorAll(query)];
  const pages = all(".page"), rows = all(".page.row"), field = $("#ask input");
  const from_hash = () => { try { return decodeURIComponent(location.hash.slice(1)); } catch { return location.hash.slice(1); } };

  // ---------------------------------------------------------------- which page
  function show(page) {
    for (const p of pages) p.classList.toggle("current", p === page);
    document.title = (page.dataset.title ? page.dataset.title + " · " : "") + "largeprompt blueprint";
    for (const a of all(".contents a")) {
      const here = page.dataset.statement !== undefined && a.dataset.statement === page.dataset.statement;
      if (here) { a.setAttribute("aria-current", "true"); a.scrollIntoView({ block: "nearest" }); } else a.removeAttribute("aria-current");
    }
  }
  function view(id) {
    const named = document.getElementById(id), chosen = named && named.matches(".view") ? named : document.getElementById("graph/all");
    for (const v of all(".view")) v.classList.toggle("current", v === chosen);
    $("#views").value = chosen.id;
    fit($(".canvas", chosen));
  }
  function route() {
    const hash = from_hash();
    if (hash.startsWith("search=")) {
      const text = hash.slice(7);
      if (field.value !== text) field.value = text;
      show($("#search"));
      return search(text);
    }
    const target = document.getElementById(hash) || $("#overview");
    const page = target.closest(".page") || $("#overview");
    show(page);
    if (page.id === "graph") view(hash);
    if (target === page || target.classList.contains("view")) scrollTo(0, 0); else target.scrollIntoView();
    for (const canvas of all(".canvas", page)) fit(canvas);
  }

  // ---------------------------------------------------------------- search
  let index = null;
  function indexed() {
    const entry = (id, verdict, parts) => {
      const said = parts.map((p) => p.textContent).join(" ");
      const formulas = parts.flatMap((p) => all("[data-tex]", p)).map((f) => f.dataset.tex);
      return { id, verdict, shown: parts[0], said: parts[0].textContent.trim(), text: [id, verdict, said, ...formulas].join(" ").toLowerCase() };
    };
    const told = (article) => article ? all(":scope > header > h3, :scope > header > not-searched > *, :scope > aside > .card", article) : [];
    return all(".page.row").flatMap((page) => [
      entry(page.id, page.dataset.verdict, [$(":scope > .says", page), ...all(":scope > aside > .printed, :scope > .kicker, :scope > .story", page), ...told($("article.claim:not([id])", page))]),
      ...all("article.claim[id]", page).map((c) => entry(c.id, c.dataset.verdict, [$(".summary", c), ...told(c)])),
    ]);
  }
  const letters = { PROVED: "P", CERTIFIED: "C", ARGUED: "A", SUPPORTED: "S", OPEN: "O", REFUTED: "R", "not settled": "–" };
  function search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean), list = $("#results");
    index = index || indexed();
    const rank = (e) => words.reduce((sum, w) => sum + (e.id.toLowerCase() === w ? 8 : e.id.toLowerCase().endsWith(w) ? 4 : e.id.toLowerCase().includes(w) || e.verdict.toLowerCase() === w ? 2 : e.said.toLowerCase().includes(w) ? 1 : 0), 0);
    const found = words.length ? index.filter((e) => words.every((w) => e.text.includes(w))).map((e) => [rank(e), e]).sort((a, b) => b[0] - a[0]) : [];
    list.replaceChildren(...found.slice(0, 100).map(([, e]) => {
      const item = document.createElement("li"), mark = document.createElement("span"), link = document.createElement("a"), said = document.createElement("span");
      mark.className = "mark v-" + e.verdict.toLowerCase().replace(" ", "-");
      mark.textContent = letters[e.verdict];
      mark.title = e.verdict;
      link.href = "#" + encodeURIComponent(e.id).replaceAll("%3A", ":").replaceAll("%2F", "/");
      link.textContent = e.id;
      said.className = "says";
      said.append(...e.shown.cloneNode(true).childNodes);
      item.append(mark, " ", link, said);
      return item;
    }));
    $("#found").textContent = !words.length ? "Type into the field above: parts of an id, of a sentence, of a formula's LaTeX, or a verdict. Every word must occur."
      : found.length === 0 ? `Nothing holds “${text}”.` : `${found.length} ${found.length === 1 ? "entry holds" : "entries hold"} “${text}”${found.length > 100 ? "; the first 100 are shown" : ""}.`;
  }
  const ask = () => {
    const hash = "#search=" + encodeURIComponent(field.value);
    if (from_hash().startsWith("search=")) history.replaceState(null, "", hash); else location.hash = hash;
    route();
  };
  field.addEventListener("input", ask);
  $("#ask").addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
    const first = $("#results a");
    if (first && field.value.trim()) location.hash = first.getAttribute("href");
  });

  // ---------------------------------------------------------------- graphs
  const natural = (svg) => svg.viewBox.baseVal.width;
  function fit(canvas) {
    const svg = $("svg.graph", canvas);
    if (!svg || canvas.dataset.zoom || !canvas.clientWidth) return;
    // Smaller than three quarters nobody can read it: then it is better to scroll.
    resize(svg, Math.max(Math.min(1, (canvas.clientWidth - 10) / natural(svg)), 0.75));
    canvas.scrollLeft = (canvas.scrollWidth - canvas.clientWidth) / 2;
  }
  function resize(svg, scale) {
    svg.style.width = natural(svg) * scale + "px";
    svg.style.height = svg.viewBox.baseVal.height * scale + "px";
  }
  for (const button of all("[data-zoom]")) button.addEventListener("click", () => {
    const canvas = $(".view.current .canvas"), svg = $("svg.graph", canvas);
    if (!svg) return;
    const now = svg.clientWidth / natural(svg), way = button.dataset.zoom;
    canvas.dataset.zoom = "own";
    resize(svg, way === "fit" ? (canvas.clientWidth - 10) / natural(svg) : Math.min(3, Math.max(0.2, now * (way === "in" ? 1.25 : 0.8))));
  });
  $("#views").addEventListener("change", (event) => { location.hash = encodeURI(event.target.value); });
  for (const svg of all("svg.graph")) {
    const hot = (event) => {
      const node = event.target.closest("[data-node]");
      svg.classList.toggle("hot", node !== null);
      for (const n of all(".on", svg)) n.classList.remove("on");
      if (!node) return;
      const name = node.dataset.node, near = new Set([name]);
      for (const path of all(".edges path", svg)) if (path.dataset.from === name || path.dataset.to === name) {
        path.classList.add("on");
        near.add(path.dataset.from).add(path.dataset.to);
      }
      for (const n of all(".node", svg)) if (near.has(n.dataset.node)) n.classList.add("on");
    };
    const cold = () => { svg.classList.remove("hot"); };
    svg.addEventListener("mouseover", hot);
    svg.addEventListener("focusin", hot);
    svg.addEventListener("mouseleave", cold);
    svg.addEventListener("focusout", cold);
  }

  // ---------------------------------------------------------------- the rest
  rows.forEach((page, i) => {
    const step = (other, word) => {
      if (!other) return document.createElement("span");
      const link = document.createElement("a");
      link.href = "#" + encodeURIComponent(other.id).replaceAll("%3A", ":");
      link.textContent = word(other.id);
      return link;
    };
    $(".pager", page).append(step(rows[i - 1], (id) => "← " + id), step(rows[i + 1], (id) => id + " →"));
  });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const beside = button.previousElementSibling, code = beside.matches("code") ? beside : button.parentElement.nextElementSibling, said = button.textContent;
    try { await navigator.clipboard.writeText(code.textContent); } catch {
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    button.textContent = "copied";
    setTimeout(() => { button.textContent = said; }, 1500);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) { if (event.key === "Escape") event.target.blur(); return; }
    const here = rows.findIndex((p) => p.classList.contains("current"));
    const go = { o: "overview", g: "graph", j: rows[here + 1]?.id, k: here > 0 ? rows[here - 1].id : undefined }[event.key];
    if (event.key === "/") { event.preventDefault(); field.focus(); field.select(); } else if (go) location.hash = encodeURIComponent(go);
  });
  addEventListener("hashchange", route);
  addEventListener("resize", () => { for (const canvas of all(".page.current .canvas")) fit(canvas); });
  addEventListener("load", route); // after the browser's own jump to the fragment
  route();
})();

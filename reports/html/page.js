"use strict";
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const strings = JSON.parse($("#strings").textContent);
  const say = (key, values = {}) => strings[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const root = document.documentElement;
  root.classList.add("js");

  // Theme: what the system asks for, until the reader chooses.
  const stored = () => { try { return localStorage.getItem("bsa-theme"); } catch { return null; } };
  const choose = (theme) => { if (theme) root.dataset.theme = theme; };
  choose(stored());
  const toggle = $("#theme");
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    choose(dark ? "light" : "dark");
    try { localStorage.setItem("bsa-theme", root.dataset.theme); } catch { /* private window: this page only */ }
  });

  // Age, beside every time: the page itself must not depend on the clock.
  for (const time of all("time")) {
    const minutes = Math.round((Date.now() - Date.parse(time.dateTime)) / 60000);
    if (!Number.isFinite(minutes) || minutes < 0) continue;
    const [key, n] = minutes < 90 ? ["minutes", minutes] : minutes < 2880 ? ["hours", Math.round(minutes / 60)]
      : ["days", Math.round(minutes / 1440)];
    const age = document.createElement("span");
    age.className = "age";
    age.textContent = ` (${say(`age.${key}`, { n })})`;
    time.after(age);
  }

  // Sorting: any column, numbers by value, missing ones last both ways. Each body of a table is one item.
  const itemsOf = (table) => table.tBodies.length > 1 ? [...table.tBodies] : [...table.tBodies[0].rows];
  const cellOf = (item, column) => (item.rows ? item.rows[0] : item).cells[column];
  const valueOf = (cell) => cell.dataset.v ?? cell.textContent.trim();
  const compare = (a, b, numeric, sign) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    if (!numeric) return sign * a.localeCompare(b, undefined, { numeric: true });
    const [x, y] = [Number(a), Number(b)];
    return sign * (x === y ? 0 : x - y);
  };
  const sortBy = (button) => {
    const head = button.closest("th");
    const table = head.closest("table");
    const numeric = head.classList.contains("n");
    const before = head.getAttribute("aria-sort");
    const order = before ? (before === "ascending" ? "descending" : "ascending") : (numeric ? "descending" : "ascending");
    all("[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const keyed = itemsOf(table).map((item) => [valueOf(cellOf(item, head.cellIndex)), item]);
    keyed.sort((a, b) => compare(a[0], b[0], numeric, sign));
    const parent = keyed.length ? keyed[0][1].parentNode : null;
    if (parent) parent.append(...keyed.map((pair) => pair[1]));
  };
  all("table.sortable").forEach((table) => table.addEventListener("click", (event) => {
    const button = event.target.closest(".sort");
    if (button) sortBy(button);
  }));

  // Cases: open in place.
  const cases = all("tbody.case");
  const opener = (item) => $(".open", item);
  const setOpen = (item, open) => {
    // A passed case keeps its details as text until they are asked for: a thousand of them would slow the page.
    const packed = $("script[type='text/html']", item);
    if (open && packed) packed.outerHTML = packed.textContent;
    item.classList.toggle("opened", open);
    opener(item).setAttribute("aria-expanded", String(open));
  };
  const showTarget = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = document.getElementById(id);
    if (!target) return;
    // A jump across sections that have not been laid out lands elsewhere: their heights are a guess until then.
    document.body.classList.remove("many");
    // A line of a kernel is in a folded text, which not every browser unfolds for an anchor.
    const folded = id.startsWith("kernel-") ? target.closest("details.kernel") : null;
    if (folded) folded.open = true;
    const item = id.startsWith("case-") ? target : null;
    if (!item) {
      target.scrollIntoView({ block: folded ? "center" : "start" });
      return;
    }
    if (item.hidden) clearFilter();
    setOpen(item, true);
    item.scrollIntoView({ block: "start" });
    opener(item).focus({ preventScroll: true });
  };

  // Filtering: words, comparisons (ratio>0.5), verdicts, suite, DUT.
  const query = $("#query");
  const pressed = () => all(".chip[aria-pressed=true]").map((chip) => chip.dataset.chip);
  const operators = {
    ">": (a, b) => a > b, "<": (a, b) => a < b, ">=": (a, b) => a >= b, "<=": (a, b) => a <= b, "=": (a, b) => a === b,
  };
  const index = cases.map((item) => ({
    item,
    words: $(".main", item).textContent.toLowerCase() + " " + item.dataset.suites.toLowerCase(),
    numbers: JSON.parse(item.dataset.numbers),
  }));
  const test = (token) => {
    const found = /^([a-z][\w.]*)(>=|<=|>|<|=)([\d.e+-]+)$/.exec(token);
    if (!found) return (entry) => entry.words.includes(token);
    const [, key, operator, limit] = found;
    return (entry) => key in entry.numbers && operators[operator](entry.numbers[key], Number(limit));
  };
  const filter = () => {
    const tests = query.value.toLowerCase().split(/\s+/).filter(Boolean).map(test);
    const verdicts = pressed();
    const suite = $("#suite").value;
    const dut = $("#dut") ? $("#dut").value : "";
    let shown = 0;
    for (const entry of index) {
      const data = entry.item.dataset;
      const fits = (!verdicts.length || verdicts.includes(data.verdict)) && (!dut || data.dut === dut)
        && (!suite || data.suites.split("\n").includes(suite)) && tests.every((one) => one(entry));
      entry.item.hidden = !fits;
      shown += fits;
    }
    $("#shown").textContent = say("shown", { n: shown, total: index.length });
    $("#none-shown").hidden = shown > 0;
  };
  const clearFilter = () => {
    query.value = "";
    $("#suite").value = "";
    if ($("#dut")) $("#dut").value = "";
    all(".chip").forEach((chip) => chip.setAttribute("aria-pressed", "false"));
    filter();
  };
  if (query) {
    $(".filter").hidden = false;
    query.addEventListener("input", filter);
    all("#suite, #dut").forEach((select) => select.addEventListener("change", filter));
    filter();
  }

  document.addEventListener("click", (event) => {
    const open = event.target.closest(".open");
    if (open) {
      const item = open.closest("tbody");
      setOpen(item, !item.classList.contains("opened"));
      return;
    }
    const chip = event.target.closest(".chip");
    if (chip) {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      filter();
      return;
    }
    const copy = event.target.closest(".copy");
    if (copy) {
      navigator.clipboard?.writeText(copy.dataset.copy).then(() => {
        const before = copy.textContent;
        copy.textContent = say("copied");
        setTimeout(() => { copy.textContent = before; }, 1500);
      }, () => getSelection().selectAllChildren(copy.previousElementSibling));
      return;
    }
    const link = event.target.closest("a[href='#cases']");
    if (link && query) {
      clearFilter();
      if (link.dataset.query) query.value = link.dataset.query;
      if (link.dataset.suite) $("#suite").value = link.dataset.suite;
      all(".chip").filter((one) => one.dataset.chip === link.dataset.verdict)
        .forEach((one) => one.setAttribute("aria-pressed", "true"));
      filter();
      return;
    }
    const here = event.target.closest("a[href^='#case-']");
    if (here && here.getAttribute("href") === location.hash) showTarget();
  });

  // Records: parsed once, printed when asked for.
  let records;
  document.addEventListener("toggle", (event) => {
    const holder = event.target;
    if (!holder.matches?.("details.json[open]")) return;
    records ??= JSON.parse($("#records").textContent);
    $("pre", holder).textContent = JSON.stringify(records[holder.dataset.record], null, 2);
  }, true);

  // Keys: / to the filter, Escape to clear it, arrows, Home and End from case to case.
  const visible = () => all("tbody.case").filter((item) => !item.hidden);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "/" && !typing && query) {
      event.preventDefault();
      query.focus();
      query.select();
    } else if (event.key === "Escape" && query && (event.target === query || !typing)) {
      event.preventDefault();
      clearFilter();
    } else if (event.key === "ArrowDown" && event.target === query) {
      event.preventDefault();
      const first = visible()[0];
      if (first) opener(first).focus();
    } else if (event.target.matches(".open")) {
      const rows = visible();
      const at = rows.indexOf(event.target.closest("tbody"));
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      if (rows[to]) opener(rows[to]).focus();
    }
  });

  // The browser's own jump to the anchor, after loading, would take the focus away again.
  addEventListener("hashchange", showTarget);
  addEventListener("load", () => setTimeout(showTarget));
})();

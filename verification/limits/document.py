"""The pages of ``docs/limits``, made from the limits and what is expected of each PyPTO version.

``python -m verification.limits.document`` writes them; a test compares them with the tree.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from verification.limits.expectation import expectation_for, versions
from verification.limits.limit import UNKNOWN, Limit, Probe
from verification.limits.registry import LIMITS
from verification.limits.removals import caught_by

_MADE = "<!-- Made by: python -m verification.limits.document -->\n"
_WORDS = {
    "en": {
        "index": "PyPTO's limits",
        "intro": "What PyPTO refuses, or does wrongly without a word; 1 to 13 as published, from 14 on as found here. "
        "Each is a small file of `verification/limits/known` with kernels that show it. `bsa-verify limits` runs them; "
        "`bsa-verify lint FILE` finds their forms in any kernel without running it.",
        "other": "中文",
        "number": "#",
        "limit": "limit",
        "statement": "Statement",
        "instead": "Write instead",
        "cause": "Cause",
        "forms": "Forms",
        "lint": "found by lint as",
        "none": "nothing",
        "removal": "If the workaround is taken out of a kernel, this notices",
        "run": "See it here",
        "right": "right numbers",
        "back": "all limits",
        "forbidden": "forbidden",
        "neighbour": "neighbour",
        "workaround": "workaround",
    },
    "zh": {
        "index": "PyPTO 的限制",
        "intro": "PyPTO 拒绝的写法，或不声不响做错的写法；1 至 13 为公布的，14 起为我们发现的。"
        "每一项是 `verification/limits/known` 中的一个小文件，内含能显示它的 kernel。`bsa-verify limits` 运行它们，"
        "`bsa-verify lint FILE` 不运行就能在任何 kernel 中找出这些写法。",
        "other": "English",
        "number": "#",
        "limit": "限制",
        "statement": "说明",
        "instead": "改为",
        "cause": "原因",
        "forms": "写法",
        "lint": "lint 规则",
        "none": "无",
        "removal": "去掉 kernel 中的规避方案时，由此发现",
        "run": "在此查看",
        "right": "数值正确",
        "back": "全部限制",
        "forbidden": "禁止",
        "neighbour": "相邻",
        "workaround": "规避",
    },
}
_COMMANDS = """
<!-- slow: a test parses it -->
```bash
bsa-verify limits --card-script limits_card.py
python3 limits_card.py
bsa-verify limits --import limits_card.json
```
"""
_HOOK = """
<!-- example: of a repository with kernels -->
```yaml
- repo: https://example.org/bsa-verification
  rev: v0.1.0
  hooks:
    - id: pypto-lint
```
"""
_MORE = {
    "en": f"""
## Asking a card

Sim cannot see some limits. One file, which needs torch, torch_npu and pypto and nothing of ours, asks a card; the
second line runs on the host with the card, and takes about ten minutes.
{_COMMANDS}
## Lint before each commit

`bsa-verify lint FILE` ends with 1 on errors only. As a hook of pre-commit:
{_HOOK}
A finding that is meant stays silent where its line says so: `# limit 9: the last one is wanted`.

## Adding a limit

1. Copy the file of a similar limit in `verification/limits/known`, give it the next number, and write its texts in both
   languages.
2. Write one kernel per form: what fails (`signature`: a regular expression of its own error, or none where the numbers
   are wrong), a neighbour that works, the workaround. Small exact inputs, two loop iterations, all in one function.
3. `bsa-verify limits N` shows what they do. If lint can find the form, add a rule in `verification/lint` and name it in
   the probe's `lint`: the test holds each rule to what running showed.
4. Tag the lines of kernels and wrappers that rely on the workaround, `# limit N: why`, and add to
   `verification/limits/removals.py` an edit that takes it out, with a case that fails then.
5. `bsa-verify limits --accept --by NAME`, then `python -m verification.limits.document`.

A form whose failure differs from run to run cannot be probed. Known, and therefore not listed: chains of six and more
`elif` in a loop end in a segmentation fault, a trap or a hang.
""",
    "zh": f"""
## 询问卡

有些限制在 sim 中看不到。下面的单个文件只需要 torch、torch_npu 与 pypto，不需要本项目；
第二行在有卡的主机上运行，约十分钟。
{_COMMANDS}
## 每次提交前检查

`bsa-verify lint FILE` 只在有错误时以 1 结束。作为 pre-commit 的钩子：
{_HOOK}
有意为之的写法可在该行注明，例如 `# limit 9: 需要最后一个`，lint 便不再报告。

## 增加一项限制

1. 复制 `verification/limits/known` 中相近限制的文件，取下一个编号，写好两种语言的文字。
2. 每种写法一个 kernel：会失败的（`signature` 是其错误的正则表达式；数值错误则留空）、相邻而可用的、规避方案。
   输入小而精确，两次循环迭代，全部写在一个函数里。
3. `bsa-verify limits N` 显示它们的表现。若 lint 能找出该写法，在 `verification/lint` 中加一条规则，
   并写入探针的 `lint`。
4. 在依赖规避方案的 kernel 与 wrapper 行上标注 `# limit N: 原因`，并在 `verification/limits/removals.py`
   中加入去掉它的改动，以及届时会失败的用例。
5. `bsa-verify limits --accept --by NAME`，然后 `python -m verification.limits.document`。

每次失败方式都不同的写法无法做探针，因此未列出：循环中六个及以上的 `elif` 链，会以段错误、陷阱或挂起结束。
""",
}


def pages() -> dict[str, str]:
    """Every page: its path below ``docs/limits``, and its text in Markdown."""
    made = {}
    for language, folder in (("en", ""), ("zh", "zh/")):
        made[f"{folder}index.md"] = _index(language)
        for limit in LIMITS.values():
            made[f"{folder}{limit.number:02d}.md"] = _page(limit, language)
    return {path: _MADE + page for path, page in made.items()}


def main(argv: Sequence[str]) -> int:
    """Writes the pages below the folder that is the only argument; ``docs/limits`` by default."""
    folder = Path(argv[0] if argv else "docs/limits")
    for path, page in pages().items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8")
    return 0


def _index(language: str) -> str:
    words = _WORDS[language]
    known = versions()
    head = " | ".join([words["number"], words["limit"], *(f"sim {version}" for version in known)])
    rows = "\n".join(
        f"| {limit.number} | [{limit.title.say(language)}]({limit.number:02d}.md) | "
        + " | ".join(_statuses(limit, version) for version in known)
        + " |"
        for limit in LIMITS.values()
    )
    other = "zh/index.md" if language == "en" else "../index.md"
    table = f"| {head} |\n|{'---|' * (2 + len(known))}\n{rows}\n"
    return f"# {words['index']}\n\n[{words['other']}]({other})\n\n{words['intro']}\n\n{table}{_MORE[language]}"


def _statuses(limit: Limit, version: str) -> str:
    """Statuses of the forbidden forms in sim, each once."""
    expectation = expectation_for(version)
    found = [expectation.finding("sim", limit.number, probe.name).status for probe in limit.forbidden]
    return ", ".join(dict.fromkeys(found))


def _page(limit: Limit, language: str) -> str:
    words = _WORDS[language]
    other = f"zh/{limit.number:02d}.md" if language == "en" else f"../{limit.number:02d}.md"
    caught = caught_by().get(limit.number, {})
    removal = "\n".join(f"- `{dut}`: {what}" for dut, what in caught.items()) or words["none"]
    forms = "\n".join(_form(limit, probe, language) for probe in limit.probes)
    run = f"<!-- slow: runs kernels in the simulator -->\n```bash\nbsa-verify limits {limit.number}\n```"
    return f"""# {limit.number}. {limit.title.say(language)}

[{words["other"]}]({other}) · [{words["back"]}](index.md)

| | |
|---|---|
| {words["statement"]} | {_cell(limit.statement.say(language))} |
| {words["instead"]} | {_cell(limit.workaround.say(language))} |
| {words["cause"]} | {_cell(limit.cause.say(language))} |

## {words["run"]}

{run}

## {words["removal"]}

{removal}

## {words["forms"]}

{forms}"""


def _form(limit: Limit, probe: Probe, language: str) -> str:
    words = _WORDS[language]
    lines = [f"### {probe.name} ({words[probe.role]})", "", f"`{probe.form}`", ""]
    for version in versions():
        for mode in ("sim", "npu"):
            finding = expectation_for(version).finding(mode, limit.number, probe.name)
            if finding.status != UNKNOWN:
                blind = f"; {probe.blind.say(language)}" if probe.blind is not None and mode == "sim" else ""
                shown = f"`{finding.evidence}`" if finding.evidence else words["right"]
                lines.append(f"- {mode}, PyPTO {version}: **{finding.status}**, {shown}{blind}")
    rules = ", ".join(f"`{rule}`" for rule in probe.lint)
    if rules:
        lines.append(f"- {words['lint']}: {rules}")
    source = textwrap.dedent(inspect.getsource(probe.build)).rstrip()
    return "\n".join([*lines, "", "<!-- example: part of the limit's file -->", "```python", source, "```", ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Control flow that g++ has compiled before: kept in the user's cache, so that it is compiled once.

PyPTO generates the control flow of a kernel as C++ in every run, and calls ``g++ -S`` on each of its five or so files:
0.6 to 0.8 CPU seconds, more than any other part of a small case. The text follows from the kernel and hardly from the
data, so most runs compile what another run has compiled.

:func:`keep_compiled` puts a script named ``g++`` first on PATH. It is about compiling one source to assembly; any other
call goes to the compiler unchanged. The key of a result is the digest of the *preprocessed* text, so that every header
and macro counts and comments do not, of the options, and of the compiler's identity. The name of a result holds the
digest of its content, too: one that does not fit is not used. A cache that cannot be read or written means that g++
compiles as ever.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from bsa._pypto.errors import PyptoEnvironmentError
from bsa._pypto.folders import cache_folder

COMPILER = "g++"
MOST = 4000
"""Results that are kept, of 5 to 20 KiB each; the oldest go."""
_DRAFT = "draft-"
_ABANDONED_S = 3600.0
"""Age at which a draft was left by a process that is gone."""

_SCRIPT = """#!/bin/sh
# g++ as bsa-verification calls it (bsa/_pypto/compiled.py): keeps what it compiles to assembly.
real={real} kept={kept} identity={identity}
assembly=0 sources=0 targets=0 next=
for word do
    if [ -n "$next" ]; then target=$word targets=$((targets + 1)) next=; continue; fi
    case $word in
        -o) next=1 ;;
        -S) assembly=1 ;;
        -*) ;;
        *) source=$word sources=$((sources + 1)) ;;
    esac
done
[ "$assembly$sources$targets" = 111 ] || exec "$real" "$@"
for word do
    shift
    case $word in
        -o | -S | "$source" | "$target") ;;
        *) set -- "$@" "$word" ;;
    esac
done
text=$target.text
"$real" "$@" -E -P "$source" -o "$text" 2>/dev/null || exec "$real" "$@" -S "$source" -o "$target"
key=$({{ printf '%s\\n' "$identity" "$@"; cat "$text"; }} | sha256sum)
key=${{key%% *}}
rm -f "$text"
for found in "$kept/$key"-*; do
    [ -f "$found" ] && digest=$(sha256sum <"$found") || break
    [ "${{found##*-}}" = "${{digest%% *}}" ] && cp "$found" "$target" && exit 0
done 2>/dev/null
"$real" "$@" -S "$source" -o "$target" || exit
{{
    draft=$kept/{draft}$key.$$
    digest=$(sha256sum <"$target") && cp "$target" "$draft" && mv -f "$draft" "$kept/$key-${{digest%% *}}"
}} 2>/dev/null
exit 0
"""


def keep_compiled() -> Path | None:
    """Have this process and its children compile to assembly through the cache.

    Returns:
        The script that is now the first ``g++`` on PATH; None where there is no compiler, no cache folder or no program
        that the script needs: then nothing has changed.
    """
    real = shutil.which(COMPILER)
    if real is None or shutil.which("sha256sum") is None:
        return None
    try:
        kept = cache_folder("compiled")
        script = _script(Path(real), kept)
        _prune(kept)
    except (OSError, PyptoEnvironmentError):
        return None
    if Path(real) == script:
        return script
    if subprocess.run([script, "--version"], capture_output=True, check=False).returncode:
        return None  # a file system from which nothing can be started
    os.environ["PATH"] = f"{script.parent}{os.pathsep}{os.environ['PATH']}"
    return script


def _script(real: Path, kept: Path) -> Path:
    """Return the script for a compiler, written if it is not there; ``real`` itself if it is such a script."""
    folder = cache_folder("compiler")
    if folder in real.parents:
        return real
    status = real.resolve().stat()
    identity = f"{real.resolve()} {status.st_size} {status.st_mtime_ns}"
    words = {"real": str(real), "kept": str(kept), "identity": identity}
    text = _SCRIPT.format(**{name: shlex.quote(word) for name, word in words.items()}, draft=_DRAFT)
    script = folder / hashlib.sha256(text.encode()).hexdigest()[:16] / COMPILER
    if not script.is_file() or script.read_text() != text:
        script.parent.mkdir(exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=script.parent)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(text)
        Path(draft).chmod(0o700)
        Path(draft).replace(script)
    return script


def _prune(kept: Path) -> None:
    """Remove drafts that nobody finishes, and the oldest results beyond :data:`MOST`."""
    with os.scandir(kept) as entries:
        found = [(entry.stat().st_mtime, entry.path, entry.name) for entry in entries]
    drafts = [path for age, path, name in found if name.startswith(_DRAFT) and age < time.time() - _ABANDONED_S]
    results = sorted((age, path) for age, path, name in found if not name.startswith(_DRAFT))
    for path in [*drafts, *(path for _, path in results[: max(0, len(results) - MOST)])]:
        with contextlib.suppress(OSError):
            Path(path).unlink()

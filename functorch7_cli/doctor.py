"""What `functorch7 doctor` looks at: what is installed, what is set, the faults of this JAX, and gradients."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from . import tuning

PACKAGES = ("functorch7", "jax", "jaxlib", "flax", "optax", "chex", "numpy", "orbax-checkpoint", "torch")
HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")

Found = dict[str, Any]


def doctor() -> Found:
    """All that was found. `problems` are what is wrong with functorch7 here, `notes` what is worth knowing."""
    found: Found = {"versions": versions(), "flags": flags(), "memory": memory(), "cache": cache()}
    found |= {"devices": [], "faults": [], "gradients": [], "notes": [], "problems": []}
    if message := refusal():
        advice = "Unset XLA_FLAGS, or take out the flags that this jaxlib does not know."
        found["problems"].append({"what": f"JAX does not start: {message}", "advice": advice})
        return found
    _run(found)
    return found


def versions() -> dict[str, str]:
    """Of Python and of the packages that are installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def flags() -> dict[str, str]:
    """The variables of the environment that change what JAX does."""
    return {name: value for name, value in sorted(os.environ.items()) if name == "XLA_FLAGS" or name.startswith("JAX_")}


def memory() -> Found:
    """Huge pages: what the kernel allows, and whether this process asks for them or could."""
    allowed = HUGE_PAGES.read_text().strip() if HUGE_PAGES.exists() else "unknown"
    tunables = os.environ.get("GLIBC_TUNABLES", "")
    return {"allowed": allowed, "asked": tuning.HUGE_PAGES in tunables, "missing": _missing("GLIBC_TUNABLES")}


def cache() -> Found:
    """Where compiled programs are kept, if they are."""
    folder = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    return {"folder": folder, "missing": _missing("JAX_COMPILATION_CACHE_DIR")}


def _missing(variable: str) -> bool:
    return any(each.variable == variable for each in tuning.settings(dict(os.environ)))


def refusal() -> str | None:
    """Why JAX does not start, if it does not: flags that XLA does not know end the process, so another one asks."""
    command = [sys.executable, "-c", "import jax; jax.devices()"]
    asked = subprocess.run(command, capture_output=True, text=True)
    if asked.returncode == 0:
        return None
    lines = [line for line in asked.stderr.splitlines() if line.strip()]
    return next((line for line in lines if "flag" in line.lower()), lines[-1] if lines else "it says nothing")


def _run(found: Found) -> None:
    """What needs JAX."""
    import jax

    from . import gradients
    from .faults import FAULTS

    found["devices"] = [f"{device.platform}:{device.id} {device.device_kind}" for device in jax.devices()]
    for fault in FAULTS:
        about = {"name": fault.name, "seen": fault.seen, "about": fault.about, "present": fault.present}
        found["faults"].append(about)
        if about["present"]:
            found["notes"].append({"what": f"{fault.name}: {fault.about}", "advice": fault.advice})
    for device in jax.devices():
        for check in gradients.checks(device):
            found["gradients"].append(check)
            if not check["right"]:
                what = f"{check['device']}: gradients by {check['way']} are off by {check['off']:.2g} of the greatest"
                found["problems"].append({"what": what, "advice": gradients.ADVICE})
    for name, where in (("memory", "huge pages"), ("cache", "the folder of compiled programs")):
        if found[name]["missing"]:
            what = f"{where}: not set, but possible here"
            found["notes"].append({"what": what, "advice": "Start training by `functorch7 launch`, which sets it."})

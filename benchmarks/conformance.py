"""How well recorded results of Torch7 are met: `python -m benchmarks.conformance` prints docs/recorded.md's table.

It runs the cases of tests/test_golden.py, and keeps the largest difference of all numbers that are compared.
"""

import argparse
import contextlib
import os
import sys
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import numpy as np

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))


def main() -> None:
    """Runs all cases."""
    from test_golden import TOLERANCES, cases, test_torch7_agrees

    found, numbers, furthest, family = Counter(), Counter(), Counter(), ""

    def compare(got, expected, rtol=1e-7, atol=0, **_):
        np_got, np_expected = np.asarray(got, float), np.asarray(expected, float)
        both = np.isfinite(np_got) & np.isfinite(np_expected)
        np.testing.assert_array_equal(np_got[~both], np_expected[~both])
        off = np.abs(np_got - np_expected)[both] / np.maximum(1, np.abs(np_expected[both]))
        numbers[family] += np_got.size
        furthest[family] = max(furthest[family], off.max(initial=0))

    with patch.object(np.testing, "assert_allclose", compare):
        for case in cases():
            loose = max(case.get("tolerance", 0), TOLERANCES.get(case["id"], 0)) > 1e-7 or case["kind"] == "reinforce"
            family = case["id"].split("/")[0] + (" (float32 in Torch7)" if loose else "")
            with contextlib.redirect_stdout(sys.stderr):  # some modules print
                test_torch7_agrees(case)
            found[family] += 1
    print("| family | cases | numbers compared | largest difference |\n| --- | ---: | ---: | ---: |")
    for name in sorted(found):
        print(f"| {name} | {found[name]} | {numbers[name]:,} | {furthest[name]:.0e} |")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()

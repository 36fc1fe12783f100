"""Damage to the bytes of a file."""

import random
import struct

EXTREMES = (-1, 0, 1, 2, 3, 4, 6, 7, 8, 9, 255, 2**31 - 1, -(2**31))


def damaged(data: bytes, random: random.Random) -> bytes:
    """A copy with one to four changes: numbers replaced, bytes changed, pieces cut out, doubled or exchanged."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 4)):
        at, length = random.randrange(len(changed) + 1), random.randint(1, 40)
        kind = random.randrange(7)
        if kind == 0:
            changed[at : at + 4] = struct.pack("<i", random.choice(EXTREMES))
        elif kind == 1:
            changed[at : at + 8] = struct.pack("<q", random.choice((*EXTREMES, 2**40, 2**62, 2**63 - 1, -(2**63))))
        elif kind == 2:
            changed[at : at + 1] = bytes([random.randrange(256)])
        elif kind == 3:
            del changed[at : at + length]
        elif kind == 4:
            del changed[max(at, 1) :]
        elif kind == 5:
            changed[at:at] = changed[at : at + length]
        else:
            changed[at : at + length] = data[(start := random.randrange(len(data))) : start + length]
    return bytes(changed)

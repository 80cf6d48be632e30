"""The rule of cutting, said slowly."""

from __future__ import annotations


def cut_by_the_book(text: str, max_bytes: int, keep: str, marker: str) -> str:
    """The rule said slowly: the largest room R with which what is kept and the marker fit."""
    whole = text.encode()
    if len(whole) <= max_bytes:
        return text
    for room in range(len(whole), -1, -1):
        half = {"Head": room, "Tail": 0, "HeadAndTail": -(-room // 2)}[keep]
        head = whole[:half].decode(errors="ignore")
        rest = room - len(head.encode()) if keep != "Head" else 0
        tail = whole[len(whole) - rest :].decode(errors="ignore") if rest else ""
        gone = len(whole) - len(head.encode()) - len(tail.encode())
        result = head + marker.replace("{bytes}", str(gone)) + tail
        if gone > 0 and len(result.encode()) <= max_bytes:
            return result
    raise AssertionError("the marker does not fit")

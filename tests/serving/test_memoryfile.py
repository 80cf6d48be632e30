"""Files that are in memory alone."""

from __future__ import annotations

import stat

from admission.regularfile import read
from admission.serving.memoryfile import memory_file


def test_what_only_reads_files_reads_it() -> None:
    with memory_file(b"content") as path:
        assert stat.S_ISREG(path.stat().st_mode)
        assert read(path, 100) == b"content"
        assert path.read_bytes() == b"content", "as often as it likes"


def test_it_is_gone_with_its_block() -> None:
    with memory_file(b"content") as path:
        inode = path.stat().st_ino
    assert not path.exists() or path.stat().st_ino != inode

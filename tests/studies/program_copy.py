"""Copies of a program in physical pages of their own, and one file's pages read anew, for the studies that ask what a
copy is worth. As bench/runner/fresh_copy.hpp does it, written apart so that the studies do not rest on what they study.
"""
import ctypes
import mmap
import os

MOST_LEFT = 0.1  # of the pages that were in memory: where more stays, nothing was dropped

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
LIBC.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_ubyte)]


def write_copy(source, target, draw):
    """A byte-equal copy, its pages written in an order from `draw` (a random.Random). An older file of that name is
    removed only then, so that its pages cannot come back at once."""
    with open(source, "rb") as given:
        content = given.read()
    starts = list(range(0, len(content), mmap.PAGESIZE))
    draw.shuffle(starts)
    fresh = target + ".next"
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700)
    try:
        os.ftruncate(file, len(content))
        for start in starts:
            os.pwrite(file, content[start:start + mmap.PAGESIZE], start)
    finally:
        os.close(file)
    if os.path.exists(target):
        os.remove(target)
    os.rename(fresh, target)


def resident_pages(file):
    """Numbers of the pages of an open file that are in memory (mincore(2), which tells its owner alone)."""
    size = os.fstat(file).st_size
    start = LIBC.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file, 0)
    if start == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    try:
        state = (ctypes.c_ubyte * -(-size // mmap.PAGESIZE))()
        if LIBC.mincore(start, size, state) != 0:
            raise OSError(ctypes.get_errno(), "mincore")
        return [page for page, bits in enumerate(state) if bits & 1]
    finally:
        LIBC.munmap(start, size)


def reread(path, draw):
    """Drops the pages of a file that nobody runs, and reads them anew in an order from `draw`: (pages that were in
    memory, pages that stayed there). Where too many stayed nothing is read."""
    file = os.open(path, os.O_RDONLY)
    try:
        before = resident_pages(file)
        os.fdatasync(file)  # a page that is not written out yet cannot be dropped
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        left = len(resident_pages(file))
        if left <= MOST_LEFT * len(before):
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)  # no reading ahead, which would undo the order
            order = before[:]
            draw.shuffle(order)
            for page in order:
                os.pread(file, mmap.PAGESIZE, page * mmap.PAGESIZE)
        return len(before), left
    finally:
        os.close(file)

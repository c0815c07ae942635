#!/usr/bin/env python3
"""Writes tests/data/hostile: files that must be refused, each for the reason that tests/formats/hostile_test.cpp names.

usage: make_hostile.py [FOLDER]
"""
import json
import struct
import sys
import zlib
from pathlib import Path


def tensors(header: object, data: bytes = b"") -> bytes:
    """A safetensors file; a header that is no bytes is written as JSON."""
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype: str, shape: list, begin: object, end: object) -> dict:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def npy(descr: str, shape: str, data: bytes, order: str = "False") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    text = text.ljust((10 + len(text)) // 64 * 64 + 53) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def packed(data: bytes) -> bytes:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    return squeeze.compress(data) + squeeze.flush()


class Zip:
    """A zip file, entry by entry, with whatever lies are asked for."""

    def __init__(self) -> None:
        self.body, self.directory, self.count = b"", b"", 0

    def add(self, name, data: bytes, *, method=0, stream=None, size=None, flags=0, crc=None, local=None, disk=0):
        name = name if isinstance(name, bytes) else name.encode()
        stream = data if stream is None else stream
        facts = struct.pack("<HHIIIIHH", flags, method, 0, zlib.crc32(data) if crc is None else crc, len(stream),
                            len(data) if size is None else size, len(name), 0)
        offset = len(self.body) if local is None else local
        self.directory += b"PK\1\2" + struct.pack("<HH", 20, 20) + facts
        self.directory += struct.pack("<HHHII", 0, disk, 0, 0, offset) + name
        if local is None:
            self.body += b"PK\3\4" + struct.pack("<H", 20) + facts + name + stream
        self.count += 1
        return self

    def bytes(self, *, disk=0, count=None, comment=b"") -> bytes:
        count = self.count if count is None else count
        end = struct.pack("<HHHHIIH", disk, disk, count, count, len(self.directory), len(self.body), len(comment))
        return self.body + self.directory + b"PK\5\6" + end + comment


def safetensors_files():
    q = entry("F32", [1, 3], 0, 12)
    data = bytes(12)
    yield "empty.safetensors", b""
    yield "short.safetensors", b"\x10\0\0"
    yield "header_length_overflow.safetensors", b"\xff" * 8 + b"{}"
    yield "header_length_huge.safetensors", struct.pack("<Q", 1 << 40) + b"{}"
    yield "header_beyond_end.safetensors", struct.pack("<Q", 100) + b"{}"
    yield "truncated.safetensors", tensors({"q": q}, data)[:-5]
    yield "trailing_bytes.safetensors", tensors({"q": q}, data + b"more")
    yield "gap.safetensors", tensors({"q": q, "k": entry("F32", [1], 16, 20)}, bytes(20))
    yield "overlap.safetensors", tensors({"q": q, "k": entry("F32", [3], 8, 20)}, bytes(20))
    yield "same_bytes_twice.safetensors", tensors({"q": q, "k": q}, data)
    yield "end_before_begin.safetensors", tensors({"q": entry("F32", [1, 3], 12, 0)}, data)
    yield "offset_negative.safetensors", tensors({"q": entry("F32", [1, 3], -12, 0)}, data)
    yield "offset_float.safetensors", tensors({"q": entry("F32", [1, 3], 0.0, 12.0)}, data)
    yield "offset_text.safetensors", tensors({"q": entry("F32", [1, 3], "0", "12")}, data)
    yield "offset_beyond_64_bits.safetensors", tensors({"q": entry("F32", [1, 3], 0, 1 << 64)}, data)
    yield "offset_wraps.safetensors", tensors({"q": entry("F32", [1, 3], (1 << 64) - 12, 0)}, data)
    yield "shape_product_wraps.safetensors", tensors({"q": entry("F32", [1 << 32, 1 << 32], 0, 0)})
    yield "shape_bytes_wrap.safetensors", tensors({"q": entry("F64", [1 << 61], 0, 0)})
    yield "shape_hides_overflow.safetensors", tensors({"q": entry("F32", [0, 1 << 62, 1 << 62], 0, 0)})
    yield "shape_negative.safetensors", tensors({"q": entry("F32", [-1, -3], 0, 12)}, data)
    yield "shape_too_large.safetensors", tensors({"q": entry("F32", [1, 4], 0, 12)}, data)
    yield "shape_nested.safetensors", tensors({"q": entry("F32", [[1, 3]], 0, 12)}, data)
    yield "shape_null.safetensors", tensors({"q": {**q, "shape": None}}, data)
    yield "type_unknown.safetensors", tensors({"q": entry("F33", [1, 3], 0, 12)}, data)
    yield "type_missing.safetensors", tensors({"q": {"shape": [1, 3], "data_offsets": [0, 12]}}, data)
    yield "type_half_byte.safetensors", tensors({"q": entry("F4", [1], 0, 1)}, b"\0")
    yield "key_unknown.safetensors", tensors({"q": {**q, "pickle": "cos\nsystem"}}, data)
    yield "key_twice.safetensors", tensors(b'{"q":{"dtype":"F32","dtype":"F32","shape":[3],"data_offsets":[0,12]}}', data)
    twice = json.dumps(q).encode()
    yield "name_twice.safetensors", tensors(b'{"q":' + twice + b',"q":' + twice + b"}", data)
    yield "metadata_twice.safetensors", tensors(b'{"__metadata__":{"mask":"full","mask":"causal"}}')
    yield "metadata_number.safetensors", tensors({"__metadata__": {"scale": 0.125}})
    yield "metadata_nested.safetensors", tensors({"__metadata__": {"mask": {"causal": "yes"}}})
    yield "tensor_is_array.safetensors", tensors({"q": [1, 2, 3]})
    yield "header_is_array.safetensors", tensors([])
    yield "header_is_cut.safetensors", tensors(b'{"q":{"dtype":"F32","sha', data)
    yield "header_twice.safetensors", tensors(b"{}{}")
    yield "header_nested.safetensors", tensors(b'{"q":' + b"[" * 50000)
    yield "header_nested_objects.safetensors", tensors(b'{"a":' * 20000)
    yield "header_no_utf8.safetensors", tensors(b'{"q\xff":{}}')
    yield "header_lone_surrogate.safetensors", tensors(b'{"\\ud800":{}}')
    yield "header_nan.safetensors", tensors(b'{"q":{"dtype":"F32","shape":[NaN],"data_offsets":[0,12]}}', data)
    yield "header_huge_exponent.safetensors", tensors(b'{"q":{"dtype":"F32","shape":[1e999],"data_offsets":[0,12]}}', data)
    yield "header_begins_with_space.safetensors", tensors(b" {}")
    yield "name_steers_terminal.safetensors", tensors({"\x1b[2J": entry("F32", [1, 3], 0, 16)}, data)
    yield "torch_pickle.pt", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."


def npz_files():
    good = npy("'<f4'", "(2, 3)", bytes(24))
    yield "object_array.npz", Zip().add("q.npy", npy("'|O'", "(1,)", b"\x80\x04cposix\nsystem\n.")).bytes()
    yield "records.npz", Zip().add("q.npy", npy("[('a', '<f4')]", "(6,)", bytes(24))).bytes()
    yield "records_with_objects.npz", Zip().add("q.npy", npy("[('a', '|O')]", "(6,)", bytes(24))).bytes()
    yield "descr_unknown.npz", Zip().add("q.npy", npy("'<q4'", "(6,)", bytes(24))).bytes()
    yield "descr_is_code.npz", Zip().add("q.npy", npy("__import__('os').system('id')", "(6,)", bytes(24))).bytes()
    yield "shape_is_code.npz", Zip().add("q.npy", npy("'<f4'", "(exit(),)", bytes(24))).bytes()
    yield "shape_negative.npz", Zip().add("q.npy", npy("'<f4'", "(-2, -3)", bytes(24))).bytes()
    yield "shape_product_wraps.npz", Zip().add("q.npy", npy("'<f4'", "(4294967296, 4294967296)", b"")).bytes()
    yield "shape_bytes_wrap.npz", Zip().add("q.npy", npy("'<f8'", "(2305843009213693952,)", b"")).bytes()
    yield "shape_too_large.npz", Zip().add("q.npy", npy("'<f4'", "(2, 4)", bytes(24))).bytes()
    yield "order_missing.npz", Zip().add("q.npy", npy("'<f4', 'x': 1", "(2, 3)", bytes(24))).bytes()
    yield "npy_header_beyond_end.npz", Zip().add("q.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{").bytes()
    yield "npy_version.npz", Zip().add("q.npy", b"\x93NUMPY\x09\x00" + good[8:]).bytes()
    yield "no_npy.npz", Zip().add("q.npy", b"cos\nsystem\n(S'id'\ntR.").bytes()
    yield "text_no_code_point.npz", Zip().add("mask.npy", npy("'<U1'", "()", b"\0\0\x11\0")).bytes()
    yield "text_no_utf8.npz", Zip().add("mask.npy", npy("'|S2'", "()", b"\xc0\xaf")).bytes()
    yield "torch_zip.pt", Zip().add("archive/data.pkl", b"\x80\x02.").bytes()
    yield "single_array.npy", good

    yield "name_twice.npz", Zip().add("q.npy", good).add("q.npy", good).bytes()
    for word, name in {"parent": "../q.npy", "absolute": "/etc/q.npy", "backslash": "..\\q.npy", "folder": "q/",
                       "empty": "", "not_utf8": b"\xff.npy", "nul": "q\0.npy"}.items():
        yield f"name_{word}.npz", Zip().add(name, good).bytes()
    yield "encrypted.npz", Zip().add("q.npy", good, flags=1).bytes()
    yield "patched_data.npz", Zip().add("q.npy", good, flags=32).bytes()
    yield "method_lzma.npz", Zip().add("q.npy", good, method=14).bytes()
    yield "crc_wrong.npz", Zip().add("q.npy", good, crc=1).bytes()
    yield "crc_wrong_deflated.npz", Zip().add("q.npy", good, method=8, stream=packed(good), crc=1).bytes()
    yield "stored_sizes_differ.npz", Zip().add("q.npy", good, size=9).bytes()
    yield "several_disks.npz", Zip().add("q.npy", good).bytes(disk=1)
    yield "other_disk.npz", Zip().add("q.npy", good, disk=3).bytes()
    yield "count_too_large.npz", Zip().add("q.npy", good).bytes(count=2)
    yield "count_too_small.npz", Zip().add("q.npy", good).add("k.npy", good).bytes(count=1)
    yield "count_asks_zip64.npz", Zip().add("q.npy", good).bytes(count=0xFFFF)
    yield "entry_beyond_end.npz", Zip().add("q.npy", good, local=1 << 30).bytes()
    yield "entry_inside_another.npz", inside_another(good)
    yield "no_directory.npz", Zip().add("q.npy", good).bytes()[:-30]
    yield "only_the_mark.npz", b"PK\3\4"
    yield "bytes_before.npz", b"PK\3\4" + Zip().add("q.npy", good).bytes()
    yield "comment_is_cut.npz", Zip().add("q.npy", good).bytes(comment=b"0123456789")[:-1]
    yield "renamed.npz", Zip().add("q.npy", good).bytes().replace(b"q.npy", b"k.npy", 1)

    bomb = npy("'<f4'", f"({72 << 20},)", bytes(288 << 20))
    yield "bomb.npz", Zip().add("q.npy", bomb, method=8, stream=packed(bomb)).bytes()
    half = npy("'<f4'", f"({36 << 20},)", bytes(144 << 20))
    parts = Zip()
    for name in ("k.npy", "q.npy"):
        parts.add(name, half, method=8, stream=packed(half))
    yield "bomb_in_two_parts.npz", parts.bytes()
    yield "bomb_claims_little.npz", Zip().add("q.npy", good, method=8, stream=packed(bytes(1 << 21))).bytes()
    yield "bomb_claims_the_impossible.npz", Zip().add("q.npy", good, method=8, stream=packed(good), size=1 << 31).bytes()
    yield "deflate_broken.npz", Zip().add("q.npy", good, method=8, stream=b"\x07" + packed(good)).bytes()
    yield "deflate_cut.npz", Zip().add("q.npy", good, method=8, stream=packed(good)[:-4]).bytes()
    yield "deflate_trailing.npz", Zip().add("q.npy", good, method=8, stream=packed(good) + b"more").bytes()
    yield "deflate_too_little.npz", Zip().add("q.npy", good, method=8, stream=packed(good[:-1])).bytes()


def inside_another(good: bytes) -> bytes:
    """b.npy's record lies inside the data of a.npy."""
    inner = Zip().add("b.npy", good)
    return Zip().add("a.npy", inner.body).add("b.npy", good, local=30 + len("a.npy")).bytes()


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "hostile")
    folder.mkdir(exist_ok=True)
    for name, content in (*safetensors_files(), *npz_files()):
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()

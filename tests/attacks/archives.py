"""Makes a folder of what people hand in, friendly and hostile: archives.py SOLUTION FOLDER.

SOLUTION is a right scale.c. Beside FOLDER comes class.zip, which holds some of the archives, and a folder
slow with an archive of 32 GB.
"""
import io
import lzma
import os
import struct
import sys
import tarfile
import unicodedata
import zipfile
import zlib

solution, folder = sys.argv[1:]
text = open(solution, "rb").read()
os.makedirs(folder)


def path(name):
    return os.path.join(folder, name)


def pack(name, *members, when=1_600_000_000):
    with zipfile.ZipFile(path(name), "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members:
            archive.writestr(member, data)
    os.utime(path(name), (when, when))


def tar(name, mode, *members):
    with tarfile.open(path(name), mode) as archive:
        for member, kind, data in members:
            entry = tarfile.TarInfo(member)
            entry.type = kind
            if kind == tarfile.REGTYPE:
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
            else:
                entry.linkname = data
                archive.addfile(entry)


def rar(name, member, data):
    """RAR 4, stored: headers of a checksum, a kind, flags, a size; unrar's technote.txt has them."""
    def header(kind, flags, rest):
        body = struct.pack("<BHH", kind, flags, 7 + len(rest)) + rest
        return struct.pack("<H", zlib.crc32(body) & 0xffff) + body
    entry = struct.pack("<IIBIIBBHI", len(data), len(data), 3, zlib.crc32(data), 0x50210000, 20, 0x30,
                        len(member), 0o100644) + member.encode()
    with open(path(name), "wb") as archive:
        archive.write(b"Rar!\x1a\x07\x00" + header(0x73, 0, bytes(6)) + header(0x74, 0x8000, entry) + data
                      + header(0x7b, 0x4000, b""))


def seven_zip(name, member, data):
    """7z, copied: a header behind the data, of properties that each begin with a number; 7zFormat.txt has them."""
    def number(value):
        return bytes([0x80 | value >> 8, value & 0xff]) if value > 127 else bytes([value])
    names = b"\0" + member.encode("utf-16-le") + b"\0\0"
    size = number(len(data))
    header = (b"\1\4" + b"\6\0\1\x09" + size + b"\0" + b"\7\x0b\1\0" + b"\1\1\0" + b"\x0c" + size + b"\0"
              + b"\x08\x0a\1" + struct.pack("<I", zlib.crc32(data)) + b"\0\0"
              + b"\5\1\x11" + number(len(names)) + names + b"\0\0")
    start = struct.pack("<QQI", len(data), len(header), zlib.crc32(header))
    with open(path(name), "wb") as archive:
        archive.write(b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + data + header)


def link(member, target):
    entry = zipfile.ZipInfo(member)
    entry.create_system = 3
    entry.external_attr = 0o120777 << 16
    return entry, target


workspace = "attention/exercises/scale.c"
plain = (workspace, tarfile.REGTYPE, text)
pack("zip.zip", (workspace, text), ("__MACOSX/attention/._scale.c", "x"), ("notes.txt", "x"))
tar("tar.tar", "w", plain)
tar("tar_gz.tar.gz", "w:gz", plain)
tar("tar_xz.tar.xz", "w:xz", plain)
for ending, mode in (("tgz", "w:gz"), ("tbz", "w:bz2"), ("tbz2", "w:bz2"), ("txz", "w:xz")):
    tar(f"{ending}.{ending}", mode, plain)
rar("rar.rar", workspace, text)
seven_zip("seven.7z", workspace, text)


def named(name, flags, member, data, system=3):
    """A zip whose name is these bytes, flagged as UTF-8 (0x800) or not; made on Unix (3) or Windows (0)."""
    crc = zlib.crc32(data)
    local = struct.pack("<HHHHHIIIHH", 20, flags, 0, 0, 0x5000, crc, len(data), len(data), len(member), 0)
    entry = struct.pack("<BBHHHHHIIIHHHHHII", 20, system, 20, flags, 0, 0, 0x5000, crc, len(data), len(data),
                        len(member), 0, 0, 0, 0, 0o100644 << 16 if system else 0x20, 0)
    where = 4 + len(local) + len(member) + len(data)
    with open(path(name), "wb") as archive:
        archive.write(b"PK\3\4" + local + member + data + b"PK\1\2" + entry + member
                      + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, 4 + len(entry) + len(member), where, 0))


named("korean.zip", 0x800, "과제/exercises/scale.c".encode(), text)
named("umlaut.zip", 0, "Übung/scale.c".encode(), text)
named("cp949.zip", 0, "홍길동 과제/scale.c".encode("cp949"), text, system=0)
named("cp949_copy.zip", 0, "과제/scale - 복사본.c".encode("cp949"), text, system=0)
named("cp437.zip", 0, "Übung/scale.c".encode("cp437"), text, system=0)
named("emoji.zip", 0x800, "\U0001F389/scale.c".encode(), text)
named("decomposed.zip", 0, unicodedata.normalize("NFD", "과제 제출/scale.c").encode(), text)
named("long_name.zip", 0, unicodedata.normalize("NFD", "어텐션 실습" * 10 + "/scale.c").encode(), text)
named("backslashes.zip", 0, b"hw\\exercises\\scale.c", text)
named("backslash_out.zip", 0, b"..\\scale.c", text)
named("nameless.zip", 0x800, b"\xff\xfe/scale.c", text)
seven_zip("korean_seven.7z", "과제/scale.c", text)
tar("korean_tar.tar.gz", "w:gz", ("과제/scale.c", tarfile.REGTYPE, text))
open(path("nora_61232_attention.alz"), "wb").write(b"ALZ\1")
open(path("omar.egg"), "wb").write(b"EGGA")
open(path("paul_61233_report.pdf"), "wb").write(b"%PDF-1.4")
open(path("choi_5551_779_report.pdf"), "wb").write(b"%PDF-1.4")
os.makedirs(path("nested/attention/exercises"))
open(path("nested/attention/exercises/scale.c"), "wb").write(text)
os.makedirs(path("deep"))
pack("deep/work.zip", ("a/b/c/scale.c", text))
pack("kim_12345_678_attention.zip", ("scale.c", "wrong"), when=1_600_000_000)
pack("kim_12345_679_attention-1.zip", ("scale.c", text), when=1_600_000_100)
open(path("choi_5551_777_scale.c"), "wb").write(text)
open(path("choi_5551_778_softmax-2.c"), "wb").write(b"int x;\n")

pack("bomb.zip", ("scale.c", b"\0" * 100_000_000))
pack("film.zip", (workspace, text), *((f"film{number}.mp4", b"\0" * 2_000_000) for number in range(5)))
pack("far.zip", (workspace, text), ("path/" * 1000 + "scale.c", text), ("e\u0301" * 3000 + ".c", text))
pack("outside.zip", ("../scale.c", text), ("/tmp/scale.c", text))
pack("broken_line.zip", ("exercises/new\nline.c", text))
pack("link.zip", link("scale.c", "/etc/passwd"))
tar("tar_link.tar", "w", ("scale.c", tarfile.SYMTYPE, "../zip/scale.c"))
tar("device.tar", "w", ("scale.c", tarfile.CHRTYPE, ""))
tar("pipe.tar", "w", ("scale.c", tarfile.FIFOTYPE, ""))
tar("twice.tar", "w", ("scale.c", tarfile.REGTYPE, text), ("scale.c", tarfile.REGTYPE, b"wrong"))
tar("damaged.tar.gz", "w:gz", plain)
whole = open(path("damaged.tar.gz"), "rb").read()
open(path("damaged.tar.gz"), "wb").write(whole[: len(whole) // 2])
open(path("nonsense.zip"), "wb").write(b"this is no archive\n" * 100)
pack("many.zip", *((f"{number}.txt", "") for number in range(20100)))
pack("russian.zip", ("inner.zip", whole))
pack("locked.zip", ("scale.c", text))
whole = bytearray(open(path("locked.zip"), "rb").read())
for signature, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
    at = whole.index(signature) + place
    struct.pack_into("<H", whole, at, struct.unpack_from("<H", whole, at)[0] | 1)
open(path("locked.zip"), "wb").write(whole)
# Its header asks for a dictionary of 3 GB: byte 2 of the filter of LZMA2, below a checksum of its own.
tar("greedy.tar.xz", "w:xz", plain)
whole = bytearray(open(path("greedy.tar.xz"), "rb").read())
end = 12 + (whole[12] + 1) * 4
whole[whole.index(b"\x21\x01", 12, end) + 2] = 39
struct.pack_into("<I", whole, end - 4, zlib.crc32(whole[12:end - 4]))
open(path("greedy.tar.xz"), "wb").write(whole)
# Streams of xz behind one another are one: it says so on few bytes.
os.makedirs(path("../slow"))
with open(path("../slow/endless.tar.xz"), "wb") as archive:
    entry = tarfile.TarInfo("other.bin")
    entry.size = 32 << 30
    archive.write(lzma.compress(entry.tobuf()))
    archive.write(lzma.compress(bytes(64 << 20), preset=1) * 512)
os.makedirs(path("empty"))
os.makedirs(path("second/attention/exercises"))
os.makedirs(path("second/other"))
for below in ("attention/exercises/scale.c", "attention/exercises/score.c", "other/scale.c"):
    open(path("second/" + below), "wb").write(text)
for number in range(70):
    os.makedirs(path(f"scattered/work{number:02}"))
    open(path(f"scattered/work{number:02}/scale.c"), "wb").write(text)
    os.utime(path(f"scattered/work{number:02}/scale.c"), (1_700_000_000, 1_700_000_000))
os.makedirs(path("over\u202elook/exercises"))
open(path("over\u202elook/exercises/scale.c"), "w").write("int scale(\n")
pack("turned\u202eround.zip", ("scale.c", text), ("\x1b[31m.c", text))
open(path("notes.txt"), "w").write("for the teacher\n")

with zipfile.ZipFile(os.path.join(os.path.dirname(folder), "class.zip"), "w") as archive:
    for name in ("zip.zip", "tar_gz.tar.gz"):
        archive.write(path(name), name)
    archive.writestr("kim/lecture.mp4", b"\0" * 2_000_000, zipfile.ZIP_DEFLATED)
    for number in range(30):
        archive.writestr(f"../{number}.c", "")

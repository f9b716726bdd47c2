#===- build_backend.py - builds the wheel with CMake -----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The build backend of pyproject.toml (PEP 517). It needs CMake, a C++20 compiler and LLVM's
libraries, and nothing from a package index. The wheel holds `python/shardwright/` and, in
`shardwright/lib/`, the sharding algebra's library and the plugin for JAX. A build folder that
SHARDWRIGHT_BUILD names gives the plugin instead of a build of its own; CMAKE_ARGS are further
arguments of CMake's."""

import base64
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAME = "shardwright"
ALGEBRA, PLUGIN = "libshardwright-sharding.so", "libshardwright_pjrt.so"
ENTRY_POINTS = "[jax_plugins]\nshardwright = shardwright.jax\n"
# What the sdist holds: enough for the wheel.
SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "cmake", "pyproject.toml", "python", "shardwright-c", "shardwright")
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes each time


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt")) as file:
        return re.search(r"project\(Shardwright VERSION ([\d.]+)", file.read()).group(1)


def metadata():
    with open(os.path.join(ROOT, "pyproject.toml")) as file:
        project = dict(re.findall(r'^([\w-]+) = "(.*)"$', file.read(), re.M))
    with open(os.path.join(ROOT, "README.md")) as file:
        readme = file.read()
    return (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\nSummary: {project['description']}\n"
        f"License: Apache-2.0 WITH LLVM-exception\nRequires-Python: {project['requires-python']}\n"
        f"Description-Content-Type: text/markdown\n\n{readme}"
    )


def files(folder):
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        yield from (os.path.join(path, name) for name in sorted(names) if not name.endswith(".pyc"))


def build_libraries(folder):
    compiler = os.environ.get("CXX") or shutil.which("clang++-22") or shutil.which("c++")
    ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
    flags = [f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release"]
    flags += shlex.split(os.environ.get("CMAKE_ARGS", ""))
    algebra = os.path.join(folder, "algebra")
    subprocess.run(["cmake", *ninja, "-S", os.path.join(ROOT, "python"), "-B", algebra, *flags], check=True)
    subprocess.run(["cmake", "--build", algebra, "--parallel"], check=True)
    given = os.environ.get("SHARDWRIGHT_BUILD")
    whole = os.path.join(ROOT, given or "")
    if not given:
        whole = os.path.join(folder, "whole")
        flags += ["-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld", "-DSHARDWRIGHT_BUILD_TOOLS=OFF"]
        subprocess.run(["cmake", *ninja, "-S", ROOT, "-B", whole, *flags], check=True)
        subprocess.run(["cmake", "--build", whole, "--parallel", "--target", "shardwright_pjrt"], check=True)
    plugin = os.path.join(folder, PLUGIN)
    strip = shutil.which("llvm-strip-22") or shutil.which("strip")
    subprocess.run([strip, "-o", plugin, os.path.join(whole, "lib", PLUGIN)], check=True)
    return [os.path.join(algebra, ALGEBRA), plugin]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    info, records = f"{NAME}-{version()}.dist-info", []
    path = f"{NAME}-{version()}-{tag}.whl"
    with tempfile.TemporaryDirectory() as build, zipfile.ZipFile(
        os.path.join(wheel_directory, path), "w", zipfile.ZIP_DEFLATED
    ) as wheel:

        def add(name, data, mode=0o644):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={digest},{len(data)}\n")

        python = os.path.join(ROOT, "python")
        for file in files(os.path.join(python, NAME)):
            with open(file, "rb") as source:
                add(os.path.relpath(file, python), source.read())
        for library in build_libraries(build):
            with open(library, "rb") as source:
                add(f"{NAME}/lib/{os.path.basename(library)}", source.read(), 0o755)
        with open(os.path.join(ROOT, "LICENSE"), "rb") as source:
            add(f"{info}/LICENSE", source.read())
        add(f"{info}/METADATA", metadata().encode())
        add(f"{info}/entry_points.txt", ENTRY_POINTS.encode())
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        records.append(f"{info}/RECORD,,\n")
        wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD", EPOCH), "".join(records))
    return path


def build_sdist(sdist_directory, config_settings=None):
    top = f"{NAME}-{version()}"
    with tarfile.open(os.path.join(sdist_directory, top + ".tar.gz"), "w:gz") as archive:
        for source in SOURCES:
            whole = os.path.join(ROOT, source)
            for file in files(whole) if os.path.isdir(whole) else [whole]:
                archive.add(file, os.path.join(top, os.path.relpath(file, ROOT)))
        data = metadata().encode()
        entry = tarfile.TarInfo(top + "/PKG-INFO")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return top + ".tar.gz"

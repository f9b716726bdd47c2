#===- build_backend.py - builds the wheel with CMake -----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The build backend of pyproject.toml (PEP 517). It needs CMake, a C++20 compiler and LLVM's
libraries, and nothing from a package index.

The wheel contains `python/shardwright/` and, in `shardwright/lib/`, the library of the sharding
algebra, the plugin for JAX, and the modules (transports of jobs, solver) that can be built here. They are built in `build-wheel/`, which is kept, so that an
interrupted build can continue and the next build is short. If SHARDWRIGHT_BUILD names a build
folder, the plugin is taken from there. CMAKE_ARGS holds further arguments for CMake."""

import base64
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAME = "shardwright"
ALGEBRA, PLUGIN = "libshardwright-sharding.so", "libshardwright_pjrt.so"
# For jobs of several processes, and the solver of automatic sharding: built if their libraries are installed.
MODULES = ("libshardwright_mpi.so", "libshardwright_gloo.so", "libshardwright_cbc.so")
ENTRY_POINTS = (
    "[jax_plugins]\nshardwright = shardwright.jax\n\n[torch_xla.plugins]\nSHARDWRIGHT = shardwright.torch:Plugin\n"
)
# Files of the sdist: those that are needed to build the wheel.
SOURCES = (
    "CMakeLists.txt", "LICENSE", "README.md", "cmake", "pyproject.toml", "python", "shardwright", "shardwright-c",
    "third_party",
)  # fmt: skip
EPOCH = (1980, 1, 1, 0, 0, 0)  # makes wheels reproducible


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt")) as file:
        return re.search(r"project\(Shardwright VERSION ([\d.]+)", file.read()).group(1)


def metadata():
    with open(os.path.join(ROOT, "pyproject.toml")) as file:
        text = file.read()
    project = dict(re.findall(r'^([\w-]+) = "(.*)"$', text, re.M))
    extras = re.findall(r'^(\w+) = \["(.*)"\]$', text.partition("[project.optional-dependencies]")[2].partition("\n[")[0], re.M)
    with open(os.path.join(ROOT, "README.md")) as file:
        readme = file.read()
    return (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\nSummary: {project['description']}\n"
        f"License: Apache-2.0 WITH LLVM-exception\nRequires-Python: {project['requires-python']}\n"
        + "".join(f'Provides-Extra: {extra}\nRequires-Dist: {needed}; extra == "{extra}"\n' for extra, needed in extras)
        + f"Description-Content-Type: text/markdown\n\n{readme}"
    )


def files(folder):
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        yield from (os.path.join(path, name) for name in sorted(names) if not name.endswith(".pyc"))


def build_libraries():
    # Directly below the tree, as other build folders are, so that ccache finds their objects.
    folder = os.path.join(ROOT, "build-wheel")
    compiler = os.environ.get("CXX") or shutil.which("clang++-22") or shutil.which("c++")
    if not compiler or not shutil.which("cmake"):
        sys.exit("shardwright is built from C++, and CMake or the compiler is missing: docs/dependencies.md says what building needs")
    ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
    flags = [f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release"]
    beside = compiler.replace("clang++", "clang")  # CMake needs a C compiler as well
    flags += [f"-DCMAKE_C_COMPILER={beside}"] if beside != compiler and shutil.which(beside) else []
    flags += shlex.split(os.environ.get("CMAKE_ARGS", ""))
    algebra = os.path.join(folder, "sharding")
    subprocess.run(["cmake", *ninja, "-S", os.path.join(ROOT, "python"), "-B", algebra, *flags], check=True)
    subprocess.run(["cmake", "--build", algebra, "--parallel"], check=True)
    given = os.environ.get("SHARDWRIGHT_BUILD")
    whole = os.path.join(ROOT, given or "")
    if not given:
        whole = folder
        flags += ["-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld", "-DSHARDWRIGHT_BUILD_TOOLS=OFF"]
        subprocess.run(["cmake", *ninja, "-S", ROOT, "-B", whole, *flags], check=True)
        subprocess.run(["cmake", "--build", whole, "--parallel", "--target", "shardwright_pjrt"], check=True)
    strip = shutil.which("llvm-strip-22") or shutil.which("strip")
    stripped = []
    for library in (PLUGIN, *MODULES):
        source = os.path.join(whole, "lib", library)
        if library in MODULES and not os.path.exists(source):
            continue
        stripped.append(os.path.join(folder, library))
        subprocess.run([strip, "-o", stripped[-1], source], check=True)
    return [os.path.join(algebra, ALGEBRA), *stripped]


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without this hook pip builds the wheel to read its metadata, and then builds it again."""
    info = f"{NAME}-{version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, info))
    for name, text in (("METADATA", metadata()), ("entry_points.txt", ENTRY_POINTS)):
        with open(os.path.join(metadata_directory, info, name), "w") as file:
            file.write(text)
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    info, records = f"{NAME}-{version()}.dist-info", []
    path = f"{NAME}-{version()}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, path), "w", zipfile.ZIP_DEFLATED) as wheel:

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
        for library in build_libraries():
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

#===- library.py - the shared library of the plugin ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Finds libshardwright_pjrt.so, and wraps its functions beyond PJRT: an extension of our own in the
chain of PJRT extensions (shardwright/pjrt_abi/bridge.h)."""

import ctypes
import os

NAME = "libshardwright_pjrt.so"
_TYPE = 0x5357
VERSION = 4


def places():
    package = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(package))
    build = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(root, "build"))
    asked = os.environ.get("SHARDWRIGHT_LIBRARY_DIR")
    return [p for p in (asked, os.path.join(package, "lib"), os.path.join(build, "lib")) if p]


def find():
    """Returns the path of the library, or None."""
    for place in places():
        path = os.path.join(place, NAME)
        if os.path.exists(path):
            return path
    return None


# What may connect the processes of a job, beside TCP: the packages that its module needs when it is built, and when it
# is used.
TRANSPORTS = {
    "gloo": ("libgloo-dev", "libgloo0"),
    "mpi": ("libopenmpi-dev or libmpich-dev", "libopenmpi3 or libmpich12"),
}


def transports(library):
    """Returns {transport: None, or what is missing to use it}, for a path of the library. Loads the modules."""
    found = {}
    for name, (to_build, to_run) in TRANSPORTS.items():
        path = os.path.join(os.path.dirname(library), f"libshardwright_{name}.so")
        found[name] = None
        if not os.path.exists(path):
            found[name] = f"was not built; install {to_build} (Debian) and build Shardwright again"
            continue
        try:
            ctypes.CDLL(path)
        except OSError as error:
            found[name] = f"{error}; install {to_run} (Debian)"
    return found


class HostArray(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
    ]


HOST_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_uint64,
    ctypes.c_size_t,
    ctypes.POINTER(HostArray),
    ctypes.c_size_t,
    ctypes.POINTER(HostArray),
    ctypes.c_void_p,
    ctypes.c_size_t,
)


# Called with a function number when an executable that calls it is created (1) or destroyed (0).
HOLD_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_int)


class _InspectArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("what", ctypes.c_char_p),
        ("request", ctypes.c_char_p),
        ("request_size", ctypes.c_size_t),
        ("code", ctypes.c_char_p),
        ("code_size", ctypes.c_size_t),
        ("answer", ctypes.c_void_p),
        ("answer_size", ctypes.c_size_t),
        ("holder", ctypes.c_void_p),
    ]


class _Extension(ctypes.Structure):
    pass


_Extension._fields_ = [
    ("struct_size", ctypes.c_size_t),
    ("type", ctypes.c_int),
    ("next", ctypes.POINTER(_Extension)),
    ("version", ctypes.c_int64),
    ("set_host_callback", ctypes.CFUNCTYPE(None, HOST_CALLBACK, HOLD_CALLBACK)),
    (
        "register_ffi",
        ctypes.CFUNCTYPE(
            ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint32
        ),
    ),
    ("register_untyped", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p)),
    (
        "register_ffi_type",
        ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p),
    ),
    ("inspect", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_InspectArgs))),
    ("free_answer", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
]


class _MessageArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
        ("message", ctypes.c_void_p),
        ("message_size", ctypes.c_size_t),
    ]


class _Api(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.POINTER(_Extension)),
        ("version", ctypes.c_char * 24),
        ("error_destroy", ctypes.CFUNCTYPE(None, ctypes.POINTER(_MessageArgs))),
        ("error_message", ctypes.CFUNCTYPE(None, ctypes.POINTER(_MessageArgs))),
    ]


class Bridge:
    """Our extension of the library at `path`. The process may have loaded the library already."""

    def __init__(self, path):
        library = ctypes.CDLL(path)
        library.GetPjrtApi.restype = ctypes.POINTER(_Api)
        self._api = library.GetPjrtApi().contents
        extension = self._api.extension_start
        while extension and extension.contents.type != _TYPE:
            extension = extension.contents.next
        if not extension:
            raise ImportError(f"{path} is not a plugin of Shardwright; build it, or set SHARDWRIGHT_LIBRARY_DIR")
        self._extension = extension.contents
        if self._extension.version < VERSION:
            raise ImportError(f"{path} is older than this package: its bridge has version {self._extension.version}, expected {VERSION}")
        self.set_host_callback = self._extension.set_host_callback
        self.register_ffi = self._extension.register_ffi
        self.register_untyped = self._extension.register_untyped
        self.register_ffi_type = self._extension.register_ffi_type

    def inspect(self, what, request, code):
        """Returns the plugin's answer as text. Raises ValueError if the plugin refuses."""
        request = request.encode()
        args = _InspectArgs(
            ctypes.sizeof(_InspectArgs), what.encode(), request, len(request), code, len(code), None, 0, None
        )
        error = self._extension.inspect(ctypes.byref(args))
        if error:
            raise ValueError(self.message(error))
        try:
            return ctypes.string_at(args.answer, args.answer_size).decode()
        finally:
            self._extension.free_answer(args.holder)

    def message(self, error):
        """Returns the text of an error, and destroys the error."""
        args = _MessageArgs(ctypes.sizeof(_MessageArgs), None, error, None, 0)
        self._api.error_message(ctypes.byref(args))
        text = ctypes.string_at(args.message, args.message_size).decode()
        args.struct_size = 24
        self._api.error_destroy(ctypes.byref(args))
        return text

#===- sharding.py - sharding algebra for Python ----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""HLO shardings (V1, V2, V3), PartitionSpecs and Shardy's shardings, without XLA or JAX.

    from shardwright.sharding import Mesh, HloSharding
    s = HloSharding("{devices=[4,2]0,4,1,5,2,6,3,7}")
    s.to_v2()                              # {devices=[4,2]<=[2,4]T(1,0)}
    mesh = Mesh({"x": 2, "y": 4})
    s.to_sdy(mesh, rank=2)                 # [{"y"}, {"x"}]
    s.to_spec(mesh)                        # P('y', 'x')
    HloSharding.from_spec("P(('x', 'y'),)", mesh, rank=2)
    s.indices((8, 4))                      # {device: (slice, slice)}
    Mesh.infer([s])                        # Mesh({'_axis_0': 2, '_axis_1': 4})

Bad input raises ValueError with the position and the reason. Values do not change and may be
shared between threads.
"""

import ctypes
import operator
import os

__all__ = ["HloSharding", "Mesh"]


def _load():
    here = os.path.dirname(os.path.abspath(__file__))
    name = "libshardwright-sharding.so"
    places = [os.environ.get("SHARDWRIGHT_LIBRARY_DIR"), here, os.path.join(here, "lib")]
    root = os.path.dirname(os.path.dirname(here))
    places.append(os.path.join(os.environ.get("SHARDWRIGHT_BUILD", os.path.join(root, "build")), "lib"))
    for place in filter(None, places):
        if os.path.exists(os.path.join(place, name)):
            return ctypes.CDLL(os.path.join(place, name))
    raise ImportError(f"{name} is not in {places}; build it, or set SHARDWRIGHT_LIBRARY_DIR")


_lib = _load()
_P, _S, _I, _Z, _B = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64, ctypes.c_size_t, ctypes.c_bool
_E = ctypes.POINTER(ctypes.c_void_p)
_IP = ctypes.POINTER(ctypes.c_int64)
for _name, _result, _args in (
    ("swStringFree", None, [_P]),
    ("swShardingFree", None, [_P]),
    ("swMeshFree", None, [_P]),
    ("swMeshNew", _P, [ctypes.POINTER(_S), _IP, _Z, _IP, _Z, _E]),
    ("swMeshNumAxes", _Z, [_P]),
    ("swMeshAxisSize", _I, [_P, _Z]),
    ("swMeshAxisName", _S, [_P, _Z]),
    ("swMeshDeviceIds", _Z, [_P, _IP]),
    ("swMeshFromShardings", _P, [ctypes.POINTER(_P), _Z, _I, _E]),
    ("swShardingParse", _P, [_S, _Z, _E]),
    ("swShardingFromProto", _P, [_S, _Z, _E]),
    ("swShardingFromSpec", _P, [_S, _Z, _P, _I, ctypes.POINTER(_S), _Z, _E]),
    ("swShardingGetKind", ctypes.c_int, [_P]),
    ("swShardingNumDevices", _I, [_P]),
    ("swShardingTileDims", _Z, [_P, _IP]),
    ("swShardingNumSubgroups", _Z, [_P]),
    ("swShardingDevices", None, [_P, _IP]),
    ("swShardingNumElements", _Z, [_P]),
    ("swShardingToElement", _P, [_P, _Z]),
    ("swShardingEqual", _B, [_P, _P]),
    ("swShardingHoldsSameData", _B, [_P, _P]),
    ("swShardingValidate", _B, [_P, _IP, _Z, _I, _E]),
    ("swShardingShardShape", None, [_P, _IP, _Z, _IP]),
    ("swShardingShardBox", None, [_P, _IP, _Z, _I, _IP, _IP]),
    ("swShardingToText", _P, [_P, _B]),
    ("swShardingToProto", _P, [_P, ctypes.POINTER(_Z)]),
    ("swShardingToV1", _P, [_P]),
    ("swShardingToV2", _P, [_P]),
    ("swShardingToV3", _P, [_P, _P, _I, _E]),
    ("swShardingToSdy", _P, [_P, _P, _I, _E]),
    ("swShardingToSpec", _P, [_P, _P, _E]),
):
    _function = getattr(_lib, _name)
    _function.restype, _function.argtypes = _result, _args


def _text(pointer, size=-1):
    """Returns a string of the library, and frees the library's copy."""
    try:
        return ctypes.string_at(pointer, size) if size >= 0 else ctypes.string_at(pointer).decode(errors="replace")
    finally:
        _lib.swStringFree(pointer)


def _call(function, *args):
    """Calls a function whose last parameter is the error."""
    error = ctypes.c_void_p()
    result = function(*args, ctypes.byref(error))
    if not result:
        raise ValueError(_text(error.value) if error.value else "out of memory")
    return result


def _integer(value):
    """Checks the range: ctypes would truncate the number."""
    value = operator.index(value)
    if not -(2**63) <= value < 2**63:
        raise OverflowError(f"{value} does not fit 64 bits")
    return value


def _integers(values):
    values = [_integer(v) for v in values]
    return (ctypes.c_int64 * len(values))(*values)


def _strings(values):
    values = [v.encode() for v in values]
    for value in values:
        if b"\0" in value:
            raise ValueError(f"{value.decode()!r} holds a zero byte")
    return (ctypes.c_char_p * len(values))(*values)


class Mesh:
    """Named axes over devices, major to minor: Mesh({"x": 2, "y": 4})."""

    def __init__(self, axes, device_ids=()):
        axes, ids = dict(axes), list(device_ids)
        self._pointer = _call(
            _lib.swMeshNew, _strings(axes), _integers(axes.values()), len(axes), _integers(ids), len(ids)
        )

    @classmethod
    def _own(cls, pointer):
        mesh = cls.__new__(cls)
        mesh._pointer = pointer
        return mesh

    def __del__(self):
        if getattr(self, "_pointer", None):
            _lib.swMeshFree(self._pointer)

    @staticmethod
    def infer(shardings, num_devices=0):
        """The coarsest mesh on which every sharding is a list of axes `_axis_0`, `_axis_1`, ..."""
        pointers = (ctypes.c_void_p * len(shardings))(*[s._pointer for s in shardings])
        return Mesh._own(_call(_lib.swMeshFromShardings, pointers, len(shardings), _integer(num_devices)))

    @property
    def axes(self):
        return {
            _lib.swMeshAxisName(self._pointer, i).decode(): _lib.swMeshAxisSize(self._pointer, i)
            for i in range(_lib.swMeshNumAxes(self._pointer))
        }

    @property
    def device_ids(self):
        """Empty if the order is 0, 1, 2, ..."""
        ids = (ctypes.c_int64 * _lib.swMeshDeviceIds(self._pointer, None))()
        _lib.swMeshDeviceIds(self._pointer, ids)
        return list(ids)

    def __repr__(self):
        ids = self.device_ids
        return f"Mesh({self.axes}, device_ids={ids})" if ids else f"Mesh({self.axes})"


class HloSharding:
    """A sharding in any of XLA's notations, parsed from its text."""

    KINDS = ("replicated", "maximal", "tiled", "manual", "unknown", "unreduced", "tuple", "named")

    def __init__(self, text):
        data = text.encode()
        self._pointer = _call(_lib.swShardingParse, data, len(data))

    @classmethod
    def _own(cls, pointer):
        sharding = cls.__new__(cls)
        sharding._pointer = pointer
        return sharding

    def __del__(self):
        if getattr(self, "_pointer", None):
            _lib.swShardingFree(self._pointer)

    @classmethod
    def from_proto(cls, data):
        """From the bytes of an xla.OpSharding."""
        return cls._own(_call(_lib.swShardingFromProto, bytes(data), len(data)))

    @classmethod
    def from_spec(cls, spec, mesh, rank, manual=()):
        """From a PartitionSpec (or its text) on a mesh."""
        data = str(spec).encode()
        manual = list(manual)
        return cls._own(
            _call(
                _lib.swShardingFromSpec, data, len(data), mesh._pointer, _integer(rank), _strings(manual), len(manual)
            )
        )

    # --- queries ---------------------------------------------------------------------------

    @property
    def kind(self):
        return self.KINDS[_lib.swShardingGetKind(self._pointer)]

    @property
    def num_devices(self):
        """The number of devices; 0 for shardings of all devices (replicated)."""
        return _lib.swShardingNumDevices(self._pointer)

    @property
    def tile_dims(self):
        dims = (ctypes.c_int64 * _lib.swShardingTileDims(self._pointer, None))()
        _lib.swShardingTileDims(self._pointer, dims)
        return list(dims)

    @property
    def num_subgroups(self):
        return _lib.swShardingNumSubgroups(self._pointer)

    @property
    def devices(self):
        """Device ids in the order of the tiles."""
        devices = (ctypes.c_int64 * self.num_devices)()
        _lib.swShardingDevices(self._pointer, devices)
        return list(devices)

    @property
    def elements(self):
        count = _lib.swShardingNumElements(self._pointer)
        return [HloSharding._own(_lib.swShardingToElement(self._pointer, i)) for i in range(count)]

    def __eq__(self, other):
        return isinstance(other, HloSharding) and _lib.swShardingEqual(self._pointer, other._pointer)

    def __hash__(self):
        return hash(str(self.to_v2()))

    def holds_same_data(self, other):
        """True if every device holds the same part of the value under both shardings."""
        return _lib.swShardingHoldsSameData(self._pointer, other._pointer)

    def validate(self, shape, num_devices):
        """Raises ValueError if a value of this shape cannot have the sharding."""
        _call(_lib.swShardingValidate, self._pointer, _integers(shape), len(shape), _integer(num_devices))

    def _check_rank(self, shape):
        tiled = self.to_v2()
        rank = len(tiled.tile_dims) - tiled.num_subgroups
        if tiled.kind == "tiled" and len(shape) != rank:
            raise ValueError(f"the sharding is of rank {rank}, the shape {tuple(shape)} of rank {len(shape)}")

    def shard_shape(self, shape):
        self._check_rank(shape)
        local = (ctypes.c_int64 * len(shape))()
        _lib.swShardingShardShape(self._pointer, _integers(shape), len(shape), local)
        return tuple(local)

    def indices(self, shape):
        """{device: a slice for each dimension}, in the order of the tiles."""
        self._check_rank(shape)
        rank, sizes = len(shape), _integers(shape)
        begin, end = (ctypes.c_int64 * rank)(), (ctypes.c_int64 * rank)()
        result = {}
        for position, device in enumerate(self.devices):
            _lib.swShardingShardBox(self._pointer, sizes, rank, position, begin, end)
            result[device] = tuple(slice(b, e) for b, e in zip(begin, end))
        return result

    # --- conversions -----------------------------------------------------------------------

    def __str__(self):
        return _text(_lib.swShardingToText(self._pointer, False))

    def __repr__(self):
        return str(self)

    def text(self, metadata=False):
        return _text(_lib.swShardingToText(self._pointer, metadata))

    def to_proto(self):
        """The bytes of an xla.OpSharding."""
        size = ctypes.c_size_t()
        return _text(_lib.swShardingToProto(self._pointer, ctypes.byref(size)), size.value)

    def to_v1(self):
        """As a V1 sharding, with a list of devices."""
        return HloSharding._own(_lib.swShardingToV1(self._pointer))

    def to_v2(self):
        """As a V2 sharding, with an iota if there is one."""
        return HloSharding._own(_lib.swShardingToV2(self._pointer))

    def to_v3(self, mesh, rank):
        """As a V3 sharding, with axes of the mesh."""
        return HloSharding._own(_call(_lib.swShardingToV3, self._pointer, mesh._pointer, _integer(rank)))

    def to_sdy(self, mesh, rank):
        """Shardy's text after the mesh name: [{"x"}, {}]."""
        return _text(_call(_lib.swShardingToSdy, self._pointer, mesh._pointer, _integer(rank)))

    def to_spec(self, mesh):
        """The text of the PartitionSpec."""
        return _text(_call(_lib.swShardingToSpec, self._pointer, mesh._pointer))

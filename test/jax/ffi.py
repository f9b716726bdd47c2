#===- ffi.py - foreign functions of the user ----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Handlers compiled against the headers of jax.ffi.include_dir(): attributes, several results, scratch
memory, states, futures, thread pool and errors."""

import ctypes
import os
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from both import case, main
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

SOURCE = r"""
#include <numeric>
#include <thread>
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;

static ffi::Error Axpd(float k, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  for (size_t i = 0; i < x.element_count(); ++i) y->typed_data()[i] = k * x.typed_data()[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(AxpdHandler, Axpd, ffi::Ffi::Bind().Attr<float>("k")
    .Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

static ffi::Error Attributes(int64_t i, bool b, std::string_view s, ffi::Span<const int64_t> list, ffi::Dictionary d,
                             ffi::ResultBuffer<ffi::S64> y, ffi::ResultBuffer<ffi::F32> z) {
  int64_t* out = y->typed_data();
  out[0] = i; out[1] = b; out[2] = s.size();
  out[3] = std::accumulate(list.begin(), list.end(), int64_t{0});
  out[4] = *d.get<int64_t>("inner");
  z->typed_data()[0] = 0.5f;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(AttributesHandler, Attributes, ffi::Ffi::Bind().Attr<int64_t>("i").Attr<bool>("b")
    .Attr<std::string_view>("s").Attr<ffi::Span<const int64_t>>("list").Attr<ffi::Dictionary>("d")
    .Ret<ffi::Buffer<ffi::S64>>().Ret<ffi::Buffer<ffi::F32>>());

static ffi::Error Failing(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  return ffi::Error(ffi::ErrorCode::kNotFound, "nothing was found");
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(FailingHandler, Failing, ffi::Ffi::Bind()
    .Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

static ffi::Error Throwing(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) { throw std::runtime_error("thrown"); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(ThrowingHandler, Throwing, ffi::Ffi::Bind()
    .Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

static ffi::Future Later(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  ffi::Promise promise;
  ffi::Future future(promise);
  std::thread([=, p = std::move(promise)]() mutable {
    ffi::Result<ffi::Buffer<ffi::F32>> out = y;
    for (size_t i = 0; i < x.element_count(); ++i) out->typed_data()[i] = x.typed_data()[i] + 1;
    p.SetAvailable();
  }).detach();
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(LaterHandler, Later, ffi::Ffi::Bind()
    .Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

static ffi::Error Pooled(ffi::ThreadPool pool, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  std::atomic<int64_t> left = 4;
  int64_t n = x.element_count();
  for (int t = 0; t < 4; ++t)
    pool.Schedule([&, t] {
      for (int64_t i = t; i < n; i += 4) y->typed_data()[i] = x.typed_data()[i] * 3;
      --left;
    });
  while (left) std::this_thread::yield();
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(PooledHandler, Pooled, ffi::Ffi::Bind().Ctx<ffi::ThreadPool>()
    .Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());
"""

NAMES = ("Axpd", "Attributes", "Failing", "Throwing", "Later", "Pooled")


def register():
    if hasattr(register, "done"):
        return
    folder = tempfile.mkdtemp()
    source, library = os.path.join(folder, "f.cc"), os.path.join(folder, "f.so")
    with open(source, "w") as file:
        file.write(SOURCE)
    compiler = os.environ.get("CXX", "c++")
    subprocess.run(
        [compiler, "-std=c++17", "-shared", "-fPIC", "-w", "-O1", "-I" + jax.ffi.include_dir(), source, "-o", library, "-pthread"],
        check=True,
    )
    register.done = ctypes.CDLL(library)
    for name in NAMES:
        jax.ffi.register_ffi_target(name.lower(), jax.ffi.pycapsule(getattr(register.done, name + "Handler")))


def call(name, x, **attributes):
    register()
    return jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(x.shape, x.dtype), vmap_method="broadcast_all")(x, **attributes)


X = np.arange(6, dtype=np.float32)


@case
def attribute_and_array():
    return jax.jit(lambda x: call("axpd", x, k=np.float32(2)) + 1)(X), call("axpd", jnp.asarray(X), k=np.float32(3))


@case
def every_attribute():
    register()
    jax.config.update("jax_enable_x64", True)
    try:
        out = (jax.ShapeDtypeStruct((5,), jnp.int64), jax.ShapeDtypeStruct((1,), jnp.float32))
        f = jax.ffi.ffi_call("attributes", out)
        return f(i=7, b=True, s="four", list=np.arange(4), d={"inner": 9})
    finally:
        jax.config.update("jax_enable_x64", False)


@case
def wrong_attribute():
    return jax.jit(lambda x: call("axpd", x, k=np.float64(2)))(X)


def failure(name):
    try:
        jax.block_until_ready(jax.jit(lambda x: call(name, x))(X))
    except Exception as error:
        return type(error).__name__, str(error).split(" (")[0]


@case
def errors_of_handlers():
    return failure("failing"), failure("throwing"), jnp.ones(2) + 1


@case(errors="type")
def unknown_target():
    return jax.jit(lambda x: jax.ffi.ffi_call("no_such_target", jax.ShapeDtypeStruct((6,), np.float32))(x))(X)


@case
def asynchronous():
    return jax.jit(lambda x: call("later", call("later", x)) * 2)(X)


@case
def on_a_pool_of_threads():
    return jax.jit(lambda x: call("pooled", x))(X)


@case
def in_a_loop_and_under_vmap():
    f = lambda x: call("axpd", x, k=np.float32(2))
    return jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda i, x: f(x), x))(X), jax.vmap(f)(X.reshape(2, 3))


@case
def on_every_device():
    m = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    f = jax.shard_map(lambda x: call("axpd", x, k=np.float32(2)), mesh=m, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    return jax.jit(f)(np.arange(16, dtype=np.float32)), jax.jit(lambda x: call("axpd", x, k=np.float32(2)))(
        jax.device_put(np.arange(16, dtype=np.float32), jax.sharding.NamedSharding(m, P("x")))
    )


if __name__ == "__main__":
    main(__doc__)

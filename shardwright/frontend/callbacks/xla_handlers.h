//===- xla_handlers.h - functions compiled for XLA -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers of XLA's FFI, as `jax.ffi` calls them. They are compiled against the
// headers of `jax.ffi.include_dir()`, which this header does not need:
//
//   XLA_FFI_DEFINE_HANDLER_SYMBOL(RmsNorm, rmsNorm, ffi::Ffi::Bind()...);
//
//   ffi::registerXlaHandler("rms_norm", RmsNorm);
//   ffi::registerXlaHandlerFrom("librms_norm.so", "RmsNorm", "rms_norm");
//   Tensor y = ffi::call("rms_norm", {x}, {x}, {{"eps", 1e-5f}})[0];
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_XLA_HANDLERS_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_XLA_HANDLERS_H

#include "shardwright/frontend/base/error.h"
#include "shardwright/frontend/mesh/user_data.h"

#include <cstdint>
#include <string>

// Those of xla/ffi/api/c_api.h.
extern "C" {
struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;
struct XLA_FFI_TypeId;
struct XLA_FFI_TypeInfo;
}

namespace shardwright::frontend::ffi {

using XlaHandler = XLA_FFI_Error *(*)(XLA_FFI_CallFrame *);

/// The functions of a handler's stages. Only `execute` is required.
/// `instantiate` runs once for each call of a program, when it is compiled;
/// the others run on each device and each time, in this order.
struct XlaHandlers {
  XlaHandler instantiate = nullptr;
  XlaHandler prepare = nullptr;
  XlaHandler initialize = nullptr;
  XlaHandler execute = nullptr;
};

/// Makes a handler known to all programs that are compiled from now on.
/// Registering the same functions again does nothing. Fails if the name is
/// taken, or if the handler needs a newer version of the FFI. Types of its
/// state must be registered before. JAX: jax.ffi.register_ffi_target.
Status registerXlaHandler(const std::string &name, XlaHandler execute);
Status registerXlaHandler(const std::string &name, const XlaHandlers &stages);
/// A function for calls with `customCallApiVersion` 1, 2 or 3. These have
/// names of their own. JAX: api_version=0.
Status registerUntypedHandler(const std::string &name, void *function);
/// Registers the type of a handler's state or of user data. `id` is the static
/// variable of the handler's library, which is set unless it is set already.
/// `info` tells how a state is deleted; user data need none.
/// JAX: jax.ffi.register_ffi_type.
Status registerXlaType(const std::string &name, XLA_FFI_TypeId *id,
                       const XLA_FFI_TypeInfo *info = nullptr);

/// The address of a symbol of a shared library, which is opened and stays open.
/// An empty path is the program itself.
Expected<void *> findSymbol(const std::string &library,
                            const std::string &symbol);
/// Registers the handler that a shared library defines as `symbol`, under the
/// symbol's name unless another is given.
Status registerXlaHandlerFrom(const std::string &library,
                              const std::string &symbol,
                              const std::string &name = "");

/// Says that calls of the target, of whatever kind, may be given a part of
/// their batch: such a call with CallOptions::numBatchDims stays divided along
/// these dimensions. JAX: jax.ffi.register_ffi_target_as_batch_partitionable.
Status registerBatchPartitionable(const std::string &name);

/// Passes an object of a registered type to all handlers of the programs that
/// this thread starts in the scope. Not owned: it must live until the programs
/// have ended (Tensor::blockUntilReady).
class ScopedUserData {
public:
  ScopedUserData(const XLA_FFI_TypeId &type, void *object);
  ~ScopedUserData();
  ScopedUserData(const ScopedUserData &) = delete;
  ScopedUserData &operator=(const ScopedUserData &) = delete;

private:
  const frontend::detail::UserDataEntry entry;
};

} // namespace shardwright::frontend::ffi

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_XLA_HANDLERS_H

//===- custom_call.h - functions that programs call by name -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `stablehlo.custom_call @name(...)` calls the function registered as `name`:
//
//   registerCustomCall("scale", [](const CustomCall &call) -> llvm::Error {
//     float factor = call.attribute("factor")->reals[0];
//     auto in = call.operands[0].as<float>();
//     auto out = call.results[0].as<float>();
//     for (size_t i = 0; i < in.size(); ++i)
//       out[i] = factor * in[i];
//     return llvm::Error::success();
//   });
//
// `infeed`, `outfeed`, and `send` and `recv` with the host, call functions of
// these names (shardwright/legalize/legalize.h).
//
// The function is looked up when a program is compiled. See CustomCall
// (host_call.h) for its arguments and restrictions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_CUSTOM_CALL_H
#define SHARDWRIGHT_RUNTIME_CUSTOM_CALL_H

#include "shardwright/cpu/library/host_call.h"

namespace shardwright {

/// Fails if the name is empty, built in, or already registered.
inline llvm::Error registerCustomCall(llvm::StringRef name,
                                      CustomCallFunction function) {
  return cpu::registerHostFunction(name, std::move(function));
}

/// Registers a factory, which creates a separate function for each call in a
/// program.
inline llvm::Error registerCustomCallFactory(llvm::StringRef name,
                                             CustomCallFactory factory) {
  return cpu::registerHostFactory(name, std::move(factory));
}

/// Sets the factory for all unregistered names (setFallbackHostFactory).
inline void setFallbackCustomCallFactory(CustomCallFactory factory) {
  cpu::setFallbackHostFactory(std::move(factory));
}

/// Existing executables keep the function. Returns false if there was none.
inline bool unregisterCustomCall(llvm::StringRef name) {
  return cpu::unregisterHostFunction(name);
}

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_CUSTOM_CALL_H

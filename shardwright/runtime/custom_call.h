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
//     auto in = call.operands[0].as<float>(), out =
//     call.results[0].as<float>(); for (size_t i = 0; i < in.size(); ++i)
//       out[i] = factor * in[i];
//     return llvm::Error::success();
//   });
//
// `infeed`, `outfeed`, and `send` and `recv` with the host, call functions of
// these names (shardwright/legalize/legalize.h).
//
// It is looked up when a program is compiled. CustomCall (host_call.h) says
// what it gets and what it must not do.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_CUSTOM_CALL_H
#define SHARDWRIGHT_RUNTIME_CUSTOM_CALL_H

#include "shardwright/cpu/library/host_call.h"

namespace shardwright {

/// Fails when the name is empty, built in, or registered already.
inline llvm::Error registerCustomCall(llvm::StringRef name,
                                      CustomCallFunction function) {
  return cpu::registerHostFunction(name, std::move(function));
}

/// The same for a function of which each call in a program has its own.
inline llvm::Error registerCustomCallFactory(llvm::StringRef name,
                                             CustomCallFactory factory) {
  return cpu::registerHostFactory(name, std::move(factory));
}

/// The same for all names that nobody has registered (setFallbackHostFactory).
inline void setFallbackCustomCallFactory(CustomCallFactory factory) {
  cpu::setFallbackHostFactory(std::move(factory));
}

/// Executables that have it keep it. False: there was none.
inline bool unregisterCustomCall(llvm::StringRef name) {
  return cpu::unregisterHostFunction(name);
}

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_CUSTOM_CALL_H

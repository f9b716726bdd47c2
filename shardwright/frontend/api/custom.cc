//===- custom.cc - functions with derivatives of their own ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/transform/custom.h"

#include "shardwright/frontend/api/custom.h"

namespace shardwright::frontend::detail {

Tensors customJvp(const std::string &name, const FlatFunction &function,
                  const FlatFunction &rule, const Tensors &args) {
  return customJvpFlat(name, function, rule, args);
}
Tensors customVjp(const std::string &name, const FlatFunction &function,
                  const FlatFunction &forward, const FlatFunction &backward,
                  const Tensors &args) {
  return customVjpFlat(name, function, forward, backward, args);
}

} // namespace shardwright::frontend::detail

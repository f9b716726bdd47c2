//===- custom.cc - functions with derivatives of their own ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/transform/custom.h"

#include "shardwright/frontend/api/custom.h"
#include "shardwright/frontend/trace/user_function.h"

namespace shardwright::frontend::detail {

/// The rule with an error in place of an exception. `role`: `the rule of`.
static FlatFunction guarded(const FlatFunction &rule, const char *role,
                            const std::string &name) {
  return
      [=](const Tensors &args) { return callFunction(rule, args, name, role); };
}

Tensors customJvp(const std::string &name, const FlatFunction &function,
                  const FlatFunction &rule, const Tensors &args) {
  return customJvpFlat(name, function,
                       guarded(rule, "the derivative rule of", name), args);
}
Tensors customVjp(const std::string &name, const FlatFunction &function,
                  const FlatFunction &forward, const FlatFunction &backward,
                  const Tensors &args) {
  return customVjpFlat(name, function,
                       guarded(forward, "the forward rule of", name),
                       guarded(backward, "the backward rule of", name), args);
}

} // namespace shardwright::frontend::detail

//===- control.cc - scan, while, cond, checkpoint on trees ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"

#include "shardwright/frontend/api/control.h"
#include "shardwright/frontend/primitives/lax.h"

namespace shardwright::frontend::detail {

Tensors scan(const FlatFunction &body, const Tensors &init, const Tensors &xs,
             int64_t length, bool reverse) {
  return scanFlat(body, init, xs, length, reverse);
}
Tensors whileLoop(const FlatFunction &condition, const FlatFunction &body,
                  const Tensors &init) {
  return whileFlat(condition, body, init);
}
Tensors switchCase(const Tensor &index,
                   const std::vector<FlatFunction> &branches,
                   const Tensors &operands) {
  return switchFlat(index, branches, operands);
}
Tensors checkpoint(const FlatFunction &body, const Tensors &args) {
  return checkpointFlat(body, args);
}

Tensors counted(int64_t from, int64_t to, const FlatFunction &body,
                const Tensors &init) {
  Tensors carry{scalarOf(from, DType::I32)};
  carry.insert(carry.end(), init.begin(), init.end());
  Tensors outs = scanFlat(
      [&](const Tensors &args) -> Tensors {
        Tensors next = body(args);
        if (const Error *error = errorIn(next))
          return {Tensor(*error)};
        next.insert(next.begin(),
                    lax::add(args[0], scalarOf(int64_t(1), DType::I32)));
        return next;
      },
      carry, {}, std::max<int64_t>(to - from, 0), false);
  if (errorIn(outs))
    return outs;
  return Tensors(outs.begin() + 1, outs.end());
}

} // namespace shardwright::frontend::detail

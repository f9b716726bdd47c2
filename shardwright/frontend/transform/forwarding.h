//===- forwarding.h - results that are other values ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRANSFORM_FORWARDING_H
#define SHARDWRIGHT_FRONTEND_TRANSFORM_FORWARDING_H

#include "shardwright/frontend/trace/jaxpr.h"

#include <algorithm>

namespace shardwright::frontend {

/// For each result of a program: the number of the input that it is, or -1.
inline Ints forwardedInputs(const Jaxpr &jaxpr) {
  Ints out;
  for (const Atom &atom : jaxpr.outs) {
    auto at = std::find(jaxpr.ins.begin(), jaxpr.ins.end(), atom.var);
    out.push_back(
        !atom.isVar() || at == jaxpr.ins.end() ? -1 : at - jaxpr.ins.begin());
  }
  return out;
}

/// For each result of a program: the number of an earlier result that it is,
/// among the first `count`, or -1.
inline Ints forwardedResults(const Jaxpr &jaxpr, size_t count) {
  Ints out;
  for (size_t i = 0; i < jaxpr.outs.size(); ++i) {
    int64_t same = -1;
    for (size_t j = 0; j < std::min(i, count) && same < 0; ++j)
      if (jaxpr.outs[i].isVar() && jaxpr.outs[i].var == jaxpr.outs[j].var)
        same = static_cast<int64_t>(j);
    out.push_back(same);
  }
  return out;
}

/// The program with these results only.
inline JaxprPtr withResults(const JaxprPtr &jaxpr,
                            const std::vector<bool> &keep) {
  auto out = std::make_shared<Jaxpr>(*jaxpr);
  out->outs.clear();
  for (size_t i = 0; i < keep.size(); ++i)
    if (keep[i])
      out->outs.push_back(jaxpr->outs[i]);
  return out;
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRANSFORM_FORWARDING_H

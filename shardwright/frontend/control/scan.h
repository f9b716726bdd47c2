//===- scan.h - the operands of a scan ------------------------ -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CONTROL_SCAN_H
#define SHARDWRIGHT_FRONTEND_CONTROL_SCAN_H

#include "shardwright/frontend/control/control.h"

namespace shardwright::frontend {

/// The operands of a scan: constants, carry, scanned arrays.
struct Scan {
  explicit Scan(const Params &params)
      : jaxpr(params.jaxpr("jaxpr")), length(params.integer("length")),
        consts(params.integer("num_consts")),
        carry(params.integer("num_carry")),
        xs(jaxpr->ins.size() - consts - carry), ys(jaxpr->outs.size() - carry),
        unroll(params.integer("unroll")), reverse(params.flag("reverse")) {}
  JaxprPtr jaxpr;
  int64_t length;
  size_t consts, carry, xs, ys;
  int64_t unroll;
  bool reverse;
};

/// The type of `length` values of a type.
inline Aval stacked(const Aval &aval, int64_t length) {
  return aval.withDim(0, length);
}

/// Writes the loop; returns the carry, then the stacked results.
std::vector<std::string> lowerScan(LoweringContext &c);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CONTROL_SCAN_H

//===- remarks.h - propagation's MLIR remarks -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emitted through MLIR's remark engine, in category `propagate`, if one is
// installed (shardwright-opt --remarks-filter=propagate, shardwright
// --remarks=...):
//
//   passed    AxisPlaced       an annotation's axis, and how many values it
//                              reached
//   missed    AxisStopped      an axis that an op offered and a value did not
//                              take: the reason, and an annotation that adds it
//   analysis  ValueReplicated  a value that no axis reached, with its bytes
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_REASONS_REMARKS_H
#define SHARDWRIGHT_PROPAGATE_REASONS_REMARKS_H

#include "shardwright/propagate/reasons/reasons.h"

namespace shardwright {

/// True if a remark engine is installed in this context.
bool wantsRemarks(mlir::MLIRContext *context);

/// Records reasons and emits them as remarks at the end. Forwards all events to
/// `next` (may be null).
class RemarkEmitter : public Reasons {
public:
  RemarkEmitter(mlir::ModuleOp module, PropagationObserver *next)
      : module(module), next(next) {}

  void onChange(const PropagationEvent &event) override;
  void onFinalOp(const PropagationOpView &view) override;
  void onWritten() override;

private:
  mlir::ModuleOp module;
  PropagationObserver *next;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_REASONS_REMARKS_H

//===- op_classes.cc - what propagation asks of an op's kind --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/op_classes.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shardwright {

Schedule scheduleOf(Operation *op) {
  if (isa<stablehlo::ReshapeOp, stablehlo::TransposeOp>(op))
    return Schedule::PassThroughOp;
  if (isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(op))
    return Schedule::ForwardFirst;
  if (isa<stablehlo::BroadcastInDimOp>(op))
    return Schedule::BackwardFirst;
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    if (call.getCallTargetName() == "MoveToHost" ||
        call.getCallTargetName() == "MoveToDevice")
      return Schedule::PassThroughOp;
  return Schedule::ByFactor;
}

LogicalResult checkShardable(Type type, Operation *op) {
  // Nearly all types, and without a search for the interface.
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor && tensor.hasStaticShape())
    return success();
  if (isa<TupleType>(type))
    return op->emitError("Shardy propagation doesn't support tuples: ") << type;
  if (auto shaped = dyn_cast<ShapedType>(type))
    if (!shaped.hasStaticShape())
      return op->emitError("Shardy propagation only supports ranked tensors "
                           "with a static shape. type: ")
             << type;
  return success();
}

void UnknownOps::visit(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      isa<sdy::ShardableDataFlowOpInterface>(op) ||
      isa<FunctionOpInterface>(op))
    return;
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "sdy" || dialect == "func" || dialect == "builtin")
    return;
  // Constants and their like of other dialects.
  if (dialect != "stablehlo" && op->getNumOperands() == 0)
    return;
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op)) {
    static const llvm::StringSet<> silent = {"sdy_testonly",
                                             "tpu_custom_call",
                                             "xla_python_cpu_callback",
                                             "xla_python_gpu_callback",
                                             "xla_ffi_python_cpu_callback",
                                             "xla_ffi_python_gpu_callback",
                                             "xla.debug.Log"};
    if (!silent.contains(call.getCallTargetName()))
      customCalls.try_emplace(call.getCallTargetNameAttr(), op);
    return;
  }
  static const llvm::StringSet<> silent = {
      "stablehlo.constant",     "stablehlo.iota",
      "stablehlo.create_token", "stablehlo.after_all",
      "stablehlo.infeed",       "stablehlo.outfeed",
      "stablehlo.partition_id", "stablehlo.send",
      "stablehlo.recv",         "stablehlo.get_tuple_element"};
  if (!silent.contains(op->getName().getStringRef()))
    ops.try_emplace(op->getName(), op);
}

void UnknownOps::emitWarnings() {
  for (auto [name, op] : ops)
    op->emitWarning("op '")
        << name << "' is unknown to SDY sharding rule registry";
  for (auto [name, op] : customCalls)
    op->emitWarning("custom call @")
        << name.getValue() << " is unknown to SDY sharding rule registry";
}

} // namespace shardwright

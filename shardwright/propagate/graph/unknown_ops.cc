//===- unknown_ops.cc - ops and types without shardings -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph/unknown_ops.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shardwright {

LogicalResult checkShardable(Type type, Operation *op) {
  // Fast path for nearly all types: the search for the interface is slow.
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

bool UnknownOps::visit(Operation *op) {
  std::string kind;
  if (auto iface = dyn_cast<ShardingRuleOpInterface>(op)) {
    if (iface.getPropagationTraits().makesConstant)
      return false;
    kind = iface.getKindWithoutRule();
  } else {
    StringRef dialect = op->getName().getDialectNamespace();
    if (op->hasTrait<OpTrait::IsTerminator>() ||
        isa<sdy::ShardableDataFlowOpInterface>(op) ||
        isa<FunctionOpInterface>(op) || op->getNumOperands() == 0 ||
        dialect == "sdy" || dialect == "func" || dialect == "builtin")
      return false;
    kind = "op '" + op->getName().getStringRef().str() + "'";
  }
  if (kind.empty())
    return false;
  if (kinds.insert(kind).second)
    firsts.emplace_back(op, std::move(kind));
  return true;
}

void UnknownOps::emitWarnings() {
  for (const auto &[op, kind] : firsts)
    op->emitWarning(kind) << " is unknown to SDY sharding rule registry";
}

} // namespace shardwright

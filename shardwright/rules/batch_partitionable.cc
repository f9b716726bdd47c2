//===- batch_partitionable.cc - calls that run on parts of a batch --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/batch_partitionable.h"

#include "shardwright/rules/families.h"

#include "llvm/ADT/StringSet.h"

#include <mutex>

using namespace mlir;
using namespace shardwright;

namespace {
struct Marked {
  std::mutex mutex;
  llvm::StringSet<> targets;
};
} // namespace

static Marked &marked() {
  static auto *marked = new Marked();
  return *marked;
}

void shardwright::markBatchPartitionable(StringRef target) {
  Marked &m = marked();
  std::lock_guard lock(m.mutex);
  m.targets.insert(target);
}

bool shardwright::isBatchPartitionable(StringRef target) {
  for (StringRef library :
       {"lapack_", "cusolver_", "hipsolver_", "cublas_", "hipblas_"})
    if (target.starts_with(library) && target.ends_with("_ffi"))
      return true;
  if (target == "tridiagonal_solve_perturbed_ffi")
    return true;
  Marked &m = marked();
  std::lock_guard lock(m.mutex);
  return m.targets.contains(target);
}

std::optional<ShardingRule> shardwright::batchRule(Operation *op,
                                                   int64_t count) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  auto fits = [&](Type type) {
    return int64_t(shapeOf(type).size()) >= count &&
           shapeOf(type).take_front(count) == shape.take_front(count);
  };
  if (count < 0 || !llvm::all_of(op->getOperandTypes(), fits) ||
      !llvm::all_of(op->getResultTypes(), fits))
    return std::nullopt;
  RuleBuilder builder(op);
  builder.pointwise(shape.take_front(count));
  int64_t numOperands = op->getNumOperands(), numResults = op->getNumResults();
  for (int64_t t = 0; t < numOperands + numResults; ++t) {
    SmallVector<int64_t> operands(numOperands, kNoDim),
        results(numResults, kNoDim);
    bool isOperand = t < numOperands;
    int64_t &place = isOperand ? operands[t] : results[t - numOperands];
    ArrayRef<int64_t> own = shapeOf(isOperand ? Value(op->getOperand(t))
                                              : op->getResult(t - numOperands));
    for (int64_t d = count; d < int64_t(own.size()); ++d) {
      place = d;
      builder.add(operands, results, own[d], kNeedReplication,
                  /*blocked=*/true);
    }
  }
  return builder.finish();
}

std::optional<ShardingRule> shardwright::batchedCallRule(Operation *call) {
  auto attributes =
      call->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes");
  auto text = attributes ? attributes.getAs<StringAttr>("num_batch_dims")
                         : StringAttr();
  auto target = call->getAttrOfType<StringAttr>("call_target_name");
  int64_t count;
  if (!text || !target || text.getValue().getAsInteger(10, count) ||
      !hasStaticShapes(call) || call->getNumOperands() == 0 ||
      call->getNumResults() == 0 || !isBatchPartitionable(target.getValue()))
    return std::nullopt;
  return batchRule(call, count);
}

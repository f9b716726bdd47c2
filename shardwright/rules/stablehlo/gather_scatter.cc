//===- gather_scatter.cc - rules of gather and scatter --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One walk handles both ops: scatter is gather with the data flow reversed. The
// input is gather's operand or scatter's updated tensor; the slices are
// gather's result or scatter's updates.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"
#include "shardwright/rules/reducer.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace shardwright;

namespace {

/// The dimension numbers of either op under one name.
struct Numbers {
  ArrayRef<int64_t> offsetDims, collapsedDims, inputBatchingDims,
      indexBatchingDims;
  int64_t indexVectorDim;

  bool isWindowInputDim(int64_t dim) const {
    return !llvm::is_contained(collapsedDims, dim) &&
           !llvm::is_contained(inputBatchingDims, dim);
  }
};

class Walk {
public:
  Walk(Operation *op, const Numbers &numbers, Value input, Value indices,
       Value slices, int64_t numInputs, bool isScatter, bool isReduction)
      : builder(op), numbers(numbers), input(shapeOf(input)),
        indices(shapeOf(indices)), slices(shapeOf(slices)),
        numInputs(numInputs), isScatter(isScatter), isReduction(isReduction) {}

  std::optional<ShardingRule> run() {
    int64_t inputDim = 0, batch = 0;
    for (auto [s, size] : llvm::enumerate(slices)) {
      if (!llvm::is_contained(numbers.offsetDims, int64_t(s))) {
        addBatchDim(s, size, batch++);
        continue;
      }
      while (inputDim < int64_t(input.size()) &&
             !numbers.isWindowInputDim(inputDim))
        ++inputDim;
      if (inputDim >= int64_t(input.size()))
        return std::nullopt;
      addWindowDim(inputDim++, s, size);
    }
    addCollapsedDims();
    // The components of an index must stay together.
    if (numbers.indexVectorDim >= 0 &&
        numbers.indexVectorDim < int64_t(indices.size()))
      add(kNoDim, numbers.indexVectorDim, kNoDim,
          indices[numbers.indexVectorDim], kNeedReplication);
    return builder.finish();
  }

private:
  void add(int64_t in, int64_t idx, int64_t sl, int64_t size,
           FactorKind kind = kPass, bool blocked = false) {
    if (!isScatter) {
      builder.add({in, idx}, {sl}, size, kind, blocked);
      return;
    }
    SmallVector<int64_t> operands(numInputs, in), results(numInputs, in);
    operands.push_back(idx);
    operands.append(numInputs, sl);
    builder.add(operands, results, size, kind, blocked);
  }

  void addWindowDim(int64_t p, int64_t s, int64_t size) {
    if (input[p] == size) {
      add(p, kNoDim, s, size);
    } else if (isScatter) {
      add(p, kNoDim, kNoDim, input[p], kNeedReplication);
      add(kNoDim, kNoDim, s, size, kNeedReplication);
    } else if (size == 1) {
      // One element of the dimension: the shard that has it contributes to a
      // sum over all.
      add(p, kNoDim, kNoDim, input[p], kReduction);
      add(kNoDim, kNoDim, s, 1, kNeedReplication);
    } else {
      add(p, kNoDim, s, input[p], kNeedReplication, /*blocked=*/true);
    }
  }

  void addBatchDim(int64_t s, int64_t size, int64_t batch) {
    int64_t idx = batch < numbers.indexVectorDim ? batch : batch + 1;
    auto found = llvm::find(numbers.indexBatchingDims, idx);
    int64_t at = found - numbers.indexBatchingDims.begin();
    if (found != numbers.indexBatchingDims.end() &&
        at < int64_t(numbers.inputBatchingDims.size())) {
      add(numbers.inputBatchingDims[at], idx, s, size);
      return;
    }
    FactorKind kind = !isScatter    ? kPass
                      : isReduction ? kReduction
                                    : kNeedReplication;
    add(kNoDim, idx, s, size, kind);
  }

  void addCollapsedDims() {
    for (int64_t c : numbers.collapsedDims) {
      FactorKind kind = isScatter               ? kPass
                        : sizeAt(input, c) == 1 ? kNeedReplication
                                                : kReduction;
      add(c, kNoDim, kNoDim, sizeAt(input, c), kind);
    }
  }

  RuleBuilder builder;
  const Numbers &numbers;
  ArrayRef<int64_t> input, indices, slices;
  int64_t numInputs;
  bool isScatter, isReduction;
};

} // namespace

static std::optional<ShardingRule> gatherRule(stablehlo::GatherOp op,
                                              const RuleOptions &) {
  stablehlo::GatherDimensionNumbersAttr attr = op.getDimensionNumbersAttr();
  Numbers numbers{attr.getOffsetDims(), attr.getCollapsedSliceDims(),
                  attr.getOperandBatchingDims(),
                  attr.getStartIndicesBatchingDims(), attr.getIndexVectorDim()};
  return Walk(op, numbers, op.getOperand(), op.getStartIndices(),
              op->getResult(0), 1, /*isScatter=*/false, /*isReduction=*/false)
      .run();
}

/// True if the updates of one element may be combined in any order and in
/// partial results.
static bool isCommonReduction(stablehlo::ScatterOp op) {
  Region &body = op.getUpdateComputation();
  std::optional<ReducerKind> kind = uniformReducer(body);
  if (!kind)
    return false;
  switch (*kind) {
  case ReducerKind::Add:
  case ReducerKind::Mul:
  case ReducerKind::Max:
  case ReducerKind::Min:
    return true;
  case ReducerKind::And:
  case ReducerKind::Or:
    return llvm::all_of(body.getArgumentTypes(), [](Type type) {
      return getElementTypeOrSelf(type).isInteger(1);
    });
  case ReducerKind::Xor:
    return false;
  }
  return false;
}

static std::optional<ShardingRule> scatterRule(stablehlo::ScatterOp op,
                                               const RuleOptions &) {
  stablehlo::ScatterDimensionNumbersAttr attr =
      op.getScatterDimensionNumbersAttr();
  Numbers numbers{attr.getUpdateWindowDims(), attr.getInsertedWindowDims(),
                  attr.getInputBatchingDims(),
                  attr.getScatterIndicesBatchingDims(),
                  attr.getIndexVectorDim()};
  int64_t numInputs = op.getInputs().size();
  if (numInputs == 0 || op.getUpdates().size() != op.getInputs().size())
    return std::nullopt;
  return Walk(op, numbers, op.getInputs().front(), op.getScatterIndices(),
              op.getUpdates().front(), numInputs, /*isScatter=*/true,
              isCommonReduction(op))
      .run();
}

void shardwright::attachGatherScatterRules(MLIRContext &context) {
  attachRule<stablehlo::GatherOp, &gatherRule, kByProperties,
             PartitionTraits{.slicing = Slicing::Dynamic}>(context);
  attachRule<stablehlo::ScatterOp, &scatterRule>(context);
}

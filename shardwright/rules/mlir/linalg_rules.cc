//===- linalg_rules.cc - rules of linalg's structured ops -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured op is a loop nest: each loop is a factor, indexing maps give its
// dimension in each operand, and its iterator type determines if it is a
// reduction.
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/mlir/mlir_rules.h"
#include "shardwright/rules/rule_builder.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardwright;

namespace {

/// The operand dimension indexed by exactly this loop; kNoDim if there is none.
/// Clears `isPlain` if the loop is part of an expression there (as in a
/// convolution), or indexes two dimensions.
int64_t dimOfLoop(AffineMap map, unsigned loop, bool &isPlain) {
  int64_t dim = kNoDim;
  for (auto [d, expr] : llvm::enumerate(map.getResults())) {
    if (auto plain = dyn_cast<AffineDimExpr>(expr)) {
      if (plain.getPosition() != loop)
        continue;
      isPlain &= dim == kNoDim;
      dim = d;
    } else if (expr.isFunctionOfDim(loop)) {
      isPlain = false;
    }
  }
  return dim;
}

std::optional<ShardingRule> structuredRule(linalg::LinalgOp op) {
  Operation *operation = op.getOperation();
  if (!op.hasPureTensorSemantics())
    return std::nullopt;
  for (Type type : operation->getOperandTypes())
    if (auto tensor = dyn_cast<ShapedType>(type);
        tensor && !tensor.hasStaticShape())
      return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  int64_t firstInit = op.getNumDpsInputs();
  RuleBuilder builder(operation);
  for (unsigned loop = 0, e = op.getNumLoops(); loop < e; ++loop) {
    bool isPlain = true;
    int64_t size = 0;
    SmallVector<int64_t> operands, results;
    for (OpOperand &operand : operation->getOpOperands()) {
      AffineMap map = maps[operand.getOperandNumber()];
      int64_t dim = dimOfLoop(map, loop, isPlain);
      if (dim != kNoDim)
        size = sizeAt(shapeOf(operand.get()), dim);
      operands.push_back(dim);
      // A result has the dimensions of its init.
      if (int64_t(operand.getOperandNumber()) >= firstInit)
        results.push_back(dim);
    }
    // Dimensions indexed by an expression get a factor each.
    bool anywhere =
        llvm::any_of(operands, [](int64_t dim) { return dim != kNoDim; });
    if (!isPlain || !anywhere)
      continue;
    bool reduces = iterators[loop] == utils::IteratorType::reduction;
    bool inResult =
        llvm::any_of(results, [](int64_t dim) { return dim != kNoDim; });
    if (reduces && inResult)
      continue;
    builder.add(operands, results, size,
                reduces ? FactorKind::Reduction : FactorKind::PassThrough);
  }
  return builder.finish();
}

/// Rules depend only on maps and iterators, which are properties.
PropagationTraits traitsOf(linalg::LinalgOp op) {
  if (isa<linalg::TransposeOp>(op))
    return {.schedule = Schedule::PassThroughOp,
            .basis = RuleBasis::Properties};
  if (isa<linalg::BroadcastOp>(op))
    return {.schedule = Schedule::BackwardFirst,
            .basis = RuleBasis::Properties,
            .preservesConstants = true,
            .expandsScalar = true};
  if (isa<linalg::FillOp>(op))
    return {.basis = RuleBasis::Properties, .preservesConstants = true};
  bool isElementwise =
      op.getNumLoops() > 0 && op.getNumParallelLoops() == op.getNumLoops() &&
      llvm::all_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isIdentity(); });
  return isElementwise ? kElementwise : kByProperties;
}

template <typename Op>
struct StructuredModel
    : ShardingRuleOpInterface::ExternalModel<StructuredModel<Op>, Op> {
  std::optional<ShardingRule>
  buildShardingRule(Operation *op, const RuleOptions &options) const {
    return structuredRule(cast<linalg::LinalgOp>(op));
  }
  PropagationTraits getPropagationTraits(Operation *op) const {
    return traitsOf(cast<linalg::LinalgOp>(op));
  }
};

template <typename... Ops> void attachAll(MLIRContext &context) {
  (Ops::template attachInterface<StructuredModel<Ops>>(context), ...);
}

} // namespace

void shardwright::attachLinalgDialectRules(MLIRContext &context) {
  attachAll<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
      >(context);
}

void shardwright::registerMlirDialectRules(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, linalg::LinalgDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachLinalgDialectRules(*context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attachTensorDialectRules(*context);
  });
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    attachScfDialectEdges(*context);
  });
}

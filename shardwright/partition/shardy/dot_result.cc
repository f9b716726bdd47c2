//===- dot_result.cc - dots with contracted axes in the result ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/dot_result.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace shardwright;

void shardwright::computeDotAsOperands(Operation *dot, const OpFactors &factors,
                                       Attribute meshOrRef) {
  sdy::TensorShardingAttr old = sdy::getSharding(dot->getResult(0));
  if (!old)
    return;
  AxisList contracted, lhsFree, rhsFree;
  int64_t differing = -1, operandElements = 0;
  int numDiffering = 0;
  AxisList operandAxes;
  for (int64_t f = 0, e = factors.layout->numFactors(); f < e; ++f) {
    const FactorSharding *lhs = factors.find(0, f), *rhs = factors.find(1, f),
                         *result = factors.find(2, f);
    if (lhs && rhs && lhs->axes != rhs->axes)
      return;
    const FactorSharding *operand = lhs ? lhs : rhs;
    if (!operand)
      continue;
    if (!result) {
      contracted.append(operand->axes);
      continue;
    }
    if (lhs && !rhs)
      lhsFree.append(lhs->axes);
    if (rhs && !lhs)
      rhsFree.append(rhs->axes);
    if (operand->axes == result->axes)
      continue;
    ++numDiffering;
    differing = f;
    operandAxes = operand->axes;
    operandElements = lhs && rhs
                          ? std::max(factors.elements[0], factors.elements[1])
                          : factors.elements[lhs ? 0 : 1];
  }
  for (AxisRef x : lhsFree)
    if (overlaps(x, rhsFree))
      return;
  if (numDiffering != 1 || operandAxes.empty() || contracted.empty() ||
      factors.elements[2] > operandElements ||
      factors.find(2, differing)->axes != contracted)
    return;

  const FactorLayout::Tensor &layout = factors.layout->tensors[2];
  TensorProjection projection = factors.tensors[2];
  projection.places[layout.placeOfFactor[differing]].axes = operandAxes;
  TensorSharding oldValue = sdy::shardingFromAttr(old, *factors.mesh);
  Value result = dot->getResult(0);
  OpBuilder builder(dot->getContext());
  builder.setInsertionPointAfter(dot);
  auto reshard = sdy::ReshardOp::create(builder, dot->getLoc(),
                                        result.getType(), result, old);
  result.replaceAllUsesExcept(reshard.getResult(), reshard);
  sdy::setSharding(
      result, sdy::shardingToAttr(dot->getContext(),
                                  projection.toSharding(
                                      layout, factors.layout->rule, &oldValue),
                                  *factors.mesh, meshOrRef));
}

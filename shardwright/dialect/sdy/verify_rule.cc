//===- verify_rule.cc - verification of the op sharding rule ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/verify_sharding.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace shardwright::sdy {

/// Checks one value's mapping: as many dimensions as the type, each with
/// existing factors that occur once in the value. Marks the factors as used.
static LogicalResult verifyMapping(OpShardingRuleAttr rule,
                                   TensorMappingAttr mapping, Type type,
                                   llvm::BitVector &used, EmitError emitError) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return emitError() << "expected a ranked tensor with a static shape. type: "
                       << type;
  if (mapping.getRank() != shaped.getRank())
    return emitError() << "mapping rank must match: " << mapping.getRank()
                       << " != " << shaped.getRank();
  ArrayRef<int64_t> sizes = rule.getFactorSizes();
  int64_t numFactors = sizes.size();
  llvm::BitVector usedHere(numFactors);
  for (DimMappingAttr dim : mapping.getDimMappings()) {
    ArrayRef<int64_t> factors = dim.getFactorIndices();
    if (factors.empty())
      return emitError() << "dim mapping must have at least one factor";
    for (int64_t factor : factors) {
      if (factor < 0 || factor >= numFactors)
        return emitError() << "expecting factor indices to be within "
                              "0<=...<num_factors; received: "
                           << factor << ", num_factors: " << numFactors;
      if (usedHere.test(factor))
        return emitError() << "cannot reuse factors for the same tensor value";
      usedHere.set(factor);
    }
    if (factors.size() > 1 && llvm::any_of(factors, [&](int64_t factor) {
          return sizes[factor] == 1;
        }))
      return emitError() << "dim mapping can't have a factor of size 1 if "
                            "there are multiple factors";
  }
  used |= usedHere;
  return success();
}

/// Checks a list of special factors.
static LogicalResult verifyFactorSet(ArrayRef<int64_t> factors,
                                     int64_t numFactors, Operation *op) {
  if (!llvm::is_sorted(factors))
    return op->emitOpError("indices of special factors must be sorted");
  if (std::adjacent_find(factors.begin(), factors.end()) != factors.end())
    return op->emitOpError("indices of special factors must be unique");
  if (factors.empty())
    return success();
  if (factors.front() < 0)
    return op->emitOpError("index must be non-negative, got: ")
           << factors.front();
  if (factors.back() >= numFactors)
    return op->emitOpError("index must be less than ")
           << numFactors << ", got: " << factors.back();
  return success();
}

LogicalResult verifyShardingRule(OpShardingRuleAttr rule, Operation *op) {
  int64_t numFactors = rule.getNumFactors();
  auto verifyCount = [&](StringRef kind, size_t values,
                         size_t mappings) -> LogicalResult {
    if (values != mappings)
      return op->emitOpError("number of ")
             << kind << " and mappings must match: " << values
             << " != " << mappings;
    if (values == 0)
      return op->emitOpError("number of ")
             << kind
             << " mappings cannot be 0. Op sharding rules can only be defined "
                "on operations with at least one operand and result.";
    return success();
  };
  if (failed(verifyCount("operands", op->getNumOperands(),
                         rule.getOperandMappings().size())) ||
      failed(verifyCount("results", op->getNumResults(),
                         rule.getResultMappings().size())))
    return failure();

  llvm::BitVector inOperands(numFactors), inResults(numFactors);
  auto verifyMappings = [&](StringRef kind, TypeRange types,
                            ArrayRef<TensorMappingAttr> mappings,
                            llvm::BitVector &used) -> LogicalResult {
    for (auto [i, type, mapping] : llvm::enumerate(types, mappings)) {
      auto emitError = [&, i = i] {
        InFlightDiagnostic diag = op->emitOpError() << kind << " ";
        if (types.size() > 1)
          diag << i << " ";
        return std::move(diag << "- ");
      };
      if (failed(verifyMapping(rule, mapping, type, used, emitError)))
        return failure();
    }
    return success();
  };
  if (failed(verifyMappings("operand", op->getOperandTypes(),
                            rule.getOperandMappings(), inOperands)) ||
      failed(verifyMappings("result", op->getResultTypes(),
                            rule.getResultMappings(), inResults)))
    return failure();

  llvm::BitVector used = inOperands;
  used |= inResults;
  int unused = used.find_first_unset();
  if (unused >= 0)
    return op->emitOpError("has factor ")
           << OpShardingRuleAttr::getFactorName(unused) << '='
           << rule.getFactorSizes()[unused]
           << " that isn't used in operand and result mappings";

  for (ArrayRef<int64_t> factors :
       {rule.getReductionFactors(), rule.getNeedReplicationFactors(),
        rule.getPermutationFactors(), rule.getBlockedPropagationFactors()})
    if (failed(verifyFactorSet(factors, numFactors, op)))
      return failure();

  llvm::BitVector special(numFactors);
  for (ArrayRef<int64_t> factors :
       {rule.getReductionFactors(), rule.getNeedReplicationFactors(),
        rule.getPermutationFactors()})
    for (int64_t factor : factors) {
      if (special.test(factor))
        return op->emitOpError(
            "a factor can only be in one of the reduction, need replication, "
            "or permutation factor sets");
      special.set(factor);
    }
  for (int64_t factor : rule.getReductionFactors())
    if (inResults.test(factor))
      return op->emitOpError("reduction factor cannot be in result mappings");
  return success();
}

} // namespace shardwright::sdy

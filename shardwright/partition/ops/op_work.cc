//===- op_work.cc - number of operations of an op -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/op_work.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/rule_interface.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace shardwright {
namespace {

// Relative to a vectorised addition.
constexpr double kComparison = 16; // of a sort, with its branch
constexpr double kRunning = 2;     // steps of a running sum for each element
constexpr double kAddress = 4;     // of an element that an index leads to

double elementsOf(Type type) { return double(countElements(type).value_or(0)); }

double elementsOf(TypeRange types) {
  double sum = 0;
  for (Type type : types)
    sum += elementsOf(type);
  return sum;
}

double sizeOf(Value value, int64_t dim) {
  ArrayRef<int64_t> dims = dimsOf(value.getType());
  return dim >= 0 && dim < int64_t(dims.size()) ? double(dims[dim]) : 1;
}

double ofElement(Operation *op) {
  return hasElementwiseTrait(op) ? getPartitionTraits(op).operations : 0;
}

/// Of one run of a region that combines elements.
double ofRegion(Region &region) {
  double sum = 0;
  if (!region.empty())
    for (Operation &op : region.front())
      sum += ofElement(&op);
  return std::max(sum, 1.0);
}

double ofDot(Value lhs, ArrayRef<int64_t> contracting, double results) {
  for (int64_t dim : contracting)
    results *= sizeOf(lhs, dim);
  return 2 * results;
}

/// LAPACK's functions as JAX calls them. Their operations are cubic in the
/// sizes of a matrix.
double ofCustomCall(stablehlo::CustomCallOp call) {
  if (call->getNumOperands() == 0)
    return 0;
  StringRef name = call.getCallTargetName();
  if (!name.consume_front("lapack_") || name.size() < 2)
    return 0;
  name = name.drop_front(); // the element type
  double factor = llvm::StringSwitch<double>(name.split('_').first)
                      .Case("potrf", 1.0 / 3)
                      .Case("getrf", 2.0 / 3)
                      .Cases({"trsm", "trsv"}, 1)
                      .Cases({"geqrf", "geqp3", "orgqr", "ungqr"}, 2)
                      .Cases({"syevd", "heevd"}, 9)
                      .Case("gesdd", 20)
                      .Cases({"geev", "gees", "gehrd", "hseqr"}, 25)
                      .Default(1);
  Value matrix = call->getOperand(0);
  ArrayRef<int64_t> dims = dimsOf(matrix.getType());
  if (dims.size() < 2)
    return 0;
  return factor * elementsOf(matrix.getType()) *
         double(std::min(dims[dims.size() - 1], dims[dims.size() - 2]));
}

double ofFft(stablehlo::FftOp fft) {
  double length = 1;
  for (int64_t size : fft.getFftLength())
    length *= double(size);
  // A complex element takes two real ones.
  double elements = std::max(elementsOf(fft->getOperand(0).getType()),
                             elementsOf(fft->getResult(0).getType()));
  return 5 * elements * std::log2(std::max(2.0, length));
}

/// Elements of the right operand for each batch and contracted index.
OutputColumns columnsOf(Value rhs, ArrayRef<int64_t> batching,
                        ArrayRef<int64_t> contracting) {
  double columns = elementsOf(rhs.getType());
  for (int64_t dim : batching)
    columns /= std::max(1.0, sizeOf(rhs, dim));
  for (int64_t dim : contracting)
    columns /= std::max(1.0, sizeOf(rhs, dim));
  return {columns, /*hasVectorForm=*/true};
}

} // namespace

OutputColumns countColumns(Operation *op) {
  return llvm::TypeSwitch<Operation *, OutputColumns>(op)
      .Case([](stablehlo::DotGeneralOp dot) {
        auto dims = dot.getDotDimensionNumbers();
        return columnsOf(dot.getRhs(), dims.getRhsBatchingDimensions(),
                         dims.getRhsContractingDimensions());
      })
      .Case([](stablehlo::DotOp dot) {
        return columnsOf(dot.getRhs(), {}, int64_t(0));
      })
      .Case([](stablehlo::ConvolutionOp conv) {
        return OutputColumns{sizeOf(
            conv.getRhs(),
            conv.getDimensionNumbers().getKernelOutputFeatureDimension())};
      })
      .Default([](Operation *) { return OutputColumns(); });
}

double countOperations(Operation *op) {
  double results = elementsOf(op->getResultTypes());
  if (hasElementwiseTrait(op)) // most ops, none of which is below
    return results * ofElement(op);
  auto operand = [&](unsigned i) {
    return i < op->getNumOperands() ? elementsOf(op->getOperand(i).getType())
                                    : 0.0;
  };
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([&](stablehlo::DotGeneralOp dot) {
        return ofDot(dot.getLhs(),
                     dot.getDotDimensionNumbers().getLhsContractingDimensions(),
                     results);
      })
      .Case([&](stablehlo::DotOp dot) {
        int64_t last = int64_t(dimsOf(dot.getLhs().getType()).size()) - 1;
        return ofDot(dot.getLhs(), last, results);
      })
      .Case([&](stablehlo::ConvolutionOp conv) {
        double features = sizeOf(
            conv.getRhs(),
            conv.getDimensionNumbers().getKernelOutputFeatureDimension());
        return 2 * results * operand(1) / std::max(1.0, features);
      })
      .Case([&](stablehlo::ReduceWindowOp reduce) {
        double window = 1;
        for (auto [dim, size] : llvm::enumerate(reduce.getWindowDimensions()))
          // Windows over all of a dimension are running sums.
          window *= std::min(double(size),
                             double(size) < sizeOf(op->getOperand(0), dim)
                                 ? double(size)
                                 : kRunning);
        return results * window * ofRegion(op->getRegion(0));
      })
      .Case([&](stablehlo::SelectAndScatterOp scatter) {
        double window = 1;
        if (auto sizes = scatter.getWindowDimensions())
          for (int64_t size : *sizes)
            window *= double(size);
        return operand(1) * window * (ofRegion(scatter.getSelect()) + kAddress);
      })
      .Case([&](stablehlo::ReduceOp reduce) {
        return operand(0) * ofRegion(reduce.getBody());
      })
      .Case([&](stablehlo::SortOp sort) {
        double n = std::max(
            2.0, sizeOf(sort->getOperand(0), int64_t(sort.getDimension())));
        return operand(0) * std::log2(n) * kComparison;
      })
      .Case<stablehlo::GatherOp, stablehlo::DynamicGatherOp>(
          [&](auto) { return results * kAddress; })
      .Case([&](stablehlo::ScatterOp scatter) {
        double updates = 0;
        for (Value update : scatter.getUpdates())
          updates += elementsOf(update.getType());
        return updates * (kAddress + ofRegion(scatter.getUpdateComputation()));
      })
      .Case([](stablehlo::FftOp fft) { return ofFft(fft); })
      .Case([](stablehlo::CustomCallOp call) { return ofCustomCall(call); })
      .Case([&](stablehlo::CholeskyOp) {
        ArrayRef<int64_t> dims = dimsOf(op->getResult(0).getType());
        return dims.empty() ? 0 : results * double(dims.back()) / 3;
      })
      .Case([&](stablehlo::TriangularSolveOp) {
        ArrayRef<int64_t> dims = dimsOf(op->getOperand(0).getType());
        return dims.empty() ? 0 : results * double(dims.back());
      })
      .Default([](Operation *) { return 0; });
}

} // namespace shardwright

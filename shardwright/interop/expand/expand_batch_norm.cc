//===- expand_batch_norm.cc - expand batch normalization ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/expand/op_builder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright::op_expansion {

namespace {

/// A batch normalization; computes f16 and bf16 in f32.
struct Normalisation : StaticBuilder {
  Normalisation(Operation *op, Value operand, int64_t feature, APFloat epsilon)
      : StaticBuilder(op), original(typeOf(operand).getElementType()),
        epsilon(epsilon.convertToDouble()) {
    element = original.getIntOrFloatBitWidth() < 32 ? b.getF32Type() : original;
    x = wide(operand);
    shape = llvm::to_vector(typeOf(x).getShape());
    this->feature = feature;
    for (int64_t d = 0; d < typeOf(x).getRank(); ++d)
      if (d != feature) {
        others.push_back(d);
        count *= static_cast<double>(shape[d]);
      }
  }
  Value wide(Value v) { return convert(v, element); }
  Value narrow(Value v) { return convert(v, original); }
  /// Broadcasts one value per feature to the tensor.
  Value spread(Value v) { return broadcast(v, shape, {feature}); }
  Value sumOthers(Value v) { return sum(v, others); }
  Value overCount(Value v) { return divide(v, splat(count, typeOf(v))); }
  Value withEpsilon(Value v) { return add(v, splat(epsilon, typeOf(v))); }
  Value sqrt(Value v) { return unary<stablehlo::SqrtOp>(v); }

  Type original, element;
  Value x;
  SmallVector<int64_t> shape, others;
  int64_t feature;
  double epsilon, count = 1;
};

} // namespace

static Value normalise(Normalisation &n, Value scale, Value offset, Value mean,
                       Value variance) {
  Value centered = n.subtract(n.x, n.spread(mean));
  Value deviation = n.spread(n.sqrt(n.withEpsilon(variance)));
  Value scaled = n.multiply(n.divide(centered, deviation), n.spread(scale));
  return n.add(scaled, n.spread(offset));
}

static Values inference(stablehlo::BatchNormInferenceOp op) {
  Normalisation n(op, op.getOperand(), op.getFeatureIndex(), op.getEpsilon());
  return {n.narrow(normalise(n, n.wide(op.getScale()), n.wide(op.getOffset()),
                             n.wide(op.getMean()), n.wide(op.getVariance())))};
}

static Values training(stablehlo::BatchNormTrainingOp op) {
  Normalisation n(op, op.getOperand(), op.getFeatureIndex(), op.getEpsilon());
  Value mean = n.overCount(n.sumOthers(n.x));
  Value centered = n.subtract(n.x, n.spread(mean));
  Value variance = n.overCount(n.sumOthers(n.multiply(centered, centered)));
  Value result = normalise(n, n.wide(op.getScale()), n.wide(op.getOffset()),
                           mean, variance);
  return {n.narrow(result), n.narrow(mean), n.narrow(variance)};
}

// With z = (x - mean) / s: d/dx = scale / s / n (n g - sum g - z sum(g z)).
static Values gradient(stablehlo::BatchNormGradOp op) {
  Normalisation n(op, op.getOperand(), op.getFeatureIndex(), op.getEpsilon());
  Value g = n.wide(op.getGradOutput());
  Value centered = n.subtract(n.x, n.spread(n.wide(op.getMean())));
  Value deviation = n.sqrt(n.withEpsilon(n.wide(op.getVariance())));
  Value z = n.divide(centered, n.spread(deviation));
  Value sum = n.sumOthers(g), sumWithZ = n.sumOthers(n.multiply(g, z));
  Value inner =
      n.subtract(n.multiply(g, n.splat(n.count, StaticBuilder::typeOf(g))),
                 n.add(n.spread(sum), n.multiply(z, n.spread(sumWithZ))));
  Value factor = n.overCount(n.divide(n.wide(op.getScale()), deviation));
  return {n.narrow(n.multiply(n.spread(factor), inner)), n.narrow(sumWithZ),
          n.narrow(sum)};
}

FailureOr<Values> expandBatchNorm(Operation *op) {
  if (!StaticBuilder::typeOf(op->getOperand(0)).hasStaticShape())
    return failure();
  return llvm::TypeSwitch<Operation *, FailureOr<Values>>(op)
      .Case([](stablehlo::BatchNormInferenceOp o) { return inference(o); })
      .Case([](stablehlo::BatchNormTrainingOp o) { return training(o); })
      .Case([](stablehlo::BatchNormGradOp o) { return gradient(o); })
      .Default([](Operation *) { return failure(); });
}

} // namespace shardwright::op_expansion

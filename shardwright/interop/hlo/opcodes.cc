//===- opcodes.cc - the opcodes of HLO ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/hlo/opcodes.h"

#include "shardwright/interop/hlo/translations.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright::hlo {

/// An instruction that StableHLO cannot express.
static constexpr Opcode refused(llvm::StringLiteral name,
                                llvm::StringLiteral why) {
  return {name, nullptr, "", why};
}

/// A parameter is the argument of its computation and needs no translation.
static llvm::LogicalResult parameter(Translator &, const Instruction &) {
  return llvm::success();
}

// Sorted by name.
static constexpr Opcode opcodes[] = {
    {"abs", sameOp, "stablehlo.abs"},
    {"acos", sameOp, "chlo.acos"},
    {"acosh", sameOp, "chlo.acosh"},
    {"add", sameOp, "stablehlo.add"},
    {"add-dependency", addDependency},
    {"after-all", afterAll},
    {"all-gather", allGather},
    {"all-gather-done", secondElement},
    {"all-gather-start", allGatherStart},
    {"all-reduce", allReduce},
    {"all-reduce-done", copy},
    {"all-reduce-start", allReduce},
    {"all-to-all", allToAll},
    {"and", sameOp, "stablehlo.and"},
    {"asin", sameOp, "chlo.asin"},
    {"asinh", sameOp, "chlo.asinh"},
    {"async-done", asyncDone},
    {"async-start", asyncStart},
    {"async-update", copy},
    {"atan2", sameOp, "stablehlo.atan2"},
    {"atanh", sameOp, "chlo.atanh"},
    {"batch-norm-grad", batchNorm, "stablehlo.batch_norm_grad"},
    {"batch-norm-inference", batchNorm, "stablehlo.batch_norm_inference"},
    {"batch-norm-training", batchNorm, "stablehlo.batch_norm_training"},
    {"bitcast", bitcast},
    {"bitcast-convert", sameOp, "stablehlo.bitcast_convert"},
    {"broadcast", broadcast},
    {"call", call},
    {"cbrt", withAccuracy, "stablehlo.cbrt"},
    {"ceil", sameOp, "stablehlo.ceil"},
    {"cholesky", cholesky},
    {"clamp", sameOp, "stablehlo.clamp"},
    {"collective-broadcast", collectiveBroadcast},
    {"collective-permute", collectivePermute},
    {"collective-permute-done", secondElement},
    {"collective-permute-start", collectivePermuteStart},
    {"compare", compare},
    {"complex", sameOp, "stablehlo.complex"},
    {"concatenate", concatenate},
    {"conditional", conditional},
    {"constant", constant},
    {"convert", sameOp, "stablehlo.convert"},
    {"convolution", convolution},
    {"copy", copy},
    {"copy-done", copyDone},
    {"copy-start", copyStart},
    {"cosh", sameOp, "chlo.cosh"},
    {"cosine", withAccuracy, "stablehlo.cosine"},
    {"count-leading-zeros", sameOp, "stablehlo.count_leading_zeros"},
    {"custom-call", customCall},
    {"divide", sameOp, "stablehlo.divide"},
    {"domain", copy},
    {"dot", dot},
    {"dynamic-reshape", dynamicReshape},
    {"dynamic-slice", dynamicSlice},
    {"dynamic-update-slice", dynamicUpdateSlice},
    {"erf", sameOp, "chlo.erf"},
    {"exponential", withAccuracy, "stablehlo.exponential"},
    {"exponential-minus-one", withAccuracy, "stablehlo.exponential_minus_one"},
    {"fft", fft},
    {"floor", sameOp, "stablehlo.floor"},
    {"fusion", fusion},
    {"gather", gather},
    {"get-dimension-size", dimensionSize, "stablehlo.get_dimension_size"},
    {"get-tuple-element", getTupleElement},
    {"imag", sameOp, "stablehlo.imag"},
    {"infeed", infeed},
    {"iota", iota},
    {"is-finite", sameOp, "stablehlo.is_finite"},
    {"log", withAccuracy, "stablehlo.log"},
    {"log-plus-one", withAccuracy, "stablehlo.log_plus_one"},
    {"logistic", withAccuracy, "stablehlo.logistic"},
    {"map", map},
    {"maximum", sameOp, "stablehlo.maximum"},
    {"minimum", sameOp, "stablehlo.minimum"},
    {"mulhi", sameOp, "chlo.mulhi"},
    {"multiply", sameOp, "stablehlo.multiply"},
    {"negate", sameOp, "stablehlo.negate"},
    {"not", sameOp, "stablehlo.not"},
    {"opt-barrier", sameOp, "stablehlo.optimization_barrier"},
    {"or", sameOp, "stablehlo.or"},
    {"outfeed", outfeed},
    {"pad", pad},
    {"parameter", parameter},
    {"partition-id", sameOp, "stablehlo.partition_id"},
    {"popcnt", sameOp, "stablehlo.popcnt"},
    {"power", sameOp, "stablehlo.power"},
    refused("ragged-all-to-all",
            "StableHLO has no all-to-all of ragged arrays; use the custom call "
            "'ragged_all_to_all'"),
    {"ragged-dot", raggedDot},
    {"real", sameOp, "stablehlo.real"},
    {"recv", recv},
    {"recv-done", recvDone},
    {"reduce", reduce},
    {"reduce-precision", reducePrecision},
    {"reduce-scatter", reduceScatter},
    {"reduce-window", reduceWindow},
    {"remainder", sameOp, "stablehlo.remainder"},
    {"replica-id", sameOp, "stablehlo.replica_id"},
    {"reshape", sameOp, "stablehlo.reshape"},
    {"reverse", reverse},
    {"rng", rng},
    {"rng-bit-generator", rngBitGenerator},
    refused("rng-get-and-update-state",
            "StableHLO has no random state of the device; pass the state as "
            "an argument and use rng-bit-generator"),
    {"round-nearest-afz", sameOp, "stablehlo.round_nearest_afz"},
    {"round-nearest-even", sameOp, "stablehlo.round_nearest_even"},
    {"rsqrt", withAccuracy, "stablehlo.rsqrt"},
    refused("scaled-dot",
            "StableHLO has no dot of scaled blocks; multiply the operands by "
            "their scales and use dot"),
    {"scan", scan},
    {"scatter", scatter},
    {"select", sameOp, "stablehlo.select"},
    {"select-and-scatter", selectAndScatter},
    {"send", send},
    {"send-done", sendDone},
    {"set-dimension-size", dimensionSize, "stablehlo.set_dimension_size"},
    {"shift-left", sameOp, "stablehlo.shift_left"},
    {"shift-right-arithmetic", sameOp, "stablehlo.shift_right_arithmetic"},
    {"shift-right-logical", sameOp, "stablehlo.shift_right_logical"},
    {"sign", sameOp, "stablehlo.sign"},
    {"sine", withAccuracy, "stablehlo.sine"},
    {"sinh", sameOp, "chlo.sinh"},
    {"slice", slice},
    {"sort", sort},
    {"sqrt", withAccuracy, "stablehlo.sqrt"},
    refused("stochastic-convert",
            "StableHLO has no conversion with random rounding; convert without "
            "it"),
    {"subtract", sameOp, "stablehlo.subtract"},
    {"tan", withAccuracy, "stablehlo.tan"},
    {"tanh", withAccuracy, "stablehlo.tanh"},
    {"topk", topK},
    {"transpose", transpose},
    {"triangular-solve", triangularSolve},
    {"tuple", tuple},
    {"while", whileLoop},
    {"xor", sameOp, "stablehlo.xor"},
};

llvm::ArrayRef<Opcode> allOpcodes() { return opcodes; }

const Opcode *findOpcode(llvm::StringRef name) {
  const Opcode *found = llvm::lower_bound(
      opcodes, name,
      [](const Opcode &opcode, llvm::StringRef n) { return opcode.name < n; });
  return found != std::end(opcodes) && found->name == name ? found : nullptr;
}

} // namespace shardwright::hlo

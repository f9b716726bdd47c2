//===- toy_dialect.cc - a dialect outside of Shardwright -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/rule_builder.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

#include "toy_dialect.h.inc"
#define GET_OP_CLASSES
#include "toy_ops.h.inc"

#include "toy_dialect.cpp.inc"
#define GET_OP_CLASSES
#include "toy_ops.cpp.inc"

using namespace mlir;
using shardwright::FactorKind;
using shardwright::RuleBuilder;
using shardwright::shapeOf;

void toy::ToyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "toy_ops.cpp.inc"
      >();
}

// a: i k, b: k j -> i j; results are partial sums over the shards of k.
std::optional<shardwright::ShardingRule>
toy::MatMulOp::buildShardingRule(const shardwright::RuleOptions &) {
  constexpr int64_t none = shardwright::kNoDim;
  ArrayRef<int64_t> a = shapeOf(getA()), b = shapeOf(getB());
  if (a.size() != 2 || b.size() != 2)
    return std::nullopt;
  return RuleBuilder(*this)
      .add({0, none}, {0}, a[0])
      .add({none, 1}, {1}, b[1])
      .add({1, 0}, {none}, a[1], FactorKind::Reduction)
      .finish();
}

// Every dimension can stay sharded except the last, which must be replicated.
std::optional<shardwright::ShardingRule>
toy::NormalizeOp::buildShardingRule(const shardwright::RuleOptions &) {
  ArrayRef<int64_t> shape = shapeOf(getX());
  RuleBuilder builder(*this);
  for (auto [d, size] : llvm::enumerate(shape)) {
    bool last = d + 1 == shape.size();
    builder.all(d, size,
                last ? FactorKind::NeedReplication : FactorKind::PassThrough,
                /*blocked=*/last);
  }
  return builder.finish();
}

// There are no operands, so there is nothing to relate.
std::optional<shardwright::ShardingRule>
toy::ZerosOp::buildShardingRule(const shardwright::RuleOptions &) {
  return std::nullopt;
}

// Each use gets its own zeros, with the sharding that suits this use.
shardwright::PropagationTraits toy::ZerosOp::getPropagationTraits() {
  return {.makesConstant = true};
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "toy", "1.0", [](DialectRegistry *registry) {
            registry->insert<toy::ToyDialect>();
          }};
}

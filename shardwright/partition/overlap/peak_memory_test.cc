//===- peak_memory_test.cc - predicted peak of hand-made programs ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/peak_memory.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/overlap/kernel_index.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mlir;

namespace shardwright {
namespace {

/// Parses programs and predicts their peaks.
class Programs {
public:
  Programs() {
    DialectRegistry registry;
    registry.insert<func::FuncDialect, stablehlo::StablehloDialect>();
    registerShardingRules(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  PredictedPeak peak(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    return module ? predictPeak(*module) : PredictedPeak();
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

class PeakMemory : public testing::Test, protected Programs {};

int64_t bytesOf(const PredictedPeak &peak, MemoryClass kind) {
  return peak.bytesByClass()[int(kind)];
}

int64_t sumOf(const PredictedPeak &peak) {
  int64_t sum = 0;
  for (const HeldValue &value : peak.values)
    sum += value.bytes;
  return sum;
}

TEST_F(PeakMemory, ValuesInsideAKernelTakeNone) {
  PredictedPeak found = peak(R"(
    func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
      %0 = stablehlo.multiply %a, %a : tensor<64xf32>
      %1 = stablehlo.tanh %0 : tensor<64xf32>
      %2 = stablehlo.add %1, %0 : tensor<64xf32>
      return %2 : tensor<64xf32>
    })");
  EXPECT_EQ(found.bytes, 512);
  EXPECT_EQ(found.op, nullptr);
  EXPECT_EQ(bytesOf(found, MemoryClass::Temporary), 0);
}

TEST_F(PeakMemory, ASoftmaxOfRowsIsOneKernel) {
  // Over columns it takes several, because each needs all rows.
  const char *text = R"(
    func.func @main(%a: tensor<64x32xf32>) -> tensor<64x32xf32> {
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.exponential %a : tensor<64x32xf32>
      %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [DIM] : (tensor<64x32xf32>, tensor<f32>) -> tensor<KEPTxf32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [OTHER] : (tensor<KEPTxf32>) -> tensor<64x32xf32>
      %3 = stablehlo.divide %0, %2 : tensor<64x32xf32>
      return %3 : tensor<64x32xf32>
    })";
  auto over = [&](const char *dim, const char *other, const char *kept) {
    std::string result = text;
    for (auto [name, value] : {std::pair("DIM", dim), {"OTHER", other}})
      result.replace(result.find(name), strlen(name), value);
    for (size_t at; (at = result.find("KEPT")) != std::string::npos;)
      result.replace(at, 4, kept);
    return peak(result);
  };
  EXPECT_EQ(over("1", "0", "64").bytes, 2 * 64 * 32 * 4);
  PredictedPeak columns = over("0", "1", "32");
  EXPECT_GE(columns.bytes, 2 * 64 * 32 * 4 + 32 * 4);
}

TEST_F(PeakMemory, AViewIsMemoryOfItsOperand) {
  // The product is alive through its reshape until the last product.
  PredictedPeak found = peak(R"(
    func.func @main(%a: tensor<16x16xf32>, %b: tensor<8x16xf32>) -> tensor<8x32xf32> {
      %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %1 = stablehlo.reshape %0 : (tensor<16x16xf32>) -> tensor<8x32xf32>
      %2 = stablehlo.dot_general %b, %a, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
      %3 = stablehlo.dot_general %2, %1, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<8x16xf32>, tensor<8x32xf32>) -> tensor<8x16x32xf32>
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %4 = stablehlo.reduce(%3 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x32xf32>
      return %4 : tensor<8x32xf32>
    })");
  EXPECT_EQ(found.bytes, 1024 + 512 + 1024 + 1024 + 512 + 16384);
  EXPECT_EQ(sumOf(found), found.bytes);
}

TEST_F(PeakMemory, AStackOfALoopIsAResidualOfFullLength) {
  PredictedPeak found = peak(R"(
    func.func @main(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %none = stablehlo.constant dense<0.0> : tensor<10x16x16xf32>
      %0:3 = stablehlo.while(%i = %zero, %x = %a, %stack = %none) : tensor<i32>, tensor<16x16xf32>, tensor<10x16x16xf32>
      cond {
        %n = stablehlo.constant dense<10> : tensor<i32>
        %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %c = stablehlo.constant dense<0> : tensor<i32>
        %1 = stablehlo.add %i, %one : tensor<i32>
        %2 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
        %3 = stablehlo.reshape %x : (tensor<16x16xf32>) -> tensor<1x16x16xf32>
        %4 = stablehlo.dynamic_update_slice %stack, %3, %i, %c, %c : (tensor<10x16x16xf32>, tensor<1x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<10x16x16xf32>
        stablehlo.return %1, %2, %4 : tensor<i32>, tensor<16x16xf32>, tensor<10x16x16xf32>
      }
      %5 = stablehlo.slice %0#2 [3:4, 0:16, 0:16] : (tensor<10x16x16xf32>) -> tensor<1x16x16xf32>
      %6 = stablehlo.reshape %5 : (tensor<1x16x16xf32>) -> tensor<16x16xf32>
      %7 = stablehlo.add %0#1, %6 : tensor<16x16xf32>
      return %7 : tensor<16x16xf32>
    })");
  EXPECT_EQ(bytesOf(found, MemoryClass::Residual), 10 * 1024);
  // The argument, the result, the carried matrix and the next one, the counter
  // and the next one.
  EXPECT_EQ(found.bytes, 10 * 1024 + 4 * 1024 + 2 * 64);
}

TEST_F(PeakMemory, OfBranchesTheLargerCounts) {
  auto with = [&](int small, int large) {
    auto branch = [](int size) {
      std::string t = "tensor<16x" + std::to_string(size) + "xf32>";
      return "%b = stablehlo.custom_call @f(%a) : (tensor<16x16xf32>) -> " + t +
             "\n%c = stablehlo.custom_call @g(%b) : (" + t +
             ") -> tensor<16x16xf32>\n"
             "stablehlo.return %c : tensor<16x16xf32>\n";
    };
    return peak("func.func @main(%p: tensor<i1>, %a: tensor<16x16xf32>) -> "
                "tensor<16x16xf32> {\n"
                "%0 = \"stablehlo.if\"(%p) ({\n" +
                branch(small) + "}, {\n" + branch(large) +
                "}) : (tensor<i1>) -> tensor<16x16xf32>\n"
                "return %0 : tensor<16x16xf32>\n}\n")
        .bytes;
  };
  EXPECT_EQ(with(8, 64), 1 + 2 * 1024 + 64 * 64);
  EXPECT_EQ(with(64, 8), with(8, 64));
  EXPECT_EQ(with(64, 64), with(8, 64));
}

TEST_F(PeakMemory, GatheredCopiesHaveAClassOfTheirOwn) {
  PredictedPeak found = peak(R"(
    func.func @main(%a: tensor<4x16xf32>, %b: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4x16xf32>) -> tensor<16x16xf32>
      %1 = stablehlo.dot_general %b, %0, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
      return %1 : tensor<8x16xf32>
    })");
  EXPECT_EQ(bytesOf(found, MemoryClass::Gathered), 1024);
  EXPECT_EQ(found.bytes, 256 + 512 + 512 + 1024);
}

TEST_F(PeakMemory, AFunctionCountsWhileItIsCalled) {
  PredictedPeak found = peak(R"(
    func.func private @f(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
      %0 = stablehlo.custom_call @large(%a) : (tensor<16x16xf32>) -> tensor<64x64xf32>
      %1 = stablehlo.custom_call @small(%0) : (tensor<64x64xf32>) -> tensor<16x16xf32>
      return %1 : tensor<16x16xf32>
    }
    func.func @main(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
      %0 = call @f(%a) : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %1 = call @f(%0) : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %2 = stablehlo.custom_call @g(%1, %0) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      return %2 : tensor<16x16xf32>
    })");
  EXPECT_EQ(found.bytes, 4 * 1024 + 16384);
  EXPECT_EQ(found.values.front().bytes, 16384);
}

TEST_F(PeakMemory, ADonatedArgumentGivesItsMemoryToAResult) {
  auto withUse = [&](const char *last) {
    return peak(
        std::string(R"(
    func.func @main(%a: tensor<16x16xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %0 = stablehlo.custom_call @f(%a) : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %1 = stablehlo.custom_call @g(%0) : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %2 = stablehlo.custom_call @h(%1, )") +
        last +
        R"() : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      return %1, %2 : tensor<16x16xf32>, tensor<16x16xf32>
    })");
  };
  PredictedPeak pair = withUse("%b");
  EXPECT_EQ(bytesOf(pair, MemoryClass::State), 1024);
  EXPECT_EQ(pair.bytes, 4 * 1024);
  // It is read when the result has been written.
  PredictedPeak both = withUse("%a");
  EXPECT_EQ(bytesOf(both, MemoryClass::State), 0);
  EXPECT_EQ(both.bytes, 5 * 1024);
}

TEST_F(PeakMemory, AnyModuleHasAnAnswer) {
  EXPECT_EQ(peak("module {}").bytes, 0);
  EXPECT_EQ(peak("func.func private @main(tensor<4xf32>)").bytes, 0);
  // Sizes beyond 64 bits, and sizes that are not known.
  EXPECT_GE(peak(R"(
    func.func @main(%a: tensor<4611686018427387904x8xf32>) -> tensor<4611686018427387904x8xf32> {
      %0 = stablehlo.custom_call @f(%a) : (tensor<4611686018427387904x8xf32>) -> tensor<4611686018427387904x8xf32>
      %1 = stablehlo.add %0, %a : tensor<4611686018427387904x8xf32>
      return %1 : tensor<4611686018427387904x8xf32>
    })")
                .bytes,
            int64_t(1) << 62);
  EXPECT_EQ(peak(R"(
    func.func @main(%a: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = stablehlo.custom_call @f(%a) : (tensor<?x8xf32>) -> tensor<?x8xf32>
      %1 = stablehlo.add %0, %a : tensor<?x8xf32>
      return %1 : tensor<?x8xf32>
    })")
                .bytes,
            0);
}

TEST(KernelIndices, AKernelOfOneElementRunsOnce) {
  KernelIndices indices;
  indices.reset({});
  // An index along a loop that the kernel has not, as movement of a larger
  // operand makes it.
  EXPECT_EQ(indices.iterations(indices.alongLoops(0, 1)), 1);
  EXPECT_EQ(indices.iterations(indices.scalar()), 1);
  indices.reset({3, 5});
  EXPECT_EQ(indices.iterations(indices.alongLoops(0, 1)), 3);
  EXPECT_EQ(indices.iterations(indices.alongLoops(0, 2)), 15);
}

//===--- random programs --------------------------------------------------===//

/// A straight-line program of ops that no kernel computes, and reshapes.
struct Random {
  struct Op {
    std::vector<int> operands;
    int64_t rows = 1;
    bool isReshape = false;
  };
  std::vector<int64_t> arguments; ///< rows of 4 elements of 4 bytes
  std::vector<bool> isDonated;
  std::vector<Op> ops;
  std::vector<int> results;

  int64_t rowsOf(int value) const {
    int count = int(arguments.size());
    return value < count ? arguments[value] : ops[value - count].rows;
  }
  int root(int value) const {
    int count = int(arguments.size());
    while (value >= count && ops[value - count].isReshape)
      value = ops[value - count].operands[0];
    return value;
  }
  int depth(int value) const {
    int count = int(arguments.size()), depth = 0;
    for (; value >= count && ops[value - count].isReshape; ++depth)
      value = ops[value - count].operands[0];
    return depth;
  }
  /// Reshapes turn rows into columns and back.
  std::string type(int value) const {
    std::string rows = std::to_string(rowsOf(value));
    return depth(value) % 2 ? "tensor<4x" + rows + "xf32>"
                            : "tensor<" + rows + "x4xf32>";
  }

  std::string text() const;
  int64_t peak() const;
};

std::string Random::text() const {
  std::string text = "func.func @main(", types;
  auto list = [&](const std::vector<int> &values, auto print) {
    std::string all;
    for (int value : values)
      all += (all.empty() ? "" : ", ") + print(value);
    return all;
  };
  auto name = [](int value) { return "%v" + std::to_string(value); };
  auto typeOf = [&](int value) { return type(value); };
  for (size_t i = 0; i < arguments.size(); ++i)
    text += (i ? ", " : "") + name(int(i)) + ": " + type(int(i)) +
            (isDonated[i] ? " {jax.buffer_donor = true}" : "");
  text += ") -> (" + list(results, typeOf) + ") {\n";
  for (size_t i = 0; i < ops.size(); ++i) {
    int value = int(arguments.size() + i);
    text += name(value) +
            (ops[i].isReshape ? " = stablehlo.reshape "
                              : " = stablehlo.custom_call @f(") +
            list(ops[i].operands, name) + (ops[i].isReshape ? "" : ")") +
            " : (" + list(ops[i].operands, typeOf) + ") -> " + type(value) +
            "\n";
  }
  text +=
      "return " + list(results, name) + " : " + list(results, typeOf) + "\n}\n";
  return text;
}

/// Counts what is alive at each op.
int64_t Random::peak() const {
  int count = int(arguments.size()), all = count + int(ops.size());
  std::vector<int> made(all, -1), read(all, -1);
  for (int i = 0; i < int(ops.size()); ++i) {
    made[count + i] = i;
    if (!ops[i].isReshape)
      for (int operand : ops[i].operands)
        read[root(operand)] = i;
  }
  std::vector<bool> isResult(all, false);
  for (int result : results)
    isResult[root(result)] = true;
  auto bytes = [&](int value) { return rowsOf(value) * 16; };
  auto aligned = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
  int64_t most = 0;
  for (int i = 0; i < int(ops.size()); ++i) {
    if (ops[i].isReshape)
      continue;
    int64_t now = 0;
    for (int value = count; value < all; ++value)
      if (root(value) == value && !isResult[value] && made[value] <= i &&
          i <= std::max(read[value], made[value]))
        now += aligned(bytes(value));
    most = std::max(most, now);
  }
  for (int i = 0; i < count; ++i)
    most += bytes(i);
  std::vector<bool> isTaken(results.size(), false);
  for (int result : results)
    most += bytes(result);
  for (int i = 0; i < count; ++i)
    for (size_t r = 0; isDonated[i] && r < results.size(); ++r)
      if (!isTaken[r] && bytes(results[r]) == bytes(i) &&
          read[i] < made[root(results[r])]) {
        isTaken[r] = true;
        most -= bytes(i);
        break;
      }
  return most;
}

RC_GTEST_PROP(PeakMemoryProperties, StraightLineCodeIsExact, ()) {
  Random program;
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
    program.arguments.push_back(*rc::gen::inRange(2, 12));
    program.isDonated.push_back(*rc::gen::arbitrary<bool>());
  }
  int count = int(program.arguments.size());
  std::vector<bool> isRead;
  for (int i = *rc::gen::inRange(1, 25); i > 0; --i) {
    Random::Op op;
    int values = count + int(program.ops.size());
    op.isReshape = i > 1 && *rc::gen::inRange(0, 4) == 0;
    for (int k = op.isReshape ? 1 : *rc::gen::inRange(1, 4); k > 0; --k)
      op.operands.push_back(*rc::gen::inRange(0, values));
    op.rows = op.isReshape ? program.rowsOf(op.operands[0])
                           : *rc::gen::inRange(2, 12);
    isRead.resize(values + 1, false);
    for (int operand : op.operands)
      isRead[operand] = true;
    program.ops.push_back(std::move(op));
  }
  // All that is not read is returned, but each memory once and no argument.
  std::set<int> roots;
  for (int value = count; value < int(isRead.size()); ++value)
    if (!isRead[value] && program.root(value) >= count &&
        roots.insert(program.root(value)).second)
      program.results.push_back(value);
  Programs programs;
  PredictedPeak found = programs.peak(program.text());
  RC_LOG() << program.text();
  RC_ASSERT(found.bytes == program.peak());
  RC_ASSERT(sumOf(found) == found.bytes);
}

} // namespace
} // namespace shardwright

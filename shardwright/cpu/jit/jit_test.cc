//===- jit_test.cc - quick and full code generation -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles every elementwise operation, and sums along rows and columns, at
// both levels; the results must be bitwise equal.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit/jit.h"

#include "shardwright/cpu/jit/code_generator.h"
#include "shardwright/cpu/jit/host_target.h"

#include "gtest/gtest.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <bit>
#include <cmath>

using namespace shardwright;
using namespace shardwright::cpu;
using E = ElementType;

namespace {

constexpr Shape::size_type rank = 2;
const Shape shape{7, 37};
constexpr int64_t elements = 7 * 37;

int32_t param(Cluster &cluster, E type, Shape of = shape) {
  Node node;
  node.op = Op::Param;
  node.type = type;
  node.shape = std::move(of);
  node.bits = cluster.numParams++;
  return cluster.graph.add(node);
}

/// Numbers of all magnitudes, and special values.
template <typename T> std::vector<T> inputs(uint32_t seed) {
  const T specials[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5};
  std::vector<T> x(std::begin(specials), std::end(specials));
  while (x.size() < static_cast<size_t>(elements)) {
    seed = seed * 1664525u + 1013904223u;
    x.push_back(seed % 3 ? (static_cast<T>(seed >> 8) / 8388608 - 1) * 9
                         : static_cast<T>(std::bit_cast<float>(seed)));
  }
  return x;
}

/// Returns the output bits of the kernel, with all NaNs made equal.
template <typename T, typename Bits>
std::vector<Bits> run(const Cluster &cluster, CodegenOptLevel level) {
  JitOptions options;
  options.optLevel = level;
  auto compiled = compileKernels({&cluster}, options);
  EXPECT_TRUE(static_cast<bool>(compiled));
  std::vector<std::vector<T>> x{inputs<T>(1), inputs<T>(2)};
  std::vector<T> out(elements);
  T zero = 0;
  llvm::SmallVector<void *, 3> buffers;
  for (int32_t i = 0; i < cluster.numParams; ++i)
    buffers.push_back(i < 2 ? static_cast<void *>(x[i].data()) : &zero);
  buffers.push_back(out.data());
  const Kernel &kernel = compiled->kernels[0];
  kernel.function(buffers.data(), 0, kernel.iterations);
  std::vector<Bits> bits;
  for (T value : out)
    bits.push_back(value != value ? ~Bits(0) : std::bit_cast<Bits>(value));
  return bits;
}

template <typename T, typename Bits>
void expectEqual(const Cluster &cluster, llvm::StringRef what) {
  EXPECT_EQ((run<T, Bits>(cluster, CodegenOptLevel::Quick)),
            (run<T, Bits>(cluster, CodegenOptLevel::Full)))
      << what.str();
}

template <typename T, typename Bits> void compareElementwise(E type) {
  for (int op = int(Op::Abs); op <= int(Op::Atan2); ++op) {
    switch (Op(op)) {
    case Op::Not:
    case Op::Clz:
    case Op::Popcnt:
    case Op::IsFinite:
    case Op::Real:
    case Op::Imag:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::ShiftLeft:
    case Op::ShiftRightArithmetic:
    case Op::ShiftRightLogical:
      continue;
    default:
      break;
    }
    Cluster cluster;
    Node node;
    node.op = Op(op);
    node.type = type;
    node.shape = shape;
    node.operands = {param(cluster, type)};
    if (Op(op) >= Op::Add)
      node.operands.push_back(param(cluster, type));
    if (Op(op) == Op::ReducePrecision)
      node.attrs = ReducePrecisionAttrs{5, 7};
    cluster.outputs = {cluster.graph.add(node)};
    cluster.inPlace = {-1};
    expectEqual<T, Bits>(cluster, name(Op(op)));
  }
}

TEST(OptLevels, ElementwiseOperationsAgree) {
  compareElementwise<float, uint32_t>(E::F32);
  compareElementwise<double, uint64_t>(E::F64);
}

/// (a, b) -> a + b
std::shared_ptr<Body> addition(E type) {
  auto body = std::make_shared<Body>();
  for (uint64_t i : {0, 1}) {
    Node argument;
    argument.op = Op::Param;
    argument.type = type;
    argument.bits = i;
    body->nodes.push_back(argument);
  }
  Node add;
  add.op = Op::Add;
  add.type = type;
  add.operands = {0, 1};
  body->nodes.push_back(add);
  body->results = {2};
  return body;
}

TEST(Scratch, IsReadAndWrittenAsItsElementsAreAligned) {
  for (E type : {E::S8, E::U16, E::S32, E::S64, E::F16, E::F64}) {
    // Row sums of an expensive value, and the value minus its sum.
    Cluster cluster;
    int32_t x = param(cluster, type), y = param(cluster, type),
            zero = param(cluster, type, {});
    auto add = [&](Op op, Shape of, std::initializer_list<int32_t> operands) {
      Node node;
      node.op = op;
      node.type = type;
      node.shape = std::move(of);
      node.operands = operands;
      return node;
    };
    Graph &graph = cluster.graph;
    int32_t dear = x;
    for (int i = 0; i < 3; ++i)
      dear = graph.add(add(Op::Divide, shape, {dear, y}));
    Node sum = add(Op::Reduce, {shape[0]}, {dear, zero});
    sum.attrs = ReduceAttrs{{1}};
    sum.body = addition(type);
    int32_t sums = graph.add(std::move(sum));
    Node spread = add(Op::Broadcast, shape, {sums});
    spread.attrs = BroadcastAttrs{{0}};
    int32_t all = graph.add(std::move(spread));
    cluster.outputs = {graph.add(add(Op::Subtract, shape, {dear, all}))};
    cluster.inPlace = {-1};
    KernelPlan plan = planKernel(cluster, hostTarget().maxLanes);
    const auto *row = plan.getIf<RowPlan>();
    ASSERT_TRUE(row && !row->scratch.empty()) << str(type).str();
    llvm::LLVMContext context;
    llvm::Module module("kernel", context);
    emitKernel(module, cluster, plan, "k", hostTarget());
    int accesses = 0;
    auto check = [&](llvm::Value *pointer, llvm::Type *element,
                     llvm::Align align) {
      if (!llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer)))
        return;
      ++accesses;
      EXPECT_LE(align.value(), element->getScalarSizeInBits() / 8)
          << str(type).str();
    };
    for (llvm::Function &function : module)
      for (llvm::Instruction &i : llvm::instructions(function))
        if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&i))
          check(load->getPointerOperand(), load->getType(), load->getAlign());
        else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&i))
          check(store->getPointerOperand(), store->getValueOperand()->getType(),
                store->getAlign());
    EXPECT_GE(accesses, 2) << str(type).str();
  }
}

TEST(OptLevels, SumsAgree) {
  for (int64_t dim = 0; dim < static_cast<int64_t>(rank); ++dim) {
    auto body = addition(E::F32);
    Cluster cluster;
    Node scaled;
    scaled.op = Op::Multiply;
    scaled.shape = shape;
    int32_t x = param(cluster, E::F32);
    param(cluster, E::F32);
    int32_t zero = param(cluster, E::F32, {});
    scaled.operands = {x, x};
    int32_t square = cluster.graph.add(scaled);
    Node sum;
    sum.op = Op::Reduce;
    sum.shape = {shape[1 - dim]};
    sum.attrs = ReduceAttrs{{dim}};
    sum.operands = {square, zero};
    sum.body = body;
    cluster.outputs = {cluster.graph.add(sum)};
    cluster.inPlace = {-1};
    expectEqual<float, uint32_t>(cluster, dim ? "rows" : "columns");
  }
}

} // namespace

//===- constant_data_test.cc - constants of a module as buffers -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/read/constant_data.h"

#include "shardwright/cpu/lower/lowering.h"
#include "shardwright/dialect/stablehlo/element_type.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <sys/mman.h>

using namespace mlir;
using namespace shardwright;
using namespace shardwright::cpu;
using testing::ElementsAre;

namespace {

/// Memory whose pages exist once they are touched: 256 MiB cost nothing unless
/// they are all copied or read.
struct Mapping {
  explicit Mapping(size_t size)
      : size(size),
        data(static_cast<char *>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ArrayRef<char> bytes() const { return {data, size}; }
  size_t size;
  char *data;
};

class ConstantDataTest : public testing::Test {
protected:
  ConstantDataTest() : context(std::make_unique<MLIRContext>()) { load(); }
  void load() {
    context->loadDialect<func::FuncDialect, stablehlo::StablehloDialect>();
  }

  /// A resource over `mapping`; `freed` becomes true with its last owner.
  DenseResourceElementsAttr resource(RankedTensorType type, Mapping mapping) {
    return DenseResourceElementsAttr::get(
        type, "weights",
        UnmanagedAsmResourceBlob::allocateWithAlign(
            mapping.bytes(), 64, [this](void *data, size_t size, size_t) {
              munmap(data, size);
              freed = true;
            }));
  }

  template <typename T>
  std::vector<T> read(StringRef text, ElementType type, int64_t elements) {
    Attribute value = parseAttribute(text, context.get());
    FailureOr<ConstantData> data = readConstant(value, type, elements);
    if (failed(data) || data->bytes != elements * int64_t(sizeof(T)))
      return {};
    const T *begin = static_cast<const T *>(data->data.get());
    return std::vector<T>(begin, begin + elements);
  }

  std::unique_ptr<MLIRContext> context;
  bool freed = false;
};

constexpr int64_t numFloats = 64 << 20;

TEST_F(ConstantDataTest, BigResourceIsNotCopiedOnItsWayIntoAProgram) {
  Mapping mapping(numFloats * sizeof(float));
  reinterpret_cast<float *>(mapping.data)[5] = 7;
  FailureOr<Program> program = failure();
  {
    auto type = RankedTensorType::get({numFloats}, Float32Type::get(&*context));
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        R"(func.func @main(%x: tensor<67108864xf32>)
             -> (tensor<67108864xf32>, tensor<67108864xf32>) {
          %c = "stablehlo.constant"() <{value = dense<0.0> : tensor<67108864xf32>}> : () -> tensor<67108864xf32>
          %0 = stablehlo.add %x, %c : tensor<67108864xf32>
          %d = "stablehlo.constant"() <{value = dense<1.0> : tensor<67108864xf32>}> : () -> tensor<67108864xf32>
          %1 = stablehlo.multiply %0, %d : tensor<67108864xf32>
          return %1, %0 : tensor<67108864xf32>, tensor<67108864xf32>
        })",
        context.get());
    ASSERT_TRUE(module);
    // Two ops with the same bytes become one constant.
    module->walk([&](stablehlo::ConstantOp op) {
      op.setValueAttr(resource(type, mapping));
      return WalkResult::interrupt();
    });
    Attribute first;
    module->walk([&](stablehlo::ConstantOp op) {
      if (!first)
        first = op.getValue();
      op.setValueAttr(cast<ElementsAttr>(first));
    });
    program = lowerToProgram(*module);
  }
  ASSERT_TRUE(succeeded(program));
  ASSERT_EQ(program->constants.size(), 1u);
  EXPECT_EQ(program->constants[0].data.get(), mapping.data);
  EXPECT_EQ(program->constants[0].bytes, numFloats * 4);
  // The bytes outlive the context and are freed with the program.
  context.reset();
  EXPECT_FALSE(freed);
  EXPECT_EQ(static_cast<const float *>(program->constants[0].data.get())[5], 7);
  program = failure();
  EXPECT_TRUE(freed);
}

TEST_F(ConstantDataTest, ResourceIsSharedByPrograms) {
  Mapping mapping(1 << 20);
  auto type = RankedTensorType::get({1 << 18}, Float32Type::get(&*context));
  auto value = resource(type, mapping);
  auto one = readConstant(value, ElementType::F32, 1 << 18);
  auto two = readConstant(value, ElementType::F32, 1 << 18);
  ASSERT_TRUE(succeeded(one) && succeeded(two));
  EXPECT_EQ(one->data.get(), mapping.data);
  EXPECT_EQ(two->data.get(), mapping.data);
  EXPECT_EQ(one->data.use_count(), two->data.use_count()); // one owner
  // The context still has the resource but can no longer change it.
  EXPECT_EQ(value.getRawHandle().getBlob()->getData().data(), mapping.data);
  EXPECT_FALSE(value.getRawHandle().getBlob()->isMutable());
  one = failure();
  context.reset();
  EXPECT_FALSE(freed);
  two = failure();
  EXPECT_TRUE(freed);
}

TEST_F(ConstantDataTest, MemoryOfSomeoneElseIsCopied) {
  std::vector<float> mine(1 << 18, 3);
  auto type = RankedTensorType::get({1 << 18}, Float32Type::get(&*context));
  auto value = DenseResourceElementsAttr::get(
      type, "mine",
      UnmanagedAsmResourceBlob::allocateInferAlign(ArrayRef<float>(mine)));
  auto data = readConstant(value, ElementType::F32, 1 << 18);
  ASSERT_TRUE(succeeded(data));
  EXPECT_NE(data->data.get(), static_cast<const void *>(mine.data()));
  EXPECT_EQ(static_cast<const float *>(data->data.get())[100], 3);
}

TEST_F(ConstantDataTest, ResourceOfAnotherSizeIsRefused) {
  Mapping mapping(1 << 20);
  auto type = RankedTensorType::get({1 << 17}, Float32Type::get(&*context));
  EXPECT_TRUE(
      failed(readConstant(resource(type, mapping), ElementType::F32, 1 << 17)));
}

TEST_F(ConstantDataTest, SplatStaysOneElement) {
  // 2^50 elements: expanding them would never finish.
  for (StringRef text : {"dense<2.5> : tensor<1048576x1073741824xf32>",
                         "dense<true> : tensor<1048576x1073741824xi1>",
                         "dense<-3> : tensor<1048576x1073741824xi4>"}) {
    Node node;
    node.type = text.contains("f32")   ? ElementType::F32
                : text.contains("xi4") ? ElementType::S4
                                       : ElementType::Pred;
    node.shape = {1048576, 1073741824};
    ASSERT_TRUE(succeeded(readSplat(parseAttribute(text, context.get()), node)))
        << text.str();
    uint64_t expected = text.contains("f32")   ? 0x40200000
                        : text.contains("xi4") ? 0xfd
                                               : 1;
    EXPECT_EQ(node.bits, expected) << text.str();
  }
}

TEST_F(ConstantDataTest, SplatOfNoElements) {
  for (StringRef text :
       {"dense<1.0> : tensor<0x2xf32>", "dense<1.0> : tensor<0xf8E3M4>",
        "dense<true> : tensor<0xi1>", "dense<3> : tensor<0xui4>"}) {
    Attribute value = parseAttribute(text, context.get());
    auto type = cast<DenseElementsAttr>(value).getElementType();
    FailureOr<ConstantData> data =
        readConstant(value, *elementTypeFromMLIR(type), 0);
    ASSERT_TRUE(succeeded(data)) << text.str();
    EXPECT_EQ(data->bytes, 0);
  }
}

TEST_F(ConstantDataTest, ElementsAreAsBuffersHoldThem) {
  EXPECT_THAT(
      read<float>("dense<[1.0, -2.0]> : tensor<2xf32>", ElementType::F32, 2),
      ElementsAre(1, -2));
  EXPECT_THAT(read<uint8_t>("dense<[true, false, true]> : tensor<3xi1>",
                            ElementType::Pred, 3),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(
      read<int8_t>("dense<[-1, 7, -8]> : tensor<3xi4>", ElementType::S4, 3),
      ElementsAre(-1, 7, -8));
  EXPECT_THAT(
      read<uint8_t>("dense<[15, 7, 8]> : tensor<3xui4>", ElementType::U4, 3),
      ElementsAre(15, 7, 8));
  EXPECT_THAT(read<int8_t>("dense<[-2, 1]> : tensor<2xi2>", ElementType::S2, 2),
              ElementsAre(-2, 1));
  EXPECT_THAT(read<uint8_t>("dense<[-1.0, 0.5]> : tensor<2xf4E2M1FN>",
                            ElementType::F4E2M1FN, 2),
              ElementsAre(0xa, 1));
  EXPECT_THAT(read<float>("dense<[(1.0, 2.0), (3.0, 4.0)]> : "
                          "tensor<2xcomplex<f32>>",
                          ElementType::F32, 4),
              ElementsAre()); // not that type
  EXPECT_THAT(
      read<std::complex<float>>(
          "dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>",
          ElementType::C64, 2),
      ElementsAre(std::complex<float>(1, 2), std::complex<float>(3, 4)));
  EXPECT_TRUE(
      read<float>("dense<> : tensor<0xf32>", ElementType::F32, 0).empty());
}

TEST_F(ConstantDataTest, PredicatesAndNarrowIntegersOfAResource) {
  auto blob = [&](std::vector<char> bytes, Type element) {
    return DenseResourceElementsAttr::get(
        RankedTensorType::get({int64_t(bytes.size())}, element), "small",
        HeapAsmResourceBlob::allocateAndCopyInferAlign(ArrayRef<char>(bytes)));
  };
  auto bytesOf = [](const FailureOr<ConstantData> &data) {
    const auto *begin = static_cast<const int8_t *>(data->data.get());
    return std::vector<int>(begin, begin + data->bytes);
  };
  MLIRContext *c = context.get();
  EXPECT_THAT(bytesOf(readConstant(blob({0, 1, 2, -1}, IntegerType::get(c, 1)),
                                   ElementType::Pred, 4)),
              ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(bytesOf(readConstant(blob({15, 7, -1}, IntegerType::get(c, 4)),
                                   ElementType::S4, 3)),
              ElementsAre(-1, 7, -1));
}

} // namespace

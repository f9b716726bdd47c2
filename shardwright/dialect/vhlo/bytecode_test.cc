//===- bytecode_test.cc - malformed attributes and types ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/vhlo/vhlo.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace shardwright;

namespace {

/// Reads requested values from bytes; attributes and types come from pools of
/// earlier results.
class BytesReader : public DialectBytecodeReader {
public:
  explicit BytesReader(MLIRContext *context) : context(context) {
    attrs.push_back(vhlo::StringV1Attr::get(context, "x"));
    types.push_back(
        vhlo::PrimitiveType::get(context, vhlo::PrimitiveKind::I64));
  }

  void reset(std::vector<uint8_t> data) {
    bytes = std::move(data);
    at = 0;
  }

  InFlightDiagnostic emitError(const Twine &message) const override {
    return mlir::emitError(UnknownLoc::get(context)) << message;
  }
  FailureOr<const DialectVersion *>
  getDialectVersion(StringRef) const override {
    return failure();
  }
  MLIRContext *getContext() const override { return context; }
  uint64_t getBytecodeVersion() const override { return 6; }

  LogicalResult readAttribute(Attribute &result) override {
    uint64_t index = 0;
    if (failed(readVarInt(index)))
      return failure();
    result = attrs[index % attrs.size()];
    return success();
  }
  LogicalResult readOptionalAttribute(Attribute &attr) override {
    bool present = false;
    if (failed(readBool(present)))
      return failure();
    return present ? readAttribute(attr) : success();
  }
  LogicalResult readType(Type &result) override {
    uint64_t index = 0;
    if (failed(readVarInt(index)))
      return failure();
    result = types[index % types.size()];
    return success();
  }
  LogicalResult readVarInt(uint64_t &result) override {
    uint8_t first = 0;
    if (failed(byte(first)))
      return failure();
    // Mostly small numbers, such as codes and counts; one first byte in 16
    // starts any number.
    if (first < 240) {
      result = first % 64;
      return success();
    }
    result = 0;
    for (int i = 0; i < 8; ++i) {
      uint8_t next = 0;
      if (failed(byte(next)))
        return failure();
      result = result << 8 | next;
    }
    return success();
  }
  LogicalResult readSignedVarInt(int64_t &result) override {
    uint64_t value = 0;
    if (failed(readVarInt(value)))
      return failure();
    result =
        static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
    return success();
  }
  FailureOr<APInt> readAPIntWithKnownWidth(unsigned width) override {
    uint64_t value = 0;
    if (failed(readVarInt(value)))
      return failure();
    return APInt(64, value).zextOrTrunc(width);
  }
  FailureOr<APFloat>
  readAPFloatWithKnownSemantics(const llvm::fltSemantics &semantics) override {
    auto bits = readAPIntWithKnownWidth(APFloat::getSizeInBits(semantics));
    if (failed(bits))
      return failure();
    return APFloat(semantics, *bits);
  }
  LogicalResult readString(StringRef &result) override {
    ArrayRef<char> blob;
    if (failed(readBlob(blob)))
      return failure();
    result = StringRef(blob.data(), blob.size());
    return success();
  }
  LogicalResult readBlob(ArrayRef<char> &result) override {
    uint64_t size = 0;
    if (failed(readVarInt(size)) || size > bytes.size() - at)
      return failure();
    result = {reinterpret_cast<const char *>(bytes.data()) + at, size};
    at += size;
    return success();
  }
  LogicalResult readBool(bool &result) override {
    uint8_t value = 0;
    if (failed(byte(value)))
      return failure();
    result = value & 1;
    return success();
  }

  std::vector<Attribute> attrs;
  std::vector<Type> types;

private:
  FailureOr<AsmDialectResourceHandle> readResourceHandle() override {
    return failure();
  }
  LogicalResult byte(uint8_t &value) {
    if (at == bytes.size())
      return failure();
    value = bytes[at++];
    return success();
  }

  MLIRContext *context;
  std::vector<uint8_t> bytes;
  size_t at = 0;
};

/// Stores the blobs that are written.
class BlobWriter : public DialectBytecodeWriter {
public:
  void writeAttribute(Attribute) override {}
  void writeOptionalAttribute(Attribute) override {}
  void writeType(Type) override {}
  void writeResourceHandle(const AsmDialectResourceHandle &) override {}
  void writeVarInt(uint64_t) override {}
  void writeSignedVarInt(int64_t) override {}
  void writeAPIntWithKnownWidth(const APInt &) override {}
  void writeAPFloatWithKnownSemantics(const APFloat &) override {}
  void writeOwnedString(StringRef) override {}
  void writeOwnedBlob(ArrayRef<char> blob) override { blobs.push_back(blob); }
  void writeOwnedBool(bool) override {}
  int64_t getBytecodeVersion() const override { return 6; }
  FailureOr<const DialectVersion *>
  getDialectVersion(StringRef) const override {
    return failure();
  }

  std::vector<ArrayRef<char>> blobs;
};

struct VhloBytecode : testing::Test {
  VhloBytecode() : reader(&context) {}

  /// The dialect must be loaded before any of its objects is created.
  struct Context : MLIRContext {
    Context() : MLIRContext(Threading::DISABLED) {
      loadDialect<vhlo::VhloDialect>();
    }
  };

  Attribute attribute(std::vector<uint8_t> bytes) {
    reader.reset(std::move(bytes));
    return read([&] { return vhlo::readAttribute(reader, &context); });
  }
  template <typename Read> auto read(Read &&read) -> decltype(read()) {
    error.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    return read();
  }

  Context context;
  BytesReader reader;
  std::string error;
};

TEST_F(VhloBytecode, SaysWhatIsWrong) {
  EXPECT_FALSE(attribute({0}));
  EXPECT_EQ(error, "unknown vhlo attribute code: 0");
  EXPECT_FALSE(attribute({60}));
  EXPECT_EQ(error, "unknown vhlo attribute code: 60");
  EXPECT_FALSE(attribute({2, 2}));
  EXPECT_EQ(error, "unsupported value: 2");
  EXPECT_FALSE(attribute({11, 3}));
  EXPECT_EQ(error, "unknown value of precision_v1: 3");
  EXPECT_FALSE(attribute({8, 0, 0}));
  EXPECT_EQ(error, "float_v1 attribute cannot have type '!vhlo.i64_v1'");
  reader.reset({50});
  EXPECT_FALSE(read([&] { return vhlo::readType(reader, &context); }));
  EXPECT_EQ(error, "unknown vhlo type code: 50");
}

TEST_F(VhloBytecode, PredicatesArePacked) {
  auto boolean =
      vhlo::PrimitiveType::get(&context, vhlo::PrimitiveKind::Boolean);
  auto shaped = [&](ArrayRef<int64_t> shape) {
    reader.types = {
        vhlo::RankedTensorV1Type::get(&context, shape, boolean, Attribute())};
  };
  auto values = [&](std::vector<uint8_t> bytes) {
    std::string text;
    auto attr =
        dyn_cast_or_null<vhlo::TensorV1Attr>(attribute(std::move(bytes)));
    if (!attr)
      return "error: " + error;
    for (bool value : attr.getValue().getValues<bool>())
      text += value ? '1' : '0';
    return text;
  };
  shaped({9});
  EXPECT_EQ(values({15, 0, 2, 0x0d, 0x01}), "101100001");
  EXPECT_EQ(values({15, 0, 1, 0xff}), "111111111");
  EXPECT_EQ(values({15, 0, 1, 0x00}), "000000000");
  // One byte per element, as in old files.
  EXPECT_EQ(values({15, 0, 9, 1, 0, 1, 1, 0, 0, 0, 0, 1}), "101100001");
  EXPECT_EQ(values({15, 0, 3, 1, 0, 1}),
            "error: expected 2 bytes of elements for 'tensor<9xi1>', got 3");
  shaped({0});
  EXPECT_EQ(values({15, 0, 0}), "");
  shaped({});
  EXPECT_EQ(values({15, 0, 1, 1}), "1");
  shaped({int64_t(1) << 40, int64_t(1) << 40});
  EXPECT_EQ(values({15, 0, 1, 0}).substr(0, 6), "error:");
}

TEST_F(VhloBytecode, ConstantsAreNotCopied) {
  BlobWriter writer;
  std::vector<float> data(1 << 20, 2.5f);
  data[7] = 1;
  auto type = RankedTensorType::get({1 << 20}, Float32Type::get(&context));
  auto resource = DenseResourceElementsAttr::get(
      type, "weights",
      UnmanagedAsmResourceBlob::allocateInferAlign(ArrayRef<float>(data)));
  auto dense = DenseElementsAttr::get(type, ArrayRef<float>(data));
  auto splat = DenseElementsAttr::get(type, 2.5f);
  for (ElementsAttr value :
       {ElementsAttr(resource), ElementsAttr(dense), ElementsAttr(splat)})
    ASSERT_TRUE(succeeded(vhlo::writeAttribute(
        vhlo::TensorV1Attr::get(&context, value), writer)));
  ASSERT_EQ(writer.blobs.size(), 3u);
  EXPECT_EQ(static_cast<const void *>(writer.blobs[0].data()), data.data());
  EXPECT_EQ(writer.blobs[0].size(), data.size() * sizeof(float));
  EXPECT_EQ(writer.blobs[1].data(), dense.getRawData().data());
  EXPECT_EQ(writer.blobs[2].size(), sizeof(float));
}

TEST_F(VhloBytecode, ResourceOfAnotherSizeIsNotWritten) {
  BlobWriter writer;
  std::vector<float> data(8);
  auto type = RankedTensorType::get({9}, Float32Type::get(&context));
  auto resource = DenseResourceElementsAttr::get(
      type, "short",
      UnmanagedAsmResourceBlob::allocateInferAlign(ArrayRef<float>(data)));
  EXPECT_TRUE(failed(vhlo::writeAttribute(
      vhlo::TensorV1Attr::get(&context, resource), writer)));
}

TEST_F(VhloBytecode, NothingCrashes) {
  std::mt19937 random(1);
  std::string text;
  for (int i = 0; i < 30000; ++i) {
    std::vector<uint8_t> bytes(random() % 40);
    for (uint8_t &byte : bytes)
      byte = random();
    if (!bytes.empty())
      bytes[0] = random() % 48; // a code
    llvm::raw_string_ostream os(text);
    if (i % 2) {
      if (Attribute attr = attribute(bytes)) {
        os << attr;
        vhlo::sinceWhen(attr);
        // Limit the nesting, which would grow without bound.
        if (text.size() < 300)
          reader.attrs.push_back(attr);
      }
    } else {
      reader.reset(bytes);
      if (Type type = read([&] { return vhlo::readType(reader, &context); })) {
        os << type;
        vhlo::builtinElement(type);
        if (text.size() < 300)
          reader.types.push_back(type);
      }
    }
    text.clear();
    if (reader.attrs.size() > 100)
      reader.attrs.resize(10);
    if (reader.types.size() > 100)
      reader.types.resize(10);
  }
}

} // namespace

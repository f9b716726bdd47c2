//===- input_limits_test.cc - modules that nest deeply --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/input/input_limits.h"

#include "shardwright/interop/load_module.h"
#include "shardwright/mesh/nesting.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/thread.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using testing::HasSubstr;

namespace shardwright {
namespace {

class InputLimits : public testing::Test {
protected:
  InputLimits() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<func::FuncDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      said += diagnostic.str();
      return success();
    });
  }

  /// Nested modules.
  OwningOpRef<ModuleOp> nested(int64_t depth) {
    Location unknown = UnknownLoc::get(&context);
    OwningOpRef<ModuleOp> outer = ModuleOp::create(unknown);
    ModuleOp inner = *outer;
    for (int64_t i = 0; i < depth; ++i) {
      auto b = OpBuilder::atBlockBegin(inner.getBody());
      inner = ModuleOp::create(b, unknown);
    }
    return outer;
  }

  /// The diagnostic of checkModule.
  std::string check(OwningOpRef<ModuleOp> module, bool attributes = true) {
    said.clear();
    LogicalResult result = checkModule(*module, attributes);
    EXPECT_EQ(failed(result), !said.empty());
    return said;
  }

  MLIRContext context;
  std::string said;
};

TEST_F(InputLimits, OperationsWithinEachOther) {
  EXPECT_EQ(check(nested(maxOpNesting)), "");
  EXPECT_THAT(check(nested(maxOpNesting + 1)),
              HasSubstr("this operation is within 128 others, at most 127"));
  // Neither the check nor destroying the module recurses.
  EXPECT_THAT(check(nested(1000000)), HasSubstr("deeper than the limit"));
}

TEST_F(InputLimits, AttributesWithinEachOther) {
  auto attributes = [&](int64_t depth, unsigned parts) {
    OwningOpRef<ModuleOp> module = nested(0);
    Attribute attribute = UnitAttr::get(&context);
    for (int64_t i = 0; i < depth; ++i)
      attribute =
          ArrayAttr::get(&context, SmallVector<Attribute>(parts, attribute));
    (*module)->setDiscardableAttr("test.deep", attribute);
    return module;
  };
  EXPECT_EQ(check(attributes(maxExpandedNesting - 2, 1)), "");
  EXPECT_THAT(check(attributes(500000, 1)),
              HasSubstr("the attributes of 'builtin.module' nest deeper than "
                        "the limit: 500002 levels, at most 4096"));
  EXPECT_EQ(check(attributes(18, 2)), "");
  EXPECT_THAT(check(attributes(1000, 2)), HasSubstr("more than 1048576 parts"));
  // For text, attributes have been measured already.
  EXPECT_EQ(check(attributes(500000, 1), /*attributes=*/false), "");
}

TEST_F(InputLimits, LocationsWithinEachOther) {
  Location location = UnknownLoc::get(&context);
  for (int i = 0; i < 500000; ++i)
    location = NameLoc::get(StringAttr::get(&context, "x"), location);
  OwningOpRef<ModuleOp> module = nested(1);
  module->getBody()->front().setLoc(location);
  EXPECT_THAT(check(std::move(module)),
              HasSubstr("the locations of 'builtin.module' nest deeper"));
}

TEST_F(InputLimits, Types) {
  auto function = [&](Type type) {
    OwningOpRef<ModuleOp> module = nested(0);
    auto b = OpBuilder::atBlockBegin(module->getBody());
    auto func = func::FuncOp::create(b, b.getUnknownLoc(), "main",
                                     b.getFunctionType({type}, {}));
    func.addEntryBlock();
    return module;
  };
  auto tensor = [&](size_t rank) {
    return RankedTensorType::get(SmallVector<int64_t>(rank, 1),
                                 Float32Type::get(&context));
  };
  EXPECT_EQ(check(function(tensor(maxRank)), false), "");
  EXPECT_THAT(check(function(tensor(maxRank + 1)), false),
              HasSubstr("a tensor of rank 1025 exceeds the limit"));
  Type wide = tensor(1);
  for (int i = 0; i < 40; ++i)
    wide = TupleType::get(&context, {wide, wide});
  EXPECT_THAT(check(function(wide), false), HasSubstr("more than 1048576"));
  EXPECT_THAT(check(function(TupleType::get(&context, {tensor(5000)})), false),
              HasSubstr("rank 5000"));
}

TEST_F(InputLimits, BytecodeIsCheckedBeforeItIsVerified) {
  std::string bytes;
  // The writer recurses.
  llvm::thread writer(std::optional<unsigned>(unsigned(1) << 30), [&] {
    OwningOpRef<ModuleOp> module = nested(3000);
    llvm::raw_string_ostream os(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(*module, os)));
  });
  writer.join();
  for (Trust trust : {Trust::Full, Trust::None}) {
    said.clear();
    auto module =
        readModule(llvm::MemoryBuffer::getMemBufferCopy(bytes, "x"), &context,
                   std::make_shared<llvm::SourceMgr>(), trust);
    EXPECT_FALSE(module);
    EXPECT_THAT(said, HasSubstr("this operation is within 128 others"));
  }
}

} // namespace
} // namespace shardwright

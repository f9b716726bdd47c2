//===- encoding_fuzz.cc - payloads of our dialects' bytecode --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a list of entries: a byte (the dialect; attribute or type) and a
// payload. Each value that can be read is added to the table to which later
// entries refer, so that nested attributes are reached. It must print, be
// written, and read again as the same value. In a module it must verify or be
// refused.
//
//===----------------------------------------------------------------------===//

#include "fuzz_context.h"
#include "payload.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace shardwright;

namespace {

/// Builtin attributes and types of every kind to which payloads refer.
fuzz::Tables startTables(MLIRContext *context) {
  Builder b(context);
  auto i64s = RankedTensorType::get({2}, b.getI64Type());
  fuzz::Tables tables;
  tables.attributes = {
      b.getStringAttr("x"),
      b.getStringAttr("y"),
      FlatSymbolRefAttr::get(context, "mesh"),
      FlatSymbolRefAttr::get(context, "other"),
      b.getI64IntegerAttr(4),
      b.getI64IntegerAttr(-1),
      b.getBoolAttr(true),
      b.getF32FloatAttr(0.5),
      b.getUnitAttr(),
      b.getArrayAttr({}),
      b.getDictionaryAttr({}),
      DenseElementsAttr::get(i64s, ArrayRef<int64_t>{0, 1}),
      DenseI64ArrayAttr::get(context, {1, 2}),
      TypeAttr::get(b.getF32Type()),
  };
  tables.types = {
      b.getF32Type(),
      b.getI1Type(),
      b.getI64Type(),
      b.getIndexType(),
      b.getNoneType(),
      ComplexType::get(b.getF32Type()),
      i64s,
      RankedTensorType::get({8, ShapedType::kDynamic}, b.getF32Type()),
      UnrankedTensorType::get(b.getF32Type()),
      FunctionType::get(context, {b.getF32Type()}, {}),
      TupleType::get(context, {b.getI1Type()}),
  };
  tables.strings = {"x", "y", "", "a\nb", "\xff\x00", "axis_name_that_is_long"};
  return tables;
}

template <typename T> std::string print(T value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os);
  return text;
}

Attribute readOne(const BytecodeDialectInterface *dialect,
                  fuzz::PayloadReader &reader, Attribute) {
  return dialect->readAttribute(reader);
}
Type readOne(const BytecodeDialectInterface *dialect,
             fuzz::PayloadReader &reader, Type) {
  return dialect->readType(reader);
}
LogicalResult writeOne(const BytecodeDialectInterface *dialect,
                       fuzz::PayloadWriter &writer, Attribute value) {
  return dialect->writeAttribute(value, writer);
}
LogicalResult writeOne(const BytecodeDialectInterface *dialect,
                       fuzz::PayloadWriter &writer, Type value) {
  return dialect->writeType(value, writer);
}

/// Reads one value from `bytes`, and checks that it survives a round trip.
template <typename T>
T readValue(const BytecodeDialectInterface *dialect, llvm::StringRef &bytes,
            fuzz::Tables &tables, MLIRContext *context) {
  fuzz::PayloadReader reader(bytes, tables, context);
  T value = readOne(dialect, reader, T());
  if (!value)
    return {};
  std::string text = print(value);
  std::string written;
  fuzz::Tables all = tables;
  fuzz::PayloadWriter writer(written, all);
  if (failed(writeOne(dialect, writer, value)))
    return value; // then compare as text
  llvm::StringRef rest = written;
  fuzz::PayloadReader second(rest, all, context);
  T again = readOne(dialect, second, T());
  if (again != value || !rest.empty())
    fuzz::finding("a value reads differently from what it writes", text,
                  again ? print(again) : "nothing");
  return value;
}

/// A module with the attribute at each place where a verifier checks attributes
/// of its kind.
void verifyInModule(Attribute attr, MLIRContext *context) {
  OpBuilder b(context);
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToStart(module->getBody());
  auto mesh = dyn_cast<sdy::MeshAttr>(attr);
  if (!mesh)
    mesh =
        sdy::MeshAttr::get(context, {sdy::MeshAxisAttr::get(context, "x", 4),
                                     sdy::MeshAxisAttr::get(context, "y", 2)});
  sdy::MeshOp::create(b, loc, "mesh", mesh);
  auto tensor = RankedTensorType::get({8, 16}, b.getF32Type());
  auto function =
      func::FuncOp::create(b, loc, "main", b.getFunctionType(tensor, tensor));
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  auto add = stablehlo::AddOp::create(b, loc, body->getArgument(0),
                                      body->getArgument(0));
  Value result = add.getResult();
  if (auto sharding = dyn_cast<sdy::TensorShardingAttr>(attr)) {
    function.setArgAttr(0, "sdy.sharding", attr);
    result = sdy::ShardingConstraintOp::create(b, loc, result, sharding);
  }
  if (isa<sdy::TensorShardingPerValueAttr>(attr))
    add->setAttr("sdy.sharding", attr);
  if (isa<sdy::OpShardingRuleAttr>(attr))
    add->setAttr("sdy.sharding_rule", attr);
  add->setAttr("fuzz.value", attr);
  func::ReturnOp::create(b, loc, result);
  (void)verify(*module);
  (void)fuzz::print(*module);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  MLIRContext *context = &fuzz::context();
  context->allowUnregisteredDialects();
  // In the order of the corpus: add a new dialect at the end.
  SmallVector<const BytecodeDialectInterface *> dialects;
  for (llvm::StringRef name : {"sdy", "stablehlo", "chlo", "vhlo"})
    if (Dialect *dialect = context->getLoadedDialect(name))
      if (auto *interface =
              dialect->getRegisteredInterface<BytecodeDialectInterface>())
        dialects.push_back(interface);

  fuzz::Tables tables = startTables(context);
  for (int entries = 0; !bytes.empty() && entries < 64; ++entries) {
    uint8_t head = bytes.front();
    bytes = bytes.drop_front();
    const BytecodeDialectInterface *dialect =
        dialects[(head >> 1) % dialects.size()];
    if (head & 1) {
      Type type = readValue<Type>(dialect, bytes, tables, context);
      if (!type)
        return 0;
      tables.types.push_back(type);
    } else {
      Attribute attr = readValue<Attribute>(dialect, bytes, tables, context);
      if (!attr)
        return 0;
      verifyInModule(attr, context);
      tables.attributes.push_back(attr);
    }
  }
  return 0;
}

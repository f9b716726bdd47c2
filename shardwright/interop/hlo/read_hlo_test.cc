//===- read_hlo_test.cc - unit tests of the reader of HLO protos ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/hlo/read_hlo.h"

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/hlo/message_specs.h"
#include "shardwright/mesh/hlo/proto_wire.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shardwright;
using namespace shardwright::hlo;

namespace {

std::string shapeOf(int64_t type, ArrayRef<int64_t> dims,
                    ArrayRef<int64_t> layout = {}) {
  ProtoWriter shape, layoutMessage;
  shape.varint(shape_field::element_type, type);
  shape.packed(shape_field::dimensions, dims);
  layoutMessage.packed(layout_field::minor_to_major, layout);
  if (!layout.empty())
    shape.message(shape_field::layout, layoutMessage.take());
  return shape.take();
}

constexpr int64_t f32 = 11;
const std::string vector = shapeOf(f32, {4});

/// An instruction with an id, an opcode, a shape and operands. Its name is the
/// opcode.
struct Made {
  int64_t id;
  std::string opcode;
  std::string shape;
  SmallVector<int64_t> operands = {};
  /// Appends further fields.
  std::function<void(ProtoWriter &)> more = nullptr;
};

std::string instruction(const Made &made) {
  using namespace instruction_field;
  ProtoWriter writer;
  writer.string(name, made.opcode);
  writer.string(opcode, made.opcode);
  writer.message(shape, made.shape);
  writer.varint(id, made.id);
  writer.packed(operand_ids, made.operands);
  if (made.more)
    made.more(writer);
  return writer.take();
}

std::string computation(int64_t id, StringRef name,
                        ArrayRef<Made> instructions) {
  ProtoWriter writer;
  writer.string(computation_field::name, name);
  for (const Made &made : instructions)
    writer.message(computation_field::instructions, instruction(made));
  writer.varint(computation_field::id, id);
  writer.varint(computation_field::root_id, instructions.back().id);
  return writer.take();
}

/// A module whose entry is its last computation.
std::string module(ArrayRef<std::string> computations, int64_t entry) {
  ProtoWriter writer;
  writer.string(module_field::name, "m");
  for (const std::string &one : computations)
    writer.message(module_field::computations, one);
  writer.varint(module_field::entry_computation_id, entry);
  return writer.take();
}

std::string module(ArrayRef<Made> instructions) {
  return module({computation(1, "main", instructions)}, 1);
}

Made parameter(int64_t id, int64_t number = 0, std::string shape = vector) {
  return {id, "parameter", shape, {}, [number](ProtoWriter &writer) {
            writer.varint(instruction_field::parameter_number, number);
          }};
}

class ReadHlo : public ::testing::Test {
protected:
  ReadHlo() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<func::FuncDialect, stablehlo::StablehloDialect,
                        chlo::ChloDialect>();
  }

  /// Reads the module; its only error is in `error`.
  OwningOpRef<ModuleOp> read(const std::string &bytes,
                             Wrapping wrapping = Wrapping::None,
                             DeviceCounts counts = {}) {
    error.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      EXPECT_TRUE(error.empty()) << error << "\n" << diagnostic.str();
      error = diagnostic.str();
      return success();
    });
    return readHlo(bytes, wrapping, UnknownLoc::get(&context), counts);
  }

  void expectError(const std::string &bytes, StringRef part) {
    EXPECT_FALSE(read(bytes));
    EXPECT_NE(error.find(part.str()), std::string::npos)
        << "error: " << error << "\nexpected: " << part.str();
  }

  MLIRContext context;
  std::string error;
};

TEST(Opcodes, AreSortedAndEitherTranslatedOrRefused) {
  llvm::StringSet<> seen;
  StringRef last;
  for (const Opcode &opcode : allOpcodes()) {
    EXPECT_TRUE(seen.insert(opcode.name).second) << opcode.name.str();
    EXPECT_LT(last, opcode.name);
    last = opcode.name;
    EXPECT_EQ(findOpcode(opcode.name), &opcode);
    EXPECT_NE(opcode.translate == nullptr, opcode.refusal.empty())
        << opcode.name.str();
  }
  EXPECT_EQ(findOpcode("addition"), nullptr);
  EXPECT_EQ(findOpcode(""), nullptr);
}

TEST_F(ReadHlo, RefusesOpcodesByName) {
  for (const Opcode &opcode : allOpcodes())
    if (!opcode.translate)
      expectError(module({parameter(1), {2, opcode.name.str(), vector, {1}}}),
                  ("instruction '" + opcode.name + "' (" + opcode.name +
                   ") of computation 'main': " + opcode.refusal)
                      .str());
  expectError(module({parameter(1), {2, "addition", vector, {1}}}),
              "(addition) of computation 'main': the opcode is unknown");
}

/// Every opcode without operands, called computations and attributes is
/// accepted or refused with one error.
TEST_F(ReadHlo, EveryOpcodeWithoutFieldsIsSafe) {
  for (const Opcode &opcode : allOpcodes())
    for (const std::string &shape :
         {vector, shapeOf(kTuple, {}), shapeOf(kToken, {}), shapeOf(f32, {})})
      for (size_t operands : {0, 1, 2, 3, 5}) {
        SmallVector<int64_t> ids(operands, 1);
        std::string bytes =
            module({parameter(1), {2, opcode.name.str(), shape, ids}});
        OwningOpRef<ModuleOp> read = this->read(bytes);
        EXPECT_EQ(!read, !error.empty()) << opcode.name.str();
      }
}

TEST_F(ReadHlo, ChecksIds) {
  expectError(module({parameter(1), {2, "add", vector, {1, 3}}}),
              "operand 3 is not an earlier instruction");
  expectError(module({parameter(1), {1, "abs", vector, {1}}}),
              "id 1 occurs twice");
  expectError(module({computation(1, "main", {parameter(1)})}, 2),
              "no computation with the id of its entry, 2");
  expectError(module({computation(1, "a", {parameter(1)}),
                      computation(1, "b", {parameter(1)})},
                     1),
              "computation 'b' has the id of another computation");
  auto calls = [](int64_t called) {
    return Made{2, "call", vector, {1}, [called](ProtoWriter &writer) {
                  writer.packed(instruction_field::called_computation_ids,
                                {called});
                }};
  };
  expectError(
      module({computation(1, "main", {parameter(1), calls(1)})}, 1),
      "calls computation 1, which is not listed before its own computation");
  EXPECT_TRUE(read(module({computation(1, "f", {parameter(1)}),
                           computation(2, "main", {parameter(1), calls(1)})},
                          2)));
  ProtoWriter noRoot;
  noRoot.message(computation_field::instructions, instruction(parameter(1)));
  noRoot.varint(computation_field::root_id, 7);
  expectError(module({noRoot.take()}, 0), "the id of its root");
  ProtoWriter empty;
  empty.string(module_field::name, "m");
  expectError(empty.take(), "the module has no computations");
}

TEST_F(ReadHlo, ChecksParameters) {
  expectError(module({parameter(1, 0), parameter(2, 0)}),
              "has parameter number 0 twice");
  expectError(module({parameter(1, 0), parameter(2, -1)}),
              "has parameter number -1");
  expectError(module({parameter(1, 1), {2, "abs", vector, {1}}}),
              "has no parameter number 0");
  expectError(module({parameter(1, int64_t(1) << 40)}),
              "has parameter number 1099511627776");
}

TEST_F(ReadHlo, ChecksShapes) {
  auto shape = [](std::string bytes) {
    return module({parameter(1, 0, bytes)});
  };
  expectError(shape(shapeOf(99, {})), "element type 99");
  expectError(shape(shapeOf(30, {2})), "element type 's1'");
  expectError(shape(shapeOf(kOpaque, {})), "element type 'opaque'");
  expectError(shape(shapeOf(f32, {-1})), "has size -1");
  expectError(shape(shapeOf(f32, {int64_t(1) << 40, int64_t(1) << 40})),
              "does not fit 64 bits");
  expectError(shape(shapeOf(f32, {2, 3}, {0, 0})), "is not a permutation");
  expectError(shape(shapeOf(f32, {2, 3}, {1, 0, 2})), "is not a permutation");
  expectError(shape(shapeOf(f32, SmallVector<int64_t>(2000, 1))),
              "2000 dimensions, at most 1024");
  std::string nested = vector;
  for (int i = 0; i < 100; ++i) {
    ProtoWriter tuple;
    tuple.varint(shape_field::element_type, kTuple);
    tuple.message(shape_field::tuple_shapes, nested);
    nested = tuple.take();
  }
  expectError(shape(nested), "nest deeper than 64 levels");
}

TEST_F(ReadHlo, ChecksLiterals) {
  auto constant = [](std::string literal, std::string shape = vector) {
    return module({{1, "constant", shape, {}, [=](ProtoWriter &writer) {
                      writer.message(instruction_field::literal, literal);
                    }}});
  };
  auto literal = [](int field, std::string elements,
                    std::string shape = vector) {
    ProtoWriter writer;
    writer.message(literal_field::shape, shape);
    writer.message(field, elements);
    return writer.take();
  };
  EXPECT_TRUE(read(constant(literal(literal_field::f32s, std::string(16, 0)))));
  expectError(constant(literal(literal_field::f32s, std::string(12, 0))),
              "has 12 bytes of elements, expected 16");
  expectError(constant(literal(literal_field::f32s, std::string(13, 0))),
              "has 13 bytes, expected a multiple of 4");
  expectError(constant(literal(literal_field::s32s, std::string(4, 1))),
              "has 0 bytes of elements, expected 16");
  expectError(constant(literal(literal_field::f32s, std::string(16, 0),
                               shapeOf(f32, {2, 2}))),
              "the literal has shape f32[2,2], expected f32[4]");
  expectError(module({{1, "constant", vector}}), "has no literal");
}

TEST_F(ReadHlo, ChecksWireFormat) {
  std::string good = module({parameter(1)});
  EXPECT_TRUE(read(good));
  expectError(good + "\x0b", "is not a protocol buffer");
  expectError(good.substr(0, good.size() - 1), "is not a protocol buffer");
  expectError("\x0a\x01n" + good, "field 'name' of message HloModuleProto "
                                  "occurs twice");
  expectError("\x0a\x01\xff", "field 'name' of message HloModuleProto is not "
                              "UTF-8");
  // An unknown field, and a known one of another wire type.
  EXPECT_TRUE(read(good + "\xa2\x06\x01x" + "\x18\x05"));
}

TEST_F(ReadHlo, ReportsTheVerifiersErrorsForTheInstruction) {
  expectError(module({parameter(1),
                      parameter(2, 1, shapeOf(f32, {5})),
                      {3, "multiply", vector, {1, 2}}}),
              "instruction 'multiply' (multiply) of computation 'main': ");
}

/// Each level calls the one before it twice, as regions: 2^n instructions.
TEST_F(ReadHlo, LimitsTheGrowthOfRegions) {
  for (int levels : {8, 40}) {
    std::vector<std::string> all;
    std::string pred = shapeOf(1, {});
    for (int64_t level = 0; level < levels; ++level) {
      std::vector<Made> body = {parameter(1)};
      if (level > 0)
        body.push_back({2, "fusion", vector, {1}, [=](ProtoWriter &writer) {
                          writer.packed(
                              instruction_field::called_computation_ids,
                              {level - 1 + 10});
                        }});
      if (level > 0)
        body.push_back({3, "fusion", vector, {2}, body.back().more});
      all.push_back(computation(level + 10, "f", body));
    }
    if (levels == 8)
      EXPECT_TRUE(read(module(all, levels - 1 + 10)));
    else
      expectError(module(all, levels - 1 + 10), "more than 4194304");
  }
}

TEST_F(ReadHlo, LimitsNesting) {
  std::vector<std::string> all;
  for (int64_t level = 0; level < 1000; ++level) {
    std::vector<Made> body = {parameter(1)};
    if (level > 0)
      body.push_back({2, "fusion", vector, {1}, [=](ProtoWriter &writer) {
                        writer.packed(instruction_field::called_computation_ids,
                                      {level - 1 + 10});
                      }});
    all.push_back(computation(level + 10, "f", body));
  }
  expectError(module(all, 1009), "nest deeper than 128 levels");
}

TEST_F(ReadHlo, RecognisesWrappings) {
  std::string inner = module({parameter(1)});
  ProtoWriter proto, snapshot, withConfig, config;
  proto.message(1, inner);
  std::string hloProto = proto.take();
  snapshot.message(1, hloProto);
  snapshot.message(2, "");
  config.varint(config_field::replica_count, 2);
  config.varint(config_field::num_partitions, 4);
  withConfig.message(1, inner);
  withConfig.message(2, config.take());
  std::string both = withConfig.take();
  for (const std::string &bytes : {inner, hloProto, snapshot.take(), both}) {
    EXPECT_TRUE(isHloModule(bytes));
    EXPECT_TRUE(read(bytes, Wrapping::Any)) << error;
  }
  OwningOpRef<ModuleOp> read = this->read(both, Wrapping::WithConfig);
  ASSERT_TRUE(read);
  auto count = [&](StringRef name) {
    return read->getOperation()->getAttrOfType<IntegerAttr>(name).getInt();
  };
  EXPECT_EQ(count("mhlo.num_replicas"), 2);
  EXPECT_EQ(count("mhlo.num_partitions"), 4);
  // The formats of PJRT are not guessed.
  EXPECT_FALSE(this->read(both, Wrapping::None));
  EXPECT_FALSE(this->read(inner, Wrapping::WithConfig));
  for (StringRef text : {"", "module {}", "\n\nmodule {}", "HloModule m",
                         "ML\xefR", "\x0a", "\x0a\x02hi"})
    EXPECT_FALSE(isHloModule(text)) << text.str();
}

TEST_F(ReadHlo, ExchangesArraysAmongAllDevices) {
  auto exchange = [](int64_t channel, int64_t groups) {
    return module(
        {parameter(1), {2, "all-to-all", vector, {1}, [=](ProtoWriter &writer) {
                          using namespace instruction_field;
                          writer.packed(dimensions, {0});
                          writer.varint(channel_id, channel);
                          for (int64_t i = 0; i < groups; ++i)
                            writer.message(replica_groups, "");
                        }}});
  };
  auto splitCount = [](OwningOpRef<ModuleOp> module) {
    int64_t count = -1;
    if (module)
      module->walk(
          [&](stablehlo::AllToAllOp op) { count = op.getSplitCount(); });
    return count;
  };
  DeviceCounts counts = {2, 4};
  // Of replicas without a channel, else of partitions; one group that is empty
  // is all devices, too.
  EXPECT_EQ(splitCount(read(exchange(0, 0), Wrapping::None, counts)), 2);
  EXPECT_EQ(splitCount(read(exchange(0, 1), Wrapping::None, counts)), 2);
  EXPECT_EQ(splitCount(read(exchange(3, 0), Wrapping::None, counts)), 4);
  expectError(exchange(0, 0), "an unknown number of devices");
  EXPECT_FALSE(read(exchange(0, 0), Wrapping::None, {int64_t(1) << 40, 1}));
}

TEST_F(ReadHlo, ChecksCustomCalls) {
  expectError(module({parameter(1), {2, "custom-call", vector, {1}}}),
              "has no target");
  auto call = [](int version, std::string config) {
    return module({parameter(1),
                   {2, "custom-call", vector, {1}, [=](ProtoWriter &writer) {
                      using namespace instruction_field;
                      writer.string(custom_call_target, "f");
                      writer.string(backend_config, config);
                      writer.varint(custom_call_api_version, version);
                    }}});
  };
  EXPECT_TRUE(read(call(0, "{not a dictionary")));
  EXPECT_TRUE(read(call(4, "{a = 1 : i32}")));
  expectError(call(4, "{not a dictionary"), "expected a dictionary");
  expectError(call(4, "17"), "expected a dictionary");
  expectError(call(4, std::string(2000, '[')), "expected a dictionary");
  expectError(call(5, ""), "has API version 5");
}

TEST_F(ReadHlo, FindsBackendConfigurationsInTheTable) {
  auto call = [](int64_t id) {
    ProtoWriter payload, table;
    payload.varint(payload_field::id, id);
    // The writer leaves out zeros.
    std::string reference = id ? payload.take() : std::string("\x10\0", 2);
    for (const char *text : {"zero", "one"})
      table.string(module_field::payloads, text);
    return module({parameter(1),
                   {2,
                    "custom-call",
                    vector,
                    {1},
                    [=](ProtoWriter &writer) {
                      using namespace instruction_field;
                      writer.string(custom_call_target, "f");
                      writer.message(backend_config_payload, reference);
                    }}}) +
           table.take();
  };
  for (auto [id, text] : {std::pair(0, "zero"), std::pair(1, "one")}) {
    OwningOpRef<ModuleOp> read = this->read(call(id));
    ASSERT_TRUE(read) << error;
    read->walk([&, text = text](stablehlo::CustomCallOp op) {
      EXPECT_EQ(cast<StringAttr>(*op.getBackendConfig()), text);
    });
  }
  expectError(call(2), "configuration 2 of the module's table, which has 2");
  expectError(call(-1), "configuration -1 of the module's table");
}

TEST_F(ReadHlo, ChecksAliases) {
  auto aliased = [](int64_t parameter, ArrayRef<int64_t> output) {
    ProtoWriter entry, alias;
    entry.packed(alias_entry_field::output_shape_index, output);
    entry.varint(alias_entry_field::parameter_number, parameter);
    alias.message(alias_field::entries, entry.take());
    ProtoWriter writer;
    writer.message(module_field::input_output_alias, alias.take());
    return module({::parameter(1)}) + writer.take();
  };
  EXPECT_TRUE(read(aliased(0, {})));
  expectError(aliased(1, {}), "parameter 1");
  expectError(aliased(0, {0}),
              "a result that the entry computation does not have");
}

} // namespace

//===- translate_control_flow.cc - loops, branches, calls, tokens ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/hlo/translations.h"
#include "shardwright/interop/input/input_limits.h"
#include "shardwright/interop/round_trip/frontend_attributes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::hlo {

/// The called computations of a loop, in the order of the proto.
enum LoopPart { kBody, kCondition };

LogicalResult whileLoop(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || failed(t.needCalled(instruction, 2)))
    return failure();
  Translator::Regions regions;
  for (LoopPart part : {kCondition, kBody}) {
    FailureOr<std::unique_ptr<Region>> region = t.region(instruction, part);
    if (failed(region))
      return failure();
    regions.push_back(std::move(*region));
  }
  return t.emit(instruction, "stablehlo.while", *operands, {},
                std::move(regions));
}

LogicalResult conditional(Translator &t, const Instruction &instruction) {
  FailureOr<Value> selector = t.value(instruction, 0);
  size_t branches = instruction.called.size();
  if (failed(selector) || failed(t.needOperands(instruction, branches + 1)))
    return failure();
  bool isIf = t.operandShape(instruction, 0).type == /*PRED=*/1;
  if (isIf && branches != 2)
    return t.fail(instruction, "has " + Twine(branches) +
                                   " branches for a predicate, expected 2");
  Translator::Regions regions;
  for (size_t branch = 0; branch < branches; ++branch) {
    auto region = std::make_unique<Region>();
    region->emplaceBlock();
    OpBuilder::InsertionGuard guard(t.builder);
    t.builder.setInsertionPointToStart(&region->front());
    ArrayRef<Value> given = t.leaves(instruction, branch + 1);
    // Branches use the values of the operands where they are.
    FailureOr<SmallVector<Value>> results =
        t.inlineCalled(instruction, branch, SmallVector<Value>(given));
    if (failed(results))
      return failure();
    t.create(instruction, "stablehlo.return", {}, *results);
    regions.push_back(std::move(region));
  }
  return t.emit(instruction, isIf ? "stablehlo.if" : "stablehlo.case",
                *selector, {}, std::move(regions));
}

/// Parses the text of a dictionary of attributes.
static FailureOr<DictionaryAttr> parseDictionary(Translator &t,
                                                 const Instruction &instruction,
                                                 StringRef what,
                                                 StringRef text) {
  std::string why;
  Attribute parsed;
  if (std::optional<TextProblem> problem = checkText(text)) {
    why = problem->message;
  } else {
    ScopedDiagnosticHandler handler(t.context, [&](Diagnostic &d) {
      if (why.empty())
        why = d.str();
      return success();
    });
    parsed = parseAttribute(text, t.context);
  }
  if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(parsed))
    return dictionary;
  return t.fail(instruction, what + " is '" + text +
                                 "', expected a dictionary of attributes" +
                                 (why.empty() ? "" : ": ") + why);
}

/// A call that stands for an op of another dialect, which its frontend
/// attributes name.
static LogicalResult composite(Translator &t, const Instruction &instruction,
                               ArrayRef<Value> operands) {
  StringRef name, attributes, version;
  for (const ProtoMessage &entry :
       instruction.fields.message(instruction_field::frontend_attributes)
           .messages(map_field::map)) {
    StringRef value = entry.bytes(map_field::value);
    StringRef key = entry.bytes(map_field::key);
    if (key == "composite.name")
      name = value;
    else if (key == "composite.attributes")
      attributes = value;
    else if (key == "composite.version")
      version = value;
  }
  int32_t number = 0;
  if (name.empty() || (!version.empty() && version.getAsInteger(10, number)))
    return t.fail(instruction,
                  "is a composite, but its frontend attributes "
                  "have no composite.name, or a version that is not a number");
  Translator::Attributes attrs = {
      t.attribute("name", t.builder.getStringAttr(name)),
      t.attribute("decomposition", t.function(instruction, 0)),
      t.attribute("version", t.builder.getI32IntegerAttr(number))};
  if (!attributes.empty()) {
    FailureOr<DictionaryAttr> parsed = parseDictionary(
        t, instruction, "the frontend attribute composite.attributes",
        attributes);
    if (failed(parsed))
      return failure();
    attrs.push_back(t.attribute("composite_attributes", *parsed));
  }
  return t.emit(instruction, "stablehlo.composite", operands, attrs);
}

/// Fails unless the arrays are those that the parameters of the called
/// computation expect, and the root is what the call returns.
static LogicalResult checkCall(Translator &t, const Instruction &instruction,
                               ArrayRef<Value> operands) {
  const Computation &computation = t.calledComputation(instruction, 0);
  SmallVector<Type> expected;
  for (size_t i = 0; i < computation.parameters.size(); ++i)
    llvm::append_range(expected,
                       leafTypes(t.context, computation.parameter(i).shape));
  if (TypeRange(ValueRange(operands)) != TypeRange(expected))
    return t.fail(instruction, "calls computation '" + computation.name +
                                   "' with operands of other shapes than its "
                                   "parameters have");
  if (leafTypes(t.context, computation.rootInstruction().shape) !=
      leafTypes(t.context, instruction.shape))
    return t.fail(instruction, "has shape " + instruction.shape.str() +
                                   ", but computation '" + computation.name +
                                   "' returns " +
                                   computation.rootInstruction().shape.str());
  return success();
}

LogicalResult call(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || failed(t.needCalled(instruction, 1)) ||
      failed(checkCall(t, instruction, *operands)))
    return failure();
  if (instruction.fields.flag(instruction_field::is_composite))
    return composite(t, instruction, *operands);
  return t.emit(instruction, "func.call", *operands,
                {t.attribute("callee", t.function(instruction, 0))});
}

LogicalResult fusion(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || failed(t.needCalled(instruction, 1)))
    return failure();
  FailureOr<SmallVector<Value>> results =
      t.inlineCalled(instruction, 0, *operands);
  if (failed(results))
    return failure();
  return t.setAlias(instruction, *results);
}

/// The layout of each array, as custom calls have it.
static Attribute layoutsOf(Translator &t, ArrayRef<const Shape *> arrays) {
  SmallVector<Attribute> layouts;
  for (const Shape *array : arrays) {
    SmallVector<int64_t> order(array->minorToMajor.begin(),
                               array->minorToMajor.end());
    if (order.empty())
      for (size_t d = array->dims.size(); d-- > 0;)
        order.push_back(d);
    layouts.push_back(t.builder.getIndexTensorAttr(order));
  }
  return t.builder.getArrayAttr(layouts);
}

/// Appends the attributes that say how the arrays of a call lie in memory.
static LogicalResult addCallLayouts(Translator &t,
                                    const Instruction &instruction,
                                    Translator::Attributes &attributes) {
  if (!instruction.fields.flag(instruction_field::constrain_layout))
    return success();
  SmallVector<Shape> shapes;
  for (const ProtoMessage &message : instruction.fields.messages(
           instruction_field::operand_shapes_with_layout)) {
    llvm::Expected<Shape> read = readShape(message);
    if (!read)
      return t.fail(instruction, llvm::toString(read.takeError()));
    shapes.push_back(std::move(*read));
  }
  SmallVector<const Shape *> operands, results;
  for (const Shape &shape : shapes)
    shape.appendLeaves(operands);
  instruction.shape.appendLeaves(results);
  attributes.push_back(t.attribute("operand_layouts", layoutsOf(t, operands)));
  attributes.push_back(t.attribute("result_layouts", layoutsOf(t, results)));
  return success();
}

/// The backend configuration of a custom call: in the instruction, or in the
/// module's table, which is counted from 0.
static FailureOr<StringRef> backendConfig(Translator &t,
                                          const Instruction &instruction) {
  StringRef config =
      instruction.fields.bytes(instruction_field::backend_config);
  ProtoMessage payload =
      instruction.fields.message(instruction_field::backend_config_payload);
  if (!config.empty())
    return config;
  if (!payload.has(payload_field::id))
    return payload.bytes(payload_field::value);
  int64_t id = payload.integer(payload_field::id);
  ArrayRef<StringRef> table = t.payloads();
  if (id < 0 || id >= int64_t(table.size()))
    return t.fail(instruction, "has backend configuration " + Twine(id) +
                                   " of the module's table, which has " +
                                   Twine(table.size()));
  return table[id];
}

/// Appends `backend_config`: text, or a dictionary for typed foreign functions.
static LogicalResult addBackendConfig(Translator &t,
                                      const Instruction &instruction,
                                      bool isTyped,
                                      Translator::Attributes &attributes) {
  FailureOr<StringRef> config = backendConfig(t, instruction);
  if (failed(config))
    return failure();
  if (!isTyped) {
    attributes.push_back(
        t.attribute("backend_config", t.builder.getStringAttr(*config)));
    return success();
  }
  DictionaryAttr dictionary = t.builder.getDictionaryAttr({});
  if (!config->empty()) {
    FailureOr<DictionaryAttr> parsed = parseDictionary(
        t, instruction, "the configuration of the foreign function", *config);
    if (failed(parsed))
      return failure();
    dictionary = *parsed;
  }
  attributes.push_back(t.attribute("backend_config", dictionary));
  return success();
}

LogicalResult customCall(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  const ProtoMessage &fields = instruction.fields;
  int64_t version = fields.integer(instruction_field::custom_call_api_version);
  if (version < 0 || version > 4)
    return t.fail(instruction,
                  "has API version " + Twine(version) + ", expected 0 to 4");
  if (fields.bytes(instruction_field::custom_call_target).empty())
    return t.fail(instruction,
                  "has no target, expected the name of a function");
  // Writers before there were versions leave it unspecified.
  version = std::max<int64_t>(version, 1);
  SmallVector<Attribute> called, aliases;
  for (size_t i = 0; i < instruction.called.size(); ++i)
    called.push_back(t.function(instruction, i));
  for (const ProtoMessage &alias :
       fields.messages(instruction_field::output_operand_aliasing)) {
    using namespace output_alias_field;
    aliases.push_back(stablehlo::OutputOperandAliasAttr::get(
        t.context, alias.integers(output_shape_index),
        alias.integer(operand_index), alias.integers(operand_shape_index)));
  }
  Translator::Attributes attributes = {
      t.attribute("call_target_name",
                  t.builder.getStringAttr(
                      fields.bytes(instruction_field::custom_call_target))),
      t.boolean("has_side_effect",
                fields.flag(instruction_field::custom_call_has_side_effect)),
      t.attribute("api_version",
                  t.builder.getI32IntegerAttr(int32_t(version)))};
  if (failed(addBackendConfig(t, instruction, version == 4, attributes)) ||
      failed(addCallLayouts(t, instruction, attributes)))
    return failure();
  if (!called.empty())
    attributes.push_back(
        t.attribute("called_computations", t.builder.getArrayAttr(called)));
  if (!aliases.empty())
    attributes.push_back(
        t.attribute("output_operand_aliases", t.builder.getArrayAttr(aliases)));
  return t.emit(instruction, "stablehlo.custom_call", *operands, attributes);
}

LogicalResult afterAll(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  return t.emit(instruction,
                operands->empty() ? "stablehlo.create_token"
                                  : "stablehlo.after_all",
                *operands);
}

/// A barrier keeps the value behind the token.
LogicalResult addDependency(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || failed(t.needOperands(instruction, 2)))
    return failure();
  Operation *barrier = t.create(instruction, "stablehlo.optimization_barrier",
                                TypeRange(ValueRange(*operands)), *operands);
  return t.setAlias(instruction,
                    SmallVector<Value>(barrier->getResults().take_front(
                        t.leaves(instruction, 0).size())));
}

} // namespace shardwright::hlo

//===- translator.cc - what the translations of opcodes share -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/hlo/translator.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/gspmd/gspmd_calls.h"
#include "shardwright/interop/gspmd/gspmd_shardings.h"
#include "shardwright/interop/input/input_limits.h"
#include "shardwright/interop/round_trip/frontend_attributes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace shardwright::hlo {

/// Limit of emitted instructions: a computation that several others call as a
/// region is emitted for each, which doubles with each level of calls.
static constexpr int64_t maxEmitted = int64_t(1) << 22;

LogicalResult Translator::failAt(const Computation &computation,
                                 const Instruction &instruction,
                                 const Twine &message) {
  // A translation may read several things before it looks at what failed.
  if (!std::exchange(hasFailed, true))
    emitError(file) << describeInstruction(computation, instruction) << ": "
                    << message.str();
  return failure();
}

LogicalResult Translator::fail(const Instruction &instruction,
                               const Twine &message) {
  return failAt(*frame->computation, instruction, message);
}

static std::string counted(size_t count, StringRef noun) {
  return (Twine(count) + " " + noun + (count == 1 ? "" : "s")).str();
}

LogicalResult Translator::needOperands(const Instruction &instruction,
                                       size_t count) {
  if (instruction.operands.size() == count)
    return success();
  return fail(instruction, "has " +
                               counted(instruction.operands.size(), "operand") +
                               ", expected " + Twine(count));
}

LogicalResult Translator::needCalled(const Instruction &instruction,
                                     size_t count) {
  if (instruction.called.size() == count)
    return success();
  return fail(instruction,
              "calls " + counted(instruction.called.size(), "computation") +
                  ", expected " + Twine(count));
}

ArrayRef<Value> Translator::leaves(const Instruction &instruction,
                                   size_t operand) const {
  return frame->values[instruction.operands[operand]];
}

const Shape &Translator::operandShape(const Instruction &instruction,
                                      size_t operand) const {
  return frame->computation->instructions[instruction.operands[operand]].shape;
}

FailureOr<SmallVector<Value>> Translator::values(const Instruction &instruction,
                                                 size_t firstOperand) {
  SmallVector<Value> all;
  for (size_t i = firstOperand; i < instruction.operands.size(); ++i)
    for (Value leaf : leaves(instruction, i)) {
      if (!leaf)
        return fail(instruction,
                    "uses the context of an asynchronous instruction, which "
                    "has no value in StableHLO");
      all.push_back(leaf);
    }
  return all;
}

FailureOr<Value> Translator::value(const Instruction &instruction,
                                   size_t operand) {
  if (operand >= instruction.operands.size())
    return fail(instruction, "has no operand " + Twine(operand));
  ArrayRef<Value> all = leaves(instruction, operand);
  if (operandShape(instruction, operand).isTuple() || all.size() != 1 ||
      !all.front())
    return fail(instruction,
                "operand " + Twine(operand) + " is a tuple, expected an array");
  return all.front();
}

FailureOr<int64_t> Translator::onlyDimension(const Instruction &instruction) {
  SmallVector<int64_t> dimensions =
      instruction.fields.integers(instruction_field::dimensions);
  if (dimensions.size() != 1 || dimensions[0] < 0)
    return fail(instruction, "has " + counted(dimensions.size(), "dimension") +
                                 ", expected one of 0 or more");
  return dimensions[0];
}

void Translator::setUnchecked(const Instruction &instruction,
                              ArrayRef<Value> leaves) {
  size_t position = &instruction - frame->computation->instructions.data();
  frame->values[position].assign(leaves.begin(), leaves.end());
}

LogicalResult Translator::set(const Instruction &instruction,
                              ArrayRef<Value> leaves) {
  SmallVector<Type> types = leafTypes(context, instruction.shape);
  bool fits = types.size() == leaves.size();
  for (size_t i = 0; fits && i < types.size(); ++i)
    fits = !leaves[i] || leaves[i].getType() == types[i];
  if (!fits) {
    std::string found;
    llvm::raw_string_ostream os(found);
    llvm::interleaveComma(leaves, os, [&](Value leaf) {
      if (leaf)
        os << leaf.getType();
      else
        os << "none";
    });
    return fail(instruction, "has shape " + instruction.shape.str() +
                                 ", but its value has the types (" + found +
                                 ")");
  }
  setUnchecked(instruction, leaves);
  return success();
}

LogicalResult Translator::setAlias(const Instruction &instruction,
                                   ArrayRef<Value> leaves) {
  FailureOr<SmallVector<StringAttr>> texts =
      leafShardings(*frame->computation, instruction);
  if (failed(texts))
    return failure();
  // Beside shardings in frontend attributes these are copies of them.
  if (hasSdyShardings)
    texts->clear();
  SmallVector<Value> constrained(leaves);
  for (auto [leaf, text] : llvm::zip(constrained, *texts))
    if (leaf && text && isa<RankedTensorType>(leaf.getType()))
      leaf = createGspmdCall(builder, locations.of(instruction), "Sharding",
                             leaf, leaf.getType(), text, {},
                             /*hasSideEffect=*/false);
  return set(instruction, constrained);
}

Operation *Translator::create(const Instruction &instruction, StringRef op,
                              TypeRange results, ValueRange operands,
                              Attributes attributes, Regions regions) {
  OperationState state(locations.of(instruction), op);
  state.addTypes(results);
  state.addOperands(operands);
  state.addAttributes(attributes);
  for (std::unique_ptr<Region> &region : regions)
    state.addRegion(std::move(region));
  Operation *made = builder.create(state);
  origins[made] = {frame->computation, &instruction};
  return made;
}

LogicalResult Translator::emit(const Instruction &instruction, StringRef op,
                               ValueRange operands, Attributes attributes,
                               Regions regions) {
  Operation *made =
      create(instruction, op, leafTypes(context, instruction.shape), operands,
             std::move(attributes), std::move(regions));
  setUnchecked(instruction, SmallVector<Value>(made->getResults()));
  return decorate(instruction, made);
}

LogicalResult Translator::decorate(const Instruction &instruction,
                                   Operation *op) {
  FailureOr<const HloSharding *> found =
      sharding(*frame->computation, instruction);
  if (failed(found))
    return failure();
  if (*found)
    op->setAttr(kMhloSharding, builder.getStringAttr((*found)->str()));
  if (DictionaryAttr attributes = frontendAttributes(
          instruction.fields, instruction_field::frontend_attributes))
    op->setAttr(kFrontendAttributes, attributes);
  return success();
}

FailureOr<const HloSharding *>
Translator::sharding(const Computation &computation,
                     const Instruction &instruction) {
  if (!instruction.fields.has(instruction_field::sharding))
    return nullptr;
  StringRef bytes = instruction.fields.bytes(instruction_field::sharding);
  std::unique_ptr<HloSharding> &known = shardings[bytes];
  if (!known) {
    llvm::Expected<HloSharding> read = HloSharding::fromProto(bytes);
    if (!read)
      return failAt(computation, instruction, llvm::toString(read.takeError()));
    known = std::make_unique<HloSharding>(std::move(*read));
  }
  return known.get();
}

FailureOr<SmallVector<StringAttr>>
Translator::leafShardings(const Computation &computation,
                          const Instruction &instruction) {
  FailureOr<const HloSharding *> found = sharding(computation, instruction);
  if (failed(found))
    return failure();
  SmallVector<StringAttr> texts;
  const HloSharding *one = *found;
  if (!one)
    return texts;
  int64_t count = instruction.shape.numLeaves();
  if (!one->isTuple()) {
    texts.assign(count, builder.getStringAttr(one->str()));
    return texts;
  }
  if (int64_t(one->elements().size()) != count)
    return failAt(computation, instruction,
                  "has a sharding of " +
                      counted(one->elements().size(), "element") +
                      ", but its shape has " + counted(count, "array"));
  for (const HloSharding &element : one->elements())
    texts.push_back(builder.getStringAttr(element.str()));
  return texts;
}

DictionaryAttr Translator::frontendAttributes(const ProtoMessage &fields,
                                              int field) {
  NamedAttrList list;
  // A composite has these as attributes of its own.
  bool isComposite = field == instruction_field::frontend_attributes &&
                     fields.flag(instruction_field::is_composite);
  for (const ProtoMessage &entry :
       fields.message(field).messages(map_field::map)) {
    StringRef key = entry.bytes(map_field::key);
    // An attribute needs a name.
    if (!key.empty() && !(isComposite && key.starts_with("composite.")))
      list.set(key, builder.getStringAttr(entry.bytes(map_field::value)));
  }
  return list.empty() ? DictionaryAttr() : list.getDictionary(context);
}

const Computation &Translator::calledComputation(const Instruction &instruction,
                                                 size_t called) const {
  return module.computations[instruction.called[called]];
}

LogicalResult Translator::checkEmitted() {
  if (emitted <= maxEmitted && depth <= maxOpNesting)
    return success();
  if (emitted > maxEmitted)
    return emitError(file) << "the module has more than " << maxEmitted
                           << " instructions once the bodies of its regions "
                              "are written for each use";
  return emitError(file) << "computations nest deeper than " << maxOpNesting
                         << " levels of regions";
}

FailureOr<SmallVector<Value>> Translator::body(const Computation &computation,
                                               ArrayRef<Value> arguments) {
  Frame own;
  own.computation = &computation;
  own.values.resize(computation.instructions.size());
  Frame *outer = std::exchange(frame, &own);
  ++depth;
  llvm::scope_exit leave([&] {
    frame = outer;
    --depth;
  });
  emitted += computation.instructions.size();
  if (failed(checkEmitted()))
    return failure();
  for (int32_t position : computation.parameters) {
    const Instruction &parameter = computation.instructions[position];
    size_t count = parameter.shape.numLeaves();
    if (count > arguments.size())
      return fail(parameter, "gets no argument from its caller");
    if (failed(set(parameter, arguments.take_front(count))))
      return failure();
    arguments = arguments.drop_front(count);
  }
  if (!arguments.empty())
    return fail(computation.rootInstruction(),
                "the computation gets " + counted(arguments.size(), "array") +
                    " more than it has parameters");
  for (const Instruction &instruction : computation.instructions) {
    if (instruction.opcode->name == "parameter")
      continue;
    if (!instruction.opcode->translate)
      return fail(instruction, instruction.opcode->refusal);
    if (failed(instruction.opcode->translate(*this, instruction)))
      return failure();
  }
  ArrayRef<Value> leaves = own.values[computation.root];
  SmallVector<Value> root(leaves.begin(), leaves.end());
  if (!llvm::all_of(root, [](Value leaf) { return bool(leaf); }))
    return fail(computation.rootInstruction(),
                "is the root, but has no value in StableHLO");
  return root;
}

FailureOr<std::unique_ptr<Region>>
Translator::region(const Instruction &instruction, size_t called) {
  const Computation &computation = calledComputation(instruction, called);
  auto made = std::make_unique<Region>();
  Block *block = new Block;
  made->push_back(block);
  for (size_t i = 0; i < computation.parameters.size(); ++i) {
    const Instruction &parameter = computation.parameter(i);
    for (Type type : leafTypes(context, parameter.shape))
      block->addArgument(type, locations.of(parameter));
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(block);
  FailureOr<SmallVector<Value>> root =
      body(computation, SmallVector<Value>(block->getArguments()));
  if (failed(root))
    return failure();
  create(instruction, "stablehlo.return", {}, *root);
  return made;
}

FailureOr<SmallVector<Value>>
Translator::inlineCalled(const Instruction &instruction, size_t called,
                         ArrayRef<Value> arguments) {
  return body(calledComputation(instruction, called), arguments);
}

FlatSymbolRefAttr Translator::function(const Instruction &instruction,
                                       size_t called) const {
  return FlatSymbolRefAttr::get(context,
                                functionNames[instruction.called[called]]);
}

NamedAttribute Translator::attribute(StringRef name, Attribute value) {
  return builder.getNamedAttr(name, value);
}
NamedAttribute Translator::array(StringRef name, ArrayRef<int64_t> values) {
  return attribute(name, builder.getDenseI64ArrayAttr(values));
}
NamedAttribute Translator::integer(StringRef name, int64_t value) {
  return attribute(name, builder.getI64IntegerAttr(value));
}
NamedAttribute Translator::boolean(StringRef name, bool value) {
  return attribute(name, builder.getBoolAttr(value));
}
NamedAttribute Translator::matrix(StringRef name, ArrayRef<int64_t> values,
                                  int64_t columns) {
  int64_t rows = columns ? int64_t(values.size()) / columns : 0;
  auto type = RankedTensorType::get({rows, columns}, builder.getI64Type());
  return attribute(name, DenseIntElementsAttr::get(type, values));
}

} // namespace shardwright::hlo

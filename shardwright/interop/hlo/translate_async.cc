//===- translate_async.cc - asynchronous pairs and host transfers ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of an asynchronous pair is emitted at its start. The value of the
// start is a tuple: the operands, the results, and a context that StableHLO
// does not have, whose leaves have no value.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/hlo/translations.h"

using namespace mlir;

namespace shardwright::hlo {

/// Sets an element of the operand, a tuple, as value.
static LogicalResult setElement(Translator &t, const Instruction &instruction,
                                size_t element) {
  if (failed(t.needOperands(instruction, 1)))
    return failure();
  const Shape &shape = t.operandShape(instruction, 0);
  if (!shape.isTuple() || shape.elements.size() <= element)
    return t.fail(instruction,
                  "ends an instruction of shape " + shape.str() +
                      ", expected a tuple of operands and results");
  return t.setAlias(
      instruction,
      SmallVector<Value>(t.leaves(instruction, 0)
                             .slice(shape.firstLeaf[element],
                                    shape.elements[element].numLeaves())));
}

LogicalResult secondElement(Translator &t, const Instruction &instruction) {
  return setElement(t, instruction, 1);
}

/// Shape: (destination, source, context).
LogicalResult copyStart(Translator &t, const Instruction &instruction) {
  FailureOr<Value> operand = t.value(instruction, 0);
  if (failed(operand) || failed(t.needOperands(instruction, 1)))
    return failure();
  return t.set(instruction, {*operand, *operand, Value()});
}

LogicalResult copyDone(Translator &t, const Instruction &instruction) {
  return setElement(t, instruction, 0);
}

/// Shape: ((operands), results, context).
LogicalResult asyncStart(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || failed(t.needCalled(instruction, 1)))
    return failure();
  FailureOr<SmallVector<Value>> results =
      t.inlineCalled(instruction, 0, *operands);
  if (failed(results))
    return failure();
  SmallVector<Value> leaves(*operands);
  llvm::append_range(leaves, *results);
  leaves.resize(std::max<size_t>(leaves.size(), instruction.shape.numLeaves()),
                Value());
  return t.set(instruction, leaves);
}

LogicalResult asyncDone(Translator &t, const Instruction &instruction) {
  return setElement(t, instruction, 1);
}

/// Parses `{{0,1},{3,0}}`, as XLA writes the pairs of a transfer between
/// devices.
static std::optional<SmallVector<int64_t>> parsePairs(StringRef text) {
  SmallVector<int64_t> ids;
  if (!text.consume_front("{") || !text.consume_back("}"))
    return std::nullopt;
  while (!text.empty()) {
    if (!ids.empty() && !text.consume_front(","))
      return std::nullopt;
    int64_t source = 0, target = 0;
    if (!text.consume_front("{") || text.consumeInteger(10, source) ||
        !text.consume_front(",") || text.consumeInteger(10, target) ||
        !text.consume_front("}"))
      return std::nullopt;
    ids.append({source, target});
  }
  return ids;
}

/// The channel of a transfer, whether the host is its other end, and otherwise
/// which device sends to which.
static FailureOr<Translator::Attributes>
transferAttributes(Translator &t, const Instruction &instruction,
                   int64_t hostType) {
  bool isHost = instruction.fields.flag(instruction_field::is_host_transfer);
  Translator::Attributes attributes = {
      t.attribute("channel_handle",
                  stablehlo::ChannelHandleAttr::get(
                      t.context,
                      instruction.fields.integer(instruction_field::channel_id),
                      isHost ? hostType : /*DEVICE_TO_DEVICE=*/1)),
      t.boolean("is_host_transfer", isHost)};
  for (const ProtoMessage &entry :
       instruction.fields.message(instruction_field::frontend_attributes)
           .messages(map_field::map)) {
    if (entry.bytes(map_field::key) != "_xla_send_recv_source_target_pairs")
      continue;
    StringRef text = entry.bytes(map_field::value);
    std::optional<SmallVector<int64_t>> pairs = parsePairs(text);
    if (!pairs)
      return t.fail(instruction, "has source-target pairs '" + text +
                                     "', expected pairs like {{0,1},{1,0}}");
    attributes.push_back(t.matrix("source_target_pairs", *pairs, 2));
  }
  return attributes;
}

/// Operands: array, token. Shape: (array, context, token).
LogicalResult send(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || failed(t.needOperands(instruction, 2)))
    return failure();
  FailureOr<Translator::Attributes> attributes =
      transferAttributes(t, instruction, /*DEVICE_TO_HOST=*/2);
  if (failed(attributes))
    return failure();
  Operation *made = t.create(instruction, "stablehlo.send",
                             Type(stablehlo::TokenType::get(t.context)),
                             *operands, *attributes);
  if (failed(t.decorate(instruction, made)))
    return failure();
  SmallVector<Value> leaves(t.leaves(instruction, 0));
  leaves.push_back(Value());
  leaves.push_back(made->getResult(0));
  return t.set(instruction, leaves);
}

LogicalResult sendDone(Translator &t, const Instruction &instruction) {
  return setElement(t, instruction, 2);
}

/// Operand: token. Shape: (array, context, token).
LogicalResult recv(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || failed(t.needOperands(instruction, 1)))
    return failure();
  const Shape &shape = instruction.shape;
  if (!shape.isTuple() || shape.elements.size() != 3)
    return t.fail(instruction, "has shape " + shape.str() +
                                   ", expected an array, a context and a "
                                   "token");
  SmallVector<Type> types = leafTypes(t.context, shape.elements[0]);
  types.push_back(stablehlo::TokenType::get(t.context));
  FailureOr<Translator::Attributes> attributes =
      transferAttributes(t, instruction, /*HOST_TO_DEVICE=*/3);
  if (failed(attributes))
    return failure();
  Operation *made =
      t.create(instruction, "stablehlo.recv", types, *operands, *attributes);
  if (failed(t.decorate(instruction, made)))
    return failure();
  SmallVector<Value> leaves(made->getResults());
  leaves.insert(leaves.end() - 1, Value());
  return t.set(instruction, leaves);
}

/// Shape: (array, token).
LogicalResult recvDone(Translator &t, const Instruction &instruction) {
  if (failed(t.needOperands(instruction, 1)))
    return failure();
  const Shape &shape = t.operandShape(instruction, 0);
  if (!shape.isTuple() || shape.elements.size() != 3)
    return t.fail(instruction, "ends an instruction of shape " + shape.str() +
                                   ", expected a recv");
  SmallVector<Value> leaves(t.leaves(instruction, 0));
  leaves.erase(leaves.end() - 2);
  return t.setAlias(instruction, leaves);
}

LogicalResult infeed(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  return t.emit(instruction, "stablehlo.infeed", *operands,
                {t.attribute("infeed_config",
                             t.builder.getStringAttr(instruction.fields.bytes(
                                 instruction_field::infeed_config)))});
}

LogicalResult outfeed(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  return t.emit(instruction, "stablehlo.outfeed", *operands,
                {t.attribute("outfeed_config",
                             t.builder.getStringAttr(instruction.fields.bytes(
                                 instruction_field::outfeed_config)))});
}

} // namespace shardwright::hlo

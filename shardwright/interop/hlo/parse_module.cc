//===- parse_module.cc - bytes to a HloModuleProto in memory --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/hlo/hlo_module.h"

#include "shardwright/interop/hlo/message_specs.h"
#include "shardwright/mesh/hlo/proto_wire.h"

#include "llvm/ADT/STLExtras.h"

#include <unordered_map>

using namespace shardwright;
using namespace shardwright::hlo;
using llvm::StringRef;
using llvm::Twine;

/// Calls `visit` with the fields that have a length. False if the bytes are not
/// a message.
static bool forEachField(StringRef bytes,
                         llvm::function_ref<void(int, StringRef)> visit) {
  for (ProtoReader reader(bytes); !reader.atEnd();) {
    if (!reader.next())
      return false;
    if (reader.wire() == ProtoReader::Wire::Length)
      visit(reader.anyField(), reader.bytes());
  }
  return true;
}

/// True if a field of `bytes` holds a message with field `inner`, and `bytes`
/// is a message.
static bool hasNested(StringRef bytes, int field, int inner) {
  bool found = false;
  bool isMessage = forEachField(bytes, [&](int number, StringRef content) {
    if (number != field || found)
      return;
    bool has = false;
    found =
        forEachField(content, [&](int n, StringRef) { has |= n == inner; }) &&
        has;
  });
  return isMessage && found;
}

/// True for a HloModuleProto: computations with instructions.
static bool looksLikeModule(StringRef bytes) {
  return hasNested(bytes, module_field::computations,
                   computation_field::instructions);
}

/// The content of the first field 1.
static StringRef firstField(StringRef bytes) {
  StringRef first;
  forEachField(bytes, [&](int number, StringRef content) {
    if (number == 1 && first.empty())
      first = content;
  });
  return first;
}

/// The levels of wrapping around a module: HloProto and
/// HloModuleProtoWithConfig have it in field 1, HloSnapshot has a HloProto in
/// field 1. Negative: none.
static int wrappingLevels(StringRef bytes) {
  // Every module has a name or an id in front of its computations.
  for (int level = 2; level >= 0; --level) {
    StringRef inner = bytes;
    for (int i = 0; i < level; ++i)
      inner = firstField(inner);
    if (looksLikeModule(inner))
      return level;
  }
  return -1;
}

bool hlo::isHloModule(StringRef bytes) {
  // A field of a module with a length: not the start of a text.
  return !bytes.empty() && wrappingLevels(bytes) >= 0;
}

std::string hlo::describeInstruction(const Computation &computation,
                                     const Instruction &instruction) {
  return ("instruction '" + instruction.name + "' (" +
          (instruction.opcode
               ? StringRef(instruction.opcode->name)
               : instruction.fields.bytes(instruction_field::opcode)) +
          ") of computation '" + computation.name + "'")
      .str();
}

namespace {

/// The positions of ids.
class Ids {
public:
  /// False if the id has a position already.
  bool add(int64_t id, int32_t position) {
    return positions.try_emplace(id, position).second;
  }
  /// -1 if there is none.
  int32_t find(int64_t id) const {
    auto found = positions.find(id);
    return found == positions.end() ? -1 : found->second;
  }

private:
  // A DenseMap reserves two keys.
  std::unordered_map<int64_t, int32_t> positions;
};

class Parser {
public:
  explicit Parser(Module &module) : module(module) {}
  llvm::Error run(StringRef bytes);

private:
  llvm::Error computation(const ProtoMessage &message);
  llvm::Error instruction(const ProtoMessage &message, Computation &computation,
                          const Ids &known);
  llvm::Error parameters(Computation &computation);

  Module &module;
  Ids computationIds;
};

} // namespace

static llvm::Error inComputation(const Computation &computation,
                                 const Twine &what) {
  return llvm::createStringError("computation '" + Twine(computation.name) +
                                 "' " + what);
}

llvm::Error Parser::instruction(const ProtoMessage &message,
                                Computation &computation, const Ids &known) {
  using namespace instruction_field;
  Instruction &made = computation.instructions.emplace_back();
  made.fields = message;
  made.name = message.bytes(instruction_field::name);
  auto fail = [&](const Twine &what) {
    return llvm::createStringError(describeInstruction(computation, made) +
                                   ": " + what);
  };
  made.opcode = findOpcode(message.bytes(opcode));
  if (!made.opcode)
    return fail("the opcode is unknown");
  llvm::Expected<Shape> read = readShape(message.message(shape));
  if (!read)
    return fail(llvm::toString(read.takeError()));
  made.shape = std::move(*read);
  for (int64_t operand : message.integers(operand_ids)) {
    int32_t position = known.find(operand);
    if (position < 0)
      return fail("operand " + Twine(operand) +
                  " is not an earlier instruction of the computation");
    made.operands.push_back(position);
  }
  for (int64_t called : message.integers(called_computation_ids)) {
    int32_t position = computationIds.find(called);
    if (position < 0)
      return fail("calls computation " + Twine(called) +
                  ", which is not listed before its own computation");
    made.called.push_back(position);
  }
  return llvm::Error::success();
}

/// Finds the parameters, which are numbered from 0.
llvm::Error Parser::parameters(Computation &computation) {
  for (auto [position, instruction] :
       llvm::enumerate(computation.instructions)) {
    if (instruction.opcode->name != "parameter")
      continue;
    int64_t number =
        instruction.fields.integer(instruction_field::parameter_number);
    if (number < 0 || number >= int64_t(computation.instructions.size()))
      return inComputation(computation, "has parameter number " +
                                            Twine(number) +
                                            ", expected numbers from 0");
    if (number >= int64_t(computation.parameters.size()))
      computation.parameters.resize(number + 1, -1);
    if (computation.parameters[number] >= 0)
      return inComputation(computation,
                           "has parameter number " + Twine(number) + " twice");
    computation.parameters[number] = position;
  }
  for (auto [number, position] : llvm::enumerate(computation.parameters))
    if (position < 0)
      return inComputation(computation,
                           "has no parameter number " + Twine(number));
  return llvm::Error::success();
}

llvm::Error Parser::computation(const ProtoMessage &message) {
  Computation &made = module.computations.emplace_back();
  made.name = message.bytes(computation_field::name);
  Ids known;
  for (const ProtoMessage &one :
       message.messages(computation_field::instructions)) {
    if (llvm::Error e = instruction(one, made, known))
      return e;
    int64_t id = one.integer(instruction_field::id);
    if (!known.add(id, made.instructions.size() - 1))
      return llvm::createStringError(
          describeInstruction(made, made.instructions.back()) + ": id " +
          Twine(id) + " occurs twice");
  }
  made.root = known.find(message.integer(computation_field::root_id));
  if (made.root < 0)
    return inComputation(made, "has no instruction with the id of its root");
  if (llvm::Error e = parameters(made))
    return e;
  if (!computationIds.add(message.integer(computation_field::id),
                          module.computations.size() - 1))
    return inComputation(made, "has the id of another computation");
  return llvm::Error::success();
}

llvm::Error Parser::run(StringRef bytes) {
  if (llvm::Error e = checkMessage(bytes, moduleSpec))
    return e;
  module.fields = ProtoMessage(bytes, moduleSpec);
  module.name = module.fields.bytes(module_field::name);
  for (const ProtoMessage &one :
       module.fields.messages(module_field::computations))
    if (llvm::Error e = computation(one))
      return e;
  if (module.computations.empty())
    return llvm::createStringError("the module has no computations");
  module.entry = computationIds.find(
      module.fields.integer(module_field::entry_computation_id));
  if (module.entry < 0)
    return llvm::createStringError(
        "the module has no computation with the id of its entry, " +
        Twine(module.fields.integer(module_field::entry_computation_id)));
  module.payloads.assign(module.fields.strings(module_field::payloads));
  ProtoMessage devices = module.fields.message(module_field::device_assignment);
  module.counts = {devices.integer(assignment_field::replica_count),
                   devices.integer(assignment_field::computation_count)};
  return llvm::Error::success();
}

llvm::Expected<Module> hlo::parseHloModule(StringRef bytes, Wrapping wrapping) {
  int levels = wrapping == Wrapping::None         ? 0
               : wrapping == Wrapping::WithConfig ? 1
                                                  : wrappingLevels(bytes);
  StringRef inner = bytes, config;
  for (int i = 0; i < levels; ++i)
    inner = firstField(inner);
  // In a HloSnapshot field 2 holds arguments.
  if (levels == 1 && !forEachField(bytes, [&](int number, StringRef content) {
        if (number == 2)
          config = content;
      }))
    return llvm::createStringError(
        "message HloModuleProtoWithConfig is not a protocol buffer");
  Module module;
  if (llvm::Error e = Parser(module).run(inner))
    return std::move(e);
  if (config.empty())
    return module;
  if (llvm::Error e = checkMessage(config, configSpec))
    return std::move(e);
  ProtoMessage counts(config, configSpec);
  if (int64_t replicas = counts.integer(config_field::replica_count))
    module.counts.replicas = replicas;
  if (int64_t partitions = counts.integer(config_field::num_partitions))
    module.counts.partitions = partitions;
  return module;
}

//===- stages.cc - traced, lowered and compiled programs ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/api/jit_shardings.h"
#include "shardwright/frontend/jit/program.h"
#include "shardwright/frontend/jit/program_reports.h"
#include "shardwright/frontend/jit/saved_program.h"

namespace shardwright::frontend {

std::string TracedStage::str() const { return printJaxpr(*jaxpr); }
std::string TracedStage::effects() const { return jaxpr->effects.str(); }
std::vector<Aval> TracedStage::inTypes() const { return jaxpr->inAvals(); }
std::vector<Aval> TracedStage::outTypes() const { return jaxpr->outAvals(); }

Expected<LoweredStage> TracedStage::lower() const {
  Expected<std::vector<Sharding>> ins = resolveInputs(*this);
  if (!ins)
    return ins.error();
  Expected<std::vector<Sharding>> outs = resolveOutputs(*this);
  if (!outs)
    return outs.error();
  ProgramRequest request;
  request.jaxpr = jaxpr;
  request.name = options.name;
  request.ins = *ins;
  request.outs = *outs;
  request.donated = donated;
  request.resultPaths = resultPaths;
  request.keepUnused = options.keepUnused;
  std::vector<bool> kept = options.keepUnused
                               ? std::vector<bool>(jaxpr->ins.size(), true)
                               : usedInputs(*jaxpr);
  std::vector<std::string> phrases;
  for (size_t i = 0; i < argNames.size(); ++i)
    phrases.push_back(argShardings[i].isSpecified() &&
                              argShardings[i].devices() == (*ins)[i].devices()
                          ? cat("argument ", argNames[i], " of ", options.name,
                                " with shape ",
                                jaxpr->types[jaxpr->ins[i]].longStr(), " and")
                          : "");
  Expected<std::vector<Device>> assigned =
      assignDevices(*jaxpr, *ins, phrases, *outs, kept);
  if (!assigned)
    return assigned.error();
  Expected<int64_t> size =
      abstractSize(*jaxpr, *ins, kept, *outs, assigned->size());
  if (!size)
    return size.error();
  int64_t numDevices = *size ? *size : contextAbstractMesh().size();
  if (assigned->empty() && numDevices == 0)
    assigned->push_back(Device{0});
  request.devices = *assigned;
  request.numDevices =
      assigned->empty() ? numDevices : static_cast<int64_t>(assigned->size());
  Expected<LoweredPtr> lowered = lowerProgram(request);
  if (!lowered)
    return lowered.error();
  LoweredStage stage;
  stage.program = *lowered;
  stage.types = jaxpr->inAvals();
  stage.argNames = argNames;
  return stage;
}

static Error nullStage(const char *stage) {
  return valueError("a null ", stage, " stage was used");
}

Expected<std::string> LoweredStage::asText(std::string_view dialect) const {
  if (!program)
    return nullStage("lowered");
  if (dialect == "hlo")
    return notImplemented("the HLO text of a lowered program; the dialect "
                          "`stablehlo` is there");
  if (dialect != "stablehlo")
    return valueError("unknown dialect: ", dialect);
  return prettyText(program->text);
}

/// The names of the arguments that the program keeps.
static std::vector<std::string> keptNames(const std::vector<std::string> &names,
                                          const std::vector<bool> &kept) {
  std::vector<std::string> out;
  for (size_t i = 0; i < kept.size() && i < names.size(); ++i)
    if (kept[i])
      out.push_back(names[i]);
  return out;
}

Expected<std::string> LoweredStage::explain(const ExplainQuery &query) const {
  if (!program)
    return nullStage("lowered");
  return explainLowered(*program, keptNames(argNames, program->kept), query);
}

Expected<std::string> LoweredStage::report() const {
  if (!program)
    return nullStage("lowered");
  return reportLowered(*program, keptNames(argNames, program->kept));
}

Expected<CompiledStage> LoweredStage::compile(std::vector<Device> given) const {
  if (!program)
    return nullStage("lowered");
  std::vector<Device> devices = program->request.devices;
  if (devices.empty()) {
    if (given.empty())
      return makeError(ErrorKind::Runtime,
                       "device_assignment cannot be `None` during "
                       "compilation. Please pass a tuple of devices to "
                       "`.compile(device_assignment=)`");
    if (static_cast<int64_t>(given.size()) != program->request.numDevices) {
      std::string where;
      for (const auto *list : {&program->request.ins, &program->request.outs})
        for (const Sharding &s : *list)
          if (s.isNamed() && where.empty())
            where = " in " + s.str();
      return valueError(
          "The size of abstract mesh ", program->request.numDevices, where,
          " must match the length of device assignment: ", given.size());
    }
    devices = given;
  } else if (!given.empty() && given != devices) {
    return valueError("device_assignment passed to `.compile` must match the "
                      "device_assignment calculated from array shardings and "
                      "out_shardings. Got device ids passed to compile ",
                      idsText(given),
                      " on platform CPU and devices ids calculated from array "
                      "shardings and out_shardings ",
                      idsText(devices), " on platform CPU");
  }
  Expected<CompiledPtr> compiled = compileProgram(program, devices);
  if (!compiled)
    return compiled.error();
  CompiledStage stage;
  stage.program = *compiled;
  stage.types = types;
  stage.argNames = argNames;
  return stage;
}

/// The error for arguments of other types, if there are any.
static Status checkTypes(const CompiledStage &stage, const Tensors &leaves) {
  std::string lines;
  int64_t errors = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].dtype() == stage.types[i].dtype &&
        leaves[i].shape() == stage.types[i].shape)
      continue;
    if (++errors <= 5)
      lines += cat("\nArgument '", stage.argNames[i], "' compiled with ",
                   stage.types[i].longStr(), " and called with ",
                   leaves[i].aval().longStr());
  }
  if (!errors)
    return {};
  return typeError(
      "Argument types differ from the types for which this computation was "
      "compiled. Perhaps you are calling the compiled executable with a "
      "different enable_x64 mode than when it was AOT compiled? The ",
      errors > 5 ? cat("first 5 of ", errors, " ") : "",
      "mismatches are:", lines);
}

/// The error for committed arguments on other devices or with other parts, if
/// there are any.
static Status checkShardings(const CompiledStage &stage,
                             const Tensors &leaves) {
  const std::vector<bool> &kept = keptInputs(*stage.program);
  const std::vector<Sharding> &required = stage.inputShardings();
  std::string lines;
  int64_t errors = 0;
  size_t next = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!kept[i])
      continue;
    const Sharding &wanted = required[next++];
    if (!leaves[i].committed() ||
        leaves[i].sharding().isEquivalentTo(wanted, leaves[i].rank()))
      continue;
    if (++errors <= 5)
      lines += cat("\nArgument ", stage.argNames[i], " with shape ",
                   leaves[i].aval().longStr(),
                   ":\n  Passed sharding: ", leaves[i].sharding().str(),
                   "\n  Required sharding: ", wanted.str());
  }
  if (!errors)
    return {};
  return valueError(
      "Computation was compiled for input shardings that disagree with the "
      "shardings of arguments passed to it. Here are ",
      errors < 5 ? cat("the ", errors, " mismatches:")
                 : cat("5 mismatches out of ", errors, ":"),
      lines);
}

Tensors CompiledStage::call(const Tensors &leaves) const {
  if (!program)
    return {Tensor(nullStage("compiled"))};
  if (leaves.size() != types.size())
    return {Tensor(typeError("Computation compiled for ", types.size(),
                             " inputs but called with ", leaves.size()))};
  for (const Tensor &leaf : leaves) {
    if (!leaf.ok())
      return {Tensor(leaf.error())};
    if (leaf.isTraced())
      return {Tensor(typeError(
          "Cannot apply JAX transformations to a function lowered and "
          "compiled for a particular signature. Detected argument of Tracer "
          "type ",
          leaf.str(), "."))};
  }
  if (Status good = checkTypes(*this, leaves); !good)
    return {Tensor(good.error())};
  if (Status good = checkShardings(*this, leaves); !good)
    return {Tensor(good.error())};
  return runProgram(*program, leaves);
}

const std::vector<Sharding> &CompiledStage::inputShardings() const {
  static const std::vector<Sharding> none;
  return program ? frontend::inputShardings(*program) : none;
}
const std::vector<Sharding> &CompiledStage::outputShardings() const {
  static const std::vector<Sharding> none;
  return program ? frontend::outputShardings(*program) : none;
}
std::map<std::string, double> CompiledStage::costAnalysis() const {
  return program ? frontend::costAnalysis(*program)
                 : std::map<std::string, double>();
}
MemoryStats CompiledStage::memoryAnalysis() const {
  if (!program)
    return {};
  auto m = frontend::memoryAnalysis(*program);
  return {m["argument_size_in_bytes"], m["output_size_in_bytes"],
          m["temp_size_in_bytes"], m["alias_size_in_bytes"]};
}

Expected<std::string> CompiledStage::report() const {
  if (!program)
    return nullStage("compiled");
  return reportCompiled(*program, keptNames(argNames, keptInputs(*program)));
}

Expected<std::string> CompiledStage::serialize() const {
  if (!program)
    return nullStage("compiled");
  return serializeProgram({program, types, argNames});
}

Expected<CompiledStage> loadProgram(std::string_view bytes,
                                    std::vector<Device> devices) {
  Expected<SavedProgram> saved = loadSavedProgram(bytes, devices);
  if (!saved)
    return saved.error();
  CompiledStage stage;
  stage.program = saved->program;
  stage.types = saved->types;
  stage.argNames = saved->argNames;
  return stage;
}

} // namespace shardwright::frontend

//===- stages.cc - traced, lowered and compiled programs ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/api/jit_shardings.h"
#include "shardwright/frontend/jit/gspmd_module.h"
#include "shardwright/frontend/jit/program.h"
#include "shardwright/frontend/jit/program_reports.h"
#include "shardwright/frontend/jit/saved_program.h"
#include "shardwright/frontend/primitives/reshard.h"

namespace shardwright::frontend {

static Error nullStage(const char *stage) {
  return valueError("a null ", stage, " stage was used");
}

std::string TracedStage::str() const {
  return jaxpr ? printJaxpr(*jaxpr) : cat("<", nullStage("traced").str(), ">");
}
std::string TracedStage::effects() const {
  return jaxpr ? jaxpr->effects.str() : EffectSet().str();
}
std::vector<Aval> TracedStage::inTypes() const {
  return jaxpr ? jaxpr->inAvals() : std::vector<Aval>();
}
std::vector<Aval> TracedStage::outTypes() const {
  return jaxpr ? jaxpr->outAvals() : std::vector<Aval>();
}

static std::vector<ArgInfo> infoOf(const std::vector<std::string> &names,
                                   const std::vector<Aval> &types,
                                   const std::vector<bool> &donated) {
  std::vector<ArgInfo> out;
  for (size_t i = 0; i < names.size() && i < types.size(); ++i)
    out.push_back({names[i], types[i], i < donated.size() && donated[i]});
  return out;
}
std::vector<ArgInfo> TracedStage::argsInfo() const {
  return infoOf(argNames, inTypes(), donated);
}
std::vector<ArgInfo> LoweredStage::argsInfo() const {
  return infoOf(argNames, types, donated);
}
std::vector<ArgInfo> CompiledStage::argsInfo() const {
  return infoOf(argNames, types, donated);
}
std::vector<Aval> LoweredStage::outInfo() const {
  return program ? program->jaxpr->outAvals() : std::vector<Aval>();
}
std::vector<Aval> CompiledStage::outInfo() const {
  return program ? outputTypes(*program) : std::vector<Aval>();
}

/// An error if the mesh of an Explicit type has more devices than the program.
static Status checkExplicitTypes(const Jaxpr &jaxpr,
                                 const std::vector<Device> &devices) {
  if (devices.empty())
    return {};
  auto count = static_cast<int64_t>(devices.size());
  for (const auto &types : {jaxpr.inAvals(), jaxpr.outAvals()})
    for (const Aval &aval : types)
      if (aval.sharding && aval.sharding->mesh.anyIs(AxisType::Explicit) &&
          aval.sharding->mesh.size() != count)
        return valueError("Length of device assignment ", count,
                          " is not equal to the size of the mesh ",
                          aval.sharding->mesh.size(), " of aval ",
                          typeWithAxes(aval, /*brief=*/true),
                          ". Please enter your `jit` into a mesh context via "
                          "`jax.set_mesh`.");
  return {};
}

Expected<LoweredStage> TracedStage::lower() const {
  if (!jaxpr)
    return nullStage("traced");
  Expected<std::vector<Sharding>> ins = resolveInputs(*this);
  if (!ins)
    return ins.error();
  Expected<std::vector<Sharding>> outs = resolveOutputs(*this);
  if (!outs)
    return outs.error();
  ProgramRequest request;
  request.jaxpr = jaxpr;
  request.name = options.name;
  request.source = options.source;
  request.ins = *ins;
  request.outs = *outs;
  request.inLayouts = inLayouts;
  request.outLayouts = outLayouts;
  // An argument brings its layout along.
  for (size_t i = 0; i < argLayouts.size(); ++i)
    if (!request.inLayouts[i] && argLayouts[i] && !argLayouts[i]->isRowMajor())
      request.inLayouts[i] = argLayouts[i];
  request.donated = donated;
  request.resultPaths = resultPaths;
  request.keepUnused = keepsUnused(*this);
  request.compilerOptions = optionTexts(options.compilerOptions);
  if (asksForSearch(options))
    request.compilerOptions.try_emplace("shardwright_auto", "true");
  std::vector<bool> kept = request.keepUnused
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
    assigned->push_back(defaultDevice().value_or(Device{0}));
  SW_TRY(checkExplicitTypes(*jaxpr, *assigned));
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
  stage.donated = donated;
  stage.trees = trees;
  return stage;
}

Expected<std::string> LoweredStage::asText(std::string_view dialect,
                                           bool debugInfo) const {
  if (!program)
    return nullStage("lowered");
  if (dialect == "hlo")
    return notImplemented("the HLO text of a lowered program; the dialect "
                          "`stablehlo` is there");
  if (dialect != "stablehlo")
    return valueError("unknown dialect: ", dialect);
  Expected<std::string> text =
      debugInfo ? locatedText(*program) : Expected<std::string>(program->text);
  if (!text)
    return text;
  return program->options->usesShardy ? prettyText(*text, debugInfo)
                                      : gspmdModuleText(*text, debugInfo);
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

Expected<std::string> LoweredStage::report(const ReportQuery &query) const {
  if (!program)
    return nullStage("lowered");
  return reportLowered(*program, keptNames(argNames, program->kept), query);
}

Expected<CompiledStage>
LoweredStage::compile(std::vector<Device> given,
                      const CompilerOptions &options) const {
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
  LoweredPtr lowered = program;
  if (!options.empty()) {
    auto own = std::make_shared<LoweredProgram>(*program);
    for (const auto &[name, value] : optionTexts(options))
      own->request.compilerOptions[name] = value;
    lowered = std::move(own);
  }
  Expected<CompiledPtr> compiled = compileProgram(lowered, devices);
  if (!compiled)
    return compiled.error();
  CompiledStage stage;
  stage.program = *compiled;
  stage.lowered = lowered;
  stage.types = types;
  stage.argNames = argNames;
  stage.donated = donated;
  stage.trees = trees;
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

/// The error for committed arguments on other devices, with other parts or
/// layouts, if there are any.
static Status checkShardings(const CompiledStage &stage,
                             const Tensors &leaves) {
  const std::vector<bool> &kept = keptInputs(*stage.program);
  const std::vector<Format> required = stage.inputFormats();
  std::vector<std::string> lines;
  bool anySharding = false, anyLayout = false;
  size_t next = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!kept[i])
      continue;
    const Format &wanted = required[next++];
    if (!leaves[i].committed())
      continue;
    auto add = [&](const char *what, const std::string &passed,
                   const std::string &needed) {
      lines.push_back(cat("\nArgument ", stage.argNames[i], " with shape ",
                          leaves[i].aval().longStr(), ":\n  Passed ", what,
                          ": ", passed, "\n  Required ", what, ": ", needed));
    };
    const Sharding &own = leaves[i].sharding();
    if (!own.isEquivalentTo(wanted.sharding(), leaves[i].rank())) {
      anySharding = true;
      add("sharding", own.str(), wanted.sharding().str());
    }
    const Layout layout = *leaves[i].format().layout();
    if (!(layout == *wanted.layout())) {
      anyLayout = true;
      add("layout", layout.str(true), wanted.layout()->str(true));
    }
  }
  if (lines.empty())
    return {};
  const char *what = anySharding && anyLayout ? "shardings and layouts"
                     : anyLayout              ? "layouts"
                                              : "shardings";
  size_t count = lines.size();
  std::string text = cat("Computation was compiled for input ", what,
                         " that disagree with the ", what,
                         " of arguments passed to it. Here are ",
                         count < 5 ? cat("the ", count, " mismatches:")
                                   : cat("5 mismatches out of ", count, ":"));
  for (size_t i = 0; i < count && i < 5; ++i)
    text += lines[i];
  return valueError(text);
}

Tensors CompiledStage::callTree(std::string_view tree,
                                const Tensors &leaves) const {
  if (!program)
    return {Tensor(nullStage("compiled"))};
  if (Status same = compareCallTrees(trees.in, parseArguments(tree)); !same)
    return {Tensor(same.error())};
  return call(leaves);
}

Status CompiledStage::checkResultTree(std::string_view tree) const {
  if (!program)
    return nullStage("compiled");
  std::string wanted = parseTree(tree).str();
  if (wanted == trees.out.str())
    return {};
  return typeError("The result of the compiled program is a tree ",
                   trees.out.str(), ", not ", wanted);
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
  static const auto &none = *new std::vector<Sharding>;
  return program ? frontend::inputShardings(*program) : none;
}
const std::vector<Sharding> &CompiledStage::outputShardings() const {
  static const auto &none = *new std::vector<Sharding>;
  return program ? frontend::outputShardings(*program) : none;
}
std::vector<Format> CompiledStage::inputFormats() const {
  return program ? frontend::inputFormats(*program) : std::vector<Format>();
}
std::vector<Format> CompiledStage::outputFormats() const {
  return program ? frontend::outputFormats(*program) : std::vector<Format>();
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

Expected<std::string> CompiledStage::report(const ReportQuery &query) const {
  if (!program)
    return nullStage("compiled");
  return reportCompiled(*program, lowered.get(),
                        keptNames(argNames, keptInputs(*program)), query);
}

Expected<std::string> CompiledStage::serialize() const {
  if (!program)
    return nullStage("compiled");
  return serializeProgram(
      {program, types, argNames, donated, trees.inText, trees.outText});
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
  stage.donated = saved->donated;
  stage.trees = {saved->inTree, saved->outTree};
  return stage;
}

} // namespace shardwright::frontend

//===- jit.cc - jit and its stages ----------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/jit.h"

#include "shardwright/frontend/jit/program.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/transform/jit_primitive.h"

#include <atomic>

namespace shardwright::frontend {

/// Caches of one jitted function.
struct JitCache {
  JitOptions options;
  std::mutex mutex;
  struct TraceEntry {
    std::string key;
    TracedStage stage;
  };
  std::vector<TraceEntry> traces;
  /// Finished programs, newest first, by what a call looks at.
  struct DispatchEntry {
    std::string tree;
    std::vector<Aval> types;
    std::vector<Sharding> shardings; ///< not specified: not committed
    const void *mesh = nullptr;
    bool x64 = false;
    CompiledPtr program;
  };
  std::vector<std::shared_ptr<const DispatchEntry>> dispatch;
};

namespace {

Sharding committedSharding(const Tensor &x) {
  return x.committed() ? x.sharding() : Sharding();
}

bool matches(const JitCache::DispatchEntry &entry, const TreeDef &tree,
             const Tensors &leaves) {
  if (entry.types.size() != leaves.size() ||
      entry.mesh != contextMesh().identity() || entry.x64 != x64Enabled() ||
      entry.tree != tree.text)
    return false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!(leaves[i].aval() == entry.types[i]))
      return false;
    bool committed = leaves[i].committed();
    if (committed != entry.shardings[i].isSpecified())
      return false;
    if (committed && !(leaves[i].sharding() == entry.shardings[i]))
      return false;
  }
  return true;
}

/// The sharding of leaf `i` of a list that has one entry for all or each.
Sharding pick(const std::vector<Sharding> &list, size_t i) {
  if (list.empty())
    return {};
  return list.size() == 1 ? list[0] : i < list.size() ? list[i] : Sharding();
}

Expected<TracedStage> traceStage(JitCache &cache, const JitCore::Call &call,
                                 const Tensors &leaves) {
  if (const Error *error = errorIn(leaves))
    return *error;
  const JitOptions &options = cache.options;
  std::string key =
      cat(call.arguments.text, "|",
          reinterpret_cast<uintptr_t>(contextAbstractMesh().identity()),
          x64Enabled() ? "x" : "", "|");
  std::vector<Aval> types;
  for (const Tensor &leaf : leaves) {
    types.push_back(leaf.aval());
    key += leaf.aval().str();
    key += leaf.aval().weak ? "~" : " ";
    if (leaf.aval().sharding)
      key += cat("@", reinterpret_cast<uintptr_t>(
                          leaf.aval().sharding->mesh.identity()));
  }
  for (const NamedAxis &axis : axisEnvironment())
    key += cat(axis.name, ":", axis.size, axis.isManual ? "m" : "",
               axis.isChecked ? "c;" : ";");
  TracedStage stage;
  bool found = false;
  {
    std::lock_guard lock(cache.mutex);
    for (const JitCache::TraceEntry &entry : cache.traces)
      if (entry.key == key) {
        stage = entry.stage;
        found = true;
        break;
      }
  }
  if (!found) {
    Expected<JaxprPtr> jaxpr = traceToJaxpr(call.function, types, options.name);
    if (!jaxpr)
      return jaxpr.error();
    detail::countTrace();
    stage.jaxpr = *jaxpr;
    stage.options = options;
    for (const std::string &path : call.results.paths)
      stage.resultPaths.push_back("result" + path);
    bool captures = false;
    for (const Tensor &value : (*jaxpr)->consts)
      captures |= value.isTraced();
    if (!captures) {
      std::lock_guard lock(cache.mutex);
      cache.traces.push_back({key, stage});
    }
  }
  stage.argShardings.clear();
  stage.argNames.clear();
  stage.donated.clear();
  size_t leaf = 0;
  for (size_t arg = 0; arg < call.sizes.size(); ++arg)
    for (size_t k = 0; k < call.sizes[arg]; ++k, ++leaf) {
      std::string path = call.arguments.paths[leaf];
      std::string prefix = cat("args[", arg, "]");
      if (arg < options.argNames.size())
        path = options.argNames[arg] + path.substr(prefix.size());
      stage.argNames.push_back(path);
      stage.donated.push_back(
          containsInt(options.donate, static_cast<int64_t>(arg)));
      stage.argShardings.push_back(committedSharding(leaves[leaf]));
    }
  return stage;
}

/// The sharding of each input, from the options and the argument.
Expected<std::vector<Sharding>> resolveInputs(const TracedStage &stage) {
  std::vector<Sharding> out;
  for (size_t i = 0; i < stage.argShardings.size(); ++i) {
    Sharding given = pick(stage.options.inShardings, i);
    const Sharding &own = stage.argShardings[i];
    const Aval &aval = stage.jaxpr->types[stage.jaxpr->ins[i]];
    if (!given.isSpecified()) {
      out.push_back(own);
      continue;
    }
    if (Status fits = given.checkCompatible(aval.shape); !fits)
      return valueError("One of pjit arguments with pytree key path ",
                        stage.argNames[i],
                        " is incompatible with its sharding annotation ",
                        given.str(), ": ", fits.error().text);
    SW_TRY(given.shardShape(aval.shape));
    if (own.isSpecified() &&
        own.semanticKey(aval.rank()) != given.semanticKey(aval.rank()))
      return valueError("Sharding passed to jit does not match the sharding "
                        "on the respective arg. Got jit sharding: ",
                        given.str(), ",\narg sharding: ", own.str(),
                        " for arg type: ", aval.longStr());
    out.push_back(given);
  }
  return out;
}

Expected<std::vector<Sharding>> resolveOutputs(const TracedStage &stage) {
  std::vector<Sharding> out;
  for (size_t i = 0; i < stage.jaxpr->outs.size(); ++i) {
    Sharding given = pick(stage.options.outShardings, i);
    const Aval &aval = stage.jaxpr->aval(stage.jaxpr->outs[i]);
    if (Status fits = given.checkCompatible(aval.shape); !fits)
      return valueError("One of pjit outputs with pytree key path ",
                        i < stage.resultPaths.size() ? stage.resultPaths[i]
                                                     : "result",
                        " is incompatible with its sharding annotation ",
                        given.str(), ": ", fits.error().text);
    SW_TRY(given.shardShape(aval.shape));
    out.push_back(given);
  }
  return out;
}

} // namespace

JitCore::JitCore(JitOptions options) : cache(std::make_shared<JitCache>()) {
  cache->options = std::move(options);
}

Expected<TracedStage> JitCore::trace(const Call &call,
                                     const Tensors &leaves) const {
  return traceStage(*cache, call, leaves);
}

Tensors JitCore::call(const Call &call, const Tensors &leaves) const {
  if (const Error *error = errorIn(leaves))
    return {Tensor(*error)};
  bool traced = currentTrace() != nullptr;
  for (const Tensor &leaf : leaves)
    traced |= leaf.isTraced();
  if (traced) {
    std::vector<Aval> types;
    for (const Tensor &leaf : leaves)
      types.push_back(leaf.aval());
    Tensors args;
    Expected<JaxprPtr> jaxpr =
        traceWithCaptures(call.function, types, cache->options.name, args);
    if (!jaxpr)
      return {Tensor(jaxpr.error())};
    args.insert(args.end(), leaves.begin(), leaves.end());
    return bindJit(*jaxpr, cache->options.name, args);
  }
  {
    std::shared_ptr<const JitCache::DispatchEntry> entry;
    {
      std::lock_guard lock(cache->mutex);
      for (const auto &candidate : cache->dispatch)
        if (matches(*candidate, call.arguments, leaves)) {
          entry = candidate;
          break;
        }
    }
    if (entry)
      return runProgram(*entry->program, leaves);
  }
  detail::countDispatchMiss();
  Expected<TracedStage> stage = traceStage(*cache, call, leaves);
  if (!stage)
    return {Tensor(stage.error())};
  Expected<LoweredStage> lowered = stage->lower();
  if (!lowered)
    return {Tensor(lowered.error())};
  Expected<CompiledStage> compiled = lowered->compile();
  if (!compiled)
    return {Tensor(compiled.error())};
  auto entry = std::make_shared<JitCache::DispatchEntry>();
  entry->tree = call.arguments.text;
  for (const Tensor &leaf : leaves) {
    entry->types.push_back(leaf.aval());
    entry->shardings.push_back(committedSharding(leaf));
  }
  entry->mesh = contextMesh().identity();
  entry->x64 = x64Enabled();
  entry->program = compiled->program;
  {
    std::lock_guard lock(cache->mutex);
    cache->dispatch.insert(cache->dispatch.begin(), entry);
    if (cache->dispatch.size() > 256)
      cache->dispatch.pop_back();
  }
  return runProgram(*compiled->program, leaves);
}

std::string TracedStage::str() const { return printJaxpr(*jaxpr); }
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
  int64_t abstractSize = 0;
  auto see = [&](const Sharding &s) {
    if (s.isNamed())
      abstractSize = std::max(abstractSize, s.abstractMesh().size());
  };
  for (const Sharding &s : *ins)
    see(s);
  for (const Sharding &s : *outs)
    see(s);
  abstractSize = std::max(abstractSize, contextAbstractMesh().size());
  if (assigned->empty() && abstractSize == 0)
    assigned->push_back(Device{0});
  request.devices = *assigned;
  request.numDevices =
      assigned->empty() ? abstractSize : static_cast<int64_t>(assigned->size());
  Expected<LoweredPtr> lowered = lowerProgram(request);
  if (!lowered)
    return lowered.error();
  // The cached module is that of equal tiles on other devices; the shardings
  // and devices are those of this call.
  auto own = std::make_shared<LoweredProgram>(**lowered);
  own->request = request;
  LoweredStage stage;
  stage.program = own;
  stage.types = jaxpr->inAvals();
  stage.argNames = argNames;
  return stage;
}

Expected<std::string> LoweredStage::asText() const {
  if (!program)
    return valueError("a null lowered stage was used");
  return prettyText(program->text);
}

Expected<CompiledStage> LoweredStage::compile(std::vector<Device> given) const {
  if (!program)
    return valueError("a null lowered stage was used");
  std::vector<Device> devices = program->request.devices;
  if (devices.empty()) {
    if (given.empty())
      return makeError(ErrorKind::Runtime,
                       "device_assignment cannot be `None` during "
                       "compilation. Please pass a tuple of devices to "
                       "`.compile(device_assignment=)`");
    if (static_cast<int64_t>(given.size()) != program->request.numDevices)
      return valueError(
          "The size of abstract mesh ", program->request.numDevices,
          " must match the length of device assignment: ", given.size());
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

Tensors CompiledStage::call(const Tensors &leaves) const {
  if (!program)
    return {Tensor(valueError("a null compiled stage was used"))};
  if (leaves.size() != types.size())
    return {Tensor(typeError("Computation compiled for ", types.size(),
                             " inputs but called with ", leaves.size()))};
  std::string lines;
  int64_t errors = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].ok())
      return {leaves[i]};
    if (leaves[i].isTraced())
      return {Tensor(typeError(
          "Cannot apply JAX transformations to a function lowered and "
          "compiled for a particular signature. Detected argument of Tracer "
          "type ",
          leaves[i].str(), "."))};
    if (leaves[i].dtype() == types[i].dtype &&
        leaves[i].shape() == types[i].shape)
      continue;
    if (++errors <= 5)
      lines += cat("\nArgument '", argNames[i], "' compiled with ",
                   types[i].longStr(), " and called with ",
                   leaves[i].aval().longStr());
  }
  if (errors)
    return {Tensor(typeError(
        "Argument types differ from the types for which this computation was "
        "compiled. Perhaps you are calling the compiled executable with a "
        "different enable_x64 mode than when it was AOT compiled? The ",
        errors > 5 ? cat("first 5 of ", errors, " ") : "",
        "mismatches are:", lines))};
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
Expected<std::string> CompiledStage::serialize() const {
  if (!program)
    return valueError("a null compiled stage was used");
  return serializeProgram(*program);
}

JitCounts jitCounts() {
  JitCounters c = jitCounters();
  return {c.traces, c.lowerings, c.compiles, c.dispatchMisses};
}

} // namespace shardwright::frontend

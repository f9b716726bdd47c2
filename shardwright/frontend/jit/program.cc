//===- program.cc - lowering, compilation and execution of jaxprs ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/program.h"

#include "shardwright/frontend/base/log_step.h"
#include "shardwright/frontend/base/partitioner_config.h"
#include "shardwright/frontend/callbacks/offer_handlers.h"
#include "shardwright/frontend/jit/bounded_cache.h"
#include "shardwright/frontend/jit/compile_module.h"
#include "shardwright/frontend/jit/donation.h"
#include "shardwright/frontend/jit/forward_program.h"
#include "shardwright/frontend/jit/persistent_cache.h"
#include "shardwright/frontend/lower/op_place.h"
#include "shardwright/frontend/trace/lowering_devices.h"
#include "shardwright/frontend/transform/pruning.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace shardwright::frontend {
namespace {

std::atomic<int64_t> traces, lowerings, compiles, dispatchMisses;

BoundedCache<std::string, LoweredPtr> &loweredCache() {
  static auto *cache = new BoundedCache<std::string, LoweredPtr>(4096);
  return *cache;
}
BoundedCache<std::string, CompiledPtr> &compiledCache() {
  static auto *cache = new BoundedCache<std::string, CompiledPtr>(4096);
  return *cache;
}

std::string moduleName(const std::string &name) {
  std::string out = "jit_";
  for (char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                   c == '.' || c == '-'
               ? c
               : '_';
  while (out.size() > 1 && out.back() == '_')
    out.pop_back();
  return out;
}

/// Only io_callback may be ordered in a program of several devices.
Status checkOrderedEffects(EffectSet effects, int64_t numDevices) {
  if (numDevices > 1 && effects.has(Effect::OrderedDebug))
    return valueError("The following ordered effects are not supported for "
                      "more than 1 device: [",
                      frontend::str(Effect::OrderedDebug), "]");
  return {};
}

/// The jaxpr with only the kept inputs.
JaxprPtr pruned(const JaxprPtr &jaxpr, const std::vector<bool> &kept) {
  if (std::find(kept.begin(), kept.end(), false) == kept.end())
    return jaxpr;
  return withInputs(jaxpr, kept);
}

} // namespace

JitCounters jitCounters() {
  return {traces, lowerings, compiles, dispatchMisses};
}
void detail::countTrace() { ++traces; }
void detail::countDispatchMiss() { ++dispatchMisses; }

/// What the module says of the results: what is asked for, else the sharding in
/// the type of a value whose dimensions are all sharded by Explicit axes only.
static std::vector<Sharding> resultShardings(const ProgramRequest &request) {
  std::vector<Sharding> out = request.outs;
  const Jaxpr &jaxpr = *request.jaxpr;
  out.resize(jaxpr.outs.size());
  bool anyTyped = false;
  for (size_t i = 0; i < out.size(); ++i) {
    const Aval &aval = jaxpr.aval(jaxpr.outs[i]);
    const auto &typed = aval.sharding;
    if (out[i].isSpecified() || !typed ||
        (aval.rank() && !typed->mesh.allAre(AxisType::Explicit)))
      continue;
    if (Expected<Sharding> sharding = Sharding::named(typed->mesh, typed->spec))
      out[i] = *sharding;
    anyTyped = true;
  }
  return anyTyped ? out : request.outs;
}

/// Writes the memory kinds if some value is not in the device's memory.
static void setMemories(LoweringOptions &options, const Jaxpr &jaxpr) {
  bool anyHost = false;
  auto memory = [&](const std::vector<Sharding> &list, size_t i,
                    const Aval &aval) {
    std::string kind = i < list.size() ? list[i].memoryKind() : "";
    if (kind.empty())
      kind = aval.onHost ? "pinned_host" : "device";
    anyHost |= kind != "device";
    return kind;
  };
  for (size_t i = 0; i < jaxpr.ins.size(); ++i)
    options.inMemories.push_back(
        memory(options.ins, i, jaxpr.types[jaxpr.ins[i]]));
  for (size_t i = 0; i < jaxpr.outs.size(); ++i)
    options.outMemories.push_back(
        memory(options.outs, i, jaxpr.aval(jaxpr.outs[i])));
  if (!anyHost) {
    options.inMemories.clear();
    options.outMemories.clear();
  }
}

/// Chooses what becomes of donated inputs; warns about those that nothing uses.
static void setDonations(LoweringOptions &options, LoweredProgram &lowered) {
  const ProgramRequest &request = lowered.request;
  const Jaxpr &jaxpr = *lowered.jaxpr;
  std::vector<DonationValue> ins, outs;
  size_t next = 0;
  bool anyDonated = false;
  for (size_t i = 0; i < lowered.kept.size(); ++i) {
    if (!lowered.kept[i])
      continue;
    bool donated = i < request.donated.size() && request.donated[i];
    anyDonated |= donated;
    ins.push_back({jaxpr.types[jaxpr.ins[next]], options.ins[next],
                   options.inLayouts[next], donated});
    ++next;
  }
  lowered.consumed.assign(ins.size(), false);
  if (!anyDonated)
    return;
  for (size_t i = 0; i < jaxpr.outs.size(); ++i) {
    DonationValue out{jaxpr.aval(jaxpr.outs[i]),
                      i < options.outs.size() ? options.outs[i] : Sharding(),
                      i < options.outLayouts.size() ? options.outLayouts[i]
                                                    : std::nullopt};
    if (const auto &typed = out.aval.sharding;
        typed && !out.sharding.isSpecified())
      out.sharding = *Sharding::named(typed->mesh, typed->spec);
    outs.push_back(std::move(out));
  }
  DonationPlan plan = planDonation(ins, outs, request.numDevices);
  for (size_t i = 0; i < ins.size(); ++i)
    lowered.consumed[i] = plan.uses[i].kind != DonationUse::Kind::None;
  if (!plan.unusable.empty())
    warn(unusableText(plan));
  options.donations = std::move(plan.uses);
}

Expected<LoweredPtr> lowerProgram(const ProgramRequest &request) {
  SW_TRY(checkFilePattern());
  std::string key = cat(reinterpret_cast<uintptr_t>(request.jaxpr.get()), "|",
                        request.name, "|", request.numDevices, "|",
                        config::useShardyPartitioner.get() ? "" : "gspmd|");
  for (size_t i = 0; i < request.ins.size(); ++i)
    key += cat(request.ins[i].semanticKey(
                   request.jaxpr->types[request.jaxpr->ins[i]].rank()),
               ";");
  key += "->";
  for (size_t i = 0; i < request.outs.size(); ++i)
    key += cat(request.outs[i].semanticKey(
                   request.jaxpr->aval(request.jaxpr->outs[i]).rank()),
               ";");
  for (bool donated : request.donated)
    key += donated ? 'd' : '-';
  for (const auto *list : {&request.inLayouts, &request.outLayouts})
    for (const auto &layout : *list)
      key += layout ? layout->modeText() : ";";
  if (auto found = loweredCache().find(key)) {
    // The module is that of equal tiles; shardings and devices are those of
    // this request.
    auto own = std::make_shared<LoweredProgram>(**found);
    own->request = request;
    return LoweredPtr(own);
  }
  LogStep log(cat("jaxpr to MLIR module conversion jit(", request.name, ")"));
  auto lowered = std::make_shared<LoweredProgram>();
  lowered->request = request;
  lowered->kept = request.keepUnused
                      ? std::vector<bool>(request.jaxpr->ins.size(), true)
                      : usedInputs(*request.jaxpr);
  lowered->jaxpr = pruned(request.jaxpr, lowered->kept);
  LoweringOptions options;
  options.name = moduleName(request.name);
  options.outs = resultShardings(request);
  options.numPartitions = request.numDevices;
  options.usesShardy = config::useShardyPartitioner.get();
  options.resultPaths = request.resultPaths;
  for (size_t i = 0; i < lowered->kept.size(); ++i)
    if (lowered->kept[i]) {
      options.ins.push_back(i < request.ins.size() ? request.ins[i]
                                                   : Sharding());
      options.inLayouts.push_back(
          i < request.inLayouts.size() ? request.inLayouts[i] : std::nullopt);
    }
  options.outLayouts = request.outLayouts;
  setMemories(options, *lowered->jaxpr);
  setDonations(options, *lowered);
  SW_TRY(checkOrderedEffects(lowered->jaxpr->effects, request.numDevices));
  ScopedLoweringDevices devices(options.numPartitions);
  Expected<LoweredText> text = lowerToText(*lowered->jaxpr, options);
  if (!text)
    return text.error();
  ++lowerings;
  lowered->text = std::move(text->text);
  lowered->options =
      std::make_shared<const LoweringOptions>(std::move(options));
  lowered->callbacks = std::move(text->callbacks);
  loweredCache().insert(key, lowered);
  return LoweredPtr(lowered);
}

Expected<std::string> locatedText(const LoweredProgram &lowered) {
  LoweringOptions options = *lowered.options;
  options.locatedName = lowered.request.name;
  options.source = lowered.request.source;
  ScopedLoweringDevices devices(options.numPartitions, /*isRepeated=*/true);
  Expected<LoweredText> text = lowerToText(*lowered.jaxpr, options);
  return text ? Expected<std::string>(std::move(text->text)) : text.error();
}

void detail::clearPrograms() {
  loweredCache().clear();
  compiledCache().clear();
}

/// Says what is compiled, if the settings ask for it.
static void logCompilation(const LoweredProgram &lowered) {
  if (!config::logCompiles.get())
    return;
  std::string types, mapping;
  for (const Aval &type : lowered.jaxpr->inAvals())
    types +=
        cat(types.empty() ? "" : ", ", "ShapedArray(", type.longStr(), ")");
  for (size_t i = 0; i < lowered.kept.size(); ++i)
    if (lowered.kept[i]) {
      const Sharding &s = lowered.request.ins[i];
      mapping += cat(s.isSpecified() ? s.str() : "UnspecifiedValue", ",");
    }
  warn(cat("Compiling jit(", lowered.request.name,
           ") with global shapes and types [", types, "]. Argument mapping: (",
           mapping, ")."));
}

/// The contents of a file that an option names, so that a program is compiled
/// again for a file that changed. Empty for other options; compilation reports
/// a file that cannot be read.
static std::string fileOf(const std::string &option, const std::string &path) {
  if (option != "shardwright_machine")
    return "";
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

Expected<CompiledPtr> compileProgram(const LoweredPtr &lowered,
                                     const std::vector<Device> &devices) {
  if (auto forwarded = forwardedResults(*lowered))
    return forwardProgram(lowered, std::move(*forwarded), devices);
  std::string key = cat(idsText(devices), lowered->text);
  // An executable knows which arguments it keeps and the types of its results.
  for (bool kept : lowered->kept)
    key += kept ? 'k' : 'd';
  for (const Aval &type : lowered->jaxpr->outAvals())
    key += cat(type.str(), type.weak ? "~" : ";");
  for (size_t i = 0; i < lowered->request.ins.size(); ++i)
    if (lowered->kept[i])
      key += lowered->request.ins[i].str();
  for (const Sharding &s : lowered->request.outs)
    key += s.str();
  for (const auto &callback : lowered->callbacks)
    key += callback->key();
  key += cat(lowered->request.name, "|", ffi::countOfPartitionable());
  for (const auto &[name, value] : lowered->request.compilerOptions)
    key += cat("|", name, "=", value.size(), ":", value, fileOf(name, value));
  if (auto found = compiledCache().find(key))
    return *found;
  bool isKept = isKeptOnDisk(*lowered);
  std::string fileKey;
  if (isKept) {
    fileKey = persistentKey(*lowered, key);
    Expected<CompiledPtr> found = loadPersistent(fileKey, *lowered, devices);
    if (!found || *found) {
      if (found)
        compiledCache().insert(key, *found);
      return found;
    }
  }
  logCompilation(*lowered);
  LogStep log(cat("XLA compilation of jit(", lowered->request.name, ")"));
  auto begin = std::chrono::steady_clock::now();
  Expected<CompiledPtr> compiled = compileModule(lowered, devices);
  if (!compiled)
    return compiled;
  ++compiles;
  if (isKept) {
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - begin;
    SW_TRY(storePersistent(fileKey, *lowered, *compiled, took.count()));
  }
  compiledCache().insert(key, *compiled);
  return compiled;
}

namespace {

/// Collects the device lists of the shardings in a program.
class DeviceVote {
public:
  Status add(const std::vector<Device> &devices, const std::string &phrase,
             bool isArgument) {
    if (devices.empty())
      return {};
    if (first.empty()) {
      first = devices;
      firstPhrase = text(phrase, devices);
      firstIsArgument = isArgument;
      return {};
    }
    if (first == devices)
      return {};
    std::string a = firstPhrase, b = text(phrase, devices);
    if (isArgument && !firstIsArgument)
      std::swap(a, b);
    return valueError(
        "Received incompatible devices for jitted computation. Got ", a,
        " and ", b);
  }
  std::vector<Device> first;

private:
  static std::string text(const std::string &phrase,
                          const std::vector<Device> &devices) {
    return cat(phrase, " with device ids ", idsText(devices),
               " on platform CPU");
  }
  std::string firstPhrase;
  bool firstIsArgument = false;
};

Status voteInside(const Jaxpr &jaxpr, DeviceVote &vote) {
  Status status;
  forEachSharding(jaxpr, [&](const Eqn &eqn, const Sharding &s) {
    if (status)
      status =
          vote.add(s.devices(), eqn.primitive->name + " inside jit", false);
  });
  return status;
}

} // namespace

Expected<std::vector<Device>>
assignDevices(const Jaxpr &jaxpr, const std::vector<Sharding> &ins,
              const std::vector<std::string> &inPhrases,
              const std::vector<Sharding> &outs,
              const std::vector<bool> &kept) {
  DeviceVote vote;
  if (!contextMesh().empty())
    SW_TRY(vote.add(contextMesh().devices(), "jit's context mesh", false));
  for (size_t i = 0; i < ins.size(); ++i)
    if (kept[i])
      SW_TRY(vote.add(ins[i].devices(),
                      i < inPhrases.size() && !inPhrases[i].empty()
                          ? inPhrases[i]
                          : "ARG_SHARDING",
                      true));
  for (const Sharding &s : outs)
    SW_TRY(vote.add(s.devices(), "explicit output sharding", false));
  SW_TRY(voteInside(jaxpr, vote));
  return vote.first;
}

} // namespace shardwright::frontend

//===- jit.cc - jit and its stages ----------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/jit.h"

#include "shardwright/frontend/api/jit_shardings.h"
#include "shardwright/frontend/array/value.h"
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
    /// In `prototypes`, whose entries stay.
    const std::shared_ptr<void> *prototype = nullptr;
  };
  std::vector<std::shared_ptr<const DispatchEntry>> dispatch;
  /// Results by structure of the arguments.
  std::map<std::string, std::shared_ptr<void>> prototypes;
};

namespace {

Sharding committedSharding(const Tensor &x) {
  return x.committed() ? x.sharding() : Sharding();
}

bool matches(const JitCache::DispatchEntry &entry, const std::string &tree,
             const Tensors &leaves) {
  if (entry.types.size() != leaves.size() ||
      entry.mesh != contextMesh().identity() || entry.x64 != x64Enabled() ||
      entry.tree != tree)
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

/// The name of each leaf: its path, from the name of the parameter if the
/// options give one.
std::vector<std::string> argumentNames(const JitCore::Call &call,
                                       const JitOptions &options) {
  std::vector<std::string> out;
  for (size_t arg = 0; arg < call.sizes.size(); ++arg)
    for (size_t k = 0; k < call.sizes[arg]; ++k) {
      std::string path = call.arguments.paths[out.size()];
      std::string prefix = cat("args[", arg, "]");
      if (arg < options.argNames.size())
        path = options.argNames[arg] + path.substr(prefix.size());
      out.push_back(path);
    }
  return out;
}

Expected<TracedStage> traceStage(JitCache &cache, const JitCore::Call &call,
                                 const Tensors &leaves) {
  if (const Error *error = errorIn(leaves))
    return *error;
  const JitOptions &options = cache.options;
  SW_TRY(checkDonation(options, call.sizes.size()));
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
    // The mesh is part of an array's type, its devices are not.
    else if (leaf.committed() && leaf.sharding().isNamed())
      key += cat("@", reinterpret_cast<uintptr_t>(
                          leaf.sharding().abstractMesh().identity()));
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
    stage.resultSizes = childSizes(call.results.paths);
    bool captures = false;
    for (const Tensor &value : (*jaxpr)->consts)
      captures |= value.isTraced();
    if (!captures) {
      std::lock_guard lock(cache.mutex);
      cache.traces.push_back({key, stage});
    }
  }
  stage.argShardings.clear();
  stage.donated.clear();
  stage.argNames = argumentNames(call, options);
  size_t leaf = 0;
  auto count = static_cast<int64_t>(call.sizes.size());
  for (int64_t arg = 0; arg < count; ++arg)
    for (size_t k = 0; k < call.sizes[arg]; ++k, ++leaf) {
      stage.donated.push_back(containsInt(options.donate, arg) ||
                              containsInt(options.donate, arg - count));
      stage.argShardings.push_back(committedSharding(leaves[leaf]));
    }
  SW_TRY(chooseShardings(stage, call.sizes));
  return stage;
}

} // namespace

JitCore::JitCore(JitOptions options) : cache(std::make_shared<JitCache>()) {
  cache->options = std::move(options);
}

Expected<TracedStage> JitCore::trace(const Call &call,
                                     const Tensors &leaves) const {
  return traceStage(*cache, call, leaves);
}

std::shared_ptr<void> JitCore::prototype(const std::string &tree) const {
  std::lock_guard lock(cache->mutex);
  auto found = cache->prototypes.find(tree);
  return found == cache->prototypes.end() ? nullptr : found->second;
}

void JitCore::keepPrototype(const std::string &tree,
                            std::shared_ptr<void> prototype) const {
  std::lock_guard lock(cache->mutex);
  cache->prototypes[tree] = std::move(prototype);
}

bool JitCore::callFinished(const std::string &tree, const Tensors &leaves,
                           Tensors &results,
                           std::shared_ptr<void> &prototype) const {
  if (currentTrace())
    return false;
  for (const Tensor &leaf : leaves)
    if (!leaf.ok() || leaf.isTraced())
      return false;
  std::shared_ptr<const JitCache::DispatchEntry> entry;
  {
    std::lock_guard lock(cache->mutex);
    for (const auto &candidate : cache->dispatch)
      if (matches(*candidate, tree, leaves)) {
        entry = candidate;
        prototype = *entry->prototype;
        break;
      }
  }
  if (entry)
    results = runProgram(*entry->program, leaves);
  return entry != nullptr;
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
  Tensors results;
  if (std::shared_ptr<void> prototype;
      callFinished(call.arguments.text, leaves, results, prototype))
    return results;
  detail::countDispatchMiss();
  for (size_t i = 0; i < leaves.size(); ++i)
    if (asArray(leaves[i]) && asArray(leaves[i])->isAbstract)
      return {Tensor(typeError(
          "Argument '", argumentNames(call, cache->options)[i], "' of shape ",
          leaves[i].aval().longStr(),
          " of type <class 'jax.ShapeDtypeStruct'> is not a valid JAX type."))};
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
    entry->prototype = &cache->prototypes[entry->tree];
    cache->dispatch.insert(cache->dispatch.begin(), entry);
    if (cache->dispatch.size() > 256)
      cache->dispatch.pop_back();
  }
  return runProgram(*compiled->program, leaves);
}

JitCounts jitCounts() {
  JitCounters c = jitCounters();
  return {c.traces, c.lowerings, c.compiles, c.dispatchMisses};
}

} // namespace shardwright::frontend

//===- jit.cc - jit and its stages ----------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/jit.h"

#include "shardwright/frontend/api/jit_shardings.h"
#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/base/log_step.h"
#include "shardwright/frontend/jit/check_results.h"
#include "shardwright/frontend/jit/program.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/trace/user_function.h"
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
    std::vector<std::shared_ptr<const Layout>> layouts; ///< null: row-major
    /// The meshes in context.
    const void *mesh = nullptr, *abstractMesh = nullptr;
    const std::string *config = nullptr;
    CompiledPtr program;
    std::shared_ptr<const void> prototype;
  };
  using DispatchPtr = std::shared_ptr<const DispatchEntry>;
  std::vector<DispatchPtr> dispatch;
  /// The last trace of a function that uses values of an outer trace: it holds
  /// while that trace is current.
  struct CapturingEntry {
    std::string key;
    TracePtr outer;
    TracedStage stage;
    Tensors captured;
  };
  std::optional<CapturingEntry> lastCapturing;
};

namespace {

Sharding committedSharding(const Tensor &x) {
  return x.committed() ? x.sharding() : Sharding();
}

/// Null for row-major ones.
const std::shared_ptr<const Layout> &layoutOf(const Tensor &x) {
  static const auto &rowMajor = *new std::shared_ptr<const Layout>;
  const ArrayValue *array = asArray(x);
  return array ? array->layout : rowMajor;
}

bool matches(const JitCache::DispatchEntry &entry, const std::string &tree,
             const Tensors &leaves) {
  if (entry.types.size() != leaves.size() ||
      entry.mesh != contextMesh().identity() ||
      entry.abstractMesh != contextAbstractMesh().identity() ||
      entry.config != configKey(JitKey) || entry.tree != tree)
    return false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!(leaves[i].aval() == entry.types[i]))
      return false;
    bool committed = leaves[i].committed();
    if (committed != entry.shardings[i].isSpecified())
      return false;
    if (committed && !(leaves[i].sharding() == entry.shardings[i]))
      return false;
    const std::shared_ptr<const Layout> &layout = layoutOf(leaves[i]);
    if (layout != entry.layouts[i] &&
        !(layout && entry.layouts[i] && *layout == *entry.layouts[i]))
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

/// What a trace depends on: structure and types of the arguments, and the
/// context.
std::string traceKey(const JitCore::Call &call, const Tensors &leaves) {
  std::string key =
      cat(call.arguments.text, "|",
          reinterpret_cast<uintptr_t>(contextAbstractMesh().identity()), "|",
          *configKey(TraceContext), "|");
  for (const Tensor &leaf : leaves) {
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
               namesText(axis.explicitAxes), axis.isChecked ? "c;" : ";");
  return key;
}

/// A trace that this thread is making.
struct TraceInProgress {
  const JitCache *cache;
  const std::string *key;
};
thread_local std::vector<TraceInProgress> tracesInProgress;

/// The trace of the function on these types, from the cache if it is there.
/// `captured`: values of outer traces that the function uses, which become
/// leading inputs; null: there is no outer trace.
Expected<TracedStage> tracedFunction(JitCache &cache, const JitCore::Call &call,
                                     const Tensors &leaves, Tensors *captured) {
  std::string key = cat(captured ? "inner|" : "", traceKey(call, leaves));
  // A function that a cache knows would hide its leaks.
  bool isCached = !config::checkTracerLeaks.get();
  if (isCached) {
    std::lock_guard lock(cache.mutex);
    for (const JitCache::TraceEntry &entry : cache.traces)
      if (entry.key == key)
        return entry.stage;
    if (const auto &last = cache.lastCapturing;
        captured && last && last->key == key && last->outer == currentTrace()) {
      *captured = last->captured;
      return last->stage;
    }
  }
  const JitOptions &options = cache.options;
  for (const TraceInProgress &open : tracesInProgress)
    if (open.cache == &cache && *open.key == key)
      return makeError(ErrorKind::Runtime,
                       "Recursively calling jit: ", options.name);
  if (config::noTracing.get())
    return makeError(ErrorKind::Runtime, "re-tracing function ", options.name,
                     " for `jit`, but 'no_tracing' is set");
  std::vector<Aval> types;
  for (const Tensor &leaf : leaves)
    types.push_back(leaf.aval());
  LogStep log(cat("tracing ", options.name, " for jit"));
  struct Scope {
    ~Scope() { tracesInProgress.pop_back(); }
  } scope;
  tracesInProgress.push_back({&cache, &key});
  Expected<JaxprPtr> jaxpr =
      captured
          ? traceWithCaptures(call.function, types, options.name, *captured)
          : traceToJaxpr(call.function, types, options.name);
  if (!jaxpr)
    return jaxpr.error();
  TracedStage stage;
  stage.jaxpr = *jaxpr;
  stage.options = options;
  for (const std::string &path : call.results.paths)
    stage.resultPaths.push_back("result" + path);
  stage.trees = CallTrees(call.arguments.text, call.results.text);
  stage.prototype = call.prototype();
  bool captures = captured && !captured->empty();
  for (const Tensor &value : (*jaxpr)->consts)
    captures |= value.isTraced();
  if (!captured)
    detail::countTrace();
  if (!isCached)
    return stage;
  std::lock_guard lock(cache.mutex);
  if (!captures)
    cache.traces.push_back({key, stage});
  else if (captured)
    cache.lastCapturing = {key, currentTrace(), stage, *captured};
  return stage;
}

/// Fills in what a stage knows of the arguments of this call, and what the
/// options ask for.
Status describeArguments(TracedStage &stage, const JitCore::Call &call,
                         const Tensors &leaves) {
  const JitOptions &options = stage.options;
  stage.argNames = argumentNames(call, options);
  stage.argShardings.clear();
  stage.argLayouts.clear();
  stage.donated.clear();
  size_t leaf = 0;
  auto count = static_cast<int64_t>(call.sizes.size());
  for (int64_t arg = 0; arg < count; ++arg)
    for (size_t k = 0; k < call.sizes[arg]; ++k, ++leaf) {
      stage.donated.push_back(!checksResults() &&
                              isDonated(options, arg, count));
      const Tensor &x = leaves[leaf];
      stage.argShardings.push_back(committedSharding(x));
      stage.argLayouts.emplace_back();
      if (!x.committed())
        continue;
      const std::shared_ptr<const Layout> &layout = layoutOf(x);
      stage.argLayouts.back() = layout ? *layout : Layout::rowMajor(x.rank());
    }
  return chooseShardings(stage);
}

Expected<TracedStage> traceStage(JitCache &cache, const JitCore::Call &call,
                                 const Tensors &leaves) {
  if (const Error *error = errorIn(leaves))
    return *error;
  SW_TRY(checkDonation(cache.options, parseArguments(call.arguments.text)));
  Expected<TracedStage> stage = tracedFunction(cache, call, leaves, nullptr);
  if (stage)
    SW_TRY(describeArguments(*stage, call, leaves));
  return stage;
}

/// The call as an equation of the current trace.
JitCore::Results traceCall(JitCache &cache, const JitCore::Call &call,
                           const Tensors &leaves) {
  auto failed = [](const Error &error) {
    return JitCore::Results{{Tensor(error)}, nullptr};
  };
  if (Status valid =
          checkDonation(cache.options, parseArguments(call.arguments.text));
      !valid)
    return failed(valid.error());
  Tensors args;
  Expected<TracedStage> stage = tracedFunction(cache, call, leaves, &args);
  if (!stage)
    return failed(stage.error());
  if (Status described = describeArguments(*stage, call, leaves); !described)
    return failed(described.error());
  Expected<JitEqn> eqn = nestedCall(*stage, args.size());
  if (!eqn)
    return failed(eqn.error());
  args.insert(args.end(), leaves.begin(), leaves.end());
  Tensors outs = cache.options.inlined && eqn->isPlain()
                     ? evalJaxpr(*stage->jaxpr, args)
                     : bindJit(stage->jaxpr, *eqn, args);
  return {outs, stage->prototype};
}

} // namespace

JitCore::JitCore(JitOptions options) : cache(std::make_shared<JitCache>()) {
  cache->options = std::move(options);
}

/// The error for a function whose caches are those of another one.
static Error movedError() {
  return valueError("a jitted function was used after it had been moved");
}

Expected<TracedStage> JitCore::trace(const Call &call,
                                     const Tensors &leaves) const {
  if (!cache)
    return movedError();
  return traceStage(*cache, call, leaves);
}

/// The newest finished program for these arguments, or null.
static JitCache::DispatchPtr
findFinished(JitCache &cache, const std::string &tree, const Tensors &leaves) {
  std::lock_guard lock(cache.mutex);
  for (const JitCache::DispatchPtr &candidate : cache.dispatch)
    if (matches(*candidate, tree, leaves))
      return candidate;
  return nullptr;
}

bool JitCore::callFinished(const std::string &tree, const Tensors &leaves,
                           Results &results) const {
  if (!cache || currentTrace() || checksResults() || config::disableJit.get() ||
      config::checkTracerLeaks.get())
    return false;
  for (const Tensor &leaf : leaves)
    if (!leaf.ok() || leaf.isTraced())
      return false;
  JitCache::DispatchPtr entry = findFinished(*cache, tree, leaves);
  if (entry)
    results = {runProgram(*entry->program, leaves), entry->prototype};
  return entry != nullptr;
}

/// Traces, lowers and compiles a call, and keeps the program.
static Expected<JitCache::DispatchPtr>
compileCall(JitCache &cache, const JitCore::Call &call, const Tensors &leaves) {
  detail::countDispatchMiss();
  for (size_t i = 0; i < leaves.size(); ++i)
    if (asArray(leaves[i]) && asArray(leaves[i])->isAbstract)
      return typeError(
          "Argument '", argumentNames(call, cache.options)[i], "' of shape ",
          leaves[i].aval().longStr(),
          " of type <class 'jax.ShapeDtypeStruct'> is not a valid JAX type.");
  Expected<TracedStage> stage = traceStage(cache, call, leaves);
  if (!stage)
    return stage.error();
  Expected<LoweredStage> lowered = stage->lower();
  if (!lowered)
    return lowered.error();
  Expected<CompiledStage> compiled = lowered->compile();
  if (!compiled)
    return compiled.error();
  auto entry = std::make_shared<JitCache::DispatchEntry>();
  entry->tree = call.arguments.text;
  for (const Tensor &leaf : leaves) {
    entry->types.push_back(leaf.aval());
    entry->shardings.push_back(committedSharding(leaf));
    entry->layouts.push_back(layoutOf(leaf));
  }
  entry->mesh = contextMesh().identity();
  entry->abstractMesh = contextAbstractMesh().identity();
  entry->config = configKey(JitKey);
  entry->program = compiled->program;
  entry->prototype = stage->prototype;
  std::lock_guard lock(cache.mutex);
  cache.dispatch.insert(cache.dispatch.begin(), entry);
  if (cache.dispatch.size() > 256)
    cache.dispatch.pop_back();
  return JitCache::DispatchPtr(std::move(entry));
}

/// The results of running the function itself.
static JitCore::Results runPlain(const JitCore::Call &call,
                                 const Tensors &leaves) {
  if (Status left = checkStack("calling"); !left)
    return {{Tensor(left.error())}, nullptr};
  Tensors outs = callFunction(call.function, leaves);
  if (errorIn(outs))
    return {outs, nullptr};
  return {outs, call.prototype()};
}

JitCore::Results JitCore::call(const Call &call, const Tensors &leaves) const {
  auto failed = [](const Error &error) {
    return Results{{Tensor(error)}, nullptr};
  };
  if (!cache)
    return failed(movedError());
  if (const Error *error = errorIn(leaves))
    return failed(*error);
  if (config::disableJit.get())
    return runPlain(call, leaves);
  bool traced = currentTrace() != nullptr;
  for (const Tensor &leaf : leaves)
    traced |= leaf.isTraced();
  if (traced)
    return traceCall(*cache, call, leaves);
  JitCache::DispatchPtr entry;
  if (!config::checkTracerLeaks.get())
    entry = findFinished(*cache, call.arguments.text, leaves);
  if (!entry) {
    Expected<JitCache::DispatchPtr> compiled =
        compileCall(*cache, call, leaves);
    if (!compiled)
      return failed(compiled.error());
    entry = *compiled;
  }
  Tensors results = runProgram(*entry->program, leaves);
  if (!checksResults() || checkResults(results, "jit"))
    return {results, entry->prototype};
  // The primitive that made the value is found without jit.
  if (Tensors again = call.function(leaves); errorIn(again))
    return {again, nullptr};
  return {{Tensor(invalidResult(cache->options.name, results))}, nullptr};
}

void clearCaches() {
  detail::renewConfigKeys();
  detail::clearPrograms();
  detail::clearEagerPrograms();
}

JitCounts jitCounts() {
  JitCounters c = jitCounters();
  return {c.traces, c.lowerings, c.compiles, c.dispatchMisses};
}

} // namespace shardwright::frontend

//===- pmap.cc - pmap as jit of shardMap ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/pmap.h"

#include "shardwright/frontend/pmap/mapped_axes.h"
#include "shardwright/frontend/pmap/nesting.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/shard_map/axis_aliases.h"
#include "shardwright/frontend/shard_map/shard_map.h"
#include "shardwright/frontend/trace/ordered_effects.h"

namespace shardwright::frontend {
namespace {

/// The name of the function in programs: that of JAX.
constexpr const char *functionName = "_fun";

/// A flat list of arguments or results as a tree: JAX gives jit and shard_map
/// the leaves.
TreeDef flatTree(size_t count, const char *open, const char *close,
                 const char *prefix) {
  TreeDef out{open, {}};
  for (size_t i = 0; i < count; ++i) {
    out.text += "*,";
    out.paths.push_back(cat(prefix, "[", i, "]"));
  }
  out.text += close;
  return out;
}

/// A call on a mesh.
struct MappedCall {
  const PmapOptions *options = nullptr;
  const JitCore::Call *call = nullptr;
  MappedAxes axes;
  PmapNest *nest = nullptr;
  /// The axis of this pmap in the nest.
  PmapAxis axis;
  /// Some other pmap is the outermost of the nest.
  bool isNested = false;

  const Mesh &mesh() const { return nest->mesh(); }
  /// The mesh axes that divide mapped dimensions.
  AxisNames names() const { return nest->meshAxes(axis); }
  std::vector<PartitionSpec> inSpecs() const {
    std::vector<PartitionSpec> out;
    for (const MappedAxis &mapped : axes.in)
      out.push_back(specOfAxis(mapped, names()));
    return out;
  }
  /// The function of whole arrays.
  Tensors run(const Tensors &leaves) const;

private:
  /// The function of slices that have the mapped dimensions, of size 1. Writes
  /// the mapped dimensions of the results.
  Tensors runBody(const Tensors &slices, std::vector<MappedAxis> &mapped) const;
};

Tensors MappedCall::runBody(const Tensors &slices,
                            std::vector<MappedAxis> &mapped) const {
  Tensors args = slices;
  for (size_t i = 0; i < args.size(); ++i)
    if (axes.in[i])
      args[i] = lax::squeeze(args[i], {*axes.in[i]});
  ScopedNest scope(*nest, axis);
  ScopedUnordered unordered("Ordered effects not supported in `pmap`.");
  std::optional<ScopedAxisAlias> alias;
  if (AxisNames own = names(); own != AxisNames{axis.name})
    alias.emplace(axis.name, own);
  Tensors outs = call->function(args);
  if (errorIn(outs))
    return outs;
  auto found = resultAxes(options->outAxes, call->results, outs);
  if (!found)
    return {Tensor(found.error())};
  mapped = *found;
  for (size_t i = 0; i < outs.size(); ++i)
    if (mapped[i])
      outs[i] = lax::expand_dims(outs[i], {*mapped[i]});
  return outs;
}

Tensors MappedCall::run(const Tensors &leaves) const {
  std::vector<PartitionSpec> ins = inSpecs();
  TreeDef arguments = flatTree(leaves.size(), "", "", "");
  // Known after the body was called.
  TreeDef results;
  ShardMapOptions map;
  // A nested one is on the mesh in context.
  if (!isNested)
    map.mesh = mesh();
  map.in = ShardingTree::braces({ins.begin(), ins.end()});
  map.checkVma = false;
  map.axisNames = names();
  map.name = functionName;
  FlatFunction body = [&](const Tensors &slices) -> Tensors {
    std::vector<MappedAxis> mapped;
    Tensors outs = runBody(slices, mapped);
    if (errorIn(outs))
      return outs;
    std::vector<ShardingTree> specs;
    for (const MappedAxis &one : mapped)
      specs.push_back(specOfAxis(one, names()));
    results = flatTree(outs.size(), "(", ")", "");
    map.out = ShardingTree::braces(std::move(specs));
    return outs;
  };
  std::vector<size_t> sizes(leaves.size(), 1);
  return detail::shardMap(map, {body, arguments, sizes, results}, leaves);
}

/// An option for each leaf of a tree of results.
ShardingTree treeOfLeaves(const TreeNode &node,
                          const std::function<ShardingTree()> &next) {
  if (node.isLeaf())
    return next();
  std::vector<ShardingTree> children;
  std::map<std::string, ShardingTree> named;
  for (size_t i = 0; i < node.children.size(); ++i) {
    ShardingTree child = treeOfLeaves(node.children[i], next);
    if (node.kind == TreeNode::Kind::Dict)
      named.emplace(node.keys[i], std::move(child));
    else
      children.push_back(std::move(child));
  }
  if (node.kind == TreeNode::Kind::Dict)
    return named;
  return ShardingTree::braces(std::move(children));
}

/// The mapped dimensions of results, where they depend on their ranks, and the
/// structure of the results.
struct ResultAxes {
  std::vector<MappedAxis> axes;
  TreeNode tree;
};

/// The shardings that a call outside of other transformations asks for.
void setShardings(JitOptions &jit, const MappedCall &call,
                  const ResultAxes *results) {
  auto named = [&](const MappedAxis &axis) {
    return ShardingTree(
        Sharding::named(call.mesh(), specOfAxis(axis, call.names())));
  };
  std::vector<ShardingTree> ins;
  for (const MappedAxis &axis : call.axes.in)
    ins.push_back(named(axis));
  jit.inShardings = ShardingTree::braces(std::move(ins));
  size_t next = 0;
  if (results)
    jit.outShardings = treeOfLeaves(
        results->tree, [&] { return named(results->axes[next++]); });
  else if (!call.options->outAxes.countsFromEnd())
    jit.outShardings = call.options->outAxes.mapped(named);
}

} // namespace

struct PmapCore::Cache {
  PmapOptions options;
  std::source_location source;
  struct Entry {
    std::string key;
    /// The structure of the arguments.
    std::string tree;
    bool isTraced = false;
    std::shared_ptr<const JitCore> core;
  };
  std::mutex mutex;
  std::vector<Entry> entries;

  /// The jitted function for a call.
  Expected<std::shared_ptr<const JitCore>> coreFor(const MappedCall &call,
                                                   const JitCore::Call &flat,
                                                   const Tensors &leaves);

private:
  std::shared_ptr<const JitCore> coreOf(const MappedCall &call, bool isTraced,
                                        const ResultAxes *results);
};

std::shared_ptr<const JitCore>
PmapCore::Cache::coreOf(const MappedCall &call, bool isTraced,
                        const ResultAxes *results) {
  std::string key = cat(call.call->arguments.text, "|", isTraced, "|",
                        reinterpret_cast<uintptr_t>(call.mesh().identity()),
                        "|", namesText(call.names()), "|");
  for (const MappedAxis &axis : call.axes.in)
    key += axis ? cat(*axis, ",") : "-,";
  if (results) {
    key += "|" + results->tree.str();
    for (const MappedAxis &axis : results->axes)
      key += axis ? cat(*axis, ",") : "-,";
  }
  std::lock_guard lock(mutex);
  for (const Entry &entry : entries)
    if (entry.key == key)
      return entry.core;
  JitOptions jit;
  jit.name = functionName;
  jit.source = source;
  jit.donate = call.axes.donated;
  if (!isTraced)
    setShardings(jit, call, results);
  Entry entry{key, call.call->arguments.text, isTraced,
              std::make_shared<const JitCore>(std::move(jit))};
  entries.push_back(entry);
  return entry.core;
}

Expected<std::shared_ptr<const JitCore>>
PmapCore::Cache::coreFor(const MappedCall &call, const JitCore::Call &flat,
                         const Tensors &leaves) {
  bool isTraced = detail::isTracing(leaves);
  std::shared_ptr<const JitCore> core = coreOf(call, isTraced, nullptr);
  if (isTraced || config::disableJit.get() || !options.outAxes.countsFromEnd())
    return core;
  Expected<TracedStage> stage = core->trace(flat, leaves);
  if (!stage)
    return stage.error();
  const std::string root = "broadcast_prefix prefix_tree";
  auto given = options.outAxes.spread(stage->trees.out, root, root);
  if (!given)
    return given.error();
  ResultAxes results{*given, stage->trees.out};
  std::vector<Aval> types = stage->outTypes();
  for (size_t i = 0; i < types.size(); ++i)
    if (MappedAxis &axis = results.axes[i]; axis && *axis < 0)
      axis = *axis + types[i].rank();
  return coreOf(call, isTraced, &results);
}

PmapCore::PmapCore(PmapOptions options, std::source_location source)
    : cache(std::make_shared<Cache>()) {
  cache->options = std::move(options);
  cache->source = source;
}

/// The error for a function whose caches are those of another one.
static Error movedError() {
  return valueError("a pmapped function was used after it had been moved");
}

/// The nest around a call, or null.
static PmapNest *nestAround() {
  PmapNest *nest = currentNest();
  // A function of the host or another shardMap has another mesh in context.
  bool isOwn = nest && contextAbstractMesh().names() == nest->mesh().names();
  return isOwn ? nest : nullptr;
}

/// Puts the axis of a nested pmap on the mesh of the nest.
static Status joinNest(PmapNest &nest, MappedCall &mapped) {
  if (mapped.options->devices || nest.hasDevices)
    return valueError("Nested pmap with explicit devices argument.");
  int64_t begin = nest.open.back().end, size = mapped.axes.size;
  if (size > static_cast<int64_t>(nest.available.size()) / begin) {
    std::string list;
    for (Device device : nest.available)
      list += cat(list.empty() ? "" : ", ", device.str());
    return valueError(
        "pmapped function requires ", begin * size,
        " local devices to run due to nested pmapped or other "
        "parallel functions, but only ",
        nest.available.size(),
        " are available.\n(outer axis size: ", nest.open.front().end,
        ", local devices available to pmap: ", list, ")");
  }
  mapped.axis = {mapped.options->axisName, begin, begin * size,
                 size == 1 ? nest.open.size() : 0};
  mapped.nest = &nest;
  mapped.isNested = true;
  if (nest.has(mapped.axis))
    return {};
  nest.missing.push_back(mapped.axis);
  return makeError(ErrorKind::Runtime,
                   "the mesh of a pmap has no axis for one inside of it");
}

/// Calls `run` with the call on its mesh. It is called again if pmaps inside of
/// the function need more axes.
static Status onMesh(const PmapOptions &options, const JitCore::Call &call,
                     const Tensors &leaves,
                     const std::function<void(const MappedCall &)> &run) {
  SW_TRY(checkPmapOptions(options));
  if (const Error *error = errorIn(leaves))
    return *error;
  if (isInTiles())
    return typeError("Nesting pmap inside xmaps not supported!");
  Expected<MappedAxes> axes = mappedAxes(options, call, leaves);
  if (!axes)
    return axes.error();
  MappedCall mapped{&options, &call, *axes};
  if (PmapNest *around = nestAround()) {
    SW_TRY(joinNest(*around, mapped));
    run(mapped);
    return {};
  }
  if (auto own = devicesOf(options, axes->size); !own)
    return own.error();
  mapped.axis = {options.axisName, 1, axes->size, 0};
  std::vector<PmapAxis> known{mapped.axis};
  // Each pmap is found once, unless the function makes up names.
  while (known.size() < 256) {
    Expected<PmapNest> nest =
        PmapNest::get(known, options.devices ? *options.devices : devices());
    if (!nest)
      return nest.error();
    nest->hasDevices = options.devices.has_value();
    mapped.nest = &*nest;
    run(mapped);
    if (nest->missing.empty())
      return {};
    known.insert(known.end(), nest->missing.begin(), nest->missing.end());
  }
  return valueError("a pmapped function calls more than 256 pmaps with "
                    "different names or sizes");
}

bool PmapCore::callFinished(const std::string &tree, const Tensors &leaves,
                            JitCore::Results &results) const {
  if (!cache)
    return false;
  std::vector<std::shared_ptr<const JitCore>> cores;
  {
    std::lock_guard lock(cache->mutex);
    for (const Cache::Entry &entry : cache->entries)
      if (!entry.isTraced && entry.tree == tree)
        cores.push_back(entry.core);
  }
  const std::string flat = flatTree(leaves.size(), "", "", "").text;
  for (const std::shared_ptr<const JitCore> &core : cores)
    if (core->callFinished(flat, leaves, results))
      return true;
  return false;
}

Status PmapCore::withCore(const JitCore::Call &call, const Tensors &leaves,
                          const UseCore &use) const {
  if (!cache)
    return movedError();
  TreeDef flat = flatTree(leaves.size(), "", "", "flat_args");
  std::vector<size_t> sizes(leaves.size(), 1);
  auto run = [&](const MappedCall &mapped) {
    FlatFunction whole = [&](const Tensors &args) { return mapped.run(args); };
    JitCore::Call own{whole, flat, sizes, call.results, call.prototype};
    use(cache->coreFor(mapped, own, leaves), own);
  };
  return onMesh(cache->options, call, leaves, run);
}

JitCore::Results PmapCore::call(const JitCore::Call &call,
                                const Tensors &leaves) const {
  JitCore::Results results;
  Status done = withCore(
      call, leaves, [&](const CoreOrError &core, const JitCore::Call &own) {
        results = core ? (*core)->call(own, leaves)
                       : JitCore::Results{{Tensor(core.error())}, nullptr};
      });
  if (!done)
    return {{Tensor(done.error())}, nullptr};
  return results;
}

Expected<TracedStage> PmapCore::trace(const JitCore::Call &call,
                                      const Tensors &leaves) const {
  Expected<TracedStage> stage = TracedStage();
  SW_TRY(withCore(call, leaves,
                  [&](const CoreOrError &core, const JitCore::Call &own) {
                    stage = core ? (*core)->trace(own, leaves)
                                 : Expected<TracedStage>(core.error());
                  }));
  // Compiled programs are called with the arguments of the function.
  if (stage)
    stage->trees = CallTrees(call.arguments.text, stage->trees.outText);
  return stage;
}

} // namespace shardwright::frontend

//===- pmap.cc - pmap as jit of shardMap ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/pmap.h"

#include "shardwright/frontend/pmap/mapped_axes.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/shard_map/shard_map.h"

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
  Mesh mesh;
  /// The mesh axes that divide mapped dimensions.
  AxisNames names;

  std::vector<PartitionSpec> inSpecs() const {
    std::vector<PartitionSpec> out;
    for (const MappedAxis &axis : axes.in)
      out.push_back(specOfAxis(axis, names));
    return out;
  }
  /// The function of whole arrays.
  Tensors run(const Tensors &leaves) const;
};

Tensors MappedCall::run(const Tensors &leaves) const {
  std::vector<PartitionSpec> ins = inSpecs();
  TreeDef arguments = flatTree(leaves.size(), "", "", "");
  // Known after the body was called.
  TreeDef results;
  ShardMapOptions map;
  map.mesh = mesh;
  map.in = ShardingTree::braces({ins.begin(), ins.end()});
  map.checkVma = false;
  map.axisNames = names;
  map.name = functionName;
  FlatFunction body = [&](const Tensors &slices) -> Tensors {
    Tensors args = slices;
    for (size_t i = 0; i < args.size(); ++i)
      if (axes.in[i])
        args[i] = lax::squeeze(args[i], {*axes.in[i]});
    Tensors outs = call->function(args);
    if (errorIn(outs))
      return outs;
    auto mapped = resultAxes(options->outAxes, call->results, outs);
    if (!mapped)
      return {Tensor(mapped.error())};
    std::vector<ShardingTree> specs;
    for (size_t i = 0; i < outs.size(); ++i) {
      const MappedAxis &axis = (*mapped)[i];
      if (axis)
        outs[i] = lax::expand_dims(outs[i], {*axis});
      specs.push_back(specOfAxis(axis, names));
    }
    results = flatTree(outs.size(), "(", ")", "");
    map.out = ShardingTree::braces(std::move(specs));
    return outs;
  };
  std::vector<size_t> sizes(leaves.size(), 1);
  return detail::shardMap(map, {body, arguments, sizes, results}, leaves);
}

/// The shardings that a call outside of other transformations asks for.
void setShardings(JitOptions &jit, const MappedCall &call) {
  auto named = [&](const PartitionSpec &spec) {
    return ShardingTree(Sharding::named(call.mesh, spec));
  };
  std::vector<ShardingTree> ins;
  for (const PartitionSpec &spec : call.inSpecs())
    ins.push_back(named(spec));
  jit.inShardings = ShardingTree::braces(std::move(ins));
  // A dimension that is counted from the end depends on the rank of the result,
  // whose sharding is that of the shardMap.
  jit.outShardings = call.options->outAxes.mapped([&](const MappedAxis &axis) {
    return axis && *axis < 0 ? ShardingTree()
                             : named(specOfAxis(axis, call.names));
  });
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

  std::shared_ptr<const JitCore> coreOf(const MappedCall &call, bool isTraced);
};

std::shared_ptr<const JitCore> PmapCore::Cache::coreOf(const MappedCall &call,
                                                       bool isTraced) {
  std::string key = cat(call.call->arguments.text, "|", isTraced, "|",
                        reinterpret_cast<uintptr_t>(call.mesh.identity()), "|");
  for (const MappedAxis &axis : call.axes.in)
    key += axis ? cat(*axis, ",") : "-,";
  std::lock_guard lock(mutex);
  for (const Entry &entry : entries)
    if (entry.key == key)
      return entry.core;
  JitOptions jit;
  jit.name = functionName;
  jit.source = source;
  jit.donate = call.axes.donated;
  if (!isTraced)
    setShardings(jit, call);
  Entry entry{key, call.call->arguments.text, isTraced,
              std::make_shared<const JitCore>(std::move(jit))};
  entries.push_back(entry);
  return entry.core;
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

/// What a call maps, and on which devices.
static Expected<MappedCall> mappedCall(const PmapOptions &options,
                                       const JitCore::Call &call,
                                       const Tensors &leaves) {
  SW_TRY(checkPmapOptions(options));
  if (const Error *error = errorIn(leaves))
    return *error;
  Expected<MappedAxes> axes = mappedAxes(options, call, leaves);
  if (!axes)
    return axes.error();
  Expected<std::vector<Device>> devices = devicesOf(options, axes->size);
  if (!devices)
    return devices.error();
  Expected<Mesh> mesh = Mesh::get(*devices, {axes->size}, {options.axisName});
  if (!mesh)
    return mesh.error();
  return MappedCall{&options, &call, *axes, *mesh, {options.axisName}};
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

JitCore::Results PmapCore::call(const JitCore::Call &call,
                                const Tensors &leaves) const {
  Expected<MappedCall> mapped =
      cache ? mappedCall(cache->options, call, leaves) : movedError();
  if (!mapped)
    return {{Tensor(mapped.error())}, nullptr};
  FlatFunction whole = [&](const Tensors &args) { return mapped->run(args); };
  TreeDef flat = flatTree(leaves.size(), "", "", "flat_args");
  std::vector<size_t> sizes(leaves.size(), 1);
  return cache->coreOf(*mapped, detail::isTracing(leaves))
      ->call({whole, flat, sizes, call.results, call.prototype}, leaves);
}

Expected<TracedStage> PmapCore::trace(const JitCore::Call &call,
                                      const Tensors &leaves) const {
  Expected<MappedCall> mapped =
      cache ? mappedCall(cache->options, call, leaves) : movedError();
  if (!mapped)
    return mapped.error();
  FlatFunction whole = [&](const Tensors &args) { return mapped->run(args); };
  TreeDef flat = flatTree(leaves.size(), "", "", "flat_args");
  std::vector<size_t> sizes(leaves.size(), 1);
  Expected<TracedStage> stage =
      cache->coreOf(*mapped, detail::isTracing(leaves))
          ->trace({whole, flat, sizes, call.results, call.prototype}, leaves);
  // Compiled programs are called with the arguments of the function.
  if (stage)
    stage->trees = CallTrees(call.arguments.text, call.results.text);
  return stage;
}

} // namespace shardwright::frontend

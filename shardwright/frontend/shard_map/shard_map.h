//===- shard_map.h - functions that run on each device ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SHARD_MAP_SHARD_MAP_H
#define SHARDWRIGHT_FRONTEND_SHARD_MAP_SHARD_MAP_H

#include "shardwright/frontend/api/autodiff.h"
#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/shard_map/collectives.h"

namespace shardwright::frontend {

struct ShardMapOptions {
  /// None of both: the mesh in context.
  Mesh mesh;
  AbstractMesh abstractMesh;
  /// How the arguments are divided among the devices: PartitionSpecs, a prefix
  /// of the tuple of arguments. None for all of them: as their types say (axes
  /// of type Explicit only). None for one: the body gets it as it is.
  ShardingTree in = {};
  /// How the results are put together, a prefix of their tree: along axes that
  /// a spec does not mention all devices hold the same.
  ShardingTree out = PartitionSpec();
  /// The axes along which the body runs per device; empty: all axes.
  AxisNames axisNames;
  /// Types in the body say along which axes values vary; results must not vary
  /// along axes that their specs do not mention.
  bool checkVma = true;
  /// In messages.
  std::string name = "<lambda>";
  /// Of the function's parameters, in messages.
  std::vector<std::string> argNames;
};

namespace detail {
/// What one call of a shardMap needs beside the leaves.
struct ShardMapCall {
  const FlatFunction &function;
  const TreeDef &arguments;         ///< each followed by a comma
  const std::vector<size_t> &sizes; ///< number of leaves of each argument
  /// Structure of the result, known after the function was traced.
  const TreeDef &results;
};
/// Traces the body, and applies it as one equation; outside of jit and other
/// transformations runs it.
Tensors shardMap(const ShardMapOptions &options, const ShardMapCall &call,
                 const Tensors &leaves);
/// True while some transformation or jit records what is done.
bool isTracing(const Tensors &leaves);

template <typename F> struct ShardMapped {
  template <typename... Args> auto operator()(const Args &...args) const {
    using Function = TreeFunction<F, std::decay_t<Args>...>;
    using Result = typename Function::Result;
    Function tree(function, {args...});
    Flattener f;
    std::vector<size_t> sizes;
    size_t index = 0;
    auto one = [&](const auto &arg) {
      size_t before = f.leaves.size();
      f.child(arg, cat("[", index++, "]"));
      sizes.push_back(f.leaves.size() - before);
      f.open(",");
    };
    (one(args), ...);
    FlatFunction flat = tree;
    Tensors outs =
        shardMap(options, {flat, f.def, sizes, tree.def()}, f.leaves);
    if (const Error *error = errorIn(outs))
      return Expected<Result>(*error);
    return Expected<Result>(tree.rebuild(outs));
  }
  F function;
  ShardMapOptions options;
};
} // namespace detail

/// A function whose body runs on each device with that device's pieces of the
/// arguments, and communicates by collectives (lax::psum, lax::all_gather,
/// ...). Outside of jit each operation is a program of its own, and the body
/// may look at values that are the same on all devices: jit what is called
/// often. JAX: jax.shard_map.
template <typename F>
detail::ShardMapped<F> shardMap(F function, ShardMapOptions options) {
  return {std::move(function), std::move(options)};
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SHARD_MAP_SHARD_MAP_H

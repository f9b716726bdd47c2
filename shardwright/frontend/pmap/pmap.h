//===- pmap.h - functions mapped over devices -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PMAP_PMAP_H
#define SHARDWRIGHT_FRONTEND_PMAP_PMAP_H

#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/pmap/axes_tree.h"

namespace shardwright::frontend {

struct PmapOptions {
  /// The name of the mapped axis in collectives.
  std::string axisName = "_internal_pmap_axis_name";
  /// The dimension of each argument that is mapped, a prefix of the tuple of
  /// arguments. An entry for a Static argument is ignored.
  AxesTree inAxes = 0;
  /// Where the mapped dimension is in each result, a prefix of the result's
  /// tree. None: all devices hold the same, of which one is taken.
  AxesTree outAxes = 0;
  /// Positions of arguments that are Static, for JAX's error where a call has
  /// too few; the type Static is what makes an argument static.
  std::vector<int64_t> staticBroadcasted = {};
  /// One for each element of the mapped axis; not given: the first devices of
  /// the process.
  std::optional<std::vector<Device>> devices = {};
  /// An error of the call if the mapped axis has another size.
  std::optional<int64_t> axisSize = {};
  /// Positions of arguments whose buffers may be reused.
  std::vector<int64_t> donate = {};
  /// In messages.
  std::string name = "<lambda>";
  std::vector<std::string> argNames = {};
};

/// Arguments of a pmapped function that JAX passes by keyword: a map or a
/// struct whose leaves are all mapped along dimension 0. `inAxes` has no entry
/// for them.
template <typename T> struct Keywords {
  Keywords(T v) : value(std::move(v)) {}
  operator const T &() const { return value; }
  T value;
};
template <typename T> Keywords(T) -> Keywords<T>;
template <typename T> struct TreeTraits<Keywords<T>> {
  static constexpr bool isTree = TreeTraits<T>::isTree;
  static void flatten(const Keywords<T> &x, Flattener &f) {
    f.open("kwargs(value:");
    TreeTraits<T>::flatten(x.value, f);
    f.open(",)");
  }
  static void unflatten(Keywords<T> &x, Unflattener &u) {
    TreeTraits<T>::unflatten(x.value, u);
  }
};

/// The untyped part of a pmapped function: its jitted functions, one for each
/// mesh, structure and mapped dimensions of the arguments.
class PmapCore {
public:
  explicit PmapCore(PmapOptions options, std::source_location source);
  JitCore::Results call(const JitCore::Call &call, const Tensors &leaves) const;
  /// As JitCore::callFinished.
  bool callFinished(const std::string &tree, const Tensors &leaves,
                    JitCore::Results &results) const;
  Expected<TracedStage> trace(const JitCore::Call &call,
                              const Tensors &leaves) const;

private:
  struct Cache;
  std::shared_ptr<Cache> cache;
};

/// A function that runs on each device with one slice of its arguments.
template <typename F> class Pmapped {
public:
  Pmapped(F f, PmapOptions options, std::source_location source)
      : function(std::move(f)), core(std::move(options), source) {}

  template <typename... Args> auto operator()(const Args &...args) const {
    using Function = TreeFunction<F, std::decay_t<Args>...>;
    using Result = typename Function::Result;
    Parts parts = flatten(false, args...);
    JitCore::Results out;
    if (!core.callFinished(parts.def.text, parts.leaves, out)) {
      Parts named = flatten(true, args...);
      Function tree(function, {args...});
      FlatFunction flat = tree;
      auto prototype = prototypeOf(tree);
      out = core.call({flat, named.def, named.sizes, tree.def(), prototype},
                      named.leaves);
    }
    if (const Error *error = errorIn(out.leaves))
      return Expected<Result>(*error);
    return Expected<Result>(treeWith(
        *static_cast<const Result *>(out.prototype.get()), out.leaves));
  }
  template <typename... Args>
  Expected<TracedStage> trace(const Args &...args) const {
    TreeFunction<F, std::decay_t<Args>...> tree(function, {args...});
    Parts parts = flatten(true, args...);
    FlatFunction flat = tree;
    auto prototype = prototypeOf(tree);
    return core.trace({flat, parts.def, parts.sizes, tree.def(), prototype},
                      parts.leaves);
  }
  template <typename... Args>
  Expected<LoweredStage> lower(const Args &...args) const {
    Expected<TracedStage> traced = trace(args...);
    if (!traced)
      return traced.error();
    return traced->lower();
  }

private:
  struct Parts {
    Tensors leaves;
    TreeDef def;
    std::vector<size_t> sizes;
  };
  template <typename... Args>
  static Parts flatten(bool keepPaths, const Args &...args) {
    Flattener f(keepPaths);
    Parts parts;
    size_t index = 0;
    auto one = [&](const auto &arg) {
      size_t before = f.leaves.size();
      f.child(arg, keepPaths ? cat("args[", index++, "]") : std::string());
      f.open(",");
      parts.sizes.push_back(f.leaves.size() - before);
    };
    (one(args), ...);
    parts.leaves = std::move(f.leaves);
    parts.def = std::move(f.def);
    return parts;
  }
  template <typename Function>
  static std::function<std::shared_ptr<const void>()>
  prototypeOf(const Function &tree) {
    return [&tree] {
      return std::make_shared<const typename Function::Result>(
          *tree.prototype());
    };
  }

  F function;
  PmapCore core;
};

/// A function of slices, whose arguments and results have one more dimension:
/// each device runs it on one slice, and communicates by collectives over the
/// axis. It is jitted, over a mesh with one Auto axis. JAX: jax.pmap.
template <typename F>
Pmapped<F> pmap(F function, PmapOptions options = {},
                std::source_location source = std::source_location::current()) {
  return Pmapped<F>(std::move(function), std::move(options), source);
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PMAP_PMAP_H

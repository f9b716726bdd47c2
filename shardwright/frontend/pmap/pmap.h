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
  using CoreOrError = Expected<std::shared_ptr<const JitCore>>;
  using UseCore =
      std::function<void(const CoreOrError &core, const JitCore::Call &call)>;
  /// Calls `use` with the jitted function for these arguments, and the call of
  /// it; once more if pmaps inside of the function need more axes.
  Status withCore(const JitCore::Call &call, const Tensors &leaves,
                  const UseCore &use) const;

  std::shared_ptr<Cache> cache;
};

/// A function that runs on each device with one slice of its arguments.
template <typename F> class Pmapped : public StagedFunction<F, PmapCore> {
public:
  Pmapped(F f, PmapOptions options, std::source_location source)
      : StagedFunction<F, PmapCore>(std::move(f),
                                    PmapCore(std::move(options), source)) {}
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

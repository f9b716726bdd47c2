//===- tiling.h - functions of tiles of arrays ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TILING_TILING_H
#define SHARDWRIGHT_FRONTEND_TILING_TILING_H

#include "shardwright/frontend/api/function.h"
#include "shardwright/frontend/tiling/tile_types.h"

namespace shardwright::frontend {

/// How a function of tiles becomes a function of arrays on a mesh. JAX had
/// these as TileVectorize and TileManual.
class Tiling {
public:
  enum class Method : uint8_t { None, Vectorize, Manual };
  /// No method: an error where it is used.
  Tiling() = default;
  /// One global program with a batch dimension for each mesh axis, which the
  /// partitioner divides.
  static Tiling vectorize() { return Tiling(Method::Vectorize, {}); }
  /// The program of each device along these axes (none: all of the mesh), as
  /// shardMap makes it. Other axes are vectorized.
  static Tiling manual(AxisNames axes = {}) {
    return Tiling(Method::Manual, std::move(axes));
  }
  Method method() const { return how; }
  const AxisNames &axes() const { return manualAxes; }

private:
  Tiling(Method m, AxisNames a) : how(m), manualAxes(std::move(a)) {}
  Method how = Method::None;
  AxisNames manualAxes;
};

struct TilingOptions {
  Mesh mesh;
  /// Which axes divide the leaves of the arguments and of the results: one spec
  /// for each leaf, or one for all. Results are the same along axes that their
  /// spec does not mention.
  std::vector<PartitionSpec> in = {PartitionSpec()};
  std::vector<PartitionSpec> out = {PartitionSpec()};
  Tiling tiling = Tiling::vectorize();
  /// The mesh axes that stand for names of axes in specs and in collectives,
  /// major to minor. Other names are those of the mesh.
  std::map<std::string, AxisNames> axisResources = {};
};

namespace detail {
Tensors mapWithTiling(const TilingOptions &options,
                      const FlatFunction &function, const Tensors &args);
} // namespace detail

/// A function of leaves on tiles, with a batch dimension for each axis of the
/// mesh that divides them: f of tiles becomes a function of arrays. Results
/// must not differ along axes that `outAxes` does not mention. JAX:
/// vtile_by_mesh.
FlatFunction vtileByMesh(FlatFunction function, const AbstractMesh &mesh,
                         std::vector<ArrayMapping> inAxes,
                         std::vector<ArrayMapping> outAxes);

/// A function of tiles, whose collectives name axes of the mesh, as a function
/// of arrays. All methods of tiling give the same results. Jit what is called
/// often. JAX had this as xmap.
template <typename F> auto mapWithTiling(F function, TilingOptions options) {
  return [function, options](const auto &...args) {
    using Function = TreeFunction<F, std::decay_t<decltype(args)>...>;
    using Result = typename Function::Result;
    Function tree(function, {args...});
    Flattener f;
    (TreeTraits<std::decay_t<decltype(args)>>::flatten(args, f), ...);
    Tensors outs = detail::mapWithTiling(options, tree, f.leaves);
    if (const Error *error = errorIn(outs))
      return Expected<Result>(*error);
    return Expected<Result>(tree.rebuild(outs));
  };
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TILING_TILING_H

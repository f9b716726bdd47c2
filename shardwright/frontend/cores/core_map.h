//===- core_map.h - functions on each core of a device ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_CORE_MAP_H
#define SHARDWRIGHT_FRONTEND_CORES_CORE_MAP_H

#include "shardwright/frontend/api/tree.h"
#include "shardwright/frontend/cores/ref.h"
#include "shardwright/frontend/mesh/mesh.h"

namespace shardwright::frontend {

/// The cores of a device, by named axes. JAX: the meshes of pl.core_map.
class CoreMesh {
public:
  /// An error unless there are 1 to 1024 cores, and as many names as sizes.
  static Expected<CoreMesh> get(AxisNames names, Ints sizes);
  CoreMesh() = default;

  const AxisNames &names() const { return axisNames; }
  const Ints &sizes() const { return axisSizes; }
  int64_t numCores() const;
  /// The position of a core along each axis; the last axis is the fastest.
  Ints coordinates(int64_t core) const;
  std::string str() const;

private:
  AxisNames axisNames;
  Ints axisSizes;
};
/// Cores along one axis. JAX: pltpu.create_tensorcore_mesh.
inline Expected<CoreMesh> coreMesh(const std::string &name, int64_t numCores) {
  return CoreMesh::get({name}, {numCores});
}

struct CoreMapOptions {
  /// In errors.
  std::string name = "body";
  /// Runs the cores in turns on one thread, in an order that `seed` decides,
  /// and finds unsynchronised accesses to memory, semaphores that are not zero
  /// at the end, and copies that no core waits for. Such programs fail.
  bool detectRaces = false;
  uint64_t seed = 0;
};

/// Calls `body` on each core of the mesh at the same time, and returns when all
/// have returned. `body` reads and writes references around it; the axes of the
/// mesh are bound, so that axis_index tells the core. JAX: pl.core_map.
void coreMap(const CoreMesh &mesh, const std::function<void()> &body,
             const CoreMapOptions &options = {});
/// An error of the mesh is that of the traced function.
void coreMap(const Expected<CoreMesh> &mesh, const std::function<void()> &body,
             const CoreMapOptions &options = {});
/// Always an error: a mesh of devices has no cores.
void coreMap(const Mesh &mesh, const std::function<void()> &body,
             const CoreMapOptions &options = {});

namespace detail {
/// The traced function fails: a body returned a value of this structure.
void failBodyWithResult(const std::string &name, const TreeDef &result);
} // namespace detail

/// Always an error: a body that returns something.
template <typename M, typename F>
  requires(!std::is_void_v<std::invoke_result_t<const F &>>)
void coreMap(const M &mesh, const F &body, const CoreMapOptions &options = {}) {
  coreMap(mesh, std::function<void()>([&] {
            auto result = body();
            Flattener f;
            TreeTraits<decltype(result)>::flatten(result, f);
            detail::failBodyWithResult(options.name, f.def);
          }),
          options);
}

/// Memory of a device or core, as types print it.
enum class MemorySpace { Any, Vmem, Smem, Hbm };
/// What runScoped allocates: elements, or semaphores.
struct Scratch {
  Aval type;
};
Scratch scratch(MemorySpace space, const Shape &shape, DType type);
/// Memory of a core.
inline Scratch vmem(const Shape &shape, DType type) {
  return scratch(MemorySpace::Vmem, shape, type);
}
/// Counters that cores signal and wait for. JAX: SemaphoreType.REGULAR.
Scratch semaphores(const Shape &shape = {});
/// Counters of the bytes that copies have moved. JAX: SemaphoreType.DMA.
Scratch dmaSemaphores(const Shape &shape = {});

struct RunScopedOptions {
  /// Axes of the cores that share one allocation; it lives until all of them
  /// have left. JAX: collective_axes.
  AxisNames collectiveAxes = {};
};
/// Calls `body` with memory that lives as long as the call: elements are NaN,
/// or the least integer, and semaphores zero. Only inside of coreMap. JAX:
/// pl.run_scoped.
Tensors runScoped(const std::vector<Scratch> &types,
                  const std::function<Tensors(const Refs &)> &body,
                  const RunScopedOptions &options = {});
/// `body` takes one Ref for each of the types.
template <typename F, typename... Types>
void runScoped(const F &body, const Types &...types)
  requires(std::same_as<Types, Scratch> && ...)
{
  [&]<size_t... I>(std::index_sequence<I...>) {
    Tensors done = runScoped(std::vector<Scratch>{types...},
                             [&](const Refs &r) -> Tensors {
                               body(r[I]...);
                               return {};
                             });
    (void)done;
  }(std::index_sequence_for<Types...>());
}

class Params;

/// Applies a core_map to values in place of references; `ins` gets their new
/// values.
Tensors dischargeCoreMap(const Params &params, Tensors &ins,
                         const std::vector<bool> &refs);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CORES_CORE_MAP_H

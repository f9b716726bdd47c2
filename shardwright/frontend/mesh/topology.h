//===- topology.h - orders of devices by their wires ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_TOPOLOGY_H
#define SHARDWRIGHT_FRONTEND_MESH_TOPOLOGY_H

#include "shardwright/frontend/mesh/mesh.h"

#include <array>

namespace shardwright::frontend {

/// A device and its place in a machine.
struct PlacedDevice {
  Device device;
  /// In a torus.
  std::array<int64_t, 3> coordinates = {};
  int64_t core = 0;
  /// Devices of one slice are wired to each other; slices are connected by a
  /// network.
  int64_t slice = 0;
  int64_t process = 0;
};

/// The devices of a machine and how they are wired.
struct Topology {
  enum class Wiring : uint8_t {
    Given,    ///< the order of the list (CPUs)
    ByNumber, ///< ascending numbers (GPUs)
    Torus,    ///< neighbours by coordinates
    /// A torus of two dimensions, whose 4 or 8 devices form a ring.
    SmallTorus,
    /// Ascending numbers; 8 devices, or the 8 of the last axis, form a ring.
    Rings,
  };
  Wiring wiring = Wiring::Given;
  std::vector<PlacedDevice> devices;

  /// These devices in the order of the list.
  static Topology of(const std::vector<Device> &devices);
};

struct DeviceMeshOptions {
  /// Whether an axis of a torus may become part of several axes of the mesh.
  bool allowSplitPhysicalAxes = false;
  /// Of hybrid meshes: groups are processes instead of slices.
  bool processIsGranule = false;
};

/// The devices row-major over `shape`, so that the last axes, along which most
/// is sent, have the shortest ways. In a torus, each axis from the last to the
/// first takes unused axes whose sizes have its size as product. Errors: their
/// number; no such axes. JAX: mesh_utils.create_device_mesh.
Expected<std::vector<Device>>
createDeviceMesh(const Ints &shape, const Topology &topology,
                 const DeviceMeshOptions &options = {});

/// The devices of several slices, row-major over `shape` * `networkShape`,
/// dimension by dimension: the position of the slice is major, that within it
/// minor. JAX: mesh_utils.create_hybrid_device_mesh.
Expected<std::vector<Device>>
createHybridDeviceMesh(const Ints &shape, const Ints &networkShape,
                       const Topology &topology,
                       const DeviceMeshOptions &options = {});

/// A mesh of the first product(sizes) devices, ordered by their wires. Types
/// default to Explicit. Errors: several slices. JAX: jax.make_mesh.
Expected<Mesh> makeMesh(const Ints &sizes, const AxisNames &names,
                        std::vector<AxisType> types, const Topology &topology);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_MESH_TOPOLOGY_H

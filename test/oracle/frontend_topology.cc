//===- frontend_topology.cc - orders of devices ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers of frontend_mesh_server for frontend_topology.py: the numbers of the
// devices of a machine in the order of a mesh.
//
//===----------------------------------------------------------------------===//

#include "frontend_mesh_ops.h"

using namespace shardwright::frontend;

std::string topology(const Keys &keys);

/// `wiring`, `shape`, `network` (or empty), `split`, `places`: x,y,z,core,slice
/// of each device, in the order of their numbers.
std::string topology(const Keys &keys) {
  static const std::map<std::string, Topology::Wiring> wirings{
      {"given", Topology::Wiring::Given},
      {"number", Topology::Wiring::ByNumber},
      {"torus", Topology::Wiring::Torus},
      {"small", Topology::Wiring::SmallTorus},
      {"rings", Topology::Wiring::Rings}};
  Topology machine{wirings.at(word(keys, "wiring")), {}};
  int32_t id = 0;
  for (const std::string &place : split(word(keys, "places"), ';')) {
    Ints p = intsOf(place);
    machine.devices.push_back({Device{id++}, {p[0], p[1], p[2]}, p[3], p[4]});
  }
  DeviceMeshOptions options{.allowSplitPhysicalAxes = one(keys, "split") != 0};
  Ints shape = intsOf(word(keys, "shape")),
       network = intsOf(word(keys, "network"));
  Expected<std::vector<Device>> order =
      network.empty()
          ? createDeviceMesh(shape, machine, options)
          : createHybridDeviceMesh(shape, network, machine, options);
  return order ? idsText(*order) : order.error().str();
}

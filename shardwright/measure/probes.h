//===- probes.h - programs of known work ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MEASURE_PROBES_H
#define SHARDWRIGHT_MEASURE_PROBES_H

#include "shardwright/mesh/mesh.h"

#include <string>
#include <vector>

namespace shardwright {

/// A small program of one device, whose time tells something about the machine.
struct Probe {
  /// What the time depends on most.
  enum class What : uint8_t { Overhead, Compute, Memory, Link };
  std::string name; ///< like `dot f32 512` or `all_reduce x 65536`
  What what;
  std::string element; ///< of the arithmetic, like `f32`
  std::string axis;    ///< of a collective; empty: all devices
  std::string text;    ///< a module of local shapes
  /// If not empty: the same program without what the probe is about. The
  /// difference of the times counts.
  std::string without;
};

/// Probes for machines with these axes; an empty mesh has one device.
std::vector<Probe> makeProbes(const Mesh &mesh);

} // namespace shardwright

#endif // SHARDWRIGHT_MEASURE_PROBES_H

//===- timeline.h - timeline of a device and its links ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device computes one op at a time. It sends along lanes, two for each mesh
// axis (one if the link sends in one direction at a time). A lane carries one
// transfer at a time, in the order of their starts. Value types; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_TIMELINE_H
#define SHARDWRIGHT_PARTITION_OVERLAP_TIMELINE_H

#include <array>
#include <cstdint>

namespace shardwright {

/// Predicted seconds of one step of the program.
struct StepTime {
  double compute = 0;
  /// Sum over all transfers, hidden or not.
  double communication = 0;
  /// Time during which the device waits for transfers.
  double exposed = 0;
  /// A loop of unknown trip count was counted once.
  bool unknownTripCount = false;

  double total() const { return compute + exposed; }
  void add(const StepTime &other, double times = 1);
};

struct Transfer {
  double seconds = 0;
  /// Bits 2a and 2a + 1: the lanes of axis a.
  uint32_t lanes = 0;
  /// Needs only one lane of each axis.
  bool oneDirection = false;

  static constexpr uint32_t evenLanes = 0x55555555;
  static constexpr int32_t maxAxes = 16;
  /// The link between processes, which the transfers of all axes share: a lane
  /// of the last axis, which few meshes have.
  static constexpr uint32_t processLane = 1u << (2 * (maxAxes - 1));
};

class Timeline {
public:
  double now() const { return time; }
  const StepTime &spent() const { return step; }

  void compute(double seconds);
  /// Runs a part with its own compute and exposed time, `times` times.
  void run(const StepTime &part, double times = 1);
  /// Starts the transfer; returns the time of its arrival.
  double start(const Transfer &transfer);
  void wait(double arrival);
  void communicate(const Transfer &transfer) { wait(start(transfer)); }
  /// Time at which a transfer that starts now would get its lanes.
  double begin(const Transfer &transfer) const;

private:
  uint32_t choose(const Transfer &transfer) const;
  double freeAt(uint32_t lanes) const;

  double time = 0;
  StepTime step;
  std::array<double, 2 * Transfer::maxAxes> lanesFree{};
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_TIMELINE_H

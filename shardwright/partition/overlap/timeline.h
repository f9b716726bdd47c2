//===- timeline.h - what a device and its links do when ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device computes one thing at a time. What it sends goes along lanes, two
// for each mesh axis (one where the link sends in one direction at a time); a
// lane carries one transfer at a time, in the order in which they begin. Value
// types; no IR.
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
  /// Of all transfers, hidden or not.
  double communication = 0;
  /// In which the device waits for transfers.
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
  /// One lane of each axis will do.
  bool oneDirection = false;

  static constexpr uint32_t evenLanes = 0x55555555;
  static constexpr int32_t maxAxes = 16;
};

class Timeline {
public:
  double now() const { return time; }
  const StepTime &spent() const { return step; }

  void compute(double seconds);
  /// A part with its own computing and waiting, so many times.
  void run(const StepTime &part, double times = 1);
  /// Returns when it will have arrived.
  double start(const Transfer &transfer);
  void wait(double arrival);
  void communicate(const Transfer &transfer) { wait(start(transfer)); }
  /// When a transfer that starts now would begin to move.
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

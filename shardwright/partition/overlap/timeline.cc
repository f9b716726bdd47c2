//===- timeline.cc - timeline of a device and its links -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/timeline.h"

#include <algorithm>
#include <bit>

namespace shardwright {

void StepTime::add(const StepTime &other, double times) {
  compute += times * other.compute;
  communication += times * other.communication;
  exposed += times * other.exposed;
  unknownTripCount |= other.unknownTripCount;
}

void Timeline::compute(double seconds) {
  step.compute += seconds;
  time += seconds;
}

void Timeline::run(const StepTime &part, double times) {
  step.add(part, times);
  time += times * part.total();
}

double Timeline::freeAt(uint32_t lanes) const {
  double free = 0;
  for (; lanes; lanes &= lanes - 1)
    free = std::max(free, lanesFree[std::countr_zero(lanes)]);
  return free;
}

uint32_t Timeline::choose(const Transfer &transfer) const {
  if (!transfer.oneDirection)
    return transfer.lanes;
  uint32_t even = transfer.lanes & Transfer::evenLanes,
           odd = transfer.lanes & ~Transfer::evenLanes;
  // Some axes have only one lane.
  odd |= even & ~(odd >> 1);
  return freeAt(odd) < freeAt(even) ? odd : even;
}

double Timeline::begin(const Transfer &transfer) const {
  return std::max(time, freeAt(choose(transfer)));
}

double Timeline::start(const Transfer &transfer) {
  uint32_t lanes = choose(transfer);
  double arrival = std::max(time, freeAt(lanes)) + transfer.seconds;
  for (; lanes; lanes &= lanes - 1)
    lanesFree[std::countr_zero(lanes)] = arrival;
  step.communication += transfer.seconds;
  return arrival;
}

void Timeline::wait(double arrival) {
  if (arrival <= time)
    return;
  step.exposed += arrival - time;
  time = arrival;
}

} // namespace shardwright

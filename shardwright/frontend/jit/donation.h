//===- donation.h - which results take over donated buffers -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_DONATION_H
#define SHARDWRIGHT_FRONTEND_JIT_DONATION_H

#include "shardwright/frontend/lower/lower.h"

namespace shardwright::frontend {

/// An input or result of a program, as donation looks at it.
struct DonationValue {
  Aval aval;
  Sharding sharding; ///< not specified: unknown
  std::optional<Layout> layout;
  bool donated = false; ///< of inputs
};

struct DonationPlan {
  std::vector<DonationUse> uses; ///< of each input
  /// Types of the donated inputs that nothing uses, per device:
  /// `float32[8,4]`. They are not consumed.
  std::vector<std::string> unusable;
};

/// Chooses a use for each donated input. First each result of known sharding
/// takes the first input whose parts have its type; its layout decides between
/// an alias and a donor. Then inputs are paired with results of as many
/// elements; on several devices, they are all donors if the sharding of some
/// result is unknown.
DonationPlan planDonation(const std::vector<DonationValue> &ins,
                          const std::vector<DonationValue> &outs,
                          int64_t numDevices);

/// The text about inputs that nothing uses.
std::string unusableText(const DonationPlan &plan);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_DONATION_H

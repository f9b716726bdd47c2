//===- donation.cc - which results take over donated buffers --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/donation.h"

namespace shardwright::frontend {
namespace {

/// The type of one device's part; of the whole value if the sharding is
/// unknown.
Aval partOf(const DonationValue &value) {
  Expected<Shape> local = value.sharding.shardShape(value.aval.shape);
  Aval out;
  out.dtype = value.aval.dtype;
  out.shape = local ? *local : value.aval.shape;
  return out;
}

std::string memoryOf(const DonationValue &value) {
  return value.sharding.memoryKind().empty() ? "device"
                                             : value.sharding.memoryKind();
}

bool sameLayout(const DonationValue &a, const DonationValue &b) {
  auto order = [](const DonationValue &v) {
    return v.layout.value_or(Layout::rowMajor(v.aval.rank()));
  };
  return order(a) == order(b);
}

} // namespace

DonationPlan planDonation(const std::vector<DonationValue> &ins,
                          const std::vector<DonationValue> &outs,
                          int64_t numDevices) {
  using Kind = DonationUse::Kind;
  DonationPlan plan;
  plan.uses.resize(ins.size());
  std::vector<bool> taken(outs.size());
  bool anyUnknown = false;
  /// Gives the result the first donated input without a use that fits.
  auto give = [&](size_t out, const auto &fits) {
    for (size_t i = 0; i < ins.size() && !taken[out]; ++i) {
      if (!ins[i].donated || plan.uses[i].kind != Kind::None ||
          memoryOf(ins[i]) != memoryOf(outs[out]) ||
          !fits(partOf(ins[i]), partOf(outs[out])))
        continue;
      bool isAlias =
          partOf(ins[i]) == partOf(outs[out]) && sameLayout(ins[i], outs[out]);
      plan.uses[i] = {isAlias ? Kind::Alias : Kind::Donor,
                      isAlias ? static_cast<int64_t>(out) : -1};
      taken[out] = true;
    }
  };
  auto isKnown = [&](size_t out) {
    return numDevices == 1 || outs[out].sharding.isSpecified();
  };
  for (size_t out = 0; out < outs.size(); ++out) {
    anyUnknown |= !isKnown(out);
    if (isKnown(out))
      give(out, [](const Aval &a, const Aval &b) { return a == b; });
  }
  for (size_t out = 0; out < outs.size(); ++out)
    if (isKnown(out))
      give(out, [](const Aval &a, const Aval &b) {
        return a.shape.elements() == b.shape.elements();
      });
  for (size_t i = 0; i < ins.size(); ++i) {
    if (!ins[i].donated || plan.uses[i].kind != Kind::None)
      continue;
    if (anyUnknown)
      plan.uses[i].kind = Kind::Donor;
    else
      plan.unusable.push_back(partOf(ins[i]).longStr());
  }
  return plan;
}

std::string unusableText(const DonationPlan &plan) {
  std::string types;
  for (const std::string &type : plan.unusable)
    types += cat(types.empty() ? "" : ", ", type);
  return cat("Some donated buffers were not usable: ", types,
             ".\nSee an explanation at "
             "https://docs.jax.dev/en/latest/faq.html#buffer-donation.");
}

} // namespace shardwright::frontend

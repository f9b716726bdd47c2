//===- target.cc - compilers of the program of one device -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/target.h"

namespace shardwright {

static constexpr TargetTraits kTargets[] = {
    {"cpu", /*packsScatters=*/true, /*packsGathers=*/true,
     /*tilesScatters=*/false},
    {"gpu", /*packsScatters=*/false, /*packsGathers=*/false,
     /*tilesScatters=*/false},
    {"tpu", /*packsScatters=*/true, /*packsGathers=*/false,
     /*tilesScatters=*/true},
};

const TargetTraits &traitsOf(Target target) { return kTargets[size_t(target)]; }

std::optional<Target> targetFromName(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(kTargets); ++i)
    if (kTargets[i].name == name)
      return Target(i);
  return std::nullopt;
}

Target targetOfPlatform(llvm::StringRef platform) {
  if (platform.equals_insensitive("cuda") ||
      platform.equals_insensitive("rocm"))
    return Target::Gpu;
  return targetFromName(platform.lower()).value_or(Target::Cpu);
}

JoinLimits joinLimitsFor(Target target, const MachineModel &machine) {
  const TargetTraits &traits = traitsOf(target);
  JoinLimits limits = machine.joinLimits();
  if (!traits.packsScatters)
    limits.scattered = 0;
  if (!traits.packsGathers)
    limits.gathered = 0;
  return limits;
}

} // namespace shardwright

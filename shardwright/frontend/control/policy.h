//===- policy.h - what checkpoint keeps for the backward pass - -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CONTROL_POLICY_H
#define SHARDWRIGHT_FRONTEND_CONTROL_POLICY_H

#include "shardwright/frontend/trace/params.h"

namespace shardwright::frontend {

/// Decides which values of a checkpoint's forward pass are kept for its
/// backward pass; the others are computed again. Without a policy nothing but
/// the arguments is kept. JAX: jax.checkpoint_policies.
struct CheckpointPolicy {
  using Predicate =
      std::function<bool(const std::string &primitive, const Params &params)>;
  std::string name; ///< in jaxprs
  /// True if the results of this primitive are kept.
  Predicate isSaved;
  /// True if they are kept in another memory; null: none are.
  Predicate isOffloaded = nullptr;
  /// Of offloaded values: they are kept in the host's memory, and come back to
  /// it.
  bool keptOnHost = true, usedOnHost = false;
  /// Is that of the checkpoint.
  std::optional<Error> error = {};
  explicit operator bool() const { return isSaved != nullptr; }
};

namespace policies {
CheckpointPolicy everythingSaveable();
CheckpointPolicy nothingSaveable();
/// Results of dot_general.
CheckpointPolicy dotsSaveable();
CheckpointPolicy dotsWithNoBatchDimsSaveable();
/// Values with these names (lax::checkpointName).
CheckpointPolicy saveOnlyTheseNames(std::vector<std::string> names);
/// Values with any names but these.
CheckpointPolicy saveAnyNamesButThese(std::vector<std::string> names);
/// All values, except those with these names.
CheckpointPolicy saveAnythingExceptTheseNames(std::vector<std::string> names);
/// Values with the names in `saved` are kept, those in `offloaded` in the
/// memory `target` (memory kinds: "device", "pinned_host").
CheckpointPolicy
saveAndOffloadOnlyTheseNames(std::vector<std::string> saved,
                             std::vector<std::string> offloaded,
                             const std::string &source = "device",
                             const std::string &target = "pinned_host");
/// Results of dot_general without batch dimensions are kept in the memory
/// `target`.
CheckpointPolicy
offloadDotWithNoBatchDims(const std::string &source = "device",
                          const std::string &target = "pinned_host");
/// An error if one of them offloads values.
CheckpointPolicy saveFromBothPolicies(CheckpointPolicy a, CheckpointPolicy b);
} // namespace policies

namespace lax {
/// The value with a name for policies. JAX: jax.ad_checkpoint.checkpoint_name.
Tensor checkpointName(const Tensor &x, const std::string &name);
} // namespace lax

struct CheckpointOptions {
  /// False: the compiler may share values with the forward pass, inside of a
  /// loop, where it cannot.
  bool preventCse = true;
  CheckpointPolicy policy = {};
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CONTROL_POLICY_H

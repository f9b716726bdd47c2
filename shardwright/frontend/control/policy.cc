//===- policy.cc - what checkpoint keeps for the backward pass ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/policy.h"

#include "shardwright/frontend/base/lists.h"
#include "shardwright/frontend/primitives/dot_params.h"
#include "shardwright/frontend/primitives/helpers.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

const Primitive nameP = [] {
  Primitive p = sameTypePrimitive("name");
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    return oneResult(bind1(*findPrimitive("name"), in, params), t[0]);
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    return {frontend::bind(*findPrimitive("name"), in, params), dims};
  };
  p.lower = [](LoweringContext &c) { return c.operands(); };
  return p;
}();
const Registered nameR(nameP);

CheckpointPolicy namesPolicy(std::string name, std::vector<std::string> names,
                             bool savesListed, bool savesUnlisted,
                             bool savesUnnamed) {
  return {std::move(name),
          [=](const std::string &primitive, const Params &params) {
            if (primitive != "name")
              return savesUnnamed;
            bool isListed = std::find(names.begin(), names.end(),
                                      params.text("name")) != names.end();
            return isListed ? savesListed : savesUnlisted;
          }};
}

/// `{'a', 'b'}`, or `set()`.
std::string setText(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names.empty() ? "set()" : cat("{", quotedNames(names), "}");
}
std::string frozensetText(const std::vector<std::string> &names) {
  return cat("frozenset(", names.empty() ? "" : setText(names), ")");
}

} // namespace

Tensor lax::checkpointName(const Tensor &x, const std::string &name) {
  return bind1(nameP, {x}, {{"name", name}});
}

CheckpointPolicy policies::everythingSaveable() {
  return {"<function everything_saveable>",
          [](const std::string &, const Params &) { return true; }};
}
CheckpointPolicy policies::nothingSaveable() {
  return {"<function nothing_saveable>",
          [](const std::string &, const Params &) { return false; }};
}
CheckpointPolicy policies::dotsSaveable() {
  return {"DotsSaveable(only_if_no_batch_dims=False)",
          [](const std::string &primitive, const Params &) {
            return primitive == "dot_general";
          }};
}
CheckpointPolicy policies::dotsWithNoBatchDimsSaveable() {
  return {"DotsSaveable(only_if_no_batch_dims=True)",
          [](const std::string &primitive, const Params &params) {
            return primitive == "dot_general" && !lax::hasBatchDims(params);
          }};
}
CheckpointPolicy policies::saveOnlyTheseNames(std::vector<std::string> names) {
  std::string text =
      cat("SaveOnlyTheseNames(saveable_names=", frozensetText(names), ")");
  return namesPolicy(text, std::move(names), true, false, false);
}
CheckpointPolicy
policies::saveAnyNamesButThese(std::vector<std::string> names) {
  std::string text =
      cat("SaveAnyNamesButThese(names=", frozensetText(names), ")");
  return namesPolicy(text, std::move(names), false, true, false);
}
CheckpointPolicy
policies::saveAnythingExceptTheseNames(std::vector<std::string> names) {
  return namesPolicy(
      "<function save_anything_except_these_names.<locals>.<lambda>>",
      std::move(names), false, true, true);
}
/// Sets the memories of a policy that offloads.
static CheckpointPolicy withMemories(CheckpointPolicy policy,
                                     const std::string &source,
                                     const std::string &target) {
  for (const std::string *kind : {&source, &target})
    if (*kind != "device" && *kind != "pinned_host" &&
        *kind != "unpinned_host" && !policy.error)
      policy.error = valueError(
          "Could not find memory addressable by device cpu. Device cpu can "
          "address the following memory kinds: device, pinned_host, "
          "unpinned_host. Got memory kind: ",
          *kind);
  policy.usedOnHost = source != "device";
  policy.keptOnHost = target != "device";
  return policy;
}

CheckpointPolicy policies::saveAndOffloadOnlyTheseNames(
    std::vector<std::string> saved, std::vector<std::string> offloaded,
    const std::string &source, const std::string &target) {
  std::vector<std::string> both;
  for (const std::string &name : saved)
    if (std::find(offloaded.begin(), offloaded.end(), name) != offloaded.end())
      both.push_back(name);
  std::string name =
      "<function save_and_offload_only_these_names.<locals>.policy>";
  CheckpointPolicy policy = namesPolicy(name, saved, true, false, false);
  policy.isOffloaded = namesPolicy(name, offloaded, true, false, false).isSaved;
  if (!both.empty())
    policy.error = valueError(
        "The names should be exclusive and should not intersect in "
        "`names_which_can_be_saved` and `names_which_can_be_offloaded`. Got "
        "names_which_can_be_saved=",
        setText(saved), ", names_which_can_be_offloaded=", setText(offloaded),
        " and the intersection=", setText(both));
  return withMemories(std::move(policy), source, target);
}

CheckpointPolicy
policies::offloadDotWithNoBatchDims(const std::string &source,
                                    const std::string &target) {
  CheckpointPolicy policy = nothingSaveable();
  policy.name = "<function offload_dot_with_no_batch_dims.<locals>.policy>";
  policy.isOffloaded = dotsWithNoBatchDimsSaveable().isSaved;
  return withMemories(std::move(policy), source, target);
}

CheckpointPolicy policies::saveFromBothPolicies(CheckpointPolicy a,
                                                CheckpointPolicy b) {
  CheckpointPolicy none{"", nullptr};
  none.error = a.error ? a.error : b.error;
  if (!none.error && (a.isOffloaded || b.isOffloaded))
    none.error = valueError(
        "The return value of the policies should be a boolean. Got: ",
        a.isOffloaded ? a.name : b.name,
        ". Please write a custom policy function directly, rather than using "
        "this helper function.");
  if (none.error)
    return none;
  return {"<function save_from_both_policies.<locals>.policy>",
          [a, b](const std::string &primitive, const Params &params) {
            return (a && a.isSaved(primitive, params)) ||
                   (b && b.isSaved(primitive, params));
          }};
}

} // namespace shardwright::frontend

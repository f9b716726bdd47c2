//===- policy.cc - what checkpoint keeps for the backward pass ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/policy.h"

#include "shardwright/frontend/primitives/dot_params.h"
#include "shardwright/frontend/primitives/helpers.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

const Primitive nameP = [] {
  Primitive p;
  p.name = "name";
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    return std::vector<Aval>{in[0]};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    return std::vector<PartitionSpec>{in[0].spec()};
  };
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

/// `frozenset({'a', 'b'})`.
std::string setText(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  std::string out;
  for (const std::string &name : names)
    out += cat(out.empty() ? "'" : ", '", name, "'");
  return out.empty() ? "frozenset()" : cat("frozenset({", out, "})");
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
      cat("SaveOnlyTheseNames(saveable_names=", setText(names), ")");
  return namesPolicy(text, std::move(names), true, false, false);
}
CheckpointPolicy
policies::saveAnyNamesButThese(std::vector<std::string> names) {
  std::string text = cat("SaveAnyNamesButThese(names=", setText(names), ")");
  return namesPolicy(text, std::move(names), false, true, false);
}
CheckpointPolicy
policies::saveAnythingExceptTheseNames(std::vector<std::string> names) {
  return namesPolicy(
      "<function save_anything_except_these_names.<locals>.<lambda>>",
      std::move(names), false, true, true);
}
CheckpointPolicy policies::saveFromBothPolicies(CheckpointPolicy a,
                                                CheckpointPolicy b) {
  return {"<function save_from_both_policies.<locals>.policy>",
          [a, b](const std::string &primitive, const Params &params) {
            return (a && a.isSaved(primitive, params)) ||
                   (b && b.isSaved(primitive, params));
          }};
}

} // namespace shardwright::frontend

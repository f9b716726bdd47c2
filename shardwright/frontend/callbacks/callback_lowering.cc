//===- callback_lowering.cc - calls of host functions as custom calls -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/callback_lowering.h"

#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {
namespace {

using Names = std::vector<std::string>;

/// Layouts of tokens, then of row-major arrays.
std::string layouts(size_t tokens, const std::vector<Aval> &types) {
  std::string out;
  auto add = [&](int64_t rank) {
    std::string order;
    for (int64_t d = rank - 1; d >= 0; --d)
      order += cat(order.empty() ? "" : ", ", d);
    if (rank > 1)
      order = "[" + order + "]";
    out += cat(out.empty() ? "" : ", ", "dense<", order, "> : tensor<", rank,
               "xindex>");
  };
  for (size_t i = 0; i < tokens; ++i)
    add(0);
  for (const Aval &type : types)
    add(type.rank());
  return cat("[", out, "]");
}

/// Where the results are: on one device, or on each with its own value.
std::string placement(LoweringContext &c, int64_t device, size_t tokens,
                      const std::vector<Aval> &types) {
  std::string mesh = c.deviceMesh(device), list;
  auto add = [&](int64_t rank) {
    std::string dims;
    for (int64_t d = 0; device < 0 && d < rank; ++d)
      dims += d ? ", {}" : "{}";
    list += cat(list.empty() ? "<" : ", <", mesh, ", [", dims, "]>");
  };
  for (size_t i = 0; i < tokens; ++i)
    add(0);
  for (const Aval &type : types)
    add(type.rank());
  if (list.empty())
    add(0);
  return cat("#sdy.sharding_per_value<[", list, "]>");
}

Status checkManual(const ManualAxes &manual, const CallSite &site) {
  if (manual.axes.empty())
    return {};
  if (!manual.areAll())
    return notImplemented("callbacks are only supported in spmd computations "
                          "when all mesh axes are partitioned manually (no "
                          "partial automatic sharding).");
  if (site.isDeviceGiven)
    return notImplemented("callbacks do not support specifying sharding "
                          "inside spmd computations");
  return {};
}

} // namespace

Names lowerCall(LoweringContext &c, const CallSite &site) {
  const ManualAxes &manual = c.manualAxes();
  if (Status status = checkManual(manual, site); !status) {
    c.fail(status.error());
    return Names(c.resultTypes().size(), "%error");
  }
  EffectSet ordered = site.effects.ordered();
  size_t tokens = ordered.list().size();
  Names args = joinedNames(c.tokens(ordered), c.operands());
  Names types = joinedNames(tokenTypes(ordered), mlirTypes(c.operandTypes()));
  Names results = joinedNames(tokenTypes(ordered), mlirTypes(c.resultTypes()));
  std::string attributes =
      cat("call_target_name = \"", kTextTarget,
          "\", backend_config = \"\", has_side_effect = ",
          site.effects.empty() ? "false" : "true",
          ", mhlo.backend_config = {index = ", c.addCallback(site.callback),
          " : ui64}, operand_layouts = ", layouts(tokens, c.operandTypes()),
          ", result_layouts = ", layouts(tokens, c.resultTypes()));
  if (!manual.axes.empty())
    attributes +=
        cat(", sdy.sharding = ", placement(c, -1, tokens, c.resultTypes()));
  else if (site.device >= 0)
    attributes += cat(", sdy.sharding = ",
                      placement(c, site.device, tokens, c.resultTypes()));
  Names outs = c.op("stablehlo.custom_call", args, types, results, attributes);
  auto first = outs.begin() + tokens;
  c.setTokens(ordered, Names(outs.begin(), first));
  return Names(first, outs.end());
}

} // namespace shardwright::frontend

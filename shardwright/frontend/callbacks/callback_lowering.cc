//===- callback_lowering.cc - calls of host functions as custom calls -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/callback_lowering.h"

#include "shardwright/frontend/primitives/helpers.h"

#include <algorithm>

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

/// Writes the custom call; `manual`: each device calls with its own values.
Names writeCall(LoweringContext &c, const CallSite &site, bool manual,
                const Names &operands) {
  EffectSet ordered = site.effects.ordered();
  size_t tokens = ordered.list().size();
  Names args = joinedNames(c.tokens(ordered), operands);
  std::vector<Aval> operandTypes = c.operandTypes();
  if (!site.extraOperand.empty()) {
    args.push_back(site.extraOperand);
    operandTypes.push_back(Aval{DType::I32, {}});
  }
  Names types = joinedNames(tokenTypes(ordered), mlirTypes(operandTypes));
  Names results = joinedNames(tokenTypes(ordered), mlirTypes(c.resultTypes()));
  std::string attributes =
      cat("call_target_name = \"",
          site.isPartitioned ? kPartitionedTextTarget : kTextTarget,
          "\", backend_config = \"\", has_side_effect = ",
          site.effects.empty() ? "false" : "true",
          ", mhlo.backend_config = {index = ", c.addCallback(site.callback),
          " : ui64}, operand_layouts = ", layouts(tokens, operandTypes),
          ", result_layouts = ", layouts(tokens, c.resultTypes()));
  if (manual || site.device >= 0)
    attributes +=
        cat(", sdy.sharding = ",
            placement(c, manual ? -1 : site.device, tokens, c.resultTypes()));
  Names outs = c.op("stablehlo.custom_call", args, types, results, attributes);
  auto first = outs.begin() + tokens;
  c.setTokens(ordered, Names(outs.begin(), first));
  return Names(first, outs.end());
}

/// True on the first device along these axes, of the devices that differ only
/// along them.
std::string isFirst(LoweringContext &c, const AbstractMesh &mesh,
                    const AxisNames &axes) {
  Aval u32{DType::U32, {}}, i32{DType::I32, {}}, i1{DType::Bool, {}};
  auto binary = [&](const char *op, const std::string &a, const std::string &b,
                    const Aval &type) {
    return c.op(op, {a, b}, {mlirType(type), mlirType(type)},
                {mlirType(type)})[0];
  };
  std::string out;
  for (const std::string &axis : axes) {
    int64_t at = mesh.find(axis), stride = 1;
    for (int64_t i = at + 1; i < mesh.numAxes(); ++i)
      stride *= mesh.sizes()[i];
    std::string id = c.op("stablehlo.partition_id", {}, {}, {mlirType(u32)})[0];
    id = binary("stablehlo.divide", id,
                c.constant(u32, static_cast<double>(stride)), u32);
    id = binary("stablehlo.remainder", id,
                c.constant(u32, static_cast<double>(mesh.sizes()[at])), u32);
    id = c.op("stablehlo.convert", {id}, {mlirType(u32)}, {mlirType(i32)})[0];
    std::string equal =
        c.op("stablehlo.compare", {id, c.constant(i32, 0)},
             {mlirType(i32), mlirType(i32)}, {mlirType(i1)},
             "comparison_direction = #stablehlo<comparison_direction EQ>, "
             "compare_type = #stablehlo<comparison_type SIGNED>")[0];
    out = out.empty() ? equal : binary("stablehlo.and", out, equal, i1);
  }
  return c.op("stablehlo.convert", {out}, {mlirType(i1)}, {mlirType(i32)})[0];
}

/// A call on the first of the devices that differ along the axes that are not
/// manual, with values that are gathered along them.
void callOnFirst(LoweringContext &c, const CallSite &site,
                 const AxisNames &axes) {
  const AbstractMesh mesh = c.manualAxes().mesh;
  AbstractMesh plain = mesh.withTypes(mesh.names(), AxisType::Auto);
  bool isOpen = false;
  std::string axesText, shardings;
  for (const std::string &axis : axes) {
    isOpen |= mesh.typeOf(axis) != AxisType::Explicit;
    axesText += cat(axesText.empty() ? "\"" : ", \"", axis, "\"");
  }
  for (const Aval &type : c.operandTypes()) {
    std::string text =
        c.shardingText(*Sharding::named(plain, P()), type.rank(), isOpen);
    shardings +=
        cat(shardings.empty() ? "" : ", ", text.substr(text.find('<')));
  }
  std::string body = c.regionOf(
      mlirTypes(c.operandTypes()),
      [&](const Names &args) {
        std::string index = isFirst(c, mesh, axes);
        std::string other =
            c.regionOf({}, [](const Names &) { return Names(); });
        std::string first = c.regionOf({}, [&](const Names &) {
          return writeCall(c, site, /*manual=*/true, args);
        });
        return c.op("stablehlo.case", {index}, {mlirType({DType::I32, {}})}, {},
                    {}, {other, first});
      },
      "sdy.return");
  c.op("sdy.manual_computation", c.operands(), mlirTypes(c.operandTypes()), {},
       cat("in_shardings = #sdy.sharding_per_value<[", shardings,
           "]>, manual_axes = #sdy<manual_axes{", axesText,
           "}>, out_shardings = #sdy.sharding_per_value<[]>"),
       {body});
}

} // namespace

Names lowerCall(LoweringContext &c, const CallSite &site) {
  const ManualAxes &manual = c.manualAxes();
  if (Status status = checkManual(manual, site); !status) {
    c.fail(status.error());
    return Names(c.resultTypes().size(), "%error");
  }
  return writeCall(c, site, !manual.axes.empty(), c.operands());
}

Names lowerDebugCall(LoweringContext &c, const CallSite &site) {
  const ManualAxes &manual = c.manualAxes();
  AxisNames others;
  if (!manual.axes.empty())
    for (const std::string &axis : manual.mesh.names())
      if (manual.mesh.sizeOf(axis) > 1 &&
          std::find(manual.axes.begin(), manual.axes.end(), axis) ==
              manual.axes.end())
        others.push_back(axis);
  if (others.empty())
    return writeCall(c, site, !manual.axes.empty(), c.operands());
  callOnFirst(c, site, others);
  return {};
}

} // namespace shardwright::frontend

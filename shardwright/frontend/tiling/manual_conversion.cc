//===- manual_conversion.cc - between arrays and tiles in GSPMD -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/tiling/manual_conversion.h"

#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {

std::string ManualConversion::str(const std::string &operand,
                                  const std::string &result) const {
  std::string dims =
      unspecifiedDims.empty()
          ? ""
          : cat("unspecified_dims=[", commaText(unspecifiedDims), "]");
  auto call = [&](const std::string &name, const std::string &callee,
                  const std::string &of, const std::string &hlo,
                  const Aval &type) {
    return cat(name, " = stablehlo.custom_call @", callee, "(", of,
               ") {backend_config = \"", dims, "\", mhlo.sharding = \"", hlo,
               "\"} : (", mlirType(from), ") -> ", mlirType(type), "\n");
  };
  const std::string held = result + "_in";
  return call(held, "Sharding", operand, constraint, from) +
         call(result, target, held, sharding, to);
}

/// The HLO sharding of a value that these axes divide.
static Expected<std::string> tiledText(const Aval &type,
                                       const ArrayMapping &axes,
                                       const AbstractMesh &mesh) {
  Expected<ShardingSpec> spec =
      meshShardingSpec(mesh.sizes(), mesh.names(), type.shape, axes);
  return spec ? spec->hloText() : spec.error();
}

static Ints unmapped(const Aval &type, const ArrayMapping &axes) {
  Ints mapped;
  for (const auto &[name, dim] : axes)
    mapped.push_back(dim);
  return withoutInts(type.rank(), mapped);
}

Expected<ManualConversion> fullToShard(const Aval &type,
                                       const ArrayMapping &axes,
                                       const AbstractMesh &mesh,
                                       const AxisNames &manualAxes) {
  Expected<Aval> tile = tileAval(mesh, axes, type);
  if (!tile)
    return tile.error();
  Expected<std::string> tiled = tiledText(type, axes, mesh),
                        manual = manualProto(type.rank(), manualAxes, mesh);
  if (!tiled || !manual)
    return tiled ? manual.error() : tiled.error();
  return ManualConversion{type,   *tile,   "SPMDFullToShardShape",
                          *tiled, *manual, unmapped(type, axes)};
}

Expected<ManualConversion> shardToFull(const Aval &type,
                                       const ArrayMapping &axes,
                                       const AbstractMesh &mesh,
                                       const AxisNames &manualAxes) {
  Expected<Aval> full = untileAval(mesh, axes, type);
  if (!full)
    return full.error();
  Expected<std::string> tiled = tiledText(*full, axes, mesh),
                        manual = manualProto(type.rank(), manualAxes, mesh);
  if (!tiled || !manual)
    return tiled ? manual.error() : tiled.error();
  return ManualConversion{type,    *full,  "SPMDShardToFullShape",
                          *manual, *tiled, unmapped(type, axes)};
}

} // namespace shardwright::frontend

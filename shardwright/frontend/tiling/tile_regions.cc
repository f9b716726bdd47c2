//===- tile_regions.cc - operations on tiles as shard_map equations -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Equations are on tiles from full_to_shard to shard_to_full. A value that
// leaves may be used outside and its result enter again: the level of an
// equation counts how often the values that it needs have left before. The
// equations on tiles of one level are one region, a shard_map. Then no region
// depends on itself:
//
//   level 0: equations on arrays, then the region of level 0
//   level 1: equations on arrays, which may use what the region before made,
//            then the region of level 1, and so on
//
// A tile that a later region uses leaves as an array with the tiles of all
// devices along its first dimension.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/shard_map/shard_map_primitive.h"
#include "shardwright/frontend/tiling/tile_conversion_params.h"
#include "shardwright/frontend/trace/program_rewrites.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardwright::frontend {
namespace {

/// Where a value is, or where an equation runs.
struct Place {
  /// The set of manual axes; -1: it is an array.
  int32_t axes = -1;
  int64_t level = 0;
  bool isTile() const { return axes >= 0; }
  friend bool operator==(const Place &, const Place &) = default;
};

class TileRegions {
public:
  explicit TileRegions(const Jaxpr &jaxpr)
      : from(jaxpr), to(std::make_shared<Jaxpr>(jaxpr)),
        values(jaxpr.types.size()) {
    to->eqns.clear();
  }
  Expected<JaxprPtr> run();

private:
  /// The region that is being written.
  struct Region {
    ShardMapEqn map;
    std::shared_ptr<Jaxpr> body;
    Eqn eqn;
    std::set<int32_t> captured; ///< variables
  };

  int32_t axesOf(const TileConversion &c);
  Status place(const Eqn &eqn);
  Status placeOperand(const Eqn &eqn, const Atom &atom, Place &at);
  /// Tiles that regions of later levels use.
  void findCrossing();
  Status write(const std::vector<const Eqn *> &eqns, const Place &at);
  /// Makes a value from outside of the region an input of it.
  Status capture(Region &region, int32_t var, const Place &at);
  /// Adds an equation that changes the shape of a value.
  Status addReshape(Jaxpr &body, int32_t in, int32_t out,
                    const TensorsFunction &function);
  /// The spec of tiles of all devices along the first dimension.
  PartitionSpec stacked(const Place &at) const;

  const Jaxpr &from;
  std::shared_ptr<Jaxpr> to;
  std::vector<TileConversion> manual; ///< one for each set of axes
  std::vector<Place> values;          ///< of each variable
  std::vector<Place> places;          ///< of each equation
  /// The place of the last equation with ordered effects.
  std::optional<Place> ordered;
  /// The array in which a tile leaves for later regions.
  std::map<int32_t, int32_t> crossing;
};

bool isNamed(const Eqn &eqn, const char *name) {
  return eqn.primitive->name == name;
}

int32_t TileRegions::axesOf(const TileConversion &c) {
  for (size_t i = 0; i < manual.size(); ++i)
    if (manual[i].mesh->key() == c.mesh->key() && manual[i].manual == c.manual)
      return static_cast<int32_t>(i);
  manual.push_back(c);
  return static_cast<int32_t>(manual.size()) - 1;
}

Status TileRegions::placeOperand(const Eqn &eqn, const Atom &atom, Place &at) {
  if (!atom.isVar())
    return {};
  const Place &value = values[atom.var];
  at.level = std::max(at.level, value.level);
  if (!value.isTile())
    return {};
  if (isNamed(eqn, kFullToShard))
    return valueError(kFullToShard, " requires an array, but its operand ",
                      from.aval(atom).longStr(), " is a tile along ",
                      namesText(manual[value.axes].manual));
  if (at.isTile() && at.axes != value.axes)
    return valueError(eqn.primitive->name,
                      " requires tiles of one mesh along "
                      "the same axes, but got tiles along ",
                      namesText(manual[at.axes].manual), " and along ",
                      namesText(manual[value.axes].manual));
  at.axes = value.axes;
  return {};
}

Status TileRegions::place(const Eqn &eqn) {
  Place at;
  bool enters = isNamed(eqn, kFullToShard), leaves = isNamed(eqn, kShardToFull);
  if (leaves)
    at.axes = axesOf(TileConversion(eqn.params));
  for (const Atom &atom : eqn.ins)
    SW_TRY(placeOperand(eqn, atom, at));
  if (enters)
    at.axes = axesOf(TileConversion(eqn.params));
  // A collective without operands that are tiles, as axis_index.
  if (const auto *mesh = eqn.params.object<AxisMesh>("axis_mesh");
      mesh && !at.isTile())
    for (size_t i = 0; i < manual.size(); ++i)
      if (manual[i].inner() == mesh->mesh)
        at.axes = static_cast<int32_t>(i);
  if (!effectsOf(*eqn.primitive, eqn.params).ordered().empty()) {
    if (ordered)
      at.level = std::max(at.level,
                          ordered->level + (ordered->isTile() && !at.isTile()));
    ordered = at;
  }
  places.push_back(at);
  for (int32_t var : eqn.outs)
    values[var] = leaves ? Place{-1, at.level + 1} : at;
  return {};
}

void TileRegions::findCrossing() {
  for (size_t i = 0; i < from.eqns.size(); ++i)
    for (const Atom &atom : from.eqns[i].ins) {
      if (!atom.isVar() || !values[atom.var].isTile() ||
          values[atom.var].level == places[i].level)
        continue;
      auto [entry, isNew] = crossing.try_emplace(atom.var, -1);
      if (!isNew)
        continue;
      Aval type = from.types[atom.var];
      if (type.rank() == 0)
        type = type.withShape({1});
      const TileConversion &c = manual[values[atom.var].axes];
      Shape shape = type.shape;
      shape.at(0) *= sizeOf(c.outer(), c.manual);
      entry->second = static_cast<int32_t>(to->types.size());
      to->types.push_back(type.withShape(shape));
    }
}

PartitionSpec TileRegions::stacked(const Place &at) const {
  return *PartitionSpec::get({SpecEntry(manual[at.axes].manual)});
}

Status TileRegions::addReshape(Jaxpr &body, int32_t in, int32_t out,
                               const TensorsFunction &function) {
  Expected<JaxprPtr> traced = traceToJaxpr(function, {body.types[in]});
  if (!traced)
    return traced.error();
  Eqn eqn = (*traced)->eqns.at(0);
  eqn.ins = {Atom{in, {}}};
  eqn.outs = {out};
  body.eqns.push_back(std::move(eqn));
  return {};
}

Status TileRegions::capture(Region &region, int32_t var, const Place &at) {
  const Place &value = values[var];
  if ((value.isTile() && value.level == at.level) || region.captured.count(var))
    return {};
  Jaxpr &body = *region.body;
  region.captured.insert(var);
  if (!value.isTile()) {
    body.ins.push_back(var);
    region.map.in.push_back(PartitionSpec());
    region.eqn.ins.push_back({var, {}});
    return {};
  }
  int32_t inner = var;
  if (from.types[var].rank() == 0) {
    inner = static_cast<int32_t>(body.types.size());
    body.types.push_back(from.types[var].withShape({1}));
    SW_TRY(addReshape(body, inner, var, [](const Tensors &x) -> Tensors {
      return {lax::squeeze(x[0], {0})};
    }));
  }
  body.ins.push_back(inner);
  region.map.in.push_back(stacked(value));
  region.eqn.ins.push_back({crossing.at(var), {}});
  return {};
}

Status TileRegions::write(const std::vector<const Eqn *> &eqns,
                          const Place &at) {
  const TileConversion &c = manual[at.axes];
  Region region;
  region.map.mesh = c.mesh;
  region.map.manual = c.manual;
  region.map.check = false;
  region.body = std::make_shared<Jaxpr>();
  Jaxpr &body = *region.body;
  body.types = from.types;
  body.name = from.name;
  region.eqn.primitive = findPrimitive("shard_map");
  region.eqn.names = eqns[0]->names;
  for (const Eqn *eqn : eqns) {
    if (isNamed(*eqn, kFullToShard)) {
      body.ins.push_back(eqn->outs[0]);
      region.map.in.push_back(TileConversion(eqn->params).spec());
      region.eqn.ins.push_back(eqn->ins[0]);
      continue;
    }
    for (const Atom &atom : eqn->ins)
      if (atom.isVar())
        SW_TRY(capture(region, atom.var, at));
    if (isNamed(*eqn, kShardToFull)) {
      body.outs.push_back(eqn->ins[0]);
      region.map.out.push_back(TileConversion(eqn->params).spec());
      region.eqn.outs.push_back(eqn->outs[0]);
      continue;
    }
    body.eqns.push_back(*eqn);
    body.effects.add(effectsOf(*eqn->primitive, eqn->params));
  }
  for (const auto &[var, array] : crossing) {
    if (values[var] != at)
      continue;
    int32_t inner = var;
    if (from.types[var].rank() == 0) {
      inner = static_cast<int32_t>(body.types.size());
      body.types.push_back(from.types[var].withShape({1}));
      SW_TRY(addReshape(body, var, inner, [](const Tensors &x) -> Tensors {
        return {lax::broadcast_in_dim(x[0], {1}, {})};
      }));
    }
    body.outs.push_back({inner, {}});
    region.map.out.push_back(stacked(at));
    region.eqn.outs.push_back(array);
  }
  if (region.eqn.outs.empty() && body.effects.empty())
    return {};
  region.map.jaxpr = region.body;
  region.eqn.params = region.map.params();
  to->eqns.push_back(std::move(region.eqn));
  return {};
}

Expected<JaxprPtr> TileRegions::run() {
  // The sets of axes are known before collectives look for theirs.
  for (const Eqn &eqn : from.eqns)
    if (isNamed(eqn, kFullToShard) || isNamed(eqn, kShardToFull))
      axesOf(TileConversion(eqn.params));
  for (const Eqn &eqn : from.eqns)
    SW_TRY(place(eqn));
  for (const Atom &atom : from.outs)
    if (atom.isVar() && values[atom.var].isTile())
      return valueError(
          "A tile ", from.aval(atom).longStr(), " along ",
          namesText(manual[values[atom.var].axes].manual),
          " leaves the function that made it. Apply shardToFull in the same "
          "function, and jit the function.");
  findCrossing();
  // Arrays of a level come before its regions.
  std::map<std::pair<int64_t, int32_t>, std::vector<const Eqn *>> parts;
  for (size_t i = 0; i < from.eqns.size(); ++i)
    parts[{places[i].level, places[i].axes}].push_back(&from.eqns[i]);
  for (const auto &[key, eqns] : parts) {
    Place at{key.second, key.first};
    if (at.isTile()) {
      SW_TRY(write(eqns, at));
      continue;
    }
    for (const Eqn *eqn : eqns)
      to->eqns.push_back(*eqn);
  }
  return JaxprPtr(to);
}

const bool added =
    addProgramRewrite({kFullToShard, kShardToFull}, [](const Jaxpr &jaxpr) {
      return TileRegions(jaxpr).run();
    });

} // namespace
} // namespace shardwright::frontend

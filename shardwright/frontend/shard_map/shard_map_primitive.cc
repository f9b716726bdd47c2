//===- shard_map_primitive.cc - shardMap as an equation -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/shard_map_primitive.h"

#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {
namespace {

using Names = std::vector<std::string>;

/// `#sdy.sharding_per_value<[<@mesh, [...]>]>` of values with these specs.
std::string shardingsText(LoweringContext &c, const ShardMapEqn &m,
                          const std::vector<PartitionSpec> &specs,
                          const std::vector<Aval> &types, size_t tokens) {
  const AbstractMesh &outer = m.outer();
  AbstractMesh plain = outer.withTypes(outer.names(), AxisType::Auto);
  AbstractMesh typed = outer.withTypes(outer.names(), AxisType::Explicit);
  bool isOpen = false;
  for (const std::string &axis : without(outer.names(), m.manual))
    isOpen |= outer.typeOf(axis) != AxisType::Explicit;
  std::string list;
  Sharding whole = *Sharding::named(plain, P());
  for (size_t i = 0; i < tokens; ++i) {
    std::string text = c.shardingText(whole, 0, false);
    list += cat(list.empty() ? "" : ", ", text.substr(text.find('<')));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    // Keys have a dimension of words.
    int64_t rank = types[i].rank() + (types[i].dtype == DType::Key);
    // Only Explicit axes can be unreduced.
    bool isSum = !specs[i].unreduced().empty();
    Expected<PartitionSpec> spec =
        PartitionSpec::get(specs[i].entries(), specs[i].unreduced());
    Expected<Sharding> sharding = Sharding::named(isSum ? typed : plain, *spec);
    if (!sharding) {
      c.fail(sharding.error());
      return "";
    }
    std::string text = c.shardingText(*sharding, rank, isOpen);
    list += cat(list.empty() ? "" : ", ", text.substr(text.find('<')));
  }
  return cat("#sdy.sharding_per_value<[", list, "]>");
}

Names lowerShardMap(LoweringContext &c) {
  ShardMapEqn m(c.params());
  const JaxprPtr &body = m.jaxpr;
  ManualAxes around = c.manualAxes();
  c.manualAxes() = {m.outer(), around.axes};
  for (const std::string &axis : m.manual)
    c.manualAxes().axes.push_back(axis);
  if (sizeOf(m.outer(), m.manual) == 1) {
    Names outs = c.inlineJaxpr(*body, c.operands());
    c.manualAxes() = around;
    return outs;
  }
  EffectSet ordered = body->effects.ordered();
  Names tokens = tokenTypes(ordered);
  std::string region = c.regionOf(
      joinedNames(tokens, mlirTypes(body->inAvals())),
      [&](const Names &args) {
        auto first = args.begin() + tokens.size();
        c.setTokens(ordered, Names(args.begin(), first));
        Names outs = c.inlineJaxpr(*body, Names(first, args.end()));
        return joinedNames(c.tokens(ordered), outs);
      },
      "sdy.return");
  c.manualAxes() = around;
  std::string axes;
  for (const std::string &axis : m.manual)
    axes += cat(axes.empty() ? "\"" : ", \"", axis, "\"");
  Names outs = c.op(
      "sdy.manual_computation", joinedNames(c.tokens(ordered), c.operands()),
      joinedNames(tokens, mlirTypes(c.operandTypes())),
      joinedNames(tokens, mlirTypes(c.resultTypes())),
      cat("in_shardings = ",
          shardingsText(c, m, m.in, c.operandTypes(), tokens.size()),
          ", manual_axes = #sdy<manual_axes{", axes, "}>, out_shardings = ",
          shardingsText(c, m, m.out, c.resultTypes(), tokens.size())),
      {region});
  auto first = outs.begin() + tokens.size();
  c.setTokens(ordered, Names(outs.begin(), first));
  return Names(first, outs.end());
}

/// The equation with the used results, and the operands that they need.
Eqn pruneShardMap(const Eqn &eqn, const std::vector<bool> &used) {
  ShardMapEqn m(eqn.params);
  auto some = std::make_shared<Jaxpr>(*m.jaxpr);
  Eqn out{eqn.primitive, {}, {}, {}};
  some->outs.clear();
  m.out.clear();
  ShardMapEqn all(eqn.params);
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i]) {
      some->outs.push_back(all.jaxpr->outs[i]);
      m.out.push_back(all.out[i]);
      out.outs.push_back(eqn.outs[i]);
    }
  auto body = std::make_shared<Jaxpr>(*eliminateDeadCode(*some));
  std::vector<bool> read(body->types.size());
  for (const Eqn &inner : body->eqns)
    for (const Atom &atom : inner.ins)
      if (atom.isVar())
        read[atom.var] = true;
  for (const Atom &atom : body->outs)
    if (atom.isVar())
      read[atom.var] = true;
  body->ins.clear();
  m.in.clear();
  for (size_t i = 0; i < eqn.ins.size(); ++i)
    if (read[some->ins[i]]) {
      body->ins.push_back(some->ins[i]);
      m.in.push_back(all.in[i]);
      out.ins.push_back(eqn.ins[i]);
    }
  m.jaxpr = std::move(body);
  out.params = m.params();
  return out;
}

const Primitive shardMapP = [] {
  Primitive p;
  p.name = "shard_map";
  p.ownManualAxes = true;
  p.usesAxisNames = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    ShardMapEqn m(params);
    std::vector<Aval> out = m.jaxpr->outAvals();
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = m.globalType(out[i], m.out[i]);
    return out;
  };
  p.jvp = jvpShardMap;
  p.linearize = linearizeShardMap;
  p.transpose = transposeShardMap;
  p.batch = batchShardMap;
  p.prune = pruneShardMap;
  p.lower = lowerShardMap;
  return p;
}();
const Registered shardMapR(shardMapP);

/// What a type says of a sharding: its Explicit axes.
std::shared_ptr<const TypeSharding>
typeSharding(const AbstractMesh &mesh, std::vector<SpecEntry> entries,
             const std::set<std::string> &unreduced,
             const std::set<std::string> &reduced) {
  if (!mesh.anyIs(AxisType::Explicit))
    return nullptr;
  for (SpecEntry &entry : entries) {
    AxisNames kept;
    for (const std::string &axis : entry.axes)
      if (mesh.typeOf(axis) == AxisType::Explicit)
        kept.push_back(axis);
    entry.axes = kept;
  }
  auto typed = [&](const std::set<std::string> &axes) {
    AxisNames kept = keptOf(mesh.axesOf(AxisType::Explicit), axes);
    return std::set<std::string>(kept.begin(), kept.end());
  };
  return std::make_shared<const TypeSharding>(TypeSharding{
      mesh, *PartitionSpec::get(std::move(entries), typed(unreduced),
                                typed(reduced))});
}

} // namespace

ShardMapEqn::ShardMapEqn(const Params &params)
    : jaxpr(params.jaxpr("jaxpr")),
      in(params.object<SpecList>("in_specs")->specs),
      out(params.object<SpecList>("out_specs")->specs),
      mesh(std::dynamic_pointer_cast<const MeshParam>(
          params.get<std::shared_ptr<const ParamObject>>("mesh"))),
      manual(params.object<AxisSet>("newly_manual_axes")->names),
      check(params.flag("check_vma")) {}

Params ShardMapEqn::params() const {
  return {{"jaxpr", jaxpr},
          {"in_specs", objectParam(SpecList(in))},
          {"out_specs", objectParam(SpecList(out))},
          {"mesh", std::shared_ptr<const ParamObject>(mesh)},
          {"newly_manual_axes", objectParam(AxisSet(manual))},
          {"check_vma", check}};
}

AbstractMesh ShardMapEqn::inner() const {
  return outer().withTypes(manual, AxisType::Manual);
}

AxisNames ShardMapEqn::unmentioned(const PartitionSpec &spec) const {
  return without(manual, axesOf(spec));
}

Aval ShardMapEqn::localType(const Aval &global,
                            const PartitionSpec &spec) const {
  Aval out = global;
  for (int64_t d = 0; d < global.rank(); ++d)
    out.shape.at(d) /= sizeOf(outer(), spec[d].axes);
  if (check) {
    AxisNames all = global.varying, own = axesOf(spec);
    for (const std::string &axis : outer().names())
      if (frontend::contains(own, axis) && !frontend::contains(all, axis))
        all.push_back(axis);
    out.varying.clear();
    for (const std::string &axis : outer().names())
      if (frontend::contains(all, axis))
        out.varying.push_back(axis);
    for (const std::string &axis : keptOf(outer().names(), spec.unreduced()))
      out.unreduced.push_back(axis);
    for (const std::string &axis : keptOf(outer().names(), spec.reduced()))
      out.reduced.push_back(axis);
  }
  PartitionSpec own = global.spec();
  out.sharding = typeSharding(inner(), own.normalized(global.rank()).entries(),
                              own.unreduced(), own.reduced());
  return out;
}

Aval ShardMapEqn::globalType(const Aval &local,
                             const PartitionSpec &spec) const {
  Aval out = local;
  std::vector<SpecEntry> entries =
      local.spec().normalized(local.rank()).entries();
  for (int64_t d = 0; d < local.rank(); ++d) {
    out.shape.at(d) *= sizeOf(outer(), spec[d].axes);
    AxisNames axes = spec[d].axes;
    axes.insert(axes.end(), entries[d].axes.begin(), entries[d].axes.end());
    entries[d].axes = axes;
  }
  out.varying = without(local.varying, manual);
  out.unreduced = without(local.unreduced, manual);
  out.reduced = without(local.reduced, manual);
  std::set<std::string> unreduced = local.spec().unreduced(),
                        reduced = local.spec().reduced();
  unreduced.insert(spec.unreduced().begin(), spec.unreduced().end());
  reduced.insert(spec.reduced().begin(), spec.reduced().end());
  out.sharding = typeSharding(outer(), entries, unreduced, reduced);
  return out;
}

static Tensors withConstants(ShardMapEqn &m, const Tensors &args) {
  Tensors all = m.jaxpr->consts;
  all.insert(all.end(), args.begin(), args.end());
  m.in.insert(m.in.begin(), m.jaxpr->consts.size(), PartitionSpec());
  m.jaxpr = constantsToInputs(m.jaxpr);
  return all;
}

Tensors ShardMapEqn::bind(const Tensors &args) const {
  ShardMapEqn m = *this;
  Tensors all = withConstants(m, args);
  return bindMany(shardMapP, out.size(), all, m.params());
}

Tensors ShardMapEqn::bindIn(JaxprTrace &trace, const Tensors &args) const {
  ShardMapEqn m = *this;
  Tensors all = withConstants(m, args);
  return trace.bind(shardMapP, all, m.params());
}

} // namespace shardwright::frontend

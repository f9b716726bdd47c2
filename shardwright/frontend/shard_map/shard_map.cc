//===- shard_map.cc - functions that run on each device -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/shard_map.h"

#include "shardwright/frontend/shard_map/collective_helpers.h"
#include "shardwright/frontend/shard_map/eager.h"
#include "shardwright/frontend/shard_map/spec_errors.h"

namespace shardwright::frontend {
namespace {

/// The mesh of the options, or the one in context.
Expected<std::shared_ptr<const MeshParam>>
meshOf(const ShardMapOptions &options) {
  const AbstractMesh &context = contextAbstractMesh();
  AbstractMesh given =
      options.mesh.empty() ? options.abstractMesh : options.mesh.abstractMesh();
  if (given.empty()) {
    if (context.empty())
      return valueError("The context mesh cannot be empty. Use "
                        "`jax.set_mesh(mesh)` to enter into a mesh context");
    return std::make_shared<const MeshParam>(context);
  }
  if (!context.empty() && !(given == context))
    return valueError("The context mesh ", context.str(),
                      " should match the mesh passed to shard_map ",
                      options.mesh.empty() ? given.str() : options.mesh.str());
  // Inside of another shard_map the devices are those of the outer one.
  if (!options.mesh.empty())
    return std::make_shared<const MeshParam>(options.mesh);
  return std::make_shared<const MeshParam>(given);
}

/// The newly manual axes, in mesh order.
Expected<AxisNames> manualOf(const ShardMapOptions &options,
                             const AbstractMesh &mesh) {
  // Axes that shard a dimension which vmap maps stay outside of the body.
  const AxisNames all = without(mesh.names(), mappedExplicitAxes());
  AxisNames wanted = options.axisNames.empty() ? all : options.axisNames;
  for (const std::string &axis : wanted)
    if (!contains(all, axis))
      return valueError(
          "jax.shard_map requires axis_names=",
          AxisSet(options.axisNames).repr(),
          " to be a subset of mesh.axis_names=", AxisSet(all).repr());
  AxisNames out;
  for (const std::string &axis : mesh.names())
    if (contains(wanted, axis) && mesh.typeOf(axis) != AxisType::Manual)
      out.push_back(axis);
  return out;
}

/// Specs that the types of the arguments give.
Expected<std::vector<SpecLeaf>> inferredSpecs(const AbstractMesh &mesh,
                                              const AxisNames &manual,
                                              const std::vector<Aval> &types) {
  std::string kinds;
  bool isExplicit = true;
  for (const std::string &axis : manual) {
    isExplicit &= mesh.typeOf(axis) == AxisType::Explicit;
    kinds += cat(kinds.empty() ? "AxisType." : ", AxisType.",
                 str(mesh.typeOf(axis)));
  }
  if (!isExplicit)
    return typeError("shard_map in_specs argument must be a pytree of "
                     "`jax.sharding.PartitionSpec` instances, but it was "
                     "`None` when axis_names=",
                     AxisSet(manual).repr(), " are of type ", kinds);
  auto manualOnes = [&](const std::set<std::string> &axes) {
    AxisNames kept = keptOf(manual, axes);
    return std::set<std::string>(kept.begin(), kept.end());
  };
  std::vector<SpecLeaf> specs;
  for (const Aval &type : types) {
    const PartitionSpec own = type.spec().normalized(type.rank());
    std::vector<SpecEntry> entries = own.entries();
    for (SpecEntry &entry : entries) {
      AxisNames kept;
      for (const std::string &axis : entry.axes)
        if (contains(manual, axis))
          kept.push_back(axis);
      entry.axes = kept;
    }
    SpecLeaf &leaf = specs.emplace_back();
    leaf.spec = *PartitionSpec::get(entries, manualOnes(own.unreduced()),
                                    manualOnes(own.reduced()));
    leaf.type = type;
  }
  return specs;
}

/// Specs of arguments repeat what their types say about Explicit axes.
Status checkExplicit(const ShardMapEqn &m,
                     const std::vector<SpecLeaf> &leaves) {
  for (const SpecLeaf &leaf : leaves) {
    if (leaf.isNone)
      continue;
    const PartitionSpec typeSpec = leaf.type.spec();
    bool sameSums = keptOf(m.manual, typeSpec.unreduced()) ==
                        keptOf(m.manual, leaf.spec.unreduced()) &&
                    keptOf(m.manual, typeSpec.reduced()) ==
                        keptOf(m.manual, leaf.spec.reduced());
    // A scalar has sets, too.
    int64_t places = std::max<int64_t>(leaf.type.rank(), !sameSums);
    for (int64_t d = 0; d < places; ++d) {
      AxisNames given, own;
      for (const std::string &axis : leaf.spec[d].axes)
        if (m.outer().typeOf(axis) == AxisType::Explicit)
          given.push_back(axis);
      for (const std::string &axis : typeSpec[d].axes)
        if (contains(m.manual, axis))
          own.push_back(axis);
      if (given != own || !sameSums)
        return valueError(
            "in_specs passed to shard_map: ",
            leaf.spec.normalized(leaf.type.rank()).str(),
            " does not match the specs of the input: ",
            leaf.type.spec().normalized(leaf.type.rank()).str(),
            " for arg: ", leaf.type.longStr(),
            ". `in_specs` is an optional argument so you can omit specifying "
            "it and shard_map will infer the in_specs from the arguments. If "
            "you want to reshard your inputs, you can use `jax.reshard` on the "
            "arguments and then pass those args to shard_map.");
    }
  }
  return {};
}

/// Only full manual computations over Explicit axes have unreduced and reduced
/// axes in their specs.
Status checkUnreduced(const ShardMapEqn &m, const ShardingTree &specs,
                      const std::string &what) {
  for (const PlacedOption &leaf : leavesOf(specs)) {
    if (!leaf.option.spec)
      continue;
    const PartitionSpec &spec = *leaf.option.spec;
    if (spec.unreduced().empty() && spec.reduced().empty())
      continue;
    if (m.manual.size() != m.outer().names().size())
      return notImplemented(
          "unreduced/reduced can only be passed to ", what,
          " when shard_map is in full manual mode. Got mesh axis names ",
          namesText(m.outer().names()),
          ", manual_axes: ", AxisSet(m.manual).repr(), ", specs: ", spec.str(),
          ". Please file a bug at https://github.com/jax-ml/jax/issues.");
    if (!m.outer().allAre(AxisType::Explicit))
      return valueError("unreduced in ", what, " ", spec.str(),
                        " can only be used when the mesh passed to shard_map "
                        "contains axis names all of type `Explicit`. Got mesh ",
                        m.mesh->str());
    for (const auto *set : {&spec.unreduced(), &spec.reduced()})
      for (const std::string &axis : *set)
        if (m.outer().find(axis) < 0)
          return Sharding::named(m.outer(), spec).error();
  }
  return {};
}

/// The type of a result after the casts that its spec asks for.
Aval varyingAlong(Aval type, const PartitionSpec &spec,
                  const AbstractMesh &mesh) {
  AxisNames named = axesOf(spec), all;
  for (const std::string &axis : mesh.names())
    if (contains(type.varying, axis) || contains(named, axis))
      all.push_back(axis);
  type.varying = all;
  return type;
}

/// The specs of the results of the body, or the error that JAX gives for them.
Expected<std::vector<PartitionSpec>>
resultSpecs(const ShardMapEqn &m, const ShardMapOptions &options,
            const detail::ShardMapCall &call, const Tensors &outs) {
  std::vector<Aval> types;
  for (const Tensor &out : outs)
    types.push_back(out.aval());
  auto leaves =
      specLeaves(options.out, false, types, parseTree(call.results.text),
                 call.results.paths, {}, {});
  if (!leaves)
    return leaves.error();
  if (m.check)
    for (const SpecLeaf &leaf : *leaves)
      if (AxisNames casts = without(keptOf(m.manual, leaf.spec.unreduced()),
                                    leaf.type.unreduced);
          !casts.empty())
        SW_TRY(checkCast("vary_unreduced_cast_p",
                         varyingAlong(leaf.type, leaf.spec, m.outer()), casts));
  SW_TRY(checkSpecRanks(*leaves, false, options.name));
  if (m.check)
    SW_TRY(checkReplication(*leaves, m, options.name));
  std::vector<PartitionSpec> specs;
  for (const SpecLeaf &leaf : *leaves)
    specs.push_back(leaf.spec);
  return specs;
}

/// `(('x', 4), ('y', 2))`.
std::string shapeText(const AbstractMesh &mesh) {
  std::string out;
  for (const std::string &name : mesh.names())
    out +=
        cat(out.empty() ? "(('" : ", ('", name, "', ", mesh.sizeOf(name), ")");
  return out + (mesh.names().size() == 1 ? ",)" : ")");
}

/// The devices for an abstract mesh: those in context, or of the arguments.
Expected<std::shared_ptr<const MeshParam>> concreteMesh(const MeshParam &mesh,
                                                        const Tensors &leaves) {
  if (contextMesh().abstractMesh() == mesh.abstractMesh())
    return std::make_shared<const MeshParam>(contextMesh());
  for (const Tensor &leaf : leaves) {
    const Sharding &sharding = leaf.sharding();
    if (!sharding.isNamed() || sharding.mesh().empty())
      continue;
    const AbstractMesh &own = sharding.abstractMesh();
    if (own.names() != mesh.abstractMesh().names() ||
        own.sizes() != mesh.abstractMesh().sizes())
      return valueError("Mesh shape of the input ", shapeText(own),
                        " does not match the mesh shape passed to shard_map  ",
                        shapeText(mesh.abstractMesh()), " for shape ",
                        leaf.aval().longStr());
    Expected<Mesh> found =
        sharding.mesh().update({.types = mesh.abstractMesh().types()});
    if (!found)
      return found.error();
    return std::make_shared<const MeshParam>(*found);
  }
  return valueError("Please pass `jax.Array`s with a `NamedSharding` as input "
                    "to `shard_map` when passing `AbstractMesh` to the mesh "
                    "argument.");
}

/// Runs the body outside of jit, where it can look at values.
Tensors runBody(ShardMapEqn m, const ShardMapOptions &options,
                const detail::ShardMapCall &call, const Tensors &leaves,
                const std::vector<bool> &asIs) {
  if (m.mesh->sharding.mesh().empty()) {
    auto mesh = concreteMesh(*m.mesh, leaves);
    if (!mesh)
      return {Tensor(mesh.error())};
    m.mesh = *mesh;
  }
  EagerBody body(m);
  Tensors args = leaves;
  size_t next = 0;
  for (size_t i = 0; i < leaves.size(); ++i)
    if (!asIs[i])
      args[i] = body.enter(leaves[i], m.in[next++]);
  if (errorIn(args))
    return args;
  Tensors outs = body.run(call.function, args);
  if (errorIn(outs))
    return outs;
  Expected<std::vector<PartitionSpec>> specs =
      resultSpecs(m, options, call, outs);
  if (!specs)
    return {Tensor(specs.error())};
  for (size_t i = 0; i < outs.size(); ++i)
    outs[i] = body.leave(outs[i], (*specs)[i]);
  return outs;
}

/// Traces the body; fills in the jaxpr and the specs of the results.
Status traceBody(ShardMapEqn &m, const ShardMapOptions &options,
                 const detail::ShardMapCall &call,
                 const std::vector<Aval> &locals, const Tensors &leaves,
                 const std::vector<bool> &asIs) {
  ManualScope scope = m.scope();
  Expected<JaxprPtr> jaxpr = traceToJaxpr(
      [&](const Tensors &args) -> Tensors {
        Tensors all = leaves;
        size_t next = 0;
        for (size_t i = 0; i < all.size(); ++i)
          if (!asIs[i])
            all[i] = args[next++];
        Tensors outs = call.function(all);
        if (const Error *error = errorIn(outs))
          return {Tensor(*error)};
        Expected<std::vector<PartitionSpec>> specs =
            resultSpecs(m, options, call, outs);
        if (!specs)
          return {Tensor(specs.error())};
        m.out = *specs;
        for (size_t i = 0; i < outs.size(); ++i)
          outs[i] = matchSpec(outs[i], m.out[i]);
        return outs;
      },
      locals, options.name);
  if (!jaxpr)
    return jaxpr.error();
  m.jaxpr = *jaxpr;
  return {};
}

/// The specs of the arguments, after all checks of the options.
Expected<std::vector<SpecLeaf>> inputSpecs(const ShardMapEqn &m,
                                           const ShardMapOptions &options,
                                           const detail::ShardMapCall &call,
                                           const std::vector<Aval> &types) {
  bool isInferred = options.in.isLeaf() && options.in.leaf().isNone();
  auto ins = isInferred
                 ? inferredSpecs(m.outer(), m.manual, types)
                 : Expected<std::vector<SpecLeaf>>(std::vector<SpecLeaf>());
  if (!ins)
    return ins;
  for (const auto &[specs, what] :
       {std::pair<const ShardingTree &, const char *>(options.in, "in_specs"),
        {options.out, "out_specs"}}) {
    SW_TRY(checkSpecAxes(specs, what, m.manual));
    SW_TRY(checkUnreduced(m, specs, what));
    // An axis may shard one dimension only.
    AbstractMesh plain = m.outer().withTypes(m.outer().names(), AxisType::Auto);
    for (const PlacedOption &leaf : leavesOf(specs))
      if (leaf.option.spec)
        if (auto valid =
                Sharding::named(plain, *P::get(leaf.option.spec->entries()));
            !valid)
          return valid.error();
  }
  if (!isInferred)
    ins =
        specLeaves(options.in, true, types, parseArguments(call.arguments.text),
                   call.arguments.paths, call.sizes, options.argNames);
  if (!ins)
    return ins;
  SW_TRY(checkSpecRanks(*ins, true, options.name));
  SW_TRY(checkSpecSizes(*ins, m.outer(), options.name));
  SW_TRY(checkExplicit(m, *ins));
  return ins;
}

} // namespace

bool detail::isTracing(const Tensors &leaves) {
  for (const Tensor &leaf : leaves)
    if (leaf.isTraced())
      return true;
  return currentTrace() != nullptr;
}

Tensors detail::shardMap(const ShardMapOptions &options,
                         const ShardMapCall &call, const Tensors &leaves) {
  if (const Error *error = errorIn(leaves))
    return {Tensor(*error)};
  ShardMapEqn m;
  auto mesh = meshOf(options);
  if (!mesh)
    return {Tensor(mesh.error())};
  m.mesh = *mesh;
  auto manual = manualOf(options, m.outer());
  if (!manual)
    return {Tensor(manual.error())};
  m.manual = *manual;
  m.check = options.checkVma;
  std::vector<Aval> types, locals;
  for (const Tensor &leaf : leaves)
    types.push_back(leaf.aval());
  auto ins = inputSpecs(m, options, call, types);
  if (!ins)
    return {Tensor(ins.error())};
  Tensors operands;
  std::vector<bool> asIs;
  for (size_t i = 0; i < ins->size(); ++i) {
    const SpecLeaf &leaf = (*ins)[i];
    asIs.push_back(leaf.isNone);
    if (leaf.isNone)
      continue;
    m.in.push_back(leaf.spec);
    operands.push_back(leaves[i]);
    locals.push_back(m.localType(leaf.type, leaf.spec));
  }
  if (!isTracing(leaves))
    return runBody(m, options, call, leaves, asIs);
  if (Status traced = traceBody(m, options, call, locals, leaves, asIs);
      !traced)
    return {Tensor(traced.error())};
  return m.bind(operands);
}

} // namespace shardwright::frontend

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
  AxisNames wanted =
      options.axisNames.empty() ? mesh.names() : options.axisNames;
  for (const std::string &axis : wanted)
    if (mesh.find(axis) < 0)
      return valueError(
          "jax.shard_map requires axis_names=",
          AxisSet(options.axisNames).str(),
          " to be a subset of mesh.axis_names=", AxisSet(mesh.names()).str());
  AxisNames out;
  for (const std::string &axis : mesh.names())
    if (contains(wanted, axis) && mesh.typeOf(axis) != AxisType::Manual)
      out.push_back(axis);
  return out;
}

/// Specs that the types of the arguments give.
Expected<SpecTree> inferredSpecs(const AbstractMesh &mesh,
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
                     AxisSet(manual).str(), " are of type ", kinds);
  std::vector<PartitionSpec> specs;
  for (const Aval &type : types) {
    std::vector<SpecEntry> entries =
        type.spec().normalized(type.rank()).entries();
    for (SpecEntry &entry : entries) {
      AxisNames kept;
      for (const std::string &axis : entry.axes)
        if (contains(manual, axis))
          kept.push_back(axis);
      entry.axes = kept;
    }
    specs.push_back(*PartitionSpec::get(entries));
  }
  return SpecTree(specs);
}

/// Specs of arguments repeat what their types say about Explicit axes.
Status checkExplicit(const ShardMapEqn &m,
                     const std::vector<SpecLeaf> &leaves) {
  for (const SpecLeaf &leaf : leaves) {
    const PartitionSpec typeSpec = leaf.type.spec();
    for (int64_t d = 0; d < leaf.type.rank(); ++d) {
      AxisNames given, own;
      for (const std::string &axis : leaf.spec[d].axes)
        if (m.outer().typeOf(axis) == AxisType::Explicit)
          given.push_back(axis);
      for (const std::string &axis : typeSpec[d].axes)
        if (contains(m.manual, axis))
          own.push_back(axis);
      if (given != own)
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

Status checkUnreduced(const ShardMapEqn &m, const SpecTree &specs,
                      const std::string &what) {
  for (const PartitionSpec &spec : specs.specs) {
    if (spec.unreduced().empty() && spec.reduced().empty())
      continue;
    if (m.manual.size() != m.outer().names().size())
      return notImplemented("unreduced/reduced can only be passed to ", what,
                            " when shard_map is in full manual mode. Got ",
                            spec.str());
    if (!m.outer().allAre(AxisType::Explicit))
      return valueError("unreduced in ", what, " ", spec.str(),
                        " can only be used when the mesh passed to shard_map "
                        "contains axis names all of type `Explicit`. Got mesh ",
                        m.mesh->str());
    return notImplemented("unreduced/reduced axes in ", what,
                          " of shard_map are not implemented. Got ",
                          spec.str());
  }
  return {};
}

/// The specs of the results of the body, or the error that JAX gives for them.
Expected<std::vector<PartitionSpec>>
resultSpecs(const ShardMapEqn &m, const ShardMapOptions &options,
            const detail::ShardMapCall &call, const Tensors &outs) {
  std::vector<Aval> types;
  for (const Tensor &out : outs)
    types.push_back(out.aval());
  auto leaves = specLeaves(options.out, false, types, call.results.paths,
                           childSizes(call.results.paths), {});
  if (!leaves)
    return leaves.error();
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
                const detail::ShardMapCall &call, const Tensors &leaves) {
  if (m.mesh->sharding.mesh().empty()) {
    auto mesh = concreteMesh(*m.mesh, leaves);
    if (!mesh)
      return {Tensor(mesh.error())};
    m.mesh = *mesh;
  }
  EagerBody body(m);
  Tensors args;
  for (size_t i = 0; i < leaves.size(); ++i)
    args.push_back(body.enter(leaves[i], m.in[i]));
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
                 const std::vector<Aval> &locals) {
  ManualScope scope = m.scope();
  Expected<JaxprPtr> jaxpr = traceToJaxpr(
      [&](const Tensors &args) -> Tensors {
        Tensors outs = call.function(args);
        if (const Error *error = errorIn(outs))
          return {Tensor(*error)};
        Expected<std::vector<PartitionSpec>> specs =
            resultSpecs(m, options, call, outs);
        if (!specs)
          return {Tensor(specs.error())};
        m.out = *specs;
        for (size_t i = 0; i < outs.size(); ++i)
          outs[i] = varyAlong(outs[i], axesOf(m.out[i]));
        return outs;
      },
      locals, options.name);
  if (!jaxpr)
    return jaxpr.error();
  m.jaxpr = *jaxpr;
  return {};
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
  Expected<SpecTree> in = options.in
                              ? Expected<SpecTree>(*options.in)
                              : inferredSpecs(m.outer(), m.manual, types);
  if (!in)
    return {Tensor(in.error())};
  for (const auto &[specs, what] :
       {std::pair<const SpecTree &, const char *>(*in, "in_specs"),
        {options.out, "out_specs"}}) {
    if (Status good = checkSpecAxes(specs, what, m.manual); !good)
      return {Tensor(good.error())};
    if (Status good = checkUnreduced(m, specs, what); !good)
      return {Tensor(good.error())};
    // An axis may shard one dimension only.
    AbstractMesh plain = m.outer().withTypes(m.outer().names(), AxisType::Auto);
    for (const PartitionSpec &spec : specs.specs)
      if (auto valid = Sharding::named(plain, *P::get(spec.entries())); !valid)
        return {Tensor(valid.error())};
  }
  auto ins = specLeaves(*in, true, types, call.arguments.paths, call.sizes,
                        options.argNames);
  if (!ins)
    return {Tensor(ins.error())};
  if (Status good = checkSpecRanks(*ins, true, options.name); !good)
    return {Tensor(good.error())};
  if (Status good = checkSpecSizes(*ins, m.outer(), options.name); !good)
    return {Tensor(good.error())};
  if (Status good = checkExplicit(m, *ins); !good)
    return {Tensor(good.error())};
  for (const SpecLeaf &leaf : *ins) {
    m.in.push_back(leaf.spec);
    locals.push_back(m.localType(leaf.type, leaf.spec));
  }
  if (!isTracing(leaves))
    return runBody(m, options, call, leaves);
  if (Status traced = traceBody(m, options, call, locals); !traced)
    return {Tensor(traced.error())};
  return m.bind(leaves);
}

} // namespace shardwright::frontend

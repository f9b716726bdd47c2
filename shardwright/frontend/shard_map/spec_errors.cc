//===- spec_errors.cc - what is wrong with specs of shardMap --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/spec_errors.h"

#include <set>

namespace shardwright::frontend {
namespace {

/// Messages about several values start with stars.
std::string listed(const std::vector<std::string> &lines) {
  if (lines.size() == 1)
    return lines[0];
  std::string out;
  for (const std::string &line : lines)
    out += cat(out.empty() ? "* " : "\n\n* ", line);
  return out;
}

std::string meshShape(const AbstractMesh &mesh) {
  return cat("The mesh given has shape ", tupleText(Shape(mesh.sizes())),
             " with corresponding axis names ", namesText(mesh.names()), ".");
}

std::string braces(const AxisNames &names) {
  std::string out;
  for (const std::string &name : names)
    out += cat(out.empty() ? "" : ",", name);
  return cat("{", out, "}");
}

/// `, where args[0] is bound to f's parameter 'a',`.
std::string boundTo(const SpecLeaf &leaf, const std::string &function) {
  if (leaf.parameter.empty())
    return "";
  // The argument, without the way to its leaf.
  return cat(", where args",
             leaf.valuePath.substr(0, leaf.valuePath.find(']') + 1),
             " is bound to ", function, "'s parameter '", leaf.parameter, "',");
}

} // namespace

Expected<std::vector<SpecLeaf>>
specLeaves(const ShardingTree &specs, bool isInput,
           const std::vector<Aval> &types, const TreeNode &values,
           const std::vector<std::string> &paths,
           const std::vector<size_t> &sizes,
           const std::vector<std::string> &parameters) {
  Expected<std::vector<PlacedOption>> options =
      spreadSpecs(specs, values, isInput ? "in_specs" : "out_specs");
  if (!options)
    return options.error();
  std::vector<SpecLeaf> out(types.size());
  size_t child = 0, inChild = 0;
  for (size_t i = 0; i < types.size() && i < options->size(); ++i) {
    while (child < sizes.size() && inChild == sizes[child])
      ++child, inChild = 0;
    ++inChild;
    const PlacedOption &given = (*options)[i];
    out[i].isNone = !given.option.spec;
    if (given.option.spec)
      out[i].spec = *given.option.spec;
    out[i].specPath = given.path;
    out[i].valuePath = i < paths.size() ? paths[i] : "";
    if (child < parameters.size())
      out[i].parameter = parameters[child];
    out[i].type = types[i];
  }
  return out;
}

Status checkSpecAxes(const ShardingTree &specs, const std::string &what,
                     const AxisNames &manual) {
  std::string others, lines;
  for (const PlacedOption &leaf : leavesOf(specs)) {
    const ShardingOption &option = leaf.option;
    if (option.error)
      return *option.error;
    if (option.autoMesh) {
      others += cat("  ", what, leaf.path, " is ", option.autoMesh->str(),
                    " of type AutoSharding, \n\n");
      continue;
    }
    if (option.sharding.isSpecified() || option.layout) {
      others +=
          cat("  ", what, leaf.path, " is ", option.sharding.str(), " of type ",
              option.layout               ? "Format"
              : option.sharding.isNamed() ? "NamedSharding"
                                          : "SingleDeviceSharding",
              ", \n\n");
      continue;
    }
    std::string bad;
    if (option.spec)
      for (const std::string &axis : axesOf(*option.spec))
        if (!contains(manual, axis))
          bad += cat(bad.empty() ? "'" : ", '", axis, "'");
    if (!bad.empty())
      lines += cat(lines.empty() ? "" : "\n\n", "  ", what, leaf.path,
                   " refers to ", bad);
  }
  if (!others.empty())
    return typeError("shard_map ", what,
                     " argument must be a pytree of "
                     "`jax.sharding.PartitionSpec` instances, but:\n\n",
                     others, "Check the ", what,
                     " values passed to shard_map.");
  if (lines.empty())
    return {};
  return valueError("shard_map ", what,
                    " argument must refer to an axis marked as manual (",
                    AxisSet(manual).repr(), "), but:\n\n", lines,
                    "\n\nCheck the ", what, " values passed to shard_map.");
}

Status checkSpecRanks(const std::vector<SpecLeaf> &leaves, bool isInput,
                      const std::string &function) {
  const char *what = isInput ? "in_specs" : "out_specs";
  const char *word = isInput ? "input" : "output";
  std::vector<std::string> lines;
  bool anyScalar = false;
  for (const SpecLeaf &leaf : leaves) {
    auto length = static_cast<int64_t>(leaf.spec.entries().size());
    int64_t rank = leaf.type.rank();
    if (length <= rank)
      continue;
    anyScalar |= rank == 0;
    std::string value = isInput ? cat("the passed args", leaf.valuePath,
                                      boundTo(leaf, function))
                                : cat(function, "(*args)", leaf.valuePath);
    lines.push_back(cat(what, leaf.specPath, " is ", leaf.spec.str(),
                        " which has length ", length, ", but ", value,
                        " has shape ", leaf.type.longStr(), ", which has rank ",
                        rank, " (and ", rank, " < ", length, ")"));
  }
  if (lines.empty())
    return {};
  std::string scalars;
  if (anyScalar)
    scalars = cat("\n\nFor scalar values (rank 0), consider using an ", what,
                  " entry of `P()`, where `P = jax.sharding.PartitionSpec`.");
  if (anyScalar && !isInput)
    scalars += " In particular, for rank 0 outputs which are not constant over "
               "the mesh, add at least one (singleton) axis to them so that "
               "they can be concatenated using out_specs.";
  return valueError(
      "shard_map applied to the function '", function, "' was given an ", what,
      " entry which is too long to be compatible with the corresponding ", word,
      " value from the function:\n\n", listed(lines), "\n\nEntries in ", what,
      " must be of length no greater than the number of axes in the "
      "corresponding ",
      word, " value.\n\nEither revise the spec to be shorter, or modify '",
      function, "' so that its ", word, "s have sufficient rank.", scalars);
}

Status checkSpecSizes(const std::vector<SpecLeaf> &leaves,
                      const AbstractMesh &mesh, const std::string &function) {
  std::vector<std::string> lines;
  for (const SpecLeaf &leaf : leaves)
    for (int64_t d = 0; d < leaf.type.rank(); ++d) {
      const AxisNames &axes = leaf.spec[d].axes;
      int64_t ways = sizeOf(mesh, axes), size = leaf.type.shape[d];
      if (size % ways == 0)
        continue;
      std::string which = axes.size() == 1 ? cat("mesh axis '", axes[0],
                                                 "' (of size ", ways, ")")
                                           : cat("mesh axes ", namesText(axes),
                                                 " (of total size ", ways, ")");
      lines.push_back(cat(
          "the passed args", leaf.valuePath, " of shape ", leaf.type.longStr(),
          boundTo(leaf, function), leaf.parameter.empty() ? "," : "",
          " corresponds to in_specs", leaf.specPath, " of value ",
          leaf.spec.str(), ", which maps array axis ", d, " (of size ", size,
          ") to ", which, ", but ", ways, " does not evenly divide ", size));
    }
  if (lines.empty())
    return {};
  return valueError(
      "shard_map applied to the function '", function,
      "' was given argument arrays with axis sizes that are not evenly "
      "divisible by the corresponding mesh axis sizes:\n\n",
      meshShape(mesh), "\n\n", listed(lines),
      "\n\nArray arguments' axis sizes must be evenly divisible by the mesh "
      "axis or axes indicated by the corresponding elements of the argument's "
      "in_specs entry. Consider checking that in_specs are correct, and if so "
      "consider changing the mesh axis sizes or else padding the input and "
      "adapting '",
      function, "' appropriately.");
}

Status checkReplication(const std::vector<SpecLeaf> &leaves,
                        const ShardMapEqn &eqn, const std::string &function) {
  std::vector<std::string> lines;
  for (const SpecLeaf &leaf : leaves) {
    AxisNames own;
    for (const std::string &axis : eqn.manual)
      if (contains(leaf.type.varying, axis) ||
          contains(leaf.type.unreduced, axis) ||
          contains(leaf.type.reduced, axis))
        own.push_back(axis);
    AxisNames mentioned = axesOf(leaf.spec);
    for (const auto *set : {&leaf.spec.unreduced(), &leaf.spec.reduced()})
      mentioned.insert(mentioned.end(), set->begin(), set->end());
    AxisNames missing = without(own, mentioned);
    if (missing.empty())
      continue;
    AxisNames unmentioned = without(eqn.manual, mentioned), kept;
    for (const std::string &axis : eqn.outer().names())
      if (contains(mentioned, axis))
        kept.push_back(axis);
    std::string implied =
        unmentioned.size() > 1
            ? cat("is only varying across mesh axes ", braces(kept),
                  " and not ", braces(missing),
                  ", but it was inferred to be possibly varying over ",
                  braces(own))
            : cat("is replicated across mesh axis '", unmentioned[0],
                  "', but could not infer replication over any axes");
    lines.push_back(cat("out_specs", leaf.specPath, " is ", leaf.spec.str(),
                        " which implies that the corresponding output value ",
                        implied));
  }
  if (lines.empty())
    return {};
  return valueError(
      "shard_map applied to the function '", function,
      "' was given out_specs which require replication which can't be "
      "statically inferred given the mesh:\n\n",
      meshShape(eqn.outer()), "\n\n", listed(lines),
      "\n\nCheck if these output values are meant to be replicated over those "
      "mesh axes. If not, consider revising the corresponding out_specs "
      "entries. If so, consider disabling the check by passing the "
      "check_vma=False argument to `jax.shard_map`.");
}

} // namespace shardwright::frontend

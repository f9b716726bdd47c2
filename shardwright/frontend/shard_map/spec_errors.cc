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
  return cat(", where args", leaf.valuePath, " is bound to ", function,
             "'s parameter '", leaf.parameter, "',");
}

Error treeError(bool isInput, size_t specs, size_t values) {
  const char *what = isInput ? "in_specs" : "out_specs";
  return valueError("pytree structure error: different lengths of tuple at key "
                    "path\n    shard_map ",
                    what, "\nAt that key path, the prefix pytree shard_map ",
                    what, " has a subtree of type tuple of length ", specs,
                    ", but the full pytree has a subtree of the same type but "
                    "of length ",
                    values, ".");
}

} // namespace

Expected<std::vector<SpecLeaf>>
specLeaves(const SpecTree &specs, bool isInput, const std::vector<Aval> &types,
           const std::vector<std::string> &paths,
           const std::vector<size_t> &sizes,
           const std::vector<std::string> &parameters) {
  std::vector<SpecLeaf> out(types.size());
  bool perChild = specs.isTuple && specs.specs.size() == sizes.size();
  bool perLeaf = specs.isTuple && specs.specs.size() == types.size();
  if (specs.isTuple && !perChild && !perLeaf)
    return treeError(isInput, specs.specs.size(),
                     sizes.empty() ? types.size() : sizes.size());
  size_t child = 0, inChild = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    while (child < sizes.size() && inChild == sizes[child])
      ++child, inChild = 0;
    ++inChild;
    size_t at = !specs.isTuple ? 0 : perChild ? child : i;
    out[i].spec = specs.specs[at];
    if (specs.isTuple)
      out[i].specPath = perChild ? cat("[", child, "]") : paths[i];
    out[i].valuePath = i < paths.size() ? paths[i] : "";
    if (child < parameters.size())
      out[i].parameter = parameters[child];
    out[i].type = types[i];
  }
  return out;
}

Status checkSpecAxes(const SpecTree &specs, const std::string &what,
                     const AxisNames &manual) {
  std::string lines;
  for (size_t i = 0; i < specs.specs.size(); ++i) {
    std::string bad;
    for (const std::string &axis : axesOf(specs.specs[i]))
      if (!contains(manual, axis))
        bad += cat(bad.empty() ? "'" : ", '", axis, "'");
    if (!bad.empty())
      lines += cat(lines.empty() ? "" : "\n\n", "  ", what,
                   specs.isTuple ? cat("[", i, "]") : "", " refers to ", bad);
  }
  if (lines.empty())
    return {};
  return valueError("shard_map ", what,
                    " argument must refer to an axis marked as manual (",
                    AxisSet(manual).str(), "), but:\n\n", lines,
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
      if (contains(leaf.type.varying, axis))
        own.push_back(axis);
    AxisNames mentioned = axesOf(leaf.spec), missing = without(own, mentioned);
    if (missing.empty())
      continue;
    AxisNames unmentioned = eqn.unmentioned(leaf.spec), kept;
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

//===- mapped_axes.cc - the mapped dimensions of one call of pmap ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/mapped_axes.h"

#include "shardwright/frontend/api/mapped_sizes.h"
#include "shardwright/frontend/array/value.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// The name of `Keywords` in the structure of arguments.
constexpr const char *keywordsName = "kwargs";

bool isKeywords(const TreeNode &node) {
  return node.kind == TreeNode::Kind::Struct && node.name == keywordsName;
}

/// `inAxes` without the entries of Static arguments.
AxesTree dynamicAxes(const AxesTree &axes, const TreeNode &arguments) {
  size_t keywords = std::count_if(arguments.children.begin(),
                                  arguments.children.end(), isKeywords);
  bool isTuple = axes.kind() == AxesTree::Kind::Braces ||
                 axes.kind() == AxesTree::Kind::Tuple;
  if (!isTuple ||
      axes.children().size() + keywords != arguments.children.size())
    return axes;
  std::vector<AxesTree> kept;
  size_t next = 0;
  for (const TreeNode &argument : arguments.children) {
    if (isKeywords(argument))
      continue;
    if (argument.kind != TreeNode::Kind::Static)
      kept.push_back(axes.children()[next]);
    ++next;
  }
  return AxesTree::braces(std::move(kept));
}

Error notAPrefix(const Error &error, bool hasKeywords) {
  return valueError(
      error.text,
      "\n\nThe 'full pytree' here is the tuple of arguments passed "
      "positionally to the pmapped function, and the value of `in_axes` must "
      "be a tree prefix of that tuple. But it was not a prefix.",
      hasKeywords
          ? "\n\nWhen some arguments are passed by keyword to the pmapped "
            "function, they are not included in the comparison to `in_axes`. "
            "Instead, each argument passed by keyword is mapped over its "
            "leading axis. See the description of `in_axes` in the `pmap` "
            "docstring: "
            "https://docs.jax.dev/en/latest/_autosummary/jax.pmap.html#jax.pmap"
          : "",
      "\n\nCheck that the value of the `in_axes` argument to `pmap` is a tree "
      "prefix of the tuple of arguments passed positionally to the pmapped "
      "function.");
}

/// The dimension of each leaf as the options say it: possibly negative.
Expected<std::vector<MappedAxis>> givenAxes(const PmapOptions &options,
                                            const TreeNode &arguments) {
  TreeNode positional = withoutStatic(arguments);
  bool hasKeywords = std::erase_if(positional.children, isKeywords) != 0;
  auto given = dynamicAxes(options.inAxes, arguments)
                   .spread(positional, "pmap in_axes", "pmap in_axes[0]");
  if (!given)
    return notAPrefix(given.error(), hasKeywords);
  // Keywords may stand between other arguments.
  std::vector<MappedAxis> out;
  size_t next = 0;
  for (const TreeNode &argument : arguments.children) {
    if (argument.kind == TreeNode::Kind::Static)
      continue;
    for (size_t k = argument.numLeaves(); k-- > 0;)
      out.push_back(isKeywords(argument) ? MappedAxis(0) : (*given)[next++]);
  }
  return out;
}

Status checkStatic(const PmapOptions &options, const TreeNode &arguments) {
  auto count = static_cast<int64_t>(arguments.children.size());
  Ints numbers;
  for (int64_t i = 0; i < count; ++i)
    if (arguments.children[i].kind == TreeNode::Kind::Static)
      numbers.push_back(i);
  for (int64_t position : options.staticBroadcasted) {
    if (position >= count)
      return valueError("pmapped function has static_broadcasted_argnums=",
                        tupleText(options.staticBroadcasted),
                        " but was called with only ", count,
                        " positional argument", count > 1 ? "s" : "",
                        ". All static broadcasted arguments must be passed "
                        "positionally.");
    if (position < 0 ||
        std::find(numbers.begin(), numbers.end(), position) == numbers.end())
      return typeError(
          "static_broadcasted_argnums=", tupleText(options.staticBroadcasted),
          " names argument ", position,
          ", which is not of type Static. Pass it as "
          "Static(value).");
  }
  for (int64_t i : numbers)
    if (std::find(options.donate.begin(), options.donate.end(), i) !=
        options.donate.end())
      return valueError("`static_argnums` [", i, "] and `donate_argnums` [", i,
                        "] cannot intersect.");
  return {};
}

/// The error that mapped dimensions have several sizes.
Error sizesDiffer(const PmapOptions &options, const JitCore::Call &call,
                  const Tensors &leaves, const std::vector<MappedAxis> &axes) {
  Ints dims;
  for (const MappedAxis &axis : axes)
    dims.push_back(axis.value_or(-1));
  std::vector<std::string> names;
  for (size_t argument = 0; argument < call.sizes.size(); ++argument)
    for (size_t k = 0; k < call.sizes[argument]; ++k)
      names.push_back(argumentName(call.arguments.paths[names.size()], argument,
                                   options.argNames));
  return inconsistentSizes("pmap", leaves, dims, -1, names);
}

/// The axis of a dimension that may be counted from the end.
int64_t fromFront(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

/// True for a number of C++.
bool isNumber(const Tensor &x) {
  const ArrayValue *array = asArray(x);
  return array && array->isLiteral;
}

Error outOfRange(int64_t axis, const Tensor &x) {
  return valueError("pmap in_axes axis ", axis, " is out of range for shape ",
                    tupleText(x.shape()));
}

} // namespace

Status checkPmapOptions(const PmapOptions &options) {
  if (options.devices && options.devices->empty())
    return valueError("'devices' argument to pmap must be non-empty, or None.");
  for (const auto &[axes, what] :
       {std::pair<const AxesTree &, const char *>(options.inAxes, "in_axes"),
        {options.outAxes, "out_axes"}})
    if (axes.hasMistake())
      return typeError("pmap ", what,
                       " must be an int, None, or (nested) container with "
                       "those types as leaves, but got ",
                       axes.str(), ".");
  return {};
}

Expected<MappedAxes> mappedAxes(const PmapOptions &options,
                                const JitCore::Call &call,
                                const Tensors &leaves) {
  TreeNode arguments = parseArguments(call.arguments.text);
  SW_TRY(checkStatic(options, arguments));
  Expected<std::vector<MappedAxis>> given = givenAxes(options, arguments);
  if (!given)
    return given.error();
  MappedAxes out;
  out.in = *given;
  std::optional<int64_t> size;
  bool differ = false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!out.in[i])
      continue;
    int64_t rank = leaves[i].rank();
    int64_t axis = fromFront(*out.in[i], rank);
    bool isInRange = axis >= 0 && axis < rank;
    // A number does not say the size of the axis: an array after it may.
    if (!isInRange && !size && isNumber(leaves[i]))
      continue;
    if (!isInRange)
      return outOfRange(*out.in[i], leaves[i]);
    out.in[i] = axis;
    differ |= size && *size != leaves[i].dim(axis);
    size = size.value_or(leaves[i].dim(axis));
  }
  if (!size)
    return valueError(
        "pmap requires at least one argument with a mapped axis.");
  for (size_t i = 0; i < leaves.size(); ++i)
    if (out.in[i] && leaves[i].rank() == 0)
      return outOfRange(*out.in[i], leaves[i]);
  if (options.axisSize && *options.axisSize != *size)
    return valueError("Specified axis_size ", *options.axisSize,
                      " doesn't match received axis_size ", *size, ".");
  if (differ)
    return sizesDiffer(options, call, leaves, out.in);
  out.size = *size;
  int64_t leaf = 0;
  for (size_t argument = 0; argument < call.sizes.size(); ++argument)
    for (size_t k = 0; k < call.sizes[argument]; ++k, ++leaf)
      if (std::find(options.donate.begin(), options.donate.end(),
                    static_cast<int64_t>(argument)) != options.donate.end())
        out.donated.push_back(leaf);
  return out;
}

Expected<std::vector<Device>> devicesOf(const PmapOptions &options,
                                        int64_t size) {
  if (size == 0)
    return valueError("pmap requires a mapped axis of at least 1 element, but "
                      "the mapped axis has size 0.");
  std::vector<Device> all = options.devices ? *options.devices : devices();
  if (options.devices && size != static_cast<int64_t>(all.size())) {
    std::string list;
    for (Device device : all)
      list += cat(list.empty() ? "" : ", ", device.str());
    return valueError("Leading axis size of input to pmapped function must "
                      "equal the number of local devices passed to pmap. Got "
                      "axis_size=",
                      size, ", num_local_devices=", all.size(),
                      ".\n(Local devices available to pmap: ", list, ")");
  }
  if (size > static_cast<int64_t>(all.size()))
    return valueError("compiling computation that requires ", size,
                      " logical devices, but only ", all.size(),
                      " XLA devices are available (num_replicas=", size, ")");
  all.resize(size);
  return all;
}

Expected<std::vector<MappedAxis>>
resultAxes(const AxesTree &axes, const TreeDef &results, const Tensors &outs) {
  const std::string root = "broadcast_prefix prefix_tree";
  auto given = axes.spread(parseTree(results.text), root, root);
  if (!given)
    return given;
  for (size_t i = 0; i < outs.size(); ++i) {
    MappedAxis &axis = (*given)[i];
    if (!axis)
      continue;
    int64_t rank = outs[i].rank() + 1, own = fromFront(*axis, rank);
    if (own < 0 || own >= rank)
      return valueError("axis ", *axis,
                        " is out of bounds for array of dimension ", rank);
    axis = own;
  }
  return given;
}

PartitionSpec specOfAxis(const MappedAxis &axis, const AxisNames &names) {
  if (!axis)
    return {};
  // Results without this axis are an error, where their rank is known.
  constexpr int64_t most = 1 << 16;
  std::vector<SpecEntry> entries(std::clamp<int64_t>(*axis, 0, most));
  entries.emplace_back(names);
  return *PartitionSpec::get(std::move(entries));
}

} // namespace shardwright::frontend

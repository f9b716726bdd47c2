//===- sharding_tree.cc - shardings of the leaves of trees ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/sharding_tree.h"

#include "shardwright/frontend/api/spread_prefix.h"
#include "shardwright/frontend/api/text_diff.h"

#include <algorithm>

namespace shardwright::frontend {

ShardingTree::ShardingTree(const Expected<Sharding> &s) {
  if (s)
    option.sharding = *s;
  else
    option.error = s.error();
}

ShardingTree::ShardingTree(const Format &format) {
  option.sharding = format.sharding();
  option.layout = format.layout();
}

ShardingTree::ShardingTree(const Expected<Format> &format) {
  if (format)
    *this = ShardingTree(*format);
  else
    option.error = format.error();
}

ShardingTree::ShardingTree(const Layout &layout) {
  option.error =
      valueError("`jax.jit` does not accept device-local layouts directly. "
                 "Create a `Format` instance wrapping this device-local layout "
                 "and pass that to `jit` instead. Got ",
                 layout.str());
}

ShardingTree::ShardingTree(std::initializer_list<ShardingTree> list) {
  if (list.size() == 1 && list.begin()->isLeaf()) {
    *this = *list.begin();
    return;
  }
  shape = Kind::Braces;
  nodes = list;
}

ShardingTree ShardingTree::braces(std::vector<ShardingTree> children) {
  ShardingTree out;
  out.shape = Kind::Braces;
  out.nodes = std::move(children);
  return out;
}

std::string ShardingTree::step(size_t child) const {
  return shape == Kind::Dict ? cat("[", quotedKey(names[child]), "]")
                             : cat("[", child, "]");
}

namespace {

using Kind = ShardingTree::Kind;
using NodeKind = TreeNode::Kind;

std::string typeOf(const ShardingTree &tree) {
  return tree.kind() == Kind::List   ? "list"
         : tree.kind() == Kind::Dict ? "dict"
                                     : "tuple";
}

/// True if the containers have one type; their sizes may differ.
bool sameType(const ShardingTree &tree, const TreeNode &values) {
  switch (tree.kind()) {
  case Kind::Leaf:
    return true;
  case Kind::Braces:
    return values.kind == NodeKind::Tuple || values.kind == NodeKind::List ||
           values.kind == NodeKind::Struct;
  case Kind::Tuple:
    return values.kind == NodeKind::Tuple;
  case Kind::List:
    return values.kind == NodeKind::List;
  case Kind::Dict:
    return values.kind == NodeKind::Dict || values.kind == NodeKind::Struct;
  }
  return false;
}

std::string joined(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &word : words)
    out += cat(out.empty() ? "" : " ", word);
  return out;
}

class Matcher {
public:
  /// `leaf`: the name of the type of leaves.
  Matcher(std::string r, std::string leaf, bool none)
      : root(std::move(r)), leafType(std::move(leaf)), takesNone(none) {}
  /// Appends the option of each leaf of `values`; or says what differs.
  void match(const ShardingTree &tree, const TreeNode &values,
             const std::string &path) {
    std::string where = cat(" at key path\n    ", path,
                            "\nAt that key path, the prefix pytree ", root,
                            " has a subtree of type");
    if (tree.isLeaf() && (takesNone || !tree.leaf().isNone())) {
      out.insert(out.end(), values.numLeaves(),
                 {tree.leaf(), path.substr(root.size())});
      return;
    }
    size_t n = tree.children().size(), m = values.children.size();
    if (tree.isLeaf() || !sameType(tree, values))
      return fail("different types", where, "\n    <class '",
                  tree.isLeaf() ? "NoneType" : typeOf(tree),
                  "'>\nbut at the same key path the full pytree has a subtree "
                  "of different type\n    <class '",
                  values.isLeaf() ? leafType : values.typeName(), "'>.");
    bool isDict = tree.kind() == Kind::Dict;
    if (n != m && !isDict)
      return fail("different lengths of ", values.typeName(), where, " ",
                  values.typeName(), " of length ", n,
                  ", but the full pytree has a subtree of the same type but "
                  "of length ",
                  m, ".");
    if (n != m)
      return fail("different numbers of pytree children", where,
                  "\n    <class '", values.typeName(), "'>\nwith ", n,
                  " child keys\n    ", joined(tree.keys()),
                  "\nbut at the same key path the full pytree has a subtree of "
                  "the same type but with ",
                  m, " child keys\n    ", joined(values.keys),
                  "\nso the symmetric difference on key sets is\n    ",
                  joined(difference(values.keys, tree.keys())));
    std::vector<size_t> order(m);
    for (size_t i = 0; i < m; ++i)
      order[i] = isDict ? std::find(tree.keys().begin(), tree.keys().end(),
                                    values.keys[i]) -
                              tree.keys().begin()
                        : i;
    if (std::find(order.begin(), order.end(), n) != order.end())
      return fail("different pytree metadata", where, "\n    <class '",
                  values.typeName(), "'>\nwith metadata\n    ",
                  keysText(tree.keys()),
                  "\nbut at the same key path the full pytree has a subtree of "
                  "the same type but with metadata\n    ",
                  keysText(values.keys),
                  "\nso the diff in the metadata at these pytree nodes is",
                  diffText(keysText(tree.keys()), keysText(values.keys)));
    for (size_t i = 0; i < m; ++i)
      match(tree.children()[order[i]], values.children[i],
            path + values.step(i));
  }

  std::vector<PlacedOption> out;
  std::vector<std::string> errors;

private:
  /// `pjit in_shardings`.
  const std::string root, leafType;
  /// None is an option, not a container without leaves.
  const bool takesNone;

  template <typename... Parts> void fail(const Parts &...parts) {
    errors.push_back(cat("pytree structure error: ", parts...));
  }
  static std::vector<std::string>
  difference(const std::vector<std::string> &a,
             const std::vector<std::string> &b) {
    std::vector<std::string> out;
    for (const auto *pair : {&a, &b})
      for (const std::string &word : *pair)
        if (const auto &other = pair == &a ? b : a;
            std::find(other.begin(), other.end(), word) == other.end())
          out.push_back(word);
    return out;
  }
  /// The lines of a comparison, indented.
  static std::string diffText(const std::string &a, const std::string &b) {
    std::string out;
    for (const std::string &line : diffLines(a, b))
      out += "\n    " + line;
    return out;
  }
};

} // namespace

Expected<std::vector<ShardingOption>> spreadShardings(const ShardingTree &tree,
                                                      const TreeNode &values,
                                                      const std::string &what) {
  std::string path = "pjit " + what;
  Matcher matcher(path, "jax._src.api_util.PytreeLeaf", /*none=*/true);
  if (what != "in_shardings" || tree.isLeaf()) {
    matcher.match(tree, values, path);
  } else {
    std::string problem;
    if (tree.kind() == Kind::Dict)
      problem = "not a tuple: got <class 'dict'> instead.";
    else if (tree.children().size() != values.children.size())
      problem = cat("the wrong length: got a tuple or list of length ",
                    tree.children().size(), " for an args tuple of length ",
                    values.children.size(), ".");
    if (!problem.empty())
      return valueError(
          path,
          " specification must be a tree prefix of the positional arguments "
          "tuple. In particular, ",
          path,
          " must either be a Sharding, a PartitionSpec, or a tuple of length "
          "equal to the number of positional arguments. But ",
          path, " is ", problem);
    for (size_t i = 0; i < values.children.size(); ++i)
      matcher.match(tree.children()[i], values.children[i],
                    cat(path, "[", i, "]"));
  }
  if (matcher.errors.empty()) {
    std::vector<ShardingOption> out;
    for (PlacedOption &one : matcher.out)
      out.push_back(std::move(one.option));
    return out;
  }
  std::string text =
      cat("Mismatch details (", matcher.errors.size(), " found):");
  for (const std::string &error : matcher.errors)
    text += "\n" + error;
  return valueError(text);
}

static void addLeaves(const ShardingTree &tree, const std::string &path,
                      std::vector<PlacedOption> &out) {
  if (tree.isLeaf())
    out.push_back({tree.leaf(), path});
  for (size_t i = 0; i < tree.children().size(); ++i)
    addLeaves(tree.children()[i], path + tree.step(i), out);
}
std::vector<PlacedOption> leavesOf(const ShardingTree &tree) {
  std::vector<PlacedOption> out;
  addLeaves(tree, "", out);
  return out;
}

Expected<std::vector<PlacedOption>> spreadSpecs(const ShardingTree &tree,
                                                const TreeNode &values,
                                                const std::string &what) {
  std::string root = "shard_map " + what;
  Matcher matcher(root, "jax.Array", /*none=*/what == "in_specs");
  matcher.match(tree, values, root);
  if (!matcher.errors.empty())
    return valueError(matcher.errors[0]);
  return std::move(matcher.out);
}

Expected<std::vector<PlacedOption>> spreadPrefix(const ShardingTree &tree,
                                                 const TreeNode &values,
                                                 const std::string &root,
                                                 const std::string &path) {
  Matcher matcher(root, "jax.Array", /*none=*/true);
  matcher.match(tree, values, path);
  if (!matcher.errors.empty())
    return valueError(matcher.errors[0]);
  return std::move(matcher.out);
}

} // namespace shardwright::frontend

//===- sharding_tree.h - shardings of the leaves of trees -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_SHARDING_TREE_H
#define SHARDWRIGHT_FRONTEND_API_SHARDING_TREE_H

#include "shardwright/frontend/api/tree_node.h"
#include "shardwright/frontend/mesh/layout.h"

#include <map>
#include <tuple>

namespace shardwright::frontend {

/// In options of jit: a search chooses the sharding over the mesh with which a
/// step is predicted to take the least time, together with those of arguments
/// and results that have none. Compiled stages say what was chosen, their
/// `report` also what else was tried. JitOptions::compilerOptions of the
/// search: `shardwright_auto` (false: propagation chooses),
/// `shardwright_machine`, `shardwright_memory`, `shardwright_auto_effort`. In a
/// function that another one calls, propagation chooses. A program keeps
/// arguments that it does not use if one has this option. JAX had this as AUTO.
struct AutoSharding {
  explicit AutoSharding(Mesh m) : mesh(std::move(m)) {}
  Mesh mesh;
};

/// A sharding in JitOptions or ShardMapOptions: a Sharding, an AutoSharding, a
/// PartitionSpec over the mesh in context at the call or that of the shardMap,
/// a Format, or nothing (None).
struct ShardingOption {
  Sharding sharding;
  std::optional<PartitionSpec> spec;
  std::optional<Layout> layout;
  /// Of an AutoSharding.
  std::optional<Mesh> autoMesh;
  /// Is that of the call.
  std::optional<Error> error;

  bool isNone() const {
    return !spec && !layout && !error && !autoMesh && !sharding.isSpecified();
  }
};

/// Shardings of the arguments or of the result of a jitted function or of a
/// shardMap: a tree that ends before or at the leaves of the tree of values. A
/// sharding in place of a container is that of all leaves in it.
///
///   .inShardings = s                    for all arguments
///   .inShardings = {s, t}               one for each argument
///   .inShardings = {s, {t, None}}       the second argument has two children
///   .outShardings = std::map<std::string, ShardingTree>{{"w", s}, {"b", t}}
///
/// Braces stand for a tuple, list or struct of as many children; `{s}` is `s`.
/// A std::map stands for a map or a struct, by the names of its fields.
class ShardingTree {
public:
  enum class Kind : uint8_t { Leaf, Braces, Tuple, List, Dict };

  ShardingTree() = default;
  ShardingTree(std::nullopt_t) {}
  ShardingTree(Sharding s) { option.sharding = std::move(s); }
  /// An error is that of the call.
  ShardingTree(const Expected<Sharding> &s);
  ShardingTree(PartitionSpec s) { option.spec = std::move(s); }
  ShardingTree(AutoSharding s) { option.autoMesh = std::move(s.mesh); }
  ShardingTree(const Format &format);
  ShardingTree(const Expected<Format> &format);
  /// An error: a layout needs a Format around it.
  ShardingTree(const Layout &layout);
  ShardingTree(std::initializer_list<ShardingTree> list);
  template <typename T>
    requires std::is_convertible_v<T, ShardingTree>
  ShardingTree(const std::vector<T> &list)
      : shape(Kind::List), nodes(list.begin(), list.end()) {}
  template <typename T>
    requires std::is_convertible_v<T, ShardingTree>
  ShardingTree(const std::map<std::string, T> &map) : shape(Kind::Dict) {
    for (const auto &[key, value] : map) {
      names.push_back(key);
      nodes.push_back(value);
    }
  }
  template <typename... T>
    requires(std::is_convertible_v<T, ShardingTree> && ...)
  ShardingTree(const std::tuple<T...> &tuple) : shape(Kind::Tuple) {
    std::apply([&](const T &...x) { (nodes.push_back(x), ...); }, tuple);
  }
  template <typename A, typename B>
  ShardingTree(const std::pair<A, B> &pair)
      : ShardingTree(std::tuple<A, B>(pair)) {}

  /// As braces, of any number of children.
  static ShardingTree braces(std::vector<ShardingTree> children);

  Kind kind() const { return shape; }
  bool isLeaf() const { return shape == Kind::Leaf; }
  const ShardingOption &leaf() const { return option; }
  const std::vector<ShardingTree> &children() const { return nodes; }
  /// Of a dictionary: one for each child.
  const std::vector<std::string> &keys() const { return names; }
  /// `[0]`, `['w']`: the step to a child.
  std::string step(size_t child) const;

private:
  Kind shape = Kind::Leaf;
  ShardingOption option;
  std::vector<ShardingTree> nodes;
  std::vector<std::string> names;
};

/// One option for each leaf of `values`, or JAX's error that `tree` is no
/// prefix of it. `what`: `in_shardings`, whose values are the tuple of
/// arguments, or `out_shardings`.
Expected<std::vector<ShardingOption>> spreadShardings(const ShardingTree &tree,
                                                      const TreeNode &values,
                                                      const std::string &what);

/// An option and its place in the tree of options: `[0]['w']`.
struct PlacedOption {
  ShardingOption option;
  std::string path;
};
/// All leaves of a tree of options.
std::vector<PlacedOption> leavesOf(const ShardingTree &tree);
/// One option for each leaf of `values`, or JAX's error for specs of a shardMap
/// that are no prefix of it. `what`: `in_specs` or `out_specs`.
Expected<std::vector<PlacedOption>> spreadSpecs(const ShardingTree &tree,
                                                const TreeNode &values,
                                                const std::string &what);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_SHARDING_TREE_H

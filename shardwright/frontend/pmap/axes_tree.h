//===- axes_tree.h - the mapped dimension of each leaf ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PMAP_AXES_TREE_H
#define SHARDWRIGHT_FRONTEND_PMAP_AXES_TREE_H

#include "shardwright/frontend/api/sharding_tree.h"

#include <functional>

namespace shardwright::frontend {

/// The dimension of each leaf that pmap maps: a tree that ends before or at the
/// leaves of the tree of values, as ShardingTree. Its leaves are integers, of
/// which negative ones count from the end, and None: not mapped.
///
///   .inAxes = 0                      dimension 0 of all leaves
///   .inAxes = {1, None}              one entry for each argument
///   .outAxes = std::map<std::string, AxesTree>{{"w", 0}, {"b", None}}
///
/// Braces stand for a tuple, list or struct; `{0}` is `0`. Numbers that are no
/// integers, and texts, are an error of the call.
class AxesTree {
public:
  using Kind = ShardingTree::Kind;

  AxesTree() : AxesTree(0) {}
  AxesTree(std::nullopt_t) : text("None") {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  AxesTree(T number) {
    if constexpr (std::is_same_v<T, bool>)
      setMistake(number ? "True" : "False");
    else if constexpr (std::is_integral_v<T>)
      setAxis(static_cast<int64_t>(number));
    else
      setFraction(static_cast<double>(number));
  }
  AxesTree(const char *word) : text(word ? word : ""), isWord(true) {}
  AxesTree(std::initializer_list<AxesTree> list);
  template <typename T>
    requires std::is_convertible_v<T, AxesTree>
  AxesTree(const std::vector<T> &list)
      : shape(Kind::List), nodes(list.begin(), list.end()) {}
  template <typename T>
    requires std::is_convertible_v<T, AxesTree>
  AxesTree(const std::map<std::string, T> &map) : shape(Kind::Dict) {
    for (const auto &[key, value] : map) {
      names.push_back(key);
      nodes.push_back(value);
    }
  }
  template <typename... T>
    requires(std::is_convertible_v<T, AxesTree> && ...)
  AxesTree(const std::tuple<T...> &tuple) : shape(Kind::Tuple) {
    std::apply([&](const T &...x) { (nodes.push_back(x), ...); }, tuple);
  }
  template <typename A, typename B>
  AxesTree(const std::pair<A, B> &pair) : AxesTree(std::tuple<A, B>(pair)) {}
  /// As braces, of any number of children.
  static AxesTree braces(std::vector<AxesTree> children);

  Kind kind() const { return shape; }
  bool isLeaf() const { return shape == Kind::Leaf; }
  const std::vector<AxesTree> &children() const { return nodes; }
  /// Of a leaf; nothing for None.
  const std::optional<int64_t> &axis() const { return value; }
  /// True if some leaf is neither an integer nor None.
  bool hasMistake() const;
  /// True if some leaf is negative.
  bool countsFromEnd() const;
  /// As Python prints it: `(0, None)`, `{'w': 0}`.
  std::string str() const;
  /// The tree with an option in place of each leaf.
  ShardingTree mapped(
      const std::function<ShardingTree(const std::optional<int64_t> &)> &option)
      const;
  /// One dimension for each leaf of `values`, or JAX's error that this tree is
  /// no prefix of it, with `root` and `path` as in spreadPrefix.
  Expected<std::vector<std::optional<int64_t>>>
  spread(const TreeNode &values, const std::string &root,
         const std::string &path) const;

private:
  void setAxis(int64_t axis);
  void setMistake(std::string what);
  void setFraction(double number);

  Kind shape = Kind::Leaf;
  std::optional<int64_t> value;
  std::string text; ///< of a leaf
  bool isMistake = false, isWord = false;
  std::vector<AxesTree> nodes;
  std::vector<std::string> names;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PMAP_AXES_TREE_H

//===- axes_tree.cc - the mapped dimension of each leaf -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/axes_tree.h"

#include "shardwright/frontend/api/spread_prefix.h"

#include <cstdio>

namespace shardwright::frontend {

AxesTree::AxesTree(std::initializer_list<AxesTree> list) {
  if (list.size() == 1 && list.begin()->isLeaf()) {
    *this = *list.begin();
    return;
  }
  shape = Kind::Braces;
  nodes = list;
}

AxesTree AxesTree::braces(std::vector<AxesTree> children) {
  AxesTree out;
  out.shape = Kind::Braces;
  out.nodes = std::move(children);
  return out;
}

void AxesTree::setAxis(int64_t axis) {
  value = axis;
  text = cat(axis);
}

void AxesTree::setMistake(std::string what) {
  isMistake = true;
  text = std::move(what);
}

void AxesTree::setFraction(double number) {
  char digits[40];
  std::snprintf(digits, sizeof(digits), "%.17g", number);
  setMistake(digits);
}

bool AxesTree::hasMistake() const {
  for (const AxesTree &node : nodes)
    if (node.hasMistake())
      return true;
  return isLeaf() && (isMistake || isWord);
}

bool AxesTree::countsFromEnd() const {
  for (const AxesTree &node : nodes)
    if (node.countsFromEnd())
      return true;
  return isLeaf() && value && *value < 0;
}

std::string AxesTree::str() const {
  if (isLeaf())
    return text;
  std::string out;
  for (size_t i = 0; i < nodes.size(); ++i)
    out += cat(i ? ", " : "",
               shape == Kind::Dict ? quotedKey(names[i]) + ": " : "",
               nodes[i].isWord ? quotedKey(nodes[i].text) : nodes[i].str());
  if (shape == Kind::Dict)
    return cat("{", out, "}");
  if (shape == Kind::List)
    return cat("[", out, "]");
  return cat("(", out, nodes.size() == 1 ? ",)" : ")");
}

ShardingTree AxesTree::mapped(
    const std::function<ShardingTree(const std::optional<int64_t> &)> &option)
    const {
  if (isLeaf())
    return option(value);
  std::vector<ShardingTree> made;
  std::map<std::string, ShardingTree> named;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (shape == Kind::Dict)
      named.emplace(names[i], nodes[i].mapped(option));
    else
      made.push_back(nodes[i].mapped(option));
  if (shape == Kind::Dict)
    return named;
  if (shape == Kind::List)
    return made;
  return ShardingTree::braces(std::move(made));
}

Expected<std::vector<std::optional<int64_t>>>
AxesTree::spread(const TreeNode &values, const std::string &root,
                 const std::string &path) const {
  // The option of a leaf is a spec whose only axis is the number of the leaf.
  std::vector<std::optional<int64_t>> leaves;
  ShardingTree numbers = mapped([&](const std::optional<int64_t> &axis) {
    leaves.push_back(axis);
    return ShardingTree(P(std::to_string(leaves.size() - 1)));
  });
  auto placed = spreadPrefix(numbers, values, root, path);
  if (!placed)
    return placed.error();
  std::vector<std::optional<int64_t>> out;
  for (const PlacedOption &one : *placed)
    out.push_back(leaves[std::stoul((*one.option.spec)[0].axes[0])]);
  return out;
}

} // namespace shardwright::frontend

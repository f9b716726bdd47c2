//===- tree_node.h - the structure of a tree as nodes -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_TREE_NODE_H
#define SHARDWRIGHT_FRONTEND_API_TREE_NODE_H

#include "shardwright/frontend/base/error.h"

#include <cstdint>
#include <vector>

namespace shardwright::frontend {

/// A node of a tree: a leaf, a container or a static value.
struct TreeNode {
  enum class Kind : uint8_t { Leaf, Tuple, List, Dict, Struct, Static };
  Kind kind = Kind::Leaf;
  /// Of a struct: its type. Of a static value: the value as text. Of a leaf:
  /// the value, if it is a number of C++ that is part of a trace.
  std::string name;
  /// Of a dictionary or a struct: one for each child.
  std::vector<std::string> keys;
  std::vector<TreeNode> children;

  bool isLeaf() const { return kind == Kind::Leaf; }
  size_t numLeaves() const;
  /// `tuple`, `list`, `dict`, or the type of a struct.
  std::string typeName() const;
  /// `[0]`, `['w']`, `.w`: the step to a child.
  std::string step(size_t child) const;
  /// As JAX prints a PyTreeDef: `{'p': [*, *], 'r': *}`.
  std::string str() const;
};

/// Reads TreeDef::text.
TreeNode parseTree(std::string_view text);
/// Reads the text of several trees that are each followed by a comma, as one
/// tuple: the arguments of a call.
TreeNode parseArguments(std::string_view text);

/// The tuple of arguments without those that are static.
TreeNode withoutStatic(const TreeNode &arguments);

/// How the tree of a call differs from the tree that a program was compiled
/// for, or success. Static arguments may be left out of the call. Text: that of
/// calls of JAX's compiled programs.
Status compareCallTrees(const TreeNode &compiled, const TreeNode &called);

/// `('p', 'r')`: keys as Python prints a tuple of strings.
std::string keysText(const std::vector<std::string> &keys);
/// A string as Python's repr prints it, in single quotes unless it contains
/// them.
std::string quotedKey(std::string_view key);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_TREE_NODE_H

//===- tree_node.cc - the structure of a tree as nodes --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/tree_node.h"

#include <algorithm>

namespace shardwright::frontend {

std::string quotedKey(std::string_view key) {
  char quote =
      key.find('\'') != key.npos && key.find('"') == key.npos ? '"' : '\'';
  std::string out(1, quote);
  for (char c : key)
    if (c == quote || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  return out + quote;
}

std::string keysText(const std::vector<std::string> &keys) {
  std::string out = "(";
  for (size_t i = 0; i < keys.size(); ++i)
    out += cat(i ? ", " : "", quotedKey(keys[i]));
  return out + (keys.size() == 1 ? ",)" : ")");
}

size_t TreeNode::numLeaves() const {
  if (isLeaf())
    return 1;
  size_t count = 0;
  for (const TreeNode &child : children)
    count += child.numLeaves();
  return count;
}

std::string TreeNode::typeName() const {
  switch (kind) {
  case Kind::Leaf:
    return "leaf";
  case Kind::Tuple:
    return "tuple";
  case Kind::List:
    return "list";
  case Kind::Dict:
    return "dict";
  case Kind::Struct:
  case Kind::Static:
    break;
  }
  return name;
}

std::string TreeNode::step(size_t child) const {
  if (kind == Kind::Dict)
    return cat("[", quotedKey(keys[child]), "]");
  if (kind == Kind::Struct)
    return "." + keys[child];
  return cat("[", child, "]");
}

std::string TreeNode::str() const {
  if (isLeaf())
    return "*";
  if (kind == Kind::Static)
    return name;
  std::string out = kind == Kind::List     ? "["
                    : kind == Kind::Dict   ? "{"
                    : kind == Kind::Struct ? name + "("
                                           : "(";
  for (size_t i = 0; i < children.size(); ++i) {
    out += i ? ", " : "";
    if (kind == Kind::Dict)
      out += quotedKey(keys[i]) + ": ";
    if (kind == Kind::Struct)
      out += keys[i] + "=";
    out += children[i].str();
  }
  if (kind == Kind::Tuple && children.size() == 1)
    out += ",";
  return out + (kind == Kind::List ? "]" : kind == Kind::Dict ? "}" : ")");
}

namespace {

/// Reads the grammar that the specialisations of TreeTraits write.
class TreeParser {
public:
  explicit TreeParser(std::string_view t) : text(t) {}

  TreeNode node() {
    TreeNode out;
    if (skip("number<")) {
      size_t length = number(until(':'));
      out.name = take(length);
      skip(">");
    }
    // Types of C++ do not nest so deep; the text of a file may.
    if (skip("*") || depth > 200)
      return out;
    if (skip("static<")) {
      out.kind = TreeNode::Kind::Static;
      size_t length = number(until(':'));
      out.name = take(length);
      skip(">");
      return out;
    }
    if (skip("[")) {
      out.kind = TreeNode::Kind::List;
      children(out, ']');
    } else if (skip("{")) {
      out.kind = TreeNode::Kind::Dict;
      children(out, '}');
    } else {
      out.name = until('(');
      out.kind =
          out.name.empty() ? TreeNode::Kind::Tuple : TreeNode::Kind::Struct;
      children(out, ')');
    }
    return out;
  }
  /// Children up to `close`, each followed by a comma.
  void children(TreeNode &out, char close) {
    ++depth;
    while (!text.empty() && text.front() != close) {
      if (out.kind == TreeNode::Kind::Dict)
        out.keys.push_back(key());
      else if (out.kind == TreeNode::Kind::Struct)
        out.keys.emplace_back(until(':'));
      size_t before = text.size();
      out.children.push_back(node());
      skip(",");
      if (text.size() == before)
        take(1);
    }
    take(1);
    --depth;
  }

private:
  /// Digits as a number; no number is larger than the text.
  size_t number(std::string_view digits) const {
    size_t out = 0;
    for (char c : digits)
      out = std::min(out * 10 + static_cast<size_t>(c - '0'), text.size());
    return out;
  }
  bool skip(std::string_view prefix) {
    if (text.substr(0, prefix.size()) != prefix)
      return false;
    text.remove_prefix(prefix.size());
    return true;
  }
  std::string_view take(size_t length) {
    std::string_view out = text.substr(0, length);
    text.remove_prefix(out.size());
    return out;
  }
  /// The text before a character, which is skipped.
  std::string_view until(char end) {
    std::string_view out = take(std::min(text.find(end), text.size()));
    skip(std::string_view(&end, 1));
    return out;
  }
  /// A key with its length before it, and the colon after it.
  std::string key() {
    size_t length = number(until('\''));
    std::string out(take(length));
    skip("':");
    return out;
  }

  std::string_view text;
  int depth = 0;
};

/// The keys that only one of two nodes has, those of `a` first.
std::string keyDifference(const TreeNode &a, const TreeNode &b) {
  std::string out;
  auto add = [&](const TreeNode &from, const TreeNode &other) {
    for (const std::string &key : from.keys)
      if (std::find(other.keys.begin(), other.keys.end(), key) ==
          other.keys.end())
        out += cat(out.empty() ? "" : ", ", quotedKey(key));
  };
  add(a, b);
  add(b, a);
  return "{" + out + "}";
}

std::string nodeText(const TreeNode &node) {
  return node.isLeaf() ? "pytree leaf" : cat("<class '", node.typeName(), "'>");
}

std::string childrenText(const TreeNode &node) {
  return cat(nodeText(node), " with ", node.children.size(), " child",
             node.children.size() > 1 ? "ren" : "");
}

/// Appends one line for each place where the trees differ.
void appendDifferences(const TreeNode &a, const TreeNode &b,
                       const std::string &path,
                       std::vector<std::string> &lines) {
  auto line = [&](const auto &...parts) {
    lines.push_back(cat("\n    * at ", path, ", seen ", parts...));
  };
  bool isSequence =
      a.kind == TreeNode::Kind::Tuple || a.kind == TreeNode::Kind::List;
  if (a.kind != b.kind ||
      (a.kind == TreeNode::Kind::Struct && a.name != b.name))
    return line(nodeText(a), " but now given ", nodeText(b),
                ", so their Python types differ");
  if (a.kind == TreeNode::Kind::Static && a.name != b.name)
    return line("static argument ", a.name, " but now given static argument ",
                b.name, ", so the static arguments differ");
  if (a.isLeaf() && !a.name.empty() && !b.name.empty() && a.name != b.name)
    return line("number ", a.name, " but now given number ", b.name,
                ", so the numbers, which are part of the program, differ");
  size_t n = a.children.size(), m = b.children.size();
  if (isSequence && n != m)
    return line(a.typeName(), " of length ", n, " but now given ", b.typeName(),
                " of length ", m, ", so the lengths do not match");
  if (n != m)
    return line(childrenText(a), " but now given ", childrenText(b),
                ", so the numbers of children do not match, with the symmetric "
                "difference of key sets: ",
                keyDifference(a, b));
  if (a.keys != b.keys)
    return line(nodeText(a), " with pytree metadata ", keysText(a.keys),
                " but now given ", nodeText(b), " with pytree metadata ",
                keysText(b.keys),
                ", so the pytree node metadata does not match");
  for (size_t i = 0; i < n; ++i)
    appendDifferences(a.children[i], b.children[i], path + a.step(i), lines);
}

} // namespace

TreeNode parseTree(std::string_view text) { return TreeParser(text).node(); }

TreeNode parseArguments(std::string_view text) {
  TreeParser parser(text);
  TreeNode out;
  out.kind = TreeNode::Kind::Tuple;
  parser.children(out, '\0');
  return out;
}

TreeNode withoutStatic(const TreeNode &arguments) {
  TreeNode out = arguments;
  std::erase_if(out.children, [](const TreeNode &child) {
    return child.kind == TreeNode::Kind::Static;
  });
  return out;
}

Status compareCallTrees(const TreeNode &compiled, const TreeNode &called) {
  std::vector<std::string> lines;
  bool hasStatic =
      withoutStatic(called).children.size() != called.children.size();
  appendDifferences(hasStatic ? compiled : withoutStatic(compiled), called,
                    "args", lines);
  if (lines.empty())
    return {};
  std::string text =
      cat("Function compiled with input pytree does not match the input pytree "
          "it was called with. There are ",
          lines.size(), " mismatches, including:");
  for (const std::string &line : lines)
    text += line;
  return typeError(text);
}

} // namespace shardwright::frontend

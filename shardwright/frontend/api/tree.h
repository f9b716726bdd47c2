//===- tree.h - trees of tensors --------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_TREE_H
#define SHARDWRIGHT_FRONTEND_API_TREE_H

#include "shardwright/frontend/api/tree_node.h"
#include "shardwright/frontend/array/tensor.h"

#include <array>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace shardwright::frontend {

/// The shape of a tree: containers and leaves. Equal texts: equal structures.
/// `(*, {'w': *})`: tuples, lists and maps, with a star for each leaf.
struct TreeDef {
  std::string text;
  /// The path of each leaf: `[0]['w']`.
  std::vector<std::string> paths;
  friend bool operator==(const TreeDef &a, const TreeDef &b) {
    return a.text == b.text;
  }
};

/// Collects the leaves of a tree and its structure; without the paths of the
/// leaves if `keepPaths` is false.
class Flattener {
public:
  explicit Flattener(bool keepPaths = true) : keepPaths(keepPaths) {}
  void leaf(const Tensor &x) {
    leaves.push_back(x);
    def.text += '*';
    if (keepPaths)
      def.paths.push_back(path);
  }
  void open(std::string_view text) { def.text += text; }
  /// A number inside a tree: a function gets the number itself, not its leaf.
  template <typename T> void number(const T &x) {
    if (!keysNumbers)
      return;
    // The shortest text that is read as the same number.
    std::array<char, 64> text;
    char *end = text.data();
    if constexpr (std::is_floating_point_v<T>)
      end = std::to_chars(text.data(), text.data() + text.size(), x).ptr;
    else if constexpr (std::is_same_v<T, bool>)
      end = std::to_chars(text.data(), text.data() + text.size(), int(x)).ptr;
    else
      end = std::to_chars(text.data(), text.data() + text.size(), x).ptr;
    size_t length = end - text.data();
    def.text +=
        cat("number<", length, ":", std::string_view(text.data(), length), ">");
  }
  template <typename T> void child(const T &value, const std::string &step);

  Tensors leaves;
  TreeDef def;
  std::string path;
  const bool keepPaths;
  /// Values of numbers are part of the structure, as for a trace that has them.
  bool keysNumbers = false;
};

/// Rebuilds a tree of the same structure from other leaves.
class Unflattener {
public:
  explicit Unflattener(const Tensors &l) : leaves(l) {}
  /// A null tensor if there are too few.
  Tensor leaf() { return next < leaves.size() ? leaves[next++] : Tensor(); }

private:
  const Tensors &leaves;
  size_t next = 0;
};

/// How a type is a tree: specialise it, or use SW_TREE for a struct.
template <typename T, typename = void> struct TreeTraits {
  static constexpr bool isTree = false;
};

/// `resize` gives vectors and maps of a default-constructed tree the sizes and
/// keys of a structure, where the types agree.
template <> struct TreeTraits<Tensor> {
  static constexpr bool isTree = true;
  static void resize(Tensor &, const TreeNode &) {}
  static void flatten(const Tensor &x, Flattener &f) { f.leaf(x); }
  static void unflatten(Tensor &x, Unflattener &u) { x = u.leaf(); }
};
/// Numbers are leaves that become tensors.
template <typename T>
struct TreeTraits<T, std::enable_if_t<std::is_arithmetic_v<T>>> {
  static constexpr bool isTree = true;
  static void resize(T &, const TreeNode &) {}
  static void flatten(const T &x, Flattener &f) {
    f.number(x);
    f.leaf(Tensor(x));
  }
  static void unflatten(T &, Unflattener &u) { u.leaf(); }
};

namespace detail {
/// The number of a value among all values of its type that were static
/// arguments: equal values have one number.
template <typename T> size_t staticNumber(const T &value) {
  static auto *numbers = new std::unordered_map<T, size_t>;
  static auto *mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  return numbers->try_emplace(value, numbers->size()).first->second;
}
/// Equal texts: equal numbers, to the last bit.
std::string staticText(long double value);
} // namespace detail

/// A value that is part of a tree's structure instead of a leaf: an argument of
/// a jitted function that may decide what the function does. The function is
/// traced again for each value. `T`: numbers, strings, enumerations, and types
/// with std::hash and ==. JAX: static_argnums.
template <typename T> struct Static {
  static_assert(
      std::is_enum_v<T> || std::is_arithmetic_v<T> ||
          std::is_convertible_v<const T &, std::string_view> ||
          requires(const T &a) {
            { std::hash<T>()(a) } -> std::convertible_to<size_t>;
            { a == a } -> std::convertible_to<bool>;
          },
      "Non-hashable static arguments are not supported: specialise "
      "std::hash and define operator==");
  Static(T v) : value(std::move(v)) {}
  operator const T &() const { return value; }
  T value;
};
template <typename T> Static(T) -> Static<T>;
template <typename T> struct TreeTraits<Static<T>> {
  static constexpr bool isTree = true;
  static void flatten(const Static<T> &x, Flattener &f) {
    std::string text;
    if constexpr (std::is_enum_v<T>)
      text = cat(static_cast<int64_t>(x.value));
    else if constexpr (std::is_floating_point_v<T>)
      text = detail::staticText(x.value);
    else if constexpr (std::is_arithmetic_v<T> ||
                       std::is_convertible_v<const T &, std::string_view>)
      text = cat(x.value);
    else
      text = cat("#", detail::staticNumber(x.value));
    // The length keeps texts with brackets apart.
    f.open(cat("static<", text.size(), ":", text, ">"));
  }
  static void unflatten(Static<T> &, Unflattener &) {}
};

/// The child of a node; a leaf if there is none.
inline const TreeNode &childOf(const TreeNode &node, size_t i) {
  static const auto &leaf = *new TreeNode;
  return i < node.children.size() ? node.children[i] : leaf;
}

template <typename T>
void Flattener::child(const T &value, const std::string &step) {
  if (!keepPaths)
    return TreeTraits<T>::flatten(value, *this);
  size_t length = path.size();
  path += step;
  TreeTraits<T>::flatten(value, *this);
  path.resize(length);
}

template <typename T> struct TreeTraits<std::vector<T>> {
  static constexpr bool isTree = TreeTraits<T>::isTree;
  static void resize(std::vector<T> &v, const TreeNode &node) {
    v.resize(node.children.size());
    for (size_t i = 0; i < v.size(); ++i)
      TreeTraits<T>::resize(v[i], node.children[i]);
  }
  static void flatten(const std::vector<T> &v, Flattener &f) {
    f.open("[");
    for (size_t i = 0; i < v.size(); ++i)
      f.child(v[i], cat("[", i, "]")), f.open(",");
    f.open("]");
  }
  static void unflatten(std::vector<T> &v, Unflattener &u) {
    for (T &x : v)
      TreeTraits<T>::unflatten(x, u);
  }
};
template <typename T, size_t N> struct TreeTraits<std::array<T, N>> {
  static constexpr bool isTree = TreeTraits<T>::isTree;
  static void resize(std::array<T, N> &v, const TreeNode &node) {
    for (size_t i = 0; i < N; ++i)
      TreeTraits<T>::resize(v[i], childOf(node, i));
  }
  static void flatten(const std::array<T, N> &v, Flattener &f) {
    f.open("(");
    for (size_t i = 0; i < N; ++i)
      f.child(v[i], cat("[", i, "]")), f.open(",");
    f.open(")");
  }
  static void unflatten(std::array<T, N> &v, Unflattener &u) {
    for (T &x : v)
      TreeTraits<T>::unflatten(x, u);
  }
};
template <typename T> struct TreeTraits<std::map<std::string, T>> {
  static constexpr bool isTree = TreeTraits<T>::isTree;
  static void resize(std::map<std::string, T> &m, const TreeNode &node) {
    for (size_t i = 0; i < node.keys.size(); ++i)
      TreeTraits<T>::resize(m[node.keys[i]], node.children[i]);
  }
  static void flatten(const std::map<std::string, T> &m, Flattener &f) {
    f.open("{");
    for (const auto &[key, value] : m) {
      // The length keeps keys with quotes apart.
      f.open(cat(key.size(), "'", key, "':"));
      f.child(value, f.keepPaths ? cat("[", quotedKey(key), "]") : "");
      f.open(",");
    }
    f.open("}");
  }
  static void unflatten(std::map<std::string, T> &m, Unflattener &u) {
    for (auto &[key, value] : m)
      TreeTraits<T>::unflatten(value, u);
  }
};
template <typename... T> struct TreeTraits<std::tuple<T...>> {
  static constexpr bool isTree = (TreeTraits<T>::isTree && ...);
  static void resize(std::tuple<T...> &t, const TreeNode &node) {
    size_t i = 0;
    std::apply(
        [&](T &...x) { (TreeTraits<T>::resize(x, childOf(node, i++)), ...); },
        t);
  }
  static void flatten(const std::tuple<T...> &t, Flattener &f) {
    f.open("(");
    size_t i = 0;
    std::apply(
        [&](const T &...x) {
          ((f.child(x, cat("[", i++, "]")), f.open(",")), ...);
        },
        t);
    f.open(")");
  }
  static void unflatten(std::tuple<T...> &t, Unflattener &u) {
    std::apply([&](T &...x) { (TreeTraits<T>::unflatten(x, u), ...); }, t);
  }
};
template <typename A, typename B> struct TreeTraits<std::pair<A, B>> {
  static constexpr bool isTree = TreeTraits<A>::isTree && TreeTraits<B>::isTree;
  static void resize(std::pair<A, B> &t, const TreeNode &node) {
    TreeTraits<A>::resize(t.first, childOf(node, 0));
    TreeTraits<B>::resize(t.second, childOf(node, 1));
  }
  static void flatten(const std::pair<A, B> &t, Flattener &f) {
    f.open("(");
    f.child(t.first, "[0]"), f.open(",");
    f.child(t.second, "[1]"), f.open(",)");
  }
  static void unflatten(std::pair<A, B> &t, Unflattener &u) {
    TreeTraits<A>::unflatten(t.first, u);
    TreeTraits<B>::unflatten(t.second, u);
  }
};
/// A struct says its fields: `SW_TREE(Params, w, b)` in the struct's body.
template <typename T>
struct TreeTraits<T, std::void_t<decltype(&T::swFlatten)>> {
  static constexpr bool isTree = true;
  static void resize(T &x, const TreeNode &node) { x.swResize(node); }
  static void flatten(const T &x, Flattener &f) { x.swFlatten(f); }
  static void unflatten(T &x, Unflattener &u) { x.swUnflatten(u); }
};

namespace detail {
template <typename... T>
void flattenFields(Flattener &f, const char *names, const T &...fields) {
  std::string_view rest = names;
  auto one = [&](const auto &field) {
    size_t comma = rest.find(',');
    std::string name(rest.substr(0, comma));
    name.erase(0, name.find_first_not_of(' '));
    rest = comma == std::string_view::npos ? std::string_view()
                                           : rest.substr(comma + 1);
    f.open(name + ":");
    f.child(field, "." + name);
    f.open(",");
  };
  (one(fields), ...);
}
template <typename... T> void unflattenFields(Unflattener &u, T &...fields) {
  (TreeTraits<T>::unflatten(fields, u), ...);
}
template <typename... T> void resizeFields(const TreeNode &node, T &...fields) {
  size_t i = 0;
  (TreeTraits<T>::resize(fields, childOf(node, i++)), ...);
}
} // namespace detail

/// In the body of a struct: its fields are the children of a tree.
#define SW_TREE(Type, ...)                                                     \
  void swFlatten(::shardwright::frontend::Flattener &f) const {                \
    f.open(#Type "(");                                                         \
    ::shardwright::frontend::detail::flattenFields(f, #__VA_ARGS__,            \
                                                   __VA_ARGS__);               \
    f.open(")");                                                               \
  }                                                                            \
  void swUnflatten(::shardwright::frontend::Unflattener &u) {                  \
    ::shardwright::frontend::detail::unflattenFields(u, __VA_ARGS__);          \
  }                                                                            \
  void swResize(const ::shardwright::frontend::TreeNode &node) {               \
    ::shardwright::frontend::detail::resizeFields(node, __VA_ARGS__);          \
  }

template <typename T> Tensors treeLeaves(const T &tree) {
  Flattener f;
  TreeTraits<T>::flatten(tree, f);
  return std::move(f.leaves);
}
/// A copy of the tree with other leaves, in order.
template <typename T> T treeWith(T tree, const Tensors &leaves) {
  Unflattener u(leaves);
  TreeTraits<T>::unflatten(tree, u);
  return tree;
}
/// A copy of the structure alone, whose leaves are null.
template <typename T> T withoutLeaves(const T &tree) {
  return treeWith(tree, Tensors(treeLeaves(tree).size()));
}
/// Applies a function to the corresponding leaves of trees of one type.
template <typename F, typename T, typename... More>
T treeMap(F function, const T &tree, const More &...more) {
  std::vector<Tensors> lists{treeLeaves(more)...};
  Tensors leaves = treeLeaves(tree);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if constexpr (sizeof...(More) == 0)
      leaves[i] = function(leaves[i]);
    else
      leaves[i] = [&]<size_t... K>(std::index_sequence<K...>) {
        return function(leaves[i],
                        (i < lists[K].size() ? lists[K][i] : Tensor())...);
      }(std::index_sequence_for<More...>());
  }
  return treeWith(tree, leaves);
}

/// The structure as Python prints it: `(*, [*, *], {'w': *})`.
std::string pythonTreeText(const std::string &def);

/// The first error among the leaves of a tree, or null.
template <typename T>
  requires(TreeTraits<T>::isTree && !std::is_same_v<T, Tensor> &&
           !std::is_arithmetic_v<T>)
const Error *errorIn(const T &tree) {
  static thread_local Error held;
  for (const Tensor &leaf : treeLeaves(tree))
    if (const Error *error = errorIn(leaf)) {
      held = *error;
      return &held;
    }
  return nullptr;
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_TREE_H

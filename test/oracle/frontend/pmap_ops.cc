//===- pmap_ops.cc - pmap as a step of programs ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pmap_ops.h"

#include <cstdlib>

namespace shardwright::frontend {
namespace {

using List = std::vector<Tensor>;
using Map = std::map<std::string, Tensor>;

/// Reads `(0,n,[1,-1],{a:0})`: integers, `n` for None, tuples, lists and maps.
class AxesReader {
public:
  explicit AxesReader(std::string_view t) : text(t) {}
  AxesTree tree() {
    if (text.empty() || skip('n'))
      return None;
    if (skip('('))
      return AxesTree::braces(children(')'));
    if (skip('['))
      return children(']');
    if (skip('{')) {
      std::map<std::string, AxesTree> out;
      while (!text.empty() && !skip('}')) {
        std::string key(text.substr(0, text.find(':')));
        text.remove_prefix(std::min(text.size(), key.size() + 1));
        out.insert_or_assign(key, tree());
        skip(',');
      }
      return out;
    }
    std::string word(text.substr(0, text.find_first_of(",)]}")));
    text.remove_prefix(word.size());
    return static_cast<int64_t>(std::strtol(word.c_str(), nullptr, 10));
  }

private:
  bool skip(char c) {
    if (text.empty() || text.front() != c)
      return false;
    text.remove_prefix(1);
    return true;
  }
  std::vector<AxesTree> children(char close) {
    std::vector<AxesTree> out;
    while (!text.empty() && !skip(close)) {
      out.push_back(tree());
      skip(',');
    }
    return out;
  }
  std::string_view text;
};

Tensors listOf(const Expected<List> &result) {
  return result ? *result : Tensors{Tensor(result.error())};
}

Map mapOf(const List &list, size_t from) {
  Map out;
  for (size_t i = from; i < list.size(); ++i)
    out[std::string(1, static_cast<char>('a' + i - from))] = list[i];
  return out;
}

/// The first result, a map of the others.
using Results = std::tuple<Tensor, Map>;

} // namespace

PmapOptions pmapOptions(const std::map<std::string, std::string> &keys) {
  auto word = [&](const char *name) {
    auto found = keys.find(name);
    return found == keys.end() ? std::string() : found->second;
  };
  PmapOptions options;
  if (std::string name = word("name"); !name.empty())
    options.axisName = name;
  if (std::string in = word("in"); !in.empty())
    options.inAxes = AxesReader(in).tree();
  if (std::string out = word("out"); !out.empty())
    options.outAxes = AxesReader(out).tree();
  if (std::string first = word("devices"); !first.empty()) {
    // The first number and how many.
    Ints range = intsOf(first);
    std::vector<Device> all = devices(), some;
    for (int64_t i = 0; i < range[1]; ++i)
      some.push_back(all[(range[0] + i) % static_cast<int64_t>(all.size())]);
    options.devices = some;
  }
  if (std::string size = word("size"); !size.empty())
    options.axisSize = intsOf(size)[0];
  if (std::string donate = word("donate"); !donate.empty())
    options.donate = intsOf(donate);
  return options;
}

FlatFunction pmapped(const FlatFunction &body, const PmapOptions &options,
                     const std::string &form) {
  if (form == "tree") {
    auto f = pmap(
        [body](Tensor x, List rest) -> Results {
          Tensors all{x};
          all.insert(all.end(), rest.begin(), rest.end());
          Tensors outs = body(all);
          return {outs.empty() ? Tensor() : outs[0], mapOf(outs, 1)};
        },
        options);
    return [f](const Tensors &args) -> Tensors {
      auto out = f(args.at(0), List(args.begin() + 1, args.end()));
      return out ? treeLeaves(*out) : Tensors{Tensor(out.error())};
    };
  }
  if (form == "keywords") {
    auto f = pmap(
        [body](Tensor x, Map rest) -> List {
          Tensors all{x};
          for (const auto &[key, value] : rest)
            all.push_back(value);
          return body(all);
        },
        options);
    return [f](const Tensors &args) {
      return listOf(f(args.at(0), Keywords(mapOf(args, 1))));
    };
  }
  if (form == "static") {
    PmapOptions own = options;
    own.staticBroadcasted = {1};
    auto f = pmap(
        [body](Tensor x, int64_t factor) -> List {
          return body({lax::mul(x, scalarOf(factor, x.dtype()))});
        },
        own);
    return [f](const Tensors &args) {
      return listOf(f(args.at(0), Static<int64_t>(3)));
    };
  }
  if (form == "two") {
    auto f = pmap([body](Tensor x, Tensor y) -> List { return body({x, y}); },
                  options);
    return
        [f](const Tensors &args) { return listOf(f(args.at(0), args.at(1))); };
  }
  if (form == "one") {
    auto f = pmap(
        [body](Tensor x) -> Tensor {
          Tensors outs = body({x});
          return outs.empty() ? Tensor() : outs[0];
        },
        options);
    return [f](const Tensors &args) -> Tensors {
      auto out = f(args.at(0));
      return {out ? *out : Tensor(out.error())};
    };
  }
  auto f = pmap([body](List args) -> List { return body(args); }, options);
  return [f](const Tensors &args) { return listOf(f(args)); };
}

} // namespace shardwright::frontend

//===- frontend_pmap_mistakes.cc - mistakes in calls of pmap --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <map>

using namespace shardwright::frontend;

using Mistakes = std::map<std::string, std::function<Error()>>;

namespace {

using List = std::vector<Tensor>;
using Dict = std::map<std::string, Tensor>;
using AxesMap = std::map<std::string, AxesTree>;

Tensor x() { return ones({8, 2}); }
Error one(PmapOptions options) {
  return pmap([](Tensor v) { return v * 2; }, std::move(options))(x()).error();
}
template <typename T> Error two(PmapOptions options, const T &second) {
  return pmap([](Tensor v, T) { return v; }, std::move(options))(x(), second)
      .error();
}
/// A function of the slices along `i`.
template <typename F> Error along(F f) {
  return pmap(f, {.axisName = "i"})(x()).error();
}

Error batched(VmapOptions options) {
  return vmap([](Tensor v) { return v * 2; }, std::move(options))(x()).error();
}
Error batchedTwo(const Tensor &second, VmapOptions options) {
  options.argNames = {"x", "y"};
  return vmap([](Tensor v, Tensor) { return v; }, std::move(options))(x(),
                                                                      second)
      .error();
}

Mistakes vmapMistakes() {
  return {
      {"vmap sizes differ", [] { return batchedTwo(ones({4, 2}), {}); }},
      {"vmap most sizes",
       [] {
         return vmap([](Dict d) { return d; },
                     {.argNames = {"d"}})(Dict{{"u", ones({4, 2})},
                                               {"v", ones({2, 2})},
                                               {"w", ones({2, 2})}})
             .error();
       }},
      {"vmap axis_size",
       [] { return batched({.axisSize = 4, .argNames = {"x"}}); }},
      {"vmap without a mapped argument",
       [] { return batched({.inAxes = {-1}}); }},
      {"vmap in_axes length",
       [] { return batchedTwo(x(), {.inAxes = {0, 0, 0}}); }},
      {"vmap axis too large", [] { return batched({.inAxes = {5}}); }},
      {"vmap out_axes length",
       [] {
         return vmap([](Tensor v) { return std::pair{v, v}; },
                     {.outAxes = {0, 0, 0}})(x())
             .error();
       }},
      {"vmap out_axes of a batch", [] { return batched({.outAxes = {-1}}); }},
  };
}

} // namespace

/// Calls with the texts of JAX.
Mistakes pmapMistakes() {
  Mistakes all = vmapMistakes();
  all.merge(Mistakes{
      {"pmap in_axes of a word", [] { return one({.inAxes = "x"}); }},
      {"pmap in_axes of a word in a tuple",
       [] { return two({.inAxes = {0, "x"}}, x()); }},
      {"pmap in_axes of a fraction", [] { return one({.inAxes = 0.5}); }},
      {"pmap in_axes of a truth value",
       [] { return two({.inAxes = {true, None}}, x()); }},
      {"pmap out_axes of a word",
       [] { return one({.outAxes = AxesMap{{"a", "x"}}}); }},
      {"pmap without a mapped argument", [] { return one({.inAxes = None}); }},
      {"pmap of a number",
       [] { return pmap([](Tensor v) { return v * 2; })(2.0).error(); }},
      {"pmap of nothing",
       [] { return pmap([] { return Tensor(1.0); })().error(); }},
      {"pmap axis_size", [] { return one({.axisSize = 4}); }},
      {"pmap without devices",
       [] { return one({.devices = std::vector<Device>()}); }},
      {"pmap static argument missing",
       [] { return one({.staticBroadcasted = {1}}); }},
      {"pmap static arguments missing",
       [] { return two({.staticBroadcasted = {1, 4}}, Static(3)); }},
      {"pmap static and donated",
       [] {
         return two({.staticBroadcasted = {1}, .donate = {1}}, Static(3));
       }},
      {"pmap in_axes length", [] { return one({.inAxes = {0, 0}}); }},
      {"pmap in_axes of a list",
       [] { return one({.inAxes = std::vector<int>{0, 0}}); }},
      {"pmap in_axes key",
       [] {
         return two({.inAxes = {0, AxesMap{{"p", 0}}}}, Dict{{"q", x()}});
       }},
      {"pmap in_axes list length",
       [] { return two({.inAxes = {0, std::vector<int>{0, 0}}}, List{x()}); }},
      {"pmap in_axes with keywords",
       [] { return two({.inAxes = {0, 0}}, Keywords(Dict{{"y", x()}})); }},
      {"pmap out_axes length",
       [] {
         return pmap([](Tensor v) { return std::tuple{v, v}; },
                     {.outAxes = {0, 0, 0}})(x())
             .error();
       }},
      {"pmap out_axes key",
       [] {
         return pmap([](Tensor v) { return Dict{{"a", v}}; },
                     {.outAxes = AxesMap{{"b", 0}}})(x())
             .error();
       }},
      {"pmap out_axes too large", [] { return one({.outAxes = 5}); }},
      {"pmap axis of another name",
       [] { return along([](Tensor v) { return lax::psum(v, "q"); }); }},
      {"pmap under another mesh",
       [] {
         ScopedMesh scope(*Mesh::get(devices(), {4, 2}, {"x", "y"}));
         return one({});
       }},
      {"pmap of a scatter",
       [] {
         return along([](Tensor v) { return lax::psum_scatter(v, "i"); });
       }},
      {"pmap of an exchange",
       [] {
         return along([](Tensor v) { return lax::all_to_all(v, "i", 0, 0); });
       }},
      {"pmap of a permutation",
       [] {
         return along(
             [](Tensor v) { return lax::ppermute(v, "i", {{0, 1}, {0, 2}}); });
       }},
  });
  return all;
}

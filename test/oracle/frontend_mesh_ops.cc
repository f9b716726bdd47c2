//===- frontend_mesh_ops.cc - operations of programs on meshes ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend_mesh_ops.h"

#include <algorithm>
#include <mutex>
#include <sstream>

using namespace shardwright::frontend;

namespace {
/// What calls of `look` were given: shapes, then elements.
struct Seen {
  std::mutex mutex;
  std::vector<std::vector<float>> values;
};
Seen &seen() {
  static Seen made;
  return made;
}
void record(const Tensor &x) {
  std::vector<float> line(x.shape().begin(), x.shape().end());
  std::vector<float> elements = *x.toVector<float>();
  line.insert(line.end(), elements.begin(), elements.end());
  std::lock_guard lock(seen().mutex);
  seen().values.push_back(std::move(line));
}
/// Of one slice of the dimension that vmap maps.
Expected<Tensor> ofSlice(const std::string &body, const Tensor &x) {
  auto filled = [&](double value) {
    return lax::broadcast_in_dim(scalarOf(value, DType::F32), x.shape(), {});
  };
  auto twice = [](Tensor v) { return lax::mul(v, scalarOf(2.0, DType::F32)); };
  if (body == "jit")
    return jit([](Tensor v) { return lax::sin(v); })(x);
  if (body == "map")
    return shardMap(twice, {.in = P(), .out = P()})(x);
  if (body == "inferred")
    return shardMap(twice, {.out = P()})(x);
  if (body == "select")
    return lax::select_n(lax::lt(x, filled(0.5)), {filled(0.25), filled(0.75)});
  if (body == "reshard")
    return reshard(x, P());
  if (body == "sum") {
    Ints all;
    for (int64_t d = 0; d < x.rank(); ++d)
      all.push_back(d);
    return lax::broadcast_in_dim(lax::reduce_sum(x, all), x.shape(), {});
  }
  if (body == "scan") {
    auto out = scan(
        [&](Tensor c, std::tuple<>) {
          return std::pair{lax::add(c, x), std::tuple<>()};
        },
        filled(0), std::tuple<>(), {.length = 2});
    return out ? Expected<Tensor>(out->first) : out.error();
  }
  return filled(0.5);
}
Tensor slices(const Tensor &x, int64_t axis, const std::string &body) {
  return *vmap([=](Tensor v) { return ofSlice(body, v); },
               {.inAxes = {axis}})(x);
}

} // namespace

Args takeSeen() {
  (void)effectsBarrier();
  std::lock_guard lock(seen().mutex);
  std::vector<std::vector<float>> lines = std::exchange(seen().values, {});
  std::sort(lines.begin(), lines.end());
  Args out;
  for (const std::vector<float> &line : lines)
    out.push_back(arrayOf(line));
  return out;
}

AxisNames split(const std::string &text, char by) {
  AxisNames out;
  std::stringstream in(text);
  std::string word;
  while (std::getline(in, word, by))
    out.push_back(word);
  return out;
}
Ints intsOf(const std::string &text) {
  Ints out;
  for (const std::string &word : split(text, ','))
    out.push_back(std::stoll(word));
  return out;
}
std::map<std::string, Ints> integers(const Keys &keys) {
  std::map<std::string, Ints> out;
  for (const auto &[name, text] : keys)
    out[name] = intsOf(text);
  return out;
}
PartitionSpec specOf(const std::string &text) {
  size_t reducedAt = std::min(text.find('~'), text.size());
  size_t sumsAt = std::min(text.find('^'), reducedAt);
  std::string dims = text.substr(0, sumsAt);
  std::vector<SpecEntry> entries;
  if (dims != ".")
    for (const std::string &word : split(dims, '|'))
      entries.push_back(word == "-" ? SpecEntry()
                                    : SpecEntry(split(word, '+')));
  auto names = [](const std::string &part) {
    AxisNames list = part.empty() ? AxisNames() : split(part.substr(1), '+');
    return std::set<std::string>(list.begin(), list.end());
  };
  auto spec = PartitionSpec::get(entries,
                                 names(text.substr(sumsAt, reducedAt - sumsAt)),
                                 names(text.substr(reducedAt)));
  return spec ? *spec : PartitionSpec();
}

std::string word(const Keys &keys, const char *name) {
  auto found = keys.find(name);
  return found == keys.end() ? "" : found->second;
}
static Ints get(const Keys &keys, const char *name) {
  return intsOf(word(keys, name));
}
int64_t one(const Keys &keys, const char *name) {
  Ints values = get(keys, name);
  return values.empty() ? 0 : values[0];
}
/// `x`: one name; `x,`: a tuple.
static CollectiveAxes axesIn(const Keys &keys) {
  std::string text = word(keys, "axes");
  if (text.find(',') == text.npos)
    return CollectiveAxes(text);
  return CollectiveAxes(split(text, ','));
}
static AxisIndexGroups groupsIn(const Keys &keys) {
  AxisIndexGroups out;
  for (const std::string &group : split(word(keys, "groups"), ';'))
    out.push_back(intsOf(group));
  return out;
}
static lax::Permutation permIn(const Keys &keys) {
  lax::Permutation out;
  Ints flat = get(keys, "perm");
  for (size_t i = 0; i + 1 < flat.size(); i += 2)
    out.emplace_back(flat[i], flat[i + 1]);
  return out;
}

#define OP(name, ...)                                                          \
  ops[name] = [](const Args &a, const Keys &k) -> Tensors {                    \
    return {__VA_ARGS__};                                                      \
  };

/// `table`: rows of offsets and sizes, as floats.
static Tensor raggedExchange(const Args &a, const Keys &k) {
  Tensor table = lax::convert_element_type(a[2], DType::I32);
  auto row = [&](int64_t i) {
    return lax::squeeze(lax::slice(table, {i, 0}, {i + 1, table.dim(1)}), {0});
  };
  return lax::ragged_all_to_all(a[0], a[1], {row(0), row(1), row(2), row(3)},
                                axesIn(k), groupsIn(k));
}

static void addCollectives(std::map<std::string, Op> &ops) {
  OP("psum", lax::psum(a[0], axesIn(k), groupsIn(k)))
  OP("pmean", lax::pmean(a[0], axesIn(k)))
  OP("pmax", lax::pmax(a[0], axesIn(k), groupsIn(k)))
  OP("pmin", lax::pmin(a[0], axesIn(k), groupsIn(k)))
  OP("all_gather", lax::all_gather(a[0], axesIn(k),
                                   {.groups = groupsIn(k),
                                    .axis = one(k, "axis"),
                                    .tiled = one(k, "tiled") != 0,
                                    .to = one(k, "invarying") ? Vary::Invarying
                                                              : Vary::Varying}))
  OP("psum_scatter", lax::psum_scatter(a[0], axesIn(k),
                                       {.scatterDimension = one(k, "axis"),
                                        .groups = groupsIn(k),
                                        .tiled = one(k, "tiled") != 0}))
  OP("all_to_all",
     lax::all_to_all(a[0], axesIn(k), one(k, "split"), one(k, "concat"),
                     one(k, "tiled") != 0, groupsIn(k)))
  OP("ragged_exchange", raggedExchange(a, k))
  OP("ppermute", lax::ppermute(a[0], axesIn(k), permIn(k)))
  OP("pshuffle", lax::pshuffle(a[0], axesIn(k), get(k, "perm")))
  OP("pswapaxes", lax::pswapaxes(a[0], axesIn(k), one(k, "axis")))
  OP("pbroadcast", lax::pbroadcast(a[0], axesIn(k), one(k, "source")))
  OP("axis_index",
     lax::convert_element_type(lax::axis_index(axesIn(k)), DType::F32))
  OP("add_index", lax::add(a[0], lax::convert_element_type(
                                     lax::axis_index(axesIn(k)), DType::F32)))
  OP("pcast", lax::pcast(a[0], axesIn(k), Vary::Varying))
  OP("psum_one", lax::mul(a[0], lax::psum(2.0, axesIn(k))))
  ops["ring"] = [](const Args &a, const Keys &k) -> Tensors {
    auto carry = scan(
        [&](Tensor c, Tensor) {
          return std::pair{lax::ppermute(lax::sin(c), axesIn(k), permIn(k)), c};
        },
        a[0], arange(3, DType::F32));
    if (!carry)
      return {Tensor(carry.error())};
    return {carry->first, carry->second};
  };
  OP("jit_psum",
     jit([&](Tensor x) { return lax::psum(lax::sin(x), axesIn(k)); },
         {.name = "f"})(a[0]))
  OP("cond_index",
     cond(
         lax::eq(lax::axis_index(axesIn(k)), scalarOf(int64_t(0), DType::I32)),
         [](Tensor x) { return lax::mul(x, 2.0f); },
         [](Tensor x) { return lax::sin(x); }, a[0]))
  ops["look"] = [](const Args &a, const Keys &k) -> Tensors {
    debugCallback(DebugOptions{.partitioned = one(k, "partitioned") != 0},
                  record, a[0]);
    return {lax::mul(a[0], 2.0f)};
  };
  OP("nested", shardMap([&](Tensor x) { return lax::psum(x, axesIn(k)); },
                        {.in = specOf(word(k, "spec")),
                         .out = specOf(word(k, "result")),
                         .axisNames = axesIn(k).names})(a[0]))
}

/// The bodies of frontend_mesh.py.
static const std::map<std::string, std::function<Tensor(Tensor)>> &bodies() {
  static const auto *made =
      new std::map<std::string, std::function<Tensor(Tensor)>>{
          {"same", [](Tensor x) { return x; }},
          {"sin", [](Tensor x) { return lax::sin(x); }},
          {"jit",
           [](Tensor x) {
             return *jit([](Tensor v) { return lax::sin(v); })(x);
           }},
          {"twice", [](Tensor x) { return lax::add(x, x); }},
          {"square", [](Tensor x) { return lax::mul(x, x); }},
          {"transpose", [](Tensor x) { return lax::transpose(x, {1, 0}); }},
          {"total", [](Tensor x) { return lax::reduce_sum(x, {1}); }},
          {"psum", [](Tensor x) { return lax::psum(x, "y"); }},
          {"pmean", [](Tensor x) { return lax::pmean(x, "y"); }},
          {"pmax", [](Tensor x) { return lax::pmax(x, "y"); }},
          {"psum_x", [](Tensor x) { return lax::psum(x, "x"); }},
          {"psum_both", [](Tensor x) { return lax::psum(x, {"x", "y"}); }},
          {"scatter",
           [](Tensor x) { return lax::psum_scatter(x, "y", {.tiled = true}); }},
          {"permute",
           [](Tensor x) { return lax::ppermute(x, "x", {{0, 1}, {1, 0}}); }},
          {"gather",
           [](Tensor x) {
             return lax::all_gather(x, "y",
                                    {.tiled = true, .to = Vary::Reduced});
           }},
          {"to_varying",
           [](Tensor x) { return lax::pcast(x, "y", Vary::Varying); }},
          {"to_unreduced",
           [](Tensor x) { return lax::pcast(x, "y", Vary::Unreduced); }},
          {"to_reduced",
           [](Tensor x) { return lax::pcast(x, "y", Vary::Reduced); }},
      };
  return *made;
}

std::map<std::string, Op> makeMeshOps() {
  std::map<std::string, Op> ops;
#define UNARY(name)                                                            \
  ops[#name] = [](const Args &a, const Keys &) {                               \
    return Tensors{lax::name(a[0])};                                           \
  };
  SW_LAX_UNARY(UNARY)
#define BINARY(name)                                                           \
  ops[#name] = [](const Args &a, const Keys &) {                               \
    return Tensors{lax::name(a[0], a[1])};                                     \
  };
  SW_LAX_BINARY(BINARY)
  OP("reshard", reshard(a[0], specOf(word(k, "spec"))))
  OP("constrain", withShardingConstraint(a[0], specOf(word(k, "spec"))))
  OP("jit_sin", *jit([](Tensor x) { return lax::sin(x); })(a[0]))
  OP("slices", slices(a[0], one(k, "axis"), word(k, "body")))
  OP("auto_sin", autoAxes([](Tensor x) { return lax::mul(lax::sin(x), 2.0f); },
                          {.specs = {specOf(word(k, "spec"))}})(a[0]))
  OP("dot_out",
     lax::dot_general(a[0], a[1],
                      {get(k, "lc"), get(k, "rc"), get(k, "lb"), get(k, "rb")},
                      {}, specOf(word(k, "spec"))))
  OP("sum_out", lax::reduce_sum(a[0], get(k, "axes"), specOf(word(k, "spec"))))
  OP("reshape_out",
     lax::reshape(a[0], get(k, "shape"), specOf(word(k, "spec"))))
  OP("broadcast_out",
     lax::broadcast_in_dim(a[0], get(k, "shape"), get(k, "dims"),
                           specOf(word(k, "spec"))))
  OP("iota_out", lax::iota(DType::F32, get(k, "shape"), one(k, "dim"),
                           specOf(word(k, "spec"))))
  OP("reduce_sum", lax::reduce_sum(a[0], get(k, "axes")))
  OP("reduce_max", lax::reduce_max(a[0], get(k, "axes")))
  OP("argmax", lax::argmax(a[0], one(k, "axis")))
  OP("cumsum", lax::cumsum(a[0], one(k, "axis"), false))
  OP("broadcast_in_dim",
     lax::broadcast_in_dim(a[0], get(k, "shape"), get(k, "dims")))
  OP("reshape", lax::reshape(a[0], get(k, "shape")))
  OP("transpose", lax::transpose(a[0], get(k, "permutation")))
  OP("rev", lax::rev(a[0], get(k, "dims")))
  OP("expand_dims", lax::expand_dims(a[0], get(k, "dims")))
  OP("squeeze", lax::squeeze(a[0], get(k, "dims")))
  OP("concatenate", lax::concatenate(a, one(k, "dim")))
  OP("pad", lax::pad(a[0], a[1], [&] {
       std::vector<Ints> config;
       Ints flat = get(k, "config");
       for (size_t i = 0; i + 2 < flat.size(); i += 3)
         config.push_back({flat[i], flat[i + 1], flat[i + 2]});
       return config;
     }()))
  OP("slice",
     lax::slice(a[0], get(k, "start"), get(k, "limit"), get(k, "strides")))
  OP("dynamic_slice",
     lax::dynamic_slice(a[0], Tensors(a.begin() + 1, a.end()), get(k, "sizes")))
  OP("dynamic_update_slice",
     lax::dynamic_update_slice(a[0], a[1], Tensors(a.begin() + 2, a.end())))
  OP("dot_general",
     lax::dot_general(a[0], a[1],
                      {get(k, "lc"), get(k, "rc"), get(k, "lb"), get(k, "rb")}))
  OP("select_n", lax::select_n(a[0], {a[1], a[2]}))
  OP("clamp", lax::clamp(a[0], a[1], a[2]))
  OP("iota", lax::iota(DType::F32, get(k, "shape"), one(k, "dim")))
  OP("rows",
     lax::gather(a[0], lax::expand_dims(a[1], {1}), {{1}, {0}, {0}, {}, {}},
                 {1, a[0].dim(1)}, GatherMode::ClipIndices))
  ops["sort"] = [](const Args &a, const Keys &k) {
    return lax::sort(a, one(k, "dim"));
  };
  OP("map_shards",
     shardMap(bodies().at(word(k, "body")), {.in = specOf(word(k, "spec")),
                                             .out = specOf(word(k, "result")),
                                             .argNames = {"x"}})(a[0]))
  OP("map_product",
     shardMap([](Tensor x, Tensor y) { return lax::mul(x, y); },
              {.in = {specOf(word(k, "spec")), specOf(word(k, "other"))},
               .out = specOf(word(k, "result")),
               .argNames = {"x", "y"}})(a[0], a[1]))
  addCollectives(ops);
  return ops;
}

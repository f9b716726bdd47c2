//===- frontend_mesh_server.cc - programs of the front end on meshes ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads programs from standard input, and writes one line of JSON for each:
//
//   mesh 4,2 x,y Auto,Auto      the mesh; `context` makes it the one in context
//   in 8,4 x|y 1.0 2.0 ...      an argument, its spec and its elements (f32)
//   lit f32 2.0                 a scalar
//   op NAME 0 1 key=1,2 ...     applied to earlier values, by number
//   out 2 x|-                   a result and its spec
//   set check=1 axes=x,y        options of the shardMap
//   shard_map | types | eager   answers for the body of a shardMap, or for a
//                               function on arrays placed by their specs
//
// Specs: dimensions separated by `|`, axes of one by `+`; `-`: none; `.`: P().
// test/oracle/frontend_shard_map.py and frontend_explicit.py write the same
// programs for JAX.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <iostream>
#include <sstream>

using namespace shardwright::frontend;

/// The text of a mistake (frontend_mistakes.cc).
std::string mistake(const std::string &name);

namespace {

using Args = Tensors;
using Keys = std::map<std::string, std::string>;
using Op = std::function<Tensors(const Args &, const Keys &)>;

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
PartitionSpec specOf(const std::string &text) {
  std::vector<SpecEntry> entries;
  if (text != ".")
    for (const std::string &word : split(text, '|'))
      entries.push_back(word == "-" ? SpecEntry()
                                    : SpecEntry(split(word, '+')));
  return *PartitionSpec::get(entries);
}

std::string word(const Keys &keys, const char *name) {
  auto found = keys.find(name);
  return found == keys.end() ? "" : found->second;
}
Ints get(const Keys &keys, const char *name) {
  return intsOf(word(keys, name));
}
int64_t one(const Keys &keys, const char *name) {
  Ints values = get(keys, name);
  return values.empty() ? 0 : values[0];
}
/// `x`: one name; `x,`: a tuple.
CollectiveAxes axesIn(const Keys &keys) {
  std::string text = word(keys, "axes");
  if (text.find(',') == text.npos)
    return CollectiveAxes(text);
  return CollectiveAxes(split(text, ','));
}
AxisIndexGroups groupsIn(const Keys &keys) {
  AxisIndexGroups out;
  for (const std::string &group : split(word(keys, "groups"), ';'))
    out.push_back(intsOf(group));
  return out;
}
lax::Permutation permIn(const Keys &keys) {
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

void addCollectives(std::map<std::string, Op> &ops) {
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
  OP("nested", shardMap([&](Tensor x) { return lax::psum(x, axesIn(k)); },
                        {.in = SpecTree(specOf(word(k, "spec"))),
                         .out = specOf(word(k, "result")),
                         .axisNames = axesIn(k).names})(a[0]))
}

std::map<std::string, Op> makeOps() {
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
  OP("auto_sin", autoAxes([](Tensor x) { return lax::mul(lax::sin(x), 2.0f); },
                          {.specs = {specOf(word(k, "spec"))}})(a[0]))
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
  addCollectives(ops);
  return ops;
}

struct Step {
  std::string name;
  std::vector<size_t> args;
  Keys keys;
  Tensor literal;
};
struct Program {
  Mesh mesh;
  bool inContext = false;
  Tensors ins;
  std::vector<PartitionSpec> inSpecs, outSpecs;
  std::vector<Step> steps;
  std::vector<size_t> outs;
  Keys options;
};

Tensors evaluate(const Program &program, const Tensors &args) {
  static const auto *ops = new std::map<std::string, Op>(makeOps());
  Tensors values = args;
  for (const Step &step : program.steps) {
    if (step.name == "lit") {
      values.push_back(step.literal);
      continue;
    }
    auto op = ops->find(step.name);
    if (op == ops->end())
      return {Tensor(notImplemented("the server has no op ", step.name))};
    Tensors in;
    for (size_t i : step.args)
      in.push_back(i < values.size() ? values[i] : Tensor());
    for (const Tensor &out : op->second(in, step.keys))
      values.push_back(out);
  }
  Tensors outs;
  for (size_t i : program.outs)
    outs.push_back(i < values.size() ? values[i] : Tensor());
  return outs;
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '\n')
      out += "\\n";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else
      out += c;
  return out + "\"";
}

std::string numbers(const Tensors &tensors) {
  std::string out = "[";
  for (size_t i = 0; i < tensors.size(); ++i) {
    Tensor x = tensors[i].ok() && tensors[i].dtype() != DType::F32
                   ? astype(tensors[i], DType::F32)
                   : tensors[i];
    auto values = x.toVector<float>();
    if (!values)
      return quoted(values.error().str());
    out += i ? ", [" : "[";
    for (size_t k = 0; k < values->size(); ++k) {
      std::ostringstream text;
      text.precision(9);
      text << (*values)[k];
      std::string number = text.str();
      if (number.find("nan") != number.npos)
        number = "NaN";
      if (number.find("inf") != number.npos)
        number = number[0] == '-' ? "-Infinity" : "Infinity";
      out += (k ? ", " : "") + number;
    }
    out += "]";
  }
  return out + "]";
}

/// The fields of an answer.
class Answer {
public:
  void field(const char *name, const std::string &json) {
    out += cat(out.empty() ? "{\"" : ", \"", name, "\": ", json);
  }
  void values(const char *name, const Expected<Tensors> &result) {
    field(name, result ? numbers(*result) : quoted(result.error().str()));
  }
  void text(const char *name, const Expected<std::string> &result) {
    field(name, quoted(result ? *result : result.error().str()));
  }
  std::string str() const { return out + "}"; }

private:
  std::string out;
};

Tensors onesAs(const Tensors &xs) {
  Tensors out;
  for (const Tensor &x : xs)
    out.push_back(onesLike(x));
  return out;
}

/// All that is compared of a function of a list of arrays.
template <typename F>
std::string answers(const F &function, const Tensors &ins,
                    const Keys &options) {
  Answer answer;
  FlatFunction flat = [&](const Tensors &args) -> Tensors {
    Expected<Tensors> result = function(args);
    if (!result)
      return {Tensor(result.error())};
    return *result;
  };
  auto whole = [&](const std::vector<Tensor> &args) { return flat(args); };
  answer.text("jaxpr", jaxprText(whole, ins));
  auto jitted = jit(whole, {.name = "f"});
  auto values = jitted(ins);
  answer.values("values", values);
  auto traced = jitted.trace(ins);
  std::string types;
  if (traced)
    for (const Aval &type : traced->outTypes())
      types += cat(types.empty() ? "" : " ", type.str());
  answer.text("types", traced ? Expected<std::string>(types)
                              : Expected<std::string>(traced.error()));
  auto lowered = jitted.lower(ins);
  answer.text("module", lowered ? lowered->asText()
                                : Expected<std::string>(lowered.error()));
  if (!values || one(options, "forward"))
    return answer.str();
  answer.values("eager", Expected<Tensors>(flat(ins)));
  auto pulled = jit(
      [&](const std::vector<Tensor> &args) -> Expected<std::vector<Tensor>> {
        auto parts = detail::vjp(flat, args);
        if (!parts)
          return parts.error();
        return parts->second(onesAs(parts->first));
      })(ins);
  answer.values("vjp", pulled);
  auto eagerly = detail::vjp(flat, ins);
  answer.values("eager_vjp",
                eagerly
                    ? Expected<Tensors>(eagerly->second(onesAs(eagerly->first)))
                    : Expected<Tensors>(eagerly.error()));
  Tensors tangents;
  for (const Tensor &x : ins)
    tangents.push_back(full(x.shape(), 0.5));
  auto pushed = detail::jvp(flat, ins, tangents);
  answer.values("jvp", pushed ? Expected<Tensors>(pushed->second)
                              : Expected<Tensors>(pushed.error()));
  Tensors batches;
  for (const Tensor &x : ins)
    batches.push_back(stack({x, lax::mul(x, 0.5f)}, 0));
  answer.values("vmap", detail::vmap(flat, batches, Ints(ins.size(), 0), {0},
                                     -1, "", {}));
  return answer.str();
}

std::string run(const Program &p, const std::string &mode) {
  auto body = [&](const std::vector<Tensor> &args) {
    return evaluate(p, args);
  };
  std::optional<ScopedMesh> context;
  if (p.inContext)
    context.emplace(p.mesh);
  Tensors ins = p.ins;
  if (mode == "types") {
    for (size_t i = 0; i < ins.size(); ++i) {
      Expected<Sharding> sharding = NamedSharding(p.mesh, p.inSpecs[i]);
      ins[i] =
          sharding ? devicePut(ins[i], *sharding) : Tensor(sharding.error());
    }
    return answers(body, ins, p.options);
  }
  ShardMapOptions options;
  if (!p.inContext)
    options.mesh = p.mesh;
  if (!one(p.options, "infer"))
    options.in = SpecTree(p.inSpecs);
  options.out = SpecTree(p.outSpecs);
  if (one(p.options, "prefix"))
    options.out = p.outSpecs[0];
  options.checkVma = word(p.options, "check") != "0";
  options.axisNames = split(word(p.options, "axes"), ',');
  options.name = "f";
  options.argNames = split(word(p.options, "parameters"), ',');
  // The arguments are those of a function of several parameters.
  auto mapped = [&](const std::vector<Tensor> &a) -> Expected<Tensors> {
    if (a.size() == 1)
      return shardMap([&](Tensor x) { return body({x}); }, options)(a[0]);
    if (a.size() == 2)
      return shardMap([&](Tensor x, Tensor y) { return body({x, y}); },
                      options)(a[0], a[1]);
    return shardMap(body, options)(a);
  };
  return answers(mapped, ins, p.options);
}

} // namespace

int main() {
  if (!setDeviceCount(8).ok())
    return 1;
  Program program;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string command, first, second, third;
    in >> command;
    if (command == "mesh") {
      in >> first >> second >> third;
      std::vector<AxisType> types;
      for (const std::string &name : split(third, ','))
        types.push_back(name == "Explicit" ? AxisType::Explicit
                                           : AxisType::Auto);
      program.mesh =
          *Mesh::get(devices(), intsOf(first), split(second, ','), types);
    } else if (command == "context") {
      program.inContext = true;
    } else if (command == "in") {
      in >> first >> second;
      Shape shape(first == "-" ? Ints() : intsOf(first));
      std::vector<float> values(shape.elements());
      for (float &v : values)
        in >> v;
      program.ins.push_back(arrayOf(values, shape));
      program.inSpecs.push_back(specOf(second));
    } else if (command == "lit") {
      double value = 0;
      in >> first >> value;
      program.steps.push_back(
          {"lit",
           {},
           {},
           scalarOf(value, first == "i32" ? DType::I32 : DType::F32)});
    } else if (command == "op") {
      Step step;
      in >> step.name;
      while (in >> first) {
        size_t equals = first.find('=');
        if (equals == std::string::npos)
          step.args.push_back(std::stoul(first));
        else
          step.keys[first.substr(0, equals)] = first.substr(equals + 1);
      }
      program.steps.push_back(step);
    } else if (command == "out") {
      in >> first >> second;
      program.outs.push_back(std::stoul(first));
      program.outSpecs.push_back(specOf(second));
    } else if (command == "set") {
      while (in >> first) {
        size_t equals = first.find('=');
        program.options[first.substr(0, equals)] = first.substr(equals + 1);
      }
    } else if (command == "mistake") {
      std::getline(in >> std::ws, first);
      std::cout << quoted(mistake(first)) << std::endl;
    } else if (command == "shard_map" || command == "types") {
      std::cout << run(program, command) << std::endl;
      program = Program();
    }
  }
  return 0;
}

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
//   in 8,4 x|y 1.0 2.0 ...      an argument, its spec and its elements (f32,
//                               or i32 of a shape such as `i32:8,4`)
//   lit f32 2.0                 a scalar
//   op NAME 0 1 key=1,2 ...     applied to earlier values, by number
//   out 2 x|-                   a result and its spec
//   set check=1 axes=x,y        options of the shardMap
//   place shape=8,4 spec=x ..   what two shardings say (frontend_placement.cc)
//   topology shape=4,2 ..       an order of devices (frontend_topology.cc)
//   array type=int4 hex=.. ..   texts of an array (frontend_printing.cc)
//   shard_map | types | eager   answers for the body of a shardMap, or for a
//                               function on arrays placed by their specs
//
// Specs: dimensions separated by `|`, axes of one by `+`; `-`: none; `.`: P().
// test/oracle/frontend_shard_map.py and frontend_explicit.py write the same
// programs for JAX.
//
//===----------------------------------------------------------------------===//

#include "frontend_mesh_ops.h"

#include <iostream>
#include <sstream>

using namespace shardwright::frontend;

/// The text of a mistake (frontend_mistakes.cc).
std::string mistake(const std::string &name);
/// A module with the locations of its operations (frontend_names.cc).
std::string locatedModule(const std::string &name);
/// The error for an option of the compiler; empty: none
/// (frontend_run_mistakes.cc).
std::string optionError(const std::string &name, const std::string &value);
/// Settings and what they change (frontend_settings.cc).
std::string settingsAnswer(const std::string &line);
/// What a sharding says and where elements are (frontend_placement.cc).
std::string placement(const Keys &keys);
/// The order of the devices of a machine (frontend_topology.cc).
std::string topology(const Keys &keys);
/// Texts and bytes of an array (frontend_printing.cc).
std::string printed(const Keys &keys);

namespace {

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
  static const auto *ops = new std::map<std::string, Op>(makeMeshOps());
  Tensors values = args;
  for (const Step &step : program.steps) {
    if (step.name == "lit") {
      values.push_back(step.literal);
      continue;
    }
    Tensors in;
    for (size_t i : step.args)
      in.push_back(i < values.size() ? values[i] : Tensor());
    auto op = ops->find(step.name);
    auto shared = allOps().find(step.name);
    if (op == ops->end() && shared == allOps().end())
      return {Tensor(notImplemented("the server has no op ", step.name))};
    for (const Tensor &out : op != ops->end()
                                 ? op->second(in, step.keys)
                                 : shared->second(in, integers(step.keys)))
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

/// Costs and memory of a program by the names of JAX.
std::string costs(const LoweredStage &lowered) {
  auto compiled = lowered.compile();
  if (!compiled)
    return quoted(compiled.error().str());
  std::map<std::string, double> all = compiled->costAnalysis();
  MemoryStats memory = compiled->memoryAnalysis();
  all["argument_size_in_bytes"] = static_cast<double>(memory.arguments);
  all["output_size_in_bytes"] = static_cast<double>(memory.results);
  std::string out;
  for (const auto &[name, value] : all)
    out += cat(out.empty() ? "{" : ", ", quoted(name), ": ",
               std::to_string(value));
  return out + "}";
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
  takeSeen();
  auto values = jitted(ins);
  answer.values("values", values);
  answer.values("seen", takeSeen());
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
  if (lowered && one(options, "costs"))
    answer.field("costs", costs(*lowered));
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

/// Specs of a tuple.
ShardingTree treeOf(const std::vector<PartitionSpec> &specs) {
  return ShardingTree::braces({specs.begin(), specs.end()});
}

std::string run(const Program &p, const std::string &mode) {
  auto body = [&](const std::vector<Tensor> &args) {
    return evaluate(p, args);
  };
  std::optional<ScopedMesh> context;
  if (p.inContext)
    context.emplace(p.mesh);
  Tensors arrays = p.ins;
  if (mode == "types") {
    for (size_t i = 0; i < arrays.size(); ++i) {
      Expected<Sharding> sharding = NamedSharding(p.mesh, p.inSpecs[i]);
      arrays[i] =
          sharding ? devicePut(arrays[i], *sharding) : Tensor(sharding.error());
    }
    return answers(body, arrays, p.options);
  }
  ShardMapOptions options;
  if (!p.inContext)
    options.mesh = p.mesh;
  ShardingTree ins = treeOf(p.inSpecs);
  if (!one(p.options, "infer"))
    options.in = p.ins.size() > 2 ? ShardingTree::braces({ins}) : ins;
  options.out = treeOf(p.outSpecs);
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
  return answers(mapped, arrays, p.options);
}

/// As many devices as a mesh of these sizes has.
std::vector<Device> firstDevices(const Ints &sizes) {
  std::vector<Device> all = devices();
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  all.resize(std::min<size_t>(all.size(), count));
  return all;
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
      program.mesh = *Mesh::get(firstDevices(intsOf(first)), intsOf(first),
                                split(second, ','), types);
    } else if (command == "context") {
      program.inContext = true;
    } else if (command == "in") {
      in >> first >> second;
      bool isInteger = first.rfind("i32:", 0) == 0;
      if (isInteger)
        first = first.substr(4);
      Shape shape(first == "-" ? Ints() : intsOf(first));
      std::vector<float> values(shape.elements());
      for (float &v : values)
        in >> v;
      Tensor array = arrayOf(values, shape);
      program.ins.push_back(isInteger ? astype(array, DType::I32) : array);
      program.inSpecs.push_back(specOf(second));
    } else if (command == "lit") {
      std::string value;
      in >> first >> value;
      program.steps.push_back(
          {"lit",
           {},
           {},
           scalarOf(std::strtod(value.c_str(), nullptr),
                    first == "i32" ? DType::I32 : DType::F32)});
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
    } else if (command == "place" || command == "topology" ||
               command == "array") {
      Keys keys;
      while (in >> first) {
        size_t equals = first.find('=');
        keys[first.substr(0, equals)] = first.substr(equals + 1);
      }
      std::cout << (command == "place"   ? placement(keys)
                    : command == "array" ? printed(keys)
                                         : quoted(topology(keys)))
                << std::endl;
    } else if (command == "mistake") {
      std::getline(in >> std::ws, first);
      std::cout << quoted(mistake(first)) << std::endl;
    } else if (command == "located") {
      std::getline(in >> std::ws, first);
      std::cout << quoted(locatedModule(first)) << std::endl;
    } else if (command == "setting") {
      std::getline(in >> std::ws, first);
      std::cout << quoted(settingsAnswer(first)) << std::endl;
    } else if (command == "option") {
      in >> first;
      std::getline(in.ignore(1), second);
      std::cout << quoted(optionError(first, second)) << std::endl;
    } else if (command == "shard_map" || command == "types") {
      std::cout << run(program, command) << std::endl;
      program = Program();
    }
  }
  return 0;
}

//===- frontend_server.cc - programs of the front end, as text ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads programs from standard input, and writes one line of JSON for each:
//
//   in f32 3,4 1.0 2.0 ...     an argument with its elements
//   batch f32 2,3,4 1.0 ...    the same argument for vmap, batched at 0
//   lit f32 2.0                a scalar
//   op NAME 0 1 key=1,2 ...    applied to earlier values, by number
//   out 2 3                    the results
//   run                        jaxpr, values, vjp, jvp and vmap
//
// test/oracle/frontend_programs.py writes the same programs for JAX.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <cstdio>
#include <iostream>
#include <sstream>

using namespace shardwright::frontend;

namespace {

using Args = Tensors;
using Keys = std::map<std::string, Ints>;
using Op = std::function<Tensors(const Args &, const Keys &)>;

DType typeNamed(const std::string &name) {
  for (int t = 0; t <= static_cast<int>(DType::C128); ++t)
    if (shortName(static_cast<DType>(t)) == name)
      return static_cast<DType>(t);
  return DType::F32;
}

Ints intsOf(const std::string &text) {
  Ints out;
  std::stringstream in(text);
  std::string word;
  while (std::getline(in, word, ','))
    out.push_back(std::stoll(word));
  return out;
}

Ints get(const Keys &keys, const char *name) {
  auto found = keys.find(name);
  return found == keys.end() ? Ints() : found->second;
}
int64_t one(const Keys &keys, const char *name) {
  Ints values = get(keys, name);
  return values.empty() ? 0 : values[0];
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
#define REDUCE(name)                                                           \
  ops[#name] = [](const Args &a, const Keys &k) {                              \
    return Tensors{lax::name(a[0], get(k, "axes"))};                           \
  };
  REDUCE(reduce_sum)
  REDUCE(reduce_prod)
  REDUCE(reduce_max)
  REDUCE(reduce_min)
#define CUMULATIVE(name)                                                       \
  ops[#name] = [](const Args &a, const Keys &k) {                              \
    return Tensors{lax::name(a[0], one(k, "axis"), one(k, "reverse"))};        \
  };
  CUMULATIVE(cumsum)
  CUMULATIVE(cumprod)
  CUMULATIVE(cummax)
  CUMULATIVE(cummin)
  CUMULATIVE(cumlogsumexp)
#define OP(name, ...)                                                          \
  ops[name] = [](const Args &a, const Keys &k) -> Tensors {                    \
    return {__VA_ARGS__};                                                      \
  };
  OP("round", lax::round(a[0], static_cast<RoundingMethod>(one(k, "method"))))
  OP("integer_pow", lax::integer_pow(a[0], one(k, "y")))
  OP("select_n", lax::select_n(a[0], {a[1], a[2]}))
  OP("clamp", lax::clamp(a[0], a[1], a[2]))
  OP("convert",
     lax::convert_element_type(a[0], static_cast<DType>(one(k, "type"))))
  OP("bitcast",
     lax::bitcast_convert_type(a[0], static_cast<DType>(one(k, "type"))))
  OP("broadcast_in_dim",
     lax::broadcast_in_dim(a[0], get(k, "shape"), get(k, "dims")))
  OP("reshape", lax::reshape(a[0], get(k, "shape")))
  OP("transpose", lax::transpose(a[0], get(k, "permutation")))
  OP("rev", lax::rev(a[0], get(k, "dims")))
  OP("expand_dims", lax::expand_dims(a[0], get(k, "dims")))
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
  OP("argmax", lax::argmax(a[0], one(k, "axis")))
  OP("argmin", lax::argmin(a[0], one(k, "axis")))
  OP("dot_general",
     lax::dot_general(a[0], a[1],
                      {get(k, "lc"), get(k, "rc"), get(k, "lb"), get(k, "rb")}))
  OP("iota", lax::iota(DType::F32, get(k, "shape"), one(k, "dim")))
  OP("reduce_precision", lax::reduce_precision(a[0], 5, 10))
  ops["sort"] = [](const Args &a, const Keys &k) {
    return lax::sort(a, one(k, "dim"));
  };
  OP("jit_sin_mul",
     jit([](Tensor x, Tensor y) { return lax::mul(lax::sin(x), y); },
         {.name = "f"})(a[0], a[1]))
  OP("rows",
     lax::gather(a[0], lax::expand_dims(a[1], {1}), {{1}, {0}, {0}, {}, {}},
                 {1, a[0].dim(1)}, static_cast<GatherMode>(one(k, "mode"))))
  OP("scatter_rows",
     lax::scatter(static_cast<lax::ScatterKind>(one(k, "kind")), a[0],
                  lax::expand_dims(a[1], {1}), a[2], {{1}, {0}, {0}, {}, {}},
                  GatherMode::FillOrDrop))
  return ops;
}

struct Step {
  std::string name;
  std::vector<size_t> args;
  Keys keys;
  Tensor literal;
};
struct Program {
  Tensors ins, batches;
  std::vector<Step> steps;
  std::vector<size_t> outs;
};

const std::map<std::string, Op> &ops() {
  static const auto *table = new std::map<std::string, Op>(makeOps());
  return *table;
}

Tensors evaluate(const Program &program, const Tensors &args) {
  Tensors values = args;
  for (const Step &step : program.steps) {
    if (step.name == "lit") {
      values.push_back(step.literal);
      continue;
    }
    auto op = ops().find(step.name);
    if (op == ops().end())
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
      char text[40];
      std::snprintf(text, sizeof(text), "%.9g", double((*values)[k]));
      std::string word = text;
      if (word.find("nan") != word.npos)
        word = "NaN";
      if (word.find("inf") != word.npos)
        word = word[0] == '-' ? "-Infinity" : "Infinity";
      out += (k ? ", " : "") + word;
    }
    out += "]";
  }
  return out + "]";
}

bool isFloating(const Tensor &x) { return isFloat(x.dtype()); }

std::string answer(const Program &program) {
  FlatFunction f = [&](const Tensors &args) { return evaluate(program, args); };
  auto vectorFunction = [&](std::vector<Tensor> args) {
    return evaluate(program, args);
  };
  std::string out = "{";
  auto traced = jaxprText(
      [&](const std::vector<Tensor> &args) { return vectorFunction(args); },
      program.ins);
  out += "\"jaxpr\": " + quoted(traced ? *traced : traced.error().str());
  auto jitted = jit(
      [&](const std::vector<Tensor> &args) { return vectorFunction(args); });
  auto values = jitted(program.ins);
  out += ", \"values\": " +
         (values ? numbers(*values) : quoted(values.error().str()));
  if (!values)
    return out + "}";
  auto pulled = detail::vjp(f, program.ins);
  if (!pulled) {
    out += ", \"vjp\": " + quoted(pulled.error().str());
  } else {
    Tensors cts;
    for (const Tensor &y : pulled->first)
      cts.push_back(isFloating(y) ? onesLike(y) : y);
    out += ", \"vjp\": " + numbers(pulled->second(cts));
  }
  Tensors tangents;
  for (const Tensor &x : program.ins)
    tangents.push_back(isFloating(x) ? full(x.shape(), 0.5) : x);
  auto pushed = detail::jvp(f, program.ins, tangents);
  if (!pushed) {
    out += ", \"jvp\": " + quoted(pushed.error().str());
  } else {
    Tensors floats;
    for (const Tensor &t : pushed->second)
      if (isFloating(t))
        floats.push_back(t);
    out += ", \"jvp\": " + numbers(floats);
  }
  Ints dims(program.ins.size(), 0);
  auto mapped = detail::vmap(f, program.batches, dims, {0}, -1, "", {});
  out += ", \"vmap\": " +
         (mapped ? numbers(*mapped) : quoted(mapped.error().str()));
  return out + "}";
}

Tensor readArray(std::istringstream &in) {
  std::string type, shape;
  in >> type >> shape;
  Shape dims(shape == "-" ? Ints() : intsOf(shape));
  std::vector<double> values(dims.elements());
  for (double &v : values)
    in >> v;
  DType dtype = typeNamed(type);
  if (dtype == DType::I32)
    return arrayOf(std::vector<int32_t>(values.begin(), values.end()), dims);
  return arrayOf(std::vector<float>(values.begin(), values.end()), dims);
}

} // namespace

int main() {
  Program program;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "in") {
      program.ins.push_back(readArray(in));
    } else if (word == "batch") {
      program.batches.push_back(readArray(in));
    } else if (word == "lit") {
      std::string type;
      double value = 0;
      in >> type >> value;
      Step step{"lit", {}, {}, scalarOf(value, typeNamed(type))};
      program.steps.push_back(step);
    } else if (word == "op") {
      Step step;
      in >> step.name;
      while (in >> word) {
        size_t equals = word.find('=');
        if (equals == std::string::npos)
          step.args.push_back(std::stoul(word));
        else
          step.keys[word.substr(0, equals)] = intsOf(word.substr(equals + 1));
      }
      program.steps.push_back(step);
    } else if (word == "out") {
      size_t i = 0;
      while (in >> i)
        program.outs.push_back(i);
    } else if (word == "run") {
      std::cout << answer(program) << std::endl;
      program = Program();
    }
  }
  return 0;
}

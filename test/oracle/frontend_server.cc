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
//   shape f32 3,4              an argument without elements, to be traced
//   op NAME 0 1 key=1,2 ...    applied to earlier values, by number
//   out 2 3                    the results
//   run                        jaxpr, values, vjp, jvp and vmap
//   table                      the same, executed op by op too, and derivatives
//                              of derivatives
//   trace                      jaxpr
//   primitives                 the names of all primitives
//
// test/oracle/frontend_programs.py writes the same programs for JAX.
//
//===----------------------------------------------------------------------===//

#include "frontend/ops.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

using namespace shardwright::frontend;

namespace {

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

Tensors evaluate(const Program &program, const Tensors &args) {
  Tensors values = args;
  for (const Step &step : program.steps) {
    if (step.name == "lit") {
      values.push_back(step.literal);
      continue;
    }
    auto op = allOps().find(step.name);
    if (op == allOps().end())
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

/// A function, from its leaves to the cotangents of its floating arguments.
FlatFunction pulledBack(const FlatFunction &f) {
  return [f](const Tensors &args) -> Tensors {
    auto parts = detail::vjp(f, args);
    if (!parts)
      return {Tensor(parts.error())};
    Tensors cts, out;
    for (const Tensor &y : parts->first)
      cts.push_back(isFloating(y) ? onesLike(y) : y);
    Tensors all = parts->second(cts);
    for (size_t i = 0; i < all.size(); ++i)
      if (!all[i].ok() || (i < args.size() && isFloating(args[i])))
        out.push_back(all[i]);
    return out;
  };
}
/// The tangents of the floating results, for tangents 0.5.
FlatFunction pushedForward(const FlatFunction &f) {
  return [f](const Tensors &args) -> Tensors {
    Tensors tangents, out;
    for (const Tensor &x : args)
      tangents.push_back(isFloating(x) ? full(x.shape(), 0.5) : x);
    auto parts = detail::jvp(f, args, tangents);
    if (!parts)
      return {Tensor(parts.error())};
    for (const Tensor &t : parts->second)
      if (isFloating(t))
        out.push_back(t);
    return out;
  };
}
FlatFunction mapped(const FlatFunction &f) {
  return [f](const Tensors &batches) -> Tensors {
    auto outs =
        detail::vmap(f, batches, Ints(batches.size(), 0), {0}, -1, "", {});
    return outs ? *outs : Tensors{Tensor(outs.error())};
  };
}

std::string tableAnswer(const Program &program) {
  FlatFunction f = [&](const Tensors &args) { return evaluate(program, args); };
  auto jitted = [](const FlatFunction &function, const Tensors &args) {
    auto out = jit([&](const std::vector<Tensor> &a) -> std::vector<Tensor> {
      return function(a);
    })(args);
    return out ? numbers(*out) : quoted(out.error().str());
  };
  auto traced = jaxprText(
      [&](const std::vector<Tensor> &args) -> std::vector<Tensor> {
        return f(args);
      },
      program.ins);
  std::string out =
      cat("{\"jaxpr\": ", quoted(traced ? *traced : traced.error().str()),
          ", \"eager\": ", numbers(f(program.ins)),
          ", \"values\": ", jitted(f, program.ins),
          ", \"vmap\": ", jitted(mapped(f), program.batches));
  bool isDifferentiable = false;
  for (const Tensor &x : program.ins)
    isDifferentiable |= isFloating(x);
  if (!isDifferentiable)
    return out + "}";
  FlatFunction back = pulledBack(f), forward = pushedForward(f);
  return cat(out, ", \"vjp\": ", jitted(back, program.ins),
             ", \"jvp\": ", jitted(forward, program.ins),
             ", \"jvp_of_vjp\": ", jitted(pushedForward(back), program.ins),
             ", \"vjp_of_jvp\": ", jitted(pulledBack(forward), program.ins),
             ", \"vmap_of_vjp\": ", jitted(mapped(back), program.batches), "}");
}

std::string traceAnswer(const Program &program) {
  auto traced = jaxprText(
      [&](const std::vector<Tensor> &args) -> std::vector<Tensor> {
        return evaluate(program, args);
      },
      program.ins);
  return cat("{\"jaxpr\": ", quoted(traced ? *traced : traced.error().str()),
             "}");
}

std::string primitiveList() {
  std::string out;
  for (const std::string &name : primitiveNames())
    out += cat(out.empty() ? "" : ", ", quoted(name));
  return cat("[", out, "]");
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
    } else if (word == "shape") {
      std::string type, shape;
      in >> type >> shape;
      program.ins.push_back(shapeDtypeStruct(
          shape == "-" ? Shape() : Shape(intsOf(shape)), typeNamed(type)));
    } else if (word == "batch") {
      program.batches.push_back(readArray(in));
    } else if (word == "lit") {
      std::string type, value;
      in >> type >> value;
      Step step{"lit",
                {},
                {},
                scalarOf(std::strtod(value.c_str(), nullptr), typeNamed(type))};
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
    } else if (word == "trace") {
      std::cout << traceAnswer(program) << std::endl;
      program = Program();
    } else if (word == "primitives") {
      std::cout << primitiveList() << std::endl;
    } else if (word == "run" || word == "table") {
      std::cout << (word == "run" ? answer(program) : tableAnswer(program))
                << std::endl;
      program = Program();
    }
  }
  return 0;
}

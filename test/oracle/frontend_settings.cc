//===- frontend_settings.cc - settings and what they change ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What frontend_settings.py asks of frontend_mesh_server.
//
//===----------------------------------------------------------------------===//

#include "frontend/program.h"
#include "shardwright/frontend/frontend.h"

#include <map>
#include <sstream>
#include <vector>

using namespace shardwright::frontend;

std::string settingsAnswer(const std::string &line);

namespace {

/// A line `NAME|INITIAL|KEYS` for each.
std::string list() {
  std::string out;
  for (const ConfigDescription &d : configList())
    out += cat(d.name, "|", d.initial, "|", int(d.keys), "\n");
  return out;
}

/// Misses of the dispatch cache, and traces, of a call after the setting has
/// changed.
std::string keysOf(const std::string &name, const std::string &value) {
  auto f = jit([](Tensor x) { return x + 1.0; }, {.name = "f"});
  Tensor x = ones({3});
  (void)f(x);
  std::string old = *readConfig(name);
  JitCounts a = jitCounts();
  if (Status status = updateConfig(name, value); !status)
    return status.error().str();
  auto result = f(x);
  (void)updateConfig(name, old);
  if (!result)
    return result.error().str();
  JitCounts b = jitCounts();
  return cat(b.dispatchMisses - a.dispatchMisses, " ", b.traces - a.traces);
}

/// `WIDTH SEED KEYS SHAPE..`: random bits; `SPLIT` in place of the width: keys.
std::string randomWords(std::istringstream &in) {
  std::string width;
  int64_t seed = 0, keys = 0;
  in >> width >> seed >> keys;
  Shape shape;
  for (int64_t d = 0; in >> d;)
    shape.push_back(d);
  auto draw = [&](Tensor key) -> Tensor {
    return width == "split" ? lax::random_unwrap(lax::random_split(key, shape))
                            : lax::random_bits(key, std::stoll(width), shape);
  };
  Tensor key = lax::random_seed(scalarOf(seed, DType::I32));
  Tensor out = keys ? *vmap(draw)(lax::random_split(key, {keys})) : draw(key);
  if (!out.ok())
    return out.error().str();
  Expected<std::vector<std::byte>> bytes = out.toBytes();
  std::string text;
  for (std::byte b : *bytes)
    text += cat(static_cast<int>(b), " ");
  return bytes ? text : bytes.error().str();
}

/// A value of this type and shape; a scalar of C++ for `int`, `float`.
Tensor operand(std::istringstream &in) {
  std::string type;
  in >> type;
  if (type == "int")
    return Tensor(2);
  if (type == "float")
    return Tensor(2.5);
  std::string dims;
  in >> dims;
  Shape shape;
  std::istringstream list(dims == "-" ? "" : dims);
  for (std::string d; std::getline(list, d, ',');)
    shape.push_back(std::stoll(d));
  return ones(shape, typeNamed(type));
}

/// `OPERATION OPERAND OPERAND`: the type and shape of the result, or the error;
/// warnings before them.
std::string apply(std::istringstream &in) {
  std::string warnings;
  WarningHandler old = setWarningHandler(
      [&](const std::string &text) { warnings += text + "\n"; });
  std::string name;
  in >> name;
  Tensor x = operand(in), y = operand(in);
  static const std::map<std::string,
                        std::function<Tensor(const Tensor &, const Tensor &)>>
      operations = {
          {"add", [](auto &a, auto &b) { return a + b; }},
          {"subtract", [](auto &a, auto &b) { return a - b; }},
          {"multiply", [](auto &a, auto &b) { return a * b; }},
          {"divide", [](auto &a, auto &b) { return a / b; }},
          {"remainder", [](auto &a, auto &b) { return a % b; }},
          {"less", [](auto &a, auto &b) { return a < b; }},
          {"equal", [](auto &a, auto &b) { return a == b; }},
          {"bitwise_and", [](auto &a, auto &b) { return a & b; }},
          {"maximum", [](auto &a, auto &b) { return maximum(a, b); }},
          {"power", [](auto &a, auto &b) { return power(a, b); }},
          {"logical_and", [](auto &a, auto &b) { return logicalAnd(a, b); }},
          {"arctan2", [](auto &a, auto &b) { return arctan2(a, b); }},
          {"matmul", [](auto &a, auto &b) { return matmul(a, b); }},
          {"concatenate",
           [](auto &a, auto &b) { return concatenate({a, b}, 0); }},
          {"stack", [](auto &a, auto &b) { return stack({a, b}); }},
          {"where", [](auto &a, auto &b) { return where(a > 0.0, a, b); }},
          {"einsum",
           [](auto &a, auto &b) { return einsum("...i,...i->...", {a, b}); }},
      };
  auto found = operations.find(name);
  Tensor out = found == operations.end() ? Tensor(valueError("no ", name))
                                         : found->second(x, y);
  setWarningHandler(old);
  return warnings + (out.ok() ? out.aval().longStr() : out.error().str());
}

/// Errors of functions that let a traced value escape, or keep none.
std::string leak(const std::string &name) {
  static std::vector<Tensor> kept;
  auto keeps = [](Tensor x) {
    Tensor y = sin(x);
    kept.push_back(y);
    return y * 2.0;
  };
  auto keepsNothing = [](Tensor x) { return sin(x) * 2.0; };
  auto result = [](auto r) { return r.ok() ? "" : r.error().str(); };
  Tensor x = ones({3}), one = Tensor(1.0f);
  std::map<std::string, std::function<std::string()>> programs = {
      {"jit", [&] { return result(jit(keeps, {.name = "f"})(x)); }},
      {"grad", [&] { return result(grad(keeps)(one)); }},
      {"jvp", [&] { return result(jvp(keeps, x, x)); }},
      {"vmap", [&] { return result(vmap(keeps)(x)); }},
      {"none jit", [&] { return result(jit(keepsNothing)(x)); }},
      {"none grad", [&] { return result(grad(jit(keepsNothing))(one)); }},
      {"none nested",
       [&] {
         return result(jit([&](Tensor v) {
           Tensor scaled = v * 3.0;
           return *vmap(jit([=](Tensor u) { return u * sum(scaled); }))(v);
         })(x));
       }},
      {"none loop",
       [&] {
         return result(jit([](Tensor v) {
           return *grad([](Tensor u) {
             return sum(*foriLoop(
                 0, 3, [&](Tensor, Tensor w) { return sin(w) * u; }, u));
           })(v);
         })(x));
       }},
  };
  std::string out = programs.at(name)();
  kept.clear();
  return out;
}

} // namespace

std::string settingsAnswer(const std::string &line) {
  std::istringstream in(line);
  std::string command, name, value;
  in >> command;
  if (command == "list")
    return list();
  if (command == "random")
    return randomWords(in);
  if (command == "apply")
    return apply(in);
  if (command == "leak") {
    std::getline(in >> std::ws, name);
    return leak(name);
  }
  in >> name;
  std::getline(in >> std::ws, value);
  if (command == "keys")
    return keysOf(name, value);
  if (command == "set") {
    Status status = updateConfig(name, value);
    return status ? "" : status.error().str();
  }
  if (command == "get") {
    Expected<std::string> text = readConfig(name);
    return text ? *text : text.error().str();
  }
  return "no command " + command;
}

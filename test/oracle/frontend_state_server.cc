//===- frontend_state_server.cc - programs of references, as text ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads bodies of runState from standard input, and writes for each the jaxpr,
// the values, the jaxpr and values of the jvp, and those of the vjp and of
// vmap, as lines `NAME: TEXT`, in which ~ is a line break, and a line `done`:
//
//   ref 4,3 1.0 2.0 ...        a reference with its elements
//   get NAME REF INDEX         INDEX: positions, START:SIZE[:STRIDE] or :, by
//   set REF INDEX EXPR         commas; views of views by |; k0, k1: variables
//   add REF INDEX EXPR         of loops
//   swap NAME REF INDEX EXPR   EXPR: a number, or NAME*NUMBER
//   loop N ... end             a counted loop
//   dloop REF INDEX ... end    its count is that element, between 0 and 3
//   when REF INDEX ... end     if that element is positive
//   run
//
// test/oracle/frontend_state.py writes the same programs for JAX.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>

using namespace shardwright::frontend;

namespace {

using Words = std::vector<std::string>;

std::vector<std::string> split(const std::string &text, char by) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, by);)
    out.push_back(word);
  return out;
}

struct Program {
  Tensors init;
  std::vector<Words> steps;
  bool hasDynamicLoop = false;
};

/// Applies the steps of a body to references.
class Body {
public:
  Body(const Program &p, const Refs &r) : program(p), refs(r) {}
  void run() {
    size_t at = 0;
    block(at);
  }

private:
  Tensor position(const std::string &word) {
    if (word[0] == 'k')
      return loops.at(std::stoi(word.substr(1)));
    return Tensor(std::stoi(word));
  }
  RefIndex index(const std::string &word) {
    if (word == ":")
      return slice();
    if (word.find(':') == word.npos)
      return word[0] == 'k' ? RefIndex(position(word))
                            : RefIndex(std::stoi(word));
    Words parts = split(word, ':');
    return ds(position(parts[0]), std::stoi(parts[1]),
              parts.size() > 2 ? std::stoi(parts[2]) : 1);
  }
  Ref part(const std::string &ref, const std::string &text) {
    Ref out = refs.at(std::stoi(ref));
    for (const std::string &one : split(text, '|')) {
      std::vector<RefIndex> indices;
      for (const std::string &word : split(one, ','))
        indices.push_back(index(word));
      out = out.part(indices);
    }
    return out;
  }
  static Tensor sumOf(const Tensor &x) {
    return x.rank() ? lax::reduce_sum(x, iotaInts(x.rank())) : x;
  }
  Tensor value(const std::string &text, const Shape &shape) {
    Words parts = split(text, '*');
    if (parts.size() == 1)
      return shape.empty() ? scalarOf(std::stod(text), DType::F32)
                           : lax::full(shape, std::stod(text), DType::F32);
    Tensor s = lax::mul(lax::sin(sumOf(values.at(parts[0]))),
                        scalarOf(std::stod(parts[1]), DType::F32));
    return shape.empty() ? s : lax::broadcast_in_dim(s, shape, {});
  }
  void block(size_t &at) {
    while (at < program.steps.size() && program.steps[at][0] != "end")
      step(at);
  }
  /// Applies the steps of a block whose first one is number `at`.
  void inner(size_t at) { block(at); }
  size_t afterBlock(size_t at) const {
    for (int depth = 1; depth; ++at) {
      const std::string &word = program.steps[at][0];
      depth += word == "loop" || word == "dloop" || word == "when";
      depth -= word == "end";
    }
    return at;
  }
  void loop(const Tensor &count, size_t first) {
    forEach(0, count, [&](const Tensor &k) {
      loops.push_back(k);
      inner(first);
      loops.pop_back();
    });
  }
  void step(size_t &at) {
    const Words &w = program.steps[at++];
    if (w[0] == "get") {
      values[w[1]] = part(w[2], w[3]).get();
    } else if (w[0] == "set" || w[0] == "add") {
      Ref to = part(w[1], w[2]);
      Tensor x = value(w[3], to.shape());
      w[0] == "set" ? to.set(x) : to.addUpdate(x);
    } else if (w[0] == "swap") {
      Ref to = part(w[2], w[3]);
      values[w[1]] = to.swap(value(w[4], to.shape()));
    } else {
      if (w[0] == "loop") {
        loop(Tensor(std::stoi(w[1])), at);
      } else if (w[0] == "dloop") {
        Tensor n = lax::clamp(scalarOf(0., DType::F32), part(w[1], w[2]).get(),
                              scalarOf(3., DType::F32));
        loop(lax::convert_element_type(n, DType::I32), at);
      } else {
        when(lax::gt(part(w[1], w[2]).get(), scalarOf(0., DType::F32)),
             [&] { inner(at); });
      }
      at = afterBlock(at);
    }
  }

  const Program &program;
  const Refs &refs;
  std::map<std::string, Tensor> values;
  std::vector<Tensor> loops;
};

Tensors apply(const Program &p, const Tensors &init) {
  return runState([&](const Refs &refs) { Body(p, refs).run(); }, init);
}

void print(const char *name, std::string text) {
  for (char &c : text)
    if (c == '\n')
      c = '~';
  std::printf("%s: %s\n", name, text.c_str());
}
void printValues(const char *name, const Tensors &values) {
  std::string out;
  for (const Tensor &x : values) {
    Expected<std::vector<float>> list = x.toVector<float>();
    if (!list)
      return print(name, "error " + list.error().str());
    for (float v : *list) {
      char word[32];
      std::snprintf(word, sizeof(word), "%.9g ", v);
      out += word;
    }
  }
  print(name, out);
}

void answer(const Program &p) {
  auto f = [&](const Tensors &x) { return apply(p, x); };
  auto traced = jit(f).trace(p.init);
  print("jaxpr", traced ? traced->str() : "error " + traced.error().str());
  if (!traced)
    return;
  printValues("eager", f(p.init));
  auto jitted = jit(f)(p.init);
  printValues("values", *jitted);
  auto both = [&](const Tensors &x, const Tensors &t) {
    auto out = jvp(f, x, t);
    return std::pair{out->first, out->second};
  };
  auto dual = jit(both).trace(p.init, p.init);
  print("jvp", dual ? dual->str() : "error " + dual.error().str());
  auto tangents = jvp(f, p.init, p.init);
  if (!tangents)
    return print("tangents", "error " + tangents.error().str());
  printValues("tangents", tangents->second);
  Tensors batch;
  for (const Tensor &x : p.init)
    batch.push_back(lax::concatenate(
        {lax::expand_dims(x, {0}), lax::expand_dims(lax::neg(x), {0})}, 0));
  auto mapped = vmap(f)(batch);
  if (!mapped)
    print("vmap", "error " + mapped.error().str());
  else
    printValues("vmap", *mapped);
  if (p.hasDynamicLoop)
    return;
  auto [outs, back] = *vjp(f, p.init);
  Expected<Tensors> cotangents = back(p.init);
  if (!cotangents)
    return print("cotangents", "error " + cotangents.error().str());
  printValues("cotangents", *cotangents);
}

} // namespace

int main() {
  Program program;
  for (std::string line; std::getline(std::cin, line);) {
    Words words = split(line, ' ');
    if (words.empty())
      continue;
    if (words[0] == "ref") {
      Shape shape;
      for (const std::string &n : split(words[1], ','))
        shape.push_back(std::stoi(n));
      std::vector<float> all;
      for (size_t i = 2; i < words.size(); ++i)
        all.push_back(std::stof(words[i]));
      program.init.push_back(arrayOf(all, shape));
    } else if (words[0] == "run") {
      answer(program);
      std::printf("done\n");
      std::fflush(stdout);
      program = {};
    } else {
      program.hasDynamicLoop |= words[0] == "dloop";
      program.steps.push_back(words);
    }
  }
}

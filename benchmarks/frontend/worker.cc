//===- worker.cc - one side of the benchmark: the front end in C++ --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers requests, one a line: `answer CASE` prints numbers for the
// comparison, `time CASE` prints seconds of wall time and of CPU time of all
// threads per unit of work. peer.py is the same program in JAX.
//
//===----------------------------------------------------------------------===//

#include "../clock.h"

#include <shardwright/frontend.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

using namespace shardwright::frontend;

namespace {

constexpr int64_t width = 32, heads = 4, context = 16, batch = 8,
                  vocabulary = 28, depth = 24;

[[noreturn]] void fail(const Error &error) {
  std::fprintf(stderr, "%s\n", error.str().c_str());
  std::exit(1);
}
template <typename T> T need(Expected<T> value) {
  if (!value)
    fail(value.error());
  return *std::move(value);
}

struct Block {
  Tensor query, key, value, out, up, down;
  SW_TREE(Block, query, key, value, out, up, down)
};
struct Gpt {
  Tensor tokens, positions;
  std::vector<Block> blocks;
  SW_TREE(Gpt, tokens, positions, blocks)
};
struct State {
  Gpt model, mean, variance;
  Tensor step;
  SW_TREE(State, model, mean, variance, step)
};

Tensor normalized(const Tensor &x) {
  Tensor centered = x - mean(x, Ints{-1}, true);
  return centered / sqrt(mean(square(centered), Ints{-1}, true) + 1e-5);
}

Tensor attention(const Block &b, const Tensor &x) {
  Tensor q = einsum("btd,dhk->bthk", {x, b.query});
  Tensor k = einsum("btd,dhk->bthk", {x, b.key});
  Tensor v = einsum("btd,dhk->bthk", {x, b.value});
  Tensor scores =
      einsum("bthk,bshk->bhts", {q, k}) / std::sqrt(double(width / heads));
  scores = where(tril(ones({context, context})) > 0, scores, -1e9);
  Tensor mixed = einsum("bhts,bshk->bthk", {nn::softmax(scores), v});
  return einsum("bthk,hkd->btd", {mixed, b.out});
}

Tensor loss(Gpt m, Tensor text) {
  Tensor inputs = text.index({slice(), slice(0, context)});
  Tensor targets = text.index({slice(), slice(1, context + 1)});
  Tensor x = take(m.tokens, inputs, 0) + m.positions;
  for (const Block &b : m.blocks) {
    x = x + attention(b, normalized(x));
    x = x + matmul(nn::gelu(matmul(normalized(x), b.up)), b.down);
  }
  Tensor logits = matmul(normalized(x), transpose(m.tokens));
  Tensor picked =
      sum(nn::logSoftmax(logits) * nn::oneHot(targets, vocabulary), Ints{-1});
  return -mean(picked);
}

/// One step of Adam.
Expected<std::pair<Tensor, State>> update(State s, Tensor text) {
  auto both = valueAndGrad(loss)(s.model, text);
  if (!both)
    return both.error();
  const auto &[value, gradient] = *both;
  State next;
  next.step = s.step + 1.0;
  next.mean = treeMap([](Tensor m, Tensor g) { return 0.9 * m + 0.1 * g; },
                      s.mean, gradient);
  next.variance =
      treeMap([](Tensor v, Tensor g) { return 0.99 * v + 0.01 * square(g); },
              s.variance, gradient);
  Tensor a = 1.0 - power(Tensor(0.9), next.step),
         b = 1.0 - power(Tensor(0.99), next.step);
  next.model = treeMap(
      [&](Tensor p, Tensor m, Tensor v) {
        return p - 0.003 * (m / a) / (sqrt(v / b) + 1e-8);
      },
      s.model, next.mean, next.variance);
  return std::pair(value, next);
}

Tensor parameter(int64_t number, const Shape &shape) {
  return random::normal(random::foldIn(random::key(0), Tensor(int(number))),
                        shape) *
         0.1;
}

/// Seconds of wall and of CPU time, per unit.
struct Seconds {
  double wall = 0, cpu = 0;
};
template <typename F> Seconds timed(F work, int64_t units) {
  double wall = shardwright::wallSeconds(), cpu = shardwright::cpuSeconds();
  work();
  return {(shardwright::wallSeconds() - wall) / double(units),
          (shardwright::cpuSeconds() - cpu) / double(units)};
}

/// A case: numbers to compare, and a timed run.
struct Case {
  std::function<std::vector<double>()> answer;
  std::function<Seconds()> time;
};

std::vector<double> numbersOf(const Tensor &x) {
  std::vector<double> out;
  for (float v : need(x.toVector<float>()))
    out.push_back(v);
  return out;
}

/// Calls of a jitted function that adds one, one after another.
Case dispatch(int64_t count) {
  Mesh mesh = need(makeMesh({count}, {"x"}, {AxisType::Auto}));
  Sharding sharding =
      count > 1 ? *NamedSharding(mesh, P("x")) : Sharding::single(Device{0});
  Tensor start = devicePut(arange(8, DType::F32), sharding);
  auto step = jit([](Tensor x) { return x + 1.0; });
  auto run = [=](int calls) {
    Tensor x = start;
    for (int i = 0; i < calls; ++i)
      x = step(x);
    if (Status status = x.blockUntilReady(); !status)
      fail(status.error());
    return x;
  };
  return {[=] { return numbersOf(run(5)); },
          [=] { return timed([&] { run(1000); }, 1000); }};
}

/// Tracing and lowering of a training step whose layers are unrolled.
Case lowering() {
  Gpt m{parameter(0, {vocabulary, width}), parameter(1, {context, width}), {}};
  constexpr int64_t size = width / heads;
  for (int64_t i = 0; i < depth; ++i) {
    auto at = [&](int64_t k) { return 2 + 6 * i + k; };
    m.blocks.push_back({parameter(at(0), {width, heads, size}),
                        parameter(at(1), {width, heads, size}),
                        parameter(at(2), {width, heads, size}),
                        parameter(at(3), {heads, size, width}),
                        parameter(at(4), {width, 4 * width}),
                        parameter(at(5), {4 * width, width})});
  }
  State state{m, treeMap(zerosLike, m), treeMap(zerosLike, m), zeros({})};
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < batch * (context + 1); ++i)
    tokens.push_back(int32_t(i * i % vocabulary));
  Tensor text = arrayOf(tokens, {batch, context + 1});
  return {
      [=] {
        auto result = need(jit(update)(state, text));
        std::vector<double> out = numbersOf(result.first);
        for (const Tensor &leaf : treeLeaves(result.second.model))
          out.push_back(need(sum(abs(leaf)).item()));
        return out;
      },
      [=] { return timed([&] { need(jit(update).lower(state, text)); }, 1); }};
}

/// Operations outside of jit, on small arrays.
Case eager() {
  Tensor start = arange(64, DType::F32) / 64.0;
  start = reshape(start, {8, 8});
  auto run = [=](int rounds) {
    Tensor x = start;
    for (int i = 0; i < rounds; ++i) {
      Tensor y = sin(x) * x + 0.5;
      y = matmul(y, start);
      y = y / (1.0 + abs(y));
      x = where(y > 0.25, y, transpose(y)) - mean(y);
    }
    if (Status status = x.blockUntilReady(); !status)
      fail(status.error());
    return x;
  };
  constexpr int operations = 11;
  return {[=] { return numbersOf(run(3)); },
          [=] { return timed([&] { run(50); }, 50 * operations); }};
}

} // namespace

int main() {
  if (Status count = setDeviceCount(8); !count)
    fail(count.error());
  std::map<std::string, Case> cases{{"dispatch_1", dispatch(1)},
                                    {"dispatch_8", dispatch(8)},
                                    {"lowering", lowering()},
                                    {"eager", eager()}};
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string request, name;
    words >> request >> name;
    const Case &one = cases.at(name);
    if (request == "answer") {
      std::string out;
      for (double v : one.answer()) {
        char text[40];
        std::snprintf(text, sizeof text, "%s%.9g", out.empty() ? "" : ", ", v);
        out += text;
      }
      std::printf("[%s]\n", out.c_str());
    } else {
      Seconds s = one.time();
      std::printf("[%.9g, %.9g]\n", s.wall, s.cpu);
    }
    std::fflush(stdout);
  }
  return 0;
}

//===- gpt.cc - trains a small GPT, data x tensor parallel ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transformer of two layers learns the text of a counting program. The mesh
// is 4 x 2: the batch is divided over "data", heads and hidden units over
// "model". Only parameters and the batch have shardings; the compiler inserts
// the communication. gpt.py is the same program in JAX, with the same losses.
//
//===----------------------------------------------------------------------===//

#include <shardwright/frontend.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace shardwright::frontend;

namespace {

constexpr int64_t width = 32, heads = 4, context = 32, batch = 16,
                  vocabulary = 28, depth = 2;

/// "nought one two three ..": letters are 1 to 26, a blank is 0, a new line 27.
std::vector<int32_t> makeText() {
  const char *words[] = {"nought", "one", "two",   "three", "four",
                         "five",   "six", "seven", "eight", "nine"};
  std::vector<int32_t> text;
  for (int i = 0; i < 400; ++i)
    for (int digit : {i / 100, i / 10 % 10, i % 10}) {
      for (const char *c = words[digit]; *c; ++c)
        text.push_back(*c - 'a' + 1);
      text.push_back(digit == i % 10 ? 27 : 0);
    }
  return text;
}

/// One layer: attention with a head per `heads` entry, then two matrices.
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

/// One step of Adam (Kingma and Ba 2015). Returns the loss and the next state.
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

/// A normally distributed parameter, placed on the mesh.
Tensor parameter(const Mesh &mesh, int64_t number, const Shape &shape,
                 const PartitionSpec &spec) {
  Tensor key = random::foldIn(random::key(0), Tensor(int(number)));
  auto sharding = NamedSharding(mesh, spec);
  return sharding ? devicePut(random::normal(key, shape) * 0.1, *sharding)
                  : Tensor(sharding.error());
}

Gpt makeModel(const Mesh &mesh) {
  constexpr int64_t size = width / heads;
  Gpt m{parameter(mesh, 0, {vocabulary, width}, P()),
        parameter(mesh, 1, {context, width}, P()),
        {}};
  for (int64_t i = 0; i < depth; ++i) {
    auto at = [&](int64_t k) { return 2 + 6 * i + k; };
    m.blocks.push_back(
        {parameter(mesh, at(0), {width, heads, size}, P(None, "model")),
         parameter(mesh, at(1), {width, heads, size}, P(None, "model")),
         parameter(mesh, at(2), {width, heads, size}, P(None, "model")),
         parameter(mesh, at(3), {heads, size, width}, P("model")),
         parameter(mesh, at(4), {width, 4 * width}, P(None, "model")),
         parameter(mesh, at(5), {4 * width, width}, P("model"))});
  }
  return m;
}

} // namespace

int main(int argc, char **argv) {
  int steps = argc > 1 ? std::atoi(argv[1]) : 300;
  Status count = setDeviceCount(8);
  Expected<Mesh> mesh =
      makeMesh({4, 2}, {"data", "model"}, {AxisType::Auto, AxisType::Auto});
  if (!count || !mesh)
    return 1;
  Gpt model = makeModel(*mesh);
  State state{model, treeMap(zerosLike, model), treeMap(zerosLike, model),
              zeros({})};
  std::vector<int32_t> text = makeText();
  Sharding rows = NamedSharding(*mesh, P("data"));

  auto step = jit(update, {.name = "update"});
  for (int i = 0; i <= steps; ++i) {
    // Each row begins at another place of the text.
    std::vector<int32_t> part;
    for (int64_t row = 0; row < batch; ++row) {
      size_t start =
          size_t(i * batch + row) * 977 % (text.size() - context - 1);
      part.insert(part.end(), text.begin() + start,
                  text.begin() + start + context + 1);
    }
    auto result =
        step(state, devicePut(arrayOf(part, {batch, context + 1}), rows));
    if (!result) {
      std::fprintf(stderr, "%s\n", result.error().str().c_str());
      return 1;
    }
    state = result->second;
    if (i % 50 == 0)
      std::printf("step %3d loss %.5f\n", i, *result->first.item());
  }
  return 0;
}

//===- mlp.cc - trains a small network with Adam on eight devices ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network with one hidden layer learns y = sin(3 x1) x2. The batch is sharded
// over a mesh of eight devices; the compiler inserts the sum of the gradients.
// mlp.py is the same program in JAX. Both print the loss every 50 steps.
//
//===----------------------------------------------------------------------===//

#include <shardwright/frontend.h>

#include <cstdio>

using namespace shardwright::frontend;

struct Layer {
  Tensor w, b;
  SW_TREE(Layer, w, b)
};
struct Network {
  Layer hidden, out;
  SW_TREE(Network, hidden, out)
};
struct State {
  Network network, mean, variance;
  Tensor step;
  SW_TREE(State, network, mean, variance, step)
};

static Tensor predict(const Network &n, const Tensor &x) {
  Tensor hidden = tanh(matmul(x, n.hidden.w) + n.hidden.b);
  return matmul(hidden, n.out.w) + n.out.b;
}

static Tensor loss(Network n, Tensor x, Tensor y) {
  return mean(square(predict(n, x) - y));
}

/// One step of Adam (Kingma and Ba 2015). Returns the loss and the next state.
static Expected<std::pair<Tensor, State>> update(State s, Tensor x, Tensor y) {
  auto both = valueAndGrad(loss)(s.network, x, y);
  if (!both)
    return both.error();
  const auto &[value, gradient] = *both;
  Tensor step = s.step + 1.0;
  auto moment = [](double decay, bool squared) {
    return [=](Tensor m, Tensor g) {
      return decay * m + (1 - decay) * (squared ? square(g) : g);
    };
  };
  State next;
  next.step = step;
  next.mean = treeMap(moment(0.9, false), s.mean, gradient);
  next.variance = treeMap(moment(0.999, true), s.variance, gradient);
  Tensor scaleMean = 1.0 - power(Tensor(0.9), step);
  Tensor scaleVariance = 1.0 - power(Tensor(0.999), step);
  next.network = treeMap(
      [&](Tensor p, Tensor m, Tensor v) {
        return p - 0.01 * (m / scaleMean) / (sqrt(v / scaleVariance) + 1e-8);
      },
      s.network, next.mean, next.variance);
  return std::pair(value, next);
}

int main() {
  Status count = setDeviceCount(8);
  Expected<Mesh> mesh = makeMesh({8}, {"data"}, {AxisType::Auto});
  if (!count || !mesh)
    return 1;
  Sharding rows = NamedSharding(*mesh, P("data"));
  Sharding all = NamedSharding(*mesh, P());

  Tensors keys = random::split(random::key(0), 3);
  Network network{{random::normal(keys[0], {2, 32}), zeros({32})},
                  {random::normal(keys[1], {32, 1}) * 0.1, zeros({1})}};
  State state{network, treeMap(zerosLike, network), treeMap(zerosLike, network),
              zeros({})};
  state = treeMap([&](Tensor t) { return devicePut(t, all); }, state);
  Tensor x = random::uniform(keys[2], {256, 2}, -1, 1);
  Tensor y = sin(3.0 * x.index({slice(), slice(0, 1)})) *
             x.index({slice(), slice(1, 2)});
  x = devicePut(x, rows);
  y = devicePut(y, rows);

  auto step = jit(update, {.name = "update"});
  for (int i = 0; i <= 300; ++i) {
    auto result = step(state, x, y);
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

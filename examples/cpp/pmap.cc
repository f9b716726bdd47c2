//===- pmap.cc - trains a line on slices of data --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eight devices have a slice of the data each. Every device takes the gradient
// of its slice, and pmean makes one of all of them. pmap.py is the same program
// in JAX. Both print the loss every 20 steps.
//
//===----------------------------------------------------------------------===//

#include <shardwright/frontend.h>

#include <cstdio>

using namespace shardwright::frontend;

struct Line {
  Tensor slope, offset;
  SW_TREE(Line, slope, offset)
};

static Tensor loss(Line line, Tensor x, Tensor y) {
  return mean(square(line.slope * x + line.offset - y));
}

/// One step on one device. Returns the mean loss of all, and the next line,
/// which is the same on all devices.
static Expected<std::pair<Tensor, Line>> update(Line line, Tensor x, Tensor y) {
  auto both = valueAndGrad(loss)(line, x, y);
  if (!both)
    return both.error();
  auto step = [](Tensor p, Tensor g) {
    return p - 0.1 * lax::pmean(g, "slices");
  };
  return std::pair(lax::pmean(both->first, "slices"),
                   treeMap(step, line, both->second));
}

int main() {
  if (!setDeviceCount(8))
    return 1;
  Tensor x = reshape(linspace(-1.0, 1.0, 128), {8, 16});
  Tensor y = 2.0 * x + 0.5 + 0.1 * sin(20.0 * x);
  // The line is not mapped: every device gets all of it, and returns it.
  auto train = pmap(
      update, {.axisName = "slices", .inAxes = {None, 0, 0}, .outAxes = None});
  Line line{zeros({}), zeros({})};
  for (int i = 0; i <= 100; ++i) {
    auto next = train(line, x, y);
    if (!next) {
      std::fprintf(stderr, "%s\n", next.error().str().c_str());
      return 1;
    }
    if (i % 20 == 0)
      std::printf("step %3d loss %.6f\n", i, *next->first.item());
    line = next->second;
  }
  // Slices of the result stay on the devices that computed them.
  auto rest = pmap(
      [](Line l, Tensor a, Tensor b) { return l.slope * a + l.offset - b; },
      {.inAxes = {None, 0, 0}})(line, x, y);
  if (!rest)
    return 1;
  auto classic = PmapSharding::of(*rest);
  if (!classic)
    return 1;
  std::printf("%s\n", classic->spec().str().c_str());
  return 0;
}

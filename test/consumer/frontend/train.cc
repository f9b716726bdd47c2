//===- train.cc - fits a line on two devices --------------------------------===//
// Part of Shardwright; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <shardwright/frontend.h>

#include <cstdio>

using namespace shardwright::frontend;

struct Line {
  Tensor slope, offset;
  SW_TREE(Line, slope, offset)
};

static Tensor loss(Line l, Tensor x, Tensor y) {
  return mean(square(l.slope * x + l.offset - y));
}

int main() {
  Status count = setDeviceCount(2);
  Sharding rows = NamedSharding(makeMesh({2}, {"data"}, {AxisType::Auto}), P("data"));
  Tensor x = devicePut(arange(8, DType::F32) / 8.0, rows);
  Tensor y = 3.0 * x - 1.0;
  auto step = jit([](Line l, Tensor x, Tensor y) {
    Line slope = *grad(loss)(l, x, y);
    return treeMap([](Tensor p, Tensor g) { return p - 0.5 * g; }, l, slope);
  });
  Expected<Line> line = Line{zeros({}), zeros({})};
  for (int i = 0; i < 500 && line.ok(); ++i)
    line = step(*line, x, y);
  if (!count || !line)
    return std::puts(line.error().text.c_str()), 1;
  std::printf("%.3f %.3f\n", *line->slope.item(), *line->offset.item());
}

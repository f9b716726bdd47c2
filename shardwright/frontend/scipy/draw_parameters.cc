//===- draw_parameters.cc - shapes of random draws ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/scipy/draw_parameters.h"

#include "shardwright/frontend/numpy/rearrange.h"

namespace shardwright::frontend::random {

Expected<Shape> commonShape(const char *name, const Tensors &parameters,
                            const std::optional<Shape> &wanted) {
  std::vector<Shape> shapes;
  for (const Tensor &x : parameters)
    shapes.push_back(x.shape());
  if (wanted)
    shapes.push_back(*wanted);
  Expected<Shape> shape = broadcastShapes(shapes);
  if (shape && wanted && *shape != *wanted)
    return valueError(
        name,
        " parameter shapes must be broadcast-compatible with shape "
        "argument, and the result of broadcasting the shapes must equal "
        "the shape argument, but got result ",
        tupleText(*shape), " for shape argument ", tupleText(*wanted), ".");
  return shape;
}

} // namespace shardwright::frontend::random

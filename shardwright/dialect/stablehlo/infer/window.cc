//===- window.cc - windows of convolutions and pooling ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"

#include <limits>

using namespace mlir;

namespace shardwright::stablehlo {

FailureOr<SmallVector<WindowDim>>
makeWindow(MaybeLoc loc, Dims sizes, std::optional<Dims> strides,
           DenseIntElementsAttr padding, std::optional<Dims> baseDilations,
           std::optional<Dims> windowDilations) {
  size_t count = sizes.size();
  auto checkCount = [&](StringRef name, std::optional<Dims> values) {
    if (values && values->size() != count)
      return emitOptionalError(loc, "expects ", name,
                               " to have same dimension-size as size of window "
                               "dimensions (",
                               count, "), but got: ", values->size(), ".");
    return success();
  };
  if (failed(checkCount("window-strides", strides)) ||
      failed(checkCount("base-dilation factors", baseDilations)) ||
      failed(checkCount("window-dilation factors", windowDilations)))
    return failure();
  SmallVector<int64_t> pads;
  if (padding) {
    auto type = padding.getType();
    if (type.getRank() != 2 || type.getDimSize(1) != 2)
      return emitOptionalError(
          loc, "expects the shape of padding-attribute to be {N, 2}, but got {",
          StringRef(dimsText(type.getShape())).drop_front().drop_back(), "}.");
    if (type.getDimSize(0) != static_cast<int64_t>(count))
      return emitOptionalError(loc,
                               "expects padding-entries to have same "
                               "dimension-size as size of window dimensions (",
                               count, "), but got: ", type.getDimSize(0), ".");
    pads.assign(padding.value_begin<int64_t>(), padding.value_end<int64_t>());
  }
  SmallVector<WindowDim> window(count);
  for (size_t i = 0; i < count; ++i) {
    WindowDim &dim = window[i];
    dim.size = sizes[i];
    if (!ShapedType::isDynamic(dim.size) && dim.size <= 0)
      return emitOptionalError(loc,
                               "expects window to have positive value for ", i,
                               "-th window dimension, but got ", dim.size, ".");
    if (strides)
      dim.stride = (*strides)[i];
    if (dim.stride <= 0)
      return emitOptionalError(
          loc, "expects window to have positive stride for ", i,
          "-th window dimension, but got ", dim.stride, ".");
    if (baseDilations)
      dim.baseDilation = (*baseDilations)[i];
    if (dim.baseDilation <= 0)
      return emitOptionalError(
          loc, "expects window to have positive base dilation factor for ", i,
          "-th window dimension, but got ", dim.baseDilation, ".");
    if (windowDilations)
      dim.windowDilation = (*windowDilations)[i];
    if (dim.windowDilation <= 0)
      return emitOptionalError(
          loc, "expects window to have positive window dilation factor for ", i,
          "-th window dimension, but got ", dim.windowDilation, ".");
    if (padding) {
      dim.low = pads[2 * i];
      dim.high = pads[2 * i + 1];
    }
  }
  return window;
}

int64_t clampSize(WideSize size) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  // The smallest number denotes a dynamic size.
  constexpr int64_t least = std::numeric_limits<int64_t>::min() + 1;
  return size > most ? most : size < least ? least : static_cast<int64_t>(size);
}

SmallVector<int64_t> windowedShape(Dims base, ArrayRef<WindowDim> window) {
  // The size with holes of `dilation - 1` between the elements.
  auto dilated = [](WideSize size, WideSize dilation) -> WideSize {
    return size == 0 ? 0 : (size - 1) * dilation + 1;
  };
  SmallVector<int64_t> shape;
  for (auto [size, dim] : llvm::zip(base, window)) {
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(dim.size)) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    WideSize padded = dim.low + dilated(size, dim.baseDilation) + dim.high;
    WideSize extent = dilated(dim.size, dim.windowDilation);
    shape.push_back(padded <= 0 || padded < extent
                        ? 0
                        : clampSize((padded - extent) / dim.stride + 1));
  }
  return shape;
}

} // namespace shardwright::stablehlo

//===- op_windows.cc - which ops read their operands in windows -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/op_windows.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

static int64_t entry(std::optional<ArrayRef<int64_t>> list, int64_t i,
                     int64_t otherwise) {
  return list ? (*list)[i] : otherwise;
}

/// Padding before dimension `d`; the attribute has a pair for each dimension.
static int64_t lowPadding(std::optional<DenseIntElementsAttr> padding,
                          int64_t d) {
  return padding ? padding->getValues<int64_t>()[2 * d] : 0;
}

llvm::SmallVector<OpWindow, 2> getWindows(Operation *op) {
  llvm::SmallVector<OpWindow, 2> windows;
  auto rows = [](Value value, int64_t d) { return dimsOf(value.getType())[d]; };
  auto add = [&](int64_t operand, int64_t d, int64_t resultDim, WindowMap map,
                 bool evenIfSame = false) {
    map.outSize = rows(op->getResult(0), resultDim);
    bool same = !map.reversed && map.stride == 1 && map.extent == 1 &&
                map.low == 0 && map.dilation == 1 &&
                map.outSize == rows(op->getOperand(operand), d);
    if (!same || evenIfSame)
      windows.push_back({operand, d, resultDim, map});
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](stablehlo::SliceOp slice) {
        for (auto [d, start] : llvm::enumerate(slice.getStartIndices())) {
          WindowMap map;
          map.stride = slice.getStrides()[d];
          map.low = -start;
          add(0, d, d, map);
        }
      })
      .Case([&](stablehlo::PadOp pad) {
        for (auto [d, low] : llvm::enumerate(pad.getEdgePaddingLow())) {
          WindowMap map;
          map.low = low;
          map.dilation = pad.getInteriorPadding()[d] + 1;
          add(0, d, d, map);
        }
      })
      .Case([&](stablehlo::ReverseOp reverse) {
        for (int64_t d : reverse.getDimensions()) {
          WindowMap map;
          map.reversed = true;
          map.low = rows(reverse.getOperand(), d) - 1;
          add(0, d, d, map);
        }
      })
      .Case([&](stablehlo::ConcatenateOp concat) {
        int64_t d = concat.getDimension(), at = 0;
        for (auto [i, input] : llvm::enumerate(concat.getInputs())) {
          WindowMap map;
          map.low = at;
          at += rows(input, d);
          add(i, d, d, map);
        }
      })
      .Case([&](stablehlo::ReduceWindowOp op) {
        for (auto [d, size] : llvm::enumerate(op.getWindowDimensions())) {
          WindowMap map;
          map.stride = entry(op.getWindowStrides(), d, 1);
          map.extent = (size - 1) * entry(op.getWindowDilations(), d, 1) + 1;
          map.low = lowPadding(op.getPadding(), d);
          map.dilation = entry(op.getBaseDilations(), d, 1);
          for (size_t i = 0; i < op.getInputs().size(); ++i)
            add(i, d, d, map);
        }
      })
      .Case([&](stablehlo::ConvolutionOp conv) {
        auto dims = conv.getDimensionNumbers();
        for (auto [i, in, kernel, out] :
             llvm::enumerate(dims.getInputSpatialDimensions(),
                             dims.getKernelSpatialDimensions(),
                             dims.getOutputSpatialDimensions())) {
          WindowMap map;
          map.stride = entry(conv.getWindowStrides(), i, 1);
          map.extent = (rows(conv.getRhs(), kernel) - 1) *
                           entry(conv.getRhsDilation(), i, 1) +
                       1;
          map.low = lowPadding(conv.getPadding(), i);
          map.dilation = entry(conv.getLhsDilation(), i, 1);
          add(0, in, out, map, /*evenIfSame=*/true);
        }
      });
  return windows;
}

} // namespace shardwright

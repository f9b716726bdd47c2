//===- scratch_memory.cc - memory that ops need while they run ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/scratch_memory.h"

#include "shardwright/dialect/stablehlo/element_type.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_work.h"
#include "shardwright/partition/overlap/op_cost.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/support/convolution_tiles.h"
#include "shardwright/support/shape.h"
#include "shardwright/support/sort_by.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {
namespace {

using Sizes = llvm::SmallVector<int64_t, 4>;

/// Larger tensors are left out: sizes below are products of their sizes.
constexpr double kLargest = 1e15;

int64_t elementWidth(Type type) {
  std::optional<ElementType> element =
      elementTypeFromMLIR(getElementTypeOrSelf(type));
  return element ? byteWidth(*element) : 4;
}

int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

int64_t roundUp(int64_t size, int64_t unit) {
  return (size + unit - 1) / unit * unit;
}

/// One window of a convolution.
struct Window {
  Sizes in, kernel, out, stride, low, high, inDilation, kernelDilation;
  bool isReversed = false;
};

class ConvolutionScratch {
public:
  explicit ConvolutionScratch(stablehlo::ConvolutionOp op);
  int64_t bytes();

private:
  int64_t groupIn() const { return inFeatures / featureGroups; }
  bool usesLibrary();
  int64_t ofGather();
  int64_t ofLibrary();

  stablehlo::ConvolutionOp op;
  stablehlo::ConvDimensionNumbersAttr dims;
  Window window;
  int64_t batch, inFeatures, outFeatures, featureGroups, batchGroups;
  int64_t width, outWidth;
  double flops;
};

ConvolutionScratch::ConvolutionScratch(stablehlo::ConvolutionOp op)
    : op(op), dims(op.getDimensionNumbers()),
      featureGroups(std::max<int64_t>(1, op.getFeatureGroupCount())),
      batchGroups(std::max<int64_t>(1, op.getBatchGroupCount())),
      width(elementWidth(op.getLhs().getType())),
      outWidth(elementWidth(op.getType())), flops(countOperations(op)) {
  ArrayRef<int64_t> in = dimsOf(op.getLhs().getType()),
                    kernel = dimsOf(op.getRhs().getType()),
                    out = dimsOf(op.getType());
  batch = in[dims.getInputBatchDimension()];
  inFeatures = in[dims.getInputFeatureDimension()];
  outFeatures = kernel[dims.getKernelOutputFeatureDimension()];
  auto take = [](ArrayRef<int64_t> shape, ArrayRef<int64_t> dims, Sizes &to) {
    for (int64_t d : dims)
      to.push_back(shape[d]);
  };
  take(in, dims.getInputSpatialDimensions(), window.in);
  take(kernel, dims.getKernelSpatialDimensions(), window.kernel);
  take(out, dims.getOutputSpatialDimensions(), window.out);
  size_t spatial = window.in.size();
  auto orOnes = [&](std::optional<ArrayRef<int64_t>> values, Sizes &to) {
    to = values ? Sizes(*values) : Sizes(spatial, 1);
  };
  orOnes(op.getWindowStrides(), window.stride);
  orOnes(op.getLhsDilation(), window.inDilation);
  orOnes(op.getRhsDilation(), window.kernelDilation);
  window.low.assign(spatial, 0);
  window.high.assign(spatial, 0);
  if (auto padding = op.getPadding())
    for (auto [i, value] : llvm::enumerate(padding->getValues<int64_t>()))
      if (i / 2 < spatial)
        (i % 2 ? window.high : window.low)[i / 2] = value;
  if (auto reversal = op.getWindowReversal())
    window.isReversed = llvm::is_contained(*reversal, true);
}

/// True if a library of convolutions computes it, which takes f32 and bf16
/// without holes in the input, from some work on.
bool ConvolutionScratch::usesLibrary() {
  Type type = getElementTypeOrSelf(op.getLhs().getType());
  auto isOne = [](int64_t dilation) { return dilation == 1; };
  auto isNegative = [](int64_t padding) { return padding < 0; };
  return (type.isF32() || type.isBF16()) && batchGroups == 1 &&
         !window.in.empty() && window.in.size() <= 3 &&
         flops >= kLeastLibraryFlops &&
         llvm::all_of(window.inDilation, isOne) && !window.isReversed &&
         llvm::none_of(window.low, isNegative) &&
         llvm::none_of(window.high, isNegative);
}

/// Patches of the input are gathered and multiplied with the kernel.
int64_t ConvolutionScratch::ofGather() {
  ArrayRef<int64_t> kernel = dimsOf(op.getRhs().getType());
  Sizes strides = rowMajorStrides(kernel);
  llvm::SmallVector<ConvolutionTap> taps;
  taps.push_back({groupIn(), strides[dims.getKernelInputFeatureDimension()]});
  for (int64_t d : dims.getKernelSpatialDimensions())
    taps.push_back({kernel[d], strides[d]});
  sortBy(taps, [](ConvolutionTap tap) { return -tap.kernelStride; });
  int64_t groups = featureGroups * batchGroups;
  ConvolutionTiles tiles =
      tileConvolution(taps, batch / batchGroups * product(window.out),
                      outFeatures / groups, width, outWidth);
  return tiles.scratchBytes() *
         std::clamp<int64_t>(groups * tiles.tiles, 1, kMostScratchCopies);
}

/// Libraries reorder the kernel to blocks of features, and the data unless its
/// features are innermost. They work in some kilobytes beside that.
int64_t ConvolutionScratch::ofLibrary() {
  constexpr int64_t block = 16, work = 8192, fewFeatures = 4;
  constexpr double pieceFlops = 4e6, partTaps = 1024, partFlops = 5e4;
  int64_t pieces = 1; // of the batch
  for (int64_t n = std::min(kMostScratchCopies, batch); n > 1 && pieces == 1;
       --n)
    if (batch % n == 0 && flops / double(n) >= pieceFlops)
      pieces = n;
  // A large kernel is applied in parts.
  double positions = 1, inPositions = 1, outPositions = 1;
  size_t longest = llvm::max_element(window.kernel) - window.kernel.begin();
  double products = double(product(window.kernel)) *
                    double(std::min<int64_t>(groupIn(), block));
  double parts = std::min(products / partTaps, flops / partFlops);
  for (size_t d = 0; d < window.in.size(); ++d) {
    double rows = double(window.kernel[d]), in = double(window.in[d]);
    if (d == longest && parts >= 2) {
      rows = std::max(1.0, std::floor(rows / parts));
      in = std::min(in, double((window.out[d] - 1) * window.stride[d]) +
                            (rows - 1) * double(window.kernelDilation[d]) + 1);
    }
    positions *= rows;
    inPositions *= in;
    outPositions *= double(window.out[d]);
  }
  // Blocks are those of a group, unless each group is one feature of a matrix.
  int64_t groupOut = outFeatures / featureGroups;
  bool isDepthwise =
      groupIn() == 1 && groupOut == 1 && window.kernel.size() > 1;
  double bytes = double(roundUp(outFeatures, block) * groupIn()) * positions *
                     double(width) +
                 work;
  if (featureGroups > 1 && !isDepthwise)
    bytes = double(featureGroups * roundUp(groupOut, block) *
                   roundUp(groupIn(), block)) *
            positions * double(width);
  auto isLast = [](Type type, int64_t dim) {
    return dim + 1 == int64_t(dimsOf(type).size());
  };
  if (!isLast(op.getLhs().getType(), dims.getInputFeatureDimension()) ||
      !isLast(op.getType(), dims.getOutputFeatureDimension())) {
    int64_t features =
        inFeatures <= fewFeatures ? inFeatures : roundUp(inFeatures, block);
    double piece = double(batch) / double(pieces);
    bytes += piece * double(features) * inPositions * double(width) +
             piece * double(roundUp(outFeatures, block)) * outPositions *
                 double(outWidth);
  }
  return aligned(int64_t(bytes)) * pieces;
}

int64_t ConvolutionScratch::bytes() {
  return usesLibrary() ? ofLibrary() : ofGather();
}

/// Leading dimensions of a stack of matrices.
int64_t stackSize(Type type) {
  ArrayRef<int64_t> dims = dimsOf(type);
  return dims.size() < 2 ? 1 : product(dims.drop_back(2));
}

/// Elements of LAPACK's workspace for matrices of m x n.
double lapackElements(StringRef routine, double m, double n) {
  double least = std::min(m, n), most = std::max(m, n);
  constexpr double block = 32; // columns that LAPACK treats together
  return llvm::StringSwitch<double>(routine)
      .Cases({"geqrf", "orgqr", "ungqr", "geqp3", "gehrd", "sytrd", "hetrd"},
             block * n)
      .Cases({"syevd", "heevd"}, 1 + 6 * n + 2 * n * n + 5 * n)
      .Case("gesdd", least * least * 4 + 7 * least + most + 8 * least)
      .Cases({"geev", "gees", "hseqr"}, (block + 2) * n + n * n)
      .Default(0);
}

int64_t ofCustomCall(stablehlo::CustomCallOp call) {
  StringRef name = call.getCallTargetName();
  if (!name.consume_front("lapack_") || name.size() < 2 ||
      call->getNumOperands() == 0)
    return 0;
  Type type = call->getOperand(0).getType();
  ArrayRef<int64_t> dims = dimsOf(type);
  if (dims.size() < 2)
    return 0;
  double elements =
      lapackElements(name.drop_front().split('_').first,
                     double(dims[dims.size() - 2]), double(dims.back()));
  int64_t one = aligned(int64_t(elements * double(elementWidth(type))));
  return one * std::clamp<int64_t>(stackSize(type), 1, kMostScratchCopies);
}

} // namespace

int64_t scratchBytes(Operation *op) {
  if (!isa<stablehlo::ConvolutionOp, stablehlo::CholeskyOp,
           stablehlo::TriangularSolveOp, stablehlo::CustomCallOp>(op))
    return 0;
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && (!tensor.hasStaticShape() || bytesOf(type) > kLargest))
      return 0;
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && (!tensor.hasStaticShape() || bytesOf(type) > kLargest))
      return 0;
  /// Copies of matrices, in as many tasks as there are.
  auto matrices = [&](ValueRange values) {
    int64_t bytes = 0;
    for (Value value : values) {
      int64_t count = std::max<int64_t>(1, stackSize(value.getType()));
      bytes += aligned(int64_t(bytesOf(value.getType())) / count);
    }
    return bytes * std::clamp<int64_t>(stackSize(values[0].getType()), 1,
                                       kMostScratchCopies);
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](stablehlo::ConvolutionOp conv) {
        return ConvolutionScratch(conv).bytes();
      })
      .Case<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(
          [&](auto solve) { return matrices(solve->getOperands()); })
      .Case([](stablehlo::CustomCallOp call) { return ofCustomCall(call); })
      .Default([](Operation *) { return 0; });
}

} // namespace shardwright

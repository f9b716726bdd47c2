//===- convolution.cc - stablehlo.convolution -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/convolution.h"

#include "shardwright/cpu/graph/kernel_graph.h"
#include "shardwright/cpu/library/families.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

using namespace shardwright;
using namespace shardwright::cpu;
namespace hlo = shardwright::stablehlo;

void cpu::readConvolution(mlir::Operation *op, LibraryCall &call) {
  auto conv = mlir::cast<hlo::ConvolutionOp>(op);
  hlo::ConvDimensionNumbersAttr d = conv.getDimensionNumbers();
  put(call, "input_batch_dimension", d.getInputBatchDimension());
  put(call, "input_feature_dimension", d.getInputFeatureDimension());
  put(call, "input_spatial_dimensions", d.getInputSpatialDimensions());
  put(call, "kernel_input_feature_dimension",
      d.getKernelInputFeatureDimension());
  put(call, "kernel_output_feature_dimension",
      d.getKernelOutputFeatureDimension());
  put(call, "kernel_spatial_dimensions", d.getKernelSpatialDimensions());
  put(call, "output_batch_dimension", d.getOutputBatchDimension());
  put(call, "output_feature_dimension", d.getOutputFeatureDimension());
  put(call, "output_spatial_dimensions", d.getOutputSpatialDimensions());
  // What is not there is left out: the maker knows the defaults.
  if (auto x = conv.getWindowStrides())
    put(call, "window_strides", *x);
  if (auto x = conv.getPadding())
    put(call, "padding", Shape(llvm::to_vector(x->getValues<int64_t>())));
  if (auto x = conv.getLhsDilation())
    put(call, "lhs_dilation", *x);
  if (auto x = conv.getRhsDilation())
    put(call, "rhs_dilation", *x);
  if (auto x = conv.getWindowReversal())
    put(call, "window_reversal", Shape(x->begin(), x->end()));
  put(call, "feature_group_count", conv.getFeatureGroupCount());
  put(call, "batch_group_count", conv.getBatchGroupCount());
}

double Convolution::flops() const {
  return 2.0 * double(outBatch()) * double(outFeatures) * double(groupIn()) *
         double(product(out)) * double(product(kernel));
}

/// 0 when the window does not fit even once.
static int64_t windowCount(int64_t size, int64_t window, int64_t stride) {
  return size < window || size <= 0 ? 0 : (size - window) / stride + 1;
}
static int64_t dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

static llvm::Expected<Convolution> describe(const LibraryCall &call) {
  auto bad = [](const llvm::Twine &what) {
    return llvm::createStringError(what);
  };
  if (llvm::Error e = checkArity(call, 2, 1))
    return e;
  const BufferType &lhs = call.inputs[0], &rhs = call.inputs[1],
                   &out = call.outputs[0];
  Convolution c;
  c.type = lhs.type;
  c.outType = out.type;
  if (rhs.type != lhs.type)
    return bad("operands of different element types");
  size_t rank = lhs.shape.size();
  if (rank < 2 || rhs.shape.size() != rank || out.shape.size() != rank)
    return bad("wants operands and a result of one rank, at least 2");
  size_t n = rank - 2;

  // One role: its size and stride in one of the arrays.
  std::vector<llvm::SmallVector<bool, 6>> taken(
      3, llvm::SmallVector<bool, 6>(rank, false));
  bool rolesFit = true;
  auto role = [&](int which, const BufferType &array, int64_t dim,
                  int64_t &size, int64_t &stride) {
    if (dim < 0 || dim >= int64_t(rank) || taken[which][dim]) {
      rolesFit = false;
      size = stride = 1;
      return;
    }
    taken[which][dim] = true;
    size = array.shape[dim];
    stride = rowMajorStrides(array.shape)[dim];
  };
  auto one = [&](int which, const BufferType &array, llvm::StringRef name,
                 int64_t &size, int64_t &stride) {
    llvm::ArrayRef<int64_t> dim = getIntegers(call, name);
    role(which, array, dim.size() == 1 ? dim[0] : -1, size, stride);
  };
  auto many = [&](int which, const BufferType &array, llvm::StringRef name,
                  Shape &sizes, Shape &strides) {
    llvm::ArrayRef<int64_t> dims = getIntegers(call, name);
    rolesFit &= dims.size() == n;
    sizes.resize(n);
    strides.resize(n);
    for (size_t i = 0; i < n; ++i)
      role(which, array, i < dims.size() ? dims[i] : -1, sizes[i], strides[i]);
  };
  int64_t kernelIn, kernelOut, outBatch, outFeatures;
  one(0, lhs, "input_batch_dimension", c.batch, c.inBatchStride);
  one(0, lhs, "input_feature_dimension", c.inFeatures, c.inFeatureStride);
  many(0, lhs, "input_spatial_dimensions", c.in, c.inStride);
  one(1, rhs, "kernel_input_feature_dimension", kernelIn, c.kernelInStride);
  one(1, rhs, "kernel_output_feature_dimension", kernelOut, c.kernelOutStride);
  many(1, rhs, "kernel_spatial_dimensions", c.kernel, c.kernelStride);
  one(2, out, "output_batch_dimension", outBatch, c.outBatchStride);
  one(2, out, "output_feature_dimension", outFeatures, c.outFeatureStride);
  many(2, out, "output_spatial_dimensions", c.out, c.outStride);
  if (!rolesFit)
    return bad("the dimension numbers do not fit the operands");
  c.outFeatures = outFeatures;

  auto list = [&](llvm::StringRef name, int64_t fallback, Shape &values) {
    llvm::ArrayRef<int64_t> given = getIntegers(call, name);
    values = find(call, name) ? Shape(given) : Shape(n, fallback);
    return values.size() == n;
  };
  if (!list("window_strides", 1, c.stride) ||
      !list("lhs_dilation", 1, c.inDilation) ||
      !list("rhs_dilation", 1, c.kernelDilation) ||
      !list("window_reversal", 0, c.reversed))
    return bad("the window has not one entry for each spatial dimension");
  llvm::ArrayRef<int64_t> padding = getIntegers(call, "padding");
  if (!padding.empty() && padding.size() != 2 * n)
    return bad("the padding has not two entries for each spatial dimension");
  for (size_t i = 0; i < n; ++i) {
    c.low.push_back(padding.empty() ? 0 : padding[2 * i]);
    c.high.push_back(padding.empty() ? 0 : padding[2 * i + 1]);
    if (c.stride[i] < 1 || c.inDilation[i] < 1 || c.kernelDilation[i] < 1)
      return bad("strides and dilations should be positive");
  }
  llvm::Expected<int64_t> featureGroups =
      getInteger(call, "feature_group_count");
  if (!featureGroups)
    return featureGroups.takeError();
  llvm::Expected<int64_t> batchGroups = getInteger(call, "batch_group_count");
  if (!batchGroups)
    return batchGroups.takeError();
  c.featureGroups = *featureGroups;
  c.batchGroups = *batchGroups;
  if (c.featureGroups < 1 || c.batchGroups < 1 ||
      (c.featureGroups > 1 && c.batchGroups > 1) ||
      c.inFeatures % c.featureGroups || c.batch % c.batchGroups ||
      kernelOut % c.groups() || kernelIn != c.groupIn() ||
      kernelOut != outFeatures || outBatch != c.outBatch())
    return bad("features, batch and group counts do not fit each other");
  for (size_t i = 0; i < n; ++i)
    if (c.out[i] !=
        windowCount(c.low[i] + dilated(c.in[i], c.inDilation[i]) + c.high[i],
                    dilated(c.kernel[i], c.kernelDilation[i]), c.stride[i]))
      return bad("the result's spatial dimension " + llvm::Twine(i) +
                 " does not fit the window");
  return c;
}

llvm::Expected<LibraryOp> cpu::makeConvolution(const LibraryCall &call) {
  llvm::Expected<Convolution> c = describe(call);
  if (!c)
    return c.takeError();
  if (std::optional<LibraryOp> op = makeOneDnnConvolution(*c))
    return std::move(*op);
  return makeGenericConvolution(*c);
}

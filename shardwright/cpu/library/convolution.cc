//===- convolution.cc - stablehlo.convolution -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/convolution.h"

#include "shardwright/cpu/library/families.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/support/shape.h"

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
  // Optional attributes are omitted: the factory applies their defaults.
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

/// Number of positions of the window; 0 if it does not fit.
static int64_t windowCount(int64_t size, int64_t window, int64_t stride) {
  return size < window || size <= 0 ? 0 : (size - window) / stride + 1;
}
static int64_t dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

/// Maximum of the entries of a window and of dilated sizes: positions in a
/// padded dimension are sums of a few of them, and fit into 64 bits.
static constexpr int64_t maxExtent = int64_t(1) << 48;

static bool isExtent(int64_t value) {
  return value >= -maxExtent && value <= maxExtent;
}
static bool isDilatedExtent(int64_t size, int64_t dilation) {
  int64_t product;
  return isExtent(dilation) &&
         !__builtin_mul_overflow(size, dilation, &product) && isExtent(product);
}

namespace {

/// Reads the dimension of each role in one array: its size and stride.
class DimensionRoles {
public:
  DimensionRoles(const LibraryCall &call, const BufferType &array)
      : call(call), array(array), strides(rowMajorStrides(array.shape)),
        taken(array.shape.size(), false) {}

  void read(llvm::StringRef name, int64_t &size, int64_t &stride) {
    llvm::ArrayRef<int64_t> dim = getIntegers(call, name);
    take(dim.size() == 1 ? dim[0] : -1, size, stride);
  }
  /// Reads the spatial dimensions.
  void read(llvm::StringRef name, Shape &sizes, Shape &itsStrides) {
    llvm::ArrayRef<int64_t> dims = getIntegers(call, name);
    size_t spatial = array.shape.size() - 2;
    allFit &= dims.size() == spatial;
    sizes.resize(spatial);
    itsStrides.resize(spatial);
    for (size_t i = 0; i < spatial; ++i)
      take(i < dims.size() ? dims[i] : -1, sizes[i], itsStrides[i]);
  }
  /// True if the roles have distinct, valid dimensions.
  bool fit() const { return allFit; }

private:
  void take(int64_t dim, int64_t &size, int64_t &stride) {
    if (dim < 0 || dim >= int64_t(taken.size()) || taken[dim]) {
      allFit = false;
      size = stride = 1;
      return;
    }
    taken[dim] = true;
    size = array.shape[dim];
    stride = strides[dim];
  }

  const LibraryCall &call;
  const BufferType &array;
  Shape strides;
  llvm::SmallVector<bool, 6> taken;
  bool allFit = true;
};

/// Sizes that several arrays share and that must agree.
struct FeatureSizes {
  int64_t kernelIn, kernelOut, outBatch;
};

} // namespace

static llvm::Error readDimensions(const LibraryCall &call, Convolution &c,
                                  FeatureSizes &sizes) {
  DimensionRoles lhs(call, call.inputs[0]), rhs(call, call.inputs[1]),
      out(call, call.outputs[0]);
  lhs.read("input_batch_dimension", c.batch, c.inBatchStride);
  lhs.read("input_feature_dimension", c.inFeatures, c.inFeatureStride);
  lhs.read("input_spatial_dimensions", c.in, c.inStride);
  rhs.read("kernel_input_feature_dimension", sizes.kernelIn, c.kernelInStride);
  rhs.read("kernel_output_feature_dimension", sizes.kernelOut,
           c.kernelOutStride);
  rhs.read("kernel_spatial_dimensions", c.kernel, c.kernelStride);
  out.read("output_batch_dimension", sizes.outBatch, c.outBatchStride);
  out.read("output_feature_dimension", c.outFeatures, c.outFeatureStride);
  out.read("output_spatial_dimensions", c.out, c.outStride);
  if (!lhs.fit() || !rhs.fit() || !out.fit())
    return llvm::createStringError(
        "the dimension numbers do not fit the operands");
  return llvm::Error::success();
}

static llvm::Error readWindow(const LibraryCall &call, Convolution &c) {
  auto bad = [](const char *what) { return llvm::createStringError(what); };
  size_t n = c.spatial();
  auto list = [&](llvm::StringRef name, int64_t fallback, Shape &values) {
    llvm::ArrayRef<int64_t> given = getIntegers(call, name);
    values = find(call, name) ? Shape(given) : Shape(n, fallback);
    return values.size() == n;
  };
  if (!list("window_strides", 1, c.stride) ||
      !list("lhs_dilation", 1, c.inDilation) ||
      !list("rhs_dilation", 1, c.kernelDilation) ||
      !list("window_reversal", 0, c.reversed))
    return bad("the window requires one entry for each spatial dimension");
  llvm::ArrayRef<int64_t> padding = getIntegers(call, "padding");
  if (!padding.empty() && padding.size() != 2 * n)
    return bad("the padding requires two entries for each spatial dimension");
  for (size_t i = 0; i < n; ++i) {
    c.low.push_back(padding.empty() ? 0 : padding[2 * i]);
    c.high.push_back(padding.empty() ? 0 : padding[2 * i + 1]);
    if (c.stride[i] < 1 || c.inDilation[i] < 1 || c.kernelDilation[i] < 1)
      return bad("strides and dilations should be positive");
  }
  return llvm::Error::success();
}

static llvm::Error readGroups(const LibraryCall &call, Convolution &c) {
  llvm::Expected<int64_t> featureGroups =
      getInteger(call, "feature_group_count");
  if (!featureGroups)
    return featureGroups.takeError();
  llvm::Expected<int64_t> batchGroups = getInteger(call, "batch_group_count");
  if (!batchGroups)
    return batchGroups.takeError();
  c.featureGroups = *featureGroups;
  c.batchGroups = *batchGroups;
  return llvm::Error::success();
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
    return bad("requires operands of one element type");
  size_t rank = lhs.shape.size();
  if (rank < 2 || rhs.shape.size() != rank || out.shape.size() != rank)
    return bad("requires operands and a result of equal rank, at least 2");
  FeatureSizes sizes;
  if (llvm::Error e = readDimensions(call, c, sizes))
    return e;
  if (llvm::Error e = readWindow(call, c))
    return e;
  if (llvm::Error e = readGroups(call, c))
    return e;
  if (c.featureGroups < 1 || c.batchGroups < 1 ||
      (c.featureGroups > 1 && c.batchGroups > 1) ||
      c.inFeatures % c.featureGroups || c.batch % c.batchGroups ||
      sizes.kernelOut % c.groups() || sizes.kernelIn != c.groupIn() ||
      sizes.kernelOut != c.outFeatures || sizes.outBatch != c.outBatch())
    return bad(
        "the sizes of features and batches do not match the group counts");
  for (size_t i = 0; i < c.spatial(); ++i) {
    if (!isExtent(c.low[i]) || !isExtent(c.high[i]) || !isExtent(c.stride[i]) ||
        !isDilatedExtent(c.in[i], c.inDilation[i]) ||
        !isDilatedExtent(c.kernel[i], c.kernelDilation[i]))
      return bad("the window's entries for spatial dimension " +
                 llvm::Twine(i) + " are too large");
    if (c.out[i] !=
        windowCount(c.low[i] + dilated(c.in[i], c.inDilation[i]) + c.high[i],
                    dilated(c.kernel[i], c.kernelDilation[i]), c.stride[i]))
      return bad("the result's spatial dimension " + llvm::Twine(i) +
                 " does not fit the window");
  }
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

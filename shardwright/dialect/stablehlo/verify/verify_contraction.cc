//===- verify_contraction.cc - verifiers of dots, convolutions, rng -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "shardwright/dialect/stablehlo/contraction.h"
#include "shardwright/dialect/stablehlo/dynamic.h"
#include "shardwright/dialect/stablehlo/infer/dot_dimensions.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shardwright::stablehlo {

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

static bool differ(int64_t a, int64_t b) {
  return !isDynamic(a) && !isDynamic(b) && a != b;
}

static LogicalResult verifyShape(Location loc, RankedTensorType inferred,
                                 Type result) {
  auto type = cast<RankedTensorType>(result);
  if (areCompatible(inferred.clone(type.getElementType()), type))
    return success();
  return emitError(loc) << "inferred shape '" << dimsText(inferred.getShape())
                        << "' is incompatible with return type of operation "
                        << result;
}

static LogicalResult verifyPrecision(Location loc,
                                     std::optional<ArrayAttr> config) {
  if (config && config->size() > 2)
    return emitError(loc) << "expects precision config to be empty or have <= "
                             "2 elements, got "
                          << config->size();
  return success();
}

//===----------------------------------------------------------------------===//
// dot_general, dot
//===----------------------------------------------------------------------===//

LogicalResult
DotAlgorithmAttr::verify(function_ref<InFlightDiagnostic()> emitError, Type lhs,
                         Type rhs, Type accumulation, int64_t lhsComponents,
                         int64_t rhsComponents, int64_t primitiveOps,
                         bool imprecise) {
  if (lhsComponents < 1)
    return emitError() << "lhs component count must be positive";
  if (rhsComponents < 1)
    return emitError() << "rhs component count must be positive";
  if (primitiveOps < 1)
    return emitError() << "num primitive operations must be positive";
  struct Known {
    bool match;
    ArrayRef<int64_t> ops;
  };
  auto all = [&](auto isType) { return isType(lhs) && isType(rhs); };
  auto isF8 = [](Type t) {
    auto type = dyn_cast<FloatType>(t);
    return type && type.getWidth() == 8 && !isa<Float8E8M0FNUType>(type);
  };
  auto isF16 = [](Type t) { return t.isF16(); };
  auto isBF16 = [](Type t) { return t.isBF16(); };
  auto isTF32 = [](Type t) { return isa<FloatTF32Type>(t); };
  auto isF32 = [](Type t) { return t.isF32(); };
  auto isF64 = [](Type t) { return t.isF64(); };
  static constexpr int64_t one[] = {1}, tf32[] = {1, 3}, bf16[] = {1, 3, 6, 9};
  Known table[] = {{all(isF16) && accumulation.isF16(), one},
                   {all(isF16) && accumulation.isF32(), one},
                   {all(isBF16) && accumulation.isBF16(), one},
                   {all(isBF16) && accumulation.isF32(), bf16},
                   {all(isTF32) && accumulation.isF32(), tf32},
                   {all(isF32) && accumulation.isF32(), one},
                   {all(isF64) && accumulation.isF64(), one}};
  bool known = false;
  if (lhsComponents == 1 && rhsComponents == 1) {
    for (const Known &entry : table)
      known |= entry.match && llvm::is_contained(entry.ops, primitiveOps) &&
               !imprecise;
    known |= all(isF8) && accumulation.isF32() && primitiveOps == 1;
  }
  if (known)
    return success();
  return emitError() << "dot algorithm not known to be supported on any "
                        "hardware: {lhs:"
                     << lhs << ", rhs:" << rhs << ", accum:" << accumulation
                     << ", lhs_components:" << lhsComponents
                     << ", rhs_components:" << rhsComponents
                     << ", primitive_ops:" << primitiveOps
                     << ", imprecise:" << int(imprecise) << "}";
}

/// Checks that the dimensions of one side are in range and have one role each.
static LogicalResult verifyDotSide(Location loc, StringRef side, int64_t rank,
                                   Dims batching, Dims contracting) {
  llvm::SmallBitVector seen(rank);
  auto name = [&](StringRef what) {
    return side.str() + "_" + what.str() + "_dimensions";
  };
  for (bool isBatching : {true, false})
    for (int64_t dim : isBatching ? batching : contracting) {
      if (dim < 0 || dim >= rank)
        return emitError(loc)
               << name(isBatching ? "batching" : "contracting")
               << " value: " << dim << " is out of range: [0, " << rank << ")";
      if (seen.test(dim))
        return emitError(loc)
               << "has duplicated dimension from " << name("batching")
               << " and " << name("contracting") << ": " << dim;
      seen.set(dim);
    }
  return success();
}

LogicalResult verifyDotDimensions(Location loc, RankedTensorType lhs,
                                  RankedTensorType rhs,
                                  const DotDimensions &dims) {
  if (dims.lhsBatching.size() != dims.rhsBatching.size())
    return emitError(
        loc, "lhs and rhs should have the same number of batching dimensions");
  if (dims.lhsContracting.size() != dims.rhsContracting.size())
    return emitError(loc, "lhs and rhs should have the same number of "
                          "contracting dimensions");
  if (failed(verifyDotSide(loc, "lhs", lhs.getRank(), dims.lhsBatching,
                           dims.lhsContracting)) ||
      failed(verifyDotSide(loc, "rhs", rhs.getRank(), dims.rhsBatching,
                           dims.rhsContracting)))
    return failure();
  for (auto [l, r] : llvm::zip(dims.lhsBatching, dims.rhsBatching))
    if (differ(lhs.getDimSize(l), rhs.getDimSize(r)))
      return emitError(loc, "batching dimension sizes must match for lhs/rhs");
  for (auto [l, r] : llvm::zip(dims.lhsContracting, dims.rhsContracting))
    if (differ(lhs.getDimSize(l), rhs.getDimSize(r)))
      return emitError(loc,
                       "contracting dimension sizes must match for lhs/rhs");
  return success();
}

LogicalResult DotGeneralOp::verify() {
  Location loc = getLoc();
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto numbers = getDotDimensionNumbers();
  Dims lhsBatching = numbers.getLhsBatchingDimensions();
  Dims rhsBatching = numbers.getRhsBatchingDimensions();
  Dims lhsContracting = numbers.getLhsContractingDimensions();
  Dims rhsContracting = numbers.getRhsContractingDimensions();
  if (failed(verifyPrecision(loc, getPrecisionConfig())))
    return failure();
  if (ArrayAttr config = getPrecisionConfigAttr(); config && getAlgorithm())
    for (Attribute precision : config)
      if (cast<PrecisionAttr>(precision).getValue() != Precision::DEFAULT)
        return mlir::emitError(
            loc,
            "must specify DEFAULT precision config when algorithm is set.");
  if (failed(verifyDotDimensions(
          loc, lhs, rhs,
          {lhsBatching, rhsBatching, lhsContracting, rhsContracting})))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : lhsBatching)
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t d = 0; d < lhs.getRank(); ++d)
    if (!llvm::is_contained(lhsBatching, d) &&
        !llvm::is_contained(lhsContracting, d))
      shape.push_back(lhs.getDimSize(d));
  for (int64_t d = 0; d < rhs.getRank(); ++d)
    if (!llvm::is_contained(rhsBatching, d) &&
        !llvm::is_contained(rhsContracting, d))
      shape.push_back(rhs.getDimSize(d));
  return verifyShape(loc, RankedTensorType::get(shape, lhs.getElementType()),
                     getType());
}

LogicalResult DotOp::verify() {
  Location loc = getLoc();
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  if (failed(verifyPrecision(loc, getPrecisionConfig())))
    return failure();
  auto isVectorOrMatrix = [](RankedTensorType type) {
    return type.getRank() == 1 || type.getRank() == 2;
  };
  // The last dimension of lhs is contracted with the first of rhs.
  if (!isVectorOrMatrix(lhs) || !isVectorOrMatrix(rhs) ||
      differ(lhs.getShape().back(), rhs.getShape().front()))
    return mlir::emitError(loc,
                           "expected both lhs/rhs ranks to be either 1 or 2");
  SmallVector<int64_t> shape(lhs.getShape().drop_back());
  llvm::append_range(shape, rhs.getShape().drop_front());
  return verifyShape(loc, RankedTensorType::get(shape, lhs.getElementType()),
                     getType());
}

//===----------------------------------------------------------------------===//
// convolution
//===----------------------------------------------------------------------===//

/// Checks that every dimension of the three tensors is in range and has one
/// role.
static LogicalResult verifyConvDims(Location loc, int64_t rank,
                                    ConvDimensionNumbersAttr n) {
  Dims inputSpatial = n.getInputSpatialDimensions();
  Dims kernelSpatial = n.getKernelSpatialDimensions();
  Dims outputSpatial = n.getOutputSpatialDimensions();
  if (inputSpatial.size() != kernelSpatial.size() ||
      inputSpatial.size() != outputSpatial.size())
    return emitError(loc) << "expects the same size for input, kernel and "
                             "output spatial-dimensions, but got "
                          << inputSpatial.size() << ", " << kernelSpatial.size()
                          << ", and " << outputSpatial.size() << " resp.";
  auto roles = [](int64_t a, int64_t b, Dims spatial) {
    SmallVector<int64_t> dims{a, b};
    llvm::append_range(dims, spatial);
    return dims;
  };
  SmallVector<int64_t> input = roles(
      n.getInputBatchDimension(), n.getInputFeatureDimension(), inputSpatial);
  SmallVector<int64_t> kernel =
      roles(n.getKernelInputFeatureDimension(),
            n.getKernelOutputFeatureDimension(), kernelSpatial);
  SmallVector<int64_t> output =
      roles(n.getOutputBatchDimension(), n.getOutputFeatureDimension(),
            outputSpatial);
  for (Dims dims : {Dims(input), Dims(kernel), Dims(output)})
    for (int64_t dim : dims)
      if (dim < 0 || dim >= rank)
        return emitError(loc) << "expects input, kernel, and output "
                                 "dimension-numbers to be in-range [0, "
                              << rank << ").";
  std::pair<StringRef, Dims> sides[] = {
      {"input", input}, {"kernel", kernel}, {"output", output}};
  for (auto [name, dims] : sides)
    for (size_t i = 0; i < dims.size(); ++i)
      if (llvm::is_contained(dims.take_front(i), dims[i]))
        return emitError(loc)
               << "expects " << name << " dimension-numbers to be unique, got {"
               << StringRef(dimsText(dims)).drop_front().drop_back() << "}.";
  return success();
}

/// Checks that the numbers of features and of batch elements are multiples of
/// the group counts.
static LogicalResult verifyConvGroups(Location loc, RankedTensorType lhs,
                                      RankedTensorType rhs,
                                      ConvDimensionNumbersAttr n,
                                      int64_t featureGroups,
                                      int64_t batchGroups) {
  int64_t inFeatures = lhs.getDimSize(n.getInputFeatureDimension());
  int64_t batch = lhs.getDimSize(n.getInputBatchDimension());
  int64_t kernelIn = rhs.getDimSize(n.getKernelInputFeatureDimension());
  int64_t kernelOut = rhs.getDimSize(n.getKernelOutputFeatureDimension());
  if (batchGroups > 1 && featureGroups > 1)
    return emitError(loc) << "expects batch_group_count and "
                             "feature_group_count not to be both greater "
                             "than 1. Got "
                          << batchGroups << " and " << featureGroups
                          << " resp.";
  if (!isDynamic(batch) && batch % batchGroups != 0)
    return emitError(loc) << "expects input batch dimension (" << batch
                          << ") to be divisible by batch_group_count. Got "
                             "batch_group_count = "
                          << batchGroups << ".";
  if (!isDynamic(inFeatures)) {
    if (inFeatures % featureGroups != 0)
      return emitError(loc) << "expects input feature dimension (" << inFeatures
                            << ") to be a multiple of feature_group_count. Got "
                               "feature_group_count = "
                            << featureGroups << ".";
    if (differ(inFeatures / featureGroups, kernelIn))
      return emitError(loc)
             << "expects input feature dimension (" << inFeatures
             << ") / feature_group_count = kernel input feature dimension ("
             << kernelIn << "). Got feature_group_count = " << featureGroups
             << ".";
  }
  if (!isDynamic(kernelOut)) {
    if (kernelOut % batchGroups != 0)
      return emitError(loc)
             << "expects output feature dimension size (" << kernelOut
             << ") to be a multiple of batch_group_count. Got "
                "batch_group_count = "
             << batchGroups << ".";
    if (kernelOut % featureGroups != 0)
      return emitError(loc)
             << "expects kernel output feature dimension (" << kernelOut
             << ") to be divisible by feature_group_count. For "
                "feature_group_count = "
             << featureGroups << ".";
  }
  return success();
}

static LogicalResult verifyConvolution(
    Location loc, RankedTensorType lhs, RankedTensorType rhs,
    RankedTensorType result, ConvDimensionNumbersAttr n, int64_t featureGroups,
    int64_t batchGroups, std::optional<ArrayAttr> precision,
    std::optional<Dims> strides, DenseIntElementsAttr padding,
    std::optional<Dims> lhsDilation, std::optional<Dims> rhsDilation,
    std::optional<ArrayRef<bool>> reversal, bool paddingIsKnown) {
  int64_t rank = lhs.getRank();
  if (rank >= 2 && rank != rhs.getRank())
    return emitError(loc) << "expects convolution arguments to have same "
                             "number of dimensions. Got: "
                          << lhs << " and " << rhs << ".";
  if (rank < 2)
    return emitError(loc)
           << "expects convolution arguments to have >= 2 dimensions. Got: "
           << lhs << " and " << rhs << ".";
  if (failed(verifyConvDims(loc, rank, n)))
    return failure();
  if (!areElementTypesCompatible(lhs.getElementType(), rhs.getElementType()) &&
      !isa<quant::QuantizedType>(rhs.getElementType()))
    return emitError(loc)
           << "expects lhs and rhs to have compatible element type. Got: "
           << lhs.getElementType() << " and " << rhs.getElementType();
  if (failed(verifyConvGroups(loc, lhs, rhs, n, featureGroups, batchGroups)) ||
      failed(verifyPrecision(loc, precision)))
    return failure();

  Dims inputSpatial = n.getInputSpatialDimensions();
  if (static_cast<int64_t>(inputSpatial.size()) != rank - 2)
    return emitError(loc) << "expects convolution arguments to have "
                          << inputSpatial.size() + 2
                          << " dimensions. Got: " << rank;
  SmallVector<int64_t> windowSizes;
  for (int64_t dim : n.getKernelSpatialDimensions())
    windowSizes.push_back(rhs.getDimSize(dim));
  if (reversal && reversal->size() != windowSizes.size())
    return emitError(loc)
           << "expects window-reversal to have same dimension-size as size of "
              "window dimensions ("
           << windowSizes.size() << "), but got: " << reversal->size() << ".";
  // A kernel without elements is valid: check the other attributes.
  SmallVector<int64_t> positive;
  for (int64_t size : windowSizes)
    positive.push_back(size == 0 ? 1 : size);
  FailureOr<SmallVector<WindowDim>> window =
      makeWindow(loc, positive, strides, padding, lhsDilation, rhsDilation);
  if (failed(window))
    return failure();
  for (auto [dim, size] : llvm::zip(*window, windowSizes))
    dim.size = size;

  SmallVector<int64_t> shape(rank, ShapedType::kDynamic), base;
  for (int64_t dim : inputSpatial)
    base.push_back(lhs.getDimSize(dim));
  SmallVector<int64_t> slid = windowedShape(base, *window);
  for (auto [dim, size] : llvm::zip(n.getOutputSpatialDimensions(), slid))
    shape[dim] = paddingIsKnown ? size : ShapedType::kDynamic;
  int64_t batch = lhs.getDimSize(n.getInputBatchDimension());
  shape[n.getOutputBatchDimension()] =
      isDynamic(batch) ? batch : batch / batchGroups;
  shape[n.getOutputFeatureDimension()] =
      rhs.getDimSize(n.getKernelOutputFeatureDimension());
  return verifyShape(loc, RankedTensorType::get(shape, lhs.getElementType()),
                     result);
}

LogicalResult ConvolutionOp::verify() {
  return verifyConvolution(
      getLoc(), cast<RankedTensorType>(getLhs().getType()),
      cast<RankedTensorType>(getRhs().getType()),
      cast<RankedTensorType>(getType()), getDimensionNumbers(),
      getFeatureGroupCount(), getBatchGroupCount(), getPrecisionConfig(),
      getWindowStrides(), getPaddingAttr(), getLhsDilation(), getRhsDilation(),
      getWindowReversal(), /*paddingIsKnown=*/true);
}

LogicalResult DynamicConvOp::verify() {
  auto padding = cast<RankedTensorType>(getPadding().getType());
  auto numbers = getDimensionNumbers();
  int64_t spatial = numbers.getInputSpatialDimensions().size();
  if (padding.getRank() != 2 || differ(padding.getDimSize(0), spatial) ||
      differ(padding.getDimSize(1), 2))
    return mlir::emitError(getLoc())
           << "expects padding to be of shape [" << spatial << ", 2], but got "
           << dimsText(padding.getShape());
  return verifyConvolution(
      getLoc(), cast<RankedTensorType>(getLhs().getType()),
      cast<RankedTensorType>(getRhs().getType()),
      cast<RankedTensorType>(getType()), numbers, getFeatureGroupCount(),
      getBatchGroupCount(), getPrecisionConfig(), getWindowStrides(), {},
      getLhsDilation(), getRhsDilation(), getWindowReversal(),
      /*paddingIsKnown=*/false);
}

//===----------------------------------------------------------------------===//
// rng_bit_generator
//===----------------------------------------------------------------------===//

LogicalResult RngBitGeneratorOp::verify() {
  if (failed(verifyCompatibleShape(getInitialState().getType(),
                                   getOutputState().getType())))
    return mlir::emitError(getLoc())
           << "output state shape must be compatible with initial state "
              "shape. Got: "
           << getInitialState().getType() << " and "
           << getOutputState().getType();
  return success();
}

} // namespace shardwright::stablehlo

//===- structured_attrs.cc - structured attributes and their fields -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/portable/structured_attrs.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

using namespace mlir;

namespace shardwright {

//===----------------------------------------------------------------------===//
// To fields
//===----------------------------------------------------------------------===//

namespace {

/// Finds the field `name` of an attribute.
struct FieldFinder {
  StringRef name;
  MLIRContext *context;
  Attribute found;

  FieldFinder &field(StringRef field, ArrayRef<int64_t> dims) {
    if (field == name) {
      auto type =
          RankedTensorType::get(dims.size(), IntegerType::get(context, 64));
      found =
          vhlo::TensorV1Attr::get(context, DenseElementsAttr::get(type, dims));
    }
    return *this;
  }
  FieldFinder &field(StringRef field, int64_t value) {
    if (field == name)
      found = vhlo::IntegerV1Attr::get(
          context, vhlo::PrimitiveType::get(context, vhlo::PrimitiveKind::I64),
          APInt(64, value, /*isSigned=*/true));
    return *this;
  }
  FieldFinder &field(StringRef field, Attribute value) {
    if (field == name)
      found = value;
    return *this;
  }
};

} // namespace

static Attribute inherent(Operation *op, StringRef name) {
  return op->getInherentAttr(name).value_or(Attribute());
}

Attribute fieldOf(Operation *op, StringRef name, ToVhlo &values) {
  MLIRContext *context = op->getContext();
  FieldFinder f{name, context, {}};
  if (auto a = dyn_cast_or_null<stablehlo::ChannelHandleAttr>(
          inherent(op, "channel_handle")))
    f.field("channel_id", a.getHandle()).field("channel_type", a.getType());
  if (auto a = dyn_cast_or_null<stablehlo::ScatterDimensionNumbersAttr>(
          inherent(op, "scatter_dimension_numbers")))
    f.field("update_window_dims", a.getUpdateWindowDims())
        .field("inserted_window_dims", a.getInsertedWindowDims())
        .field("input_batching_dims", a.getInputBatchingDims())
        .field("scatter_indices_batching_dims",
               a.getScatterIndicesBatchingDims())
        .field("scatter_dims_to_operand_dims", a.getScatterDimsToOperandDims())
        .field("index_vector_dim", a.getIndexVectorDim());
  if (auto a = dyn_cast_or_null<stablehlo::DotDimensionNumbersAttr>(
          inherent(op, "dot_dimension_numbers")))
    f.field("lhs_batching_dimensions", a.getLhsBatchingDimensions())
        .field("rhs_batching_dimensions", a.getRhsBatchingDimensions())
        .field("lhs_contracting_dimensions", a.getLhsContractingDimensions())
        .field("rhs_contracting_dimensions", a.getRhsContractingDimensions());
  if (auto a = dyn_cast_or_null<stablehlo::DotAlgorithmAttr>(
          inherent(op, "algorithm"))) {
    auto type = [&](Type type) -> Attribute {
      Type converted = values.type(type);
      return converted ? vhlo::TypeV1Attr::get(context, converted)
                       : Attribute();
    };
    f.field("lhs_precision_type", type(a.getLhsPrecisionType()))
        .field("rhs_precision_type", type(a.getRhsPrecisionType()))
        .field("accumulation_type", type(a.getAccumulationType()))
        .field("lhs_component_count", a.getLhsComponentCount())
        .field("rhs_component_count", a.getRhsComponentCount())
        .field("num_primitive_operations", a.getNumPrimitiveOperations())
        .field("allow_imprecise_accumulation",
               Attribute(vhlo::BooleanV1Attr::get(
                   context, a.getAllowImpreciseAccumulation())));
  }
  Attribute dimensions = inherent(op, "dimension_numbers");
  if (auto a =
          dyn_cast_or_null<stablehlo::GatherDimensionNumbersAttr>(dimensions))
    f.field("offset_dims", a.getOffsetDims())
        .field("collapsed_slice_dims", a.getCollapsedSliceDims())
        .field("operand_batching_dims", a.getOperandBatchingDims())
        .field("start_indices_batching_dims", a.getStartIndicesBatchingDims())
        .field("start_index_map", a.getStartIndexMap())
        .field("index_vector_dim", a.getIndexVectorDim());
  if (auto a =
          dyn_cast_or_null<stablehlo::ConvDimensionNumbersAttr>(dimensions))
    f.field("input_batch_dimension", a.getInputBatchDimension())
        .field("input_feature_dimension", a.getInputFeatureDimension())
        .field("input_spatial_dimensions", a.getInputSpatialDimensions())
        .field("kernel_input_feature_dimension",
               a.getKernelInputFeatureDimension())
        .field("kernel_output_feature_dimension",
               a.getKernelOutputFeatureDimension())
        .field("kernel_spatial_dimensions", a.getKernelSpatialDimensions())
        .field("output_batch_dimension", a.getOutputBatchDimension())
        .field("output_feature_dimension", a.getOutputFeatureDimension())
        .field("output_spatial_dimensions", a.getOutputSpatialDimensions());
  return f.found;
}

//===----------------------------------------------------------------------===//
// From fields
//===----------------------------------------------------------------------===//

namespace {

/// Reads attributes of a VHLO op by name; the first attribute of the wrong kind
/// is an error. Absent attributes have neutral values.
struct FieldReader {
  const vhlo::OpRow &row;
  ArrayRef<Attribute> attrs;
  FromVhlo &values;
  function_ref<InFlightDiagnostic()> emitError;
  bool isValid = true;

  Attribute get(StringRef name) const {
    for (auto [spec, attr] : llvm::zip(row.attrs, attrs))
      if (spec.name == name)
        return attr;
    return {};
  }
  bool has(StringRef name) const { return bool(get(name)); }

  SmallVector<int64_t> dims(StringRef name) {
    Attribute attr = get(name);
    if (!attr)
      return {};
    if (auto tensor = dyn_cast<vhlo::TensorV1Attr>(attr))
      if (DenseElementsAttr value = tensor.getValue();
          value && value.getElementType().isInteger(64))
        return llvm::to_vector(value.getValues<int64_t>());
    invalid(name, attr);
    return {};
  }
  int64_t number(StringRef name) {
    Attribute attr = get(name);
    if (!attr)
      return 0;
    if (auto integer = dyn_cast<vhlo::IntegerV1Attr>(attr))
      if (integer.getValue().getBitWidth() <= 64)
        return integer.getValue().getSExtValue();
    invalid(name, attr);
    return 0;
  }
  Type type(StringRef name) {
    Attribute attr = get(name);
    if (auto typeAttr = dyn_cast_or_null<vhlo::TypeV1Attr>(attr))
      if (Type type = values.type(typeAttr.getValue(), emitError))
        return type;
    invalid(name, attr);
    return {};
  }
  bool flag(StringRef name) {
    Attribute attr = get(name);
    if (auto boolean = dyn_cast_or_null<vhlo::BooleanV1Attr>(attr))
      return boolean.getValue();
    invalid(name, attr);
    return false;
  }

private:
  void invalid(StringRef name, Attribute attr) {
    if (isValid)
      emitError() << "attribute '" << name << "' cannot be " << attr;
    isValid = false;
  }
};

} // namespace

LogicalResult setStructuredAttrs(Operation *op, const vhlo::OpRow &row,
                                 ArrayRef<Attribute> attrs, FromVhlo &values,
                                 function_ref<InFlightDiagnostic()> emitError) {
  MLIRContext *context = op->getContext();
  FieldReader r{row, attrs, values, emitError};
  auto set = [&](StringRef name, Attribute attr) {
    op->getName().setInherentAttr(op, StringAttr::get(context, name), attr);
  };
  if (r.has("channel_id")) {
    // Collectives: 0 means no channel, and the type is not stored.
    int64_t id = r.number("channel_id"), type = r.number("channel_type");
    if (id != 0 || r.has("channel_type"))
      set("channel_handle",
          stablehlo::ChannelHandleAttr::get(context, id, type));
  }
  if (row.name == "gather" || row.name == "dynamic_gather")
    set("dimension_numbers",
        stablehlo::GatherDimensionNumbersAttr::get(
            context, r.dims("offset_dims"), r.dims("collapsed_slice_dims"),
            r.dims("operand_batching_dims"),
            r.dims("start_indices_batching_dims"), r.dims("start_index_map"),
            r.number("index_vector_dim")));
  if (row.name == "scatter")
    set("scatter_dimension_numbers",
        stablehlo::ScatterDimensionNumbersAttr::get(
            context, r.dims("update_window_dims"),
            r.dims("inserted_window_dims"), r.dims("input_batching_dims"),
            r.dims("scatter_indices_batching_dims"),
            r.dims("scatter_dims_to_operand_dims"),
            r.number("index_vector_dim")));
  if (row.name == "dot_general") {
    set("dot_dimension_numbers", stablehlo::DotDimensionNumbersAttr::get(
                                     context, r.dims("lhs_batching_dimensions"),
                                     r.dims("rhs_batching_dimensions"),
                                     r.dims("lhs_contracting_dimensions"),
                                     r.dims("rhs_contracting_dimensions")));
    auto accumulation =
        dyn_cast_or_null<vhlo::TypeV1Attr>(r.get("accumulation_type"));
    auto none = vhlo::PrimitiveType::get(context, vhlo::PrimitiveKind::None);
    if (r.has("accumulation_type") &&
        (!accumulation || accumulation.getValue() != none)) {
      Type lhs = r.type("lhs_precision_type"),
           rhs = r.type("rhs_precision_type"),
           sum = r.type("accumulation_type");
      int64_t lhsCount = r.number("lhs_component_count"),
              rhsCount = r.number("rhs_component_count"),
              operations = r.number("num_primitive_operations");
      bool imprecise = r.flag("allow_imprecise_accumulation");
      if (!r.isValid)
        return failure();
      auto algorithm = stablehlo::DotAlgorithmAttr::getChecked(
          emitError, context, lhs, rhs, sum, lhsCount, rhsCount, operations,
          imprecise);
      if (!algorithm)
        return failure();
      set("algorithm", algorithm);
    }
  }
  if (row.name == "convolution" || row.name == "dynamic_conv")
    set("dimension_numbers", stablehlo::ConvDimensionNumbersAttr::get(
                                 context, r.number("input_batch_dimension"),
                                 r.number("input_feature_dimension"),
                                 r.dims("input_spatial_dimensions"),
                                 r.number("kernel_input_feature_dimension"),
                                 r.number("kernel_output_feature_dimension"),
                                 r.dims("kernel_spatial_dimensions"),
                                 r.number("output_batch_dimension"),
                                 r.number("output_feature_dimension"),
                                 r.dims("output_spatial_dimensions")));
  return success(r.isValid);
}

} // namespace shardwright

//===- message_specs.cc - the messages of HLO protos ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/hlo/message_specs.h"

namespace shardwright::hlo {
namespace {

constexpr FieldType i32 = FieldType::Int32, i64 = FieldType::Int64,
                    f32 = FieldType::Float, f64 = FieldType::Double,
                    text = FieldType::String, bytes = FieldType::Bytes;

constexpr FieldSpec many(int number, const char *name, FieldType type) {
  return {number, name, type, /*isRepeated=*/true};
}
constexpr FieldSpec one(int number, const char *name, const MessageSpec &spec) {
  return {number, name, FieldType::Message, /*isRepeated=*/false, &spec};
}
constexpr FieldSpec many(int number, const char *name,
                         const MessageSpec &spec) {
  return {number, name, FieldType::Message, /*isRepeated=*/true, &spec};
}

/// Defines `NAMESpec` with these fields.
#define SPEC(NAME, PROTO, ...)                                                 \
  constexpr FieldSpec NAME##Fields[] = {__VA_ARGS__};                          \
  constexpr MessageSpec NAME##Spec = {PROTO, NAME##Fields};

SPEC(layout, "LayoutProto", many(1, "minor_to_major", i64),
     many(9, "dim_level_types", i32))

SPEC(attribute, "FrontendAttributes.MapEntry", {1, "key", text},
     {2, "value", text})
SPEC(attributes, "FrontendAttributes", many(1, "map", attributeSpec))

SPEC(metadata, "OpMetadata", {2, "op_name", text}, {3, "source_file", text},
     {4, "source_line", i32}, {15, "stack_frame_id", i32},
     {17, "source_end_line", i32}, {18, "source_column", i32},
     {19, "source_end_column", i32})

SPEC(fileLocation, "StackFrameIndexProto.FileLocation",
     {1, "file_name_id", i32}, {2, "function_name_id", i32}, {3, "line", i32},
     {4, "column", i32})
SPEC(stackFrame, "StackFrameIndexProto.StackFrame",
     {1, "file_location_id", i32}, {2, "parent_frame_id", i32})
SPEC(stackFrameIndex, "StackFrameIndexProto", many(1, "file_names", text),
     many(2, "function_names", text),
     many(3, "file_locations", fileLocationSpec),
     many(4, "stack_frames", stackFrameSpec))

SPEC(aliasEntry, "HloInputOutputAliasProto.AliasEntryProto",
     many(1, "output_shape_index", i64), {2, "parameter_number", i64},
     many(3, "parameter_shape_index", i64))
SPEC(alias, "HloInputOutputAliasProto", many(1, "entries", aliasEntrySpec))
SPEC(donorEntry, "HloBufferDonorProto.BufferDonorEntryProto",
     {1, "parameter_number", i64}, many(2, "parameter_shape_index", i64))
SPEC(donor, "HloBufferDonorProto", many(1, "entries", donorEntrySpec))
SPEC(assignment, "DeviceAssignmentProto", {1, "replica_count", i32},
     {2, "computation_count", i32})

SPEC(windowDimension, "WindowDimension", {1, "size", i64}, {2, "stride", i64},
     {3, "padding_low", i64}, {4, "padding_high", i64},
     {5, "window_dilation", i64}, {6, "base_dilation", i64},
     {7, "window_reversal", i64})
SPEC(window, "Window", many(1, "dimensions", windowDimensionSpec))
SPEC(convolution, "ConvolutionDimensionNumbers",
     {3, "kernel_input_feature_dimension", i64},
     {4, "kernel_output_feature_dimension", i64},
     many(6, "kernel_spatial_dimensions", i64),
     {7, "input_batch_dimension", i64}, {8, "input_feature_dimension", i64},
     {9, "output_batch_dimension", i64}, {10, "output_feature_dimension", i64},
     many(11, "input_spatial_dimensions", i64),
     many(12, "output_spatial_dimensions", i64))
SPEC(slice, "HloInstructionProto.SliceDimensions", {1, "start", i64},
     {2, "limit", i64}, {3, "stride", i64})
SPEC(paddingDimension, "PaddingConfig.PaddingConfigDimension",
     {1, "edge_padding_low", i64}, {2, "edge_padding_high", i64},
     {3, "interior_padding", i64})
SPEC(padding, "PaddingConfig", many(1, "dimensions", paddingDimensionSpec))
SPEC(dot, "DotDimensionNumbers", many(1, "lhs_contracting_dimensions", i64),
     many(2, "rhs_contracting_dimensions", i64),
     many(3, "lhs_batch_dimensions", i64), many(4, "rhs_batch_dimensions", i64))
SPEC(raggedDot, "RaggedDotDimensionNumbers",
     one(1, "dot_dimension_numbers", dotSpec),
     many(2, "lhs_ragged_dimensions", i64),
     many(3, "rhs_group_dimensions", i64))
SPEC(gather, "GatherDimensionNumbers", many(1, "offset_dims", i64),
     many(2, "collapsed_slice_dims", i64), many(3, "start_index_map", i64),
     {4, "index_vector_dim", i64}, many(5, "operand_batching_dims", i64),
     many(6, "start_indices_batching_dims", i64))
SPEC(scatter, "ScatterDimensionNumbers", many(1, "update_window_dims", i64),
     many(2, "inserted_window_dims", i64),
     many(3, "scatter_dims_to_operand_dims", i64), {4, "index_vector_dim", i64},
     many(5, "input_batching_dims", i64),
     many(6, "scatter_indices_batching_dims", i64))
SPEC(precision, "PrecisionConfig", many(1, "operand_precision", i32),
     {2, "algorithm", i32})
SPEC(triangular, "TriangularSolveOptions", {1, "left_side", i64},
     {2, "lower", i64}, {3, "unit_diagonal", i64}, {4, "transpose_a", i32})
SPEC(cholesky, "CholeskyOptions", {1, "lower", i64})
SPEC(tolerance, "ResultAccuracy.Tolerance", {1, "atol", f64}, {2, "rtol", f64},
     {3, "ulps", i64})
SPEC(accuracy, "ResultAccuracy", {1, "mode", i32},
     one(2, "tolerance", toleranceSpec))

SPEC(replicaGroup, "ReplicaGroup", many(1, "replica_ids", i64))
SPEC(deviceList, "CollectiveDeviceListProto",
     many(1, "replica_groups", replicaGroupSpec))
SPEC(iotaGroups, "IotaReplicaGroupListProto", {1, "num_replica_groups", i64},
     {2, "num_devices_per_group", i64}, many(3, "iota_reshape_dims", i64),
     many(4, "iota_transpose_perm", i32))
SPEC(meshAxis, "MeshProto.MeshAxis", {1, "name", text}, {2, "size", i64})
SPEC(iotaTransform, "MeshProto.IotaTransform", many(1, "reshape_dims", i64),
     many(2, "transpose_perm", i64))
SPEC(mesh, "MeshProto", many(1, "axes", meshAxisSpec),
     many(2, "device_ids", i64), one(3, "iota_transform", iotaTransformSpec))
SPEC(subAxis, "AxisRefProto.SubAxis", {1, "pre_size", i64}, {2, "size", i64})
SPEC(axisRef, "AxisRefProto", {1, "mesh_axis_index", i64},
     one(2, "sub_axis_info", subAxisSpec))
SPEC(axesGroups, "MeshAxesReplicaGroupListProto", one(1, "mesh", meshSpec),
     many(2, "axes", axisRefSpec))
SPEC(sourceTarget, "SourceTarget", {1, "source", i64}, {2, "target", i64})
SPEC(outputAlias, "OutputOperandAliasing", many(1, "output_shape_index", i64),
     {2, "operand_index", i64}, many(3, "operand_shape_index", i64))
SPEC(sparsity, "SparsityConfig", {1, "lhs", bytes}, {2, "rhs", bytes})
SPEC(payload, "Payload", {1, "value", bytes}, {2, "id", i64})

} // namespace

static const FieldSpec shapeFields[] = {
    {2, "element_type", i32},
    many(3, "dimensions", i64),
    many(4, "tuple_shapes", shapeSpec),
    one(5, "layout", layoutSpec),
    many(6, "is_dynamic_dimension", i64),
};
const MessageSpec shapeSpec = {"ShapeProto", shapeFields};

static const FieldSpec literalFields[] = {
    one(1, "shape", shapeSpec),
    many(2, "preds", i64),
    {3, "u8s", bytes},
    many(4, "s32s", i32),
    many(5, "s64s", i64),
    many(6, "u32s", i64),
    many(7, "u64s", i64),
    many(8, "f32s", f32),
    many(9, "f64s", f64),
    many(10, "tuple_literals", literalSpec),
    {11, "f16s", bytes},
    many(12, "c64s", f32),
    {13, "bf16s", bytes},
    many(14, "sparse_indices", i64),
    {15, "s8s", bytes},
    {16, "u16s", bytes},
    {17, "s16s", bytes},
    many(18, "c128s", f64),
    {19, "f8e5m2s", bytes},
    {20, "f8e4m3fns", bytes},
    {21, "s4s", bytes},
    {22, "u4s", bytes},
    {23, "f8e4m3b11fnuzs", bytes},
    {24, "f8e5m2fnuzs", bytes},
    {25, "f8e4m3fnuzs", bytes},
    {26, "s2s", bytes},
    {27, "u2s", bytes},
    {28, "f8e4m3s", bytes},
    {29, "f8e3m4s", bytes},
    {30, "s1s", bytes},
    {31, "u1s", bytes},
    {32, "f4e2m1fns", bytes},
    {33, "f8e8m0fnus", bytes},
    many(34, "dynamic_sizes", i32),
    {35, "f6e3m2fns", bytes},
    {36, "f6e2m3fns", bytes},
};
const MessageSpec literalSpec = {"LiteralProto", literalFields};

static const FieldSpec instructionFields[] = {
    {1, "name", text},
    {2, "opcode", text},
    one(3, "shape", shapeSpec),
    one(7, "metadata", metadataSpec),
    one(8, "literal", literalSpec),
    {9, "parameter_number", i64},
    {13, "tuple_index", i64},
    many(14, "dimensions", i64),
    one(15, "window", windowSpec),
    one(16, "convolution_dimension_numbers", convolutionSpec),
    many(17, "slice_dimensions", sliceSpec),
    {18, "exponent_bits", i32},
    {19, "mantissa_bits", i32},
    many(20, "dynamic_slice_sizes", i64),
    one(21, "padding_config", paddingSpec),
    {22, "outfeed_config", bytes},
    {23, "distribution", i32},
    {24, "epsilon", f32},
    {25, "feature_index", i64},
    {26, "channel_id", i64},
    {27, "infeed_config", bytes},
    {28, "custom_call_target", text},
    one(30, "dot_dimension_numbers", dotSpec),
    {31, "fft_type", i32},
    many(32, "fft_length", i64),
    one(33, "gather_dimension_numbers", gatherSpec),
    many(34, "gather_slice_sizes", i64),
    {35, "id", i64},
    many(36, "operand_ids", i64),
    many(38, "called_computation_ids", i64),
    {40, "sharding", bytes},
    {43, "backend_config", bytes},
    {47, "is_host_transfer", i64},
    one(48, "scatter_dimension_numbers", scatterSpec),
    many(49, "replica_groups", replicaGroupSpec),
    {50, "feature_group_count", i64},
    one(51, "precision_config", precisionSpec),
    many(52, "source_target_pairs", sourceTargetSpec),
    {56, "constrain_layout", i64},
    many(57, "operand_shapes_with_layout", shapeSpec),
    {58, "batch_group_count", i64},
    one(59, "triangular_solve_options", triangularSpec),
    {60, "is_stable", i64},
    one(62, "cholesky_options", choleskySpec),
    {63, "comparison_direction", text},
    {65, "custom_call_has_side_effect", i64},
    {67, "indices_are_sorted", i64},
    one(68, "frontend_attributes", attributesSpec),
    {69, "unique_indices", i64},
    {70, "rng_algorithm", i32},
    {71, "use_global_device_ids", i64},
    {72, "comparison_type", text},
    many(74, "output_operand_aliasing", outputAliasSpec),
    {77, "custom_call_api_version", i32},
    {81, "k", i64},
    {85, "largest", i64},
    one(87, "collective_device_list", deviceListSpec),
    {89, "is_composite", i64},
    one(90, "ragged_dot_dimension_numbers", raggedDotSpec),
    one(91, "result_accuracy", accuracySpec),
    one(92, "iota_collective_device_list", iotaGroupsSpec),
    one(93, "mesh_axes_replica_group_list", axesGroupsSpec),
    {94, "is_reverse", i64},
    {95, "num_carries", i64},
    {96, "is_associative", i32},
    one(98, "sparsity_config", sparsitySpec),
    one(99, "backend_config_payload", payloadSpec),
};
const MessageSpec instructionSpec = {"HloInstructionProto", instructionFields};

static const FieldSpec computationFields[] = {
    {1, "name", text},
    many(2, "instructions", instructionSpec),
    {5, "id", i64},
    {6, "root_id", i64},
};
const MessageSpec computationSpec = {"HloComputationProto", computationFields};

static const FieldSpec moduleFields[] = {
    {1, "name", text},
    many(3, "computations", computationSpec),
    {6, "entry_computation_id", i64},
    one(8, "input_output_alias", aliasSpec),
    one(15, "device_assignment", assignmentSpec),
    one(17, "stack_frame_index", stackFrameIndexSpec),
    one(18, "buffer_donor", donorSpec),
    one(19, "frontend_attributes", attributesSpec),
    many(22, "payloads", bytes),
};
const MessageSpec moduleSpec = {"HloModuleProto", moduleFields};

static const FieldSpec configFields[] = {
    {4, "replica_count", i64},
    {5, "num_partitions", i64},
};
const MessageSpec configSpec = {"HloModuleConfigProto", configFields};

} // namespace shardwright::hlo

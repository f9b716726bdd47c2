//===- message_specs.h - the messages of HLO protos -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of xla.HloModuleProto and of its messages that we read, under the
// names and numbers of XLA's .proto files. Fields that say how a compiler
// optimised the program (schedules, backend configurations of fusions,
// profiles) are not listed, and so are ignored.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_MESSAGE_SPECS_H
#define SHARDWRIGHT_INTEROP_HLO_MESSAGE_SPECS_H

#include "shardwright/interop/hlo/proto_message.h"

namespace shardwright::hlo {

extern const MessageSpec moduleSpec, computationSpec, instructionSpec,
    shapeSpec, literalSpec, configSpec;

namespace module_field {
enum {
  name = 1,
  computations = 3,
  entry_computation_id = 6,
  input_output_alias = 8,
  device_assignment = 15,
  stack_frame_index = 17,
  buffer_donor = 18,
  frontend_attributes = 19,
  payloads = 22,
};
}
namespace config_field { // HloModuleConfigProto
enum { replica_count = 4, num_partitions = 5 };
}
namespace computation_field {
enum { name = 1, instructions = 2, id = 5, root_id = 6 };
}
namespace instruction_field {
enum {
  name = 1,
  opcode = 2,
  shape = 3,
  metadata = 7,
  literal = 8,
  parameter_number = 9,
  tuple_index = 13,
  dimensions = 14,
  window = 15,
  convolution_dimension_numbers = 16,
  slice_dimensions = 17,
  exponent_bits = 18,
  mantissa_bits = 19,
  dynamic_slice_sizes = 20,
  padding_config = 21,
  outfeed_config = 22,
  distribution = 23,
  epsilon = 24,
  feature_index = 25,
  channel_id = 26,
  infeed_config = 27,
  custom_call_target = 28,
  dot_dimension_numbers = 30,
  fft_type = 31,
  fft_length = 32,
  gather_dimension_numbers = 33,
  gather_slice_sizes = 34,
  id = 35,
  operand_ids = 36,
  called_computation_ids = 38,
  sharding = 40,
  backend_config = 43,
  is_host_transfer = 47,
  scatter_dimension_numbers = 48,
  replica_groups = 49,
  feature_group_count = 50,
  precision_config = 51,
  source_target_pairs = 52,
  constrain_layout = 56,
  operand_shapes_with_layout = 57,
  batch_group_count = 58,
  triangular_solve_options = 59,
  is_stable = 60,
  cholesky_options = 62,
  comparison_direction = 63,
  custom_call_has_side_effect = 65,
  indices_are_sorted = 67,
  frontend_attributes = 68,
  unique_indices = 69,
  rng_algorithm = 70,
  use_global_device_ids = 71,
  comparison_type = 72,
  output_operand_aliasing = 74,
  custom_call_api_version = 77,
  k = 81,
  largest = 85,
  collective_device_list = 87,
  is_composite = 89,
  ragged_dot_dimension_numbers = 90,
  result_accuracy = 91,
  iota_collective_device_list = 92,
  mesh_axes_replica_group_list = 93,
  is_reverse = 94,
  num_carries = 95,
  is_associative = 96,
  sparsity_config = 98,
  backend_config_payload = 99,
};
}
namespace shape_field {
enum {
  element_type = 2,
  dimensions = 3,
  tuple_shapes = 4,
  layout = 5,
  is_dynamic_dimension = 6,
};
}
namespace layout_field {
enum { minor_to_major = 1, dim_level_types = 9 };
}
namespace literal_field {
enum {
  shape = 1,
  preds = 2,
  u8s = 3,
  s32s = 4,
  s64s = 5,
  u32s = 6,
  u64s = 7,
  f32s = 8,
  f64s = 9,
  tuple_literals = 10,
  f16s = 11,
  c64s = 12,
  bf16s = 13,
  sparse_indices = 14,
  s8s = 15,
  u16s = 16,
  s16s = 17,
  c128s = 18,
  f8e5m2s = 19,
  f8e4m3fns = 20,
  s4s = 21,
  u4s = 22,
  f8e4m3b11fnuzs = 23,
  f8e5m2fnuzs = 24,
  f8e4m3fnuzs = 25,
  s2s = 26,
  u2s = 27,
  f8e4m3s = 28,
  f8e3m4s = 29,
  s1s = 30,
  u1s = 31,
  f4e2m1fns = 32,
  f8e8m0fnus = 33,
  dynamic_sizes = 34,
  f6e3m2fns = 35,
  f6e2m3fns = 36,
};
}
namespace metadata_field { // OpMetadata
enum {
  op_name = 2,
  source_file = 3,
  source_line = 4,
  stack_frame_id = 15,
  source_end_line = 17,
  source_column = 18,
  source_end_column = 19,
};
}
namespace stack_field { // StackFrameIndexProto
enum {
  file_names = 1,
  function_names = 2,
  file_locations = 3,
  stack_frames = 4,
};
}
namespace file_location_field {
enum { file_name_id = 1, function_name_id = 2, line = 3, column = 4 };
}
namespace frame_field {
enum { file_location_id = 1, parent_frame_id = 2 };
}
namespace alias_field { // HloInputOutputAliasProto, HloBufferDonorProto
enum { entries = 1 };
}
namespace alias_entry_field {
enum {
  output_shape_index = 1,
  parameter_number = 2,
  parameter_shape_index = 3
};
}
namespace donor_entry_field {
enum { parameter_number = 1, parameter_shape_index = 2 };
}
namespace assignment_field { // DeviceAssignmentProto
enum { replica_count = 1, computation_count = 2 };
}
namespace map_field { // FrontendAttributes, and its entries
enum { map = 1, key = 1, value = 2 };
}
namespace window_field { // Window, and its dimensions
enum {
  dimensions = 1,
  size = 1,
  stride = 2,
  padding_low = 3,
  padding_high = 4,
  window_dilation = 5,
  base_dilation = 6,
  window_reversal = 7,
};
}
namespace convolution_field {
enum {
  kernel_input_feature_dimension = 3,
  kernel_output_feature_dimension = 4,
  kernel_spatial_dimensions = 6,
  input_batch_dimension = 7,
  input_feature_dimension = 8,
  output_batch_dimension = 9,
  output_feature_dimension = 10,
  input_spatial_dimensions = 11,
  output_spatial_dimensions = 12,
};
}
namespace slice_field {
enum { start = 1, limit = 2, stride = 3 };
}
namespace padding_field { // PaddingConfig, and its dimensions
enum {
  dimensions = 1,
  edge_padding_low = 1,
  edge_padding_high = 2,
  interior_padding = 3,
};
}
namespace dot_field {
enum {
  lhs_contracting_dimensions = 1,
  rhs_contracting_dimensions = 2,
  lhs_batch_dimensions = 3,
  rhs_batch_dimensions = 4,
};
}
namespace ragged_dot_field {
enum {
  dot_dimension_numbers = 1,
  lhs_ragged_dimensions = 2,
  rhs_group_dimensions = 3,
};
}
namespace gather_field {
enum {
  offset_dims = 1,
  collapsed_slice_dims = 2,
  start_index_map = 3,
  index_vector_dim = 4,
  operand_batching_dims = 5,
  start_indices_batching_dims = 6,
};
}
namespace scatter_field {
enum {
  update_window_dims = 1,
  inserted_window_dims = 2,
  scatter_dims_to_operand_dims = 3,
  index_vector_dim = 4,
  input_batching_dims = 5,
  scatter_indices_batching_dims = 6,
};
}
namespace precision_field {
enum { operand_precision = 1, algorithm = 2 };
}
namespace triangular_field {
enum { left_side = 1, lower = 2, unit_diagonal = 3, transpose_a = 4 };
}
namespace cholesky_field {
enum { lower = 1 };
}
namespace group_field { // ReplicaGroup, CollectiveDeviceListProto
enum { replica_ids = 1, replica_groups = 1 };
}
namespace iota_groups_field {
enum {
  num_replica_groups = 1,
  num_devices_per_group = 2,
  iota_reshape_dims = 3,
  iota_transpose_perm = 4,
};
}
namespace axes_groups_field { // MeshAxesReplicaGroupListProto
enum { mesh = 1, axes = 2 };
}
namespace mesh_field { // MeshProto
enum { axes = 1, device_ids = 2, iota_transform = 3 };
}
namespace mesh_axis_field {
enum { name = 1, size = 2 };
}
namespace iota_transform_field {
enum { reshape_dims = 1, transpose_perm = 2 };
}
namespace axis_ref_field {
enum { mesh_axis_index = 1, sub_axis_info = 2 };
}
namespace sub_axis_field {
enum { pre_size = 1, size = 2 };
}
namespace source_target_field {
enum { source = 1, target = 2 };
}
namespace output_alias_field { // OutputOperandAliasing
enum { output_shape_index = 1, operand_index = 2, operand_shape_index = 3 };
}
namespace sparsity_field { // SparsityConfig
enum { lhs = 1, rhs = 2 };
}
namespace accuracy_field { // ResultAccuracy
enum { mode = 1, tolerance = 2 };
}
namespace tolerance_field {
enum { atol = 1, rtol = 2, ulps = 3 };
}
namespace payload_field { // Payload
enum { value = 1, id = 2 };
}

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_MESSAGE_SPECS_H

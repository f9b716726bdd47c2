//===- topology_layout_test.cc - layout of topologies ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/layout_checks.h"
#include "shardwright/pjrt_abi/topology.h"

#include "gtest/gtest.h"

// clang-format off
SIZE(PJRT_TopologyDescription_Create_Args, 56);
AT(PJRT_TopologyDescription_Create_Args, topology_name, 16);
AT(PJRT_TopologyDescription_Create_Args, topology_name_size, 24);
AT(PJRT_TopologyDescription_Create_Args, create_options, 32);
AT(PJRT_TopologyDescription_Create_Args, num_options, 40);
AT(PJRT_TopologyDescription_Create_Args, topology, 48);

SIZE(PJRT_TopologyDescription_Destroy_Args, 24);
AT(PJRT_TopologyDescription_Destroy_Args, topology, 16);

SIZE(PJRT_TopologyDescription_PlatformVersion_Args, 40);
AT(PJRT_TopologyDescription_PlatformVersion_Args, topology, 16);
AT(PJRT_TopologyDescription_PlatformVersion_Args, platform_version, 24);
AT(PJRT_TopologyDescription_PlatformVersion_Args, platform_version_size, 32);

SIZE(PJRT_TopologyDescription_PlatformName_Args, 40);
AT(PJRT_TopologyDescription_PlatformName_Args, topology, 16);
AT(PJRT_TopologyDescription_PlatformName_Args, platform_name, 24);
AT(PJRT_TopologyDescription_PlatformName_Args, platform_name_size, 32);

SIZE(PJRT_TopologyDescription_GetDeviceDescriptions_Args, 40);
AT(PJRT_TopologyDescription_GetDeviceDescriptions_Args, topology, 16);
AT(PJRT_TopologyDescription_GetDeviceDescriptions_Args, descriptions, 24);
AT(PJRT_TopologyDescription_GetDeviceDescriptions_Args, num_descriptions, 32);

SIZE(PJRT_TopologyDescription_Serialize_Args, 56);
AT(PJRT_TopologyDescription_Serialize_Args, topology, 16);
AT(PJRT_TopologyDescription_Serialize_Args, serialized_bytes, 24);
AT(PJRT_TopologyDescription_Serialize_Args, serialized_bytes_size, 32);
AT(PJRT_TopologyDescription_Serialize_Args, serialized_topology, 40);
AT(PJRT_TopologyDescription_Serialize_Args, serialized_topology_deleter, 48);

SIZE(PJRT_TopologyDescription_Deserialize_Args, 40);
AT(PJRT_TopologyDescription_Deserialize_Args, serialized_topology, 16);
AT(PJRT_TopologyDescription_Deserialize_Args, serialized_topology_size, 24);
AT(PJRT_TopologyDescription_Deserialize_Args, topology, 32);

SIZE(PJRT_TopologyDescription_Attributes_Args, 40);
AT(PJRT_TopologyDescription_Attributes_Args, topology, 16);
AT(PJRT_TopologyDescription_Attributes_Args, attributes, 24);
AT(PJRT_TopologyDescription_Attributes_Args, num_attributes, 32);

SIZE(PJRT_TopologyDescription_Fingerprint_Args, 32);
AT(PJRT_TopologyDescription_Fingerprint_Args, topology, 16);
AT(PJRT_TopologyDescription_Fingerprint_Args, fingerprint, 24);

SIZE(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, 88);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, topology, 16);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, memory_space_kind_id, 24);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, dims, 32);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, num_dims, 40);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, element_type, 48);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, layout, 56);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, serialized_shape, 64);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, serialized_shape_size, 72);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, serialized_shape_deleter, 80);

SIZE(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, 40);
AT(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, topology, 16);
AT(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, memory_space_kind_ids, 24);
AT(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, num_memory_space_kind_ids, 32);

SIZE(PJRT_Compile_Args, 64);
AT(PJRT_Compile_Args, topology, 16);
AT(PJRT_Compile_Args, program, 24);
AT(PJRT_Compile_Args, compile_options, 32);
AT(PJRT_Compile_Args, compile_options_size, 40);
AT(PJRT_Compile_Args, client, 48);
AT(PJRT_Compile_Args, executable, 56);
// clang-format on

TEST(PjrtAbi, TopologyLayoutIsCheckedWhenCompiled) {}

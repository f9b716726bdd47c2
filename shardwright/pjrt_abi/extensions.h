//===- extensions.h - structs of the extensions -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_ABI_EXTENSIONS_H
#define SHARDWRIGHT_PJRT_ABI_EXTENSIONS_H

#include "shardwright/pjrt_abi/buffer.h"

extern "C" {

struct PJRT_Layouts_MemoryLayout_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Layouts_MemoryLayout *layout;
};

struct PJRT_Layouts_MemoryLayout_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Layouts_MemoryLayout *layout;
  const char *serialized_bytes;
  size_t serialized_bytes_size;
  PJRT_Layouts_SerializedLayout *serialized_layout;
  void (*serialized_layout_deleter)(PJRT_Layouts_SerializedLayout *s_layout);
};

struct PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  PJRT_Layouts_MemoryLayout *layout;
};

struct PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_Buffer_Type type;
  const int64_t *dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout *layout;
};

struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_TopologyDescription *topology_description;
  PJRT_Buffer_Type type;
  const int64_t *dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout *layout;
};

struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_outputs;
  PJRT_Layouts_MemoryLayout **layouts;
};

struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_parameters;
  PJRT_Layouts_MemoryLayout **layouts;
};

struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*PJRT_Layouts_MemoryLayout_Destroy)(
      PJRT_Layouts_MemoryLayout_Destroy_Args *);
  PJRT_Error *(*PJRT_Layouts_MemoryLayout_Serialize)(
      PJRT_Layouts_MemoryLayout_Serialize_Args *);
  PJRT_Error *(*PJRT_Layouts_PJRT_Client_GetDefaultLayout)(
      PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args *);
  PJRT_Error *(*PJRT_Layouts_PJRT_Buffer_MemoryLayout)(
      PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args *);
  PJRT_Error *(*PJRT_Layouts_PJRT_Topology_GetDefaultLayout)(
      PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args *);
  PJRT_Error *(*PJRT_Layouts_PJRT_Executable_GetOutputLayouts)(
      PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args *);
  PJRT_Error *(*PJRT_Layouts_PJRT_Executable_GetParameterLayouts)(
      PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args *);
};

struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_parameters;
  const char *const *shardings;
  const size_t *sharding_sizes;
};

struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_outputs;
  const char *const *shardings;
  const size_t *sharding_sizes;
};

struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*PJRT_Shardings_PJRT_Executable_ParameterShardings)(
      PJRT_Shardings_PJRT_Executable_ParameterShardings_Args *);
  PJRT_Error *(*PJRT_Shardings_PJRT_Executable_OutputShardings)(
      PJRT_Shardings_PJRT_Executable_OutputShardings_Args *);
};

struct PJRT_FFI_Type_Info {
  void (*deleter)(void *);
  void (*serialize)();
  void (*deserialize)();
};

struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const char *type_name;
  size_t type_name_size;
  int64_t type_id;
  PJRT_FFI_Type_Info *type_info;
};

struct PJRT_FFI_UserData {
  int64_t type_id;
  void *data;
};

struct PJRT_FFI_UserData_Add_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_ExecuteContext *context;
  PJRT_FFI_UserData user_data;
};

struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  const char *target_name;
  size_t target_name_size;
  void *handler;
  const char *platform_name;
  size_t platform_name_size;
  uint32_t traits;
};

struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*type_register)(PJRT_FFI_Type_Register_Args *);
  PJRT_Error *(*user_data_add)(PJRT_FFI_UserData_Add_Args *);
  PJRT_Error *(*register_handler)(PJRT_FFI_Register_Handler_Args *);
};

struct PJRT_DeviceDescription_MemoryDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_DeviceDescription *device_description;
  const PJRT_MemoryDescription *const *memory_descriptions;
  size_t num_memory_descriptions;
  size_t default_memory_index;
};

struct PJRT_MemoryDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_MemoryDescription *memory_description;
  const char *kind;
  size_t kind_size;
  int kind_id;
};

/// Transfers between processes. One call for each device and array.
struct PJRT_Transfers_CrossHostSendBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  size_t num_buffers;
  PJRT_Buffer **buffers;
  const int32_t *dst_global_device_ids;
  const int64_t *transfer_keys;
  PJRT_Event **send_events; ///< the caller's list
};

struct PJRT_Transfers_CrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  size_t num_shapes;
  size_t *shape_num_dims;
  const int64_t **dims;
  PJRT_Buffer_Type *element_types;
  PJRT_Buffer_MemoryLayout **layouts;
  PJRT_Device *device;
  const int32_t *src_global_device_ids;
  const int64_t *transfer_keys;
  PJRT_Buffer **buffers; ///< the caller's list
};

/// The older way: the fields that the plugin reads.
struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
};

struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  PJRT_Event *event;
  char **serialized_descriptor;
  size_t *serialized_descriptor_size;
  void *user_arg;
  void (*on_done)(PJRT_Error *error, bool sends_were_enqueued, void *user_arg);
};

struct PJRT_CrossHostTransfers_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers)(
      PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args *);
  void (*PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice)(
      PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args *);
  PJRT_Error *(*PJRT_Transfers_CrossHostReceiveBuffers)(
      PJRT_Transfers_CrossHostReceiveBuffers_Args *);
  PJRT_Error *(*PJRT_Transfers_CrossHostSendBuffers)(
      PJRT_Transfers_CrossHostSendBuffers_Args *);
};

struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*PJRT_DeviceDescription_MemoryDescriptions)(
      PJRT_DeviceDescription_MemoryDescriptions_Args *);
  PJRT_Error *(*PJRT_MemoryDescription_Kind)(
      PJRT_MemoryDescription_Kind_Args *);
};

struct PJRT_Profiler_Extension {
  PJRT_Extension_Base base;
  void *profiler_api;
  int64_t traceme_context_id;
};

} // extern "C"

#endif // SHARDWRIGHT_PJRT_ABI_EXTENSIONS_H

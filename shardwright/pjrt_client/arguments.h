//===- arguments.h - argument structs of PJRT's functions -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_ARGUMENTS_H
#define SHARDWRIGHT_PJRT_CLIENT_ARGUMENTS_H

#include "shardwright/pjrt_abi/api.h"

namespace shardwright::pjrt_client {

/// The struct_size of a struct: the end of its last field, without the padding
/// after it, in which a later version may have a field.
template <typename T> inline constexpr size_t endOfFields = sizeof(T);
#define SHARDWRIGHT_END_OF_FIELDS(type, last)                                  \
  template <>                                                                  \
  inline constexpr size_t endOfFields<type> =                                  \
      offsetof(type, last) + sizeof(type::last);
SHARDWRIGHT_END_OF_FIELDS(PJRT_Error_GetCode_Args, code)
SHARDWRIGHT_END_OF_FIELDS(PJRT_Event_IsReady_Args, is_ready)
SHARDWRIGHT_END_OF_FIELDS(PJRT_Client_ProcessIndex_Args, process_index)
SHARDWRIGHT_END_OF_FIELDS(PJRT_DeviceDescription_Id_Args, id)
SHARDWRIGHT_END_OF_FIELDS(PJRT_DeviceDescription_ProcessIndex_Args,
                          process_index)
SHARDWRIGHT_END_OF_FIELDS(PJRT_Device_IsAddressable_Args, is_addressable)
SHARDWRIGHT_END_OF_FIELDS(PJRT_Buffer_ElementType_Args, type)
SHARDWRIGHT_END_OF_FIELDS(PJRT_Buffer_MemoryLayout, type)
#undef SHARDWRIGHT_END_OF_FIELDS

/// Returns a zeroed struct with its size, as the plugin expects it.
template <typename T> T makeStruct() {
  T args = {};
  args.struct_size = endOfFields<T>;
  return args;
}

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_ARGUMENTS_H

//===- ffi_layout_test.cc - layout of the FFI structs ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/ffi.h"

#include "gtest/gtest.h"

static_assert(sizeof(XLA_FFI_Extension_Base) == 24);
static_assert(sizeof(XLA_FFI_Api_Version) == 24);
static_assert(sizeof(XLA_FFI_Error_Create_Args) == 32);
static_assert(sizeof(XLA_FFI_ExtensionId) == 16);
static_assert(sizeof(XLA_FFI_Extension) == 32);
static_assert(sizeof(XLA_FFI_Error_GetDetails_Args) == 40);
static_assert(sizeof(XLA_FFI_Error_Destroy_Args) == 24);
static_assert(sizeof(XLA_FFI_Buffer) == 48);
static_assert(sizeof(XLA_FFI_ByteSpan) == 16);
static_assert(sizeof(XLA_FFI_Scalar) == 16);
static_assert(sizeof(XLA_FFI_Array) == 24);
static_assert(sizeof(XLA_FFI_TypeId) == 8);
static_assert(sizeof(XLA_FFI_TypeInfo) == 24);
static_assert(sizeof(XLA_FFI_Future_Create_Args) == 24);
static_assert(sizeof(XLA_FFI_Future_SetAvailable_Args) == 24);
static_assert(sizeof(XLA_FFI_Future_SetError_Args) == 32);
static_assert(sizeof(XLA_FFI_Args) == 40);
static_assert(sizeof(XLA_FFI_Rets) == 40);
static_assert(sizeof(XLA_FFI_Attrs) == 48);
static_assert(sizeof(XLA_FFI_CallFrame) == 176);
static_assert(sizeof(XLA_FFI_Handler_Bundle) == 40);
static_assert(sizeof(XLA_FFI_Handler_Register_Args) == 96);
static_assert(sizeof(XLA_FFI_Type_Register_Args) == 48);
static_assert(sizeof(XLA_FFI_ExecutionContext_Get_Args) == 40);
static_assert(sizeof(XLA_FFI_InvokeContext_FindExtension_Args) == 40);
static_assert(sizeof(XLA_FFI_CustomOptions_Get_Args) == 32);
static_assert(sizeof(XLA_FFI_State_Args) == 48);
static_assert(sizeof(XLA_FFI_Stream_Get_Args) == 32);
static_assert(sizeof(XLA_FFI_DeviceMemory_Allocate_Args) == 48);
static_assert(sizeof(XLA_FFI_DeviceMemory_Free_Args) == 40);
static_assert(sizeof(XLA_FFI_ThreadPool_Schedule_Args) == 40);
static_assert(sizeof(XLA_FFI_ThreadPool_NumThreads_Args) == 32);
static_assert(sizeof(XLA_FFI_RunId_Get_Args) == 32);
static_assert(sizeof(XLA_FFI_DeviceOrdinal_Get_Args) == 32);
static_assert(sizeof(XLA_FFI_Metadata) == 48);
static_assert(sizeof(XLA_FFI_Metadata_Extension) == 32);
static_assert(sizeof(XLA_FFI_Api) == 208);
static_assert(offsetof(XLA_FFI_CallFrame, api) == 16);
static_assert(offsetof(XLA_FFI_CallFrame, ctx) == 24);
static_assert(offsetof(XLA_FFI_CallFrame, stage) == 32);
static_assert(offsetof(XLA_FFI_CallFrame, args) == 40);
static_assert(offsetof(XLA_FFI_CallFrame, rets) == 80);
static_assert(offsetof(XLA_FFI_CallFrame, attrs) == 120);
static_assert(offsetof(XLA_FFI_CallFrame, future) == 168);
static_assert(offsetof(XLA_FFI_Metadata, traits) == 32);
static_assert(offsetof(XLA_FFI_Metadata, state_type_id) == 40);
static_assert(offsetof(XLA_FFI_Buffer, rank) == 32);
static_assert(offsetof(XLA_FFI_Handler_Register_Args, traits) == 88);
static_assert(offsetof(XLA_FFI_Error_GetDetails_Args, errc) == 32);
static_assert(offsetof(XLA_FFI_Extension, id) == 8);
static_assert(offsetof(XLA_FFI_Extension, next) == 24);
static_assert(offsetof(XLA_FFI_InvokeContext_FindExtension_Args,
                       extension_type) == 24);
static_assert(offsetof(XLA_FFI_InvokeContext_FindExtension_Args, extension) ==
              32);
static_assert(offsetof(XLA_FFI_CustomOptions_Get_Args, attrs) == 24);
static_assert(offsetof(XLA_FFI_Type_Register_Args, type_info) == 40);
static_assert(offsetof(XLA_FFI_Api, internal_api) == 40);
static_assert(offsetof(XLA_FFI_Api, XLA_FFI_Error_Create) == 48);
static_assert(offsetof(XLA_FFI_Api, XLA_FFI_DeviceOrdinal_Get) == 184);
static_assert(offsetof(XLA_FFI_Api, XLA_FFI_State_Set) == 104);
static_assert(offsetof(XLA_FFI_Api, XLA_FFI_InvokeContext_FindExtension) ==
              192);
static_assert(offsetof(XLA_FFI_Api, XLA_FFI_CustomOptions_Get) == 200);
static_assert(shardwright::pjrt::kCallFrameSize == 168);

TEST(FfiAbi, IsCheckedWhenCompiled) {}

//===- base_layout_test.cc - layout of the basic structs ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/base.h"
#include "shardwright/pjrt_abi/layout_checks.h"

#include "gtest/gtest.h"

// clang-format off
SIZE(PJRT_Extension_Base, 24);
AT(PJRT_Extension_Base, type, 8);
AT(PJRT_Extension_Base, next, 16);

SIZE(PJRT_Api_Version, 24);
AT(PJRT_Api_Version, major_version, 16);
AT(PJRT_Api_Version, minor_version, 20);

SIZE(PJRT_Error_Destroy_Args, 24);
AT(PJRT_Error_Destroy_Args, error, 16);

SIZE(PJRT_Error_Message_Args, 40);
AT(PJRT_Error_Message_Args, error, 16);
AT(PJRT_Error_Message_Args, message, 24);
AT(PJRT_Error_Message_Args, message_size, 32);

SIZE(PJRT_Error_FunctionTable, 56);
AT(PJRT_Error_FunctionTable, instance_size, 8);
AT(PJRT_Error_FunctionTable, extension_start, 16);
AT(PJRT_Error_FunctionTable, destroy, 24);
AT(PJRT_Error_FunctionTable, message, 32);
AT(PJRT_Error_FunctionTable, get_code, 40);
AT(PJRT_Error_FunctionTable, for_each_payload, 48);

SIZE(PJRT_Error, 8);
AT(PJRT_Error, vtable, 0);

SIZE(PJRT_Error_GetCode_Args, 32);
AT(PJRT_Error_GetCode_Args, error, 16);
AT(PJRT_Error_GetCode_Args, code, 24);

SIZE(PJRT_Error_ForEachPayload_Args, 40);
AT(PJRT_Error_ForEachPayload_Args, error, 16);
AT(PJRT_Error_ForEachPayload_Args, visitor, 24);
AT(PJRT_Error_ForEachPayload_Args, user_arg, 32);

SIZE(PJRT_NamedValue, 56);
AT(PJRT_NamedValue, name, 16);
AT(PJRT_NamedValue, name_size, 24);
AT(PJRT_NamedValue, type, 32);
AT(PJRT_NamedValue, string_value, 40);
AT(PJRT_NamedValue, int64_value, 40);
AT(PJRT_NamedValue, int64_array_value, 40);
AT(PJRT_NamedValue, float_value, 40);
AT(PJRT_NamedValue, bool_value, 40);
AT(PJRT_NamedValue, value_size, 48);

SIZE(PJRT_Plugin_Initialize_Args, 16);

SIZE(PJRT_Plugin_Attributes_Args, 32);
AT(PJRT_Plugin_Attributes_Args, attributes, 16);
AT(PJRT_Plugin_Attributes_Args, num_attributes, 24);

SIZE(PJRT_Event_Destroy_Args, 24);
AT(PJRT_Event_Destroy_Args, event, 16);

SIZE(PJRT_Event_IsReady_Args, 32);
AT(PJRT_Event_IsReady_Args, event, 16);
AT(PJRT_Event_IsReady_Args, is_ready, 24);

SIZE(PJRT_Event_Error_Args, 24);
AT(PJRT_Event_Error_Args, event, 16);

SIZE(PJRT_Event_Await_Args, 24);
AT(PJRT_Event_Await_Args, event, 16);

SIZE(PJRT_Event_OnReady_Args, 40);
AT(PJRT_Event_OnReady_Args, event, 16);
AT(PJRT_Event_OnReady_Args, callback, 24);
AT(PJRT_Event_OnReady_Args, user_arg, 32);

SIZE(PJRT_Event_Create_Args, 24);
AT(PJRT_Event_Create_Args, event, 16);

SIZE(PJRT_Event_Set_Args, 48);
AT(PJRT_Event_Set_Args, event, 16);
AT(PJRT_Event_Set_Args, error_code, 24);
AT(PJRT_Event_Set_Args, error_message, 32);
AT(PJRT_Event_Set_Args, error_message_size, 40);

END(PJRT_Error_GetCode_Args, code, 28);
END(PJRT_Event_IsReady_Args, is_ready, 25);
// clang-format on

TEST(PjrtAbi, BaseLayoutIsCheckedWhenCompiled) {}

//===- ffi_extension.cc - registration of FFI handlers --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/ffi.h"
#include "shardwright/pjrt/api/objects.h"
#include "shardwright/pjrt/extensions/extensions.h"
#include "shardwright/pjrt_abi/extensions.h"

using namespace shardwright;
using namespace shardwright::pjrt;

static PJRT_Error *registerType(PJRT_FFI_Type_Register_Args *args) {
  return guarded("FFI_Type_Register", args, [&]() -> PJRT_Error * {
    if (!args->type_name)
      return invalid("the type's name is a null pointer");
    XLA_FFI_TypeInfo info = {sizeof(XLA_FFI_TypeInfo), nullptr,
                             args->type_info ? args->type_info->deleter
                                             : nullptr};
    return toPjrt(ffi::registerFfiType({args->type_name, args->type_name_size},
                                       args->type_id, &info));
  });
}

/// Adds user data for all later runs that get this context.
static PJRT_Error *addUserData(PJRT_FFI_UserData_Add_Args *args) {
  return guarded("FFI_UserData_Add", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(context, args->context, "context");
    auto [type, data] = args->user_data;
    std::lock_guard lock(context->mutex);
    // Runs in flight keep the old copy.
    auto added = context->userData
                     ? std::make_shared<ffi::FfiUserData>(*context->userData)
                     : std::make_shared<ffi::FfiUserData>();
    if (added->find(type))
      return makeError(PJRT_Error_Code_ALREADY_EXISTS,
                       "User data with type id " + llvm::Twine(type) +
                           " already exists in execution context");
    added->byType.push_back({type, data});
    context->userData = std::move(added);
    return nullptr;
  });
}

static PJRT_Error *registerHandler(PJRT_FFI_Register_Handler_Args *args) {
  return guarded("FFI_Register_Handler", args, [&]() -> PJRT_Error * {
    if (!args->target_name)
      return invalid("the target's name is a null pointer");
    XLA_FFI_Handler_Bundle bundle = {};
    bundle.execute = reinterpret_cast<XLA_FFI_Handler>(args->handler);
    return toPjrt(
        ffi::registerFfi({args->target_name, args->target_name_size}, bundle));
  });
}

PJRT_Extension_Base *pjrt::ffiExtension() {
  ffi::offerFfiTargets();
  static PJRT_FFI_Extension extension = {
      {sizeof(PJRT_FFI_Extension), PJRT_Extension_Type_FFI, nullptr},
      registerType,
      addUserData,
      registerHandler};
  return &extension.base;
}

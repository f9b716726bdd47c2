//===- api.cc - functions that FFI handlers call ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/ffi.h"
#include "shardwright/pjrt_abi/error_codes.h"
#include "shardwright/runtime/client.h"

#include <algorithm>
#include <cstdlib>

using namespace shardwright;
using namespace shardwright::ffi;

using llvm::Twine;

static XLA_FFI_Error *error(PJRT_Error_Code code, const Twine &message) {
  return new XLA_FFI_Error{code, message.str()};
}

/// Converts `e` to an error with the code that its text begins with.
static XLA_FFI_Error *toFfi(llvm::Error e) {
  if (!e)
    return nullptr;
  std::string text = llvm::toString(std::move(e));
  if (std::optional<pjrt::CodedText> found = pjrt::findCode(text))
    return error(found->code, found->message);
  return error(PJRT_Error_Code_INTERNAL, text);
}

llvm::Error ffi::fromFfi(XLA_FFI_Error *given) {
  if (!given)
    return llvm::Error::success();
  std::string text =
      (pjrt::codeName(PJRT_Error_Code(given->code)) + ": " + given->message)
          .str();
  delete given;
  return llvm::createStringError(text);
}

ffi::FfiState::~FfiState() {
  if (object)
    if (auto *deleter = ffiDeleter(type))
      deleter(object);
}

/// These arguments had no stage in API 0.2 and older.
static bool hasStage(const XLA_FFI_State_Args *args) {
  return args->struct_size >= sizeof(XLA_FFI_State_Args);
}

namespace {
struct StateRequest {
  XLA_FFI_ExecutionStage stage = XLA_FFI_ExecutionStage_INSTANTIATE;
  XLA_FFI_TypeId *type;
  void **state;
};
} // namespace

static StateRequest read(XLA_FFI_State_Args *args) {
  if (hasStage(args))
    return {args->stage, args->type_id, &args->state};
  auto **fields = reinterpret_cast<void **>(args);
  return {XLA_FFI_ExecutionStage_INSTANTIATE,
          static_cast<XLA_FFI_TypeId *>(fields[3]), &fields[4]};
}

static XLA_FFI_Error *findState(XLA_FFI_ExecutionContext *context,
                                const StateRequest &request, FfiState *&state) {
  if (!request.type)
    return error(PJRT_Error_Code_INVALID_ARGUMENT, "Type id must be not null");
  state = context && request.stage >= 0 && request.stage < 3
              ? context->states[request.stage]
              : nullptr;
  return nullptr;
}

static XLA_FFI_Error *setState(XLA_FFI_State_Args *args) {
  StateRequest request = read(args);
  FfiState *state = nullptr;
  if (XLA_FFI_Error *e = findState(args->ctx, request, state))
    return e;
  if (!state)
    return error(PJRT_Error_Code_FAILED_PRECONDITION,
                 "this stage of a call has no state");
  if (!*request.state)
    return error(PJRT_Error_Code_INVALID_ARGUMENT, "State must be not null");
  if (state->object)
    return error(PJRT_Error_Code_FAILED_PRECONDITION,
                 "State is already set with a type id " + Twine(state->type));
  if (!isFfiType(request.type->type_id))
    return error(PJRT_Error_Code_INTERNAL,
                 "Type id " + Twine(request.type->type_id) +
                     " is not registered with a static registry");
  if (!ffiDeleter(request.type->type_id))
    return error(PJRT_Error_Code_INVALID_ARGUMENT,
                 "Type info must have a deleter");
  state->type = request.type->type_id;
  state->object = *request.state;
  return nullptr;
}

static XLA_FFI_Error *getState(XLA_FFI_State_Args *args) {
  StateRequest request = read(args);
  FfiState *state = nullptr;
  if (XLA_FFI_Error *e = findState(args->ctx, request, state))
    return e;
  if (!state || !state->object)
    return error(PJRT_Error_Code_NOT_FOUND, "State is not set");
  if (state->type != request.type->type_id)
    return error(PJRT_Error_Code_INVALID_ARGUMENT,
                 "Set state type id " + Twine(state->type) +
                     " does not match the requested one " +
                     Twine(request.type->type_id));
  *request.state = state->object;
  return nullptr;
}

static XLA_FFI_Error *registerHandler(XLA_FFI_Handler_Register_Args *args) {
  llvm::StringRef platform(args->platform.ptr, args->platform.len);
  if (!platform.equals_insensitive("host") &&
      !platform.equals_insensitive("cpu") &&
      !platform.equals_insensitive("shardwright"))
    return error(PJRT_Error_Code_INVALID_ARGUMENT,
                 "there is no platform '" + platform + "' here");
  // The fields after `execute` depend on the version of the caller's headers.
  // A CPU needs none of them: `record`, and traits for command buffers of GPUs.
  XLA_FFI_Handler_Bundle bundle = {
      args->bundle.instantiate, args->bundle.prepare, args->bundle.initialize,
      args->bundle.execute, nullptr};
  return toFfi(registerFfi({args->name.ptr, args->name.len}, bundle));
}

static XLA_FFI_Error *registerType(XLA_FFI_Type_Register_Args *args) {
  if (!args->type_id)
    return error(PJRT_Error_Code_INVALID_ARGUMENT, "Type id must be not null");
  return toFfi(registerFfiType({args->name.ptr, args->name.len},
                               args->type_id->type_id, args->type_info));
}

static void finish(XLA_FFI_Future *future, XLA_FFI_Error *why) {
  // A waiter may free the future as soon as the lock is released.
  std::lock_guard lock(future->mutex);
  future->isSet = true;
  future->error = why;
  future->changed.notify_all();
}

/// Calls `function` if the caller's struct has all fields that it reads: at
/// least `least` bytes, as in the oldest headers that are supported.
template <auto function, size_t least, typename Args>
static XLA_FFI_Error *sized(Args *args, const char *name) {
  if (args && args->struct_size >= least)
    return function(args);
  return error(PJRT_Error_Code_INVALID_ARGUMENT,
               "Unexpected " + Twine(name) + " size: expected " + Twine(least) +
                   ", got " + Twine(args ? args->struct_size : 0) +
                   ". Check installed software versions. The framework XLA "
                   "FFI API version is 0." +
                   Twine(pjrt::kFfiMinorVersion) + ".");
}
#define SIZED(function, least, Args)                                           \
  [](Args *args) { return sized<function, least>(args, #Args); }

static XLA_FFI_Error *createError(XLA_FFI_Error_Create_Args *args) {
  return error(PJRT_Error_Code(args->errc), args->message ? args->message : "");
}

static XLA_FFI_Error *noStream(XLA_FFI_Stream_Get_Args *) {
  return error(PJRT_Error_Code_UNIMPLEMENTED,
               "XLA FFI GPU context is not available");
}

const std::pair<int64_t, void *> *FfiUserData::find(int64_t type) const {
  for (const auto &entry : byType)
    if (entry.first == type)
      return &entry;
  return nullptr;
}

static XLA_FFI_Error *getUserData(XLA_FFI_ExecutionContext_Get_Args *args) {
  if (!args->type_id)
    return error(PJRT_Error_Code_INVALID_ARGUMENT, "Type id must be not null");
  int64_t type = args->type_id->type_id;
  const FfiUserData *data = args->ctx ? args->ctx->userData : nullptr;
  const auto *found = data ? data->find(type) : nullptr;
  if (!found)
    return error(PJRT_Error_Code_NOT_FOUND,
                 "User data with type id " + Twine(type) +
                     " not found in execution context");
  args->data = found->second;
  return nullptr;
}

static XLA_FFI_Error *allocate(XLA_FFI_DeviceMemory_Allocate_Args *args) {
  size_t alignment = std::max<size_t>(args->alignment, 64);
  if (alignment & (alignment - 1))
    return error(PJRT_Error_Code_INVALID_ARGUMENT,
                 "the alignment is no power of two");
  size_t size = (args->size + alignment - 1) & ~(alignment - 1);
  args->data = size < args->size
                   ? nullptr
                   : std::aligned_alloc(alignment, std::max(size, alignment));
  if (!args->data)
    return error(PJRT_Error_Code_RESOURCE_EXHAUSTED, "not enough memory for " +
                                                         Twine(args->size) +
                                                         " bytes of scratch");
  return nullptr;
}

static XLA_FFI_Error *release(XLA_FFI_DeviceMemory_Free_Args *args) {
  std::free(args->data);
  return nullptr;
}

static std::atomic<cpu::ThreadPool *> chosenThreads = nullptr;

void ffi::useFfiThreads(cpu::ThreadPool &pool) { chosenThreads = &pool; }

static cpu::ThreadPool &threads() {
  cpu::ThreadPool *chosen = chosenThreads;
  return chosen ? *chosen : Client::shared().pool();
}

static XLA_FFI_Error *schedule(XLA_FFI_ThreadPool_Schedule_Args *args) {
  // Run on a pool thread, because the scheduling handler may wait for the task.
  if (threads().size() < 2)
    args->task(args->data);
  else
    threads().submit([task = args->task, data = args->data] { task(data); });
  return nullptr;
}

static XLA_FFI_Error *countThreads(XLA_FFI_ThreadPool_NumThreads_Args *args) {
  *args->num_threads = threads().size();
  return nullptr;
}

static XLA_FFI_Error *createFuture(XLA_FFI_Future_Create_Args *args) {
  args->future = new XLA_FFI_Future();
  return nullptr;
}

static XLA_FFI_Error *setAvailable(XLA_FFI_Future_SetAvailable_Args *args) {
  finish(args->future, nullptr);
  return nullptr;
}

static XLA_FFI_Error *setError(XLA_FFI_Future_SetError_Args *args) {
  if (!args->error || args->error->code == 0)
    return error(PJRT_Error_Code_INVALID_ARGUMENT,
                 "Error must not be null or OK");
  finish(args->future, args->error);
  return nullptr;
}

static XLA_FFI_Error *getRunId(XLA_FFI_RunId_Get_Args *args) {
  args->run_id = args->ctx ? args->ctx->runId : 0;
  return nullptr;
}

static XLA_FFI_Error *getDevice(XLA_FFI_DeviceOrdinal_Get_Args *args) {
  args->device_ordinal = args->ctx ? args->ctx->device : -1;
  return nullptr;
}

/// This host attaches no extensions, and that is no error.
static XLA_FFI_Error *
findExtension(XLA_FFI_InvokeContext_FindExtension_Args *args) {
  args->extension = nullptr;
  return nullptr;
}

static XLA_FFI_Error *getCustomOptions(XLA_FFI_CustomOptions_Get_Args *args) {
  static const XLA_FFI_Attrs none = {sizeof(XLA_FFI_Attrs)};
  const XLA_FFI_Attrs *given = args->ctx ? args->ctx->customOptions : nullptr;
  args->attrs = given ? given : &none;
  return nullptr;
}

static void getDetails(XLA_FFI_Error_GetDetails_Args *args) {
  args->message = args->error ? args->error->message.c_str() : "";
  if (args->struct_size >=
      offsetof(XLA_FFI_Error_GetDetails_Args, errc) + sizeof(args->errc))
    args->errc = args->error ? args->error->code : 0;
}

const XLA_FFI_Api *ffi::ffiApi() {
  // Arguments of states may be those of API 0.2, which had 40 bytes; those of
  // registrations those of API 0.3, without `record`.
  static const XLA_FFI_Api api = {
      sizeof(XLA_FFI_Api),
      nullptr,
      {sizeof(XLA_FFI_Api_Version), nullptr, 0, pjrt::kFfiMinorVersion},
      nullptr,
      SIZED(createError, 28, XLA_FFI_Error_Create_Args),
      getDetails,
      [](XLA_FFI_Error_Destroy_Args *args) { delete args->error; },
      SIZED(registerHandler, 84, XLA_FFI_Handler_Register_Args),
      SIZED(noStream, 32, XLA_FFI_Stream_Get_Args),
      SIZED(registerType, 40, XLA_FFI_Type_Register_Args),
      SIZED(getUserData, 40, XLA_FFI_ExecutionContext_Get_Args),
      SIZED(setState, 40, XLA_FFI_State_Args),
      SIZED(getState, 40, XLA_FFI_State_Args),
      SIZED(allocate, 48, XLA_FFI_DeviceMemory_Allocate_Args),
      SIZED(release, 40, XLA_FFI_DeviceMemory_Free_Args),
      SIZED(schedule, 40, XLA_FFI_ThreadPool_Schedule_Args),
      SIZED(countThreads, 32, XLA_FFI_ThreadPool_NumThreads_Args),
      SIZED(createFuture, 16, XLA_FFI_Future_Create_Args),
      SIZED(setAvailable, 24, XLA_FFI_Future_SetAvailable_Args),
      SIZED(setError, 32, XLA_FFI_Future_SetError_Args),
      SIZED(getRunId, 32, XLA_FFI_RunId_Get_Args),
      SIZED(getDevice, 28, XLA_FFI_DeviceOrdinal_Get_Args),
      SIZED(findExtension, 40, XLA_FFI_InvokeContext_FindExtension_Args),
      SIZED(getCustomOptions, 32, XLA_FFI_CustomOptions_Get_Args),
  };
  return &api;
}

//===- profiler_extension.cc - reports runs to profilers ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/run_recorder.h"
#include "shardwright/pjrt/extensions/extensions.h"
#include "shardwright/pjrt_abi/extensions.h"
#include "shardwright/pjrt_abi/profiler.h"

using namespace shardwright;
using namespace shardwright::pjrt;

struct PLUGIN_Profiler {
  RunRecorder recorder;
  /// The data of the last collection.
  std::mutex mutex;
  std::string space;
};

/// Profiler errors are the plugin's errors.
static PLUGIN_Profiler_Error *asProfilerError(PJRT_Error *error) {
  return reinterpret_cast<PLUGIN_Profiler_Error *>(error);
}
static const Failure *asFailure(const PLUGIN_Profiler_Error *error) {
  return static_cast<const Failure *>(
      reinterpret_cast<const PJRT_Error *>(error));
}

static void destroyError(PLUGIN_Profiler_Error_Destroy_Args *args) {
  if (args)
    delete asFailure(args->error);
}

static void messageOf(PLUGIN_Profiler_Error_Message_Args *args) {
  if (!args)
    return;
  const Failure *failure = asFailure(args->error);
  args->message = failure ? failure->message.data() : "";
  args->message_size = failure ? failure->message.size() : 0;
}

static PLUGIN_Profiler_Error *codeOf(PLUGIN_Profiler_Error_GetCode_Args *args) {
  if (args)
    args->code = args->error ? asFailure(args->error)->code : 0;
  return nullptr;
}

/// Like `guarded`, but without checking struct_size, which jaxlib 0.10.2 leaves
/// unset: the arguments have never changed.
template <typename Args, typename Body>
static PLUGIN_Profiler_Error *profilerCall(const char *name, Args *args,
                                           Body body) {
  if (!args)
    return asProfilerError(
        invalid(llvm::Twine(name) + ": the arguments are a null pointer"));
  try {
    return asProfilerError(body());
  } catch (const std::exception &e) {
    return asProfilerError(makeError(PJRT_Error_Code_INTERNAL,
                                     llvm::Twine(name) + ": " + e.what()));
  }
}

static PLUGIN_Profiler_Error *create(PLUGIN_Profiler_Create_Args *args) {
  return profilerCall("Profiler_Create", args, [&]() -> PJRT_Error * {
    args->profiler =
        handles<PLUGIN_Profiler>().add(std::make_shared<PLUGIN_Profiler>());
    return nullptr;
  });
}

static PLUGIN_Profiler_Error *destroy(PLUGIN_Profiler_Args *args) {
  return profilerCall("Profiler_Destroy", args, [&]() -> PJRT_Error * {
    if (args->profiler && !handles<PLUGIN_Profiler>().remove(args->profiler))
      return invalid("the profiler has been destroyed already");
    return nullptr;
  });
}

static PLUGIN_Profiler_Error *start(PLUGIN_Profiler_Args *args) {
  return profilerCall("Profiler_Start", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(profiler, args->profiler, "profiler");
    profiler->recorder.start();
    return nullptr;
  });
}

static PLUGIN_Profiler_Error *stop(PLUGIN_Profiler_Args *args) {
  return profilerCall("Profiler_Stop", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(profiler, args->profiler, "profiler");
    profiler->recorder.stop();
    return nullptr;
  });
}

static PLUGIN_Profiler_Error *collect(PLUGIN_Profiler_CollectData_Args *args) {
  return profilerCall("Profiler_CollectData", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(profiler, args->profiler, "profiler");
    std::lock_guard lock(profiler->mutex);
    profiler->space = toXSpace(profiler->recorder.runs());
    // The client reads this memory, which lives as long as the profiler.
    args->buffer = reinterpret_cast<uint8_t *>(profiler->space.data());
    args->buffer_size_in_bytes = profiler->space.size();
    return nullptr;
  });
}

PJRT_Extension_Base *pjrt::profilerExtension() {
  static PLUGIN_Profiler_Api api = {sizeof(PLUGIN_Profiler_Api),
                                    nullptr,
                                    destroyError,
                                    messageOf,
                                    codeOf,
                                    create,
                                    destroy,
                                    start,
                                    stop,
                                    collect};
  static PJRT_Profiler_Extension extension = {
      {sizeof(PJRT_Profiler_Extension), PJRT_Extension_Type_Profiler, nullptr},
      &api,
      /*traceme_context_id=*/0};
  return &extension.base;
}

//===- profiler.h - the profiler of an extension ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table that PJRT_Profiler_Extension::profiler_api points to. Its naming
// differs: functions like Create have no second word, the error functions do.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_ABI_PROFILER_H
#define SHARDWRIGHT_PJRT_ABI_PROFILER_H

#include <cstddef>
#include <cstdint>

extern "C" {

struct PLUGIN_Profiler;
struct PLUGIN_Profiler_Error;

struct PLUGIN_Profiler_Error_Destroy_Args {
  size_t struct_size;
  void *priv;
  PLUGIN_Profiler_Error *error;
};

struct PLUGIN_Profiler_Error_Message_Args {
  size_t struct_size;
  void *priv;
  const PLUGIN_Profiler_Error *error;
  const char *message;
  size_t message_size;
};

struct PLUGIN_Profiler_Error_GetCode_Args {
  size_t struct_size;
  void *priv;
  const PLUGIN_Profiler_Error *error;
  int code;
};

struct PLUGIN_Profiler_Create_Args {
  size_t struct_size;
  const char *options; ///< tensorflow.ProfileOptions
  size_t options_size;
  PLUGIN_Profiler *profiler;
};

/// Arguments of destroy, start and stop.
struct PLUGIN_Profiler_Args {
  size_t struct_size;
  PLUGIN_Profiler *profiler;
};

/// The profiler owns the buffer, which lives as long as the profiler.
struct PLUGIN_Profiler_CollectData_Args {
  size_t struct_size;
  PLUGIN_Profiler *profiler;
  uint8_t *buffer;             ///< out, tensorflow.profiler.XSpace
  size_t buffer_size_in_bytes; ///< out
};

struct PLUGIN_Profiler_Api {
  size_t struct_size;
  void *priv;
  void (*error_destroy)(PLUGIN_Profiler_Error_Destroy_Args *);
  void (*error_message)(PLUGIN_Profiler_Error_Message_Args *);
  PLUGIN_Profiler_Error *(*error_get_code)(
      PLUGIN_Profiler_Error_GetCode_Args *);
  PLUGIN_Profiler_Error *(*create)(PLUGIN_Profiler_Create_Args *);
  PLUGIN_Profiler_Error *(*destroy)(PLUGIN_Profiler_Args *);
  PLUGIN_Profiler_Error *(*start)(PLUGIN_Profiler_Args *);
  PLUGIN_Profiler_Error *(*stop)(PLUGIN_Profiler_Args *);
  PLUGIN_Profiler_Error *(*collect_data)(PLUGIN_Profiler_CollectData_Args *);
};

} // extern "C"

#endif // SHARDWRIGHT_PJRT_ABI_PROFILER_H

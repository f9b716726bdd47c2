//===- shardings_extension.cc - the shardings that were chosen ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/program.h"
#include "shardwright/pjrt/extensions/extensions.h"
#include "shardwright/pjrt_abi/extensions.h"

using namespace shardwright;
using namespace shardwright::pjrt;

static PJRT_Error *parameterShardings(
    PJRT_Shardings_PJRT_Executable_ParameterShardings_Args *args) {
  return guarded("Executable_ParameterShardings", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(executable, args->executable, "executable");
    const StringTable &table = executable->program->parameterShardings;
    args->num_parameters = table.texts.size();
    args->shardings = table.pointers.data();
    args->sharding_sizes = table.sizes.data();
    return nullptr;
  });
}

static PJRT_Error *
outputShardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args *args) {
  return guarded("Executable_OutputShardings", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(executable, args->executable, "executable");
    const StringTable &table = executable->program->outputShardings;
    args->num_outputs = table.texts.size();
    args->shardings = table.pointers.data();
    args->sharding_sizes = table.sizes.data();
    return nullptr;
  });
}

PJRT_Extension_Base *pjrt::shardingsExtension() {
  static PJRT_Shardings_Extension extension = {
      {sizeof(PJRT_Shardings_Extension), PJRT_Extension_Type_Shardings,
       nullptr},
      parameterShardings,
      outputShardings};
  return &extension.base;
}

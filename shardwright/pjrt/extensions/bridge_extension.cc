//===- bridge_extension.cc - extension for our Python package -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/ffi.h"
#include "shardwright/mesh/nesting.h"
#include "shardwright/pjrt/api/inspect.h"
#include "shardwright/pjrt/api/region_query.h"
#include "shardwright/pjrt/base/status.h"
#include "shardwright/pjrt/extensions/extensions.h"
#include "shardwright/pjrt_abi/bridge.h"

#include "llvm/ADT/StringSwitch.h"

using namespace shardwright;
using namespace shardwright::pjrt;

static PJRT_Error *inspect(Shardwright_Inspect_Args *args) {
  return guarded("Shardwright_Inspect", args, [&]() -> PJRT_Error * {
    if (!args->what || (args->request_size && !args->request) ||
        (args->code_size && !args->code))
      return invalid("the question or the program is a null pointer");
    if (findJsonNestingExcess({args->request, args->request_size}))
      return invalid("the JSON nests deeper than the limit of " +
                     std::to_string(maxJsonNesting) + " brackets");
    auto request = llvm::json::parse({args->request, args->request_size});
    if (!request)
      return toPjrt(request.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    const llvm::json::Object *fields = request->getAsObject();
    llvm::StringRef what = args->what, code(args->code, args->code_size);
    auto *query = llvm::StringSwitch<decltype(&inspectPartition)>(what)
                      .Case("partition", inspectPartition)
                      .Case("explain", inspectShardings)
                      .Case("report", inspectReport)
                      .Case("region", regionForm)
                      .Case("auto", inspectAuto)
                      .Default(nullptr);
    if (!fields || !query)
      return invalid(
          "expected 'partition', 'explain', 'report', 'region' or 'auto' with "
          "a JSON object");
    auto answer = query(code, *fields);
    if (!answer)
      return toPjrt(answer.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    auto *text = new std::string();
    llvm::raw_string_ostream(*text) << llvm::json::Value(std::move(*answer));
    args->answer = text->data();
    args->answer_size = text->size();
    args->holder = text;
    return nullptr;
  });
}

static void freeAnswer(void *holder) {
  delete static_cast<std::string *>(holder);
}

PJRT_Extension_Base *pjrt::bridgeExtension() {
  static Shardwright_Extension extension = {
      {sizeof(Shardwright_Extension),
       PJRT_Extension_Type(Shardwright_Extension_Type), nullptr},
      4,
      setHostCallback,
      [](const char *name, size_t size, void *const handlers[4],
         uint32_t /*traits: of GPUs*/) {
        auto handler = [&](int stage) {
          return reinterpret_cast<XLA_FFI_Handler>(handlers[stage]);
        };
        return toPjrt(
            ffi::registerFfi({name, size}, {handler(0), handler(1), handler(2),
                                            handler(3), nullptr}));
      },
      [](const char *name, size_t size, void *function) {
        return toPjrt(ffi::registerUntyped({name, size}, function));
      },
      [](const char *name, size_t size, int64_t *id, const void *info) {
        return toPjrt(ffi::registerFfiType(
            {name, size}, *id, static_cast<const XLA_FFI_TypeInfo *>(info)));
      },
      inspect,
      freeAnswer};
  return &extension.base;
}

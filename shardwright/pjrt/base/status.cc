//===- status.cc - errors of the PJRT interface ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/base/status.h"
#include "shardwright/pjrt/base/client_texts.h"
#include "shardwright/pjrt/base/slots.h"

#include "llvm/ADT/StringRef.h"

using namespace shardwright;
using namespace shardwright::pjrt;

static void describe(const PJRT_Error *error, const char **message,
                     size_t *size) {
  const auto *failure = static_cast<const Failure *>(error);
  *message = failure ? failure->message.data() : "";
  *size = failure ? failure->message.size() : 0;
}

static const PJRT_Error_FunctionTable functionTable = {
    sizeof(PJRT_Error_FunctionTable),
    sizeof(Failure),
    nullptr,
    [](PJRT_Error *error) { delete static_cast<Failure *>(error); },
    describe,
    [](const PJRT_Error *error) {
      return static_cast<const Failure *>(error)->code;
    },
    [](const PJRT_Error *, PJRT_Error_PayloadVisitor, void *) {},
};

PJRT_Error *pjrt::makeError(PJRT_Error_Code code, const llvm::Twine &message) {
  auto *failure = new Failure();
  failure->vtable = &functionTable;
  failure->code = code;
  failure->message = message.str();
  return failure;
}

std::string pjrt::textWithCode(PJRT_Error_Code code, llvm::StringRef message) {
  return (codeName(code) + ": " + message).str();
}

PJRT_Error *pjrt::errorFromText(llvm::StringRef original,
                                PJRT_Error_Code otherwise) {
  if (original.empty())
    return nullptr;
  std::string text = inWordsOfXla(original);
  if (std::optional<CodedText> found = findCode(text))
    return makeError(found->code, found->message);
  return makeError(otherwise, text);
}

PJRT_Error *pjrt::toPjrt(llvm::Error error, PJRT_Error_Code otherwise) {
  if (!error)
    return nullptr;
  std::string text = llvm::toString(std::move(error));
  return errorFromText(text.empty() ? "failed without saying why" : text,
                       otherwise);
}

void pjrt::Error_Destroy(PJRT_Error_Destroy_Args *args) {
  if (args)
    delete static_cast<Failure *>(args->error);
}

void pjrt::Error_Message(PJRT_Error_Message_Args *args) {
  if (args)
    describe(args->error, &args->message, &args->message_size);
}

// These two cannot fail: a client calls them to examine a failure.
PJRT_Error *pjrt::Error_GetCode(PJRT_Error_GetCode_Args *args) {
  if (args)
    args->code = args->error ? static_cast<const Failure *>(args->error)->code
                             : PJRT_Error_Code_OK;
  return nullptr;
}

PJRT_Error *pjrt::Error_ForEachPayload(PJRT_Error_ForEachPayload_Args *) {
  return nullptr;
}

//===- untyped_call.cc - calls of the APIs before typed FFI -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/buffers.h"
#include "shardwright/ffi/call.h"

using namespace shardwright;
using namespace shardwright::ffi;

/// Opaque to functions. jaxlib does not export the functions that set it, so
/// functions compiled against its headers never fail.
struct XlaCustomCallStatus {
  std::string message;
};

namespace {
using Original = void (*)(void *out, const void **in);
using StatusReturning = void (*)(void *out, const void **in,
                                 XlaCustomCallStatus *status);
using Unified = void (*)(void *out, const void **in, const char *opaque,
                         size_t opaqueSize, XlaCustomCallStatus *status);
} // namespace

llvm::Expected<CustomCallFunction>
ffi::makeUntypedCall(void *function, const cpu::LibraryCall &site) {
  int64_t version = apiVersionOf(site);
  if (version < 1 || version > 3)
    return llvm::createStringError(
        "INVALID_ARGUMENT: Unknown custom-call API version enum value: " +
        llvm::Twine(version) +
        (version == 0 ? " (API_VERSION_UNSPECIFIED)" : ""));
  const cpu::LibraryAttribute *opaque = cpu::find(site, "backend_config");
  std::string config = opaque ? opaque->text : "";
  return [=](const CustomCall &call) -> llvm::Error {
    FfiBuffers operands(call.operands, call.operandTokens);
    FfiBuffers results(call.results, call.resultTokens, &operands);
    for (const FfiBuffers *side : {&operands, &results})
      if (llvm::Error e = side->check())
        return e;
    operands.pack();
    llvm::SmallVector<const void *, 8> in;
    llvm::SmallVector<void *, 8> out;
    for (XLA_FFI_Buffer &buffer : operands.buffers())
      in.push_back(buffer.data);
    for (XLA_FFI_Buffer &buffer : results.buffers())
      out.push_back(buffer.data);
    // A single result is passed directly, several results as an array.
    void *made = out.size() == 1 ? out.front() : out.data();
    XlaCustomCallStatus status;
    if (version == 1)
      reinterpret_cast<Original>(function)(made, in.data());
    else if (version == 2)
      reinterpret_cast<StatusReturning>(function)(made, in.data(), &status);
    else
      reinterpret_cast<Unified>(function)(made, in.data(), config.data(),
                                          config.size(), &status);
    if (!status.message.empty())
      return llvm::createStringError("INTERNAL: " + status.message);
    results.unpack();
    return llvm::Error::success();
  };
}

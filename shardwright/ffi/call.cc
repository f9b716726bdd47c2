//===- call.cc - calls of FFI handlers --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/call.h"

#include "shardwright/ffi/attributes.h"
#include "shardwright/ffi/buffers.h"
#include "shardwright/ffi/run_data.h"

#include <exception>

using namespace shardwright;
using namespace shardwright::ffi;

namespace {

/// One call site of a target: its attributes, and the state that lives as long
/// as the executable.
struct CallSite {
  XLA_FFI_Handler_Bundle bundle;
  FfiAttributes attributes;
  FfiState instantiated;
};

} // namespace

/// Calls a handler, and waits for its asynchronous work.
static llvm::Error call(XLA_FFI_Handler handler, XLA_FFI_CallFrame &frame) {
  XLA_FFI_Error *failed = nullptr;
  frame.future = nullptr;
  try {
    failed = handler(&frame);
  } catch (const std::exception &e) {
    return llvm::createStringError(
        llvm::Twine("UNKNOWN: XLA FFI call failed: ") + e.what());
  } catch (...) {
    return llvm::createStringError(
        "UNKNOWN: XLA FFI call failed: the handler threw an exception that is "
        "not derived from std::exception");
  }
  if (failed)
    return fromFfi(failed);
  if (!frame.future)
    return llvm::Error::success();
  {
    std::unique_lock lock(frame.future->mutex);
    frame.future->changed.wait(lock, [&] { return frame.future->isSet; });
    failed = frame.future->error;
  }
  delete frame.future;
  return fromFfi(failed);
}

static XLA_FFI_CallFrame makeFrame(XLA_FFI_ExecutionStage stage,
                                   XLA_FFI_ExecutionContext *context) {
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = pjrt::kCallFrameSize;
  frame.api = ffiApi();
  frame.ctx = context;
  frame.stage = stage;
  frame.args.struct_size = sizeof(XLA_FFI_Args);
  frame.rets.struct_size = sizeof(XLA_FFI_Rets);
  frame.attrs.struct_size = sizeof(XLA_FFI_Attrs);
  return frame;
}

llvm::Error ffi::queryFfi(XLA_FFI_Handler handler, XLA_FFI_Metadata &metadata) {
  metadata = {};
  metadata.struct_size = offsetof(XLA_FFI_Metadata, state_type_id) - 4;
  metadata.api_version.struct_size = sizeof(XLA_FFI_Api_Version);
  XLA_FFI_Metadata_Extension extension = {
      {sizeof(XLA_FFI_Metadata_Extension), XLA_FFI_Extension_Metadata, nullptr},
      &metadata};
  XLA_FFI_CallFrame frame = makeFrame(XLA_FFI_ExecutionStage_EXECUTE, nullptr);
  frame.extension_start = &extension.extension_base;
  return call(handler, frame);
}

static llvm::Error run(CallSite &site, const CustomCall &given) {
  FfiState prepared, initialized;
  XLA_FFI_ExecutionContext context;
  context.device = given.device;
  context.runId = given.run.id;
  if (auto *data = static_cast<const FfiRunData *>(given.run.data.get())) {
    context.userData = data->userData.get();
    context.customOptions = data->options.get();
  }
  context.states[0] = &site.instantiated;
  context.states[1] = &prepared;
  context.states[2] = &initialized;
  FfiBuffers operands(given.operands, given.operandTokens);
  FfiBuffers results(given.results, given.resultTokens, &operands);
  for (const FfiBuffers *side : {&operands, &results})
    if (llvm::Error e = side->check())
      return e;
  operands.pack();
  for (auto [stage, handler] :
       {std::pair(XLA_FFI_ExecutionStage_PREPARE, site.bundle.prepare),
        std::pair(XLA_FFI_ExecutionStage_INITIALIZE, site.bundle.initialize),
        std::pair(XLA_FFI_ExecutionStage_EXECUTE, site.bundle.execute)}) {
    if (!handler)
      continue;
    XLA_FFI_CallFrame frame = makeFrame(stage, &context);
    frame.args = operands.args();
    frame.rets = results.rets();
    frame.attrs = site.attributes.view();
    if (llvm::Error e = call(handler, frame))
      return e;
  }
  results.unpack();
  return llvm::Error::success();
}

llvm::Expected<CustomCallFunction>
ffi::makeTypedCall(const XLA_FFI_Handler_Bundle &bundle,
                   const cpu::LibraryCall &given) {
  auto site = std::make_shared<CallSite>();
  site->bundle = bundle;
  if (llvm::Error e = site->attributes.set(given.attributes))
    return e;
  if (bundle.instantiate) {
    XLA_FFI_ExecutionContext context;
    context.states[0] = &site->instantiated;
    XLA_FFI_CallFrame frame =
        makeFrame(XLA_FFI_ExecutionStage_INSTANTIATE, &context);
    frame.attrs = site->attributes.view();
    if (llvm::Error e = call(bundle.instantiate, frame))
      return e;
  }
  return [site](const CustomCall &given) { return run(*site, given); };
}

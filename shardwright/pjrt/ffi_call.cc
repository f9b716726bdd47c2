//===- ffi_call.cc - calls of foreign functions ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/ffi.h"
#include "shardwright/pjrt/ffi_attributes.h"
#include "shardwright/runtime/custom_call.h"

#include <exception>

using namespace shardwright;
using namespace shardwright::pjrt;

/// xla.PrimitiveType; none for those that handlers get packed, which our
/// buffers are not.
static std::optional<int> ffiType(ElementType type) {
  switch (type) {
  case ElementType::Pred:
    return 1;
  case ElementType::S8:
    return 2;
  case ElementType::S16:
    return 3;
  case ElementType::S32:
    return 4;
  case ElementType::S64:
    return 5;
  case ElementType::U8:
    return 6;
  case ElementType::U16:
    return 7;
  case ElementType::U32:
    return 8;
  case ElementType::U64:
    return 9;
  case ElementType::F16:
    return 10;
  case ElementType::F32:
    return 11;
  case ElementType::F64:
    return 12;
  case ElementType::C64:
    return 15;
  case ElementType::BF16:
    return 16;
  case ElementType::C128:
    return 18;
  case ElementType::F8E5M2:
    return 19;
  case ElementType::F8E4M3FN:
    return 20;
  case ElementType::F8E4M3B11FNUZ:
    return 23;
  case ElementType::F8E5M2FNUZ:
    return 24;
  case ElementType::F8E4M3FNUZ:
    return 25;
  case ElementType::F8E4M3:
    return 28;
  case ElementType::F8E3M4:
    return 29;
  case ElementType::F8E8M0FNU:
    return 33;
  default:
    return std::nullopt;
  }
}

namespace {

/// The buffers of one side of a call, as handlers see them.
class BufferList {
public:
  BufferList(llvm::ArrayRef<CustomCallBuffer> buffers, bool isEmpty) {
    if (isEmpty)
      return;
    list.reserve(buffers.size());
    for (const CustomCallBuffer &buffer : buffers) {
      std::optional<int> type = ffiType(buffer.type);
      if (!type && !problem)
        problem = buffer.type;
      list.push_back({sizeof(XLA_FFI_Buffer), nullptr, type.value_or(0),
                      buffer.data, int64_t(buffer.shape.size()),
                      const_cast<int64_t *>(buffer.shape.data())});
    }
    for (XLA_FFI_Buffer &buffer : list) {
      pointers.push_back(&buffer);
      types.push_back(XLA_FFI_ArgType_BUFFER);
    }
  }
  std::vector<XLA_FFI_Buffer> list;
  std::vector<void *> pointers;
  std::vector<int> types;
  std::optional<ElementType> problem;
};

/// One call site of a target: its attributes, and the state that lives as long
/// as the executable.
struct CallSite {
  XLA_FFI_Handler_Bundle bundle;
  FfiAttributes attributes;
  FfiState instantiated;
};

} // namespace

/// Calls a handler and waits for what it leaves running.
static llvm::Error call(XLA_FFI_Handler handler, XLA_FFI_CallFrame &frame) {
  XLA_FFI_Error *failed = nullptr;
  frame.future = nullptr;
  try {
    failed = handler(&frame);
  } catch (const std::exception &e) {
    return llvm::createStringError(
        llvm::Twine("UNKNOWN: XLA FFI call failed: ") + e.what());
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
  frame.struct_size = kCallFrameSize;
  frame.api = ffiApi();
  frame.ctx = context;
  frame.stage = stage;
  frame.args.struct_size = sizeof(XLA_FFI_Args);
  frame.rets.struct_size = sizeof(XLA_FFI_Rets);
  frame.attrs.struct_size = sizeof(XLA_FFI_Attrs);
  return frame;
}

llvm::Error pjrt::queryFfi(XLA_FFI_Handler handler,
                           XLA_FFI_Metadata &metadata) {
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
  context.device = given.partition;
  context.states[0] = &site.instantiated;
  context.states[1] = &prepared;
  context.states[2] = &initialized;
  BufferList operands(given.operands, false), results(given.results, false);
  for (const BufferList *list : {&operands, &results})
    if (list->problem)
      return llvm::createStringError(
          "UNIMPLEMENTED: arrays of " + str(*list->problem) +
          " as operands or results of foreign functions are not supported");
  for (auto [stage, handler] :
       {std::pair(XLA_FFI_ExecutionStage_PREPARE, site.bundle.prepare),
        std::pair(XLA_FFI_ExecutionStage_INITIALIZE, site.bundle.initialize),
        std::pair(XLA_FFI_ExecutionStage_EXECUTE, site.bundle.execute)}) {
    if (!handler)
      continue;
    XLA_FFI_CallFrame frame = makeFrame(stage, &context);
    frame.args.size = operands.list.size();
    frame.args.types = operands.types.data();
    frame.args.args = operands.pointers.data();
    frame.rets.size = results.list.size();
    frame.rets.types = results.types.data();
    frame.rets.rets = results.pointers.data();
    frame.attrs = site.attributes.view();
    if (llvm::Error e = call(handler, frame))
      return e;
  }
  return llvm::Error::success();
}

namespace {
struct Registered {
  XLA_FFI_Handler_Bundle bundle;
};
} // namespace

static bool equal(const XLA_FFI_Handler_Bundle &a,
                  const XLA_FFI_Handler_Bundle &b) {
  return a.instantiate == b.instantiate && a.prepare == b.prepare &&
         a.initialize == b.initialize && a.execute == b.execute;
}

llvm::Error pjrt::registerFfi(llvm::StringRef name,
                              const XLA_FFI_Handler_Bundle &bundle,
                              uint32_t traits) {
  auto fail = [](const llvm::Twine &why) {
    return llvm::createStringError("INVALID_ARGUMENT: " + why);
  };
  if (!bundle.execute)
    return fail("FFI handler for " + name +
                " on a platform Host must provide an execute implementation");
  XLA_FFI_Metadata metadata;
  if (llvm::Error e = queryFfi(bundle.execute, metadata))
    return e;
  int major = metadata.api_version.major_version,
      minor = metadata.api_version.minor_version;
  if (major != 0 || minor < 1 || minor > 3)
    return fail("XLA FFI handler registration for " + name +
                " on platform Host (canonical host) failed because the "
                "handler's API version (" +
                llvm::Twine(major) + "." + llvm::Twine(minor) +
                ") is incompatible with the framework's API version (0.3). "
                "Minimum supported API version is (0.1).");
  static std::mutex mutex;
  static auto *known = new std::vector<std::pair<std::string, Registered>>();
  std::lock_guard lock(mutex);
  for (auto &[other, registered] : *known)
    if (other == name)
      return equal(registered.bundle, bundle)
                 ? llvm::Error::success()
                 : fail("Duplicate FFI handler registration for " + name +
                        " on platform Host (canonical host) with different "
                        "bundle addresses");
  // Once for each call site, when its program is made ready.
  auto maker =
      [bundle](
          const cpu::LibraryCall &call) -> llvm::Expected<CustomCallFunction> {
    auto site = std::make_shared<CallSite>();
    site->bundle = bundle;
    if (llvm::Error e = site->attributes.set(call.attributes))
      return e;
    if (bundle.instantiate) {
      XLA_FFI_ExecutionContext context;
      context.states[0] = &site->instantiated;
      XLA_FFI_CallFrame frame =
          makeFrame(XLA_FFI_ExecutionStage_INSTANTIATE, &context);
      frame.attrs = site->attributes.view();
      if (llvm::Error e = ::call(bundle.instantiate, frame))
        return e;
    }
    return [site](const CustomCall &given) { return run(*site, given); };
  };
  if (llvm::Error e = registerCustomCallMaker(name, maker))
    return e;
  known->emplace_back(name.str(), Registered{bundle});
  return llvm::Error::success();
}

//===- xla_handlers.cc - functions compiled against XLA's headers ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/xla_handlers.h"

#include "shardwright/ffi/call.h"
#include "shardwright/ffi/ffi.h"
#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/callbacks/host_guard.h"
#include "shardwright/frontend/callbacks/offer_handlers.h"
#include "shardwright/frontend/mesh/device.h"
#include "shardwright/frontend/mesh/run_data.h"
#include "shardwright/rules/batch_partitionable.h"
#include "shardwright/runtime/client.h"
#include "shardwright/runtime/custom_call.h"

#include <atomic>
#include <dlfcn.h>
#include <mutex>

namespace handlers = ::shardwright::ffi;

namespace shardwright::frontend::ffi {

/// One call of a program. The handler may run programs itself.
static llvm::Expected<CustomCallFunction>
makeCall(const cpu::LibraryCall &site) {
  static std::once_flag once;
  std::call_once(once, [] { handlers::useFfiThreads(client().pool()); });
  auto made = handlers::makeTargetCall(site);
  if (!made)
    return made;
  return [name = site.name, call = std::move(*made)](const CustomCall &given) {
    return callForProgram(
        "FFI handler '" + name + "'", [&] { return call(given); },
        [&](const std::string &why) {
          return llvm::createStringError("INTERNAL: FFI handler '" + name +
                                         "': " + why);
        });
  };
}

void offerXlaHandlers() {
  static std::once_flag once;
  std::call_once(once, [] { setFallbackCustomCallFactory(makeCall); });
}

static Status toStatus(llvm::Error error) {
  return error ? Status(fromLlvm(std::move(error))) : Status();
}

/// An error unless the name may be that of a handler.
static Status checkName(const std::string &name) {
  offerXlaHandlers();
  if (name.empty())
    return makeError(ErrorKind::Runtime,
                     "INVALID_ARGUMENT: a target of foreign functions needs a "
                     "name");
  if (!cpu::isMadeByFallback(name))
    return makeError(ErrorKind::Runtime,
                     "INVALID_ARGUMENT: custom call target '", name,
                     "' is built in or registered already, as a function of "
                     "C++");
  return {};
}

Status registerXlaHandler(const std::string &name, const XlaHandlers &stages) {
  SW_TRY(checkName(name));
  return toStatus(handlers::registerFfi(
      name, {stages.instantiate, stages.prepare, stages.initialize,
             stages.execute, nullptr}));
}
Status registerXlaHandler(const std::string &name, XlaHandler execute) {
  return registerXlaHandler(name, XlaHandlers{.execute = execute});
}
Status registerUntypedHandler(const std::string &name, void *function) {
  SW_TRY(checkName(name));
  return toStatus(handlers::registerUntyped(name, function));
}

Status registerXlaType(const std::string &name, XLA_FFI_TypeId *id,
                       const XLA_FFI_TypeInfo *info) {
  if (name.empty() || !id)
    return makeError(ErrorKind::Runtime,
                     "INVALID_ARGUMENT: a type of foreign functions needs a "
                     "name and the variable of its id");
  return toStatus(handlers::registerFfiType(name, id->type_id, info));
}

Expected<void *> findSymbol(const std::string &library,
                            const std::string &symbol) {
  std::string shown = library.empty() ? "the program" : "'" + library + "'";
  // Never closed: handlers and types stay registered.
  void *opened = dlopen(library.empty() ? nullptr : library.c_str(),
                        RTLD_NOW | RTLD_LOCAL);
  if (!opened) {
    const char *why = dlerror();
    return makeError(ErrorKind::Runtime, "NOT_FOUND: cannot open ", shown, ": ",
                     why ? why : "unknown error");
  }
  dlerror();
  void *found = dlsym(opened, symbol.c_str());
  if (!found)
    return makeError(ErrorKind::Runtime, "NOT_FOUND: ", shown,
                     " defines no symbol '", symbol, "'");
  return found;
}

Status registerXlaHandlerFrom(const std::string &library,
                              const std::string &symbol,
                              const std::string &name) {
  Expected<void *> found = findSymbol(library, symbol);
  if (!found)
    return found.error();
  return registerXlaHandler(name.empty() ? symbol : name,
                            reinterpret_cast<XlaHandler>(*found));
}

static std::atomic<int64_t> partitionable = 0;
int64_t countOfPartitionable() { return partitionable; }

Status registerBatchPartitionable(const std::string &name) {
  if (name.empty())
    return valueError("a target that is batch partitionable needs a name");
  if (isBatchPartitionable(name))
    return {};
  markBatchPartitionable(name);
  ++partitionable;
  return {};
}

ScopedUserData::ScopedUserData(const XLA_FFI_TypeId &type, void *object)
    : entry{type.type_id, object, frontend::detail::innermostUserData()} {
  frontend::detail::innermostUserData() = &entry;
}
ScopedUserData::~ScopedUserData() {
  frontend::detail::innermostUserData() = entry.outer;
}

} // namespace shardwright::frontend::ffi

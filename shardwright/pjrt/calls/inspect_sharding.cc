//===- inspect_sharding.cc - inspection of shardings by clients -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/calls/inspect_sharding.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cstring>

using namespace mlir;

namespace {

struct InspectArgs {
  const char *sharding; ///< xla.OpSharding
  size_t shardingSize;
  const char *error;
  void *errorScratch;
  void (*freeError)(InspectArgs *args);
};

/// The bytes of `backend_config`, written by a client in this process.
struct InspectConfig {
  void (*call)(void *data, InspectArgs *args);
  void *data;
};

} // namespace

std::string shardwright::pjrt::tellSharding(Attribute config,
                                            const HloSharding &sharding) {
  auto bytes = dyn_cast_or_null<StringAttr>(config);
  InspectConfig callee;
  if (!bytes || bytes.getValue().size() != sizeof(callee))
    return "INTERNAL: Invalid config string for inspect sharding.";
  std::memcpy(&callee, bytes.getValue().data(), sizeof(callee));
  std::string proto = sharding.toProto();
  InspectArgs args = {proto.data(), proto.size(), nullptr, nullptr, nullptr};
  callee.call(callee.data, &args);
  if (!args.error)
    return "";
  std::string error =
      "INTERNAL: Error calling inspect_sharding: " + std::string(args.error);
  if (args.freeError)
    args.freeError(&args);
  return error;
}

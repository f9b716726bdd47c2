//===- eager.cc - execution of single primitives --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/program.h"

#include <mutex>
#include <unordered_map>

namespace shardwright::frontend {
namespace {

/// Programs of one primitive, by primitive, parameters and types.
struct EagerCache {
  std::mutex mutex;
  /// The key of a program names inner programs and functions by address: the
  /// entry keeps them alive.
  struct Entry {
    JaxprPtr jaxpr;
    Params params;
  };
  std::unordered_map<std::string, Entry> jaxprs;
  std::unordered_map<std::string, CompiledPtr> programs;
};
EagerCache &eagerCache() {
  static auto *cache = new EagerCache;
  return *cache;
}

Expected<JaxprPtr> jaxprOf(const std::string &key, const Primitive &primitive,
                           const Tensors &args, const Params &params) {
  EagerCache &cache = eagerCache();
  {
    std::lock_guard lock(cache.mutex);
    auto found = cache.jaxprs.find(key);
    if (found != cache.jaxprs.end())
      return found->second.jaxpr;
  }
  std::vector<Aval> types;
  for (const Tensor &arg : args)
    types.push_back(arg.aval());
  ScopedTrace none(nullptr);
  Expected<JaxprPtr> jaxpr = traceToJaxpr(
      [&](const Tensors &ins) {
        return frontend::bind(primitive, ins, params);
      },
      types, primitive.name);
  if (!jaxpr)
    return jaxpr;
  std::lock_guard lock(cache.mutex);
  cache.jaxprs.emplace(key, EagerCache::Entry{*jaxpr, params});
  return jaxpr;
}

} // namespace

Tensors execute(const Primitive &primitive, const Tensors &args,
                const Params &params) {
  std::string typeKey =
      cat(primitive.name, "[", params.key(), "]",
          reinterpret_cast<uintptr_t>(contextAbstractMesh().identity()));
  std::string key;
  std::vector<Sharding> ins;
  for (const Tensor &arg : args) {
    typeKey += arg.aval().str();
    typeKey += arg.aval().weak ? '~' : ' ';
    ins.push_back(arg.committed() ? arg.sharding() : Sharding());
    key += cat(reinterpret_cast<uintptr_t>(ins.back().mesh().identity()),
               ins.back().isSpecified() ? ins.back().str() : "", ";");
  }
  key += cat("@", reinterpret_cast<uintptr_t>(contextMesh().identity()));
  key = typeKey + key;
  EagerCache &cache = eagerCache();
  CompiledPtr program;
  {
    std::lock_guard lock(cache.mutex);
    auto found = cache.programs.find(key);
    if (found != cache.programs.end())
      program = found->second;
  }
  if (!program) {
    Expected<JaxprPtr> jaxpr = jaxprOf(typeKey, primitive, args, params);
    if (!jaxpr)
      return {jaxpr.error()};
    ProgramRequest request;
    request.jaxpr = *jaxpr;
    request.name = primitive.name;
    request.ins = ins;
    request.keepUnused = true;
    std::vector<std::string> phrases;
    for (size_t i = 0; i < args.size(); ++i)
      phrases.push_back(cat("argument ", i == 0 ? "x" : "y", " of ",
                            primitive.name, " with shape ",
                            args[i].aval().longStr(), " and"));
    Expected<std::vector<Device>> devices = assignDevices(
        **jaxpr, ins, phrases, {}, std::vector<bool>(args.size(), true));
    if (!devices)
      return {devices.error()};
    if (devices->empty())
      devices->push_back(Device{0});
    request.devices = *devices;
    request.numDevices = static_cast<int64_t>(devices->size());
    Expected<LoweredPtr> lowered = lowerProgram(request);
    if (!lowered)
      return {lowered.error()};
    Expected<CompiledPtr> compiled = compileProgram(*lowered, *devices);
    if (!compiled)
      return {compiled.error()};
    program = *compiled;
    std::lock_guard lock(cache.mutex);
    cache.programs.emplace(key, program);
  }
  return runProgram(*program, args);
}

} // namespace shardwright::frontend

//===- eager.cc - execution of single primitives --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/bounded_cache.h"
#include "shardwright/frontend/jit/content_key.h"
#include "shardwright/frontend/jit/program.h"

namespace shardwright::frontend {
namespace {

/// Programs of one primitive, by primitive, parameters and types. Keys may
/// contain addresses of constants and functions: each entry keeps alive what
/// its key names.
struct EagerCache {
  struct Traced {
    JaxprPtr jaxpr;
    Params params;
  };
  struct Finished {
    CompiledPtr program;
    Params params;
  };
  BoundedCache<Traced> jaxprs{4096};
  BoundedCache<Finished> programs{4096};
};
EagerCache &eagerCache() {
  static auto *cache = new EagerCache;
  return *cache;
}

Expected<JaxprPtr> jaxprOf(const std::string &key, const Primitive &primitive,
                           const Tensors &args, const Params &params) {
  EagerCache &cache = eagerCache();
  if (auto found = cache.jaxprs.find(key))
    return found->jaxpr;
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
  cache.jaxprs.insert(key, {*jaxpr, params});
  return jaxpr;
}

} // namespace

Tensors execute(const Primitive &primitive, const Tensors &args,
                const Params &params) {
  std::string typeKey = primitive.name;
  appendContentKey(typeKey, params);
  typeKey += cat(reinterpret_cast<uintptr_t>(contextAbstractMesh().identity()),
                 x64Enabled() ? "x" : "");
  std::string key;
  std::vector<Sharding> ins;
  for (const Tensor &arg : args) {
    appendContentKey(typeKey, arg.aval());
    ins.push_back(arg.committed() ? arg.sharding() : Sharding());
    key += cat(reinterpret_cast<uintptr_t>(ins.back().mesh().identity()),
               ins.back().isSpecified() ? ins.back().str() : "", ";");
  }
  key += cat("@", reinterpret_cast<uintptr_t>(contextMesh().identity()));
  key = typeKey + key;
  EagerCache &cache = eagerCache();
  CompiledPtr program;
  if (auto found = cache.programs.find(key))
    program = found->program;
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
    cache.programs.insert(key, {program, params});
  }
  return runProgram(*program, args);
}

size_t eagerCacheSize() {
  return eagerCache().jaxprs.size() + eagerCache().programs.size();
}

} // namespace shardwright::frontend

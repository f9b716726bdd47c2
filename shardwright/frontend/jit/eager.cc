//===- eager.cc - execution of single primitives --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/bounded_cache.h"
#include "shardwright/frontend/jit/check_results.h"
#include "shardwright/frontend/jit/content_key.h"
#include "shardwright/frontend/jit/program.h"
#include "shardwright/frontend/transform/jit_primitive.h"

namespace shardwright::frontend {
namespace {

/// What a call of a primitive depends on, as the call has it.
struct EagerCall {
  const Primitive &primitive;
  const Tensors &args;
  const Params &params;
  /// False: on types only.
  bool withPlaces;
  uint64_t hash = 0;

  Sharding placeOf(size_t i) const {
    return args[i].committed() ? args[i].sharding() : Sharding();
  }
};

/// The same, to be kept.
struct EagerKey {
  const Primitive *primitive;
  Params params;
  std::vector<Aval> types;
  std::vector<Sharding> places; ///< empty if it depends on types only
  AbstractMesh abstractMesh = contextAbstractMesh();
  Mesh mesh;
  const std::string *config = configKey(TraceContext);
  uint64_t hash;

  explicit EagerKey(const EagerCall &call)
      : primitive(&call.primitive), params(call.params), hash(call.hash) {
    for (size_t i = 0; i < call.args.size(); ++i) {
      types.push_back(call.args[i].aval());
      if (call.withPlaces)
        places.push_back(call.placeOf(i));
    }
    if (call.withPlaces)
      mesh = contextMesh();
  }

  bool matches(const EagerCall &call) const {
    if (hash != call.hash || primitive != &call.primitive ||
        types.size() != call.args.size() || config != configKey(TraceContext) ||
        !(abstractMesh == contextAbstractMesh()) ||
        !(mesh == (call.withPlaces ? contextMesh() : Mesh())))
      return false;
    for (size_t i = 0; i < types.size(); ++i) {
      if (!sameContent(types[i], call.args[i].aval()))
        return false;
      if (!call.withPlaces)
        continue;
      bool committed = call.args[i].committed();
      if (committed != places[i].isSpecified() ||
          (committed && !(places[i] == call.args[i].sharding())))
        return false;
    }
    return sameContent(params, call.params);
  }
  friend bool operator==(const EagerKey &a, const EagerKey &b) {
    return a.hash == b.hash && a.primitive == b.primitive &&
           a.config == b.config && a.abstractMesh == b.abstractMesh &&
           a.mesh == b.mesh && a.places == b.places &&
           std::equal(a.types.begin(), a.types.end(), b.types.begin(),
                      b.types.end(),
                      [](const Aval &x, const Aval &y) {
                        return sameContent(x, y);
                      }) &&
           sameContent(a.params, b.params);
  }
};

struct EagerHash {
  using is_transparent = void;
  size_t operator()(const EagerKey &key) const { return key.hash; }
  size_t operator()(const EagerCall &call) const { return call.hash; }
};
struct EagerEqual {
  using is_transparent = void;
  bool operator()(const EagerKey &a, const EagerKey &b) const { return a == b; }
  bool operator()(const EagerKey &a, const EagerCall &b) const {
    return a.matches(b);
  }
  bool operator()(const EagerCall &a, const EagerKey &b) const {
    return b.matches(a);
  }
};

/// Programs of one primitive, by primitive, parameters and types, compiled ones
/// by places too.
struct EagerCache {
  BoundedCache<EagerKey, JaxprPtr, EagerHash, EagerEqual> jaxprs{4096};
  BoundedCache<EagerKey, CompiledPtr, EagerHash, EagerEqual> programs{4096};
};
EagerCache &eagerCache() {
  static auto *cache = new EagerCache;
  return *cache;
}

} // namespace

void detail::clearEagerPrograms() {
  eagerCache().jaxprs.clear();
  eagerCache().programs.clear();
}

namespace {

/// The call, with the hash of what it depends on.
EagerCall makeCall(const Primitive &primitive, const Tensors &args,
                   const Params &params, bool withPlaces) {
  Hash hash;
  hash.add(&primitive);
  hash.add(params);
  for (const Tensor &arg : args) {
    hash.add(arg.aval());
    if (withPlaces && arg.committed())
      hash.add(arg.sharding());
  }
  return {primitive, args, params, withPlaces, hash.value};
}

Expected<JaxprPtr> jaxprOf(const Primitive &primitive, const Tensors &args,
                           const Params &params) {
  EagerCache &cache = eagerCache();
  EagerCall call = makeCall(primitive, args, params, /*withPlaces=*/false);
  if (auto found = cache.jaxprs.find(call))
    return *found;
  std::vector<Aval> types;
  for (const Tensor &arg : args)
    types.push_back(arg.aval());
  ScopedTrace none(nullptr);
  Expected<JaxprPtr> jaxpr = traceToJaxpr(
      [&](const Tensors &ins) {
        return frontend::bind(primitive, ins, params);
      },
      types, primitive.name);
  if (jaxpr)
    cache.jaxprs.insert(EagerKey(call), *jaxpr);
  return jaxpr;
}

/// The parameters without options of the compiler.
Params withoutOptions(const Params &params) {
  Params out;
  for (const auto &[name, value] : params)
    if (name != kCompilerOptions)
      out.set(name, value);
  return out;
}

/// Compiles a program of the primitive. A jit that no program records, such as
/// one to which vmap was applied, has options of the compiler.
Expected<CompiledPtr> compileFor(const EagerCall &call) {
  const auto &[primitive, args, params, withPlaces, hash] = call;
  const auto *options = params.object<CompilerOptionsParam>(kCompilerOptions);
  Expected<JaxprPtr> jaxpr =
      jaxprOf(primitive, args, options ? withoutOptions(params) : params);
  if (!jaxpr)
    return jaxpr.error();
  ProgramRequest request;
  if (options)
    request.compilerOptions = options->values;
  request.jaxpr = *jaxpr;
  request.name = primitive.name;
  request.keepUnused = true;
  std::vector<std::string> phrases;
  for (size_t i = 0; i < args.size(); ++i) {
    request.ins.push_back(call.placeOf(i));
    phrases.push_back(cat("argument ", i == 0 ? "x" : "y", " of ",
                          primitive.name, " with shape ",
                          args[i].aval().longStr(), " and"));
  }
  Expected<std::vector<Device>> devices = assignDevices(
      **jaxpr, request.ins, phrases, {}, std::vector<bool>(args.size(), true));
  if (!devices)
    return devices.error();
  if (devices->empty())
    devices->push_back(defaultDevice().value_or(Device{0}));
  request.devices = *devices;
  request.numDevices = static_cast<int64_t>(devices->size());
  Expected<LoweredPtr> lowered = lowerProgram(request);
  if (!lowered)
    return lowered.error();
  return compileProgram(*lowered, *devices);
}

} // namespace

Tensors execute(const Primitive &primitive, const Tensors &args,
                const Params &params) {
  EagerCache &cache = eagerCache();
  EagerCall call = makeCall(primitive, args, params, /*withPlaces=*/true);
  CompiledPtr program;
  if (auto found = cache.programs.find(call))
    program = *found;
  if (!program) {
    Expected<CompiledPtr> compiled = compileFor(call);
    if (!compiled)
      return {compiled.error()};
    program = *compiled;
    cache.programs.insert(EagerKey(call), program);
  }
  Tensors results = runProgram(*program, args);
  if (checksResults())
    if (Status valid = checkResults(results, primitive.name); !valid)
      return {Tensor(valid.error())};
  return results;
}

size_t eagerCacheSize() {
  return eagerCache().jaxprs.size() + eagerCache().programs.size();
}

} // namespace shardwright::frontend

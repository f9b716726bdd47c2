//===- trace.cc - interpreters of primitives ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/trace/trace.h"

#include "shardwright/frontend/mesh/open_traces.h"

#include "shardwright/frontend/base/config.h"
#include "shardwright/frontend/trace/partial_sums.h"
#include "shardwright/frontend/trace/primitive.h"
#include "shardwright/frontend/trace/registry.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {
thread_local TracePtr current;
thread_local std::vector<NamedAxis> axesInScope;

std::map<std::string, const Primitive *> &registry() {
  static auto *table = new std::map<std::string, const Primitive *>;
  return *table;
}
} // namespace

Trace::~Trace() = default;
LoweringContext::~LoweringContext() = default;

const TracePtr &currentTrace() { return current; }
ScopedTrace::ScopedTrace(TracePtr trace) : old(std::move(current)) {
  current = std::move(trace);
  ++detail::openTraces();
}
ScopedTrace::~ScopedTrace() {
  current = std::move(old);
  --detail::openTraces();
}

const std::vector<NamedAxis> &axisEnvironment() { return axesInScope; }
AxisNames mappedExplicitAxes() {
  AxisNames out;
  for (const NamedAxis &axis : axesInScope)
    out.insert(out.end(), axis.explicitAxes.begin(), axis.explicitAxes.end());
  return out;
}
const NamedAxis *findAxis(const std::string &name) {
  if (name.empty())
    return nullptr;
  for (size_t i = axesInScope.size(); i-- > 0;)
    if (axesInScope[i].name == name)
      return &axesInScope[i];
  return nullptr;
}
AxisNames inBindingOrder(const AxisNames &axes) {
  AxisNames out;
  auto add = [&](const std::string &name) {
    if (std::find(out.begin(), out.end(), name) == out.end())
      out.push_back(name);
  };
  for (const NamedAxis &axis : axesInScope)
    if (std::find(axes.begin(), axes.end(), axis.name) != axes.end())
      add(axis.name);
  for (const std::string &name : axes)
    add(name);
  return out;
}
ScopedAxis::ScopedAxis(std::vector<NamedAxis> axes) : count(axes.size()) {
  for (NamedAxis &axis : axes)
    axesInScope.push_back(std::move(axis));
}
ScopedAxis::~ScopedAxis() { axesInScope.resize(axesInScope.size() - count); }

struct ScopedTopLevel::State {
  TracePtr trace = std::move(current);
  std::vector<NamedAxis> axes = std::move(axesInScope);
  int open = std::exchange(detail::openTraces(), 0);
  ScopedMesh mesh{Mesh()};
};
ScopedTopLevel::ScopedTopLevel() {
  old = std::make_unique<State>();
  current = nullptr;
  axesInScope.clear();
}
ScopedTopLevel::~ScopedTopLevel() {
  current = std::move(old->trace);
  axesInScope = std::move(old->axes);
  detail::openTraces() = old->open;
}

void failRecording(const Error &error) {
  for (TracePtr trace = current; trace; trace = trace->parent)
    if (auto *recording = dynamic_cast<JaxprTrace *>(trace.get()))
      return recording->fail(error);
}

Registered::Registered(const Primitive &primitive) {
  registry()[primitive.name] = &primitive;
}
bool registerAll(std::vector<Primitive> primitives) {
  const auto *kept = new std::vector<Primitive>(std::move(primitives));
  for (const Primitive &primitive : *kept)
    Registered{primitive};
  return true;
}
std::vector<std::string> primitiveNames() {
  std::vector<std::string> names;
  for (const auto &entry : registry())
    names.push_back(entry.first);
  return names;
}
const Primitive *findPrimitive(const std::string &name) {
  auto found = registry().find(name);
  return found == registry().end() ? nullptr : found->second;
}

Tensor tensorOfTracer(std::shared_ptr<const Tracer> tracer) {
  if (config::checkTracerLeaks.get())
    tracer->trace->made.push_back(tracer);
  return Tensor(std::static_pointer_cast<const Value>(std::move(tracer)));
}

Status checkLeaks(const Trace &trace, std::string_view transformation) {
  std::string leaked;
  for (const std::weak_ptr<const Value> &tracer : trace.made)
    if (auto held = tracer.lock())
      leaked += cat("\n\nTraced<", held->aval.longStr(), ">");
  if (leaked.empty())
    return {};
  return makeError(ErrorKind::LeakedTracer, "Leaked trace of ", transformation,
                   ". Leaked tracer(s):", leaked, "\n");
}

/// The error for a tracer whose function has returned.
static Error escaped(const Tensor &x) {
  return makeError(
      ErrorKind::UnexpectedTracer,
      "Encountered an unexpected tracer. A function transformed by JAX had a "
      "side effect, allowing for a reference to an intermediate value with "
      "type ",
      x.aval().longStr(),
      " to escape the scope of the transformation. Return the value from the "
      "function instead.");
}

/// The manual axes along which some operand varies.
static AxisNames unitedAxes(const std::vector<Aval> &args) {
  AxisNames all;
  for (const Aval &arg : args)
    all.insert(all.end(), arg.varying.begin(), arg.varying.end());
  return all.empty() ? all : inBindingOrder(all);
}

/// Casts operands so that all vary along the same manual axes. Returns false if
/// they do already.
static bool uniteManualAxes(const TracePtr &trace, Tensors &args) {
  auto differs = [&](const Tensor &arg) {
    return arg.aval().varying != args[0].aval().varying;
  };
  if (std::none_of(args.begin(), args.end(), differs))
    return false;
  std::vector<Aval> types;
  for (const Tensor &arg : args)
    types.push_back(arg.aval());
  AxisNames all = unitedAxes(types);
  for (Tensor &arg : args) {
    const AxisNames &own = arg.aval().varying;
    AxisNames missing;
    for (const std::string &axis : all)
      if (std::find(own.begin(), own.end(), axis) == own.end())
        missing.push_back(axis);
    if (!missing.empty())
      arg = bindIn(trace, *findPrimitive("pvary"), {arg}, {{"axes", missing}})
                .at(0);
    if (!arg.ok())
      break;
  }
  return true;
}

Tensors bindIn(const TracePtr &trace, const Primitive &primitive,
               const Tensors &args, const Params &params) {
  for (const Tensor &arg : args) {
    if (!arg.ok())
      return {arg};
    if (const Tracer *tracer = asTracer(arg); tracer && tracer->trace->ended)
      return {escaped(arg)};
  }
  if (!trace)
    return primitive.evaluate ? primitive.evaluate(args, params)
                              : execute(primitive, args, params);
  if (!primitive.ownManualAxes && args.size() > 1)
    if (Tensors united = args; uniteManualAxes(trace, united)) {
      if (const Error *error = errorIn(united))
        return {Tensor(*error)};
      return trace->bind(primitive, united, params);
    }
  return trace->bind(primitive, args, params);
}

Tensors bind(const Primitive &primitive, const Tensors &args,
             const Params &params) {
  return bindIn(current, primitive, args, params);
}
Tensor bind1(const Primitive &primitive, const Tensors &args,
             const Params &params) {
  return frontend::bind(primitive, args, params).at(0);
}
Tensors bindMany(const Primitive &primitive, size_t count, const Tensors &args,
                 const Params &params) {
  Tensors outs = frontend::bind(primitive, args, params);
  if (outs.size() == count)
    return outs;
  Tensor error =
      !outs.empty() && !outs[0].ok()
          ? outs[0]
          : Tensor(makeError(ErrorKind::Runtime, primitive.name, " has ",
                             outs.size(), " results, not ", count));
  return Tensors(count, error);
}

/// Sets the shardings of the results' types (Explicit axes).
static Status inferShardings(const Primitive &primitive,
                             const std::vector<Aval> &args,
                             const Params &params, std::vector<Aval> &results) {
  AbstractMesh mesh;
  for (const Aval &arg : args) {
    if (!arg.sharding || !arg.sharding->mesh.anyIs(AxisType::Explicit))
      continue;
    if (!mesh.empty() && !(arg.sharding->mesh == mesh))
      return valueError(
          "Mesh for all inputs should be equal. Got one mesh: ", mesh.str(),
          " and another mesh: ", arg.sharding->mesh.str());
    mesh = arg.sharding->mesh;
  }
  const AbstractMesh &context = contextAbstractMesh();
  if (mesh.empty())
    mesh = context;
  if (!context.empty() && !(mesh == context))
    for (const Aval &arg : args)
      if (arg.sharding)
        return valueError("For primitive ", primitive.name, ", context mesh ",
                          context.str(), " should match the aval mesh ",
                          mesh.str(), " for shape ", arg.longStr(), ".");
  if (!mesh.anyIs(AxisType::Explicit))
    return {};
  std::vector<PartitionSpec> specs;
  bool isSharded = std::any_of(args.begin(), args.end(), [](const Aval &a) {
    return a.sharding && !(a.sharding->spec == P().normalized(a.rank()));
  });
  if (!isSharded && !primitive.ownManualAxes) {
    for (const Aval &r : results)
      specs.push_back(r.sharding ? r.sharding->spec : P().normalized(r.rank()));
  } else if (primitive.sharding) {
    Expected<std::vector<PartitionSpec>> given =
        primitive.sharding(args, results, params);
    if (!given)
      return given.error();
    specs = *given;
  } else {
    return makeError(
        ErrorKind::ShardingType, "sharding rule for ", primitive.name,
        " is not implemented. Please file an issue at "
        "https://github.com/jax-ml/jax/issues. You can work around this error "
        "by dropping that operation into full auto sharding mode via: "
        "`jax.sharding.auto_axes(fun, out_shardings=...)`");
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Expected<PartitionSpec> spec =
        primitive.ownManualAxes ? Expected<PartitionSpec>(specs[i])
                                : withPartialSums(primitive, args, specs[i]);
    if (!spec)
      return spec.error();
    results[i].sharding = std::make_shared<const TypeSharding>(
        TypeSharding{mesh, spec->normalized(results[i].rank())});
  }
  return {};
}

/// Sets the memory of the results: that of all operands that are no scalars.
static Status inferMemory(const Primitive &primitive,
                          const std::vector<Aval> &args,
                          std::vector<Aval> &results) {
  const Aval *first = nullptr;
  bool allOnHost = !args.empty();
  for (const Aval &arg : args) {
    allOnHost &= arg.onHost;
    if (arg.rank() == 0)
      continue;
    if (first && first->onHost != arg.onHost)
      return valueError(
          "memory_space of all inputs passed to `", primitive.name,
          "` must be the same. Got one operand "
          "with type: ",
          first->longStr(), " and another operand with type: ", arg.longStr());
    first = first ? first : &arg;
  }
  for (Aval &result : results)
    result.onHost = first ? first->onHost : allOnHost;
  return {};
}

/// An error if there are no arrays of this type.
static Status checkSize(const Primitive &primitive, const Aval &result) {
  for (int64_t size : result.shape)
    if (size < 0)
      return valueError("negative dimensions are not allowed, got shape ",
                        tupleText(result.shape), " of the result of ",
                        primitive.name);
  if (bytesOf(result) == INT64_MAX)
    return valueError("the result of ", primitive.name, " of type ",
                      result.longStr(),
                      " is too large: an array has fewer "
                      "than 2^63 bytes");
  return {};
}

Expected<std::vector<Aval>> inferTypes(const Primitive &primitive,
                                       const std::vector<Aval> &args,
                                       const Params &params) {
  Expected<std::vector<Aval>> results = primitive.infer(args, params);
  if (!results)
    return results;
  for (const Aval &result : *results)
    if (Status exists = checkSize(primitive, result); !exists)
      return exists.error();
  if (primitive.ownManualAxes)
    return results;
  AxisNames varying = unitedAxes(args);
  for (Aval &r : *results)
    r.varying = varying;
  SW_TRY(setManualSums(primitive, args, *results));
  if (Status status = inferMemory(primitive, args, *results); !status)
    return status.error();
  if (Status status = inferShardings(primitive, args, params, *results);
      !status)
    return status.error();
  return results;
}

Status checkOperands(const Primitive &primitive, const Tensors &operands,
                     const Params &params) {
  // Programs in parameters have been traced with types that fit.
  for (const Params::Entry &entry : params)
    if (std::holds_alternative<JaxprPtr>(entry.second))
      return {};
  std::vector<Aval> types;
  for (const Tensor &operand : operands)
    types.push_back(operand.aval());
  Expected<std::vector<Aval>> results = primitive.infer(types, params);
  return results ? Status() : Status(results.error());
}

Tensors evalJaxpr(const Jaxpr &jaxpr, const Tensors &args) {
  Tensors env(jaxpr.types.size());
  for (size_t i = 0; i < jaxpr.constVars.size(); ++i)
    env[jaxpr.constVars[i]] = jaxpr.consts[i];
  for (size_t i = 0; i < jaxpr.ins.size(); ++i)
    env[jaxpr.ins[i]] = args[i];
  auto read = [&](const Atom &atom) {
    return atom.isVar() ? env[atom.var] : atom.literal;
  };
  for (const Eqn &eqn : jaxpr.eqns) {
    Tensors ins;
    for (const Atom &atom : eqn.ins)
      ins.push_back(read(atom));
    detail::ScopedNames names(detail::namesWithin(eqn.names));
    Tensors outs = frontend::bind(*eqn.primitive, ins, eqn.params);
    // An equation without results may have failed, too.
    if (const Error *error = errorIn(outs))
      return Tensors(std::max<size_t>(jaxpr.outs.size(), 1), Tensor(*error));
    for (size_t i = 0; i < eqn.outs.size(); ++i)
      env[eqn.outs[i]] = i < outs.size() ? outs[i] : Tensor();
  }
  Tensors outs;
  for (const Atom &atom : jaxpr.outs)
    outs.push_back(read(atom));
  return outs;
}

} // namespace shardwright::frontend

//===- run_scoped.cc - memory of cores ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/core_map.h"
#include "shardwright/frontend/cores/state_primitives.h"

namespace shardwright::frontend {
namespace {

/// `((), ())`: JAX's transforms of scratch references, of which there are none.
struct NoTransforms final : ParamObject {
  explicit NoTransforms(size_t n) : count(n) {}
  std::string str() const override {
    std::string out = "(";
    for (size_t i = 0; i < count; ++i)
      out += i ? ", ()" : "()";
    return cat(out, count == 1 ? ",)" : ")");
  }
  size_t count;
};

const Primitive runScopedP = [] {
  Primitive p;
  p.name = "run_scoped";
  p.hidden = {"num_scratch"};
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    return params.jaxpr("jaxpr")->outAvals();
  };
  p.effects = [](const Params &) { return EffectSet(Effect::State); };
  p.evaluate = [](const Tensors &, const Params &) -> Tensors {
    return {Tensor(
        notImplemented("Evaluation rule for 'run_scoped' not implemented"))};
  };
  return p;
}();
const Registered runScopedR(runScopedP);

Scratch semaphoresOf(const char *kind, const Shape &shape) {
  Aval type{DType::I32, shape};
  type.ref = std::make_shared<const RefType>(RefType{"semaphore_mem", kind});
  return {type};
}

Status checkScratch(const std::vector<Scratch> &types) {
  for (const Scratch &s : types) {
    if (!s.type.isRef())
      return valueError("runScoped allocates what vmem, scratch, semaphores "
                        "and dmaSemaphores return, got the type ",
                        s.type.longStr());
    SW_TRY(checkShape(s.type.shape));
    if (isWithoutElements(s.type.dtype) || s.type.dtype == DType::Key)
      return typeError("runScoped cannot allocate elements of type ",
                       name(s.type.dtype));
    if (bytesOf(heldType(s.type)) == INT64_MAX)
      return valueError("runScoped cannot allocate memory of type ",
                        s.type.longStr(), ": it is too large");
  }
  return {};
}

Status checkAxes(const AxisNames &axes) {
  for (const std::string &axis : axes)
    if (!findAxis(axis) || findAxis(axis)->isManual)
      return makeError(ErrorKind::Name, "Found an unbound axis name: ", axis,
                       ". collectiveAxes are axes of the mesh of cores.");
  return {};
}

} // namespace

Scratch scratch(MemorySpace space, const Shape &shape, DType type) {
  constexpr const char *names[] = {"any", "vmem", "smem", "hbm"};
  Aval aval{type, shape};
  aval.ref = std::make_shared<const RefType>(
      RefType{names[static_cast<int>(space)], ""});
  return {aval};
}
Scratch semaphores(const Shape &shape) {
  return semaphoresOf("semaphore", shape);
}
Scratch dmaSemaphores(const Shape &shape) {
  return semaphoresOf("dma_sem", shape);
}

Tensors runScoped(const std::vector<Scratch> &types,
                  const std::function<Tensors(const Refs &)> &body,
                  const RunScopedOptions &options) {
  auto failed = [](const Error &error) {
    failRecording(error);
    return Tensors{Tensor(error)};
  };
  if (!body)
    return failed(typeError("runScoped was called with a null function"));
  if (Status valid = checkScratch(types); !valid)
    return failed(valid.error());
  if (Status valid = checkAxes(options.collectiveAxes); !valid)
    return failed(valid.error());
  std::vector<Aval> avals;
  for (const Scratch &s : types)
    avals.push_back(s.type);
  Expected<JaxprPtr> traced = traceToJaxpr(
      [&](const Tensors &args) {
        Refs refs;
        for (const Tensor &x : args)
          refs.emplace_back(x);
        return body(refs);
      },
      avals, "scoped");
  if (!traced)
    return failed(traced.error());
  for (const Aval &out : (*traced)->outAvals())
    if (out.isRef())
      return failed(valueError("the function of runScoped returned a reference "
                               "of type ",
                               out.longStr(), "; return its elements"));
  JaxprPtr jaxpr = constantsToInputs(*traced);
  Tensors done = frontend::bind(
      runScopedP, (*traced)->consts,
      {{"jaxpr", jaxpr},
       {"collective_axes", options.collectiveAxes},
       {"ref_transforms", objectParam(NoTransforms(types.size()))},
       {"num_scratch", static_cast<int64_t>(types.size())}});
  if (const Error *error = errorIn(done))
    return failed(*error);
  return done;
}

} // namespace shardwright::frontend

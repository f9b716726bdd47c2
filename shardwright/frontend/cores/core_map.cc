//===- core_map.cc - functions on each core of a device -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/core_map.h"

#include "shardwright/frontend/cores/kernel_param.h"
#include "shardwright/frontend/cores/state_primitives.h"

#include <algorithm>
#include <set>

namespace shardwright::frontend {

Expected<CoreMesh> CoreMesh::get(AxisNames names, Ints sizes) {
  if (names.size() != sizes.size() || names.empty())
    return valueError("a mesh of cores needs a size for each axis, got ",
                      names.size(), " names and ", sizes.size(), " sizes");
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
    return valueError("the axes of a mesh of cores need different names, got ",
                      namesText(names));
  int64_t count = 1;
  for (int64_t size : sizes)
    if (size < 1 || size > 1024 || (count *= size) > 1024)
      return valueError("a mesh of cores has 1 to 1024 cores, got sizes ",
                        tupleText(sizes));
  CoreMesh out;
  out.axisNames = std::move(names);
  out.axisSizes = std::move(sizes);
  return out;
}

int64_t CoreMesh::numCores() const {
  int64_t n = 1;
  for (int64_t size : axisSizes)
    n *= size;
  return n;
}

Ints CoreMesh::coordinates(int64_t core) const {
  Ints out(axisSizes.size());
  for (size_t i = axisSizes.size(); i-- > 0;) {
    out[i] = core % axisSizes[i];
    core /= axisSizes[i];
  }
  return out;
}

std::string CoreMesh::str() const {
  std::string cores;
  for (int64_t i = 0; i < numCores(); ++i)
    cores += cat(i ? ", " : "", "TensorCore(id=", i, ")");
  if (axisSizes.size() > 1)
    cores = cat("...", tupleText(axisSizes));
  return cat("TensorCoreMesh(devices=array([", cores,
             "], dtype=object), axis_names=", namesText(axisNames), ")");
}

std::string KernelParam::key() const {
  return cat(reinterpret_cast<uintptr_t>(jaxpr.get()), ",",
             options.detectRaces ? "races," : "", options.seed);
}
const KernelParam &kernelOf(const Params &params) {
  return *params.object<KernelParam>("mesh");
}

namespace {

/// Calls `visit(inner, first)` for each program of an equation: its inputs are
/// the operands from number `first` on, as far as they are references.
void forEachProgram(
    const Eqn &eqn,
    const std::function<void(const JaxprPtr &, size_t first)> &visit) {
  const std::string &name = eqn.primitive->name;
  if (name == "while") {
    visit(eqn.params.jaxpr("cond_jaxpr"), 0);
    visit(eqn.params.jaxpr("body_jaxpr"),
          static_cast<size_t>(eqn.params.integer("cond_nconsts")));
    return;
  }
  Jaxpr::forEachInner(eqn.params, [&](const JaxprPtr &inner) {
    visit(inner, name == "cond" ? 1 : 0);
  });
}

/// Marks the variables that the program writes.
void markWritten(const Jaxpr &jaxpr, std::vector<bool> &written) {
  auto mark = [&](const Atom &atom) {
    if (atom.isVar())
      written[atom.var] = true;
  };
  for (const Eqn &eqn : jaxpr.eqns) {
    const std::string &name = eqn.primitive->name;
    if (name == "swap" || name == "addupdate")
      mark(eqn.ins[0]);
    if (name == "dma_start")
      mark(eqn.ins[syncOperands(eqn.params).views[1].ref]);
    forEachProgram(eqn, [&](const JaxprPtr &inner, size_t first) {
      std::vector<bool> own = writtenInputs(*inner);
      for (size_t i = 0; i < own.size() && first + i < eqn.ins.size(); ++i)
        if (own[i])
          mark(eqn.ins[first + i]);
    });
  }
}

} // namespace

std::vector<bool> writtenInputs(const Jaxpr &jaxpr) {
  std::vector<bool> written(jaxpr.types.size()), out;
  markWritten(jaxpr, written);
  for (int32_t var : jaxpr.ins)
    out.push_back(written[var] && jaxpr.types[var].isRef());
  return out;
}

bool namesOtherDevices(const Jaxpr &jaxpr, const AxisNames &cores) {
  return std::any_of(jaxpr.eqns.begin(), jaxpr.eqns.end(), [&](const Eqn &eqn) {
    for (const std::string &axis : eqn.params.names("target_axes"))
      if (std::find(cores.begin(), cores.end(), axis) == cores.end())
        return true;
    bool found = false;
    Jaxpr::forEachInner(eqn.params, [&](const JaxprPtr &inner) {
      found = found || namesOtherDevices(*inner, cores);
    });
    return found;
  });
}

SyncOperands syncOperands(const Params &params) {
  SyncOperands out;
  for (const char *name : {"src", "dst", "sem", "send_sem"})
    if (const View *view = params.object<View>(name)) {
      out.views.push_back({out.firstScalar, out.firstScalar + 1, view});
      out.firstScalar += 1 + view->numOperands();
    }
  return out;
}

namespace {

const Primitive coreMapP = [] {
  Primitive p;
  p.name = "core_map";
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &) -> Expected<std::vector<Aval>> {
    return std::vector<Aval>();
  };
  p.effects = [](const Params &) { return EffectSet(Effect::State); };
  return p;
}();
const Registered coreMapR(coreMapP);

/// The axes around a kernel, whose types do not say what varies along manual
/// axes, and those of its cores.
std::vector<NamedAxis> axesInside(const CoreMesh &mesh) {
  std::vector<NamedAxis> out;
  for (NamedAxis axis : axisEnvironment()) {
    axis.isChecked = false;
    out.push_back(axis);
  }
  for (size_t i = 0; i < mesh.names().size(); ++i)
    out.push_back({mesh.names()[i], mesh.sizes()[i]});
  return out;
}

Status checkCaptures(const Jaxpr &traced, const std::string &name) {
  std::string types;
  for (const Tensor &x : traced.consts)
    if (!x.aval().isRef() && x.rank())
      types += cat(types.empty() ? "" : ", ", x.aval().str());
  if (types.empty())
    return {};
  return valueError("The kernel function in core_map ", name,
                    " captures non-scalar constants [", types,
                    "]. You should pass them as inputs.");
}

} // namespace

void coreMap(const CoreMesh &mesh, const std::function<void()> &body,
             const CoreMapOptions &options) {
  if (!body)
    return failRecording(typeError("coreMap was called with a null function"));
  if (mesh.names().empty())
    return failRecording(valueError("coreMap was called with an empty mesh"));
  Expected<JaxprPtr> traced = [&] {
    ScopedAxis axes(axesInside(mesh));
    return traceToJaxpr(
        [&](const Tensors &) {
          body();
          return Tensors();
        },
        {}, options.name);
  }();
  if (!traced)
    return failRecording(traced.error());
  if (Status valid = checkCaptures(**traced, options.name); !valid)
    return failRecording(valid.error());
  Tensors args = (*traced)->consts;
  bool hasRefs = std::any_of(args.begin(), args.end(),
                             [](const Tensor &x) { return x.aval().isRef(); });
  // Without references nobody can see what it does.
  if (!hasRefs)
    return;
  KernelParam kernel;
  kernel.jaxpr = constantsToInputs(*traced);
  kernel.mesh = mesh;
  kernel.options = options;
  Param interpret =
      options.detectRaces ? Param(std::string("races")) : Param(false);
  Tensors done = frontend::bind(coreMapP, args,
                                {{"jaxpr", kernel.jaxpr},
                                 {"mesh", objectParam(kernel)},
                                 {"interpret", interpret},
                                 {"name", options.name}});
  if (const Error *error = errorIn(done))
    failRecording(*error);
}

void coreMap(const Expected<CoreMesh> &mesh, const std::function<void()> &body,
             const CoreMapOptions &options) {
  if (!mesh)
    return failRecording(mesh.error());
  coreMap(*mesh, body, options);
}
void coreMap(const Mesh &, const std::function<void()> &,
             const CoreMapOptions &) {
  failRecording(
      notImplemented("Mesh type <class 'jax.sharding.Mesh'> not supported."));
}

void detail::failBodyWithResult(const std::string &name,
                                const TreeDef &result) {
  failRecording(valueError("The kernel function in core_map ", name,
                           " should return None. It returns a PyTree: "
                           "PyTreeDef(",
                           pythonTreeText(result.text), ")."));
}

Tensors dischargeCoreMap(const Params &params, Tensors &ins,
                         const std::vector<bool> &) {
  const KernelParam &kernel = kernelOf(params);
  std::vector<bool> written = writtenInputs(*kernel.jaxpr);
  auto count =
      static_cast<size_t>(std::count(written.begin(), written.end(), true));
  // What it writes nowhere cannot be seen.
  if (!count)
    return {};
  Tensors outs = bindMany(*findPrimitive("core_kernel"), count, ins,
                          {{"mesh", *params.find("mesh")}});
  if (const Error *error = errorIn(outs))
    return {Tensor(*error)};
  for (size_t i = 0, next = 0; i < written.size(); ++i)
    if (written[i])
      ins[i] = outs[next++];
  return {};
}

} // namespace shardwright::frontend

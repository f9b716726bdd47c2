//===- compile_module.cc - from a module to an executable -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/compile_module.h"

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/jit/compiled_program.h"
#include "shardwright/frontend/jit/find_shardings.h"
#include "shardwright/frontend/jit/forward_program.h"
#include "shardwright/frontend/jit/host_calls.h"
#include "shardwright/frontend/jit/module_context.h"
#include "shardwright/frontend/mesh/device_check.h"

#include "mlir/Parser/Parser.h"

namespace shardwright::frontend {

Sharding replicatedOn(const std::vector<Device> &devices,
                      const std::vector<Mesh> &known) {
  if (!known.empty())
    return *Sharding::named(known[0], P());
  if (devices.size() == 1)
    return Sharding::single(devices[0]);
  Expected<Mesh> flat =
      Mesh::get(devices, {static_cast<int64_t>(devices.size())}, {"_axis"});
  return *Sharding::named(*flat, P());
}

namespace {

/// The sharding of a value over the mesh of the user that has these axes.
Sharding shardingOf(const ValueSpec &spec,
                    const std::vector<shardwright::Mesh> &meshes,
                    const std::vector<Mesh> &known,
                    const std::vector<Device> &devices) {
  if (spec.mesh < 0 || (devices.size() == 1 && known.empty()))
    return replicatedOn(devices, known);
  const shardwright::Mesh &mesh = meshes[spec.mesh];
  for (const Mesh &candidate : known) {
    bool matches =
        static_cast<int64_t>(candidate.names().size()) == mesh.numAxes();
    for (int32_t a = 0; matches && a < mesh.numAxes(); ++a)
      matches = candidate.names()[a] == mesh.axisName(a) &&
                candidate.sizes()[a] == mesh.axisSize(a);
    if (!matches)
      continue;
    std::vector<SpecEntry> entries;
    bool full = true;
    for (const DimSharding &dim : spec.sharding.dims) {
      SpecEntry entry;
      for (const AxisRef &axis : dim.axes) {
        full &= mesh.isFull(axis);
        entry.axes.push_back(mesh.axisName(axis.axis).str());
      }
      entries.push_back(std::move(entry));
    }
    while (!entries.empty() && entries.back().axes.empty())
      entries.pop_back();
    if (full)
      return *Sharding::named(candidate, *PartitionSpec::get(entries));
  }
  // Sub-axes: a mesh of their own, with the tiles of the dimensions.
  Ints sizes;
  AxisNames names;
  std::vector<SpecEntry> entries(spec.sharding.dims.size());
  AxisList all = spec.sharding.allAxes();
  AxisList rest = complement(mesh, all);
  AxisList parts = all;
  parts.append(rest.begin(), rest.end());
  llvm::sort(parts);
  for (const AxisRef &part : parts) {
    sizes.push_back(part.size);
    names.push_back(cat("_axis_", names.size()));
  }
  for (size_t d = 0; d < entries.size(); ++d)
    for (const AxisRef &axis : spec.sharding.dims[d].axes)
      entries[d].axes.push_back(names[llvm::find(parts, axis) - parts.begin()]);
  Expected<Mesh> split = Mesh::get(devices, sizes, names);
  Expected<PartitionSpec> partition = PartitionSpec::get(entries);
  if (!split || !partition)
    return Sharding();
  return *Sharding::named(*split, *partition);
}

/// Meshes of the user in this program.
void collectMeshes(const Jaxpr &jaxpr, const std::vector<Device> &devices,
                   std::vector<Mesh> &out) {
  auto add = [&](const Sharding &s) {
    if (!s.isNamed())
      return;
    Mesh mesh = s.mesh();
    if (mesh.empty()) {
      Expected<Mesh> concrete =
          Mesh::get(devices, s.abstractMesh().sizes(), s.abstractMesh().names(),
                    s.abstractMesh().types());
      if (!concrete)
        return;
      mesh = *concrete;
    }
    if (std::find(out.begin(), out.end(), mesh) == out.end())
      out.push_back(mesh);
  };
  forEachSharding(jaxpr, [&](const Eqn &, const Sharding &s) { add(s); });
}

} // namespace

std::vector<Mesh> meshesOf(const LoweredProgram &lowered,
                           const std::vector<Device> &devices) {
  std::vector<Mesh> out;
  auto add = [&](const Sharding &s) {
    if (s.isNamed() && !s.mesh().empty() &&
        std::find(out.begin(), out.end(), s.mesh()) == out.end())
      out.push_back(s.mesh());
  };
  for (const Sharding &s : lowered.request.ins)
    add(s);
  for (const Sharding &s : lowered.request.outs)
    add(s);
  if (!contextMesh().empty())
    out.push_back(contextMesh());
  collectMeshes(*lowered.jaxpr, devices, out);
  return out;
}

std::shared_ptr<const Layout>
layoutAt(const std::vector<std::optional<Layout>> &list, size_t i) {
  if (i >= list.size() || !list[i] || list[i]->isAuto() ||
      list[i]->isRowMajor())
    return nullptr;
  return std::make_shared<const Layout>(*list[i]);
}

bool isCommitted(const LoweredProgram &lowered,
                 const std::vector<Device> &devices,
                 const std::vector<Mesh> &known) {
  auto isSpecified = [](const Sharding &s) { return s.isSpecified(); };
  return devices.size() > 1 || !known.empty() ||
         llvm::any_of(lowered.request.ins, isSpecified) ||
         llvm::any_of(lowered.request.outs, isSpecified);
}

namespace {

/// The sharding of a result as JAX spells it: that of its type, if its axes are
/// Explicit, or that of an argument of the same rank with equal tiles.
Sharding spelled(const Sharding &found, const Aval &aval,
                 const CompiledProgram &program,
                 const std::vector<Mesh> &known) {
  if (const auto &typed = aval.sharding;
      typed && typed->mesh.anyIs(AxisType::Explicit))
    for (const Mesh &mesh : known) {
      if (!(mesh.abstractMesh() == typed->mesh))
        continue;
      Expected<Sharding> own =
          Sharding::named(mesh, typed->spec.normalized(aval.rank()));
      if (own && (typed->mesh.allAre(AxisType::Explicit) ||
                  own->isEquivalentTo(found, aval.rank())))
        return *own;
    }
  for (size_t i = 0; i < program.ins.size(); ++i)
    if (program.inAvals[i].rank() == aval.rank() && program.ins[i].isNamed() &&
        program.ins[i].mesh() == found.mesh() &&
        program.ins[i].isEquivalentTo(found, aval.rank()))
      return program.ins[i];
  return found;
}

/// True if the program calls registered functions by name.
bool callsByName(const Jaxpr &jaxpr) {
  return llvm::any_of(jaxpr.eqns, [](const Eqn &eqn) {
    bool calls = eqn.primitive->name == "ffi_call";
    Jaxpr::forEachInner(eqn.params, [&](const JaxprPtr &inner) {
      calls = calls || callsByName(*inner);
    });
    return calls;
  });
}

/// The options ask for this sharding, and leave nothing to propagation.
bool isGiven(const Sharding &sharding) {
  return sharding.isConcrete() && !sharding.spec().hasUnconstrained();
}

} // namespace

Expected<CompiledPtr> compileModule(const LoweredPtr &lowered,
                                    const std::vector<Device> &devices) {
  SW_TRY(configEnvironment());
  SW_TRY(checkDevices(devices));
  // Errors, reports and traces name operations and places of the user's source.
  Expected<std::string> text = locatedText(*lowered);
  if (!text)
    return text.error();
  ModuleContext &shared = moduleContext();
  std::lock_guard lock(shared.mutex);
  ErrorText errors(&shared.context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(*text, &shared.context);
  if (!module)
    return errors.error();
  Expected<ProgramOptions> chosen = programOptions(*lowered);
  if (!chosen)
    return chosen.error();
  CompileOptions &options = chosen->compile;
  HostCalls calls(lowered->callbacks);
  std::vector<Mesh> known = meshesOf(*lowered, devices);
  auto out = std::make_shared<CompiledProgram>();
  if (failed(calls.prepare(*module, devices, known, options)) ||
      failed(findShardings(*module, *lowered, *chosen, out->search)) ||
      failed(findInnerShardings(*module, *lowered, *chosen)))
    return errors.error();
  calls.dropAdopted();
  mlir::FailureOr<Compiled> compiled = compile(*module, options);
  if (failed(compiled))
    return errors.error();
  out->executable = compiled->executable;
  out->report = std::move(compiled->report);
  out->report.module = module->getName().value_or("module").str();
  out->kept = lowered->kept;
  out->donated = lowered->consumed;
  out->name = cat("jit(", lowered->request.name, ")");
  out->devices = devices;
  out->effects = lowered->jaxpr->effects;
  out->callbacks = calls.names();
  out->callsUser = !out->callbacks.empty() || callsByName(*lowered->jaxpr);
  if (compiled->executable->numDevices() !=
      static_cast<int64_t>(devices.size()))
    return valueError("The program was compiled for ",
                      compiled->executable->numDevices(), " devices, but ",
                      devices.size(), " are assigned");
  size_t next = 0;
  for (size_t i = 0; i < lowered->kept.size(); ++i) {
    if (!lowered->kept[i])
      continue;
    const Sharding &given =
        i < lowered->request.ins.size() ? lowered->request.ins[i] : Sharding();
    out->ins.push_back(isGiven(given)
                           ? given
                           : shardingOf(compiled->arguments[next],
                                        compiled->meshes, known, devices));
    if (given.isConcrete() && !given.memoryKind().empty())
      out->ins.back() = *out->ins.back().withMemoryKind(given.memoryKind());
    out->inAvals.push_back(lowered->jaxpr->types[lowered->jaxpr->ins[next]]);
    out->inLayouts.push_back(layoutAt(lowered->request.inLayouts, i));
    ++next;
  }
  for (size_t i = 0; i < lowered->jaxpr->outs.size(); ++i) {
    out->outAvals.push_back(lowered->jaxpr->aval(lowered->jaxpr->outs[i]));
    out->outLayouts.push_back(layoutAt(lowered->request.outLayouts, i));
    const Sharding &given = i < lowered->request.outs.size()
                                ? lowered->request.outs[i]
                                : Sharding();
    // The array's memory is part of its type.
    Aval &aval = out->outAvals.back();
    out->outs.push_back(
        isGiven(given) ? given
                       : spelled(shardingOf(compiled->results[i],
                                            compiled->meshes, known, devices),
                                 aval, *out, known));
    if (given.isConcrete() && !given.memoryKind().empty())
      out->outs.back() = *out->outs.back().withMemoryKind(given.memoryKind());
    if (aval.onHost && !given.isSpecified())
      out->outs.back() = *out->outs.back().withMemoryKind("pinned_host");
    aval.onHost = out->outs.back().memoryKind() == "pinned_host";
  }
  out->committed = isCommitted(*lowered, devices, known);
  out->prepareCalls();
  return CompiledPtr(out);
}

Expected<std::string> prettyText(const std::string &text, bool withLocations) {
  ModuleContext &shared = moduleContext();
  std::lock_guard lock(shared.mutex);
  ErrorText errors(&shared.context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &shared.context);
  if (!module)
    return errors.error();
  return moduleText(*module, withLocations);
}

void CompiledProgram::prepareCalls() {
  for (Device d : devices)
    options.devices.push_back(d.id);
  options.synchronous = devices.size() == 1;
  donatesAny = llvm::is_contained(donated, true);
}

const std::vector<Sharding> &inputShardings(const CompiledProgram &program) {
  return program.ins;
}
const std::vector<Sharding> &outputShardings(const CompiledProgram &program) {
  return program.outs;
}
static std::vector<Format>
formatsOf(const std::vector<Sharding> &shardings,
          const std::vector<std::shared_ptr<const Layout>> &layouts,
          const std::vector<Aval> &types) {
  std::vector<Format> out;
  for (size_t i = 0; i < shardings.size(); ++i)
    out.push_back(Format::ofArray(
        layouts[i] ? *layouts[i] : Layout::rowMajor(types[i].rank()),
        shardings[i]));
  return out;
}
std::vector<Format> inputFormats(const CompiledProgram &program) {
  return formatsOf(program.ins, program.inLayouts, program.inAvals);
}
std::vector<Format> outputFormats(const CompiledProgram &program) {
  return formatsOf(program.outs, program.outLayouts, program.outAvals);
}
std::vector<Aval> outputTypes(const CompiledProgram &program) {
  return program.outAvals;
}
std::map<std::string, double> costAnalysis(const CompiledProgram &program) {
  std::map<std::string, double> out;
  if (!program.executable)
    return out;
  for (const auto &[name, value] : program.executable->cost().named())
    out[name] = value;
  return out;
}
std::map<std::string, int64_t> memoryAnalysis(const CompiledProgram &program) {
  if (program.forwarding)
    return forwardingMemory(program);
  MemoryStatistics m = program.executable->memory();
  return {{"argument_size_in_bytes", m.arguments},
          {"output_size_in_bytes", m.results},
          {"temp_size_in_bytes", m.temporaries},
          {"alias_size_in_bytes", m.reusedByResults}};
}
const std::vector<bool> &keptInputs(const CompiledProgram &program) {
  return program.kept;
}

} // namespace shardwright::frontend

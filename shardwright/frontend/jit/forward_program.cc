//===- forward_program.cc - programs that only forward --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/forward_program.h"

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/jit/compile_module.h"
#include "shardwright/frontend/jit/find_shardings.h"
#include "shardwright/frontend/mesh/device_check.h"
#include "shardwright/frontend/transform/jit_primitive.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

using Results = std::vector<ForwardedResult>;

/// The results of a program, given what its inputs are; none if it computes.
std::optional<Results> follow(const Jaxpr &jaxpr, const Results &ins) {
  std::map<int32_t, ForwardedResult> values;
  for (size_t i = 0; i < jaxpr.constVars.size(); ++i)
    values[jaxpr.constVars[i]] = {-1, jaxpr.consts[i]};
  for (size_t i = 0; i < jaxpr.ins.size(); ++i)
    values[jaxpr.ins[i]] = ins[i];
  auto valuesOf = [&](const std::vector<Atom> &atoms) {
    Results out;
    for (const Atom &atom : atoms)
      out.push_back(atom.isVar() ? values[atom.var]
                                 : ForwardedResult{-1, atom.literal});
    return out;
  };
  for (const Eqn &eqn : jaxpr.eqns) {
    if (!isPlainJit(eqn))
      return std::nullopt;
    JaxprPtr body = eliminateDeadCode(*eqn.params.jaxpr("jaxpr"));
    std::optional<Results> outs = follow(*body, valuesOf(eqn.ins));
    if (!outs)
      return std::nullopt;
    for (size_t i = 0; i < outs->size(); ++i)
      values[eqn.outs[i]] = (*outs)[i];
  }
  return valuesOf(jaxpr.outs);
}

/// Buffers of their own with the memory of these.
Expected<std::vector<Buffer>> sharing(const std::vector<Buffer> &buffers) {
  std::vector<Buffer> out;
  for (const Buffer &buffer : buffers) {
    auto storage = buffer.storage();
    if (!storage)
      return fromLlvm(storage.takeError());
    out.emplace_back(buffer.device(), buffer.memory(), buffer.type(),
                     buffer.shape(), std::move(*storage), buffer.ready());
  }
  return out;
}

/// An array of its own with the memory of `array` on these devices.
Tensor sharedArray(const ArrayValue &array, const Aval &aval,
                   const Sharding &sharding, bool committed) {
  Expected<std::vector<Buffer>> buffers = array.buffersOn(sharding);
  if (!buffers)
    return buffers.error();
  Expected<std::vector<Buffer>> own = sharing(*buffers);
  if (!own)
    return own.error();
  return arrayOfBuffers(aval, sharding, committed, std::move(*own));
}

/// The sharding of an input: what is asked for, on the devices of the program.
Expected<Sharding> placed(const Sharding &given, const Aval &aval,
                          const std::vector<Device> &devices,
                          const std::vector<Mesh> &known) {
  if (given.isConcrete())
    return given;
  AbstractMesh abstract = given.abstractMesh();
  PartitionSpec spec = given.spec();
  if (!given.isSpecified()) {
    if (!aval.sharding) {
      Sharding all = replicatedOn(devices, known);
      if (aval.onHost)
        return all.withMemoryKind("pinned_host");
      return all;
    }
    abstract = aval.sharding->mesh;
    spec = aval.sharding->spec;
  }
  Expected<Mesh> mesh =
      Mesh::get(devices, abstract.sizes(), abstract.names(), abstract.types());
  if (!mesh)
    return mesh.error();
  return Sharding::named(*mesh, spec, given.memoryKind());
}

/// Keeps a constant under another name, so that the caller may delete it.
Status keepConstant(ForwardedResult &result, CompiledProgram &program,
                    const std::vector<Mesh> &known) {
  const Aval &aval = result.constant.aval();
  const ArrayValue *array = asArray(result.constant);
  if (!array)
    return typeError("a compiled program returns a traced value");
  bool isPlaced = array->sharding.isSpecified();
  Sharding sharding =
      isPlaced ? array->sharding : replicatedOn(program.devices, known);
  result.constant = sharedArray(
      *array, aval, sharding, isPlaced ? array->committed : program.committed);
  if (!result.constant.ok())
    return result.constant.error();
  program.outs.push_back(std::move(sharding));
  return {};
}

int64_t shardBytes(const Aval &aval, const Sharding &sharding) {
  Expected<Shape> local = sharding.shardShape(aval.shape);
  return local ? bytesOf(aval.withShape(*local)) : bytesOf(aval);
}

} // namespace

std::optional<Results> forwardedResults(const LoweredProgram &lowered) {
  const ProgramRequest &request = lowered.request;
  if (!lowered.jaxpr->effects.empty() ||
      std::any_of(request.outs.begin(), request.outs.end(),
                  [](const Sharding &s) { return s.isSpecified(); }) ||
      std::any_of(request.outLayouts.begin(), request.outLayouts.end(),
                  [](const auto &layout) { return layout.has_value(); }) ||
      std::any_of(
          request.ins.begin(), request.ins.end(),
          [](const Sharding &s) { return s.spec().hasUnconstrained(); }))
    return std::nullopt;
  Results ins;
  for (size_t i = 0; i < lowered.jaxpr->ins.size(); ++i)
    ins.push_back({static_cast<int64_t>(i)});
  return follow(*eliminateDeadCode(*lowered.jaxpr), ins);
}

Expected<CompiledPtr> forwardProgram(const LoweredPtr &lowered, Results results,
                                     const std::vector<Device> &devices) {
  SW_TRY(configEnvironment());
  SW_TRY(checkDevices(devices));
  if (Expected<ProgramOptions> options = programOptions(*lowered); !options)
    return options.error();
  const Jaxpr &jaxpr = *lowered->jaxpr;
  const ProgramRequest &request = lowered->request;
  auto out = std::make_shared<CompiledProgram>();
  out->kept = lowered->kept;
  out->donated = lowered->consumed;
  out->name = cat("jit(", request.name, ")");
  out->devices = devices;
  std::vector<Mesh> known = meshesOf(*lowered, devices);
  out->committed = isCommitted(*lowered, devices, known);
  for (size_t i = 0; i < lowered->kept.size(); ++i) {
    if (!lowered->kept[i])
      continue;
    const Aval &aval = jaxpr.types[jaxpr.ins[out->ins.size()]];
    Expected<Sharding> sharding =
        placed(i < request.ins.size() ? request.ins[i] : Sharding(), aval,
               devices, known);
    if (!sharding)
      return sharding.error();
    out->ins.push_back(*sharding);
    out->inAvals.push_back(aval);
    out->inLayouts.push_back(layoutAt(request.inLayouts, i));
  }
  for (size_t r = 0; r < results.size(); ++r) {
    out->outAvals.push_back(jaxpr.aval(jaxpr.outs[r]));
    out->outLayouts.emplace_back();
    if (results[r].input < 0)
      SW_TRY(keepConstant(results[r], *out, known));
    else
      out->outs.push_back(out->ins[results[r].input]);
    out->outAvals.back().onHost =
        out->outs.back().memoryKind() == "pinned_host";
  }
  out->forwarding = std::make_shared<const Forwarding>(
      Forwarding{std::move(results), lowered});
  out->prepareCalls();
  return CompiledPtr(out);
}

Tensors runForwarding(const CompiledProgram &program, const Tensors &args) {
  std::vector<const ArrayValue *> kept;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].ok())
      return {args[i]};
    if (!program.kept[i])
      continue;
    kept.push_back(asArray(args[i]));
    if (!kept.back())
      return {typeError("a traced value was passed to a compiled program")};
    if (args[i].isDeleted())
      return {kept.back()->deletedError()};
  }
  if (program.donatesAny)
    if (Status valid = checkDonated(program, args); !valid)
      return {Tensor(valid.error())};
  Tensors outs;
  for (size_t r = 0; r < program.outs.size(); ++r) {
    const auto &[input, constant] = program.forwarding->results[r];
    outs.push_back(sharedArray(
        input < 0 ? *asArray(constant) : *kept[input], program.outAvals[r],
        program.outs[r], input < 0 ? constant.committed() : program.committed));
    if (!outs.back().ok())
      return {outs.back()};
  }
  removeDonated(program, args);
  return outs;
}

std::map<std::string, int64_t>
forwardingMemory(const CompiledProgram &program) {
  int64_t arguments = 0, results = 0;
  for (size_t i = 0; i < program.ins.size(); ++i)
    arguments += shardBytes(program.inAvals[i], program.ins[i]);
  for (size_t r = 0; r < program.outs.size(); ++r)
    results += shardBytes(program.outAvals[r], program.outs[r]);
  return {{"argument_size_in_bytes", arguments},
          {"output_size_in_bytes", results},
          {"temp_size_in_bytes", 0},
          {"alias_size_in_bytes", results}};
}

} // namespace shardwright::frontend

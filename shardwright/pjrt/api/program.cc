//===- program.cc - a compiled program and its metadata -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/program.h"

#include "shardwright/mesh/hlo/named_conversion.h"
#include "shardwright/mesh/hlo/proto_wire.h"
#include "shardwright/pjrt_abi/element_types.h"
#include "shardwright/support/byte_stream.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace shardwright;
using namespace shardwright::pjrt;

void StringTable::add(std::string text) {
  const std::string &kept = texts.emplace_back(std::move(text));
  pointers.push_back(kept.data());
  sizes.push_back(kept.size());
}

/// The field of xla.OpSharding (metadata 7 {op_type 1, op_name 2}) where
/// clients read the kind of partial maxima and minima. Without it they are
/// sums.
static std::string kindMetadata(const UnreducedAxes &unreduced) {
  if (unreduced.empty() || unreduced.kind == ReductionKind::Sum)
    return {};
  ProtoWriter metadata, field;
  metadata.string(1, "sdy::reduction_op");
  metadata.string(2, stringify(unreduced.kind).upper());
  field.message(7, metadata.take());
  return field.take();
}

/// The sharding over the partitions of one replica, as xla.OpSharding.
static std::string shardingProto(const Executable &executable,
                                 const ValueSpec &spec, int64_t replicas) {
  if (spec.mesh < 0)
    return {};
  const Mesh &mesh = executable.meshes()[spec.mesh];
  if (mesh.numAxes() == 0)
    return {};
  NamedHloSharding named;
  named.sharding = spec.sharding;
  if (replicas == 1) {
    named.mesh = mesh;
  } else {
    // Replicas are the outermost axis, which no sharding uses.
    llvm::SmallVector<MeshAxis, 4> axes(llvm::drop_begin(mesh.axes()));
    int64_t partitions = mesh.numDevices() / replicas;
    llvm::SmallVector<int64_t, 0> ids(
        mesh.deviceIds().take_front(mesh.deviceIds().empty() ? 0 : partitions));
    named.mesh = Mesh(axes, ids);
    auto shift = [](AxisList &list) {
      for (AxisRef &axis : list)
        --axis.axis;
    };
    for (DimSharding &dim : named.sharding.dims)
      shift(dim.axes);
    shift(named.sharding.replicated);
    shift(named.sharding.unreduced);
  }
  return toTiled(named).toProto() + kindMetadata(spec.sharding.unreduced);
}

void ClientProgram::describe() {
  int64_t replicas = executable->program().numReplicas();
  for (int32_t result : resultOf) {
    if (result < 0) {
      outputTypes.push_back(PJRT_Buffer_Type_TOKEN);
      outputRanks.push_back(0);
      outputMemories.add(str(MemoryKind::Device).str());
      outputShardings.add("");
      continue;
    }
    const ValueSpec &spec = executable->results()[result];
    outputTypes.push_back(toPjrt(spec.type));
    llvm::ArrayRef<int64_t> local =
        executable->program().results()[result].shape;
    outputDims.insert(outputDims.end(), local.begin(), local.end());
    outputRanks.push_back(local.size());
    outputMemories.add(str(spec.memory).str());
    outputShardings.add(shardingProto(*executable, spec, replicas));
  }
  for (int32_t argument : argumentOf) {
    const ValueSpec *spec =
        argument < 0 ? nullptr : &executable->arguments()[argument];
    parameterMemories.add(str(spec ? spec->memory : MemoryKind::Device).str());
    parameterShardings.add(spec ? shardingProto(*executable, *spec, replicas)
                                : "");
  }
  CostAnalysis cost = executable->cost();
  for (const auto &[name, value] : cost.named())
    costs.add(name, float(value));
}

static constexpr llvm::StringLiteral magic("shardwright pjrt executable 2\n");

llvm::Expected<std::string> pjrt::serialize(const ClientProgram &program) {
  auto executable = program.executable->serialize();
  if (!executable)
    return executable.takeError();
  cpu::ByteWriter bytes;
  bytes.string(program.name);
  bytes.string(program.request.bytes);
  bytes.integers(program.argumentOf);
  bytes.integers(program.resultOf);
  for (const auto *list :
       {&program.layouts.arguments, &program.layouts.results})
    for (const MinorToMajor &layout : *list)
      bytes.integers(layout);
  bytes.string(program.text);
  bytes.string(program.fingerprint);
  bytes.string(*executable);
  return magic.str() + bytes.take();
}

llvm::Expected<std::shared_ptr<ClientProgram>>
pjrt::deserialize(llvm::StringRef bytes, Backend &backend) {
  auto fail = [](const llvm::Twine &why) {
    return llvm::createStringError(
        "INVALID_ARGUMENT: the executable cannot be loaded: " + why);
  };
  if (!bytes.consume_front(magic))
    return fail("these bytes are not an executable of this plugin");
  cpu::ByteReader reader(bytes);
  auto program = std::make_shared<ClientProgram>();
  program->name = reader.string().str();
  auto request = readCompileOptions(reader.string());
  if (!request)
    return fail(llvm::toString(request.takeError()));
  program->request = std::move(*request);
  reader.integers(program->argumentOf);
  reader.integers(program->resultOf);
  program->layouts.arguments.resize(program->argumentOf.size());
  program->layouts.results.resize(program->resultOf.size());
  for (auto *list : {&program->layouts.arguments, &program->layouts.results})
    for (MinorToMajor &layout : *list)
      reader.integers(layout);
  program->text = reader.string().str();
  program->fingerprint = reader.string().str();
  llvm::StringRef code = reader.string();
  if (reader.failed() || !reader.atEnd())
    return fail("it is damaged");
  auto executable = Executable::deserialize(code, backend);
  if (!executable)
    return fail(llvm::toString(executable.takeError()));
  program->executable = std::move(*executable);
  auto fits = [](llvm::ArrayRef<int32_t> positions, size_t count) {
    return llvm::all_of(
        positions, [&](int32_t i) { return i >= -1 && i < int64_t(count); });
  };
  if (!fits(program->argumentOf, program->executable->arguments().size()) ||
      !fits(program->resultOf, program->executable->results().size()) ||
      program->executable->numDevices() != program->request.numDevices())
    return fail("its parts do not fit together");
  program->describe();
  return program;
}

PJRT_Error *pjrt::load(std::shared_ptr<PJRT_Client> client,
                       std::shared_ptr<ClientProgram> program,
                       PJRT_LoadedExecutable *&loaded) {
  const CompileRequest &request = program->request;
  int64_t count = request.numDevices();
  auto object = std::make_shared<PJRT_LoadedExecutable>();
  if (count > int64_t(client->devices.size()))
    return invalid("the program runs on " + llvm::Twine(count) +
                   " devices, there are " +
                   llvm::Twine(client->devices.size()));
  for (int64_t i = 0; i < count; ++i) {
    int64_t id = request.assignment.empty() ? i : request.assignment[i];
    if (id < 0 || id >= int64_t(client->devices.size()))
      return invalid("the device assignment has device " + llvm::Twine(id) +
                     ", devices are numbered from 0 to " +
                     llvm::Twine(client->devices.size() - 1));
    PJRT_Device *device = client->devicePointers[id];
    object->devices.push_back(device);
    if (!device->localId)
      continue;
    object->addressableDevices.push_back(device);
    object->logicalIds.push_back(
        {int(i / request.numPartitions), int(i % request.numPartitions)});
  }
  object->client = std::move(client);
  object->program = std::move(program);
  loaded = handles<PJRT_LoadedExecutable>().add(std::move(object));
  return nullptr;
}

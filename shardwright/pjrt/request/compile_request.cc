//===- compile_request.cc - compile options of a client -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/request/compile_request.h"

#include "shardwright/backend/device.h"
#include "shardwright/mesh/hlo/proto_wire.h"
#include "shardwright/pjrt/request/option_order.h"
#include "shardwright/support/byte_stream.h"
#include "shardwright/support/id_map.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace shardwright;
using namespace shardwright::pjrt;

static llvm::Error malformed(const char *what) {
  return llvm::createStringError(llvm::Twine("the compile options hold a ") +
                                 what + " that is malformed");
}

/// Reads xla.DeviceAssignmentProto: replica_count 1, computation_count 2,
/// computation_devices 3 {replica_device_ids 1}.
static llvm::Error readAssignment(llvm::StringRef bytes,
                                  CompileRequest &request) {
  int64_t replicas = 0, partitions = 0;
  std::vector<llvm::SmallVector<int64_t, 1>> columns;
  ProtoReader reader(bytes, fieldSet({1, 2}), fieldSet({3}));
  while (!reader.atEnd()) {
    if (!reader.next())
      return malformed("device assignment");
    if (reader.field() == 1)
      replicas = reader.varint32();
    if (reader.field() == 2)
      partitions = reader.varint32();
    if (reader.field() != 3)
      continue;
    ProtoReader column(reader.bytes(), fieldSet({1}), fieldSet({1}));
    auto &ids = columns.emplace_back();
    while (!column.atEnd())
      if (!column.next() || (column.field() == 1 && !column.repeated(ids)))
        return malformed("device assignment");
  }
  if (replicas < 1 || partitions < 1 || int64_t(columns.size()) != partitions ||
      replicas > kMaxDevices || partitions > kMaxDevices / replicas)
    return malformed("device assignment");
  request.assignment.resize(replicas * partitions);
  IdSet seen;
  for (int64_t p = 0; p < partitions; ++p) {
    if (int64_t(columns[p].size()) != replicas)
      return malformed("device assignment");
    for (int64_t r = 0; r < replicas; ++r) {
      request.assignment[r * partitions + p] = columns[p][r];
      if (!seen.insert(columns[p][r]).second)
        return llvm::createStringError("the device assignment has device " +
                                       llvm::Twine(columns[p][r]) + " twice");
    }
  }
  return llvm::Error::success();
}

static llvm::Error readBuildOptions(llvm::StringRef bytes,
                                    CompileRequest &request) {
  ProtoReader reader(bytes, fieldSet({4, 5, 7, 12, 16, 17, 18, 19}),
                     fieldSet({9, 12, 16, 17, 18}));
  while (!reader.atEnd()) {
    if (!reader.next())
      return malformed("message of build options");
    switch (reader.field()) {
    case 4:
      request.numReplicas = reader.varint();
      break;
    case 5:
      request.numPartitions = reader.varint();
      break;
    case 7:
      request.usesAuto = reader.varint();
      break;
    case 9:
      if (llvm::Error e = readAssignment(reader.bytes(), request))
        return e;
      break;
    case 12:
      if (!reader.repeated(request.chooseOutputs))
        return malformed("list of outputs");
      break;
    case 16:
      if (!reader.repeated(request.autoMeshShape))
        return malformed("shape of a mesh");
      break;
    case 17:
      if (!reader.repeated(request.autoMeshIds))
        return malformed("list of the devices of a mesh");
      break;
    case 18:
      if (!reader.repeated(request.chooseParameters))
        return malformed("list of parameters");
      break;
    case 19:
      request.usesShardy = reader.varint();
      break;
    }
  }
  return llvm::Error::success();
}

/// Reads an entry of map<string, OptionOverrideProto>: string 1, bool 2, int64
/// 3. Doubles are not read; none of our options is a double.
static llvm::Error readOverride(llvm::StringRef bytes,
                                CompileRequest &request) {
  NamedText option;
  ProtoReader entry(bytes, 0, fieldSet({1, 2}));
  while (!entry.atEnd()) {
    if (!entry.next())
      return malformed("option");
    if (entry.field() == 1)
      option.name = entry.bytes().str();
    if (entry.field() != 2)
      continue;
    ProtoReader value(entry.bytes(), fieldSet({2, 3}), fieldSet({1}));
    while (!value.atEnd()) {
      if (!value.next())
        return malformed("option");
      if (value.field() == 1)
        option.value = value.bytes().str();
      else if (value.field() == 2)
        option.value = value.varint() ? "True" : "False";
      else if (value.field() == 3)
        option.value = std::to_string(value.varint());
    }
  }
  request.overrides.push_back(std::move(option));
  return llvm::Error::success();
}

/// Checks the mesh of automatic sharding, and turns its device ids into
/// positions in the assignment.
static llvm::Error checkAutoMesh(CompileRequest &request) {
  if (!request.usesAuto) {
    request.autoMeshShape.clear();
    request.autoMeshIds.clear();
    return llvm::Error::success();
  }
  int64_t devices = 1;
  for (int64_t size : request.autoMeshShape) {
    if (size < 1 || size > request.numPartitions / devices)
      return llvm::createStringError(
          "the mesh of automatic sharding has an axis of size " +
          llvm::Twine(size) + ", expected axes of " +
          llvm::Twine(request.numPartitions) + " partitions");
    devices *= size;
  }
  if (!request.autoMeshShape.empty() && devices != request.numPartitions)
    return llvm::createStringError(
        "the mesh of automatic sharding has " + llvm::Twine(devices) +
        " devices, expected " + llvm::Twine(request.numPartitions) +
        " partitions");
  llvm::SmallVector<bool, 8> seen(devices);
  for (int64_t &id : request.autoMeshIds) {
    if (auto at = llvm::find(request.assignment, id);
        at != request.assignment.end())
      id = at - request.assignment.begin();
    if (id < 0 || id >= devices || seen[id])
      return llvm::createStringError(
          "the mesh of automatic sharding has device " + llvm::Twine(id) +
          ", expected each of 0 to " + llvm::Twine(devices - 1) + " once");
    seen[id] = true;
  }
  if (!request.autoMeshIds.empty() &&
      int64_t(request.autoMeshIds.size()) != devices)
    return llvm::createStringError("the mesh of automatic sharding lists " +
                                   llvm::Twine(request.autoMeshIds.size()) +
                                   " of " + llvm::Twine(devices) + " devices");
  return llvm::Error::success();
}

llvm::Expected<CompileRequest> pjrt::readCompileOptions(llvm::StringRef bytes) {
  CompileRequest request;
  request.bytes = inFixedOrder(bytes);
  ProtoReader reader(bytes, fieldSet({4}), fieldSet({3, 7}));
  while (!reader.atEnd()) {
    if (!reader.next())
      return malformed("field");
    if (reader.field() == 3)
      if (llvm::Error e = readBuildOptions(reader.bytes(), request))
        return e;
    if (reader.field() == 4)
      request.isPortable = reader.varint();
    if (reader.field() == 7)
      if (llvm::Error e = readOverride(reader.bytes(), request))
        return e;
  }
  request.numReplicas = std::max<int64_t>(request.numReplicas, 1);
  request.numPartitions = std::max<int64_t>(request.numPartitions, 1);
  if (request.numReplicas > kMaxDevices ||
      request.numPartitions > kMaxDevices / request.numReplicas)
    return llvm::createStringError(
        llvm::Twine(request.numReplicas) + " replicas of " +
        llvm::Twine(request.numPartitions) + " partitions are too many");
  if (!request.assignment.empty() &&
      int64_t(request.assignment.size()) != request.numDevices())
    return llvm::createStringError(
        "the device assignment has " + llvm::Twine(request.assignment.size()) +
        " devices, expected " + llvm::Twine(request.numReplicas) +
        " replicas of " + llvm::Twine(request.numPartitions) + " partitions");
  if (llvm::Error e = checkAutoMesh(request))
    return std::move(e);
  return request;
}

std::string CompileRequest::key() const {
  // Options of equal names keep their order: the last one counts.
  std::multimap<llvm::StringRef, llvm::StringRef> sorted;
  for (const NamedText &option : overrides)
    sorted.emplace(option.name, option.value);
  cpu::ByteWriter writer;
  for (int64_t value :
       {numReplicas, numPartitions, int64_t(isPortable), int64_t(usesShardy),
        int64_t(usesAuto), int64_t(isTorchXla)})
    writer.integer(value);
  for (const auto *list : {&assignment, &chooseOutputs, &chooseParameters,
                           &autoMeshShape, &autoMeshIds})
    writer.integers(*list);
  for (auto [name, value] : sorted) {
    writer.string(name);
    writer.string(value);
  }
  return writer.take();
}

std::string pjrt::writeAssignment(const CompileRequest &request) {
  ProtoWriter writer;
  writer.varint(1, request.numReplicas);
  writer.varint(2, request.numPartitions);
  for (int64_t p = 0; p < request.numPartitions; ++p) {
    llvm::SmallVector<int64_t, 4> ids;
    for (int64_t r = 0; r < request.numReplicas; ++r)
      ids.push_back(request.assignment[r * request.numPartitions + p]);
    ProtoWriter column;
    column.packed(1, ids);
    writer.message(3, column.take());
  }
  return writer.take();
}

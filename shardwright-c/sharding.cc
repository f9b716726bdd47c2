//===- sharding.cc - sharding algebra for C -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright-c/sharding.h"

#include "shardwright/mesh/hlo/named_conversion.h"
#include "shardwright/mesh/hlo/partition_spec.h"
#include "shardwright/mesh/hlo/sharding_checks.h"
#include "shardwright/mesh/nesting.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>
#include <cstring>

using namespace shardwright;

struct SwSharding {
  HloSharding value;
};
struct SwMesh {
  Mesh value;
  std::vector<std::string> names;
};

static char *copyText(llvm::StringRef text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}

static void setError(char **error, llvm::Error e) {
  std::string text = llvm::toString(std::move(e));
  if (error)
    *error = copyText(text);
}

static SwSharding *own(llvm::Expected<HloSharding> s, char **error) {
  if (s)
    return new SwSharding{std::move(*s)};
  setError(error, s.takeError());
  return nullptr;
}

static SwMesh *own(llvm::Expected<Mesh> mesh, char **error) {
  if (!mesh) {
    setError(error, mesh.takeError());
    return nullptr;
  }
  auto *out = new SwMesh{std::move(*mesh), {}};
  for (const MeshAxis &axis : out->value.axes())
    out->names.push_back(axis.name);
  return out;
}

void swStringFree(char *text) { std::free(text); }
void swShardingFree(SwSharding *sharding) { delete sharding; }
void swMeshFree(SwMesh *mesh) { delete mesh; }

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

static llvm::Expected<Mesh> makeMesh(llvm::SmallVector<MeshAxis, 4> axes,
                                     llvm::SmallVector<int64_t, 0> ids) {
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (axis.size < 1)
      return llvm::createStringError("axis '" + axis.name + "' has size " +
                                     llvm::Twine(axis.size));
    for (const MeshAxis &other : llvm::ArrayRef(axes).take_front(i))
      if (other.name == axis.name)
        return llvm::createStringError("axis '" + axis.name + "' occurs twice");
  }
  if (Mesh::numDevicesOverflows(axes))
    return llvm::createStringError(
        "the number of devices does not fit 64 bits");
  if (std::string why = checkDeviceIds(axes, ids); !why.empty())
    return llvm::createStringError(why);
  return Mesh(std::move(axes), std::move(ids));
}

SwMesh *swMeshNew(const char *const *names, const int64_t *sizes,
                  size_t numAxes, const int64_t *deviceIds, size_t numDeviceIds,
                  char **error) {
  llvm::SmallVector<MeshAxis, 4> axes;
  for (size_t i = 0; i < numAxes; ++i)
    axes.push_back({names[i], sizes[i]});
  llvm::SmallVector<int64_t, 0> ids(deviceIds, deviceIds + numDeviceIds);
  return own(makeMesh(std::move(axes), std::move(ids)), error);
}

size_t swMeshNumAxes(const SwMesh *mesh) { return mesh->names.size(); }
int64_t swMeshAxisSize(const SwMesh *mesh, size_t axis) {
  return mesh->value.axisSize(axis);
}
const char *swMeshAxisName(const SwMesh *mesh, size_t axis) {
  return mesh->names[axis].c_str();
}
size_t swMeshDeviceIds(const SwMesh *mesh, int64_t *ids) {
  llvm::ArrayRef<int64_t> all = mesh->value.deviceIds();
  if (ids)
    llvm::copy(all, ids);
  return all.size();
}

SwMesh *swMeshFromShardings(const SwSharding *const *shardings, size_t count,
                            int64_t numDevices, char **error) {
  MeshInference inference;
  for (size_t i = 0; i < count; ++i)
    inference.add(shardings[i]->value);
  return own(inference.infer(numDevices), error);
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

SwSharding *swShardingParse(const char *text, size_t size, char **error) {
  return own(HloSharding::parse({text, size}), error);
}

SwSharding *swShardingFromProto(const char *bytes, size_t size, char **error) {
  return own(HloSharding::fromProto({bytes, size}), error);
}

/// Returns false and sets an error if no value can have this rank.
static bool checkRank(int64_t rank, char **error) {
  if (rank >= 0 && rank <= maxRank)
    return true;
  setError(error,
           llvm::createStringError("rank " + llvm::Twine(rank) +
                                   ", expected 0 to " + llvm::Twine(maxRank)));
  return false;
}

SwSharding *swShardingFromSpec(const char *spec, size_t size,
                               const SwMesh *mesh, int64_t rank,
                               const char *const *manual, size_t numManual,
                               char **error) {
  if (!checkRank(rank, error))
    return nullptr;
  auto parsed = PartitionSpec::parse({spec, size});
  if (!parsed) {
    setError(error, parsed.takeError());
    return nullptr;
  }
  std::vector<std::string> names(manual, manual + numManual);
  return own(toTiled(*parsed, mesh->value, rank, names), error);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

SwShardingKind swShardingGetKind(const SwSharding *sharding) {
  switch (sharding->value.kind()) {
  case HloSharding::Kind::Replicated:
    return SwShardingReplicated;
  case HloSharding::Kind::Maximal:
    return SwShardingMaximal;
  case HloSharding::Kind::Tiled:
    return SwShardingTiled;
  case HloSharding::Kind::Manual:
    return SwShardingManual;
  case HloSharding::Kind::Unknown:
    return SwShardingUnknown;
  case HloSharding::Kind::Unreduced:
    return SwShardingUnreduced;
  case HloSharding::Kind::Tuple:
    return SwShardingTuple;
  case HloSharding::Kind::Named:
    return SwShardingNamed;
  }
  return SwShardingUnknown;
}

int64_t swShardingNumDevices(const SwSharding *sharding) {
  return toTiled(sharding->value).numDevices();
}

size_t swShardingTileDims(const SwSharding *sharding, int64_t *dims) {
  llvm::ArrayRef<int64_t> all = sharding->value.tileDims();
  if (dims)
    llvm::copy(all, dims);
  return all.size();
}

size_t swShardingNumSubgroups(const SwSharding *sharding) {
  return sharding->value.subgroups().size();
}

void swShardingDevices(const SwSharding *sharding, int64_t *devices) {
  HloSharding s = toTiled(sharding->value);
  if (s.isTiled())
    llvm::copy(s.devices().list(), devices);
  else if (s.kind() == HloSharding::Kind::Maximal)
    *devices = s.device();
}

size_t swShardingNumElements(const SwSharding *tuple) {
  return tuple->value.elements().size();
}

SwSharding *swShardingToElement(const SwSharding *tuple, size_t index) {
  if (index >= tuple->value.elements().size())
    return nullptr;
  return new SwSharding{tuple->value.elements()[index]};
}

bool swShardingEqual(const SwSharding *a, const SwSharding *b) {
  return a->value == b->value;
}

bool swShardingHoldsSameData(const SwSharding *a, const SwSharding *b) {
  return holdsSameData(toTiled(a->value), toTiled(b->value));
}

bool swShardingValidate(const SwSharding *sharding, const int64_t *shape,
                        size_t rank, int64_t numDevices, char **error) {
  llvm::Error e = sharding->value.validate({shape, rank}, numDevices);
  if (!e)
    return true;
  setError(error, std::move(e));
  return false;
}

void swShardingShardShape(const SwSharding *sharding, const int64_t *shape,
                          size_t rank, int64_t *local) {
  llvm::copy(shardShape({shape, rank}, toTiled(sharding->value)), local);
}

void swShardingShardBox(const SwSharding *sharding, const int64_t *shape,
                        size_t rank, int64_t position, int64_t *begin,
                        int64_t *end) {
  for (IndexRange range :
       shardBox({shape, rank}, toTiled(sharding->value), position)) {
    *begin++ = range.begin;
    *end++ = range.end;
  }
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

char *swShardingToText(const SwSharding *sharding, bool withMetadata) {
  return copyText(sharding->value.str(withMetadata));
}

char *swShardingToProto(const SwSharding *sharding, size_t *size) {
  std::string bytes = sharding->value.toProto();
  *size = bytes.size();
  return copyText(bytes);
}

SwSharding *swShardingToV1(const SwSharding *sharding) {
  return new SwSharding{toTiled(sharding->value).withDeviceList()};
}

SwSharding *swShardingToV2(const SwSharding *sharding) {
  return new SwSharding{toTiled(sharding->value).withIota()};
}

SwSharding *swShardingToV3(const SwSharding *sharding, const SwMesh *mesh,
                           int64_t rank, char **error) {
  if (!checkRank(rank, error))
    return nullptr;
  auto named = toNamed(sharding->value, mesh->value, rank);
  if (named)
    return new SwSharding{HloSharding::named(std::move(*named))};
  setError(error, named.takeError());
  return nullptr;
}

char *swShardingToSdy(const SwSharding *sharding, const SwMesh *mesh,
                      int64_t rank, char **error) {
  if (!checkRank(rank, error))
    return nullptr;
  auto named = toNamed(sharding->value, mesh->value, rank);
  if (named)
    return copyText(str(named->sharding, named->mesh));
  setError(error, named.takeError());
  return nullptr;
}

char *swShardingToSpec(const SwSharding *sharding, const SwMesh *mesh,
                       char **error) {
  auto spec = toPartitionSpec(sharding->value, mesh->value);
  if (spec)
    return copyText(spec->str());
  setError(error, spec.takeError());
  return nullptr;
}

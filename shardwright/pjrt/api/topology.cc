//===- topology.cc - descriptions of hypothetical devices -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/cpu_backend.h"
#include "shardwright/pjrt/api/client_options.h"
#include "shardwright/pjrt/api/placement.h"
#include "shardwright/pjrt/base/shape_proto.h"
#include "shardwright/pjrt/base/slots.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <numeric>

using namespace shardwright;
using namespace shardwright::pjrt;

static constexpr llvm::StringLiteral platform("shardwright");
static constexpr llvm::StringLiteral
    version("Shardwright " SHARDWRIGHT_VERSION);
static constexpr llvm::StringLiteral magic("shardwright topology\n");

/// A topology of counts[p] devices in each process p. The caller destroys it,
/// and its descriptions with it.
static PJRT_TopologyDescription *newTopology(llvm::ArrayRef<int64_t> counts) {
  int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t(0));
  std::vector<DeviceInfo> devices = cpu::describeDevices(total);
  auto next = devices.begin();
  for (auto [process, count] : llvm::enumerate(counts))
    for (int64_t i = 0; i < count; ++i)
      (next++)->process = process;
  auto topology = makeTopology(devices);
  for (auto &description : topology->descriptions)
    handles<PJRT_DeviceDescription>().add({topology, description.get()});
  return handles<PJRT_TopologyDescription>().add(std::move(topology));
}

PJRT_Error *
pjrt::TopologyDescription_Create(PJRT_TopologyDescription_Create_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    auto given = readNamedValues(args->create_options, args->num_options);
    if (!given)
      return toPjrt(given.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    // The name is `NxM...` with an optional prefix, and gives the number of
    // devices.
    if (args->topology_name_size && !args->topology_name)
      return invalid("the topology's name is a null pointer");
    llvm::StringRef name(args->topology_name, args->topology_name_size);
    auto [before, after] = name.rsplit(':');
    llvm::StringRef sizes = after.empty() ? before : after;
    int64_t devices = 1;
    bool isSize = !sizes.empty();
    for (llvm::StringRef part : llvm::split(sizes, 'x')) {
      int64_t size = 0;
      isSize &= !part.getAsInteger(10, size) && size > 0 &&
                size <= kMaxDevices && devices <= kMaxDevices / size;
      devices = isSize ? devices * size : devices;
    }
    if (isSize && llvm::none_of(*given, [](const NamedText &option) {
          return option.name == "num_devices";
        }))
      given->push_back({"num_devices", std::to_string(devices)});
    else if (!isSize && !name.empty() && name != platform)
      return invalid("there is no topology '" + name +
                     "', expected sizes such as '2x4'");
    auto options = readClientOptions(*given);
    if (!options)
      return toPjrt(options.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    args->topology = newTopology(options->numDevices);
    return nullptr;
  });
}

PJRT_Error *
pjrt::TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    auto topology = handles<PJRT_TopologyDescription>().remove(args->topology);
    if (!topology)
      return args->topology ? invalid("the topology has been destroyed already")
                            : nullptr;
    for (auto &description : topology->descriptions)
      handles<PJRT_DeviceDescription>().remove(description.get());
    return nullptr;
  });
}

#define TOPOLOGY(slot, ...)                                                    \
  PJRT_Error *pjrt::slot(PJRT_##slot##_Args *args) {                           \
    return guarded(__func__, args, [&]() -> PJRT_Error * {                     \
      SHARDWRIGHT_ALIVE(topology, args->topology, "topology");                 \
      __VA_ARGS__;                                                             \
      return nullptr;                                                          \
    });                                                                        \
  }

TOPOLOGY(TopologyDescription_PlatformName,
         args->platform_name = platform.data();
         args->platform_name_size = platform.size())
TOPOLOGY(TopologyDescription_PlatformVersion,
         args->platform_version = version.data();
         args->platform_version_size = version.size())
TOPOLOGY(TopologyDescription_GetDeviceDescriptions,
         args->descriptions = topology->pointers.data();
         args->num_descriptions = topology->pointers.size())
TOPOLOGY(TopologyDescription_Attributes,
         args->attributes = topology->attributes.values().data();
         args->num_attributes = topology->attributes.values().size())

/// The number of devices of each process, as in `4,4`: ids of devices follow
/// the order of processes.
static std::string serialized(const PJRT_TopologyDescription &topology) {
  std::vector<int64_t> counts;
  for (const auto &description : topology.descriptions) {
    if (description->process >= int64_t(counts.size()))
      counts.resize(description->process + 1);
    ++counts[description->process];
  }
  std::string text = magic.str();
  llvm::raw_string_ostream os(text);
  llvm::interleave(counts, os, ",");
  return text;
}

TOPOLOGY(TopologyDescription_Fingerprint,
         args->fingerprint = llvm::xxh3_64bits(serialized(*topology)))

PJRT_Error *pjrt::TopologyDescription_Serialize(
    PJRT_TopologyDescription_Serialize_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(topology, args->topology, "topology");
    auto *bytes = new std::string(serialized(*topology));
    args->serialized_bytes = bytes->data();
    args->serialized_bytes_size = bytes->size();
    args->serialized_topology =
        reinterpret_cast<PJRT_SerializedTopology *>(bytes);
    args->serialized_topology_deleter = [](PJRT_SerializedTopology *bytes) {
      delete reinterpret_cast<std::string *>(bytes);
    };
    return nullptr;
  });
}

PJRT_Error *pjrt::TopologyDescription_Deserialize(
    PJRT_TopologyDescription_Deserialize_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    llvm::SmallVector<int64_t> counts;
    int64_t devices = 0;
    llvm::StringRef bytes;
    if (args->serialized_topology)
      bytes = {args->serialized_topology, args->serialized_topology_size};
    bool isValid = bytes.consume_front(magic);
    for (llvm::StringRef text : llvm::split(bytes, ',')) {
      int64_t count = 0;
      isValid &= !text.getAsInteger(10, count) && count >= 0 &&
                 count <= kMaxDevices && (devices += count) <= kMaxDevices;
      counts.push_back(count);
    }
    if (!isValid || devices < 1)
      return invalid("these bytes are not a topology of shardwright");
    args->topology = newTopology(counts);
    return nullptr;
  });
}

PJRT_Error *pjrt::TopologyDescription_GetMemorySpaceKindIds(
    PJRT_TopologyDescription_GetMemorySpaceKindIds_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(topology, args->topology, "topology");
    static constexpr int ids[] = {int(MemoryKind::Device),
                                  int(MemoryKind::PinnedHost),
                                  int(MemoryKind::UnpinnedHost)};
    args->memory_space_kind_ids = ids;
    args->num_memory_space_kind_ids = std::size(ids);
    return nullptr;
  });
}

PJRT_Error *pjrt::TopologyDescription_MakeCanonicalShapeForMemorySpace(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(topology, args->topology, "topology");
    if (args->memory_space_kind_id < 0 ||
        args->memory_space_kind_id > int(MemoryKind::UnpinnedHost))
      return invalid("there is no memory of kind " +
                     llvm::Twine(args->memory_space_kind_id));
    ElementType type;
    llvm::ArrayRef<int64_t> shape;
    MinorToMajor layout;
    if (PJRT_Error *error = readShape(args->dims, args->num_dims,
                                      args->element_type, type, shape))
      return error;
    if (PJRT_Error *error = readLayout(args->layout, shape, type, layout))
      return error;
    std::string proto = shapeProto(type, shape, layout);
    auto *bytes = new char[proto.size()];
    llvm::copy(proto, bytes);
    args->serialized_shape = bytes;
    args->serialized_shape_size = proto.size();
    args->serialized_shape_deleter = [](const char *bytes) { delete[] bytes; };
    return nullptr;
  });
}

//===- proto_read.cc - read shardings from xla.OpSharding -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/op_sharding_types.h"
#include "shardwright/mesh/hlo/proto_wire.h"
#include "shardwright/mesh/hlo/sharding_checks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <utility>

namespace shardwright {
namespace {

using llvm::Twine;

/// A mesh lists its devices; longer lists are rejected.
constexpr int64_t maxListedDevices = int64_t(1) << 24;

struct AxisMessage {
  int64_t axis = 0, preSize = 0, size = 0;
  bool hasSubAxis = false;
};

class Reader {
public:
  std::string error;

  bool fail(const Twine &message) {
    if (error.empty())
      error = ("OpSharding: " + message).str();
    return false;
  }

  bool sharding(llvm::StringRef bytes, HloSharding &s, bool inTuple = false);

private:
  /// Reads one message into `fields`.
  bool readFields(llvm::StringRef bytes);
  bool tiled(HloSharding &s);
  bool tuple(HloSharding &s);
  bool named(llvm::StringRef bytes, HloSharding &s);
  bool metadata(llvm::StringRef bytes, OpMetadata &out);
  bool axis(llvm::StringRef bytes, AxisMessage &out);
  bool dim(llvm::StringRef bytes, std::vector<AxisMessage> &axes, bool &closed);
  bool mesh(llvm::StringRef bytes, Mesh &mesh, bool &asIota);
  bool iota(llvm::ArrayRef<int64_t> reshape, llvm::ArrayRef<int64_t> perm,
            std::optional<IotaOrder> &out);
  bool resolve(const Mesh &mesh, llvm::ArrayRef<AxisMessage> from,
               AxisList &to);
  bool string(llvm::StringRef bytes, std::string &out) {
    auto *begin = reinterpret_cast<const llvm::UTF8 *>(bytes.data());
    if (!llvm::isLegalUTF8String(&begin, begin + bytes.size()))
      return fail("a string is not UTF-8");
    if (bytes.contains('\0'))
      return fail("a string holds a zero byte");
    out = bytes.str();
    return true;
  }
  /// True if the bytes are a sequence of fields.
  static bool wellFormed(llvm::StringRef bytes) {
    for (ProtoReader in(bytes, 0, 0); !in.atEnd();)
      if (!in.next())
        return false;
    return true;
  }
  bool malformed() { return fail("the bytes are not a protocol buffer"); }

  /// The fields of one message, reused for the leaves of a tuple.
  struct Fields {
    int64_t type = 0;
    llvm::SmallVector<int64_t, 8> dims, devices, lastTypes, reshape, perm;
    bool replicateOnLast = false, isGroup = false;
    int64_t groupId = 0, groupType = 0;
    std::vector<llvm::StringRef> tuple;
    std::vector<OpMetadata> metadata;
    std::optional<llvm::StringRef> named;
  } fields;
};

bool Reader::metadata(llvm::StringRef bytes, OpMetadata &out) {
  for (ProtoReader in(bytes, fieldSet({4}), fieldSet({1, 2, 3, 10, 12, 16}));
       !in.atEnd();) {
    if (!in.next())
      return malformed();
    static constexpr const char *names[] = {"op_type", "op_name",
                                            "source_file"};
    if (in.field() == 4) {
      out.push_back({"source_line", std::to_string(in.varint32()), false});
    } else if (in.field() > 3) { // checked, but not stored
      std::string name;
      if (in.field() == 10 ? !wellFormed(in.bytes())
                           : !string(in.bytes(), name))
        return malformed();
    } else if (in.field() != 0) {
      MetadataField &field = out.emplace_back();
      field.key = names[in.field() - 1];
      field.isString = true;
      if (!string(in.bytes(), field.value))
        return false;
    }
  }
  return true;
}

bool Reader::axis(llvm::StringRef bytes, AxisMessage &out) {
  for (ProtoReader in(bytes, fieldSet({1}), fieldSet({2})); !in.atEnd();) {
    if (!in.next())
      return malformed();
    if (in.field() == 1)
      out.axis = in.varint();
    if (in.field() != 2)
      continue;
    out.hasSubAxis = true;
    for (ProtoReader sub(in.bytes(), fieldSet({1, 2}), 0); !sub.atEnd();) {
      if (!sub.next())
        return malformed();
      if (sub.field() == 1)
        out.preSize = sub.varint();
      if (sub.field() == 2)
        out.size = sub.varint();
    }
  }
  return true;
}

bool Reader::dim(llvm::StringRef bytes, std::vector<AxisMessage> &axes,
                 bool &closed) {
  for (ProtoReader in(bytes, fieldSet({2}), fieldSet({1})); !in.atEnd();) {
    if (!in.next())
      return malformed();
    if (in.field() == 1 && !axis(in.bytes(), axes.emplace_back()))
      return false;
    if (in.field() == 2)
      closed = in.varint();
  }
  return true;
}

bool Reader::iota(llvm::ArrayRef<int64_t> reshape, llvm::ArrayRef<int64_t> perm,
                  std::optional<IotaOrder> &out) {
  if (!checkedProduct(reshape) || !isPermutation(perm, reshape.size()))
    return fail("the transposition of an iota is not a permutation of its "
                "dimensions, or these are not positive");
  out = IotaOrder(reshape, llvm::SmallVector<int32_t, 8>(perm));
  return true;
}

bool Reader::mesh(llvm::StringRef bytes, Mesh &mesh, bool &asIota) {
  llvm::SmallVector<MeshAxis, 4> axes;
  llvm::SmallVector<int64_t, 0> ids;
  llvm::SmallVector<int64_t, 4> reshape, perm;
  for (ProtoReader in(bytes, fieldSet({2}), fieldSet({1, 2, 3}));
       !in.atEnd();) {
    if (!in.next())
      return malformed();
    if (in.field() == 2 && !in.repeated(ids))
      return malformed();
    if (in.field() == 3) {
      asIota = true;
      for (ProtoReader part(in.bytes(), fieldSet({1, 2}), fieldSet({1, 2}));
           !part.atEnd();)
        if (!part.next() || (part.field() == 1 && !part.repeated(reshape)) ||
            (part.field() == 2 && !part.repeated(perm, /*is32=*/true)))
          return malformed();
    }
    if (in.field() != 1)
      continue;
    MeshAxis &a = axes.emplace_back();
    a.size = 0;
    for (ProtoReader axis(in.bytes(), fieldSet({2}), fieldSet({1}));
         !axis.atEnd();) {
      if (!axis.next())
        return malformed();
      if (axis.field() == 1 && !string(axis.bytes(), a.name))
        return false;
      if (axis.field() == 2)
        a.size = axis.varint();
    }
    if (a.size <= 0)
      return fail("axis '" + a.name + "' has size " + Twine(a.size));
    for (const MeshAxis &other : llvm::drop_end(axes))
      if (other.name == a.name)
        return fail("axis '" + a.name + "' occurs twice");
  }
  if (Mesh::numDevicesOverflows(axes))
    return fail("the number of devices does not fit 64 bits");
  if (asIota) {
    std::optional<IotaOrder> order;
    if (!iota(reshape, perm, order))
      return false;
    int64_t devices = 1;
    for (const MeshAxis &axis : axes)
      devices *= axis.size;
    if (order->size() != devices || devices > maxListedDevices)
      return fail(Twine(order->size()) + " device ids for a mesh of " +
                  Twine(devices));
    ids = DeviceOrder(*order).list();
  }
  if (std::string why = checkDeviceIds(axes, ids); !why.empty())
    return fail(why);
  mesh = Mesh(std::move(axes), std::move(ids));
  return true;
}

bool Reader::resolve(const Mesh &mesh, llvm::ArrayRef<AxisMessage> from,
                     AxisList &to) {
  for (const AxisMessage &m : from) {
    if (m.axis < 0 || m.axis >= mesh.numAxes())
      return fail("axis " + Twine(m.axis) + " of a mesh of " +
                  Twine(mesh.numAxes()) + " axes");
    AxisRef ref = mesh.fullAxis(m.axis);
    if (m.hasSubAxis) {
      if (m.size >= ref.size)
        return fail("a sub-axis of size " + Twine(m.size) +
                    " is not a sub-axis of an axis of size " + Twine(ref.size));
      ref.preSize = m.preSize;
      ref.size = m.size;
    }
    to.push_back(ref);
  }
  return true;
}

bool Reader::named(llvm::StringRef bytes, HloSharding &s) {
  NamedHloSharding named;
  bool hasMesh = false;
  std::vector<std::pair<std::vector<AxisMessage>, bool>> dims;
  std::vector<AxisMessage> lists[3];
  std::vector<OpMetadata> metadatas;
  for (ProtoReader in(bytes, 0, fieldSet({1, 2, 3, 4, 5, 6, 7}));
       !in.atEnd();) {
    if (!in.next())
      return malformed();
    switch (in.field()) {
    case 1:
      return fail("tuples of named shardings are not supported");
    case 2:
      if (std::exchange(hasMesh, true))
        return fail("the sharding has two meshes");
      if (!mesh(in.bytes(), named.mesh, named.printIdsAsIota))
        return false;
      break;
    case 3: {
      auto &[axes, closed] = dims.emplace_back();
      if (!dim(in.bytes(), axes, closed))
        return false;
      break;
    }
    case 4:
    case 5:
    case 7: {
      auto &list = lists[in.field() == 7 ? 2 : in.field() - 4];
      if (!axis(in.bytes(), list.emplace_back()))
        return false;
      break;
    }
    case 6:
      if (!metadata(in.bytes(), metadatas.emplace_back()))
        return false;
      break;
    default:
      break;
    }
  }
  for (auto &[axes, closed] : dims) {
    DimSharding &d = named.sharding.dims.emplace_back();
    d.isClosed = closed;
    if (!resolve(named.mesh, axes, d.axes))
      return false;
  }
  if (!resolve(named.mesh, lists[0], named.sharding.replicated) ||
      !resolve(named.mesh, lists[1], named.sharding.unreduced) ||
      !resolve(named.mesh, lists[2], named.manual))
    return false;
  if (std::string why = checkNamedAxes(named); !why.empty())
    return fail(why);
  // Without axes, dimensions have no meaning and no text.
  if (named.mesh.isMaximal())
    named.sharding.dims.clear();
  s = HloSharding::named(std::move(named));
  s.metadata = std::move(metadatas);
  return true;
}

bool Reader::tiled(HloSharding &s) {
  auto tiles = checkedProduct(fields.dims);
  if (fields.dims.empty())
    return fail("a tiled sharding has no tile dimensions");
  if (!tiles)
    return fail("tile dimensions must be positive and their product must fit "
                "64 bits");
  if (fields.devices.empty() == fields.reshape.empty())
    return fail("a tiled sharding must have either a device list or an iota");
  if (fields.replicateOnLast && !fields.lastTypes.empty())
    return fail("replicate_on_last_tile_dim excludes last_tile_dims");
  DeviceOrder order;
  if (fields.devices.empty()) {
    std::optional<IotaOrder> listed;
    if (!iota(fields.reshape, fields.perm, listed))
      return false;
    if (listed->size() != *tiles)
      return fail(Twine(*tiles) + " tiles but " + Twine(listed->size()) +
                  " devices");
    order = *listed;
  } else {
    llvm::SmallVector<int64_t, 0> list(fields.devices.begin(),
                                       fields.devices.end());
    if (std::string why = checkDeviceList(*tiles, list); !why.empty())
      return fail(why);
    order = DeviceOrder(std::move(list));
  }
  llvm::SmallVector<Subgroup, 4> subgroups;
  for (int64_t type : fields.lastTypes) {
    switch (type) {
    case REPLICATED:
      subgroups.push_back(Subgroup::Replicated);
      break;
    case MAXIMAL:
      subgroups.push_back(Subgroup::Maximal);
      break;
    case MANUAL:
      subgroups.push_back(Subgroup::Manual);
      break;
    case UNREDUCED:
      subgroups.push_back(Subgroup::Unreduced);
      break;
    default:
      return fail("type " + Twine(type) + " in last_tile_dims");
    }
  }
  if (fields.replicateOnLast)
    subgroups.push_back(Subgroup::Replicated);
  if (subgroups.size() > fields.dims.size())
    return fail("more last_tile_dims than tile dimensions");
  s = *tiles == 1 ? HloSharding()
                  : HloSharding::tiled(fields.dims, order, subgroups);
  return true;
}

bool Reader::readFields(llvm::StringRef bytes) {
  fields = Fields();
  for (ProtoReader in(bytes, fieldSet({1, 3, 4, 6, 8, 9, 10, 11, 12, 13}),
                      fieldSet({2, 3, 4, 5, 7, 8, 9, 10, 14}));
       !in.atEnd();) {
    if (!in.next())
      return malformed();
    bool ok = true;
    switch (in.field()) {
    case 1:
      fields.type = in.varint32();
      break;
    case 2: // tile_shape, which has no meaning
      ok = wellFormed(in.bytes());
      break;
    case 3:
      ok = in.repeated(fields.dims);
      break;
    case 4:
      ok = in.repeated(fields.devices);
      break;
    case 5: // checked even if the type ignores it
      ok = wellFormed(in.bytes());
      fields.tuple.push_back(in.bytes());
      break;
    case 6:
      fields.replicateOnLast = in.varint();
      break;
    case 7:
      if (!metadata(in.bytes(), fields.metadata.emplace_back()))
        return false;
      break;
    case 8:
      ok = in.repeated(fields.lastTypes, /*is32=*/true);
      break;
    case 9:
      ok = in.repeated(fields.reshape);
      break;
    case 10:
      ok = in.repeated(fields.perm, /*is32=*/true);
      break;
    case 11:
      fields.isGroup = in.varint();
      break;
    case 12:
      fields.groupId = in.varint();
      break;
    case 13:
      fields.groupType = in.varint32();
      break;
    case 14:
      fields.named = in.bytes();
      break;
    default:
      break;
    }
    if (!ok)
      return malformed();
  }
  return true;
}

bool Reader::tuple(HloSharding &s) {
  if (!fields.metadata.empty())
    return fail("a tuple of shardings has metadata");
  std::vector<llvm::StringRef> parts = std::move(fields.tuple);
  std::vector<HloSharding> leaves(parts.size());
  for (auto [part, element] : llvm::zip(parts, leaves))
    if (!sharding(part, element, /*inTuple=*/true))
      return false;
  s = HloSharding::tuple(std::move(leaves));
  return true;
}

bool Reader::sharding(llvm::StringRef bytes, HloSharding &s, bool inTuple) {
  if (!readFields(bytes))
    return false;
  if (fields.named)
    return named(*fields.named, s);
  if (fields.type != TUPLE && !fields.tuple.empty())
    return fail("elements in a sharding that is not a tuple");
  switch (fields.type) {
  case REPLICATED:
    s = HloSharding();
    break;
  case MANUAL:
    s = HloSharding::ofKind(HloSharding::Kind::Manual);
    break;
  case UNKNOWN:
    s = HloSharding::ofKind(HloSharding::Kind::Unknown);
    break;
  case UNREDUCED:
    s = HloSharding::ofKind(HloSharding::Kind::Unreduced);
    break;
  case MAXIMAL:
    if (fields.devices.size() != 1)
      return fail("maximal on " + Twine(fields.devices.size()) +
                  " devices instead of one");
    s = HloSharding::maximal(fields.devices[0]);
    break;
  case OTHER:
    if (!tiled(s))
      return false;
    break;
  case TUPLE:
    return inTuple ? fail("a tuple of shardings has one level only") : tuple(s);
  default:
    return fail("unknown type " + Twine(fields.type));
  }
  s.metadata = std::move(fields.metadata);
  if (fields.isGroup) {
    if (fields.groupType != 0 && fields.groupType != 1)
      return fail("unknown type " + Twine(fields.groupType) +
                  " of a shard group");
    s.shardGroup = ShardGroup{fields.groupType == 0, fields.groupId};
  }
  return true;
}

} // namespace

llvm::Expected<HloSharding> HloSharding::fromProto(llvm::StringRef bytes) {
  Reader reader;
  HloSharding s;
  if (!reader.sharding(bytes, s))
    return llvm::createStringError(reader.error);
  return s;
}

} // namespace shardwright

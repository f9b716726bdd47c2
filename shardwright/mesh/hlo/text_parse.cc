//===- text_parse.cc - HLO shardings from text ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   sharding := '{' '}' | '{' leaf (',' leaf)* '}' | leaf
//   leaf     := '{' item* '}'                       V1 and V2
//             | '{' mesh ',' dims (',' list)* '}'   V3
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/did_you_mean.h"
#include "shardwright/mesh/hlo/hlo_sharding.h"
#include "shardwright/mesh/hlo/sharding_checks.h"
#include "shardwright/mesh/hlo/subgroup_names.h"
#include "shardwright/mesh/hlo/text_cursor.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright {
namespace {

using llvm::StringRef;
using llvm::Twine;

/// Keys of xla.OpMetadata.
constexpr StringRef metadataKeys[] = {
    "deduplicated_name", "metadata_payload",  "op_name",
    "op_type",           "profile_type",      "scheduling_name",
    "source_column",     "source_end_column", "source_end_line",
    "source_file",       "source_line",       "stack_frame_id"};

class Parser : TextCursor {
public:
  explicit Parser(StringRef text) : TextCursor(text) {}

  llvm::Expected<HloSharding> run() {
    HloSharding s;
    if (!top(s))
      return takeError();
    skipBlanks();
    if (!rest.empty()) {
      fail("text after the sharding");
      return takeError();
    }
    return s;
  }

private:
  //===--------------------------------------------------------------------===//
  // Tuples and leaves
  //===--------------------------------------------------------------------===//

  bool top(HloSharding &s) {
    if (!expect("{"))
      return false;
    if (accept("}")) {
      s = HloSharding::tuple({});
      return true;
    }
    if (!peek("{"))
      return leaf(s);
    std::vector<HloSharding> elements;
    do {
      if (!expect("{"))
        return false;
      if (peek("{"))
        return fail("a tuple of shardings has one level only");
      elements.emplace_back();
      if (!leaf(elements.back()))
        return false;
    } while (accept(","));
    if (!expect("}"))
      return false;
    s = HloSharding::tuple(std::move(elements));
    return true;
  }

  /// Parses a leaf after its opening brace, including the closing one.
  bool leaf(HloSharding &s) {
    StringRef word = peekWord();
    if (word == "mesh" || word == "maximal_mesh" || word == "single_device")
      return namedLeaf(s);
    Items items;
    while (!accept("}"))
      if (!item(items))
        return false;
    return build(items, s);
  }

  //===--------------------------------------------------------------------===//
  // V1 and V2
  //===--------------------------------------------------------------------===//

  struct Items {
    std::optional<HloSharding::Kind> kind;
    std::optional<int64_t> device;
    std::optional<llvm::SmallVector<int64_t, 4>> dims;
    std::optional<DeviceOrder> devices;
    std::optional<llvm::SmallVector<Subgroup, 2>> subgroups;
    std::optional<ShardGroup> shardGroup;
    std::vector<OpMetadata> metadata;
  };

  bool item(Items &items) {
    StringRef word = peekWord();
    using Kind = HloSharding::Kind;
    if (auto kind = llvm::StringSwitch<std::optional<Kind>>(word)
                        .Case("replicated", Kind::Replicated)
                        .Case("manual", Kind::Manual)
                        .Case("unknown", Kind::Unknown)
                        .Case("unreduced", Kind::Unreduced)
                        .Case("maximal", Kind::Maximal)
                        .Default(std::nullopt)) {
      if (items.kind)
        return fail("'" + word + "' contradicts the kind before it");
      rest = rest.drop_front(word.size());
      items.kind = kind;
      return true;
    }
    if (word == "device") {
      if (items.device)
        return fail("'device' occurs twice");
      rest = rest.drop_front(word.size());
      items.device.emplace();
      return equals() && integer(*items.device);
    }
    if (word == "devices") {
      if (items.dims)
        return fail("'devices' occurs twice");
      rest = rest.drop_front(word.size());
      return equals() && tileAssignment(items);
    }
    if (word == "last_tile_dim_replicate" || word == "last_tile_dims") {
      if (items.subgroups)
        return fail("'" + word + "' excludes another 'last_tile_dim...'");
      rest = rest.drop_front(word.size());
      items.subgroups.emplace();
      if (word == "last_tile_dims")
        return equals() && subgroupList(*items.subgroups);
      items.subgroups->push_back(Subgroup::Replicated);
      return true;
    }
    if (word == "shard_as" || word == "shard_like") {
      if (items.shardGroup)
        return fail("a shard group occurs twice");
      rest = rest.drop_front(word.size());
      items.shardGroup = ShardGroup{word == "shard_as", 0};
      return integer(items.shardGroup->id);
    }
    if (word == "metadata") {
      if (!items.metadata.empty())
        return fail("'metadata' occurs twice");
      rest = rest.drop_front(word.size());
      return equals() && metadataList(items.metadata);
    }
    if (word.empty())
      return fail(rest.empty() ? "expected '}'" : "expected a word or '}'");
    return fail("'" + word + "' is not part of a sharding" +
                didYouMean(word, {"replicated", "manual", "unknown",
                                  "unreduced", "maximal", "device", "devices",
                                  "last_tile_dim_replicate", "last_tile_dims",
                                  "shard_as", "shard_like", "metadata"}));
  }

  bool tileAssignment(Items &items) {
    items.dims.emplace();
    if (!sizes(*items.dims))
      return false;
    int64_t tiles = *checkedProduct(*items.dims);
    if (accept("<=")) {
      llvm::SmallVector<int64_t, 4> reshape;
      llvm::SmallVector<int32_t, 4> perm;
      if (!iota(reshape, perm))
        return false;
      int64_t listed = *checkedProduct(reshape);
      if (listed != tiles)
        return fail(Twine(tiles) + " tiles but " + Twine(listed) + " devices");
      items.devices = IotaOrder(reshape, perm);
      return true;
    }
    llvm::SmallVector<int64_t, 0> list;
    if (!integers(list))
      return false;
    if (std::string why = checkDeviceList(tiles, list); !why.empty())
      return fail(why);
    items.devices = DeviceOrder(std::move(list));
    return true;
  }

  /// Parses `[2,4]T(1,0)`; an iota of one dimension has no permutation.
  bool iota(llvm::SmallVectorImpl<int64_t> &reshape,
            llvm::SmallVectorImpl<int32_t> &perm) {
    perm.assign(1, 0);
    return sizes(reshape) &&
           (reshape.size() <= 1 || permutation(reshape.size(), perm));
  }

  bool permutation(int64_t rank, llvm::SmallVectorImpl<int32_t> &perm) {
    llvm::SmallVector<int64_t, 4> values;
    if (!expect("T(") || !integers(values) || !expect(")"))
      return false;
    if (!isPermutation(values, rank))
      return fail("T(...) must be a permutation of 0 to " + Twine(rank - 1));
    perm.assign(values.begin(), values.end());
    return true;
  }

  bool subgroupList(llvm::SmallVectorImpl<Subgroup> &subgroups) {
    if (!expect("{"))
      return false;
    if (accept("}"))
      return true;
    do {
      StringRef word = peekWord();
      auto subgroup = subgroupNamed(word);
      if (!subgroup)
        return fail("expected replicated, manual, unreduced or maximal");
      rest = rest.drop_front(word.size());
      subgroups.push_back(*subgroup);
    } while (accept(","));
    return expect("}");
  }

  bool build(Items &items, HloSharding &s) {
    using Kind = HloSharding::Kind;
    if (!items.kind && !items.dims)
      return fail("expected a kind of sharding or 'devices=[...]'");
    if (items.kind == Kind::Maximal) {
      if (items.dims && items.devices->size() == 1 && !items.device)
        items.device = items.devices->deviceAt(0);
      else if (items.dims || !items.device)
        return fail("maximal needs one device, 'maximal device=N'");
      s = HloSharding::maximal(*items.device);
    } else if (items.kind) {
      if (items.dims || items.device)
        return fail("only tiled and maximal shardings name devices");
      s = HloSharding::ofKind(*items.kind);
    } else {
      if (items.device)
        return fail("'device' needs 'maximal'");
      if (items.devices->size() == 1 && !items.devices->iota())
        return fail("a tiled sharding needs more than one device");
      llvm::SmallVector<Subgroup, 2> subgroups =
          items.subgroups.value_or(llvm::SmallVector<Subgroup, 2>());
      if (subgroups.size() > items.dims->size())
        return fail("more 'last_tile_dims' than tile dimensions");
      s = HloSharding::tiled(*items.dims, *items.devices, subgroups);
    }
    if (items.subgroups && !items.dims)
      return fail("'last_tile_dim...' needs 'devices'");
    s.shardGroup = items.shardGroup;
    s.metadata = std::move(items.metadata);
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Metadata
  //===--------------------------------------------------------------------===//

  bool metadataList(std::vector<OpMetadata> &all) {
    if (!expect("{"))
      return false;
    if (!peek("{")) {
      all.emplace_back();
      return fields(all.back());
    }
    do {
      all.emplace_back();
      if (!expect("{") || !fields(all.back()))
        return false;
    } while (accept(","));
    return expect("}");
  }

  bool fields(OpMetadata &metadata) {
    while (!accept("}")) {
      MetadataField &field = metadata.emplace_back();
      StringRef key = peekWord();
      if (!llvm::is_contained(metadataKeys, key))
        return fail("'" + key + "' is not a field of the metadata" +
                    didYouMean(key, metadataKeys));
      field.key = key.str();
      rest = rest.drop_front(key.size());
      if (!expect("="))
        return false;
      bool isNumber = key.ends_with("line") || key.ends_with("column") ||
                      key == "stack_frame_id";
      bool isOther = key == "profile_type" || key == "metadata_payload";
      if (isNumber) {
        int64_t number;
        if (!integer(number))
          return false;
        field.value = std::to_string(number);
        continue;
      }
      if (!isOther || peek("\"")) {
        field.isString = true;
        if (!peek("\"") || !quoted(field.value))
          return fail("expected a string in double quotes");
        continue;
      }
      StringRef value = peekWord();
      if (value.empty())
        return fail("expected a value");
      field.value = value.str();
      rest = rest.drop_front(value.size());
    }
    return true;
  }

  //===--------------------------------------------------------------------===//
  // V3
  //===--------------------------------------------------------------------===//

  bool namedLeaf(HloSharding &s) {
    NamedHloSharding named;
    if (acceptWord("maximal_mesh") || acceptWord("single_device")) {
      int64_t device;
      if (!expect("[") || !expect("device_id") || !expect("=") ||
          !integer(device) || !expect("]"))
        return false;
      named.mesh = Mesh({}, {device});
      s = HloSharding::named(std::move(named));
      return expect("}");
    }
    if (!mesh(named.mesh, named.printIdsAsIota) || !expect(","))
      return false;
    std::vector<OpMetadata> metadata;
    AxisList all;
    for (int32_t i = 0; i < named.mesh.numAxes(); ++i)
      all.push_back(named.mesh.fullAxis(i));
    if (acceptWord("replicated")) {
    } else if (acceptWord("manual")) {
      named.manual = all;
    } else if (acceptWord("unreduced")) {
      named.sharding.unreduced = all;
    } else if (!dimensions(named)) {
      return false;
    }
    while (accept(",")) {
      StringRef word = peekWord();
      rest = rest.drop_front(word.size());
      if (!expect("="))
        return false;
      if (word == "metadata") {
        if (!metadataList(metadata))
          return false;
        continue;
      }
      AxisList *list = word == "replicated"  ? &named.sharding.replicated
                       : word == "unreduced" ? &named.sharding.unreduced
                       : word == "manual"    ? &named.manual
                                             : nullptr;
      if (!list)
        return fail("'" + word +
                    "' is not replicated, unreduced, manual or metadata");
      if (!list->empty())
        return fail("'" + word + "' occurs twice");
      bool open = false;
      if (!expect("{") || !axes(named.mesh, *list, open))
        return false;
      if (open)
        return fail("'?' belongs to a dimension");
    }
    if (std::string why = checkNamedAxes(named); !why.empty())
      return fail(why);
    if (!expect("}"))
      return false;
    s = HloSharding::named(std::move(named));
    s.metadata = std::move(metadata);
    return true;
  }

  bool mesh(Mesh &mesh, bool &asIota) {
    llvm::SmallVector<MeshAxis, 4> meshAxes;
    if (!acceptWord("mesh") || !expect("["))
      return fail("expected a mesh");
    if (!accept("]")) {
      do {
        MeshAxis &axis = meshAxes.emplace_back();
        if (!quoted(axis.name) || !expect("=") || !integer(axis.size))
          return false;
        if (axis.size <= 0)
          return fail("the size of an axis must be positive");
        if (llvm::any_of(llvm::drop_end(meshAxes), [&](const MeshAxis &other) {
              return other.name == axis.name;
            }))
          return fail("axis '" + axis.name + "' occurs twice");
      } while (accept(","));
      if (!expect("]"))
        return false;
    }
    if (Mesh::numDevicesOverflows(meshAxes))
      return fail("the number of devices does not fit 64 bits");
    llvm::SmallVector<int64_t, 0> ids;
    size_t before = rest.size();
    StringRef start = rest;
    if (accept(",") && acceptWord("device_ids")) {
      if (!expect("=") || !expect("("))
        return false;
      asIota = peek("[");
      if (!meshDevices(ids) || !expect(")"))
        return false;
      if (std::string why = checkDeviceIds(meshAxes, ids); !why.empty())
        return fail(why);
    } else if (rest.size() != before) {
      rest = start;
    }
    mesh = Mesh(std::move(meshAxes), std::move(ids));
    return true;
  }

  bool meshDevices(llvm::SmallVectorImpl<int64_t> &ids) {
    if (!peek("["))
      return integers(ids);
    llvm::SmallVector<int64_t, 4> reshape;
    llvm::SmallVector<int32_t, 4> perm;
    if (!iota(reshape, perm))
      return false;
    if (*checkedProduct(reshape) > (int64_t(1) << 24))
      return fail("too many devices to list");
    ids = DeviceOrder(IotaOrder(reshape, perm)).list();
    return true;
  }

  bool dimensions(NamedHloSharding &named) {
    if (!expect("["))
      return false;
    if (accept("]"))
      return true;
    do {
      DimSharding &dim = named.sharding.dims.emplace_back();
      bool open = false;
      if (!expect("{") || !axes(named.mesh, dim.axes, open))
        return false;
      dim.isClosed = !open;
    } while (accept(","));
    return expect("]");
  }

  /// Parses axes after the opening brace, including the closing one.
  bool axes(const Mesh &mesh, AxisList &list, bool &open) {
    if (accept("}"))
      return true;
    do {
      if (accept("?")) {
        open = true;
        return expect("}");
      }
      std::string name;
      if (!quoted(name))
        return false;
      auto axis = mesh.find(name);
      int32_t index;
      if (!axis && !StringRef(name).getAsInteger(10, index) && index >= 0 &&
          index < mesh.numAxes())
        axis = index;
      if (!axis)
        return fail("'" + name + "' is not an axis of the mesh");
      AxisRef ref = mesh.fullAxis(*axis);
      if (accept(":")) {
        int64_t whole = ref.size;
        if (!expect("(") || !integer(ref.preSize) || !expect(")") ||
            !integer(ref.size))
          return false;
        if (ref.size >= whole)
          return fail("a sub-axis of size " + Twine(ref.size) +
                      " is not a sub-axis of axis '" + name + "' of size " +
                      Twine(whole));
      }
      list.push_back(ref);
    } while (accept(","));
    return expect("}");
  }
};

} // namespace

llvm::Expected<HloSharding> HloSharding::parse(llvm::StringRef text) {
  return Parser(text).run();
}

} // namespace shardwright

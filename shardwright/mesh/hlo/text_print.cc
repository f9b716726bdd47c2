//===- text_print.cc - HLO shardings as XLA prints them -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/hlo_sharding.h"
#include "shardwright/mesh/hlo/subgroup_names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace shardwright {
namespace {

/// Prints quoted text, escaping quotes and backslashes.
void quote(llvm::raw_ostream &os, llvm::StringRef text, char mark) {
  os << mark;
  for (char c : text) {
    if (c == mark || c == '\\')
      os << '\\';
    os << c;
  }
  os << mark;
}

class Printer {
public:
  Printer(llvm::raw_ostream &os, bool withMetadata)
      : os(os), withMetadata(withMetadata) {}

  void print(const HloSharding &s) {
    os << '{';
    if (s.isTuple())
      tuple(s.elements());
    else
      leaf(s);
    os << '}';
  }

private:
  void tuple(llvm::ArrayRef<HloSharding> elements) {
    for (auto [i, element] : llvm::enumerate(elements)) {
      if (i)
        os << ", ";
      if (i && i % 5 == 0)
        os << "/*index=" << i << "*/";
      print(element);
    }
  }

  void leaf(const HloSharding &s) {
    switch (s.kind()) {
    case HloSharding::Kind::Replicated:
      os << "replicated";
      break;
    case HloSharding::Kind::Maximal:
      os << "maximal device=" << s.device();
      break;
    case HloSharding::Kind::Manual:
      os << "manual";
      break;
    case HloSharding::Kind::Unknown:
      os << "unknown";
      break;
    case HloSharding::Kind::Unreduced:
      os << "unreduced";
      break;
    case HloSharding::Kind::Tiled:
      tiled(s);
      break;
    case HloSharding::Kind::Named:
      named(s.named());
      break;
    case HloSharding::Kind::Tuple:
      break;
    }
    const char *separator = s.kind() == HloSharding::Kind::Named ? ", " : " ";
    if (s.shardGroup)
      os << separator << (s.shardGroup->isAs ? "shard_as " : "shard_like ")
         << s.shardGroup->id;
    if (withMetadata && !s.metadata.empty()) {
      os << separator;
      metadata(s.metadata);
    }
  }

  void tiled(const HloSharding &s) {
    os << "devices=[";
    numbers(s.tileDims());
    os << ']';
    if (const IotaOrder *iota = s.devices().iota()) {
      os << "<=";
      reshape(*iota);
    } else {
      numbers(s.devices().list());
    }
    if (s.replicatesOnLastTileDim()) {
      os << " last_tile_dim_replicate";
    } else if (!s.subgroups().empty()) {
      os << " last_tile_dims={";
      llvm::interleaveComma(s.subgroups(), os,
                            [&](Subgroup g) { os << subgroupName(g); });
      os << '}';
    }
  }

  void reshape(const IotaOrder &iota) {
    os << '[';
    numbers(iota.reshape());
    os << ']';
    if (iota.isTrivial())
      return;
    os << "T(";
    llvm::interleave(iota.perm(), os, ",");
    os << ')';
  }

  void named(const NamedHloSharding &s) {
    if (s.mesh.isMaximal()) {
      os << "maximal_mesh[device_id=" << s.mesh.deviceIds()[0] << ']';
    } else {
      os << "mesh[";
      llvm::interleave(
          s.mesh.axes(), os,
          [&](const MeshAxis &a) {
            quote(os, a.name, '\'');
            os << '=' << a.size;
          },
          ",");
      os << ']';
      deviceIds(s.mesh, s.printIdsAsIota);
    }
    const TensorSharding &t = s.sharding;
    if (t.dims.empty() && t.replicated.empty()) {
      if (s.mesh.isMaximal())
        return;
      if (t.unreduced.empty() && s.manual.empty()) {
        os << ", replicated";
        return;
      }
      if (t.unreduced.empty() && coversAll(s.mesh, s.manual)) {
        os << ", manual";
        return;
      }
      if (s.manual.empty() && coversAll(s.mesh, t.unreduced)) {
        os << ", unreduced";
        return;
      }
    }
    os << ", [";
    llvm::interleaveComma(t.dims, os, [&](const DimSharding &d) {
      os << '{';
      axes(s.mesh, d.axes);
      if (!d.isClosed)
        os << (d.axes.empty() ? "?" : ", ?");
      os << '}';
    });
    os << ']';
    axisList(s.mesh, "replicated", t.replicated);
    axisList(s.mesh, "unreduced", t.unreduced);
    axisList(s.mesh, "manual", s.manual);
  }

  static bool coversAll(const Mesh &mesh, AxisRefs axes) {
    return int64_t(axes.size()) == mesh.numAxes() &&
           llvm::all_of(axes, [&](AxisRef a) { return mesh.isFull(a); });
  }

  void deviceIds(const Mesh &mesh, bool asIota) {
    if (mesh.deviceIds().empty())
      return;
    os << ", device_ids=(";
    if (auto iota = IotaOrder::fromList(mesh.deviceIds()); iota && asIota)
      reshape(*iota);
    else
      numbers(mesh.deviceIds());
    os << ')';
  }

  void axisList(const Mesh &mesh, llvm::StringRef name, AxisRefs list) {
    if (list.empty())
      return;
    os << ", " << name << "={";
    axes(mesh, list);
    os << '}';
  }

  void axes(const Mesh &mesh, AxisRefs list) {
    llvm::interleaveComma(list, os, [&](AxisRef a) {
      quote(os, mesh.axisName(a.axis), '\'');
      if (!mesh.isFull(a))
        os << ":(" << a.preSize << ')' << a.size;
    });
  }

  void numbers(llvm::ArrayRef<int64_t> values) {
    llvm::interleave(values, os, ",");
  }

  void metadata(llvm::ArrayRef<OpMetadata> all) {
    os << "metadata={";
    llvm::interleaveComma(all, os, [&](const OpMetadata &fields) {
      if (all.size() > 1)
        os << '{';
      llvm::interleave(
          fields, os,
          [&](const MetadataField &f) {
            os << f.key << '=';
            if (!f.isString) {
              os << f.value;
              return;
            }
            quote(os, f.value, '"');
          },
          " ");
      if (all.size() > 1)
        os << '}';
    });
    os << '}';
  }

  llvm::raw_ostream &os;
  bool withMetadata;
};

} // namespace

std::string HloSharding::str(bool withMetadata) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  Printer(os, withMetadata).print(*this);
  return text;
}

} // namespace shardwright

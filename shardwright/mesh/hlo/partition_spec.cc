//===- partition_spec.cc - JAX's PartitionSpec on a mesh ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/partition_spec.h"
#include "shardwright/mesh/did_you_mean.h"
#include "shardwright/mesh/hlo/named_conversion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace shardwright {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

class SpecParser {
public:
  explicit SpecParser(llvm::StringRef text) : text(text), rest(text) {}

  llvm::Expected<PartitionSpec> run() {
    PartitionSpec spec;
    if (!(accept("PartitionSpec") || accept("P")) || !accept("("))
      return fail("expected 'P('");
    while (!accept(")")) {
      if (accept("unreduced_kind")) {
        if (!accept("=") || !kind(spec.unreducedKind))
          return fail("expected unreduced_kind=sum, max or min");
      } else if (accept("unreduced")) {
        if (!accept("=") || !accept("{") || !names(spec.unreduced, "}"))
          return fail("expected unreduced={'axis', ...}");
      } else {
        PartitionSpec::Entry &entry = spec.entries.emplace_back();
        if (accept("None"))
          ;
        else if (accept("UNCONSTRAINED") || accept("P.UNCONSTRAINED"))
          entry.unconstrained = true;
        else if (accept("(")) {
          if (!names(entry.axes, ")"))
            return fail("expected axis names");
        } else if (!name(entry.axes)) {
          return fail("expected an axis name, a tuple of them, None or "
                      "UNCONSTRAINED");
        }
      }
      if (!accept(",") && !rest.ltrim().starts_with(")"))
        return fail("expected ',' or ')'");
    }
    if (!rest.trim().empty())
      return fail("text after the spec");
    return spec;
  }

private:
  /// `max` or `UnreducedKind.max`, possibly with the names of modules in front.
  bool kind(ReductionKind &kind) {
    (void)(accept("jax.sharding.UnreducedKind.") || accept("UnreducedKind."));
    for (ReductionKind each :
         {ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min})
      if (accept(stringify(each))) {
        kind = each;
        return true;
      }
    return false;
  }
  llvm::Error fail(llvm::StringRef message) {
    return llvm::createStringError(
        "column " + llvm::Twine(text.size() - rest.size() + 1) + ": " +
        message + ", in '" + text.take_front(200) + "'");
  }
  bool accept(llvm::StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  bool name(llvm::SmallVectorImpl<std::string> &out) {
    rest = rest.ltrim();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == llvm::StringRef::npos)
      return false;
    out.push_back(rest.slice(1, end).str());
    rest = rest.drop_front(end + 1);
    return true;
  }
  bool names(llvm::SmallVectorImpl<std::string> &out, llvm::StringRef close) {
    while (!accept(close)) {
      if (!name(out))
        return false;
      if (!accept(",") && !rest.ltrim().starts_with(close))
        return false;
    }
    return true;
  }

  llvm::StringRef text, rest;
};

} // namespace

llvm::Expected<PartitionSpec> PartitionSpec::parse(llvm::StringRef text) {
  return SpecParser(text).run();
}

std::string PartitionSpec::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Quotes names as Python does; no parsed name contains both kinds of quotes.
  auto quote = [&](llvm::StringRef name) {
    char mark = name.contains('\'') ? '"' : '\'';
    os << mark << name << mark;
  };
  os << "P(";
  llvm::interleaveComma(entries, os, [&](const Entry &entry) {
    if (entry.unconstrained) {
      os << "UNCONSTRAINED";
    } else if (entry.axes.empty()) {
      os << "None";
    } else if (entry.axes.size() == 1) {
      quote(entry.axes[0]);
    } else {
      os << '(';
      llvm::interleaveComma(entry.axes, os, quote);
      os << ')';
    }
  });
  if (!unreduced.empty()) {
    os << (entries.empty() ? "unreduced={" : ", unreduced={");
    llvm::interleaveComma(unreduced, os, quote);
    os << '}';
    if (unreducedKind != ReductionKind::Sum)
      os << ", unreduced_kind=" << stringify(unreducedKind);
  } else if (entries.size() == 1) {
    os << ',';
  }
  os << ')';
  return text;
}

//===----------------------------------------------------------------------===//
// Meaning on a mesh
//===----------------------------------------------------------------------===//

static llvm::Expected<int32_t> axisNamed(llvm::StringRef name,
                                         const Mesh &mesh) {
  if (auto axis = mesh.find(name))
    return *axis;
  llvm::SmallVector<llvm::StringRef, 4> known;
  for (const MeshAxis &axis : mesh.axes())
    known.push_back(axis.name);
  return llvm::createStringError("'" + name + "' is not an axis of the mesh" +
                                 didYouMean(name, known));
}

llvm::Expected<TensorSharding> resolve(const PartitionSpec &spec,
                                       const Mesh &mesh, int64_t rank) {
  auto refuse = [&](const llvm::Twine &why) {
    return llvm::createStringError(spec.str() + ": " + why);
  };
  if (int64_t(spec.entries.size()) > rank)
    return refuse("it has " + llvm::Twine(spec.entries.size()) +
                  " entries, the value " + llvm::Twine(rank) + " dimensions");
  llvm::SmallVector<bool, 8> used(mesh.numAxes());
  TensorSharding sharding = TensorSharding::closed(rank);
  auto use = [&](llvm::StringRef name, AxisList &list) -> llvm::Error {
    auto axis = axisNamed(name, mesh);
    if (!axis)
      return refuse(llvm::toString(axis.takeError()));
    if (used[*axis])
      return refuse("axis '" + name + "' occurs twice");
    used[*axis] = true;
    list.push_back(mesh.fullAxis(*axis));
    return llvm::Error::success();
  };
  for (auto [entry, dim] : llvm::zip(spec.entries, sharding.dims)) {
    dim.isClosed = !entry.unconstrained;
    for (llvm::StringRef name : entry.axes)
      if (llvm::Error e = use(name, dim.axes))
        return e;
  }
  for (llvm::StringRef name : spec.unreduced)
    if (llvm::Error e = use(name, sharding.unreduced))
      return e;
  llvm::sort(sharding.unreduced);
  sharding.unreduced.kind = spec.unreducedKind;
  return sharding;
}

llvm::Expected<HloSharding> toTiled(const PartitionSpec &spec, const Mesh &mesh,
                                    int64_t rank,
                                    llvm::ArrayRef<std::string> manual) {
  auto sharding = resolve(spec, mesh, rank);
  if (!sharding)
    return sharding.takeError();
  NamedHloSharding named;
  named.mesh = mesh;
  named.sharding = std::move(*sharding);
  // JAX ignores axes of size 1.
  auto drop = [&](AxisList &axes) {
    llvm::erase_if(axes, [](AxisRef a) { return a.size == 1; });
  };
  for (llvm::StringRef name : manual) {
    auto axis = axisNamed(name, mesh);
    if (!axis)
      return axis.takeError();
    named.manual.push_back(mesh.fullAxis(*axis));
  }
  llvm::sort(named.manual);
  AxisList used = named.sharding.allAxes();
  llvm::append_range(used, named.sharding.unreduced);
  llvm::append_range(used, named.manual);
  drop(used);
  if (used.empty())
    return HloSharding();
  if (totalSize(named.manual) == mesh.numDevices())
    return HloSharding::ofKind(HloSharding::Kind::Manual);
  for (DimSharding &dim : named.sharding.dims)
    drop(dim.axes);
  drop(named.sharding.unreduced);
  drop(named.manual);
  if (!named.sharding.unreduced.empty() &&
      spec.unreducedKind != ReductionKind::Sum)
    return llvm::createStringError(
        spec.str() +
        ": HLO shardings have no notation for unreduced axes of kind '" +
        stringify(spec.unreducedKind) + "'; use kind sum");
  return toTiled(named);
}

llvm::Expected<PartitionSpec> toPartitionSpec(const HloSharding &sharding,
                                              const Mesh &mesh) {
  HloSharding tiled = toTiled(sharding);
  auto refuse = [&](const llvm::Twine &why) {
    return llvm::createStringError("sharding " + sharding.str() +
                                   " has no PartitionSpec: " + why);
  };
  PartitionSpec spec;
  switch (tiled.kind()) {
  case HloSharding::Kind::Replicated:
    return spec;
  case HloSharding::Kind::Tiled:
    break;
  default:
    return refuse("only tiled and replicated shardings have one");
  }
  auto named = toNamed(tiled, mesh, tiled.dataDims().size());
  if (!named)
    return named.takeError();
  if (!named->manual.empty())
    return refuse("it has manual axes");
  auto names = [&](AxisRefs axes, llvm::SmallVectorImpl<std::string> &out) {
    for (AxisRef a : axes) {
      if (!mesh.isFull(a))
        return false;
      out.push_back(mesh.axisName(a.axis).str());
    }
    return true;
  };
  for (const DimSharding &dim : named->sharding.dims)
    if (!names(dim.axes, spec.entries.emplace_back().axes))
      return refuse("it shards by a part of an axis");
  if (!names(named->sharding.unreduced, spec.unreduced))
    return refuse("it is unreduced along a part of an axis");
  while (!spec.entries.empty() && spec.entries.back().axes.empty())
    spec.entries.pop_back();
  return spec;
}

} // namespace shardwright

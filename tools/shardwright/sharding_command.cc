//===- sharding_command.cc - shardwright sharding: explain one ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command_line.h"

#include "shardwright/mesh/hlo/named_conversion.h"
#include "shardwright/mesh/hlo/partition_spec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <regex>

using namespace llvm;

namespace shardwright {
namespace {

/// No picture is printed for a larger grid.
constexpr int64_t maxCells = 256, maxDevices = 4096;

/// Prints `mesh['x'=2,'y'=4]`, the start of a V3 sharding.
std::string namedMesh(const Mesh &mesh) {
  std::string text = "mesh[";
  ListSeparator comma(",");
  for (const MeshAxis &axis : mesh.axes())
    text +=
        (StringRef(comma) + "'" + axis.name + "'=" + Twine(axis.size)).str();
  return text + "]";
}

Expected<HloSharding>
readSharding(StringRef text, const std::optional<Mesh> &mesh, int64_t rank) {
  text = text.trim();
  if (text.starts_with("{"))
    return HloSharding::parse(text);
  size_t start = text.find('[');
  if (!text.starts_with("P") && start == StringRef::npos)
    return createStringError("'" + text.str() + "' is not a sharding");
  if (!mesh)
    return createStringError("'" + text.str() +
                             "' names axes: give their sizes, --mesh x=2,y=4");
  if (text.starts_with("P")) {
    auto spec = PartitionSpec::parse(text);
    if (!spec)
      return spec.takeError();
    if (rank < 0)
      rank = spec->entries.size();
    auto sharding = resolve(*spec, *mesh, rank);
    if (!sharding)
      return sharding.takeError();
    return HloSharding::named({*mesh, std::move(*sharding), {}});
  }
  // Shardy's syntax: from the list of dimensions on it is a V3 sharding, except
  // for priorities.
  std::string dims = text.drop_front(start).rtrim("> ").str();
  dims = std::regex_replace(dims, std::regex(R"(\}p\d+)"), "}");
  return HloSharding::parse("{" + namedMesh(*mesh) + ", " + dims + "}");
}

std::string numbers(ArrayRef<int64_t> values, StringRef separator) {
  return join(map_range(values, [](int64_t v) { return std::to_string(v); }),
              separator);
}

void line(StringRef label, const Twine &text) {
  out() << "  " << left_justify(label, 12) << text << "\n";
}

Expected<Mesh> inferMesh(const HloSharding &s) {
  if (s.kind() == HloSharding::Kind::Named)
    return s.named().mesh;
  MeshInference inference;
  inference.add(s);
  return inference.infer();
}

void printNotations(const HloSharding &s, const HloSharding &tiled,
                    const std::optional<Mesh> &mesh, int64_t rank) {
  out() << "The same sharding\n";
  HloSharding v2 = tiled.withIota();
  line(v2.isTiled() && !v2.devices().iota() ? "GSPMD V1" : "GSPMD V2",
       v2.str());
  if (v2.isTiled() && v2.devices().iota() && v2.devices().size() <= 64)
    line("GSPMD V1", v2.withDeviceList().str());
  if (!tiled.isTiled() && !mesh)
    return;
  auto axes = mesh ? Expected<Mesh>(*mesh) : inferMesh(s);
  if (!axes) {
    line("axes", toString(axes.takeError()));
    return;
  }
  auto named = toNamed(s, *axes, rank);
  if (!named) {
    line("axes", toString(named.takeError()));
    return;
  }
  line("named (V3)", HloSharding::named(*named).str());
  std::string meshText = mesh ? "" : "<[";
  ListSeparator comma;
  if (!mesh) {
    for (const MeshAxis &axis : axes->axes())
      meshText +=
          (StringRef(comma) + "\"" + axis.name + "\"=" + Twine(axis.size))
              .str();
    meshText += "]> ";
  }
  line("Shardy", meshText + str(named->sharding, named->mesh));
  auto spec = toPartitionSpec(s, *axes);
  line("JAX", spec ? spec->str() : "none, " + toString(spec.takeError()));
}

/// Prints the devices of each tile; rows are the second to last dimension.
void printPicture(const HloSharding &s, ArrayRef<int64_t> shape) {
  if (s.devices().size() > maxDevices) {
    out() << "\nNo picture of " << s.devices().size() << " devices\n";
    return;
  }
  ArrayRef<int64_t> data = s.dataDims();
  SmallVector<int64_t, 4> tile = shardShape(shape, s);
  std::map<std::vector<int64_t>, std::string> holders;
  int64_t copies = 1;
  for (int64_t size : s.tileDims().drop_front(data.size()))
    copies *= size;
  for (int64_t position = 0; position < s.devices().size(); ++position) {
    std::vector<int64_t> at(data.size());
    int64_t rest = position / copies;
    for (int64_t d = data.size(); d-- > 0; rest /= data[d])
      at[d] = rest % data[d];
    std::string &cell = holders[at];
    cell += (cell.empty() ? "" : " ") +
            std::to_string(s.devices().deviceAt(position));
  }
  if (holders.size() > size_t(maxCells)) {
    out() << "\nNo picture of " << holders.size() << " tiles\n";
    return;
  }
  auto range = [&](int64_t dim, int64_t index) {
    int64_t begin = std::min(index * tile[dim], shape[dim]),
            end = std::min(begin + tile[dim], shape[dim]);
    return begin == end ? std::string("padding")
                        : std::to_string(begin) + ":" + std::to_string(end);
  };
  int64_t rank = data.size(), columns = rank ? data[rank - 1] : 1,
          rows = rank > 1 ? data[rank - 2] : 1, grids = 1;
  for (int64_t d = 0; d + 2 < rank; ++d)
    grids *= data[d];
  size_t width = 0;
  for (const auto &[at, text] : holders)
    width = std::max(width, text.size());
  for (int64_t c = 0; rank && c < columns; ++c)
    width = std::max(width, range(rank - 1, c).size());
  size_t margin = 0;
  for (int64_t r = 0; rank > 1 && r < rows; ++r)
    margin = std::max(margin, range(rank - 2, r).size());
  out() << "\nDevices that hold each part";
  if (copies > 1)
    out() << " (" << copies << " each)";
  out() << "\n";
  for (int64_t grid = 0; grid < grids; ++grid) {
    std::vector<int64_t> at(rank);
    int64_t rest = grid;
    for (int64_t d = rank - 2; d-- > 0; rest /= data[d])
      at[d] = rest % data[d];
    if (rank > 2) {
      out() << "  part [";
      for (int64_t d = 0; d + 2 < rank; ++d)
        out() << range(d, at[d]) << ", ";
      out() << "..]\n";
    }
    std::string row(margin + 2, ' ');
    auto cell = [&](StringRef text) {
      row += "  " + text.str() + std::string(width - text.size(), ' ');
    };
    auto endRow = [&] {
      out() << StringRef(row).rtrim() << "\n";
      row.clear();
    };
    for (int64_t c = 0; rank && c < columns; ++c)
      cell(range(rank - 1, c));
    endRow();
    for (int64_t r = 0; r < rows; ++r) {
      std::string label = rank > 1 ? range(rank - 2, r) : "";
      row = "  " + label + std::string(margin - label.size(), ' ');
      for (int64_t c = 0; c < columns; ++c) {
        if (rank > 1)
          at[rank - 2] = r;
        if (rank)
          at[rank - 1] = c;
        cell(holders[at]);
      }
      endRow();
    }
  }
}

int explainOne(const HloSharding &s, const ShardingOptions &options) {
  HloSharding tiled = toTiled(s);
  ArrayRef<int64_t> shape = options.shape;
  int64_t rank = options.shape.empty() && tiled.isTiled()
                     ? tiled.dataDims().size()
                     : shape.size();
  std::optional<Mesh> mesh;
  if (options.mesh)
    mesh = Mesh(*options.mesh);
  printNotations(s, tiled, mesh, rank);
  out() << "\nWhat it does\n";
  switch (tiled.kind()) {
  case HloSharding::Kind::Replicated:
    line("tile", "the full value, on every device");
    break;
  case HloSharding::Kind::Maximal:
    line("tile", "the full value, on device " + Twine(tiled.device()));
    break;
  case HloSharding::Kind::Manual:
    line("tile", "already the part of each device: its shape is local");
    break;
  case HloSharding::Kind::Unreduced:
    line("tile", "a partial sum of the full value, on every device");
    break;
  case HloSharding::Kind::Unknown:
    line("tile", "to be decided by propagation");
    break;
  default:
    break;
  }
  if (!tiled.isTiled())
    return exitFine;
  line("devices", Twine(tiled.devices().size()));
  line("tiles", rank ? numbers(tiled.dataDims(), " x ") : "1");
  for (auto [subgroup, size] :
       zip(tiled.subgroups(),
           tiled.tileDims().drop_front(tiled.dataDims().size()))) {
    if (subgroup == Subgroup::Replicated)
      line("replication", Twine(size) + " copies of each tile");
    else if (subgroup == Subgroup::Unreduced)
      line("unreduced", "over " + Twine(size) + " devices");
    else if (subgroup == Subgroup::Manual)
      line("manual", "over " + Twine(size) + " devices");
  }
  if (shape.empty())
    return exitFine;
  line("shape", numbers(shape, "x"));
  SmallVector<int64_t, 4> local = shardShape(shape, tiled);
  bool even = true;
  for (auto [size, tiles] : zip(shape, tiled.dataDims()))
    even &= size % tiles == 0;
  line("tile shape",
       numbers(local, "x") + (even ? "" : " (the last tiles are padded)"));
  printPicture(tiled, shape);
  return exitFine;
}

} // namespace

int shardingCommand(const ShardingOptions &options) {
  std::optional<Mesh> mesh;
  if (options.mesh)
    mesh = Mesh(*options.mesh);
  auto s = readSharding(options.text, mesh,
                        options.shape.empty() ? -1 : options.shape.size());
  if (!s)
    return badInput(toString(s.takeError()),
                    "write it as in mhlo.sharding, {devices=[4,2]<=[8]}, as "
                    "JAX, P('x', None), or as Shardy, [{\"x\"}, {}]");
  HloSharding tiled = toTiled(*s);
  int64_t devices = options.devices.value_or(std::max<int64_t>(
      {tiled.numDevices(), mesh ? mesh->numDevices() : 1,
       tiled.kind() == HloSharding::Kind::Maximal ? tiled.device() + 1 : 1}));
  if (!options.shape.empty())
    if (Error e = tiled.validate(options.shape, devices))
      return badInput(toString(std::move(e)),
                      "give a shape with one size for each tile dimension, as "
                      "--shape 8x16, and the number of devices it is for");
  out() << s->str() << "\n\n";
  if (!s->isTuple())
    return explainOne(*s, options);
  ShardingOptions element = options;
  element.shape.clear();
  for (auto [i, leaf] : enumerate(s->elements())) {
    out() << (i ? "\n" : "") << "Element " << i << ": " << leaf.str() << "\n";
    if (int code = explainOne(leaf, element))
      return code;
  }
  return exitFine;
}

} // namespace shardwright

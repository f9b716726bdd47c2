//===- direct_exchange.cc - plan a direct exchange of boxes ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard/direct_exchange.h"

#include "shardwright/mesh/uneven.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace shardwright;

namespace {

using Sizes = llvm::SmallVector<int64_t, 4>;

/// The part of the value that a device holds: a summand and a shard. Devices
/// with equal parts hold equal data.
struct HeldPart {
  int64_t summand = 0;
  /// Shard index in each dimension.
  Sizes shard;
  friend bool operator==(const HeldPart &, const HeldPart &) = default;
  friend bool operator<(const HeldPart &a, const HeldPart &b) {
    return std::tie(a.summand, a.shard) < std::tie(b.summand, b.shard);
  }
};

HeldPart partOf(const Mesh &mesh, const TensorSharding &sharding,
                int64_t device) {
  int64_t linear = mesh.linearIndex(device);
  HeldPart part;
  part.summand = summandOf(sharding, mesh, linear);
  for (const DimSharding &dim : sharding.dims)
    part.shard.push_back(mesh.shardIndex(linear, dim.axes));
  return part;
}

/// The rows of a dimension that belong to one shard.
IndexRange rowsOf(int64_t size, int64_t shards, int64_t shard) {
  int64_t rows = shardSize(size, shards);
  return {std::min(size, shard * rows), std::min(size, (shard + 1) * rows)};
}

struct Message {
  int64_t source = 0, target = 0;
  /// Offsets of the box in the source's and the target's shard.
  Sizes take, put;
};

/// Colors the edges of a bipartite graph so that edges that share a node differ
/// in color. Uses as many colors as the largest degree (König).
std::vector<int64_t> colourEdges(llvm::ArrayRef<Message> edges,
                                 int64_t devices) {
  std::vector<int64_t> degree(2 * devices, 0);
  for (const Message &edge : edges) {
    ++degree[edge.source];
    ++degree[devices + edge.target];
  }
  int64_t colours = *std::max_element(degree.begin(), degree.end());
  // Edge by node and color; -1: none.
  std::vector<int64_t> at(2 * devices * colours, -1);
  std::vector<int64_t> colour(edges.size(), -1);
  auto slot = [&](int64_t node, int64_t c) -> int64_t & {
    return at[node * colours + c];
  };
  auto freeAt = [&](int64_t node) {
    int64_t c = 0;
    while (slot(node, c) >= 0)
      ++c;
    return c;
  };
  for (size_t e = 0; e < edges.size(); ++e) {
    int64_t u = edges[e].source, v = devices + edges[e].target;
    int64_t a = freeAt(u), b = freeAt(v);
    if (slot(v, a) >= 0) {
      // Swap the two colors on the path that starts at v with color a. The path
      // never ends at u, which has no edge of color a.
      llvm::SmallVector<int64_t, 16> path;
      int64_t node = v, c = a;
      while (slot(node, c) >= 0) {
        int64_t edge = slot(node, c);
        path.push_back(edge);
        int64_t other = edges[edge].source;
        node = node == other ? devices + edges[edge].target : other;
        c = a + b - c;
      }
      for (int64_t edge : path) {
        slot(edges[edge].source, colour[edge]) = -1;
        slot(devices + edges[edge].target, colour[edge]) = -1;
      }
      for (int64_t edge : path) {
        colour[edge] = a + b - colour[edge];
        slot(edges[edge].source, colour[edge]) = edge;
        slot(devices + edges[edge].target, colour[edge]) = edge;
      }
    }
    colour[e] = a;
    slot(u, a) = slot(v, a) = e;
  }
  return colour;
}

ExchangeRound makeRound(llvm::ArrayRef<Message> messages, const Sizes &sizes,
                        int64_t devices, bool within) {
  ExchangeRound round;
  round.sizes = sizes;
  round.receives.assign(devices, false);
  round.takes.resize(sizes.size());
  round.puts.resize(sizes.size());
  for (auto *tables : {&round.takes, &round.puts})
    for (auto &table : *tables)
      table.assign(devices, 0);
  std::vector<int64_t> targetOf(devices, -1);
  for (const Message &m : messages) {
    targetOf[m.source] = m.target;
    round.receives[m.target] = true;
    for (size_t d = 0; d < sizes.size(); ++d) {
      round.takes[d][m.source] = m.take[d];
      round.puts[d][m.target] = m.put[d];
    }
  }
  for (int64_t device = 0; device < devices && !within; ++device)
    if (targetOf[device] >= 0)
      round.pairs.append({device, targetOf[device]});
  return round;
}

} // namespace

std::vector<ExchangeRound>
shardwright::planExchange(const Mesh &fromMesh, const TensorSharding &from,
                          const Mesh &toMesh, const TensorSharding &to,
                          llvm::ArrayRef<int64_t> shape) {
  int64_t devices = fromMesh.numDevices(), rank = shape.size();
  std::map<HeldPart, llvm::SmallVector<int64_t, 1>> holders;
  std::vector<HeldPart> has, wants;
  for (int64_t device = 0; device < devices; ++device) {
    has.push_back(partOf(fromMesh, from, device));
    wants.push_back(partOf(toMesh, to, device));
    holders[has.back()].push_back(device);
  }
  // Messages by box size; messages within one device are kept apart.
  std::map<std::pair<bool, Sizes>, std::vector<Message>> bySize;
  std::vector<int64_t> load(devices, 0);
  for (int64_t device = 0; device < devices; ++device) {
    // Shards of the source layout that intersect this target shard.
    const Sizes &target = wants[device].shard;
    Sizes first, last;
    bool isEmpty = false;
    for (int64_t d = 0; d < rank; ++d) {
      int64_t rows = shardSize(shape[d], from.dims[d].shards());
      IndexRange wanted = rowsOf(shape[d], to.dims[d].shards(), target[d]);
      isEmpty |= wanted.size() == 0;
      first.push_back(isEmpty ? 0 : wanted.begin / rows);
      last.push_back(isEmpty ? 0 : (wanted.end - 1) / rows);
    }
    HeldPart source{wants[device].summand, first};
    for (Sizes &shard = source.shard; !isEmpty;) {
      Message message;
      message.target = device;
      Sizes sizes;
      for (int64_t d = 0; d < rank; ++d) {
        IndexRange a = rowsOf(shape[d], from.dims[d].shards(), shard[d]);
        IndexRange b = rowsOf(shape[d], to.dims[d].shards(), target[d]);
        int64_t begin = std::max(a.begin, b.begin);
        sizes.push_back(std::min(a.end, b.end) - begin);
        message.take.push_back(begin - a.begin);
        message.put.push_back(begin - b.begin);
      }
      bool within = source == has[device];
      message.source = device;
      if (!within) {
        // Pick the holder with the least load; break ties by round robin.
        const auto &from = holders.at(source);
        size_t start = device % from.size(), best = start;
        for (size_t i = 1; i < from.size(); ++i) {
          size_t other = (start + i) % from.size();
          if (load[from[other]] < load[from[best]])
            best = other;
        }
        message.source = from[best];
        ++load[message.source];
      }
      bySize[{!within, sizes}].push_back(std::move(message));
      int64_t d = rank - 1;
      while (d >= 0 && shard[d] == last[d]) {
        shard[d] = first[d];
        --d;
      }
      if (d < 0)
        break;
      ++shard[d];
    }
  }
  std::vector<ExchangeRound> rounds;
  for (auto &[key, messages] : bySize) {
    auto &[travels, sizes] = key;
    if (!travels) {
      rounds.push_back(makeRound(messages, sizes, devices, /*within=*/true));
      continue;
    }
    std::vector<int64_t> colour = colourEdges(messages, devices);
    std::vector<std::vector<Message>> byColour(
        1 + *std::max_element(colour.begin(), colour.end()));
    for (size_t i = 0; i < messages.size(); ++i)
      byColour[colour[i]].push_back(messages[i]);
    for (const auto &one : byColour)
      rounds.push_back(makeRound(one, sizes, devices, /*within=*/false));
  }
  return rounds;
}

int64_t shardwright::exchangePieces(const TensorSharding &from,
                                    const TensorSharding &to,
                                    llvm::ArrayRef<int64_t> shape) {
  int64_t pieces = 1;
  for (auto [f, t, size] : llvm::zip(from.dims, to.dims, shape)) {
    if (size == 0)
      return 0;
    int64_t has = shardSize(size, f.shards());
    int64_t wants = shardSize(size, t.shards());
    if (has % wants == 0)
      continue;
    pieces *= wants % has == 0 ? wants / has : (wants + has - 2) / has + 1;
  }
  return pieces;
}

double shardwright::exchangeElements(const Mesh &fromMesh,
                                     const TensorSharding &from,
                                     const Mesh &toMesh,
                                     const TensorSharding &to,
                                     llvm::ArrayRef<int64_t> shape) {
  int64_t devices = fromMesh.numDevices();
  double lacks = 0;
  for (int64_t device = 0; device < devices; ++device) {
    HeldPart has = partOf(fromMesh, from, device);
    HeldPart wants = partOf(toMesh, to, device);
    double own = 1, both = has.summand == wants.summand ? 1 : 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      IndexRange a = rowsOf(shape[d], from.dims[d].shards(), has.shard[d]);
      IndexRange b = rowsOf(shape[d], to.dims[d].shards(), wants.shard[d]);
      own *= double(b.size());
      both *= double(std::max<int64_t>(0, std::min(a.end, b.end) -
                                              std::max(a.begin, b.begin)));
    }
    lacks += own - both;
  }
  return lacks / double(devices);
}

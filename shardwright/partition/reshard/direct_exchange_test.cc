//===- direct_exchange_test.cc --------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard/direct_exchange.h"

#include "shardwright/mesh/uneven.h"

#include "gtest/gtest.h"
#include <rapidcheck/gtest.h>

#include <set>

using namespace shardwright;

namespace {

/// A mesh of `devices` devices with random axis sizes and device order.
rc::Gen<Mesh> genMesh(int64_t devices) {
  return rc::gen::exec([devices] {
    llvm::SmallVector<MeshAxis, 4> axes;
    for (int64_t rest = devices; rest > 1;) {
      std::vector<int64_t> sizes;
      for (int64_t n = 2; n <= rest; ++n)
        if (rest % n == 0)
          sizes.push_back(n);
      int64_t size = *rc::gen::elementOf(sizes);
      axes.push_back({std::string(1, char('a' + axes.size())), size});
      rest /= size;
    }
    llvm::SmallVector<int64_t, 0> ids;
    if (*rc::gen::inRange(0, 2)) {
      for (int64_t i = 0; i < devices; ++i)
        ids.push_back(i);
      for (int64_t i = 0; i < devices; ++i)
        std::swap(ids[i], ids[*rc::gen::inRange<int64_t>(i, devices)]);
    }
    return Mesh(axes, ids);
  });
}

/// Full axes in random places; no more shards than rows.
rc::Gen<TensorSharding> genSharding(Mesh mesh, std::vector<int64_t> shape) {
  return rc::gen::exec([mesh, shape] {
    TensorSharding sharding = TensorSharding::closed(shape.size());
    for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
      size_t dim = *rc::gen::inRange<size_t>(0, shape.size() + 1);
      if (dim == shape.size())
        continue;
      AxisList axes = sharding.dims[dim].axes;
      axes.insert(axes.begin() + *rc::gen::inRange<size_t>(0, axes.size() + 1),
                  mesh.fullAxis(axis));
      if (totalSize(axes) <= shape[dim])
        sharding.dims[dim].axes = axes;
    }
    return sharding;
  });
}

/// Makes both sides unreduced with the same number of summands, along axes that
/// shard no dimension, where such axes exist.
void addUnreduced(const Mesh &fromMesh, TensorSharding &from,
                  const Mesh &toMesh, TensorSharding &to) {
  auto choices = [](const Mesh &mesh, const TensorSharding &sharding) {
    AxisList unused = complement(mesh, sharding.allAxes());
    std::vector<AxisList> subsets;
    for (size_t bits = 0; bits < (size_t(1) << unused.size()); ++bits) {
      AxisList axes;
      for (size_t i = 0; i < unused.size(); ++i)
        if (bits >> i & 1)
          axes.push_back(unused[i]);
      subsets.push_back(std::move(axes));
    }
    return subsets;
  };
  from.unreduced = *rc::gen::elementOf(choices(fromMesh, from));
  std::vector<AxisList> matching;
  for (AxisList &axes : choices(toMesh, to))
    if (totalSize(axes) == totalSize(from.unreduced))
      matching.push_back(std::move(axes));
  if (matching.empty())
    from.unreduced.clear();
  else
    to.unreduced = *rc::gen::elementOf(matching);
}

/// A device's shard. `cells` holds the summand and global position of each
/// element by its position in the shard; -1 marks padding.
struct Shard {
  std::vector<int64_t> sizes, begins, cells;
  std::vector<int64_t> global; // sizes of the whole value
  int64_t summand = 0;
  Shard(const Mesh &mesh, const TensorSharding &sharding,
        const std::vector<int64_t> &shape, int64_t device)
      : global(shape) {
    int64_t count = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      const DimSharding &dim = sharding.dims[d];
      sizes.push_back(shardSize(shape[d], dim.shards()));
      begins.push_back(sizes[d] *
                       mesh.shardIndex(mesh.linearIndex(device), dim.axes));
      count *= sizes[d];
    }
    cells.assign(count, -1);
    summand = summandOf(sharding, mesh, mesh.linearIndex(device));
  }
  template <typename F>
  void forBox(llvm::ArrayRef<int64_t> box, llvm::ArrayRef<int64_t> at, F f) {
    std::vector<int64_t> i(box.size(), 0);
    while (true) {
      int64_t cell = 0, position = summand;
      bool inside = true;
      for (size_t d = 0; d < box.size(); ++d) {
        RC_ASSERT(at[d] >= 0 && at[d] + box[d] <= sizes[d]);
        cell = cell * sizes[d] + at[d] + i[d];
        position = position * global[d] + begins[d] + at[d] + i[d];
        inside &= begins[d] + at[d] + i[d] < global[d];
      }
      f(cell, inside ? position : -1);
      int64_t d = int64_t(box.size()) - 1;
      while (d >= 0 && ++i[d] == box[d])
        i[d--] = 0;
      if (d < 0)
        return;
    }
  }
};

RC_GTEST_PROP(DirectExchange, BringsWhatIsLackingAndNothingElse, ()) {
  int64_t devices = *rc::gen::element<int64_t>(2, 4, 6, 8, 12);
  Mesh fromMesh = *genMesh(devices), toMesh = *genMesh(devices);
  auto shape = *rc::gen::mapcat(rc::gen::inRange(1, 4), [](int rank) {
    return rc::gen::container<std::vector<int64_t>>(
        rank, rc::gen::inRange<int64_t>(1, 14));
  });
  TensorSharding from = *genSharding(fromMesh, shape);
  TensorSharding to = *genSharding(toMesh, shape);
  addUnreduced(fromMesh, from, toMesh, to);

  std::vector<Shard> have, want;
  for (int64_t device = 0; device < devices; ++device) {
    have.emplace_back(fromMesh, from, shape, device);
    Shard &shard = have.back();
    std::vector<int64_t> origin(shape.size(), 0);
    shard.forBox(shard.sizes, origin, [&](int64_t cell, int64_t position) {
      shard.cells[cell] = position;
    });
    want.emplace_back(toMesh, to, shape, device);
  }
  double sent = 0;
  for (const ExchangeRound &round :
       planExchange(fromMesh, from, toMesh, to, shape)) {
    int64_t elements = 1;
    for (int64_t n : round.sizes)
      elements *= n;
    std::vector<int64_t> sourceOf(devices, -1);
    std::set<int64_t> sources;
    for (size_t i = 0; i < round.pairs.size(); i += 2) {
      RC_ASSERT(sources.insert(round.pairs[i]).second);
      RC_ASSERT(round.pairs[i] != round.pairs[i + 1]);
      RC_ASSERT(sourceOf[round.pairs[i + 1]] < 0);
      sourceOf[round.pairs[i + 1]] = round.pairs[i];
    }
    for (int64_t target = 0; target < devices; ++target) {
      int64_t source = round.pairs.empty() ? target : sourceOf[target];
      RC_ASSERT(
          round.receives[target] ==
          (source >= 0 && (!round.pairs.empty() || round.receives[target])));
      if (!round.receives[target])
        continue;
      if (source != target)
        sent += double(elements);
      std::vector<int64_t> take, put, box;
      for (size_t d = 0; d < shape.size(); ++d) {
        take.push_back(round.takes[d][source]);
        put.push_back(round.puts[d][target]);
      }
      have[source].forBox(round.sizes, take, [&](int64_t cell, int64_t) {
        box.push_back(have[source].cells[cell]);
      });
      size_t i = 0;
      want[target].forBox(round.sizes, put, [&](int64_t cell, int64_t) {
        RC_ASSERT(want[target].cells[cell] < 0); // no element arrives twice
        want[target].cells[cell] = box[i++];
      });
    }
  }
  for (Shard &shard : want) {
    std::vector<int64_t> origin(shape.size(), 0);
    shard.forBox(shard.sizes, origin, [&](int64_t cell, int64_t position) {
      RC_ASSERT(shard.cells[cell] == position);
    });
  }
  double lacking = exchangeElements(fromMesh, from, toMesh, to, shape);
  RC_ASSERT(std::abs(sent / double(devices) - lacking) < 1e-9);
}

// All-to-all exchange: each box from another device takes one round.
TEST(DirectExchange, RoundsAreAsFewAsBoxes) {
  Mesh mesh({{"x", 4}, {"y", 8}});
  TensorSharding from = TensorSharding::closed(2), to = from;
  from.dims[0].axes = {mesh.fullAxis(1)};
  from.dims[1].axes = {mesh.fullAxis(0)};
  to.dims[0].axes = {mesh.fullAxis(0), mesh.fullAxis(1)};
  EXPECT_EQ(exchangePieces(from, to, {64, 32}), 4);
  int64_t permutes = 0;
  for (const ExchangeRound &round :
       planExchange(mesh, from, mesh, to, {64, 32}))
    permutes += !round.pairs.empty();
  EXPECT_EQ(permutes, 4);
}

} // namespace

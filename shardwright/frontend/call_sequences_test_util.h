//===- call_sequences_test_util.h - choices of random calls -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALL_SEQUENCES_TEST_UTIL_H
#define SHARDWRIGHT_FRONTEND_CALL_SEQUENCES_TEST_UTIL_H

#include "shardwright/frontend/frontend.h"

#include <array>

namespace shardwright::frontend::testing {

/// One call: which, and bytes that choose its operands and parameters.
using Step = std::array<uint8_t, 6>;
inline constexpr int64_t maxElements = 512;

/// Reads the choices of a step in turn.
class Choices {
public:
  explicit Choices(const Step &s) : step(s) {}
  size_t below(size_t n) { return next() % n; }
  int64_t between(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(next() % uint64_t(hi - lo + 1));
  }
  /// Dimensions, axes or positions, often wrong ones.
  Ints ints(size_t maxCount, int64_t lo, int64_t hi) {
    Ints out(below(maxCount + 1));
    for (int64_t &v : out)
      v = between(lo, hi);
    return out;
  }

private:
  /// The bytes, then numbers that follow from them.
  uint64_t next() {
    if (at < step.size())
      state = state * 6364136223846793005u + step[at++];
    else
      state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33 ^ (at <= step.size() ? state : 0);
  }
  const Step &step;
  size_t at = 1;
  uint64_t state = 1;
};

inline std::vector<Mesh> meshes() {
  return {*Mesh::get(devices(), {4, 2}, {"x", "y"}),
          *makeMesh({4, 2}, {"x", "y"}),
          *Mesh::get({{0}, {1}}, {2}, {"x"}),
          *Mesh::get({{3}, {2}}, {2}, {"x"}),
          *makeMesh({2, 2}, {"x", "z"}, {AxisType::Auto, AxisType::Explicit}),
          Mesh()};
}

inline PartitionSpec spec(Choices &c) {
  std::vector<SpecEntry> entries;
  for (size_t i = c.below(4); i > 0; --i)
    switch (c.below(7)) {
    case 0:
      entries.push_back(axes("x", "y"));
      break;
    case 1:
      entries.emplace_back("x");
      break;
    case 2:
      entries.emplace_back("y");
      break;
    case 3:
      entries.emplace_back("q");
      break;
    case 4:
      entries.push_back(Unconstrained);
      break;
    default:
      entries.emplace_back();
    }
  auto made = c.below(8) == 0 ? P::get(entries, {"y"}) : P::get(entries);
  return made ? *made : P();
}

/// A leaf or a container of any kind, whatever the values are. `sharding`: of
/// some leaves.
inline ShardingTree shardingTree(Choices &c, const Sharding &sharding,
                                 int depth) {
  auto child = [&] { return shardingTree(c, sharding, depth - 1); };
  switch (depth > 0 ? c.below(9) : c.below(5)) {
  case 0:
    return None;
  case 1:
    return spec(c);
  case 2:
    return Format::get(Layout(c.ints(2, 0, 2)), sharding);
  case 3:
    return Format::get(Layout::automatic(), sharding);
  case 4:
    return sharding;
  case 5:
    return {child(), child()};
  case 6:
    return std::vector<ShardingTree>(c.below(4), child());
  case 7:
    return std::map<std::string, ShardingTree>{{"w", child()}};
  default:
    return std::tuple{child()};
  }
}

/// A primitive of one operand.
inline Tensor unary(size_t which, const Tensor &x) {
#define SW_ONE(name) &lax::name,
  static constexpr Tensor (*all[])(const Tensor &) = {SW_LAX_UNARY(SW_ONE)};
#undef SW_ONE
  return all[which % std::size(all)](x);
}
inline Tensor binary(size_t which, const Tensor &x, const Tensor &y) {
#define SW_ONE(name) &lax::name,
  static constexpr Tensor (*all[])(const Tensor &,
                                   const Tensor &) = {SW_LAX_BINARY(SW_ONE)};
#undef SW_ONE
  return all[which % std::size(all)](x, y);
}

/// Values of all kinds that random calls begin with.
inline Tensors firstValues() {
  Tensors values = {Tensor(),
                    Tensor(2.5),
                    Tensor(3),
                    Tensor(valueError("an earlier error")),
                    arange(8, DType::F32),
                    reshape(arange(8), {4, 2}),
                    ones({2, 3}),
                    zeros({0, 3}),
                    lax::full({2, 2}, 1.5, DType::C64),
                    random::key(1),
                    arrayOf<bool>({true, false, true}),
                    shapeDtypeStruct({4}, DType::F32)};
  Tensor deleted = lax::copy(ones({4}));
  (void)deleted.remove();
  values.push_back(deleted);
  Tensor escaped;
  (void)jit([&](Tensor x) { return escaped = x + 1.0; })(ones({3}));
  values.push_back(escaped);
  return values;
}

} // namespace shardwright::frontend::testing

#endif // SHARDWRIGHT_FRONTEND_CALL_SEQUENCES_TEST_UTIL_H

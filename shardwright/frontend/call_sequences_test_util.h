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
#include <chrono>
#include <thread>

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
  /// As `between`, but sometimes a number that overflows what is computed from
  /// it, or a size for which no machine has memory.
  int64_t number(int64_t lo, int64_t hi) {
    static constexpr int64_t all[] = {INT64_MIN,     INT64_MIN + 1, INT32_MIN,
                                      -(1ll << 40),  1ll << 40,     1ll << 62,
                                      INT64_MAX - 1, INT64_MAX};
    return below(24) == 0 ? all[below(std::size(all))] : between(lo, hi);
  }
  /// Dimensions, axes or positions, often wrong ones.
  Ints ints(size_t maxCount, int64_t lo, int64_t hi) {
    Ints out(below(maxCount + 1));
    for (int64_t &v : out)
      v = number(lo, hi);
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

/// An array whose shards are partial sums along `y`.
inline Tensor partialSums() {
  Mesh mesh = *makeMesh({4, 2}, {"x", "y"});
  ScopedMesh in(mesh);
  Tensor x = devicePut(reshape(arange(16, DType::F32), {4, 4}),
                       NamedSharding(mesh, P("x", "y")));
  return lax::reduce_sum(x, {1}, *P::get({"x"}, {"y"}));
}

/// The result of a run on eight devices that fails while its results are used,
/// as its call of a host function returns an error.
inline Tensor failing() {
  static const auto &f = *new auto(jit([](Tensor x) -> Tensor {
    return pureCallback(
        [](Tensor) -> Expected<Tensor> {
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          return valueError("a run that fails");
        },
        shapeDtypeStruct(x.shape(), x.dtype()), x);
  }));
  return f(devicePut(
      arange(8, DType::F32),
      NamedSharding(*makeMesh({8}, {"x"}, {AxisType::Auto}), P("x"))));
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
  values.push_back(partialSums());
  values.push_back(failing());
  return values;
}

/// The values of a sequence of calls, and what is wrong with them.
class CallPool {
public:
  explicit CallPool(Tensors first) : values(std::move(first)) {}

  /// Each value can be read, or says why not. Returns what is wrong, or an
  /// empty text.
  std::string check() const {
    if (!wrong.empty())
      return wrong;
    for (const Tensor &value : values)
      if (std::string text = check(value); !text.empty())
        return text;
    return "";
  }

protected:
  static std::string check(const Tensor &value) {
    if (!value.ok())
      return value.error().text.empty() ? "an error without a text" : "";
    Status ready = value.blockUntilReady();
    auto bytes = value.toBytes();
    if (!ready && bytes.ok())
      return cat("an array is read, whose computation failed: ",
                 ready.error().str());
    if (bytes.ok() && static_cast<int64_t>(bytes->size()) !=
                          value.size() * byteWidth(value.dtype()))
      return cat(value.aval().str(), " has ", bytes->size(), " bytes");
    if (!ready && ready.error().text.empty())
      return "an array is not ready, without a reason";
    if (!bytes.ok() && bytes.error().text.empty())
      return "an array is not read, without a reason";
    if (value.str().empty() || value.repr().empty())
      return "a value without a text";
    return "";
  }
  /// An operation failed, as it should have.
  void expectError(bool ok, const Error &error, const char *what) {
    if (ok)
      wrong = cat(what, " did not fail");
    else if (error.text.empty())
      wrong = cat(what, " failed without a reason");
  }

  Tensor pick(Choices &c) { return values[c.below(values.size())]; }
  Tensors several(Choices &c) {
    Tensors out(c.below(4));
    for (Tensor &x : out)
      x = pick(c);
    return out;
  }
  static DType type(Choices &c) { return static_cast<DType>(c.below(31)); }
  void keep(const Tensor &x) {
    if (x.ok() && x.size() > maxElements)
      return;
    if (values.size() < 40)
      values.push_back(x);
    else
      values[20 + next++ % 20] = x;
  }
  void keep(const Tensors &xs) {
    for (const Tensor &x : xs)
      keep(x);
  }
  template <typename T> void keep(const Expected<T> &x) {
    if (x.ok())
      keep(treeLeaves(*x));
    else
      keep(Tensor(x.error()));
  }

  Tensors values;
  size_t next = 0;
  std::string wrong;
};

} // namespace shardwright::frontend::testing

#endif // SHARDWRIGHT_FRONTEND_CALL_SEQUENCES_TEST_UTIL_H

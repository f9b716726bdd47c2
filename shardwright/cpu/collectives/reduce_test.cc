//===- reduce_test.cc - reductions in parts -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/reduce.h"

#include "shardwright/support/element_type.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <random>

using namespace shardwright;
using namespace shardwright::cpu;
using E = ElementType;

namespace {

using Bytes = std::vector<char>;

/// Bits that are elements of the type and no NaN, whose payload may depend on
/// the order of operands.
Bytes randomOperand(E type, int64_t n, std::mt19937_64 &random) {
  Bytes bytes(n * byteWidth(type));
  for (int64_t i = 0; i < n; ++i) {
    char *p = bytes.data() + i * byteWidth(type);
    int64_t small = int64_t(random() % 4);
    uint64_t bits = random();
    auto put = [&](auto value) { std::memcpy(p, &value, sizeof value); };
    switch (type) {
    case E::F32:
      put(float(double(bits) / 1e18));
      break;
    case E::F64:
      put(double(bits) / 1e18);
      break;
    case E::C64:
      put(float(double(bits) / 1e19));
      std::memcpy(p + 4, p, 4);
      break;
    case E::C128:
      put(double(bits) / 1e19);
      std::memcpy(p + 8, p, 8);
      break;
    case E::F16:
    case E::BF16: // exponents in the middle of the range
      put(uint16_t((bits & 0x81ff) | 0x3c00));
      break;
    case E::S2:
      *p = char(small - 2);
      break;
    case E::U2:
    case E::U4:
      *p = char(small);
      break;
    case E::S4:
      *p = char(small * 2 - 5);
      break;
    case E::Pred:
      *p = char(small & 1);
      break;
    case E::F8E4M3FN:
    case E::F8E5M2:
      *p = char(0x30 | (small << 1));
      break;
    default:
      std::memcpy(p, &bits, byteWidth(type));
    }
  }
  return bytes;
}

/// Computes the subtrees of each owner apart, and puts them together.
Bytes reduceInParts(const Reduction &r, const std::vector<const void *> &inputs,
                    llvm::ArrayRef<int32_t> owners, int64_t begin,
                    int64_t end) {
  int64_t sumWidth = byteWidth(r.accumulator()), width = byteWidth(r.type);
  std::vector<Bytes> memory;
  std::vector<Reduction::Part> parts;
  int64_t covered = 0;
  for (const ReductionSubtree &tree : ownedSubtrees(owners)) {
    EXPECT_EQ(tree.first, covered);
    covered += tree.count;
    for (int32_t i = 0; i < tree.count; ++i)
      EXPECT_EQ(owners[tree.first + i], tree.owner);
    if (tree.count == 1) {
      parts.push_back(
          {1, static_cast<const char *>(inputs[tree.first]) + begin * width});
      continue;
    }
    memory.emplace_back((end - begin) * sumWidth);
    r.runSubtree(&inputs[tree.first], tree.count, memory.back().data(), begin,
                 end);
    parts.push_back({tree.count, memory.back().data()});
  }
  EXPECT_EQ(covered, int64_t(owners.size()));
  Bytes out((end - begin) * width);
  r.finish(parts, out.data(), end - begin);
  return out;
}

TEST(Reduction, PartsGiveTheBitsOfTheWhole) {
  std::mt19937_64 random(11);
  const E types[] = {E::F32, E::F64, E::C64, E::C128,   E::F16,     E::BF16,
                     E::S2,  E::U2,  E::S4,  E::U4,     E::Pred,    E::S8,
                     E::U16, E::S32, E::U64, E::F8E5M2, E::F8E4M3FN};
  int64_t tried = 0;
  for (int round = 0; round < 1500; ++round) {
    E type = types[random() % std::size(types)];
    auto r = Reduction::create(type, ReduceKind(random() % 7));
    if (!r) { // not for this type
      llvm::consumeError(r.takeError());
      continue;
    }
    ++tried;
    int64_t count = 1 + random() % (round % 50 == 0 ? 70 : 14);
    int64_t n = 1 + random() % (round % 20 == 0 ? 3000 : 40);
    int32_t processes = 1 + random() % 5;
    bool isScattered = random() % 2;
    std::vector<Bytes> operands;
    std::vector<const void *> inputs;
    std::vector<int32_t> owners;
    for (int64_t i = 0; i < count; ++i) {
      operands.push_back(randomOperand(type, n, random));
      owners.push_back(isScattered ? random() % processes
                                   : i * processes / count);
    }
    for (const Bytes &operand : operands)
      inputs.push_back(operand.data());
    Bytes whole(n * byteWidth(type));
    r->run(inputs.data(), count, whole.data(), 0, n);
    int64_t begin = random() % n, end = begin + random() % (n - begin + 1);
    Bytes parts = reduceInParts(*r, inputs, owners, begin, end);
    Bytes expected(whole.begin() + begin * byteWidth(type),
                   whole.begin() + end * byteWidth(type));
    ASSERT_EQ(parts, expected)
        << shardwright::str(type).str() << " " << str(r->kind).str() << " of "
        << count << " operands";
  }
  EXPECT_GT(tried, 800);
}

TEST(Reduction, OwnedSubtreesAreTheLargest) {
  auto counts = [](std::vector<int32_t> owners) {
    std::vector<int32_t> result;
    for (const ReductionSubtree &tree : ownedSubtrees(owners))
      result.push_back(tree.count);
    return result;
  };
  using testing::ElementsAre;
  EXPECT_THAT(counts({0, 0, 0, 0, 1, 1, 1, 1}), ElementsAre(4, 4));
  EXPECT_THAT(counts({0, 0, 0, 0, 0, 0}), ElementsAre(6));
  // 12 operands of 4 processes: the tree is (8 4), and process 1 has half of
  // two of its nodes.
  EXPECT_THAT(counts({0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}),
              ElementsAre(2, 1, 1, 2, 2, 1, 1, 2));
  EXPECT_THAT(counts({0, 1, 0, 1}), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(counts({}), ElementsAre());
}

} // namespace

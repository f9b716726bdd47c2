//===- random_numbers.cc - random numbers of a distribution ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// stablehlo.rng, whose numbers are implementation-defined. Here they are
// Philox-4x32-10: the key is the number of the rng op in its function and the
// device number; the counter is the element and the number of times the device
// has executed the op since the executable was created. So every run of an
// executable gives new numbers, and every process the same sequence.
//
// Uniform floats are multiples of 2^-24 (f64: 2^-53) in [0, 1), scaled.
// Integers are the high half of a product. Normal numbers are the cosine branch
// of Box-Muller.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/counter_random.h"
#include "shardwright/cpu/library/families.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/support/narrow_float.h"
#include "shardwright/support/shape.h"

#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <numbers>

using namespace shardwright;
using namespace shardwright::cpu;
namespace hlo = shardwright::stablehlo;

void cpu::readRandomNumbers(mlir::Operation *op, LibraryCall &call) {
  auto rng = mlir::cast<hlo::RngOp>(op);
  put(call, "distribution",
      hlo::stringifyRngDistribution(rng.getRngDistribution()));
  int64_t site = 0;
  mlir::Operation *root = op;
  while (root->getParentOp())
    root = root->getParentOp();
  root->walk([&](hlo::RngOp other) {
    if (other == rng)
      return mlir::WalkResult::interrupt();
    ++site;
    return mlir::WalkResult::advance();
  });
  put(call, "site", site);
}

namespace {
/// Number of executions of the op by each device.
struct Visits {
  std::mutex mutex;
  std::map<int64_t, uint64_t> counts;

  uint64_t next(int64_t device) {
    std::lock_guard lock(mutex);
    return counts[device]++;
  }
};

/// A number in [0, 1) from 64 bits.
double unit(uint64_t bits) { return double(bits >> 11) * 0x1p-53; }

void storeReal(ElementType type, void *out, int64_t i, double value) {
  auto f = static_cast<float>(value);
  switch (type) {
  case ElementType::F64:
    static_cast<double *>(out)[i] = value;
    break;
  case ElementType::F32:
    static_cast<float *>(out)[i] = f;
    break;
  case ElementType::F16:
    static_cast<uint16_t *>(out)[i] = floatToF16(f);
    break;
  case ElementType::BF16:
    static_cast<uint16_t *>(out)[i] = floatToBf16(f);
    break;
  default:
    static_cast<uint8_t *>(out)[i] = floatToF8(type, f);
  }
}

uint64_t loadInteger(ElementType type, const void *p) {
  uint64_t bits = 0;
  int64_t width = byteWidth(type);
  std::memcpy(&bits, p, width);
  if (isSignedInteger(type)) {
    int unused = 64 - 8 * int(width);
    bits = uint64_t(int64_t(bits << unused) >> unused);
  }
  return bits;
}

/// A number in [a, b), or a if that range is empty.
uint64_t integerBetween(uint64_t a, uint64_t b, bool isEmpty, uint64_t bits) {
  return isEmpty ? a : a + uint64_t((__uint128_t(bits) * (b - a)) >> 64);
}
} // namespace

llvm::Expected<LibraryOp> cpu::makeRandomNumbers(const LibraryCall &call) {
  if (llvm::Error e = checkArity(call, 3, 1))
    return e;
  llvm::Expected<int64_t> site = getInteger(call, "site");
  if (!site)
    return site.takeError();
  const LibraryAttribute *distribution = find(call, "distribution");
  bool isNormal = distribution && distribution->text == "NORMAL";
  ElementType type = call.outputs[0].type;
  for (int i = 0; i < 2; ++i)
    if (llvm::Error e = checkArray(call.inputs[i], type, {}, "a parameter"))
      return e;
  bool isReal = isFloat(type);
  if (isComplex(type) || (isNormal && !isReal))
    return llvm::createStringError(
        "random numbers of this distribution are not defined for type " +
        shardwright::str(type));
  auto visits = std::make_shared<Visits>();
  int64_t elements = product(call.outputs[0].shape);
  LibraryOp op;
  op.costNs = 50 + (isNormal ? 40.0 : 8.0) * double(elements);
  op.run = [=, site = *site](const LibraryBuffers &b, int64_t, int64_t) {
    int64_t device = int64_t(b.replica) << 32 | b.partition;
    uint64_t visit = visits->next(device);
    // Keys of small numbers differ in few bits; ten rounds mix them.
    uint64_t key = uint64_t(site) << 40 ^ uint64_t(b.replica) << 20 ^
                   uint64_t(b.partition);
    auto parameter = [&](int i) {
      return elementAsDouble(type, b.inputs[i], 0);
    };
    double low = isReal ? parameter(0) : 0, high = isReal ? parameter(1) : 0;
    uint64_t from = 0, to = 0;
    bool isEmpty = false;
    if (!isReal) {
      from = loadInteger(type, b.inputs[0]);
      to = loadInteger(type, b.inputs[1]);
      isEmpty =
          isSignedInteger(type) ? int64_t(from) >= int64_t(to) : from >= to;
    }
    int64_t width = byteWidth(type);
    for (int64_t i = 0; i < elements; ++i) {
      PhiloxBlock x = philox4x32(key, uint64_t(i), visit);
      uint64_t first = x.word[0] | uint64_t(x.word[1]) << 32;
      uint64_t second = x.word[2] | uint64_t(x.word[3]) << 32;
      if (isNormal) {
        double radius = std::sqrt(-2 * std::log(1 - unit(first)));
        double angle = 2 * std::numbers::pi * unit(second);
        storeReal(type, b.outputs[0], i, low + high * radius * std::cos(angle));
      } else if (isReal) {
        double u =
            type == ElementType::F64 ? unit(first) : (first >> 40) * 0x1p-24;
        double value = low + (high - low) * u;
        // Rounding must not yield the excluded upper bound.
        storeReal(type, b.outputs[0], i, value < high ? value : low);
      } else {
        uint64_t value = integerBetween(from, to, isEmpty, first);
        std::memcpy(static_cast<char *>(b.outputs[0]) + i * width, &value,
                    width);
      }
    }
    return llvm::Error::success();
  };
  return op;
}

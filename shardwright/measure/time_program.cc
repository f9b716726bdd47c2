//===- time_program.cc - time of runs of a program ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/measure/time_program.h"

#include "shardwright/support/error.h"

#include <chrono>
#include <cstring>

using namespace shardwright;
using Clock = std::chrono::steady_clock;

namespace {

/// Bits of the smallest number of an array, and those that vary.
struct Numbers {
  uint64_t least, varying = 0;
};

} // namespace

/// From 0.5 to 1, so that sorts, pivots and branches find what they find in
/// data; 1 for types that have no such numbers, which is an index, too.
static Numbers numbersOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return {0x3fe0000000000000, 0xfffffffffffff};
  case ElementType::F32:
  case ElementType::C64: // and 0 i
    return {0x3f000000, 0x7fffff};
  case ElementType::BF16:
    return {0x3f00, 0x7f};
  case ElementType::F16:
    return {0x3800, 0x3ff};
  default:
    return {isFloat(type) || isComplex(type) ? uint64_t(0) : 1};
  }
}

/// A host array of such numbers.
static llvm::Expected<std::shared_ptr<void>> filled(const ArrayType &type) {
  llvm::Expected<int64_t> bytes = checkedBytes(type.type, type.shape);
  if (!bytes)
    return bytes.takeError();
  std::shared_ptr<void> memory(
      std::aligned_alloc(64, (std::max<int64_t>(*bytes, 1) + 63) / 64 * 64),
      std::free);
  if (!memory)
    return noMemoryFor(type.type, type.shape);
  int64_t width = byteWidth(type.type);
  Numbers numbers = numbersOf(type.type);
  auto *at = static_cast<char *>(memory.get());
  std::memset(at, 0, *bytes);
  uint64_t random = 1;
  for (int64_t i = 0; i < *bytes; i += width) {
    uint64_t bits = numbers.least | (random >> 12 & numbers.varying);
    std::memcpy(at + i, &bits, std::min<int64_t>(width, sizeof(bits)));
    // Knuth's MMIX generator.
    random = random * 6364136223846793005u + 1442695040888963407u;
  }
  return memory;
}

static llvm::Expected<std::vector<RunArgument>>
makeArguments(Backend &backend, const LoadedProgram &program) {
  std::vector<RunArgument> arguments;
  for (int64_t d = 0; d < program.numDevices(); ++d)
    for (const ArrayType &type : program.arguments()) {
      auto memory = filled(type);
      if (!memory)
        return memory.takeError();
      auto made = backend.adoptHost(std::move(*memory), type.type, type.shape,
                                    {DeviceId(int32_t(d))});
      if (!made)
        return made.takeError();
      if (llvm::Error e = made->ready.await())
        return e;
      arguments.push_back({std::move(made->storage), false});
    }
  return arguments;
}

llvm::Expected<double> shardwright::timeProgram(Backend &backend,
                                                LoadedProgram &program,
                                                double budget) {
  for (int64_t d = 0; d < program.numDevices(); ++d)
    if (llvm::Error e = backend.checkAddressable(DeviceId(int32_t(d))))
      return e;
  auto arguments = makeArguments(backend, program);
  if (!arguments)
    return arguments.takeError();
  double fastest = 0;
  auto end = Clock::now() + std::chrono::duration<double>(budget);
  constexpr int least = 3;
  for (int run = -1; run < least || Clock::now() < end; ++run) {
    RunRequest request;
    request.mode = RunRequest::Mode::Now;
    for (int64_t d = 0; d < program.numDevices(); ++d)
      request.devices.push_back(DeviceId(int32_t(d)));
    request.arguments.assign(arguments->begin(), arguments->end());
    auto begin = Clock::now();
    auto started = program.start(backend, request);
    if (!started)
      return started.takeError();
    if (llvm::Error e = started->done.await())
      return e;
    double seconds =
        std::chrono::duration<double>(Clock::now() - begin).count();
    // The first run is a warm-up.
    if (run == 0 || (run > 0 && seconds < fastest))
      fastest = seconds;
  }
  return fastest;
}

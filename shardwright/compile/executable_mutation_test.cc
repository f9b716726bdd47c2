//===- executable_mutation_test.cc - corrupted executables ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes bytes of saved executables and recomputes the checksum. The reader
// must reject a mutant, or the loaded program must not access memory out of
// bounds. Mutants are loaded and run in child processes; one child handles many
// mutants, until it terminates. A mutant may jump elsewhere and run forever,
// which no reader can detect.
//
// SHARDWRIGHT_MUTATIONS sets their number (600), SHARDWRIGHT_SEED the first
// seed (0).
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/compile.h"
#include "shardwright/compile/executable_test_programs.h"
#include "shardwright/compile/registration.h"
#include "shardwright/interop/input/guarded_read.h"
#include "shardwright/runtime/random.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>
#include <sys/mman.h>

using namespace shardwright;

namespace {

constexpr const char *programs[] = {kernelsAndControlFlow, libraryCalls,
                                    everyCollective};

std::string saved(llvm::StringRef text) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return "";
  CompileOptions options;
  options.compileThreads = 1;
  auto result = compile(*module, options);
  return failed(result) ? "" : llvm::cantFail(result->executable->serialize());
}

int64_t fromEnvironment(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoll(text, nullptr, 10) : otherwise;
}

constexpr size_t sumBytes = 32;

/// The mutant with number `seed`. Changes to object files are rare, because
/// most bytes are object code and one checksum comparison detects all such
/// changes.
std::string mutant(const std::string &bytes, uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr size_t head = Executable::fileMagic.size() + sumBytes;
  std::string body = bytes.substr(head);
  size_t code = std::min(body.find("\x7f"
                                   "ELF"),
                         body.size() - 1);
  for (int changes = 1 + int(random() % 3); changes > 0; --changes) {
    size_t at = random() % (random() % 16 == 0 ? body.size() : code);
    switch (random() % 8) {
    case 0:
      body[at] = char(random());
      break;
    case 1:
      body[at] = char(body[at] + 1);
      break;
    case 2:
      body[at] = char(body[at] - 1);
      break;
    case 3:
      body[at] ^= char(1 << random() % 8);
      break;
    case 4: { // a large number, as LEB128
      static constexpr const char *large[] = {
          "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", "\xff\xff\xff\xff\x07",
          "\x80\x80\x80\x80\x78", "\xff\xff\xff\xff\xff\xff\xff\xff\x3f"};
      const char *text = large[random() % std::size(large)];
      body.replace(at, 1, text, std::strlen(text) + (text == large[0]));
      break;
    }
    case 5:
      body.erase(at, 1 + random() % 4);
      break;
    case 6:
      body.insert(at, body.substr(random() % code, 1 + random() % 8));
      break;
    case 7: // another field's value
      body[at] = body[random() % code];
      break;
    }
    code = std::min(code, body.size() - 1);
  }
  llvm::BLAKE3 hasher;
  hasher.update(body);
  auto sum = hasher.final<sumBytes>();
  return Executable::fileMagic.str() +
         llvm::toStringRef(llvm::ArrayRef<uint8_t>(sum)).str() + body;
}

/// Outcomes of mutants, counted in all processes.
struct Counts {
  std::atomic<int64_t> taken, run;
  std::atomic<uint64_t> current; ///< the current mutant
  std::atomic<bool> isRunning;   ///< true once it has been loaded
  static Counts &get() {
    static auto *counts = static_cast<Counts *>(
        mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    return *counts;
  }
};

/// Loads the executable, and runs it on small arrays.
void use(const std::string &bytes) {
  Counts::get().isRunning = false;
  auto executable = Executable::deserialize(bytes);
  if (!executable)
    return llvm::consumeError(executable.takeError());
  Counts::get().isRunning = true;
  ++Counts::get().taken;
  std::vector<Array> arguments;
  for (const ValueSpec &spec : (*executable)->arguments()) {
    auto array = randomArray(spec.type, spec.shape, 1, arguments.size());
    if (!array)
      return llvm::consumeError(array.takeError());
    arguments.push_back(std::move(*array));
  }
  Client client(2);
  auto results = (*executable)->run(arguments, client);
  if (!results)
    return llvm::consumeError(results.takeError());
  ++Counts::get().run;
}

class Mutants {
public:
  explicit Mutants(std::string bytes) : bytes(std::move(bytes)) {}

  /// Tries mutants [begin, end); fails if one crashes.
  void check(uint64_t begin, uint64_t end) {
    Counts &counts = Counts::get();
    for (uint64_t next = begin; next < end; next = counts.current + 1) {
      GuardedRead result = readInChild(
          [&] {
            for (uint64_t seed = next; seed < end; ++seed) {
              counts.current = seed;
              use(mutant(bytes, seed));
            }
          },
          limits);
      if (result == GuardedRead::Survived)
        return;
      if (result != GuardedRead::Crashed && counts.isRunning)
        ++endless;
      else
        ADD_FAILURE() << "mutant " << counts.current
                      << (result == GuardedRead::Crashed ? " crashes"
                                                         : " takes too much")
                      << (counts.isRunning ? " when it runs"
                                           : " when it is read");
    }
  }

  int64_t endless = 0;

private:
  static constexpr ReadLimits limits{uint64_t(8) << 30, 2};

  std::string bytes;
};

TEST(Serialize, MutantsAreRefusedOrRun) {
  (void)Counts::get(); // allocate before the first fork
  std::vector<Mutants> all;
  for (const char *program : programs) {
    std::string bytes = saved(program);
    ASSERT_FALSE(bytes.empty());
    all.emplace_back(bytes);
    ASSERT_EQ(readInChild([&] { use(bytes); }, {uint64_t(8) << 30, 20}),
              GuardedRead::Survived);
  }
  uint64_t count = fromEnvironment("SHARDWRIGHT_MUTATIONS", 600);
  uint64_t seed = fromEnvironment("SHARDWRIGHT_SEED", 0);
  constexpr uint64_t batch = 50;
  for (uint64_t i = 0; i < count; i += batch)
    all[i / batch % all.size()].check(seed + i,
                                      seed + std::min(i + batch, count));
  int64_t endless = 0;
  for (const Mutants &mutants : all)
    endless += mutants.endless;
  std::printf("%lld mutants: %lld were read, %lld of them ran to their end, "
              "%lld run for ever\n",
              (long long)count, (long long)Counts::get().taken,
              (long long)Counts::get().run, (long long)endless);
}

} // namespace

//===- process_facts.cc - what processes tell each other ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/process_facts.h"

#include "shardwright/support/byte_stream.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <unistd.h>

using namespace shardwright;

/// Changes with the packets of messenger.h and with the encoding below.
static constexpr int64_t protocolVersion = 1;

static std::string readFirstLine(const char *path) {
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().split('\n').first.str() : "";
}

static std::string describeNetwork() {
  char link[256] = {};
  ssize_t size = readlink("/proc/self/ns/net", link, sizeof(link) - 1);
  std::string boot = readFirstLine("/proc/sys/kernel/random/boot_id");
  // Without either, nothing is known to be equal.
  if (size <= 0 || boot.empty())
    return "";
  return boot + " " + link;
}

ProcessFacts ProcessFacts::collect(const JobOptions &options,
                                   llvm::StringRef engine) {
  ProcessFacts facts;
  facts.record.numDevices = options.numDevices;
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) == 0)
    facts.record.host = host;
  facts.record.pid = getpid();
  facts.engine = engine.str();
  facts.network = describeNetwork();
  facts.mustAgree = options.mustAgree;
  facts.mustAgree.emplace_back(
      "byte order",
      llvm::endianness::native == llvm::endianness::little ? "little" : "big");
  return facts;
}

std::string ProcessFacts::encode() const {
  cpu::ByteWriter writer;
  writer.integer(protocolVersion);
  writer.integer(record.numDevices);
  writer.string(record.host);
  writer.integer(record.pid);
  writer.string(engine);
  writer.string(network);
  writer.list(mustAgree, [&](const auto &entry) {
    writer.string(entry.first);
    writer.string(entry.second);
  });
  return writer.take();
}

std::optional<ProcessFacts> ProcessFacts::decode(llvm::StringRef bytes) {
  cpu::ByteReader reader(bytes);
  ProcessFacts facts;
  if (reader.integer() != protocolVersion)
    return std::nullopt;
  facts.record.numDevices = reader.integer<int32_t>(0, INT32_MAX);
  facts.record.host = reader.string().str();
  facts.record.pid = reader.integer();
  facts.engine = reader.string().str();
  facts.network = reader.string().str();
  reader.list(facts.mustAgree, [&] {
    std::string name = reader.string().str();
    return std::pair(name, reader.string().str());
  });
  if (reader.failed() || !reader.atEnd())
    return std::nullopt;
  return facts;
}

llvm::Error shardwright::checkAgreement(llvm::ArrayRef<ProcessFacts> all) {
  const ProcessFacts &first = all.front();
  for (size_t p = 1; p < all.size(); ++p) {
    const ProcessFacts &facts = all[p];
    if (facts.engine != first.engine)
      return fail("process ", p, " uses the transport ", facts.engine,
                  " where process 0 uses ", first.engine,
                  ": set SHARDWRIGHT_TRANSPORT to the same in all processes");
    if (facts.mustAgree.size() != first.mustAgree.size())
      return fail("process ", p, " has another build of Shardwright");
    for (auto [ours, theirs] : llvm::zip(first.mustAgree, facts.mustAgree))
      if (ours.first != theirs.first || ours.second != theirs.second)
        return fail("process ", p, " has another ", theirs.first, " (",
                    theirs.second, ") than process 0 (", ours.second,
                    "): all processes of a job need the same");
  }
  return llvm::Error::success();
}

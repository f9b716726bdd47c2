//===- host_calls.cc - calls of the host program --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/host_calls.h"

#include "shardwright/support/error.h"

#include "llvm/Support/xxhash.h"

#include <condition_variable>
#include <mutex>

using namespace shardwright;

namespace {

/// The transfers of a call, for which its thread waits.
struct Transfers {
  std::mutex mutex;
  std::condition_variable changed;
  int64_t numPending = 0;
  std::string failure;

  static Transport::Done begin(const std::shared_ptr<Transfers> &transfers) {
    std::lock_guard lock(transfers->mutex);
    ++transfers->numPending;
    return [transfers](llvm::Error error) {
      std::string text = llvm::toString(std::move(error));
      std::lock_guard lock(transfers->mutex);
      --transfers->numPending;
      transfers->add(std::move(text));
    };
  }
  void add(std::string text) {
    if (failure.empty())
      failure = std::move(text);
    changed.notify_all();
  }
  /// Waits until all have succeeded, or for the text of a failure.
  std::string wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return numPending == 0 || !failure.empty(); });
    return failure;
  }
};

} // namespace

/// The part of a key: a message holds the size of the next.
enum Part : int32_t { SizePart, BytesPart };

static MessageKey keyOf(Part part) {
  MessageKey key;
  key.part = part;
  return key;
}

llvm::Expected<std::vector<std::string>>
HostCalls::exchange(llvm::StringRef name, llvm::StringRef bytes,
                    llvm::function_ref<bool(int32_t)> sendsTo,
                    llvm::function_ref<bool(int32_t)> receivesFrom) {
  RunDescription run;
  run.key = {llvm::xxh3_64bits("calls of the host program"), numCalls++};
  run.programHash = llvm::xxh3_64bits(name);
  run.name = name.str();
  for (int32_t p = 0; p < count; ++p)
    run.participants.push_back(p);
  run.describeWait = [name = name.str()](int32_t peer, const MessageKey &) {
    return name + " waits for process " + std::to_string(peer);
  };
  // Of the messages with sizes, and of those with bytes and all sends.
  auto sizesArrive = std::make_shared<Transfers>();
  auto others = std::make_shared<Transfers>();
  transport.openRun(run, [sizesArrive, others](RunFailure failure) {
    for (auto &transfers : {sizesArrive, others}) {
      std::lock_guard lock(transfers->mutex);
      transfers->add(failure.text);
    }
  });
  // On success returns an empty text, else aborts the run.
  auto wait = [&](Transfers &transfers) {
    std::string failure = transfers.wait();
    if (!failure.empty())
      transport.abortRun(run, {-1, failure});
    return failure;
  };

  auto results = std::make_shared<std::vector<std::string>>(count);
  auto sizes = std::make_shared<std::vector<int64_t>>(count);
  (*results)[self] = bytes.str();
  int64_t size = bytes.size();
  for (int32_t p = 0; p < count; ++p) {
    if (p == self)
      continue;
    if (sendsTo(p)) {
      transport.send(p, run.key, keyOf(SizePart),
                     {reinterpret_cast<const char *>(&size), sizeof(size)},
                     Transfers::begin(others));
      if (size)
        transport.send(p, run.key, keyOf(BytesPart),
                       {bytes.data(), bytes.size()}, Transfers::begin(others));
    }
    if (receivesFrom(p))
      transport.receive(
          p, run.key, keyOf(SizePart),
          {reinterpret_cast<char *>(&(*sizes)[p]), sizeof(int64_t)}, sizes,
          Transfers::begin(sizesArrive));
  }
  if (std::string failure = wait(*sizesArrive); !failure.empty())
    return fail(failure);
  for (int32_t p = 0; p < count; ++p) {
    if ((*sizes)[p] <= 0)
      continue;
    std::string &result = (*results)[p];
    result.resize((*sizes)[p]);
    transport.receive(p, run.key, keyOf(BytesPart),
                      {result.data(), result.size()}, results,
                      Transfers::begin(others));
  }
  if (std::string failure = wait(*others); !failure.empty())
    return fail(failure);
  transport.closeRun(run.key);
  return std::move(*results);
}

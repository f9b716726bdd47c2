//===- fake_job_test_util.h - one process of a pretended job ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A job whose other processes do not exist: for tests of what a process does
// with the records of the others, without messages to them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_FAKE_JOB_TEST_UTIL_H
#define SHARDWRIGHT_JOB_FAKE_JOB_TEST_UTIL_H

#include "shardwright/job/job.h"
#include "shardwright/job/transport.h"

namespace shardwright::test {

/// Messages never arrive, and those that are sent go nowhere.
class SilentTransport final : public Transport {
public:
  void openRun(RunDescription, llvm::unique_function<void(RunFailure)>) final {}
  void closeRun(const RunKey &) final {}
  void abortRun(const RunDescription &, RunFailure) final {}
  void send(int32_t, const RunKey &, const MessageKey &, llvm::ArrayRef<char>,
            Done) final {}
  bool sendOwned(int32_t, const RunKey &, const MessageKey &,
                 std::shared_ptr<const char>, int64_t, Done) final {
    return true;
  }
  void receive(int32_t, const RunKey &, const MessageKey &,
               llvm::MutableArrayRef<char>, std::shared_ptr<void>, Done) final {
  }
  void reportQuiet(const RunKey &, int64_t, std::string, bool) final {}
};

/// Process `process` of a job in which process p has numDevices[p] devices.
class FakeJob final : public Job {
public:
  FakeJob(llvm::ArrayRef<int32_t> numDevices, int32_t process)
      : ownProcess(process) {
    for (int32_t count : numDevices)
      records.push_back({count, "host" + std::to_string(records.size()), 4711});
  }
  int32_t process() const override { return ownProcess; }
  Transport &transport() override { return silent; }
  llvm::StringRef engineName() const override { return "fake"; }
  llvm::Error barrier() override { return noMessages(); }
  llvm::Expected<std::string> broadcast(int32_t, llvm::StringRef) override {
    return noMessages();
  }
  llvm::Expected<std::vector<std::string>>
  allGather(llvm::StringRef bytes) override {
    std::vector<std::string> all = told;
    all.resize(records.size(), othersAgree ? bytes.str() : std::string());
    all[ownProcess] = bytes.str();
    return all;
  }
  llvm::Expected<std::vector<std::string>> gather(int32_t,
                                                  llvm::StringRef) override {
    return noMessages();
  }
  void processLost(int32_t process, llvm::StringRef why) override {
    lost.emplace_back(process, why.str());
  }
  void leave() override {}

  void setHost(int32_t process, std::string host) {
    records[process].host = std::move(host);
  }

  /// By process: what the others give to allGather. Those beyond give what this
  /// process does, or nothing.
  std::vector<std::string> told;
  bool othersAgree = false;
  /// The calls of processLost.
  std::vector<std::pair<int32_t, std::string>> lost;

private:
  static llvm::Error noMessages() {
    return llvm::createStringError("a fake job has no messages");
  }

  int32_t ownProcess;
  SilentTransport silent;
};

} // namespace shardwright::test

#endif // SHARDWRIGHT_JOB_FAKE_JOB_TEST_UTIL_H

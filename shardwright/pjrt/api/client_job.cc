//===- client_job.cc - the job that a client is created in ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/client_job.h"
#include "shardwright/cpu/backend/cpu_backend.h"
#include "shardwright/pjrt/api/callback_store.h"
#include "shardwright/pjrt/base/slots.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <sched.h>

using namespace shardwright;
using namespace shardwright::pjrt;

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// The cores that this process may use, as hexadecimal digits.
static std::string coresOfThisProcess() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  return llvm::toHex(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&set), sizeof(set)));
}

static int countCores(llvm::StringRef hexDigits) {
  int count = 0;
  for (char digit : hexDigits)
    count += llvm::popcount(llvm::hexDigitValue(digit));
  return count;
}

/// The job of this process, left in order when the process ends: only then is
/// it certain that no further client is created. Never destroyed.
static void leaveAtExit(std::shared_ptr<Job> job) {
  static std::shared_ptr<Job> &kept = *new std::shared_ptr<Job>();
  if (!kept)
    std::atexit([] {
      handles<PJRT_Client>().forEach(
          [](PJRT_Client &client) { client.runtime->drain(); });
      kept->leave();
    });
  kept = std::move(job);
}

llvm::Expected<ClientJob> pjrt::joinJob(const ClientOptions &options,
                                        const PJRT_Client_Create_Args &args) {
  // Values of a key-value store stay: each client of a process, of which all
  // processes create the same number, has keys of its own.
  static std::atomic<int> numClients = 0;
  auto store =
      makeCallbackStore(args, "job " + std::to_string(numClients++) + "/");
  if (!store)
    return store.takeError();
  JobOptions jobOptions;
  jobOptions.numDevices = options.numDevices;
  jobOptions.mustAgree = cpu::whatMustAgree();
  jobOptions.process = options.node;
  jobOptions.numProcesses = options.numNodes;
  jobOptions.store = std::move(*store);
  auto job = Job::open(jobOptions);
  if (!job)
    return job.takeError();
  leaveAtExit(*job);
  return joinJob(options, std::move(*job));
}

llvm::Expected<ClientJob> pjrt::joinJob(const ClientOptions &options,
                                        std::shared_ptr<Job> job) {
  int64_t total = 0;
  for (const ProcessRecord &record : job->processes())
    total += record.numDevices;
  if (total > kMaxDevices)
    return llvm::createStringError(
        "INVALID_ARGUMENT: the processes of the job have " +
        llvm::Twine(total) + " devices, expected at most " +
        llvm::Twine(kMaxDevices));
  std::string partition = options.partitionIndex
                              ? std::to_string(*options.partitionIndex)
                              : std::string();
  auto told = job->allGather(partition + " " + coresOfThisProcess());
  if (!told)
    return told.takeError();
  ClientJob made;
  const std::string &host = job->processes()[job->process()].host;
  llvm::StringRef ownCores =
      llvm::StringRef((*told)[job->process()]).split(' ').second;
  int sharing = 0;
  for (auto [text, record] : llvm::zip_equal(*told, job->processes())) {
    auto [index, cores] = llvm::StringRef(text).split(' ');
    int64_t number = 0;
    made.partitionIndices.push_back(index.getAsInteger(10, number)
                                        ? std::nullopt
                                        : std::optional<int64_t>(number));
    sharing += record.host == host && cores == ownCores;
  }
  made.threads = std::max(1, countCores(ownCores) / std::max(1, sharing));
  made.job = std::move(job);
  return made;
}

PJRT_Client *pjrt::newClient(ClientJob joined, const ClientOptions &options) {
  std::shared_ptr<Job> job = joined.job;
  PJRT_Client *client = newClient(std::make_unique<Client>(job, joined.threads),
                                  options.platformName);
  for (auto &description : client->topology->descriptions)
    if (auto index = joined.partitionIndices[description->process])
      description->attributes.add("slice_index", *index);
  client->packedSizes = options.packedSizes;
  client->job = std::move(job);
  return client;
}

//===----------------------------------------------------------------------===//
// Processes that fail
//===----------------------------------------------------------------------===//

// JAX ends the process if this fails.
PJRT_Error *pjrt::Client_UpdateGlobalProcessInfo(
    PJRT_Client_UpdateGlobalProcessInfo_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    if (!client->job)
      return args->process_infos || !args->num_process_infos
                 ? nullptr
                 : invalid("the processes are a null pointer");
    if (!args->process_infos)
      return nullptr;
    const char *next = reinterpret_cast<const char *>(args->process_infos);
    for (size_t i = 0; i < args->num_process_infos; ++i) {
      const auto &info = *reinterpret_cast<const PJRT_ProcessInfo *>(next);
      // A newer client's structs are longer.
      next += info.struct_size;
      if (info.struct_size < leastSize<PJRT_ProcessInfo>)
        return nullptr;
      if (info.state == PJRT_ProcessState_kError && info.task_id >= 0 &&
          info.task_id < client->job->numProcesses() &&
          info.task_id != client->job->process())
        client->job->processLost(
            info.task_id,
            llvm::StringRef(info.error_message, info.error_message_size));
    }
    return nullptr;
  });
}

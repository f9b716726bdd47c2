//===- client_job.cc - the job that a client is created in ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/client_job.h"
#include "shardwright/pjrt/api/callback_store.h"
#include "shardwright/pjrt/base/slots.h"
#include "shardwright/runtime/job/join_job.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>

using namespace shardwright;
using namespace shardwright::pjrt;

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// The job of this process, left in order when the process ends: only then is
/// it certain that no further client is created. Never destroyed.
static void leaveAtExit(std::shared_ptr<Job> job) {
  static std::shared_ptr<Job> &kept = *new std::shared_ptr<Job>();
  if (!kept)
    std::atexit([] {
      handles<PJRT_Client>().forEach([](PJRT_Client &client) {
        client.replicaCalls->cancelAll("the process ended");
        client.runtime->drain();
      });
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
  jobOptions.process = options.node;
  jobOptions.numProcesses = options.numNodes;
  jobOptions.store = std::move(*store);
  auto job = shardwright::joinJob(jobOptions);
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
  auto told = job->allGather(partition);
  if (!told)
    return told.takeError();
  ClientJob made;
  for (llvm::StringRef index : *told) {
    int64_t number = 0;
    made.partitionIndices.push_back(index.getAsInteger(10, number)
                                        ? std::nullopt
                                        : std::optional<int64_t>(number));
  }
  auto threads = shareOfCores(*job);
  if (!threads)
    return threads.takeError();
  made.threads = *threads;
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
  client->isTorchXla = options.isTorchXla;
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

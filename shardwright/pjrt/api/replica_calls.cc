//===- replica_calls.cc - programs called on one device at a time ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/replica_calls.h"

#include "shardwright/job/messenger.h"
#include "shardwright/pjrt/api/program.h"
#include "shardwright/pjrt/api/run_recorder.h"
#include "shardwright/support/start_thread.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace shardwright;
using namespace shardwright::pjrt;

//===----------------------------------------------------------------------===//
// Runs and the devices that have joined them
//===----------------------------------------------------------------------===//

/// A run that the devices of this process join. The mutex of ReplicaCalls
/// guards the members below the comment; the others do not change.
struct ReplicaCalls::Gathering {
  std::shared_ptr<ClientProgram> program;
  std::vector<PJRT_Device *> devices; ///< by position, of all processes
  std::vector<PJRT_Device *> local;   ///< those of this process, in order
  std::shared_ptr<GatheredRun> run;
  /// For profiles; null if no recorder was started.
  std::shared_ptr<Trace> trace;
  int64_t submitted = 0;
  Clock::time_point since = Clock::now();

  // Guarded.
  llvm::SmallVector<bool, 8> hasCalled; ///< by local position
  std::string failure; ///< of the run, with its code; empty: none
  std::chrono::milliseconds reportAfter{0};

  /// The local position of a device, if it has not called the run yet.
  std::optional<size_t> openPosition(const PJRT_Device &device) const {
    for (auto [position, other] : llvm::enumerate(local))
      if (other == &device && !hasCalled[position])
        return position;
    return std::nullopt;
  }
  bool hasAll() const { return !llvm::is_contained(hasCalled, false); }
  std::vector<DeviceId> whereCalled(bool called) const {
    std::vector<DeviceId> ids;
    for (auto [device, has] : llvm::zip_equal(local, hasCalled))
      if (has == called)
        ids.push_back(device->id());
    return ids;
  }
};

/// The calls of one device.
struct ReplicaCalls::DeviceCalls {
  /// Held during a call: runs join the queue of a device in the order in which
  /// it has called them. Recursive, because the queue may call the client,
  /// which may call again.
  std::recursive_mutex order;
  int64_t count = 0;       ///< guarded by the mutex of ReplicaCalls
  std::string lastProgram; ///< guarded by the mutex of ReplicaCalls
};

static std::string nameDevices(llvm::ArrayRef<DeviceId> ids) {
  std::string text = ids.size() == 1 ? "device " : "devices ";
  llvm::raw_string_ostream os(text);
  constexpr size_t most = 16;
  llvm::interleaveComma(ids.take_front(most), os,
                        [&](DeviceId id) { os << id.number(); });
  if (ids.size() > most)
    os << " and " << ids.size() - most << " more";
  return text;
}

/// The name of a program. `other`: one that may have the same name.
static std::string nameProgram(const ClientProgram &program,
                               const ClientProgram *other = nullptr) {
  std::string text = "'" + program.name + "'";
  if (other && other->name == program.name)
    text += " (fingerprint " + program.fingerprint.substr(0, 8) + ")";
  return text;
}

static llvm::Error failWith(llvm::StringRef text) {
  return llvm::createStringError(text);
}

/// True if the call may belong to a run of that program on these devices.
static bool mayRunTogether(const PJRT_LoadedExecutable &loaded,
                           const ClientProgram &program,
                           llvm::ArrayRef<PJRT_Device *> devices) {
  return (loaded.program.get() == &program ||
          loaded.program->executable->program().runsWith(
              program.executable->program())) &&
         llvm::ArrayRef(loaded.devices) == devices;
}

ReplicaCalls::ReplicaCalls(Client &client) : client(client) {}

ReplicaCalls::~ReplicaCalls() {
  cancelAll("the client was destroyed");
  {
    Lock lock(mutex);
    isEnding = true;
    changed.notify_all();
  }
  if (watcher.joinable())
    watcher.join();
}

ReplicaCalls::DeviceCalls &ReplicaCalls::callsOf(DeviceId device) {
  Lock lock(mutex);
  return devices[device.number()];
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Opens a run of the program. Requires the mutex.
llvm::Expected<std::shared_ptr<ReplicaCalls::Gathering>>
ReplicaCalls::open(const PJRT_LoadedExecutable &loaded) {
  if (!watcher.joinable()) {
    auto options = MessengerOptions::fromEnvironment();
    if (!options)
      return options.takeError();
    waitLimit = options->waitLimit;
    lateAfter = options->lateAfter;
    // Without a thread, waits are not reported.
    (void)cpu::startThread(watcher, [this] { watch(); });
  }
  auto gathering = std::make_shared<Gathering>();
  gathering->program = loaded.program;
  gathering->devices = loaded.devices;
  gathering->local = loaded.addressableDevices;
  gathering->hasCalled.assign(gathering->local.size(), false);
  gathering->reportAfter = lateAfter;
  auto run = loaded.program->executable->gather(client, idsOf(loaded.devices));
  if (!run)
    return run.takeError();
  gathering->run = std::move(*run);
  if (RunRecorder::isAny()) {
    gathering->submitted = nowInNanoseconds();
    gathering->trace = std::make_shared<Trace>();
  }
  return gathering;
}

/// Finds or opens the run that the call belongs to. `failure`: why the call has
/// failed already, which fails the run; or empty.
llvm::Expected<ReplicaCalls::Place>
ReplicaCalls::takePlace(const PJRT_LoadedExecutable &loaded,
                        const PJRT_Device &device, llvm::StringRef failure) {
  const ClientProgram &program = *loaded.program;
  Lock lock(mutex);
  Place place;
  auto at = gatherings.begin();
  for (; at != gatherings.end(); ++at)
    if (std::optional<size_t> position = (*at)->openPosition(device)) {
      place = {*at, *position, /*isOpener=*/false};
      break;
    }
  if (!place.gathering) {
    auto opened = open(loaded);
    if (!opened)
      return opened.takeError();
    place = {*opened, *(*opened)->openPosition(device), /*isOpener=*/true};
    at = gatherings.insert(gatherings.end(), *opened);
    changed.notify_all();
  }
  Gathering &gathering = *place.gathering;
  DeviceCalls &calls = devices[device.id().number()];
  ++calls.count;
  calls.lastProgram = program.name;
  std::vector<DeviceId> before = gathering.whereCalled(true);
  gathering.hasCalled[place.position] = true;
  if (gathering.hasAll())
    gatherings.erase(at);

  std::string text = gathering.failure;
  if (!text.empty())
    return failWith(text);
  std::string self = nameDevices(device.id());
  if (!failure.empty()) {
    text =
        "ABORTED: the call of program " + nameProgram(program) + " on " + self +
        " failed, and the calls of its other devices with it: " + failure.str();
  } else if (!mayRunTogether(loaded, *gathering.program, gathering.devices)) {
    const ClientProgram &other = *gathering.program;
    text = "INVALID_ARGUMENT: " + self + " has called program " +
           nameProgram(program, &other) + " for " +
           std::to_string(loaded.devices.size()) + " devices as its call " +
           std::to_string(calls.count) + " of programs that communicate, but " +
           nameDevices(before) + " called " + nameProgram(other, &program) +
           " for " + std::to_string(gathering.devices.size()) +
           " devices; call programs with the same collectives in the same "
           "order on all devices";
  } else {
    return place;
  }
  gathering.failure = text;
  lock.unlock();
  gathering.run->cancel(text);
  return failWith(text);
}

llvm::Expected<FlatExecution>
ReplicaCalls::call(const PJRT_LoadedExecutable &loaded,
                   const PJRT_Device &device, llvm::ArrayRef<Buffer> arguments,
                   ExecuteOptions options) {
  isUsed = true;
  std::lock_guard order(callsOf(device.id()).order);
  const Executable &executable = *loaded.program->executable;
  if (!executable.program().communicates()) {
    auto position =
        llvm::find(loaded.devices, &device) - loaded.devices.begin();
    auto run = executable.gather(client, idsOf(loaded.devices), position);
    if (!run)
      return run.takeError();
    return executable.join(**run, 0, device.id(), arguments, client, options);
  }
  auto place = takePlace(loaded, device, /*failure=*/{});
  if (!place)
    return place.takeError();
  Gathering &gathering = *place->gathering;
  options.trace = gathering.trace;
  auto execution = executable.join(*gathering.run, place->position, device.id(),
                                   arguments, client, options);
  if (!execution) {
    std::string why = llvm::toString(execution.takeError());
    std::string text =
        "ABORTED: the call of program " + nameProgram(*loaded.program) +
        " on " + nameDevices(device.id()) +
        " failed, and the calls of its other devices with it: " + why;
    {
      Lock lock(mutex);
      if (gathering.failure.empty())
        gathering.failure = text;
    }
    gathering.run->cancel(text);
    return failWith(why);
  }
  if (place->isOpener && gathering.trace) {
    RunRecorder::note(gathering.program, idsOf(gathering.local),
                      gathering.trace, gathering.submitted, execution->done);
  }
  return execution;
}

void ReplicaCalls::refuse(const PJRT_LoadedExecutable &loaded,
                          const PJRT_Device &device, llvm::StringRef why) {
  if (!loaded.program->executable->program().communicates())
    return;
  isUsed = true;
  std::lock_guard order(callsOf(device.id()).order);
  auto place = takePlace(loaded, device, why);
  llvm::consumeError(place.takeError());
}

//===----------------------------------------------------------------------===//
// Runs that cannot begin
//===----------------------------------------------------------------------===//

/// Fails the runs that `select` gives a text for, and calls them off.
template <typename Select> void ReplicaCalls::cancelIf(Select select) {
  std::vector<std::pair<std::shared_ptr<Gathering>, std::string>> cancelled;
  {
    Lock lock(mutex);
    for (const std::shared_ptr<Gathering> &gathering : gatherings) {
      if (!gathering->failure.empty())
        continue;
      std::string text = select(*gathering);
      if (text.empty())
        continue;
      gathering->failure = text;
      cancelled.emplace_back(gathering, std::move(text));
    }
  }
  for (auto &[gathering, text] : cancelled)
    gathering->run->cancel(text);
}

ReplicaCalls::Exclusion
ReplicaCalls::excludeCalls(llvm::ArrayRef<PJRT_Device *> together,
                           llvm::StringRef program) {
  if (!isUsed)
    return {};
  llvm::SmallVector<DeviceId, 8> ids = idsOf(together);
  llvm::sort(ids);
  Exclusion locks;
  for (DeviceId id : ids)
    locks.emplace_back(callsOf(id).order);
  cancelIf([&](const Gathering &gathering) -> std::string {
    bool areInside[2] = {};
    for (auto [device, has] :
         llvm::zip_equal(gathering.local, gathering.hasCalled))
      areInside[has] |= llvm::is_contained(together, device);
    if (!areInside[false] || !areInside[true])
      return {};
    return "ABORTED: program " + nameProgram(*gathering.program) +
           " has been called on " + nameDevices(gathering.whereCalled(true)) +
           " alone, and then program '" + program.str() + "' on " +
           nameDevices(ids) + " together, before the former was called on " +
           nameDevices(gathering.whereCalled(false)) +
           "; call either on all devices first";
  });
  return locks;
}

void ReplicaCalls::cancelAll(llvm::StringRef why) {
  cancelIf([&](const Gathering &gathering) {
    return "ABORTED: program " + nameProgram(*gathering.program) +
           " was waiting for calls of " +
           nameDevices(gathering.whereCalled(false)) + ", and " + why.str();
  });
}

/// Requires the mutex.
std::string ReplicaCalls::describeWait(const Gathering &gathering,
                                       std::chrono::milliseconds waited) {
  std::vector<DeviceId> missing = gathering.whereCalled(false);
  std::string text =
      nameDevices(gathering.whereCalled(true)) + " of process " +
      std::to_string(gathering.local.front()->description->process) +
      " waited " +
      (waited.count() < 1000 ? std::to_string(waited.count()) + " ms"
                             : std::to_string(waited.count() / 1000) + " s") +
      " for " + nameDevices(missing) + " to call program " +
      nameProgram(*gathering.program);
  for (DeviceId id : llvm::ArrayRef(missing).take_front(4)) {
    const DeviceCalls &calls = devices[id.number()];
    text += "; " + nameDevices(id) + " has made " +
            std::to_string(calls.count) + " calls of programs that communicate";
    if (calls.count)
      text += ", the last of '" + calls.lastProgram + "'";
  }
  return text;
}

/// The thread that watches runs that wait for devices.
void ReplicaCalls::watch() {
  using std::chrono::milliseconds;
  Lock lock(mutex);
  while (!isEnding) {
    // The earliest time at which a run has to be reported or to fail.
    std::optional<Clock::time_point> due;
    for (const std::shared_ptr<Gathering> &gathering : gatherings) {
      if (!gathering->failure.empty())
        continue;
      milliseconds wait = gathering->reportAfter;
      if (waitLimit.count())
        wait = std::min(wait, waitLimit);
      if (!due || gathering->since + wait < *due)
        due = gathering->since + wait;
    }
    if (!due) {
      changed.wait(lock);
      continue;
    }
    if (Clock::now() < *due) {
      changed.wait_until(lock, *due);
      continue;
    }
    lock.unlock();
    Clock::time_point now = Clock::now();
    std::vector<std::string> lines;
    cancelIf([&](Gathering &gathering) -> std::string {
      auto waited =
          std::chrono::duration_cast<milliseconds>(now - gathering.since);
      if (waitLimit.count() && waited >= waitLimit)
        return "DEADLINE_EXCEEDED: " + describeWait(gathering, waited) +
               " (SHARDWRIGHT_WAIT_LIMIT)";
      if (waited >= gathering.reportAfter) {
        lines.push_back("shardwright: " + describeWait(gathering, waited));
        while (gathering.reportAfter <= waited)
          gathering.reportAfter *= 2;
      }
      return {};
    });
    for (const std::string &line : lines)
      llvm::errs() << line << '\n';
    lock.lock();
  }
}

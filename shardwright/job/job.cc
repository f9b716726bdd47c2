//===- job.cc - joins and leaves jobs -------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/job.h"

#include "shardwright/job/engine_module.h"
#include "shardwright/job/file_store.h"
#include "shardwright/job/host_calls.h"
#include "shardwright/job/launcher.h"
#include "shardwright/job/messenger.h"
#include "shardwright/job/process_facts.h"
#include "shardwright/support/error.h"

#include <cstdlib>
#include <mutex>

using namespace shardwright;

using Clock = std::chrono::steady_clock;

static constexpr std::chrono::seconds leaveLimit{5};

namespace {

/// The connections of this process, which all its Job objects share.
struct Connection {
  std::unique_ptr<Messenger> messenger;
  std::unique_ptr<HostCalls> calls;
  std::string engine;
  int32_t process = 0, numProcesses = 0;
  std::mutex mutex;
  bool hasLeft = false;
};

class ConnectedJob final : public Job {
public:
  ConnectedJob(std::shared_ptr<Connection> connection,
               llvm::ArrayRef<ProcessFacts> facts)
      : connection(std::move(connection)) {
    for (const ProcessFacts &process : facts)
      records.push_back(process.record);
  }

  int32_t process() const override { return connection->process; }
  Transport &transport() override { return *connection->messenger; }
  llvm::StringRef engineName() const override { return connection->engine; }

  llvm::Error barrier() override {
    return exchange("barrier", "", always, always).takeError();
  }
  llvm::Expected<std::string> broadcast(int32_t root,
                                        llvm::StringRef bytes) override {
    auto all = exchange(
        "broadcast from process " + std::to_string(root), bytes,
        [&](int32_t) { return process() == root; },
        [&](int32_t peer) { return peer == root; });
    if (!all)
      return all.takeError();
    return std::move((*all)[root]);
  }
  llvm::Expected<std::vector<std::string>>
  allGather(llvm::StringRef bytes) override {
    return exchange("all_gather", bytes, always, always);
  }
  llvm::Expected<std::vector<std::string>>
  gather(int32_t root, llvm::StringRef bytes) override {
    auto all = exchange(
        "gather in process " + std::to_string(root), bytes,
        [&](int32_t peer) { return peer == root; },
        [&](int32_t) { return process() == root; });
    if (all && process() != root)
      all->clear();
    return all;
  }

  void processLost(int32_t process, llvm::StringRef why) override {
    connection->messenger->losePeer(process, why);
  }
  void leave() override;

private:
  static bool always(int32_t) { return true; }
  llvm::Expected<std::vector<std::string>>
  exchange(llvm::StringRef name, llvm::StringRef bytes,
           llvm::function_ref<bool(int32_t)> sendsTo,
           llvm::function_ref<bool(int32_t)> receivesFrom) {
    return connection->calls->exchange(name, bytes, sendsTo, receivesFrom);
  }

  std::shared_ptr<Connection> connection;
};

/// What this process is connected to, and how often it was. Never destroyed:
/// threads of a connection may run until the process ends.
struct Joined {
  std::mutex mutex;
  std::shared_ptr<Connection> connection;
  int32_t numOpened = 0;
};

} // namespace

static Joined &joined() {
  static Joined *joined = new Joined;
  return *joined;
}

/// All processes do this.
static void disconnect(Connection &connection) {
  connection.messenger->sayGoodbye();
  if (connection.messenger->waitForGoodbyes(leaveLimit))
    connection.messenger->leaveEngine();
  connection.calls.reset();
  connection.messenger.reset();
}

void ConnectedJob::leave() {
  {
    std::lock_guard lock(connection->mutex);
    if (std::exchange(connection->hasLeft, true))
      return;
  }
  disconnect(*connection);
  std::lock_guard lock(joined().mutex);
  if (joined().connection == connection)
    joined().connection = nullptr;
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

namespace {

/// Joins a job: an object for the time of Job::open.
class Joining {
public:
  Joining(const JobOptions &options, int32_t number)
      : options(options),
        prefix("shardwright/" + std::to_string(number) + "/") {}
  llvm::Expected<std::shared_ptr<Connection>>
  connect(std::vector<ProcessFacts> &facts);

private:
  llvm::Error readOptions();
  llvm::Error chooseEngine();
  llvm::Error makeMpi();
  llvm::Error makeByStore(llvm::ArrayRef<ProcessFacts> facts);
  llvm::Expected<std::vector<ProcessFacts>> exchangeByStore();
  llvm::Expected<std::vector<ProcessFacts>>
  exchangeByMessages(Connection &connection);

  JobOptions options;
  const std::string prefix; ///< of keys in the store
  Clock::time_point end;
  bool isAuto = false; ///< the engine is ours to choose
  Launch launch;
  std::unique_ptr<Engine> engine;
};

} // namespace

llvm::Error Joining::readOptions() {
  llvm::Expected<Launch> found = readLaunch();
  if (!found)
    return found.takeError();
  launch = std::move(*found);
  if (options.numProcesses == 0) {
    if (launch.numProcesses == 0 && options.communicator == -1)
      return fail("this process belongs to no job: start it by mpirun, or set "
                  "SHARDWRIGHT_PROCESSES, SHARDWRIGHT_PROCESS and "
                  "SHARDWRIGHT_RENDEZVOUS");
    options.numProcesses = launch.numProcesses;
    options.process = launch.process;
  }
  if (options.numProcesses &&
      (options.process < 0 || options.process >= options.numProcesses))
    return fail("process ", options.process, " of ", options.numProcesses,
                ": expected a number from 0 to ", options.numProcesses - 1);
  if (!options.store && !launch.rendezvous.empty())
    options.store = std::make_shared<FileStore>(launch.rendezvous);
  if (options.startTimeout.count() == 0) {
    options.startTimeout = std::chrono::minutes(5);
    if (const char *text = std::getenv("SHARDWRIGHT_START_TIMEOUT")) {
      int64_t seconds = 0;
      if (llvm::StringRef(text).getAsInteger(10, seconds) || seconds <= 0 ||
          seconds > 1000000)
        return fail("SHARDWRIGHT_START_TIMEOUT is `", text,
                    "`: expected a number of seconds");
      options.startTimeout = std::chrono::seconds(seconds);
    }
  }
  end = Clock::now() + options.startTimeout;
  return llvm::Error::success();
}

llvm::Error Joining::chooseEngine() {
  if (options.engine.empty())
    if (const char *text = std::getenv("SHARDWRIGHT_TRANSPORT"))
      options.engine = text;
  isAuto = options.engine.empty() || options.engine == "auto";
  bool isLaunchedByMpi =
      options.communicator != -1 ||
      (launch.isMpi && launch.numProcesses == options.numProcesses);
  if (isAuto)
    options.engine = isLaunchedByMpi ? "mpi" : "tcp";
  if (options.engine == "mpi") {
    llvm::Error error = makeMpi();
    if (!error || !isAuto || !options.store)
      return error;
    // Where another transport is possible, MPI need not be.
    llvm::consumeError(std::move(error));
    options.engine = "tcp";
  }
  if (options.engine != "tcp" && options.engine != "gloo")
    return fail("unknown transport `", options.engine,
                "`: expected mpi, tcp, gloo or auto");
  if (!options.store)
    return fail(
        "the transport ", options.engine,
        " needs a place where the processes find each "
        "other: set SHARDWRIGHT_PROCESSES, SHARDWRIGHT_PROCESS and "
        "SHARDWRIGHT_RENDEZVOUS; under srun, set SHARDWRIGHT_RENDEZVOUS "
        "or use MPI, by srun --mpi=pmix");
  return llvm::Error::success();
}

llvm::Error Joining::makeMpi() {
  EngineOptions mpi;
  mpi.numProcesses = options.numProcesses;
  // Without a store nobody has numbered the processes but MPI.
  mpi.process = options.store ? options.process : -1;
  mpi.communicator = options.communicator;
  auto made = makeEngine("mpi", mpi);
  if (!made)
    return made.takeError();
  engine = std::move(*made);
  return llvm::Error::success();
}

llvm::Error Joining::makeByStore(llvm::ArrayRef<ProcessFacts> facts) {
  EngineOptions found;
  found.process = options.process;
  found.numProcesses = options.numProcesses;
  bool isLocal = llvm::all_of(facts, [&](const ProcessFacts &other) {
    return !other.network.empty() && other.network == facts[0].network;
  });
  const char *address = std::getenv("SHARDWRIGHT_HOST_ADDRESS");
  if (address && *address)
    found.address = address;
  else
    found.address = isLocal ? "127.0.0.1" : facts[options.process].record.host;
  found.startTimeout =
      std::chrono::milliseconds(std::chrono::seconds(options.startTimeout))
          .count();
  found.put = [&](const std::string &key, const std::string &value,
                  std::string &error) {
    error = llvm::toString(
        options.store->put(prefix + options.engine + "/" + key, value));
    return error.empty();
  };
  found.get = [&](const std::string &key, std::string &value,
                  std::string &error) {
    auto result = options.store->get(
        prefix + options.engine + "/" + key,
        std::chrono::duration_cast<std::chrono::milliseconds>(end -
                                                              Clock::now()));
    if (result)
      value = std::move(*result);
    else
      error = llvm::toString(result.takeError());
    return error.empty();
  };
  auto made = makeEngine(options.engine, found);
  if (!made)
    return made.takeError();
  engine = std::move(*made);
  return llvm::Error::success();
}

static llvm::Expected<std::vector<ProcessFacts>>
decodeAll(llvm::ArrayRef<std::string> encoded) {
  std::vector<ProcessFacts> facts;
  for (auto [p, bytes] : llvm::enumerate(encoded)) {
    std::optional<ProcessFacts> decoded = ProcessFacts::decode(bytes);
    if (!decoded)
      return fail("process ", p, " has another version of Shardwright");
    facts.push_back(std::move(*decoded));
  }
  if (llvm::Error error = checkAgreement(facts))
    return std::move(error);
  return facts;
}

llvm::Expected<std::vector<ProcessFacts>> Joining::exchangeByStore() {
  auto keyOf = [&](int32_t p) {
    return prefix + "process/" + std::to_string(p);
  };
  ProcessFacts own = ProcessFacts::collect(options, options.engine);
  if (llvm::Error error =
          options.store->put(keyOf(options.process), own.encode()))
    return std::move(error);
  std::vector<std::string> encoded;
  for (int32_t p = 0; p < options.numProcesses; ++p) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    auto value =
        options.store->get(keyOf(p), std::max(left, decltype(left)(1)));
    if (!value)
      return fail("process ", p, " of ", options.numProcesses,
                  " has not started within ", options.startTimeout.count(),
                  " s (", llvm::toString(value.takeError()), ")");
    encoded.push_back(std::move(*value));
  }
  return decodeAll(encoded);
}

llvm::Expected<std::vector<ProcessFacts>>
Joining::exchangeByMessages(Connection &connection) {
  auto all = [](int32_t) { return true; };
  auto encoded = connection.calls->exchange(
      "opening a job", ProcessFacts::collect(options, options.engine).encode(),
      all, all);
  if (!encoded)
    return encoded.takeError();
  return decodeAll(*encoded);
}

llvm::Expected<std::shared_ptr<Connection>>
Joining::connect(std::vector<ProcessFacts> &facts) {
  if (llvm::Error error = readOptions())
    return std::move(error);
  auto limits = MessengerOptions::fromEnvironment();
  if (!limits)
    return limits.takeError();
  if (llvm::Error error = chooseEngine())
    return std::move(error);
  if (options.store) {
    auto found = exchangeByStore();
    if (!found)
      return found.takeError();
    facts = std::move(*found);
  }
  if (!engine)
    if (llvm::Error error = makeByStore(facts))
      return std::move(error);

  auto connection = std::make_shared<Connection>();
  connection->engine = engine->name().str();
  connection->process = engine->process();
  connection->numProcesses = engine->numProcesses();
  std::vector<ProcessRecord> records(connection->numProcesses);
  for (auto [record, from] : llvm::zip(records, facts))
    record = from.record;
  connection->messenger =
      std::make_unique<Messenger>(std::move(engine), records, *limits);
  if (!connection->messenger->isWatching())
    return fail("the system grants no thread for the transport");
  connection->calls = std::make_unique<HostCalls>(
      *connection->messenger, connection->process, connection->numProcesses);
  if (facts.empty()) {
    auto found = exchangeByMessages(*connection);
    if (!found) {
      // Other processes fail too, and should be able to say why.
      disconnect(*connection);
      return found.takeError();
    }
    facts = std::move(*found);
    for (auto [record, from] : llvm::zip(records, facts))
      record = from.record;
    connection->messenger->describeProcesses(records);
  }
  return connection;
}

llvm::Expected<std::shared_ptr<Job>> Job::open(const JobOptions &options) {
  std::lock_guard lock(joined().mutex);
  std::vector<ProcessFacts> facts;
  if (std::shared_ptr<Connection> connection = joined().connection) {
    auto all = [](int32_t) { return true; };
    auto encoded = connection->calls->exchange(
        "opening a job",
        ProcessFacts::collect(options, connection->engine).encode(), all, all);
    if (!encoded)
      return encoded.takeError();
    auto found = decodeAll(*encoded);
    if (!found)
      return found.takeError();
    return std::make_shared<ConnectedJob>(connection, *found);
  }
  auto connection = Joining(options, joined().numOpened++).connect(facts);
  if (!connection)
    return connection.takeError();
  joined().connection = *connection;
  return std::make_shared<ConnectedJob>(*connection, facts);
}

bool Job::isLaunched() {
  llvm::Expected<Launch> launch = readLaunch();
  if (launch)
    return launch->numProcesses > 1;
  // Job::open says what is wrong.
  llvm::consumeError(launch.takeError());
  return true;
}

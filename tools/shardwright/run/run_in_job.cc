//===- run_in_job.cc - shardwright run on several processes ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Process 0 reads and compiles the module, and sends the executable to the
// others. Each process runs it on its share of the devices, with the parts of
// the arguments that these need. Process 0 reads the results of all, window by
// window, and alone reports. All processes end with the same exit code, after
// the last of them has come to its end: mpirun kills the others of one that
// ends early.
//
//===----------------------------------------------------------------------===//

#include "run_steps.h"
#include "timed_runs.h"

#include "shardwright/job/job.h"
#include "shardwright/job/launcher.h"
#include "shardwright/report/run_times.h"
#include "shardwright/report/trace_json.h"
#include "shardwright/runtime/bounded_arrays.h"
#include "shardwright/runtime/job/broadcast_arrays.h"
#include "shardwright/runtime/job/gather.h"
#include "shardwright/runtime/job/join_job.h"
#include "shardwright/runtime/job/read_arguments.h"
#include "shardwright/runtime/npz/npz.h"
#include "shardwright/support/thread_pool.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shardwright {
namespace {

constexpr StringLiteral jobRemedy(
    "docs/many-processes.md says what a job of several processes needs");

/// One process of the command.
class JobRun {
public:
  JobRun(const RunOptions &options, const Launch &launch)
      : options(options), isRoot(launch.process == 0) {
    session.setProcesses(launch.numProcesses);
  }

  int run();

private:
  /// Waits for the errors of all processes (empty: none), and prints those.
  /// True if there is none.
  bool allFine(const std::string &error, StringRef remedy);
  /// This process cannot reach the others any more.
  bool lost(const std::string &error);
  bool shareExecutable();
  bool agreeOnTrace();
  bool dealDevices();
  bool readArguments();
  Expected<std::vector<std::vector<Buffer>>>
  receiveArguments(std::vector<std::unique_ptr<ArrayReader>> readers);
  bool runAll();
  bool runProgram();
  bool writeOwnResults();
  bool gatherTrace();
  bool gatherStatistics();
  int finish();
  int leave(int exitCode);

  const RunOptions &options;
  const bool isRoot;
  Session session;
  int within = exitFine;
  std::shared_ptr<Job> job;
  /// The executable of the session, or that which process 0 sent.
  const Executable *executable = nullptr;
  std::unique_ptr<Executable> received;
  std::unique_ptr<Client> client;
  std::vector<std::vector<Buffer>> arguments; ///< by device of this process
  RunStatistics statistics;                   ///< of the last run
  std::vector<double> secondsOfRuns;          ///< warm-ups included
  bool isTraced = false;        ///< for --trace or the page of the report
  std::shared_ptr<Trace> trace; ///< of the last run on this process's devices
  Trace merged;                 ///< in process 0: of all devices
  Execution execution;
};

bool JobRun::lost(const std::string &error) {
  err() << "error: process " << job->process() << ": " << error << "\n";
  err().flush();
  return false;
}

bool JobRun::allFine(const std::string &error, StringRef remedy) {
  auto errors = job->allGather(error);
  if (!errors)
    return lost(error.empty() ? toString(errors.takeError())
                              : (consumeError(errors.takeError()), error));
  // An error that another process has caused says so.
  int32_t first = -1;
  for (auto [process, text] : enumerate(*errors))
    if (!text.empty() &&
        (first < 0 || StringRef((*errors)[first]).starts_with("process ")))
      first = int32_t(process);
  if (first < 0)
    return true;
  if (isRoot) {
    std::string text = (*errors)[first];
    if (first > 0 && !StringRef(text).starts_with("process "))
      text = job->processes()[first].describe(first) + ": " + text;
    badInput(text, remedy);
  }
  return false;
}

/// Process 0 gives the others the compiled program.
bool JobRun::shareExecutable() {
  std::string bytes, error;
  if (isRoot && within != exitBadInput) {
    auto serialized = session.compiled().executable->serialize();
    if (serialized)
      bytes = std::move(*serialized);
    else
      error = toString(serialized.takeError());
  }
  if (!error.empty())
    badInput(error, "");
  auto sent = job->broadcast(0, bytes);
  if (!sent)
    return lost(toString(sent.takeError()));
  if (sent->empty()) // process 0 has said why
    return false;
  if (isRoot) {
    executable = session.compiled().executable.get();
  } else {
    auto loaded = Executable::deserialize(*sent);
    if (loaded)
      received = std::move(*loaded);
    else
      error = toString(loaded.takeError());
    executable = received.get();
  }
  return allFine(error, "all processes need machines of the same kind");
}

/// All processes record a trace if process 0 needs one, whatever their own
/// options say.
bool JobRun::agreeOnTrace() {
  bool needed =
      isRoot && (!options.trace.empty() || Session::reportsRun(options));
  auto sent = job->broadcast(0, needed ? "traced" : "");
  if (!sent)
    return lost(toString(sent.takeError()));
  isTraced = !sent->empty();
  return true;
}

/// Equal runs of devices; the first processes have one more if the number does
/// not divide.
bool JobRun::dealDevices() {
  int64_t devices = executable->numDevices(), count = job->numProcesses();
  int64_t share = devices / count + (job->process() < devices % count);
  std::string error;
  if (options.devicesPerProcess > 0) {
    share = options.devicesPerProcess;
    if (share * count != devices)
      error = ("the program runs on " + Twine(devices) + " devices, but " +
               Twine(count) + " processes of " + Twine(share) +
               " devices have " + Twine(share * count))
                  .str();
  } else if (devices < count) {
    error = ("the program runs on " + Twine(devices) +
             " devices, too few for " + Twine(count) + " processes")
                .str();
  }
  if (!error.empty()) {
    if (isRoot)
      badInput(error, "start as many processes as divide the devices of the "
                      "mesh, or change the mesh (--mesh)");
    return false;
  }
  auto threads = shareOfCores(*job);
  if (!threads)
    return lost(toString(threads.takeError()));
  JobOptions jobOptions;
  jobOptions.numDevices = int32_t(share);
  auto reopened = joinJob(jobOptions);
  if (!reopened)
    return lost(toString(reopened.takeError()));
  job = std::move(*reopened);
  client = std::make_unique<Client>(job, *threads);
  return true;
}

bool JobRun::readArguments() {
  // The file may be on the machine of process 0 alone.
  bool isMissing = !options.arguments.empty() &&
                   !sys::fs::exists(options.arguments) && !isRoot;
  std::vector<std::unique_ptr<ArrayReader>> readers;
  std::string error;
  if (!isMissing) {
    auto opened =
        argumentReaders(options, executable->arguments(), NpzAccess::Random);
    if (opened)
      readers = std::move(*opened);
    else
      error = toString(opened.takeError());
  }
  if (!allFine(error, argumentsRemedy))
    return false;
  auto missing = job->allGather(isMissing ? "missing" : "");
  if (!missing)
    return lost(toString(missing.takeError()));
  bool readsEach =
      all_of(*missing, [](StringRef text) { return text.empty(); });
  auto read = readsEach
                  ? shardwright::readArguments(*executable, readers, *client)
                  : receiveArguments(std::move(readers));
  if (read)
    arguments = std::move(*read);
  else
    error = toString(read.takeError());
  return allFine(error, argumentsRemedy);
}

/// Process 0 reads the arguments for all.
Expected<std::vector<std::vector<Buffer>>>
JobRun::receiveArguments(std::vector<std::unique_ptr<ArrayReader>> readers) {
  if (!isRoot)
    readers.clear();
  SmallVector<ElementType, 8> types;
  for (const ValueSpec &spec : withoutSizes(executable->arguments()))
    types.push_back(spec.type);
  BroadcastArrays all(*job, 0, std::move(readers), types);
  auto shared = all.readers();
  if (!shared)
    return shared.takeError();
  auto read = shardwright::readArguments(*executable, *shared, *client);
  all.finish();
  return read;
}

/// Runs as often as --repeat says. A run may delete its arguments, so each
/// reads its own.
bool JobRun::runAll() {
  TimedRuns runs(session, options);
  for (int64_t run = 0, count = runs.count(); run < count; ++run) {
    execution = {};
    if (!readArguments() || !runProgram())
      return false;
    secondsOfRuns.push_back(statistics.seconds);
  }
  return true;
}

bool JobRun::runProgram() {
  if (isTraced)
    trace = std::make_shared<Trace>();
  statistics = {};
  ExecuteOptions how;
  how.trace = trace;
  how.statistics = &statistics;
  auto started = executable->execute(arguments, *client, how);
  std::string error;
  if (started)
    execution = std::move(*started);
  else
    error = toString(started.takeError());
  arguments.clear();
  return allFine(error, "look at the program there; shardwright partition "
                        "prints what each device runs");
}

/// The name of this process's file of results, if each writes one.
static std::optional<std::string> ownFile(const RunOptions &options,
                                          int32_t process) {
  StringRef name = options.out, mark = "{process}";
  size_t at = name.find(mark);
  if (at == StringRef::npos)
    return std::nullopt;
  return (name.take_front(at) + Twine(process) +
          name.drop_front(at + mark.size()))
      .str();
}

/// Writes the parts of the results on the devices of this process, each once,
/// and where they begin in the whole array.
bool JobRun::writeOwnResults() {
  auto file = ownFile(options, job->process());
  if (!file)
    return true;
  std::vector<NamedArray> named;
  std::string error;
  for (size_t i = 0; i < executable->results().size() && error.empty(); ++i) {
    auto parts = partsHere(*executable, execution, i, *client);
    if (!parts) {
      error = toString(parts.takeError());
      break;
    }
    for (auto [k, part] : enumerate(*parts)) {
      std::string name = ("out" + Twine(i) + ".part" + Twine(k)).str();
      auto begin =
          Array::allocate(ElementType::S64, {int64_t(part.begin.size())});
      if (!begin) {
        error = toString(begin.takeError());
        break;
      }
      std::memcpy(begin->data(), part.begin.data(),
                  part.begin.size() * sizeof(int64_t));
      named.push_back({name, std::move(part.array)});
      named.push_back({name + ".begin", std::move(*begin)});
    }
  }
  if (error.empty())
    error = toString(writeNpz(*file, named));
  return allFine(error, "check the directory and its permissions");
}

/// Gets the activities of all devices for the report, and writes them to a file
/// if there is one.
bool JobRun::gatherTrace() {
  if (!trace)
    return true;
  // Per device: the numbers of its spans and jumps, the spans, and the jumps.
  std::string bytes;
  auto put = [&](const void *data, size_t size) {
    bytes.append(static_cast<const char *>(data), size);
  };
  for (int64_t device = 0; device < trace->numDevices(); ++device) {
    ArrayRef<Trace::Span> spans = trace->of(device);
    ArrayRef<Trace::Jump> jumps = trace->jumpsOf(device);
    int64_t counts[] = {int64_t(spans.size()), int64_t(jumps.size())};
    put(counts, sizeof counts);
    put(spans.data(), spans.size() * sizeof(Trace::Span));
    put(jumps.data(), jumps.size() * sizeof(Trace::Jump));
  }
  auto all = job->gather(0, bytes);
  if (!all)
    return lost(toString(all.takeError()));
  if (!isRoot)
    return true;
  std::vector<int32_t> processOf;
  for (auto [process, text] : enumerate(*all))
    for (const char *at = text.data(), *end = at + text.size(); at < end;) {
      int64_t counts[2];
      auto take = [&](void *to, size_t size) {
        std::memcpy(to, at, size);
        at += size;
      };
      take(counts, sizeof counts);
      std::vector<Trace::Span> spans(counts[0]);
      std::vector<Trace::Jump> jumps(counts[1]);
      take(spans.data(), spans.size() * sizeof(Trace::Span));
      take(jumps.data(), jumps.size() * sizeof(Trace::Jump));
      merged.addDevice(spans, jumps);
      processOf.push_back(int32_t(process));
    }
  if (Session::reportsRun(options))
    session.setTrace(&merged, processOf);
  return options.trace.empty() ||
         writeFile(options.trace, [&](raw_ostream &os) {
           writeTrace(executable->program(), merged, os, processOf);
         });
}

bool JobRun::gatherStatistics() {
  // Seconds of each run, and then the bytes that the last one sent.
  std::vector<double> own = secondsOfRuns;
  own.push_back(double(statistics.sentBetweenProcesses));
  auto all =
      job->gather(0, StringRef(reinterpret_cast<const char *>(own.data()),
                               own.size() * sizeof(double)));
  if (!all)
    return lost(toString(all.takeError()));
  if (!isRoot)
    return true;
  ProgramReport &report = session.report();
  ProcessesReport &processes = report.processes.emplace();
  // A run lasts as long as that of the slowest process.
  std::vector<double> longest(secondsOfRuns.size()), means(longest);
  for (auto [record, text] : zip_equal(job->processes(), *all)) {
    std::memcpy(own.data(), text.data(), own.size() * sizeof(double));
    processes.devices.push_back(record.numDevices);
    processes.mostBytesSent =
        std::max(processes.mostBytesSent, int64_t(own.back()));
    for (size_t run = 0; run < longest.size(); ++run) {
      longest[run] = std::max(longest[run], own[run]);
      means[run] += own[run] / double(all->size());
    }
  }
  TimedRuns runs(session, options);
  for (auto [run, seconds] : enumerate(longest))
    runs.add(int64_t(run), seconds);
  runs.finish();
  processes.meanRunSeconds =
      spreadOf(ArrayRef(means).take_back(size_t(options.repeat.value_or(1))))
          .median;
  processes.engine = job->engineName().str();
  return true;
}

/// Process 0 compares and writes the results, which it reads window by window.
int JobRun::finish() {
  JobArrays results(*executable, execution, *job, *client);
  if (!isRoot) {
    if (Error error = results.serve())
      return lost(toString(std::move(error))), exitBadInput;
    return exitFine;
  }
  RunOptions rest = options;
  if (ownFile(options, 0))
    rest.out.clear(); // has been written
  bool readsResults = !rest.out.empty() || !rest.expect.empty();
  auto readers = readsResults ? results.readers()
                              : std::vector<std::unique_ptr<ArrayReader>>();
  int exitCode = readers ? finishRun(session, rest, *readers, within)
                         : badInput(toString(readers.takeError()), "");
  if (Error error = results.finish())
    lost(toString(std::move(error)));
  return exitCode;
}

/// Ends in order with the largest exit code of all processes.
int JobRun::leave(int exitCode) {
  auto codes = job->allGather(std::to_string(exitCode));
  if (!codes) {
    consumeError(codes.takeError());
    return exitBadInput;
  }
  for (const std::string &text : *codes)
    exitCode = std::max(exitCode, std::atoi(text.c_str()));
  out().flush();
  err().flush();
  client.reset();
  job->leave();
  return exitCode;
}

int JobRun::run() {
  // Reading a module starts a child process, which MPI does not allow later.
  if (isRoot) {
    if (!options.plugin.empty())
      within = badInput("--plugin in a job of several processes: a plugin's "
                        "devices belong to one process",
                        "run it in one process, or without --plugin");
    else if (options.profile)
      within = badInput("--profile in a job of several processes: their clocks "
                        "differ",
                        "profile the program in one process; --trace writes "
                        "what each device did");
    else
      within = prepareRun(session, options);
  }
  JobOptions jobOptions;
  jobOptions.numDevices = 0; // dealt when the program is known
  auto opened = joinJob(jobOptions);
  if (!opened)
    return badInput(toString(opened.takeError()), jobRemedy);
  job = std::move(*opened);
  bool isFine = shareExecutable() && agreeOnTrace() && dealDevices() &&
                runAll() && writeOwnResults() && gatherTrace() &&
                gatherStatistics();
  return leave(isFine ? finish() : exitBadInput);
}

} // namespace

int runInJob(const RunOptions &options) {
  auto launch = readLaunch();
  if (!launch)
    return badInput(toString(launch.takeError()), jobRemedy);
  return JobRun(options, *launch).run();
}

} // namespace shardwright

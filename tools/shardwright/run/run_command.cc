//===- run_command.cc - shardwright run -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check_files.h"
#include "plugin_trace.h"
#include "run_steps.h"
#include "timed_runs.h"

#include "shardwright/backend/trace.h"
#include "shardwright/job/job.h"
#include "shardwright/report/trace_json.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shardwright {
namespace {

/// Writes what our devices did, or those of a plugin. False: the error has been
/// printed.
bool writeTrace(const Executable &executable, const Trace &trace,
                PluginTrace &pluginTrace, const std::string &path) {
  if (pluginTrace.isPrepared())
    return pluginTrace.finish(path);
  return writeFile(path, [&](raw_ostream &os) {
    shardwright::writeTrace(executable.program(), trace, os);
  });
}

/// Opens the devices, and prepares a trace if they are a plugin's. False: the
/// error has been printed.
bool openDevices(Session &session, const RunOptions &options,
                 PluginTrace &pluginTrace) {
  return session.openDevices(options.plugin, options.pluginOptions) &&
         (options.trace.empty() || !session.plugin() ||
          pluginTrace.prepare(session.plugin()));
}

} // namespace

int runCommand(const RunOptions &options) {
  if (Job::isLaunched())
    return runInJob(options);
  if (!checkRunFiles(options))
    return exitBadInput;
  if (options.profile && !options.plugin.empty())
    return badInput("--profile: the kernels of a plugin are not known",
                    "--trace writes what its own profiler recorded");
  Session session;
  PluginTrace pluginTrace;
  if (!openDevices(session, options, pluginTrace))
    return exitBadInput;
  const int within = prepareRun(session, options);
  if (within == exitBadInput)
    return within;
  const Executable &executable = *session.compiled().executable;
  Expected<std::vector<Array>> arguments =
      argumentsOf(options, executable.arguments());
  if (!arguments)
    return badInput(toString(arguments.takeError()), argumentsRemedy);
  TimedRuns runs(session, options);
  if (!runs.prepare(executable.program()))
    return exitBadInput;
  Progress &progress = session.progress(options);
  if (!pluginTrace.start())
    return exitBadInput;
  Trace trace;
  const bool reportsRun = Session::reportsRun(options) && !session.plugin();
  std::vector<Array> results;
  for (int64_t run = 0, count = runs.count(); run < count; ++run) {
    progress.at("running");
    RunStatistics statistics;
    bool isTraced =
        !options.trace.empty() || reportsRun || runs.isProfiled(run);
    results.clear(); // frees their memory
    Expected<std::vector<Array>> found =
        executable.run(*arguments, session.devices(), &statistics,
                       isTraced ? &trace : nullptr);
    progress.pause();
    if (!found)
      return badInput(toString(found.takeError()),
                      "look at the program there; shardwright partition prints "
                      "what each device runs");
    results = std::move(*found);
    runs.add(run, statistics.seconds, isTraced ? &trace : nullptr);
  }
  runs.finish();
  if (reportsRun)
    session.setTrace(&trace);
  if (!options.trace.empty() &&
      !writeTrace(executable, trace, pluginTrace, options.trace))
    return exitBadInput;

  std::vector<std::unique_ptr<ArrayReader>> readers;
  for (Array &array : results)
    readers.push_back(std::make_unique<WholeArrayReader>(std::move(array)));
  return finishRun(session, options, readers, within);
}

} // namespace shardwright

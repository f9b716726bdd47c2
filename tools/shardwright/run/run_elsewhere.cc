//===- run_elsewhere.cc - compile with a plugin, without devices ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "session.h"

#include "shardwright/pjrt_client/topology.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shardwright {

static void print(const pjrt_client::CompiledElsewhere &compiled) {
  out() << "compiled for " << compiled.platform << ", " << compiled.numDevices
        << " devices\n";
  const MemoryStatistics &memory = compiled.memory;
  out() << formatv("memory of a device\n  arguments {0,14} bytes\n"
                   "  results   {1,14} bytes\n  temporary {2,14} bytes\n"
                   "  aliased   {3,14} bytes\n",
                   memory.arguments, memory.results, memory.temporaries,
                   memory.reusedByResults);
  if (!compiled.collectives) {
    out() << "the plugin does not show its program\n";
    return;
  }
  out() << "collectives of its program\n";
  for (const pjrt_client::CollectiveCount &kind : *compiled.collectives) {
    out() << formatv("  {0,-20} {1,6}", kind.kind, kind.count);
    if (kind.resultBytes)
      out() << formatv(" {0,14} bytes of results", kind.resultBytes);
    out() << "\n";
  }
}

int compileElsewhere(const RunOptions &options) {
  if (options.plugin.empty())
    return badInput("--plugin-compile-only without a plugin",
                    "name the plugin: --plugin");
  auto plugin = pjrt_client::Plugin::load(options.plugin);
  if (!plugin)
    return badInput("--plugin: " + toString(plugin.takeError()),
                    "docs/plugins.md says what plugins need");
  Session session;
  if (!session.compile(options, Stage::Local))
    return exitBadInput;
  FailureOr<pjrt_client::ProgramParts> parts = pjrt_client::programParts(
      session.module(), donationsOf(session.compiled().arguments),
      (*plugin)->stablehloVersion());
  if (session.finishDiagnostic() || failed(parts))
    return exitBadInput;
  auto compiled = pjrt_client::compileForTopology(
      **plugin, options.topology, options.pluginOptions, *parts);
  if (!compiled)
    return badInput("--plugin: " + toString(compiled.takeError()),
                    "docs/plugins.md names topologies and options");
  print(*compiled);
  out().flush();
  return exitFine;
}

} // namespace shardwright

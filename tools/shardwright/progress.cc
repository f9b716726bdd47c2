//===- progress.cc - prints a line for work that takes long ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "progress.h"

#include "shardwright/support/start_thread.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unistd.h>

using namespace shardwright;
using Clock = std::chrono::steady_clock;

struct Progress::State {
  std::chrono::duration<double> interval{1};
  bool isTerminal = false, isOver = false, isShown = false;
  std::string what;
  Clock::time_point since;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;

  void clear() {
    if (isShown && isTerminal)
      llvm::errs() << "\r\033[K";
    isShown = false;
  }

  void serve() {
    std::unique_lock lock(mutex);
    while (!isOver) {
      changed.wait_for(lock, interval);
      auto now = Clock::now();
      if (isOver || what.empty() || now - since < interval)
        continue;
      double seconds = std::chrono::duration<double>(now - since).count();
      clear();
      llvm::errs() << (isTerminal ? "" : "shardwright: ") << what << ", "
                   << llvm::formatv(seconds < 1 ? "{0:f2}" : "{0:f0}", seconds)
                   << " s" << (isTerminal ? "" : "\n");
      llvm::errs().flush();
      isShown = true;
    }
    clear();
  }
};

Progress::Progress(std::optional<double> seconds) {
  bool isTerminal = isatty(STDERR_FILENO);
  if (!seconds && !isTerminal)
    return;
  state = std::make_unique<State>();
  state->isTerminal = isTerminal;
  if (seconds)
    state->interval = std::chrono::duration<double>(*seconds);
  if (!cpu::startThread(state->thread, [s = state.get()] { s->serve(); }))
    state = nullptr; // nothing is shown
}

Progress::~Progress() {
  if (!state)
    return;
  {
    std::lock_guard lock(state->mutex);
    state->isOver = true;
  }
  state->changed.notify_all();
  state->thread.join();
}

void Progress::at(const llvm::Twine &what) {
  if (!state)
    return;
  std::lock_guard lock(state->mutex);
  state->what = what.str();
  state->since = Clock::now();
}

void Progress::pause() {
  if (!state)
    return;
  std::lock_guard lock(state->mutex);
  state->what.clear();
  state->clear();
}

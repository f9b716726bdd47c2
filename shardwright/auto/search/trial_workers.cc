//===- trial_workers.cc - tasks on copies of the module -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/trial_workers.h"

#include "shardwright/support/start_thread.h"

using namespace mlir;

namespace shardwright {

/// Each takes the memory of a copy. The results do not depend on the number.
constexpr size_t kWorkers = 2;

TrialWorkers::~TrialWorkers() {
  {
    std::lock_guard lock(mutex);
    isEnd = true;
  }
  hasTask.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void TrialWorkers::copyModule() {
  size_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  std::unique_ptr<llvm::MemoryBuffer> bytecode =
      TrialContext::bytecodeOf(imported);
  if (!bytecode)
    return;
  contexts.resize(std::min(kWorkers, cores));
  auto copy = [&](size_t i) {
    contexts[i] = TrialContext::create(imported, *bytecode, problem);
  };
  std::vector<std::thread> copying(contexts.size());
  for (size_t i = 1; i < contexts.size(); ++i)
    if (!cpu::startThread(copying[i], [&copy, i] { copy(i); }))
      copy(i);
  copy(0);
  for (std::thread &thread : copying)
    if (thread.joinable())
      thread.join();
  llvm::erase(contexts, nullptr);
}

void TrialWorkers::prepare() {
  if (!contexts.empty())
    return;
  if (isParallel)
    copyModule();
  if (contexts.empty())
    contexts.push_back(TrialContext::createInContext(imported, problem));
  if (contexts.size() == 1)
    return;
  for (const std::unique_ptr<TrialContext> &context : contexts) {
    std::thread thread;
    if (!cpu::startThread(thread, [this, &context] { runTasks(*context); }))
      break;
    threads.push_back(std::move(thread));
  }
}

TrialWorkers::Task *TrialWorkers::take() {
  if (awaited.empty() && (expected.empty() || numRunning == 0))
    return nullptr;
  std::deque<Task *> &queue = awaited.empty() ? expected : awaited;
  Task *task = queue.front();
  queue.pop_front();
  task->state = Task::State::Running;
  numRunning += task->isAwaited;
  return task;
}

void TrialWorkers::runTasks(TrialContext &context) {
  std::unique_lock lock(mutex);
  Task *task = nullptr;
  while (true) {
    hasTask.wait(lock, [&] { return isEnd || (task = take()); });
    if (isEnd)
      return;
    lock.unlock();
    task->work(context);
    lock.lock();
    task->state = Task::State::Done;
    numRunning -= task->isAwaited;
    isDone.notify_all();
  }
}

void TrialWorkers::start(ArrayRef<Task *> tasks) {
  prepare();
  {
    std::lock_guard lock(mutex);
    for (Task *task : tasks) {
      if (task->isAwaited || task->state == Task::State::Done)
        continue;
      task->isAwaited = true;
      if (task->state == Task::State::Running) {
        ++numRunning;
        continue;
      }
      llvm::erase(expected, task);
      task->state = Task::State::Waiting;
      awaited.push_back(task);
    }
  }
  hasTask.notify_all();
}

void TrialWorkers::expect(ArrayRef<Task *> tasks) {
  prepare();
  if (threads.empty())
    return;
  {
    std::lock_guard lock(mutex);
    for (Task *task : expected)
      task->state = Task::State::New;
    expected.clear();
    for (Task *task : tasks) {
      if (task->state != Task::State::New)
        continue;
      task->state = Task::State::Waiting;
      expected.push_back(task);
    }
  }
  hasTask.notify_all();
}

void TrialWorkers::runHere(Task &task) {
  llvm::erase(awaited, &task);
  if (task.state == Task::State::Done)
    return;
  task.work(*contexts.front());
  task.state = Task::State::Done;
}

void TrialWorkers::finish(Task &task) {
  start(&task);
  if (threads.empty())
    return runHere(task);
  std::unique_lock lock(mutex);
  isDone.wait(lock, [&] { return task.state == Task::State::Done; });
}

} // namespace shardwright

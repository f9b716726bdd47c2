//===- client.cc - virtual devices and their threads ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/client.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

using namespace shardwright;

llvm::ArrayRef<MemoryKind> Device::memories() {
  static constexpr MemoryKind kinds[] = {
      MemoryKind::Device, MemoryKind::PinnedHost, MemoryKind::UnpinnedHost};
  return kinds;
}

/// One thread that works in order; started when first needed.
struct Client::Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<llvm::unique_function<void()>> pending;
  bool isBusy = false; ///< some thread runs what came before
  bool isOver = false;
  std::thread thread;

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock,
                   [&] { return isOver || (!isBusy && !pending.empty()); });
      if (pending.empty())
        return;
      auto work = std::move(pending.front());
      pending.pop_front();
      isBusy = true;
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      isBusy = false;
    }
  }
};

Client::Client(int threads, int32_t devices)
    : threadPool(threads), devices(devices), queue(std::make_unique<Queue>()) {}

Client::~Client() {
  {
    std::lock_guard lock(queue->mutex);
    queue->isOver = true;
  }
  queue->changed.notify_all();
  if (queue->thread.joinable())
    queue->thread.join();
}

void Client::inOrder(llvm::unique_function<void()> work, bool here) {
  std::unique_lock lock(queue->mutex);
  if (here && !queue->isBusy && queue->pending.empty()) {
    queue->isBusy = true;
    lock.unlock();
    work();
    lock.lock();
    queue->isBusy = false;
    if (!queue->pending.empty())
      queue->changed.notify_one();
    return;
  }
  queue->pending.push_back(std::move(work));
  if (!queue->thread.joinable())
    queue->thread = std::thread([q = queue.get()] { q->serve(); });
  queue->changed.notify_one();
}

Client &Client::shared() {
  // Never destroyed: runs may be in flight in other threads at exit.
  static Client *client = new Client();
  return *client;
}

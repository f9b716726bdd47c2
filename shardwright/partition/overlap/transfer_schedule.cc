//===- transfer_schedule.cc - schedules that hide transfers ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/transfer_schedule.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace shardwright {
namespace {

/// Bytes of live results during a schedule.
class LiveBytes {
public:
  explicit LiveBytes(llvm::ArrayRef<ScheduleNode> nodes)
      : nodes(nodes), uses(nodes.size(), 0) {
    for (const ScheduleNode &node : nodes)
      for (int32_t from : node.operands)
        ++uses[from];
  }
  double now() const { return live; }
  double peak() const { return most; }
  void appear(int32_t node) {
    live += nodes[node].bytes;
    most = std::max(most, live);
    // The result is unused.
    if (uses[node] == 0)
      live -= nodes[node].bytes;
  }
  void finish(int32_t node) {
    for (int32_t from : nodes[node].operands)
      if (--uses[from] == 0)
        live -= nodes[from].bytes;
  }

private:
  llvm::ArrayRef<ScheduleNode> nodes;
  std::vector<int32_t> uses;
  double live = 0, most = 0;
};

class ListScheduler {
public:
  /// A ready node may be scheduled before earlier ones in its group of `window`
  /// nodes.
  ListScheduler(llvm::ArrayRef<ScheduleNode> nodes,
                llvm::ArrayRef<double> pathAfter, int64_t window, double bound)
      : nodes(nodes), pathAfter(pathAfter), window(window), bound(bound),
        memory(nodes), waiting(nodes.size()), users(nodes.size()),
        arrival(nodes.size(), 0), state(nodes.size(), State::Waiting) {
    for (auto [i, node] : llvm::enumerate(nodes)) {
      waiting[i] = node.operands.size();
      for (int32_t from : node.operands)
        users[from].push_back(i);
    }
  }

  TransferSchedule run();

private:
  enum class State : uint8_t { Waiting, Ready, InFlight, Finished };
  struct Choice {
    int64_t block;
    double path;
    int32_t node;
    /// std::priority_queue returns the greatest element first.
    bool operator<(const Choice &other) const {
      if (block != other.block)
        return block > other.block;
      if (path != other.path)
        return path < other.path;
      return node > other.node;
    }
  };
  using Queue = std::priority_queue<Choice>;

  Choice choice(int32_t node) const {
    return {node / window, pathAfter[node], node};
  }
  void becomeReady(int32_t node) {
    state[node] = State::Ready;
    (nodes[node].mayOverlap ? transfers : work).push(choice(node));
  }
  void finish(int32_t node);
  void landArrived();
  void startTransfer(int32_t node);
  void startTransfers(double until);
  void runNode(int32_t node);
  bool fits(int32_t node) const {
    return memory.now() + nodes[node].bytes <= bound;
  }
  int32_t oldest() {
    while (state[first] == State::Finished)
      ++first;
    return first;
  }

  llvm::ArrayRef<ScheduleNode> nodes;
  llvm::ArrayRef<double> pathAfter;
  const int64_t window;
  const double bound;
  LiveBytes memory;
  std::vector<int32_t> waiting;
  std::vector<llvm::SmallVector<int32_t, 2>> users;
  std::vector<double> arrival;
  std::vector<State> state;
  Queue work, transfers;
  /// (arrival, node), earliest arrival first.
  std::priority_queue<std::pair<double, int32_t>,
                      std::vector<std::pair<double, int32_t>>, std::greater<>>
      inFlight;
  Timeline timeline;
  int32_t first = 0;
  size_t done = 0;
  std::vector<ScheduleItem> items;
};

void ListScheduler::finish(int32_t node) {
  state[node] = State::Finished;
  ++done;
  for (int32_t user : users[node])
    if (--waiting[user] == 0)
      becomeReady(user);
}

void ListScheduler::landArrived() {
  while (!inFlight.empty() && inFlight.top().first <= timeline.now()) {
    int32_t node = inFlight.top().second;
    inFlight.pop();
    items.push_back({node, ScheduleItem::Done});
    memory.finish(node);
    finish(node);
  }
}

void ListScheduler::startTransfer(int32_t node) {
  items.push_back({node, ScheduleItem::Start});
  memory.appear(node);
  state[node] = State::InFlight;
  arrival[node] = timeline.start(nodes[node].transfer);
  inFlight.push({arrival[node], node});
}

/// Starts the transfers whose lanes are free before `until`.
void ListScheduler::startTransfers(double until) {
  llvm::SmallVector<Choice, 8> later;
  // Look at a few only, to avoid quadratic time: the others mostly wait for the
  // same lanes.
  while (!transfers.empty() && later.size() < 8) {
    Choice next = transfers.top();
    transfers.pop();
    if (state[next.node] != State::Ready)
      continue;
    if (timeline.begin(nodes[next.node].transfer) <= until && fits(next.node))
      startTransfer(next.node);
    else
      later.push_back(next);
  }
  for (Choice next : later)
    transfers.push(next);
}

void ListScheduler::runNode(int32_t node) {
  items.push_back({node, ScheduleItem::Run});
  memory.appear(node);
  if (nodes[node].isTransfer)
    timeline.communicate(nodes[node].transfer);
  else
    timeline.run(nodes[node].time);
  memory.finish(node);
  finish(node);
}

TransferSchedule ListScheduler::run() {
  for (auto [i, count] : llvm::enumerate(waiting))
    if (count == 0)
      becomeReady(i);
  while (done < nodes.size()) {
    startTransfers(timeline.now());
    landArrived();
    if (done == nodes.size())
      break;
    while (!work.empty() && state[work.top().node] != State::Ready)
      work.pop();
    bool isShort = !work.empty() && !fits(work.top().node);
    if (work.empty() || isShort) {
      // The oldest node depends at most on transfers in flight. If memory is
      // short, only the oldest node may run.
      int32_t node = oldest();
      if (state[node] == State::InFlight || (!isShort && !inFlight.empty())) {
        timeline.wait(isShort ? arrival[node] : inFlight.top().first);
        continue;
      }
      if (nodes[node].mayOverlap)
        startTransfer(node);
      else
        runNode(node);
      continue;
    }
    int32_t next = work.top().node;
    work.pop();
    startTransfers(timeline.now() + nodes[next].time.total());
    runNode(next);
  }
  TransferSchedule schedule;
  schedule.items = std::move(items);
  return schedule;
}

/// Moves each Done right before its first user, and merges Start and Done of
/// transfers that overlap with no work.
void sinkDones(llvm::ArrayRef<ScheduleNode> nodes, TransferSchedule &schedule,
               bool keepAll) {
  std::vector<ScheduleItem> out;
  enum : uint8_t { None, Open, Landed };
  std::vector<uint8_t> state(nodes.size(), None);
  /// By node: index of its Start in `out`. By item: amount of work before it.
  std::vector<size_t> start(nodes.size(), 0);
  std::vector<size_t> workBefore{0};
  std::vector<int32_t> open;
  auto push = [&](ScheduleItem item) {
    // Work that overlaps with a transfer: computing, or sending along other
    // axes.
    bool isWork =
        item.what == ScheduleItem::Run
            ? nodes[item.node].isTransfer || nodes[item.node].time.total() > 0
            : item.what == ScheduleItem::Start &&
                  llvm::any_of(open, [&](int32_t other) {
                    return !(nodes[other].transfer.lanes &
                             nodes[item.node].transfer.lanes);
                  });
    workBefore.push_back(workBefore.back() + isWork);
    out.push_back(item);
  };
  auto land = [&](int32_t node) {
    if (state[node] != Open)
      return;
    state[node] = Landed;
    llvm::erase(open, node);
    if (!keepAll && workBefore[out.size()] == workBefore[start[node] + 1])
      out[start[node]].what = ScheduleItem::Run;
    else
      push({node, ScheduleItem::Done});
  };
  for (const ScheduleItem &item : schedule.items) {
    if (item.what == ScheduleItem::Done)
      continue;
    for (int32_t from : nodes[item.node].operands)
      land(from);
    if (item.what == ScheduleItem::Start) {
      state[item.node] = Open;
      start[item.node] = out.size();
    }
    push(item);
    if (item.what == ScheduleItem::Start)
      open.push_back(item.node);
  }
  for (size_t i = 0; i < nodes.size(); ++i)
    land(i);
  schedule.items = std::move(out);
}

/// Simulates the schedule and sets its time and peak memory.
void measure(llvm::ArrayRef<ScheduleNode> nodes, TransferSchedule &schedule) {
  Timeline timeline;
  LiveBytes memory(nodes);
  std::vector<double> arrival(nodes.size(), 0);
  for (const ScheduleItem &item : schedule.items) {
    const ScheduleNode &node = nodes[item.node];
    switch (item.what) {
    case ScheduleItem::Start:
      memory.appear(item.node);
      arrival[item.node] = timeline.start(node.transfer);
      break;
    case ScheduleItem::Done:
      timeline.wait(arrival[item.node]);
      memory.finish(item.node);
      break;
    case ScheduleItem::Run:
      memory.appear(item.node);
      if (node.isTransfer)
        timeline.communicate(node.transfer);
      else
        timeline.run(node.time);
      memory.finish(item.node);
      break;
    }
  }
  schedule.time = timeline.spent();
  schedule.peakBytes = memory.peak();
}

/// Length of the longest path from each node to the end, without resource
/// limits.
std::vector<double> remainingPaths(llvm::ArrayRef<ScheduleNode> nodes) {
  std::vector<double> after(nodes.size(), 0);
  for (size_t i = nodes.size(); i-- > 0;) {
    after[i] += nodes[i].time.total() + nodes[i].transfer.seconds;
    for (int32_t from : nodes[i].operands)
      after[from] = std::max(after[from], after[i]);
  }
  return after;
}

} // namespace

TransferSchedule orderAsGiven(llvm::ArrayRef<ScheduleNode> nodes) {
  TransferSchedule schedule;
  for (int32_t i = 0; i < int32_t(nodes.size()); ++i)
    schedule.items.push_back({i, ScheduleItem::Run});
  measure(nodes, schedule);
  return schedule;
}

TransferSchedule splitTransfers(llvm::ArrayRef<ScheduleNode> nodes) {
  TransferSchedule schedule;
  for (int32_t i = 0; i < int32_t(nodes.size()); ++i)
    schedule.items.push_back(
        {i, nodes[i].mayOverlap ? ScheduleItem::Start : ScheduleItem::Run});
  sinkDones(nodes, schedule, /*keepAll=*/true);
  measure(nodes, schedule);
  return schedule;
}

TransferSchedule hideTransfers(llvm::ArrayRef<ScheduleNode> nodes,
                               double bytes) {
  TransferSchedule best = orderAsGiven(nodes);
  double bound = std::max(bytes, best.peakBytes);
  bool any = llvm::any_of(
      nodes, [](const ScheduleNode &node) { return node.mayOverlap; });
  if (!any || best.time.exposed == 0)
    return best;
  std::vector<double> paths = remainingPaths(nodes);
  // Narrow windows change the order least, so they come first and win ties.
  for (int64_t window : {1, 16, 128, 1024, 1 << 30}) {
    TransferSchedule next = ListScheduler(nodes, paths, window, bound).run();
    if (next.items.size() < nodes.size())
      continue;
    sinkDones(nodes, next, /*keepAll=*/false);
    measure(nodes, next);
    if (next.peakBytes <= bound &&
        next.time.total() < best.time.total() * (1 - 1e-3))
      best = std::move(next);
    if (window >= int64_t(nodes.size()) || best.time.exposed == 0)
      break;
  }
  return best;
}

} // namespace shardwright

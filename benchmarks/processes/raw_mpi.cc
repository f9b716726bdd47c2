//===- raw_mpi.cc - the exchanges of messages.cc by MPI alone -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "benchmarks/clock.h"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <vector>

using namespace shardwright;

/// Waits as the transport does: gives other processes the core.
static void wait(std::vector<MPI_Request> &requests) {
  int isDone = 0;
  for (int i = 0; !isDone; ++i) {
    MPI_Testall(requests.size(), requests.data(), &isDone, MPI_STATUSES_IGNORE);
    if (!isDone && i > 50)
      sched_yield();
  }
  requests.clear();
}

int main(int argc, char **argv) {
  bool isRoundTrip = argc > 3 && !std::strcmp(argv[3], "once");
  size_t size = argc > 1 ? std::atoll(argv[1]) : 1024;
  int repetitions = argc > 2 ? std::atoi(argv[2]) : 100;
  int self = 0, count = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  int next = (self + 1) % count, last = (self + count - 1) % count;
  std::vector<char> from(size, char(self)), to(size);
  std::vector<double> times;
  std::vector<MPI_Request> requests;
  auto send = [&](int peer) {
    MPI_Isend(from.data(), size, MPI_BYTE, peer, 1, MPI_COMM_WORLD,
              &requests.emplace_back());
  };
  auto receive = [&](int peer) {
    MPI_Irecv(to.data(), size, MPI_BYTE, peer, 1, MPI_COMM_WORLD,
              &requests.emplace_back());
  };
  for (int i = 0; i < repetitions + 5; ++i) {
    double start = wallSeconds();
    if (!isRoundTrip) {
      receive(last);
      send(next);
      wait(requests);
    } else if (self == 0) {
      receive(1);
      send(1);
      wait(requests);
    } else if (self == 1) {
      receive(0);
      wait(requests);
      send(0);
      wait(requests);
    }
    if (i >= 5)
      times.push_back(1e6 * (wallSeconds() - start));
  }
  if (self == 0) {
    std::printf("[");
    for (size_t i = 0; i < times.size(); ++i)
      std::printf("%s%.2f", i ? ", " : "", times[i]);
    std::printf("]\n");
  }
  MPI_Finalize();
  return 0;
}

//===- raw_gloo.cc - the exchanges of messages.cc by Gloo alone -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "benchmarks/clock.h"

#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

using namespace shardwright;

int main(int argc, char **argv) {
  bool isRoundTrip = argc > 3 && !std::strcmp(argv[3], "once");
  size_t size = argc > 1 ? std::atoll(argv[1]) : 1024;
  int repetitions = argc > 2 ? std::atoi(argv[2]) : 100;
  int self = std::atoi(std::getenv("SHARDWRIGHT_PROCESS"));
  int count = std::atoi(std::getenv("SHARDWRIGHT_PROCESSES"));
  gloo::transport::tcp::attr attribute;
  attribute.hostname = "127.0.0.1";
  auto device = gloo::transport::tcp::CreateDevice(attribute);
  auto context = std::make_shared<gloo::rendezvous::Context>(self, count);
  gloo::rendezvous::FileStore store(std::getenv("SHARDWRIGHT_RENDEZVOUS"));
  context->connectFullMesh(store, device);
  int next = (self + 1) % count, last = (self + count - 1) % count;
  std::vector<char> from(size, char(self)), to(size);
  auto sent = context->createUnboundBuffer(from.data(), size);
  auto received = context->createUnboundBuffer(to.data(), size);
  std::vector<double> times;
  for (int i = 0; i < repetitions + 5; ++i) {
    double start = wallSeconds();
    if (!isRoundTrip) {
      received->recv(last, 1);
      sent->send(next, 1);
      received->waitRecv();
      sent->waitSend();
    } else if (self == 0) {
      received->recv(1, 1);
      sent->send(1, 1);
      received->waitRecv();
      sent->waitSend();
    } else if (self == 1) {
      received->recv(0, 1);
      received->waitRecv();
      sent->send(0, 1);
      sent->waitSend();
    }
    if (i >= 5)
      times.push_back(1e6 * (wallSeconds() - start));
  }
  if (self == 0) {
    std::printf("[");
    for (size_t i = 0; i < times.size(); ++i)
      std::printf("%s%.2f", i ? ", " : "", times[i]);
    std::printf("]\n");
    std::fflush(stdout);
  }
  // The other processes may still send.
  char byte = 0;
  auto end = context->createUnboundBuffer(&byte, 1);
  for (int p = 0; p < count; ++p)
    if (p != self) {
      end->recv(p, 2);
      auto mine = context->createUnboundBuffer(&byte, 1);
      mine->send(p, 2);
      end->waitRecv();
      mine->waitSend();
    }
  return 0;
}

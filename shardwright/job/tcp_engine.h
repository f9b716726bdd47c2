//===- tcp_engine.h - an engine on TCP connections --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An engine that needs no other library: a connection to each process, and one
// thread, which sleeps until one of them can be read or written. Packets go
// before payloads, which travel in parts, so that no packet waits for long.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_TCP_ENGINE_H
#define SHARDWRIGHT_JOB_TCP_ENGINE_H

#include "shardwright/job/engine_module.h"

namespace shardwright {

/// Connects the processes as `connectByTcp` does.
llvm::Expected<std::unique_ptr<Engine>>
makeTcpEngine(const EngineOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_TCP_ENGINE_H

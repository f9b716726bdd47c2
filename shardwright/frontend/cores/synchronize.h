//===- synchronize.h - copies and semaphores of cores -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_SYNCHRONIZE_H
#define SHARDWRIGHT_FRONTEND_CORES_SYNCHRONIZE_H

#include "shardwright/frontend/cores/ref.h"

namespace shardwright::frontend {

/// A core: its position along axes of cores, and along manual axes of the mesh
/// of devices. Along other axes it is where the core is that names it. JAX: a
/// device_id of type MESH.
using CoreId = std::vector<std::pair<std::string, Tensor>>;

/// A copy between memories. The handle is used where it is made. JAX:
/// AsyncCopyDescriptor.
class AsyncCopy {
public:
  AsyncCopy(Ref src, Ref dst, Ref sem, std::optional<Ref> sendSem, CoreId to)
      : from(std::move(src)), into(std::move(dst)), semaphore(std::move(sem)),
        sendSemaphore(std::move(sendSem)), target(std::move(to)) {}
  void start() const;
  /// Waits until the source may be written and the destination read.
  void wait() const;
  /// Waits until the source may be written. An error for a copy on one core.
  void waitSend() const;
  /// Waits until as many bytes have arrived here.
  void waitRecv() const;

private:
  Ref from, into, semaphore;
  std::optional<Ref> sendSemaphore;
  CoreId target;
};

/// A copy between memories that this core reaches; `sem` counts its bytes.
AsyncCopy makeAsyncCopy(const Ref &src, const Ref &dst, const Ref &sem);
/// The same, started.
AsyncCopy asyncCopy(const Ref &src, const Ref &dst, const Ref &sem);
/// A copy to the memory that is `dst` on another core; `sendSem` counts its
/// bytes here, and the other core's `recvSem` there.
AsyncCopy makeAsyncRemoteCopy(const Ref &src, const Ref &dst,
                              const Ref &sendSem, const Ref &recvSem,
                              const CoreId &to);
/// The same, started.
AsyncCopy asyncRemoteCopy(const Ref &src, const Ref &dst, const Ref &sendSem,
                          const Ref &recvSem, const CoreId &to);

/// Adds to a semaphore: to this core's, or to another core's.
void semaphoreSignal(const Ref &sem, const Tensor &increment = 1,
                     const CoreId &to = {});
/// Waits until the semaphore is at least `value`, and subtracts that.
void semaphoreWait(const Ref &sem, const Tensor &value = 1);
/// What the semaphore is now.
Tensor semaphoreRead(const Ref &sem);
/// Waits until all cores along an axis have called it. `sem`: a semaphore of
/// each core that nothing else uses. JAX: pltpu.core_barrier.
void coreBarrier(const Ref &sem, const std::string &axis);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CORES_SYNCHRONIZE_H

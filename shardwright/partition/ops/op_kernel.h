//===- op_kernel.h - kernels of ops, and their work -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ops run in the kernels of their users, and what a kernel reads and
// writes. Elementwise ops and data movement run in the loops of their users, as
// on every backend that fuses. The planner asks about ops of the global
// program, the predicted step about those of the program of one device.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_OP_KERNEL_H
#define SHARDWRIGHT_PARTITION_OPS_OP_KERNEL_H

#include "shardwright/partition/cost/machine_model.h"
#include "shardwright/partition/decide/decide.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace shardwright {

/// Where a result is computed. `UsersKernelAndMemory`: also written, because
/// the block returns it.
enum class KernelPlace : uint8_t {
  OwnKernel,
  UsersKernel,
  UsersKernelAndMemory
};

/// Not cached: passes change the users of ops.
KernelPlace placeOf(mlir::Operation *op);

/// Finds the place of each op once, for callers between whose questions no
/// users of ops change.
class KernelPlaces {
public:
  KernelPlace of(mlir::Operation *op);

private:
  llvm::DenseMap<mlir::Operation *, KernelPlace> known;
};

/// True if producers of the op's operands may run in its kernel.
bool mayFuseProducers(mlir::Operation *op);
/// True if the operand need not be read from memory: the user's kernel computes
/// it, or it is a constant whose elements are equal.
bool isReadInKernel(mlir::OpOperand &use);
/// True if a kernel is launched for the op. Fused ops have none, nor have
/// scalar integers, which backends compute on the host or in another kernel.
bool launchesKernel(mlir::Operation *op);

/// How often the kernel of an op moves each byte of its tensors between memory
/// and the device.
struct KernelTraffic {
  llvm::SmallVector<double, 3> operands;
  double results = 1;
  /// Of each operand, at most as many bytes as the results have.
  bool readsPart = false;
};
/// For an op whose operands and results are all in memory. Updates in place
/// touch the updated elements only.
KernelTraffic trafficOf(mlir::Operation *op);

/// Bytes of a tensor of static shape; 0 for other types.
double bytesOf(mlir::Type type);

/// Operations per second of a machine, by element type.
class OperationRates {
public:
  explicit OperationRates(const MachineModel &machine) : machine(machine) {}
  /// Of contractions of this element type.
  double ofContraction(mlir::Type element);
  double of(mlir::Operation *op);
  const MachineModel &getMachine() const { return machine; }

private:
  const MachineModel &machine;
  llvm::DenseMap<mlir::Type, double> known;
};

/// Sets the kernel of the problem, and which operands it reads.
void describeKernel(mlir::Operation *op, OperationRates &rates,
                    DecideProblem &problem);
/// Time of the op on a device that holds its tensors in full; regions of
/// control flow excluded. 0 for collectives. `places` may be null.
double secondsOfKernel(mlir::Operation *op, OperationRates &rates,
                       KernelPlaces *places = nullptr);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_OP_KERNEL_H

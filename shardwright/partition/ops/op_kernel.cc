//===- op_kernel.cc - kernels of ops, and their work ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/op_kernel.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/cost/predicted_seconds.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/op_work.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

bool mayFuseProducers(Operation *op) {
  return getPartitionTraits(op).fusion != Fusion::Alone;
}

namespace {

/// The users of a result, by kind.
struct Users {
  int64_t count = 0, fusing = 0;
  bool isReturned = false;
};

/// Adds the users of the op's results; false if one of them does not fuse. In
/// the global program, looks through constraints, which leave no op if the
/// layout stays.
bool addUsers(Operation *op, Block *block, Users &users) {
  // A value with very many users is materialized.
  constexpr int64_t mostUsers = 64;
  for (Operation *user : op->getUsers()) {
    if (++users.count > mostUsers || user->getBlock() != block)
      return false;
    // Traits of ops are slow to look up.
    if (!user->getNextNode() && user->hasTrait<OpTrait::IsTerminator>()) {
      users.isReturned = true;
    } else if (isa<sdy::ShardingConstraintOp, sdy::PropagationBarrierOp>(
                   user)) {
      if (!addUsers(user, block, users))
        return false;
    } else if (mayFuseProducers(user)) {
      ++users.fusing;
    } else {
      return false;
    }
  }
  return true;
}

} // namespace

KernelPlace placeOf(Operation *op) {
  if (getPartitionTraits(op).fusion != Fusion::WithUsers ||
      op->getNumResults() != 1 || op->use_empty())
    return KernelPlace::OwnKernel;
  Users users;
  if (!addUsers(op, op->getBlock(), users) || !users.fusing)
    return KernelPlace::OwnKernel;
  return users.isReturned ? KernelPlace::UsersKernelAndMemory
                          : KernelPlace::UsersKernel;
}

KernelPlace KernelPlaces::of(Operation *op) {
  if (getPartitionTraits(op).fusion != Fusion::WithUsers)
    return KernelPlace::OwnKernel;
  auto [it, isNew] = known.try_emplace(op);
  if (isNew)
    it->second = placeOf(op);
  return it->second;
}

static KernelPlace placeOf(Operation *op, KernelPlaces *places) {
  return places ? places->of(op) : placeOf(op);
}

static bool isReadInKernel(OpOperand &use, KernelPlaces *places) {
  Operation *from = use.get().getDefiningOp();
  if (!from)
    return false;
  if (from->getNumOperands() == 0 && from->hasTrait<OpTrait::ConstantLike>()) {
    auto value = from->getAttrOfType<ElementsAttr>("value");
    return !value || value.isSplat();
  }
  return mayFuseProducers(use.getOwner()) &&
         placeOf(from, places) != KernelPlace::OwnKernel;
}

bool isReadInKernel(OpOperand &use) { return isReadInKernel(use, nullptr); }

/// Computes an integer or a predicate that backends keep on the host or in
/// another kernel.
static bool isCounter(Operation *op) {
  return llvm::all_of(op->getResultTypes(),
                      [](Type type) {
                        auto tensor = dyn_cast<RankedTensorType>(type);
                        return tensor && tensor.getRank() == 0 &&
                               tensor.getElementType().isInteger();
                      }) &&
         hasElementwiseTrait(op);
}

static bool launchesKernel(Operation *op, KernelPlace place) {
  return isContraction(op) ||
         (place == KernelPlace::OwnKernel && !isCounter(op));
}

bool launchesKernel(Operation *op) { return launchesKernel(op, placeOf(op)); }

KernelTraffic trafficOf(Operation *op) {
  KernelTraffic traffic;
  traffic.operands.assign(op->getNumOperands(), 1);
  // A value that is read twice is in caches or registers.
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (llvm::is_contained(op->getOperands().take_front(i), operand))
      traffic.operands[i] = 0;
  if (isa<stablehlo::DynamicUpdateSliceOp>(op)) {
    traffic.operands.assign(op->getNumOperands(), 0);
    traffic.operands[1] = 2;
    traffic.results = 0;
  } else if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    size_t inputs = scatter.getInputs().size();
    for (size_t i = 0; i < traffic.operands.size(); ++i)
      traffic.operands[i] = i < inputs ? 0 : i == inputs ? 1 : 3;
    traffic.results = 0;
  }
  traffic.readsPart = isSlicing(op);
  return traffic;
}

double OperationRates::ofContraction(Type element) {
  // A complex multiplication is four real ones.
  double share = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    share = 4;
  }
  double &rate = known[element];
  if (rate == 0) {
    std::string name;
    llvm::raw_string_ostream(name) << element;
    rate = machine.flopsOf(name);
  }
  return rate / share;
}

double OperationRates::of(Operation *op) {
  if (!isContraction(op) && machine.elementwiseFlopsPerSecond)
    return machine.elementwiseFlopsPerSecond;
  Value of = op->getNumOperands() ? op->getOperand(0) : op->getResult(0);
  return ofContraction(elementTypeOf(of.getType()));
}

double bytesOf(Type type) {
  std::optional<int64_t> elements = countElements(type);
  return elements ? elementBytes(type) * double(*elements) : 0;
}

/// Bytes that the op's kernel moves between memory and the device.
static double bytesTouched(Operation *op, KernelPlace place,
                           KernelPlaces *places) {
  KernelTraffic traffic = trafficOf(op);
  double results = 0;
  for (Type type : op->getResultTypes())
    results += bytesOf(type);
  bool isWritten = traffic.results && place != KernelPlace::UsersKernel;
  double bytes = isWritten ? traffic.results * results : 0;
  for (auto [use, times] : llvm::zip(op->getOpOperands(), traffic.operands)) {
    // The operands of an update in place are in memory.
    if (times == 0 || (traffic.results != 0 && isReadInKernel(use, places)))
      continue;
    double size = bytesOf(use.get().getType());
    bytes += times * (traffic.readsPart ? std::min(size, results) : size);
  }
  return bytes;
}

double secondsOfKernel(Operation *op, OperationRates &rates,
                       KernelPlaces *places) {
  if (getPartitionTraits(op).work == Work::None || isCollective(op) ||
      (op->getNumOperands() == 0 && op->getNumResults() == 0))
    return 0;
  KernelPlace place = placeOf(op, places);
  return kernelSeconds(rates.getMachine(),
                       {countOperations(op), rates.of(op),
                        bytesTouched(op, place, places), isContraction(op),
                        countColumns(op).of(1), launchesKernel(op, place)});
}

/// The tensor with whose elements the operations of the op grow
/// (OpKernel::countedTensor).
static int32_t countedTensor(Operation *op) {
  int32_t results = int32_t(op->getNumOperands());
  if (isContraction(op))
    return -1;
  return llvm::TypeSwitch<Operation *, int32_t>(op)
      .Case<stablehlo::ReduceOp, stablehlo::SortOp,
            stablehlo::TriangularSolveOp, stablehlo::CustomCallOp>(
          [](auto) { return 0; })
      .Case([](stablehlo::SelectAndScatterOp) { return 1; })
      .Case([](stablehlo::ScatterOp scatter) {
        return int32_t(scatter.getInputs().size()) + 1;
      })
      .Default([&](Operation *) { return results; });
}

void describeKernel(Operation *op, OperationRates &rates,
                    DecideProblem &problem) {
  OpKernel &kernel = problem.kernel;
  KernelTraffic traffic = trafficOf(op);
  bool isInPlace = traffic.results == 0;
  for (auto [use, site, reads] :
       llvm::zip(op->getOpOperands(), problem.operands, traffic.operands)) {
    site.reads = reads;
    site.isInKernel = !isInPlace && isReadInKernel(use);
  }
  kernel.isFree = getPartitionTraits(op).work == Work::None;
  if (op->getNumOperands() == 0 && op->getNumResults() == 0)
    return;
  int32_t counted = countedTensor(op);
  if (counted < int32_t(op->getNumOperands() + op->getNumResults()))
    kernel.countedTensor = counted;
  kernel.operations = countOperations(op);
  kernel.operationsPerSecond = rates.of(op);
  kernel.columns = countColumns(op);
  kernel.writes = traffic.results;
  kernel.readsPart = traffic.readsPart;
  kernel.isFused = placeOf(op) == KernelPlace::UsersKernel;
  kernel.fusesProducers = mayFuseProducers(op);
  kernel.isLaunched = launchesKernel(op);
}

} // namespace shardwright

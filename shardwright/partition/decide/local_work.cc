//===- local_work.cc - cost of an op besides communication ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/decide/local_work.h"

#include "shardwright/partition/cost/predicted_seconds.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

double LocalWork::writeSeconds(double bytes) const {
  return costs.machine->operationSeconds + costs.machine->memorySeconds(bytes);
}

void LocalWork::addOperand(size_t i, double bytes, const Arrival &arrival) {
  const TensorSite &site = problem.operands[i];
  if (!costs.machine) {
    if (!site.isReadInPart)
      touched += bytes;
    return;
  }
  double before = arrival.before;
  if (arrival.hasHalo) {
    before = std::max(before, bytes);
    extra += writeSeconds(2 * bytes);
  } else if (site.isInKernel && !arrival.isMoved) {
    return;
  } else if (arrival.isSliced && problem.kernel.fusesProducers) {
    // The slice runs in the op's kernel; the model adds up the ops of a kernel.
    extra += costs.machine->memorySeconds(bytes);
    return;
  } else if (arrival.isSliced) {
    extra += writeSeconds(2 * bytes);
  }
  // The producer gets a kernel of its own, which writes what is moved.
  if (site.isInKernel && !site.isRematerializable && before > 0)
    extra += writeSeconds(before);
  if (problem.kernel.readsPart)
    partly.push_back(site.reads * bytes);
  else
    touched += site.reads * bytes;
}

void LocalWork::addResult(size_t i, double bytes, bool isMoved) {
  if (!costs.machine) {
    touched += bytes;
    return;
  }
  results += bytes;
  const OpKernel &kernel = problem.kernel;
  if (kernel.isFused && isMoved)
    extra += writeSeconds(bytes);
  else if (!kernel.isFused)
    written += kernel.writes * bytes;
}

void LocalWork::addResultSlice(double bytes) {
  // The slice does not run in the kernel of a contraction.
  if (costs.machine && problem.isContraction)
    extra += writeSeconds(2 * bytes);
}

double LocalWork::localOperations(const FactorAxes &axes) const {
  const ShardingRule &rule = *problem.rule;
  const OpKernel &kernel = problem.kernel;
  double shards = 1;
  for (size_t f = 0; f < axes.size(); ++f)
    if (kernel.countedTensor < 0 || rule.holds(kernel.countedTensor, f))
      shards *= double(totalSize(axes[f]));
  return kernel.operations / shards;
}

double LocalWork::localColumns(const FactorAxes &axes) const {
  const ShardingRule &rule = *problem.rule;
  if (problem.kernel.columns.number == 0)
    return 0;
  double shards = 1;
  for (size_t f = 0; f < axes.size(); ++f)
    if (isColumn(rule, f))
      shards *= double(totalSize(axes[f]));
  return problem.kernel.columns.of(shards);
}

double LocalWork::addTo(double cost, const FactorAxes &axes) const {
  if (costs.machine) {
    const OpKernel &kernel = problem.kernel;
    if (kernel.isFree)
      return cost + extra;
    double bytes = touched + written;
    for (double part : partly)
      bytes += std::min(part, results);
    return cost + extra +
           kernelSeconds(*costs.machine,
                         {localOperations(axes), kernel.operationsPerSecond,
                          bytes, problem.isContraction, localColumns(axes),
                          kernel.isLaunched});
  }
  cost += costs.touch * touched;
  if (problem.isContraction) {
    double points = 1;
    for (auto [f, factor] : llvm::enumerate(problem.rule->factors))
      points *= double(factor.size) / double(totalSize(axes[f]));
    cost += costs.flop * points;
  }
  return cost;
}

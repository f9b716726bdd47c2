//===- kernel_work.cc - arithmetic work of a kernel -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/graph/kernel_work.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace shardwright;
using namespace shardwright::cpu;

static bool isFunction(Op op) {
  switch (op) {
  case Op::Cbrt:
  case Op::Cosine:
  case Op::Exp:
  case Op::Expm1:
  case Op::Log:
  case Op::Log1p:
  case Op::Logistic:
  case Op::Rsqrt:
  case Op::Sine:
  case Op::Sqrt:
  case Op::Tan:
  case Op::Tanh:
  case Op::Power:
  case Op::Atan2:
    return true;
  default:
    return false;
  }
}

/// How often the body of a node runs; 0 if it has no body.
static double bodyRuns(llvm::ArrayRef<Node> nodes, const Node &node) {
  switch (node.op) {
  case Op::Reduce:
    return double(nodes[node.operands[0]].elements());
  case Op::ReduceWindow:
    return double(node.elements()) *
           product(node.get<ReduceWindowAttrs>().window);
  case Op::Scatter:
    return double(nodes[node.operands.back()].elements());
  case Op::Sort: {
    int64_t length =
        node.shape.empty() ? 1 : node.shape[node.get<SortAttrs>().dim];
    return node.elements() * std::log2(std::max<double>(2, length));
  }
  default:
    return 0;
  }
}

static void count(llvm::ArrayRef<Node> nodes, double times, double &flops,
                  double &transcendentals) {
  for (const Node &node : nodes) {
    if (isElementwise(node.op)) {
      double runs = times * node.elements();
      flops += runs;
      if (isFunction(node.op))
        transcendentals += runs;
    } else if (node.body) {
      count(node.body->nodes, times * bodyRuns(nodes, node), flops,
            transcendentals);
    }
  }
}

void cpu::countWork(const Cluster &cluster, double &flops,
                    double &transcendentals) {
  flops = transcendentals = 0;
  count(cluster.graph.nodes, 1, flops, transcendentals);
}

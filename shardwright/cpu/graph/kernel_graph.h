//===- kernel_graph.h - the graph of a kernel as plain data -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor operations of one block as an array of nodes, each with one value;
// operands have smaller ids. Fusion (fusion.h) picks sets of nodes. Such a set,
// cut out as a graph of its own with its inputs as Param nodes, is a *cluster*
// and becomes one kernel. A cluster holds no names and no MLIR, so its
// serialisation is the key under which the machine code is cached.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_GRAPH_KERNEL_GRAPH_H
#define SHARDWRIGHT_CPU_GRAPH_KERNEL_GRAPH_H

#include "shardwright/cpu/graph/node_attributes.h"
#include "shardwright/support/shape.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
}

namespace shardwright::cpu {

enum class Op : uint8_t {
  // Leaves.
  Extern,   ///< a value that no kernel computes (argument, dot, collective...)
  Undef,    ///< a buffer to be filled in parts
  Param,    ///< bits: number of the buffer; in a Body: number of the argument
  Constant, // bits: the value of every element, in the element format
  Iota,     ///< IotaAttrs
  // Elementwise, one operand.
  Abs,
  Negate,
  Not,
  Sign,
  Ceil,
  Floor,
  RoundAfz,
  RoundEven,
  Clz,
  Popcnt,
  Cbrt,
  Cosine,
  Exp,
  Expm1,
  Log,
  Log1p,
  Logistic,
  Rsqrt,
  Sine,
  Sqrt,
  Tan,
  Tanh,
  IsFinite,
  Convert,
  Real,
  Imag,
  ReducePrecision, ///< ReducePrecisionAttrs
  // Elementwise, two operands.
  Add,
  Multiply,
  Subtract,
  Divide,
  Remainder,
  Power,
  Maximum,
  Minimum,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRightArithmetic,
  ShiftRightLogical,
  Atan2,
  Complex,
  Compare, ///< CompareAttrs
  // Elementwise, three operands (predicate or bounds may be scalars).
  Select,
  Clamp,
  // Movement.
  Broadcast,    ///< BroadcastAttrs
  Reshape,      ///< same elements in row-major order
  Transpose,    ///< TransposeAttrs
  Slice,        ///< SliceAttrs
  Reverse,      ///< ReverseAttrs
  Pad,          ///< operands x, value; PadAttrs
  Concat,       ///< ConcatAttrs
  Bitcast,      ///< width changes add or drop the innermost dimension
  DynamicSlice, ///< operands x, one scalar start per dimension
  Gather,       ///< operands x, starts; GatherAttrs
  // Contractions. The accumulators are the first arguments of the body.
  Reduce,       ///< operands x..., init...; ReduceAttrs
  Proj,         ///< a result, not the first, of its operand; ProjAttrs
  ReduceWindow, ///< operands x..., init...; ReduceWindowAttrs
  // Updates in place: the buffer already holds operand 0.
  UpdateSlice, ///< operands x, update, one scalar start per dimension
  Scatter,     ///< operands x..., starts, updates...; ScatterAttrs
  Sort,        ///< operands x...; SortAttrs; results as Reduce's
};

struct Body;

struct Node {
  Op op = Op::Extern;
  ElementType type = ElementType::F32;
  Shape shape;
  llvm::SmallVector<int32_t, 3> operands;
  NodeAttributes attrs;
  uint64_t bits = 0, highBits = 0; ///< highBits: bits 64 to 127 (complex<f64>)
  std::shared_ptr<const Body> body;
  /// Index into Program::locations; not part of the key.
  int32_t location = -1;

  int64_t elements() const;
  /// The attributes of the operation, which must have T.
  template <typename T> const T &get() const { return attrs.get<T>(); }
};

/// A scalar function: the first nodes are its Params, in order.
struct Body {
  std::vector<Node> nodes;
  llvm::SmallVector<int32_t, 2> results;
};

struct Graph {
  std::vector<Node> nodes;

  int32_t add(Node node) {
    nodes.push_back(std::move(node));
    return static_cast<int32_t>(nodes.size()) - 1;
  }
  const Node &operator[](int32_t id) const { return nodes[id]; }
};

/// One kernel: its buffers are the params, then the outputs. `inPlace[i]` is
/// the param whose buffer output i reuses, or -1 if the buffer of output i
/// overlaps no other.
struct Cluster {
  Graph graph;
  int32_t numParams = 0;
  llvm::SmallVector<int32_t, 2> outputs;
  llvm::SmallVector<int32_t, 2> inPlace;
};

/// Clusters with equal keys have the same machine code.
std::string serialize(const Cluster &cluster);
/// Prints a line like `add f32[8x16] %0, %1` per node, for tests and messages.
void print(const Cluster &cluster, llvm::raw_ostream &os);
llvm::StringRef name(Op op);

inline bool isElementwise(Op op) { return op >= Op::Abs && op <= Op::Clamp; }
/// True if the op only moves elements; evaluating it costs no arithmetic.
inline bool isMovement(Op op) {
  return op >= Op::Broadcast && op <= Op::Gather;
}
/// Rough cost of one element, in simple vector operations.
int operationCost(const Node &node);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_GRAPH_KERNEL_GRAPH_H

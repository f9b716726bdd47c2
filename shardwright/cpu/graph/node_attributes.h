//===- node_attributes.h - attributes of kernel graph nodes -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One struct per operation that has attributes (see enum Op in kernel_graph.h),
// and NodeAttributes, which holds one of them or none.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_GRAPH_NODE_ATTRIBUTES_H
#define SHARDWRIGHT_CPU_GRAPH_NODE_ATTRIBUTES_H

#include "shardwright/cpu/program/program.h"

#include <memory>
#include <variant>

namespace shardwright::cpu {

struct IotaAttrs {
  int64_t dim = 0;
  bool operator==(const IotaAttrs &) const = default;
};

struct ReducePrecisionAttrs {
  int64_t exponentBits = 0, mantissaBits = 0;
  bool operator==(const ReducePrecisionAttrs &) const = default;
};

enum class Direction : int64_t { EQ, NE, GE, GT, LE, LT };

struct CompareAttrs {
  Direction direction = Direction::EQ;
  bool totalOrder = false;
  bool operator==(const CompareAttrs &) const = default;
};

struct BroadcastAttrs {
  Shape dims; ///< the result dimension of each operand dimension
  bool operator==(const BroadcastAttrs &) const = default;
};

struct TransposeAttrs {
  Shape permutation; ///< the operand dimension of each result dimension
  bool operator==(const TransposeAttrs &) const = default;
};

struct SliceAttrs {
  Shape starts, strides;
  bool operator==(const SliceAttrs &) const = default;
};

struct ReverseAttrs {
  Shape dims;
  bool operator==(const ReverseAttrs &) const = default;
};

struct PadAttrs {
  Shape low, interior;
  bool operator==(const PadAttrs &) const = default;
};

struct ConcatAttrs {
  int64_t dim = 0;
  bool operator==(const ConcatAttrs &) const = default;
};

/// The dimension numbers of a gather or a scatter. Its *windows* are the result
/// of a gather and the updates of a scatter; its *starts* are the index
/// operand.
struct WindowDims {
  /// Dimensions of the windows that run over the operand: StableHLO's
  /// offset_dims and update_window_dims.
  Shape windowDims;
  /// Dimensions of the operand that no window dimension runs over:
  /// collapsed_slice_dims and inserted_window_dims.
  Shape collapsedDims;
  /// Batching dimensions of the operand and of the starts, pairwise.
  Shape operandBatchingDims, startsBatchingDims;
  /// The operand dimension of each component of a start: start_index_map and
  /// scatter_dims_to_operand_dims.
  Shape startMap;
  /// The dimension of the starts that holds the components; the rank of the
  /// starts if there is one component without a dimension.
  int64_t indexVectorDim = 0;
  bool operator==(const WindowDims &) const = default;
};

struct GatherAttrs {
  WindowDims dims;
  Shape sliceSizes;
  bool operator==(const GatherAttrs &) const = default;
};

struct ScatterAttrs {
  WindowDims dims;
  bool operator==(const ScatterAttrs &) const = default;
};

struct ReduceAttrs {
  Shape dims; ///< ascending
  bool operator==(const ReduceAttrs &) const = default;
};

struct ProjAttrs {
  int64_t result = 0; ///< number of the result, >= 1
  bool operator==(const ProjAttrs &) const = default;
};

struct ReduceWindowAttrs {
  Shape window, strides, baseDilation, windowDilation, lowPadding;
  bool operator==(const ReduceWindowAttrs &) const = default;
};

struct SortAttrs {
  int64_t dim = 0;
  bool stable = false;
  bool operator==(const SortAttrs &) const = default;
};

/// One of the structs above, or none. Immutable: copies of a node share it, so
/// that a node stays small and cheap to copy.
class NodeAttributes {
  template <typename... Ts>
  using Either = std::variant<std::monostate, std::shared_ptr<const Ts>...>;

public:
  NodeAttributes() = default;
  template <typename T>
  NodeAttributes(T attrs) : held(std::make_shared<const T>(std::move(attrs))) {}

  /// The attributes must be a T.
  template <typename T> const T &get() const {
    return *std::get<std::shared_ptr<const T>>(held);
  }
  /// Calls `visitor` with the struct, if there is one.
  template <typename Visitor> void visit(Visitor &&visitor) const {
    std::visit(
        [&](const auto &attrs) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(attrs)>,
                                        std::monostate>)
            visitor(*attrs);
        },
        held);
  }
  /// Compares the structs, not their addresses.
  friend bool operator==(const NodeAttributes &a, const NodeAttributes &b) {
    if (a.held.index() != b.held.index())
      return false;
    bool equal = true;
    a.visit([&]<typename T>(const T &attrs) { equal = attrs == b.get<T>(); });
    return equal;
  }

private:
  Either<IotaAttrs, ReducePrecisionAttrs, CompareAttrs, BroadcastAttrs,
         TransposeAttrs, SliceAttrs, ReverseAttrs, PadAttrs, ConcatAttrs,
         GatherAttrs, ReduceAttrs, ProjAttrs, ReduceWindowAttrs, ScatterAttrs,
         SortAttrs>
      held;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_GRAPH_NODE_ATTRIBUTES_H

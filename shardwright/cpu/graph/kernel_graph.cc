//===- kernel_graph.cc - the graph of a kernel as plain data --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/graph/kernel_graph.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace shardwright::cpu {

int64_t Node::elements() const { return product(shape); }

llvm::StringRef name(Op op) {
  static constexpr const char *names[] = {
      "extern",
      "undef",
      "param",
      "constant",
      "iota",
      "abs",
      "negate",
      "not",
      "sign",
      "ceil",
      "floor",
      "round_afz",
      "round_even",
      "clz",
      "popcnt",
      "cbrt",
      "cosine",
      "exp",
      "expm1",
      "log",
      "log1p",
      "logistic",
      "rsqrt",
      "sine",
      "sqrt",
      "tan",
      "tanh",
      "is_finite",
      "convert",
      "real",
      "imag",
      "reduce_precision",
      "add",
      "multiply",
      "subtract",
      "divide",
      "remainder",
      "power",
      "maximum",
      "minimum",
      "and",
      "or",
      "xor",
      "shift_left",
      "shift_right_arithmetic",
      "shift_right_logical",
      "atan2",
      "complex",
      "compare",
      "select",
      "clamp",
      "broadcast",
      "reshape",
      "transpose",
      "slice",
      "reverse",
      "pad",
      "concat",
      "bitcast",
      "dynamic_slice",
      "gather",
      "reduce",
      "proj",
      "reduce_window",
      "update_slice",
      "scatter",
      "sort",
  };
  return names[static_cast<int>(op)];
}

/// True if each element needs a library call.
static bool isComplexCall(const Node &node) {
  return isComplex(node.type) &&
         ((node.op >= Op::Cbrt && node.op <= Op::Tanh) ||
          node.op == Op::Divide || node.op == Op::Power ||
          node.op == Op::Atan2);
}

int operationCost(const Node &node) {
  if (isComplexCall(node))
    return 300;
  switch (node.op) {
  case Op::Exp:
  case Op::Log:
  case Op::Expm1:
    return 16;
  case Op::Tanh:
  case Op::Logistic:
  case Op::Log1p:
    return 24;
  case Op::Sine:
  case Op::Cosine:
  case Op::Tan:
  case Op::Cbrt:
    return 40;
  case Op::Power:
  case Op::Atan2:
    return 80;
  case Op::Remainder:
    return 60;
  case Op::Divide:
    return isFloat(node.type) ? 6 : 30;
  case Op::Rsqrt:
    return 12;
  case Op::Sqrt:
    return 6;
  case Op::Gather:
    return 4;
  default:
    if (isMovement(node.op) || node.op <= Op::Iota)
      return 0;
    return 1;
  }
}

static void writeInts(llvm::raw_ostream &os, llvm::ArrayRef<int64_t> ints) {
  os << '[';
  llvm::interleave(ints, os, ",");
  os << ']';
}

namespace {
/// Writes attributes as lists of numbers, in the order of their fields.
struct AttributeWriter {
  llvm::raw_ostream &os;

  void list(llvm::ArrayRef<int64_t> ints) const {
    os << ' ';
    writeInts(os, ints);
  }
  void lists(std::initializer_list<llvm::ArrayRef<int64_t>> all) const {
    for (llvm::ArrayRef<int64_t> ints : all)
      list(ints);
  }
  void operator()(const IotaAttrs &a) const { list({a.dim}); }
  void operator()(const ReducePrecisionAttrs &a) const {
    list({a.exponentBits, a.mantissaBits});
  }
  void operator()(const CompareAttrs &a) const {
    list({static_cast<int64_t>(a.direction), a.totalOrder});
  }
  void operator()(const BroadcastAttrs &a) const { list(a.dims); }
  void operator()(const TransposeAttrs &a) const { list(a.permutation); }
  void operator()(const SliceAttrs &a) const { lists({a.starts, a.strides}); }
  void operator()(const ReverseAttrs &a) const { list(a.dims); }
  void operator()(const PadAttrs &a) const { lists({a.low, a.interior}); }
  void operator()(const ConcatAttrs &a) const { list({a.dim}); }
  void operator()(const WindowDims &d) const {
    lists({d.windowDims, d.collapsedDims, d.operandBatchingDims,
           d.startsBatchingDims, d.startMap});
    list({d.indexVectorDim});
  }
  void operator()(const GatherAttrs &a) const {
    (*this)(a.dims);
    list(a.sliceSizes);
  }
  void operator()(const ReduceAttrs &a) const { list(a.dims); }
  void operator()(const ProjAttrs &a) const { list({a.result}); }
  void operator()(const ReduceWindowAttrs &a) const {
    lists(
        {a.window, a.strides, a.baseDilation, a.windowDilation, a.lowPadding});
  }
  void operator()(const ScatterAttrs &a) const { (*this)(a.dims); }
  void operator()(const SortAttrs &a) const { list({a.dim, a.stable}); }
};
} // namespace

static void writeNode(llvm::raw_ostream &os, const Node &node) {
  os << name(node.op) << ' ' << str(node.type);
  writeInts(os, node.shape);
  for (int32_t operand : node.operands)
    os << " %" << operand;
  node.attrs.visit(AttributeWriter{os});
  if (node.op == Op::Param || node.op == Op::Constant) {
    os << " 0x";
    os.write_hex(node.bits);
    if (node.highBits) {
      os << ":";
      os.write_hex(node.highBits);
    }
  }
  if (node.body) {
    os << " {";
    for (const Node &inner : node.body->nodes) {
      writeNode(os, inner);
      os << ';';
    }
    os << " ->";
    for (int32_t r : node.body->results)
      os << " %" << r;
    os << '}';
  }
}

void print(const Cluster &cluster, llvm::raw_ostream &os) {
  for (auto [i, node] : llvm::enumerate(cluster.graph.nodes)) {
    os << '%' << i << " = ";
    writeNode(os, node);
    os << '\n';
  }
  os << "->";
  for (auto [output, inPlace] :
       llvm::zip_equal(cluster.outputs, cluster.inPlace)) {
    os << " %" << output;
    if (inPlace >= 0)
      os << '@' << inPlace;
  }
  os << '\n';
}

std::string serialize(const Cluster &cluster) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(cluster, os);
  return text;
}

} // namespace shardwright::cpu

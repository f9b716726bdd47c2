//===- library_call.cc - operations that call C++ code --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/call_attributes.h"
#include "shardwright/cpu/library/library_op.h"
#include "shardwright/cpu/read/block_reader.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::cpu {

/// Reads the configuration of a custom call: its dictionary or its string.
static llvm::Error readConfiguration(hlo::CustomCallOp op, LibraryCall &call) {
  // JAX stores the dictionary as an attribute of the operation.
  auto dictionary = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  auto version = static_cast<int64_t>(op.getApiVersion());
  if (!findLibraryEntry(call.name))
    put(call, apiVersionName, dictionary && version == 1 ? 4 : version);
  if (!dictionary)
    dictionary = dyn_cast_or_null<DictionaryAttr>(
        op->getAttr(op.getBackendConfigAttrName()));
  if (!dictionary) {
    if (auto text = dyn_cast_or_null<StringAttr>(
            op->getAttr(op.getBackendConfigAttrName())))
      put(call, "backend_config", text.getValue());
    return llvm::Error::success();
  }
  for (NamedAttribute named : dictionary) {
    llvm::Expected<LibraryAttribute> attribute = readAttribute(named);
    if (!attribute)
      return attribute.takeError();
    call.attributes.push_back(std::move(*attribute));
  }
  return llvm::Error::success();
}

/// Dimensions from major to minor; empty: row-major.
using Order = Shape;

static Order columnMajor(size_t rank) {
  Order order;
  for (size_t d = 0; d < rank; ++d)
    order.push_back(static_cast<int64_t>(d));
  if (rank >= 2)
    std::swap(order[rank - 1], order[rank - 2]);
  return order;
}

static Order orderOf(ArrayAttr layouts, unsigned i) {
  if (!layouts || i >= layouts.size())
    return {};
  Order order;
  if (auto dense = dyn_cast<DenseIntElementsAttr>(layouts[i]))
    for (const APInt &d : dense.getValues<APInt>())
      order.push_back(d.getSExtValue());
  std::reverse(order.begin(), order.end());
  return llvm::is_sorted(order) ? Order() : order;
}

namespace {

/// The layouts of a call's operands and results. A call of our own table has
/// the layouts in its table entry; a call of the host has the layouts that the
/// op specifies.
class CallLayouts {
public:
  CallLayouts(const std::optional<LibraryEntry> &row,
              hlo::CustomCallOp custom) {
    if (row) {
      std::tie(operandKinds, resultKinds) = row->layouts.split('>');
    } else {
      operandLayouts = custom.getOperandLayouts().value_or(ArrayAttr());
      resultLayouts = custom.getResultLayouts().value_or(ArrayAttr());
    }
  }

  /// Empty: row-major.
  Order ofOperand(unsigned i, size_t rank) const {
    return order(operandKinds, operandLayouts, i, rank);
  }
  Order ofResult(unsigned i, size_t rank) const {
    return order(resultKinds, resultLayouts, i, rank);
  }

private:
  static Order order(StringRef kinds, ArrayAttr layouts, unsigned i,
                     size_t rank) {
    Order order = i < kinds.size() && kinds[i] == 'm' ? columnMajor(rank)
                                                      : orderOf(layouts, i);
    return order.size() == rank ? order : Order();
  }

  StringRef operandKinds, resultKinds;
  ArrayAttr operandLayouts, resultLayouts;
};

} // namespace

struct BlockReader::LibraryOperation {
  Operation &op;
  CallLayouts layouts;
  BlockGraph::Opaque opaque;
  std::shared_ptr<LibraryCall> call;
  /// Tokens have no buffers: their positions, and the number of each other
  /// operand or result among those with buffers.
  struct Tokens {
    llvm::SmallVector<int64_t> positions;
    llvm::SmallVector<int> numbers;
  };
  Tokens operandTokens, resultTokens;
};

LogicalResult BlockReader::readLibraryOperands(LibraryOperation &library) {
  auto &[op, layouts, opaque, call, tokens, resultTokens] = library;
  for (auto [i, v] : llvm::enumerate(op.getOperands())) {
    tokens.numbers.push_back(static_cast<int>(call->inputs.size()));
    if (isa<hlo::TokenType>(v.getType())) {
      tokens.positions.push_back(i);
      continue;
    }
    FailureOr<int32_t> id = operand(&op, v);
    if (failed(id))
      return failure();
    const Node &given = result.graph[*id];
    call->inputs.push_back({given.type, given.shape});
    Order wanted = layouts.ofOperand(i, given.shape.size());
    opaque.inputs.push_back(wanted.empty() ? *id
                                           : addTranspose(&op, *id, wanted));
  }
  return success();
}

LogicalResult BlockReader::readLibraryResults(LibraryOperation &library) {
  auto &[op, layouts, opaque, call, operandTokens, tokens] = library;
  auto number = static_cast<int32_t>(result.opaque.size());
  for (auto [i, v] : llvm::enumerate(op.getResults())) {
    tokens.numbers.push_back(static_cast<int>(call->outputs.size()));
    if (isa<hlo::TokenType>(v.getType())) {
      tokens.positions.push_back(i);
      ids[v] = -1;
      continue;
    }
    FailureOr<Node> node = start(&op, v.getType(), Op::Extern);
    if (failed(node))
      return failure();
    call->outputs.push_back({node->type, node->shape});
    Order stored = layouts.ofResult(i, node->shape.size());
    if (stored.empty()) {
      ids[v] = addUnique(*node, number);
      opaque.results.push_back(ids[v]);
      continue;
    }
    Shape shape = node->shape;
    for (auto [at, d] : llvm::enumerate(stored))
      node->shape[at] = shape[d];
    int32_t made = addUnique(*node, number);
    opaque.results.push_back(made);
    ids[v] = addTranspose(&op, made, inversePermutation(stored));
  }
  return success();
}

/// Reads the (result, operand) pairs that share a buffer, as buffer numbers.
static void readAliases(hlo::CustomCallOp op, llvm::ArrayRef<int> results,
                        llvm::ArrayRef<int> operands, LibraryCall &call) {
  for (auto alias :
       op.getOutputOperandAliases().getAsRange<hlo::OutputOperandAliasAttr>()) {
    int64_t out = alias.getOutputTupleIndices().empty()
                      ? 0
                      : alias.getOutputTupleIndices().front();
    call.aliases.push_back({results[out], operands[alias.getOperandIndex()]});
  }
}

LogicalResult BlockReader::readLibrary(Operation &op) {
  auto custom = dyn_cast<hlo::CustomCallOp>(op);
  auto call = std::make_shared<LibraryCall>();
  call->name = custom ? custom.getCallTargetName().str()
                      : op.getName().getStringRef().str();
  std::optional<LibraryEntry> row = findLibraryEntry(call->name);
  if (row && row->read)
    row->read(&op, *call);
  else if (custom)
    if (llvm::Error e = readConfiguration(custom, *call))
      return op.emitError() << "custom call '" << call->name
                            << "': " << llvm::toString(std::move(e));

  LibraryOperation library{op, CallLayouts(row, custom), {}, call, {}, {}};
  BlockGraph::Opaque &opaque = library.opaque;
  opaque.op = &op;
  opaque.ordered = custom && custom.getHasSideEffect();
  if (failed(readLibraryOperands(library)) ||
      failed(readLibraryResults(library)))
    return failure();
  if (row) {
    call->aliases.assign(row->aliases.begin(), row->aliases.end());
  } else {
    if (!library.operandTokens.positions.empty())
      put(*call, operandTokensName, library.operandTokens.positions);
    if (!library.resultTokens.positions.empty())
      put(*call, resultTokensName, library.resultTokens.positions);
    readAliases(custom, library.resultTokens.numbers,
                library.operandTokens.numbers, *call);
  }
  auto bytes = [&](int32_t node) {
    return result.graph[node].elements() * byteWidth(result.graph[node].type);
  };
  llvm::erase_if(call->aliases, [&](auto &alias) {
    auto [out, in] = alias;
    return out < 0 || in < 0 || out >= int(opaque.results.size()) ||
           in >= int(opaque.inputs.size()) ||
           bytes(opaque.results[out]) != bytes(opaque.inputs[in]);
  });
  opaque.library = std::move(call);
  result.opaque.push_back(std::move(opaque));
  return success();
}

} // namespace shardwright::cpu

//===- read_library.cc - operations that call C++ code --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/host_call.h"
#include "shardwright/cpu/library/library_op.h"
#include "shardwright/cpu/read/block_reader.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::cpu {

/// Of a custom call: its dictionary, or its string.
static llvm::Error readConfiguration(hlo::CustomCallOp op, LibraryCall &call) {
  // JAX writes the dictionary beside the operation's own attributes.
  auto dictionary = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  auto version = static_cast<int64_t>(op.getApiVersion());
  if (!findLibraryRow(call.name))
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

LogicalResult BlockReader::readLibrary(Operation &op) {
  auto custom = dyn_cast<hlo::CustomCallOp>(op);
  auto call = std::make_shared<LibraryCall>();
  call->name = custom ? custom.getCallTargetName().str()
                      : op.getName().getStringRef().str();
  std::optional<LibraryRow> row = findLibraryRow(call->name);
  if (row && row->read)
    row->read(&op, *call);
  else if (custom)
    if (llvm::Error e = readConfiguration(custom, *call))
      return op.emitError() << "custom call '" << call->name
                            << "': " << llvm::toString(std::move(e));

  // What we wrote ourselves is given the layout it likes; what the host wrote,
  // the layout that the call names.
  auto [inKinds, outKinds] =
      row ? row->layouts.split('>') : std::pair<StringRef, StringRef>();
  auto order = [&, inKinds = inKinds,
                outKinds = outKinds](unsigned i, bool isResult, size_t rank) {
    if (row) {
      StringRef kinds = isResult ? outKinds : inKinds;
      return i < kinds.size() && kinds[i] == 'm' ? columnMajor(rank) : Order();
    }
    return orderOf(
        (isResult ? custom.getResultLayouts() : custom.getOperandLayouts())
            .value_or(ArrayAttr()),
        i);
  };

  BlockGraph::Opaque opaque;
  opaque.op = &op;
  opaque.ordered = custom && custom.getHasSideEffect();
  // Tokens have no buffer: positions among those that have.
  llvm::SmallVector<int> inputAt, outputAt;
  llvm::SmallVector<int64_t> inputTokens, outputTokens;
  for (auto [i, v] : llvm::enumerate(op.getOperands())) {
    inputAt.push_back(static_cast<int>(call->inputs.size()));
    if (isa<hlo::TokenType>(v.getType())) {
      inputTokens.push_back(i);
      continue;
    }
    FailureOr<int32_t> id = operand(&op, v);
    if (failed(id))
      return failure();
    const Node given = result.graph[*id];
    call->inputs.push_back({given.type, given.shape});
    Order wanted = order(i, false, given.shape.size());
    if (!wanted.empty() && wanted.size() == given.shape.size()) {
      Node moved;
      moved.op = Op::Transpose;
      moved.type = given.type;
      moved.location = locations.add(&op);
      for (int64_t d : wanted)
        moved.shape.push_back(given.shape[d]);
      moved.attrs = TransposeAttrs{wanted};
      moved.operands = {*id};
      id = add(moved);
    }
    opaque.inputs.push_back(*id);
  }
  auto number = static_cast<int32_t>(result.opaque.size());
  for (auto [i, v] : llvm::enumerate(op.getResults())) {
    outputAt.push_back(static_cast<int>(call->outputs.size()));
    if (isa<hlo::TokenType>(v.getType())) {
      outputTokens.push_back(i);
      ids[v] = -1;
      continue;
    }
    FailureOr<Node> node = start(&op, v.getType(), Op::Extern);
    if (failed(node))
      return failure();
    call->outputs.push_back({node->type, node->shape});
    Order stored = order(i, true, node->shape.size());
    if (stored.empty() || stored.size() != node->shape.size()) {
      ids[v] = addUnique(*node, number);
      opaque.results.push_back(ids[v]);
      continue;
    }
    Node back = *node;
    for (auto [at, d] : llvm::enumerate(stored))
      node->shape[at] = back.shape[d];
    int32_t made = addUnique(*node, number);
    opaque.results.push_back(made);
    back.op = Op::Transpose;
    back.operands = {made};
    Shape inverse(stored.size());
    for (auto [at, d] : llvm::enumerate(stored))
      inverse[d] = static_cast<int64_t>(at);
    back.attrs = TransposeAttrs{inverse};
    ids[v] = add(back);
  }
  if (!row && !inputTokens.empty())
    put(*call, operandTokensName, inputTokens);
  if (!row && !outputTokens.empty())
    put(*call, resultTokensName, outputTokens);
  if (row) {
    call->aliases.assign(row->aliases.begin(), row->aliases.end());
  } else {
    for (auto alias : custom.getOutputOperandAliases()
                          .getAsRange<hlo::OutputOperandAliasAttr>()) {
      int64_t out = alias.getOutputTupleIndices().empty()
                        ? 0
                        : alias.getOutputTupleIndices().front();
      call->aliases.push_back(
          {outputAt[out], inputAt[alias.getOperandIndex()]});
    }
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

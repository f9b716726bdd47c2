//===- model_explorer.cc - graphs for Model Explorer ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/document/model_explorer.h"

#include "shardwright/report/json_text.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace shardwright {
namespace {

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;

Object attribute(StringRef key, StringRef value) {
  return Object{{"key", key}, {"value", jsonText(value)}};
}

class GraphWriter {
public:
  explicit GraphWriter(const DocumentView &view)
      : view(view), outputOf(view.values.size(), 0) {}

  Object write();

private:
  static std::string idOfOp(int64_t op) { return "op" + std::to_string(op); }
  std::string idOfValue(int64_t value) const {
    int64_t op = view.values[size_t(value)].op;
    return op >= 0 ? idOfOp(op) : "value" + std::to_string(value);
  }
  Array attributes(const DocumentView::Value &value) const;
  Object edge(int64_t value, size_t input) const;
  void addArguments();
  void addOp(int64_t op);
  void addResults();
  std::string namespaceOf(const DocumentView::Op &op) const;

  const DocumentView &view;
  /// By value: its number among the results of its op.
  std::vector<int64_t> outputOf;
  llvm::MapVector<StringRef, Array> nodes; ///< by function
};

Array GraphWriter::attributes(const DocumentView::Value &value) const {
  return Array{attribute("sharding", value.sharding),
               attribute("shape", value.type),
               attribute("local shape", value.local)};
}

Object GraphWriter::edge(int64_t value, size_t input) const {
  return Object{{"sourceNodeId", idOfValue(value)},
                {"sourceNodeOutputId", std::to_string(outputOf[size_t(value)])},
                {"targetNodeInputId", std::to_string(input)}};
}

/// The scopes of the op's name, without the op itself.
std::string GraphWriter::namespaceOf(const DocumentView::Op &op) const {
  return op.name.rsplit('/').first == op.name ? ""
                                              : op.name.rsplit('/').first.str();
}

void GraphWriter::addArguments() {
  // Arguments of blocks belong to the function that names them.
  for (auto [i, value] : llvm::enumerate(view.values)) {
    if (value.op >= 0 || value.isResult() || value.copy > 1)
      continue;
    StringRef function = view.entry, name = value.name;
    if (name.consume_front("@"))
      std::tie(function, name) = name.split(':');
    if (!value.source.empty())
      name = value.source;
    nodes[function].push_back(
        Object{{"id", idOfValue(int64_t(i))},
               {"label", jsonText(name)},
               {"namespace", value.argument >= 0 ? "arguments" : ""},
               {"attrs", attributes(value)},
               {"outputsMetadata",
                Array{Object{{"id", "0"}, {"attrs", attributes(value)}}}},
               {"incomingEdges", Array()}});
  }
}

void GraphWriter::addOp(int64_t number) {
  const DocumentView::Op &op = view.ops[size_t(number)];
  StringRef label = op.op;
  for (StringRef dialect : {"stablehlo.", "sdy.", "func.", "chlo."})
    label.consume_front(dialect);
  Array edges, outputs, attrs{attribute("op", op.op)};
  if (!op.name.empty())
    attrs.push_back(attribute("name", op.name));
  if (!op.where.empty())
    attrs.push_back(attribute("where", op.where));
  for (auto [i, operand] : llvm::enumerate(op.operands))
    if (operand >= 0)
      edges.push_back(edge(operand, i));
  for (auto [i, result] : llvm::enumerate(op.results)) {
    if (result < 0)
      continue;
    const DocumentView::Value &value = view.values[size_t(result)];
    outputs.push_back(
        Object{{"id", std::to_string(i)}, {"attrs", attributes(value)}});
    if (i == 0)
      for (llvm::json::Value &one : attributes(value))
        attrs.push_back(std::move(one));
  }
  nodes[op.function].push_back(Object{{"id", idOfOp(number)},
                                      {"label", jsonText(label)},
                                      {"namespace", jsonText(namespaceOf(op))},
                                      {"attrs", std::move(attrs)},
                                      {"outputsMetadata", std::move(outputs)},
                                      {"incomingEdges", std::move(edges)}});
}

void GraphWriter::addResults() {
  std::map<int64_t, int64_t> returned;
  for (auto [i, value] : llvm::enumerate(view.values))
    if (!value.isResult())
      for (int64_t result : value.resultOf)
        returned.try_emplace(result, int64_t(i));
  for (auto [i, value] : llvm::enumerate(view.values)) {
    if (!value.isResult() || value.resultOf.empty())
      continue;
    Array edges;
    if (auto it = returned.find(value.resultOf.front()); it != returned.end())
      edges.push_back(edge(it->second, 0));
    nodes[view.entry].push_back(Object{{"id", idOfValue(int64_t(i))},
                                       {"label", jsonText(value.name)},
                                       {"namespace", "results"},
                                       {"attrs", attributes(value)},
                                       {"outputsMetadata", Array()},
                                       {"incomingEdges", std::move(edges)}});
  }
}

Object GraphWriter::write() {
  nodes.insert({view.entry, Array()}); // the first graph is shown
  for (const DocumentView::Op &op : view.ops)
    for (auto [i, result] : llvm::enumerate(op.results))
      if (result >= 0)
        outputOf[size_t(result)] = int64_t(i);
  addArguments();
  for (size_t op = 0; op < view.ops.size(); ++op)
    addOp(int64_t(op));
  addResults();
  Array graphs;
  for (auto &[function, list] : nodes)
    graphs.push_back(
        Object{{"id", jsonText(function)}, {"nodes", std::move(list)}});
  return Object{{"label", jsonText(view.title)}, {"graphs", std::move(graphs)}};
}

} // namespace

Object modelExplorerGraphs(const DocumentView &view) {
  return GraphWriter(view).write();
}

} // namespace shardwright

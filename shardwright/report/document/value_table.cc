//===- value_table.cc - values and reasons of a report document -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/document/value_table.h"

#include "shardwright/report/explain/reason_paths.h"
#include "shardwright/report/type_text.h"
#include "shardwright/support/sort_by.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace shardwright {

using llvm::json::Array;
using llvm::json::Object;

ValueTable::ValueTable(const UserValues &user, const UserOps &ops,
                       Explainer &explainer, TypeRange results,
                       ArrayRef<WholeValue> whole, StringTable &strings)
    : user(user), ops(ops), explainer(explainer), resultTypes(results),
      strings(strings), given(explainer.annotations()) {
  addRows();
  setFlags(whole);
  numberPaths();
  // In program order of the ops.
  for (const Row &row : rows)
    for (ArrayRef<int32_t> list : {row.indexed.stops, row.indexed.ahead})
      for (int32_t stop : list)
        stopNumbers.try_emplace(stop, 0);
  for (auto [number, stop] : llvm::enumerate(stopNumbers))
    stop.second = int64_t(number);
}

/// Numbers the steps that paths of the rows have, in the order of propagation.
/// Origins without steps come first.
void ValueTable::numberPaths() {
  const std::vector<PathRow> &paths = explainer.paths().rows();
  arrivalNumbers.assign(paths.size(), -1);
  for (const Row &row : rows)
    for (const IndexedValue::Axis &axis : row.indexed.axes)
      for (int32_t i = axis.row; i >= 0 && arrivalNumbers[i] < 0;
           i = paths[i].next)
        arrivalNumbers[i] = 0;
  for (size_t i = 0; i < paths.size(); ++i)
    if (arrivalNumbers[i] == 0)
      pathOrder.push_back(int32_t(i));
  sortBy(pathOrder, [&](int32_t i) { return paths[i].arrival; });
  for (auto [number, i] : llvm::enumerate(pathOrder))
    arrivalNumbers[i] = int64_t(number);
}

void ValueTable::addShapes(Row &row, Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  row.bytes = row.localBytes = tensorBytes(type);
  row.local = row.indexed.value.type;
  if (!tensor || !tensor.hasStaticShape() ||
      row.indexed.sharding.rank() != tensor.getRank())
    return;
  auto local =
      tensor.clone(localShape(tensor.getShape(), row.indexed.sharding));
  row.local = typeText(local);
  row.localBytes = tensorBytes(local);
}

void ValueTable::addRows() {
  auto add = [&](IndexedValue indexed, int32_t id, int32_t result, Type type) {
    auto number = int64_t(rows.size());
    if (indexed.place != kNoPlace)
      rowOfPlaces.try_emplace(indexed.place, number);
    Row &row = rows.emplace_back();
    row.indexed = std::move(indexed);
    row.id = id;
    row.result = result;
    addShapes(row, type);
  };
  firstRow.reserve(user.all().size());
  for (auto [id, value] : llvm::enumerate(user.all())) {
    firstRow.push_back(int64_t(rows.size()));
    std::vector<IndexedValue> copies = explainer.indexValue(int32_t(id));
    if (value.argument >= 0) {
      argumentIds.resize(
          std::max(argumentIds.size(), size_t(value.argument) + 1), -1);
      argumentIds[value.argument] = int32_t(id);
    }
    // Copies of equal sharding share the row of the first one.
    llvm::StringMap<int64_t> rowOfSharding;
    for (IndexedValue &copy : copies) {
      auto [it, isNew] =
          rowOfSharding.try_emplace(copy.value.sharding, int64_t(rows.size()));
      if (isNew) {
        add(std::move(copy), int32_t(id), -1, value.type);
        continue;
      }
      ++rows[it->second].copies;
      if (copy.place != kNoPlace)
        rowOfPlaces.try_emplace(copy.place, it->second);
    }
    if (!copies.empty())
      continue;
    IndexedValue removed;
    removed.value.name = value.uniqueName();
    removed.value.sourceName = value.sourceName;
    removed.value.function = value.function;
    removed.value.type = typeText(value.type);
    add(std::move(removed), int32_t(id), -1, value.type);
    rows.back().flags = Removed;
  }
  firstResult = int64_t(rows.size());
  for (unsigned i = 0; i < explainer.numResults(); ++i) {
    add(explainer.indexResult(i), -1, int32_t(i), resultTypes[i]);
    rows.back().flags = IsResult;
  }
}

void ValueTable::setFlags(ArrayRef<WholeValue> whole) {
  for (Row &row : rows)
    for (int32_t stop : row.indexed.stops) {
      Obstacle obstacle = explainer.reasons().stops()[stop].obstacle;
      if (obstacle == Obstacle::Conflict || obstacle == Obstacle::Taken)
        row.flags |= Conflicted;
    }
  auto mark = [&](int64_t row, int64_t flag) {
    int32_t id = rows[row].id;
    rows[row].flags |= flag;
    for (size_t copy = size_t(row) + 1;
         id >= 0 && copy < rows.size() && rows[copy].id == id; ++copy)
      rows[copy].flags |= flag;
  };
  for (const Explainer::Given &one : given)
    mark(one.value >= 0 ? rowOfValue(one.value) : rowOfResult(one.mainResult),
         Annotated);
  for (const WholeValue &one : whole)
    if (int64_t row = rowOf(one.value); row >= 0)
      mark(row, one.isGathered ? Gathered : FullSize);
}

int64_t ValueTable::rowOf(const NamedValue &value) const {
  return value.mainResult >= 0 ? rowOfResult(value.mainResult)
                               : rowOfValue(value.id);
}

int64_t ValueTable::rowOfPlace(PlaceId place) const {
  if (place == kNoPlace)
    return -1;
  auto it = rowOfPlaces.find(place);
  return it != rowOfPlaces.end() ? it->second
                                 : rowOfValue(explainer.valueOf(place));
}

Object ValueTable::values() {
  auto numbersOf = [&](ArrayRef<int32_t> stops) {
    Array list;
    for (int32_t stop : stops)
      list.push_back(stopNumbers.at(stop));
    return list;
  };
  Array name, source, type, local, sharding, bytes, localBytes, op, argument,
      result, copy, copies, flags, why, stopLists, aheadLists;
  std::vector<std::vector<int64_t>> isResult(rows.size());
  for (auto [i, id] : llvm::enumerate(ops.returned()))
    if (int64_t row = rowOfValue(id); row >= 0)
      isResult[row].push_back(int64_t(i));
  for (auto [number, row] : llvm::enumerate(rows)) {
    if (row.result >= 0)
      isResult[number].push_back(row.result);
    const ExplainedValue &value = row.indexed.value;
    name.push_back(strings.add(value.name));
    source.push_back(strings.add(value.sourceName));
    type.push_back(strings.add(value.type));
    local.push_back(strings.add(row.local));
    sharding.push_back(strings.add(value.sharding));
    bytes.push_back(row.bytes);
    localBytes.push_back(row.localBytes);
    op.push_back(ops.opOfValue(row.id));
    argument.push_back(row.id < 0 ? -1 : user.all()[row.id].argument);
    result.push_back(Array(isResult[number]));
    copy.push_back(value.copy);
    copies.push_back(row.copies);
    flags.push_back(row.flags);
    Array axes;
    for (const IndexedValue::Axis &axis : row.indexed.axes)
      axes.push_back(
          Array{axis.dim, strings.add(axis.axis), arrivalNumbers[axis.row]});
    why.push_back(std::move(axes));
    stopLists.push_back(numbersOf(row.indexed.stops));
    aheadLists.push_back(numbersOf(row.indexed.ahead));
  }
  return Object{{"name", std::move(name)},
                {"source", std::move(source)},
                {"type", std::move(type)},
                {"local", std::move(local)},
                {"sharding", std::move(sharding)},
                {"bytes", std::move(bytes)},
                {"local_bytes", std::move(localBytes)},
                {"op", std::move(op)},
                {"argument", std::move(argument)},
                {"result", std::move(result)},
                {"copy", std::move(copy)},
                {"copies", std::move(copies)},
                {"flags", std::move(flags)},
                {"why", std::move(why)},
                {"stops", std::move(stopLists)},
                {"ahead", std::move(aheadLists)}};
}

Object ValueTable::arrivals() {
  const ReasonPaths &paths = explainer.paths();
  Array value, dim, axis, from, fromDim, op, factor, kind, opPriority,
      userPriority, where, valueName, next, origin, originValue, originDim,
      originWhere;
  for (int32_t i : pathOrder) {
    const PathRow &row = paths.rows()[i];
    const PathOrigin *end =
        row.origin < 0 ? nullptr : &paths.origins()[row.origin];
    value.push_back(rowOfPlace(row.place));
    dim.push_back(row.step.dim);
    axis.push_back(strings.add(row.axis));
    valueName.push_back(strings.add(row.step.value));
    const PathRow *before = row.next < 0 ? nullptr : &paths.rows()[row.next];
    from.push_back(before ? rowOfPlace(before->place) : -1);
    fromDim.push_back(before ? before->step.dim : -1);
    op.push_back(strings.add(row.step.op));
    factor.push_back(strings.add(row.step.factor));
    kind.push_back(strings.add(row.step.factorKind));
    opPriority.push_back(row.step.opPriority);
    userPriority.push_back(row.step.userPriority);
    where.push_back(strings.add(row.step.where));
    next.push_back(row.next < 0 ? -1 : arrivalNumbers[row.next]);
    origin.push_back(strings.add(end ? end->how : ""));
    originValue.push_back(strings.add(end ? end->value : ""));
    originDim.push_back(end ? end->dim : -1);
    originWhere.push_back(strings.add(end ? end->where : ""));
  }
  return Object{{"value", std::move(value)},
                {"dim", std::move(dim)},
                {"axis", std::move(axis)},
                {"value_name", std::move(valueName)},
                {"from", std::move(from)},
                {"from_dim", std::move(fromDim)},
                {"op", std::move(op)},
                {"factor", std::move(factor)},
                {"kind", std::move(kind)},
                {"op_priority", std::move(opPriority)},
                {"user_priority", std::move(userPriority)},
                {"where", std::move(where)},
                {"next", std::move(next)},
                {"origin", std::move(origin)},
                {"origin_value", std::move(originValue)},
                {"origin_dim", std::move(originDim)},
                {"origin_where", std::move(originWhere)}};
}

Array ValueTable::stops(size_t mostTrials) {
  ArrayRef<AxisStop> stops = explainer.reasons().stops();
  // Suggestions for the obstacles at the largest values, which rows refer to.
  std::vector<std::pair<int64_t, int32_t>> ranked;
  for (const Row &row : rows)
    for (int32_t stop : row.indexed.stops)
      ranked.push_back({-row.bytes, stop});
  llvm::sort(ranked);
  llvm::DenseSet<int32_t> tried;
  for (const auto &[bytes, stop] : ranked)
    if (tried.size() < mostTrials)
      tried.insert(stop);
  Array list;
  for (const auto &[i, number] : stopNumbers) {
    ExplainedStop explained = explainer.explainStop(i, tried.contains(i));
    llvm::json::Value json = toJson(explained);
    Object &object = *json.getAsObject();
    object["value"] = rowOfPlace(stops[i].target);
    if (!explained.suggestion)
      object["suggestion"] = nullptr;
    list.push_back(std::move(json));
  }
  return list;
}

Array ValueTable::notes() const {
  Array list;
  for (auto [i, row] : llvm::enumerate(rows))
    for (const std::string &note : row.indexed.value.notes)
      list.push_back(Array{int64_t(i), jsonText(note)});
  return list;
}

Object ValueTable::annotations() {
  Array value, sharding, kind, where;
  for (const Explainer::Given &one : given) {
    value.push_back(one.value >= 0 ? rowOfValue(one.value)
                                   : rowOfResult(one.mainResult));
    sharding.push_back(strings.add(one.sharding));
    kind.push_back(strings.add(one.kind));
    where.push_back(strings.add(one.where));
  }
  return Object{{"value", std::move(value)},
                {"sharding", std::move(sharding)},
                {"kind", std::move(kind)},
                {"where", std::move(where)}};
}

void ValueTable::write(Object &document, size_t mostTrials) {
  document["values"] = values();
  document["arrivals"] = arrivals();
  document["stops"] = stops(mostTrials);
  document["notes"] = notes();
  document["annotations"] = annotations();
}

} // namespace shardwright

//===- program_model.cc - classes of values and ops of a program ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/program_model.h"

#include "shardwright/auto/assign/inlined_values.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/trip_count.h"
#include "shardwright/rules/rule_interface.h"
#include "shardwright/support/id_map.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {
namespace {

class ProgramReader {
public:
  ProgramReader(const PlannerInput &input, OpCosts &costs)
      : input(input), module(input.module), main(sdy::getMainFunc(module)),
        costs(costs), values(module), numberOfValue(values.size(), kUnknown) {}

  ProgramModel read();

private:
  /// Numbers of values before those that have one layout are joined.
  int32_t numberOf(Value value);
  int32_t newNumber(RankedTensorType type);
  int32_t find(int32_t number);
  void join(int32_t a, int32_t b) {
    a = find(a), b = find(b);
    parent[std::max(a, b)] = std::min(a, b);
  }
  void count(ValueRange values, double times) {
    for (Value value : values)
      if (int32_t n = numberOf(value); n >= 0)
        raw[n].count += times;
  }
  void readBlock(Block &block, double times);
  void readOp(Operation *op, double times);
  void addOp(Operation *op, double times);
  void addLoop(stablehlo::WhileOp op, double times);
  void addBranches(Operation *op, double times);
  void addCall(func::CallOp call, double times);
  void addEdge(ArrayRef<Value> values, ArrayRef<Value> sources);
  EdgeClass &edgeOf(int32_t value) {
    EdgeClass &edge = edges[value];
    if (edge.values.empty())
      edge.values.push_back(value);
    return edge;
  }
  void readSites();
  void readResults();
  void readGiven(Value value, int32_t number);
  void finish(ProgramModel &model);

  const PlannerInput &input;
  ModuleOp module;
  func::FuncOp main;
  OpCosts &costs;
  std::vector<ValueClass> raw;
  std::vector<int32_t> parent;
  InlinedValues values;
  const InlinedValues::Run *run = &values.getMain();
  /// By value without calls.
  static constexpr int32_t kUnknown = -2;
  std::vector<int32_t> numberOfValue;
  llvm::DenseMap<uint64_t, int32_t> numberOfKey, opOfKey;
  /// The groups of inner values.
  llvm::DenseMap<Value, int32_t> groupOf;
  IdMap<int32_t> numberOfGroup;
  std::vector<OpClass> ops;
  /// By the first of the values.
  llvm::MapVector<int32_t, EdgeClass> edges;
  std::vector<SmallVector<int32_t, 1>> siteNumbers;
  int64_t numOps = 0;
};

} // namespace

/// True if the value is made anew in any layout.
static bool isRematerializable(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<stablehlo::ConstantOp, stablehlo::IotaOp, sdy::ConstantOp>(op))
    return true;
  // Of a scalar.
  auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op);
  auto type = broadcast
                  ? dyn_cast<RankedTensorType>(broadcast.getOperand().getType())
                  : RankedTensorType();
  return type && type.getRank() == 0;
}

int32_t ProgramReader::find(int32_t number) {
  while (parent[number] != number)
    number = parent[number] = parent[parent[number]];
  return number;
}

int32_t ProgramReader::newNumber(RankedTensorType type) {
  ValueClass &made = raw.emplace_back();
  made.type = type;
  made.bytes = bytesOf(type);
  parent.push_back(int32_t(raw.size()) - 1);
  return parent.back();
}

int32_t ProgramReader::numberOf(Value used) {
  int32_t inlined = run->numbers.at(used);
  if (numberOfValue[inlined] != kUnknown)
    return numberOfValue[inlined];
  numberOfValue[inlined] = -1;
  Value value = values.valueOf(inlined);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || isRematerializable(value))
    return -1;
  uint64_t key =
      llvm::hash_combine(values.signatureOf(inlined), mlir::hash_value(type));
  // Values with annotations are no equals of others.
  if (sdy::TensorShardingAttr given = sdy::getSharding(value))
    key = llvm::hash_combine(key, given);
  auto [known, isNewKey] = numberOfKey.try_emplace(key, -1);
  if (isNewKey) {
    known->second = newNumber(type);
    readGiven(value, known->second);
  }
  int32_t number = numberOfValue[inlined] = known->second;
  if (auto group = groupOf.find(value); group != groupOf.end())
    if (auto &list = siteNumbers[group->second];
        !llvm::is_contained(list, number))
      list.push_back(number);
  return number;
}

void ProgramReader::readGiven(Value value, int32_t number) {
  sdy::TensorShardingAttr given = sdy::getSharding(value);
  if (!given)
    return;
  sdy::MeshAttr mesh = sdy::getMeshAttr(module, given.getMeshOrRef());
  if (mesh && sdy::meshFromAttr(mesh) == input.mesh)
    raw[number].given = sdy::shardingFromAttr(given, input.mesh);
  else
    raw[number].isReplicated = true;
}

void ProgramReader::addEdge(ArrayRef<Value> values, ArrayRef<Value> sources) {
  int32_t first = numberOf(values.front());
  if (first < 0)
    return;
  EdgeClass &edge = edgeOf(first);
  auto note = [](SmallVector<int32_t, 2> &list, int32_t number) {
    if (number >= 0 && !llvm::is_contained(list, number))
      list.push_back(number);
  };
  for (Value value : values)
    note(edge.values, numberOf(value));
  for (Value source : sources)
    note(edge.sources, numberOf(source));
}

void ProgramReader::addLoop(stablehlo::WhileOp op, double times) {
  double trips = times * double(knownTripCount(op).value_or(1));
  Block &cond = op.getCond().front(), &body = op.getBody().front();
  Operation *end = body.getTerminator();
  for (Region &region : op->getRegions()) {
    count(region.front().getArguments(), trips);
    readBlock(region.front(), trips);
  }
  // What the body returns has its number now.
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    addEdge({body.getArgument(i), cond.getArgument(i), op->getResult(i)},
            {op->getOperand(i), end->getOperand(i)});
  count(op->getResults(), times);
}

void ProgramReader::addBranches(Operation *op, double times) {
  for (Region &region : op->getRegions())
    if (!region.empty())
      readBlock(region.front(), times);
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    SmallVector<Value> sources;
    for (Region &region : op->getRegions())
      if (!region.empty())
        sources.push_back(region.front().getTerminator()->getOperand(i));
    addEdge(Value(op->getResult(i)), sources);
  }
  count(op->getResults(), times);
}

void ProgramReader::addCall(func::CallOp call, double times) {
  auto inner = run->calls.find(call);
  if (inner == run->calls.end())
    return count(call->getResults(), times);
  const InlinedValues::Run *outer = std::exchange(run, inner->second.get());
  readBlock(*run->body, times);
  run = outer;
}

void ProgramReader::addOp(Operation *op, double times) {
  uint64_t key = op->getNumResults()
                     ? values.signatureOf(run->numbers.at(op->getResult(0)))
                     : uint64_t(reinterpret_cast<uintptr_t>(op));
  for (Value result : op->getResults())
    if (int32_t number = numberOf(result); number >= 0)
      key = llvm::hash_combine(key, number);
  auto [it, isNew] = opOfKey.try_emplace(key, int32_t(ops.size()));
  if (isNew) {
    OpClass &made = ops.emplace_back();
    made.operands.resize(op->getNumOperands());
    for (Value result : op->getResults())
      made.results.push_back(numberOf(result));
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
      made.op.op = op;
      auto read = [&](sdy::TensorShardingAttr attr) {
        return sdy::shardingFromAttr(attr, input.mesh);
      };
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        made.fixedOperands.push_back(read(manual.getInSharding(i)));
      for (unsigned i = 0; i < op->getNumResults(); ++i)
        made.fixedResults.push_back(read(manual.getOutSharding(i)));
    } else {
      made.op = ShardedOp::read(op, costs);
    }
  }
  OpClass &cls = ops[it->second];
  cls.count += times;
  for (auto [list, operand] : llvm::zip(cls.operands, op->getOperands())) {
    int32_t number = numberOf(operand);
    if (number >= 0 && !llvm::is_contained(list, number))
      list.push_back(number);
  }
}

void ProgramReader::readOp(Operation *op, double times) {
  ++numOps;
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    return addLoop(loop, times);
  if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op))
    return addBranches(op, times);
  if (auto call = dyn_cast<func::CallOp>(op))
    return addCall(call, times);
  if (auto group = dyn_cast<sdy::ShardingGroupOp>(op)) {
    int32_t number = numberOf(group.getInput());
    if (number < 0)
      return;
    auto [it, isNew] = numberOfGroup.try_emplace(group.getGroupId(), number);
    if (!isNew && raw[number].type == raw[it->second].type)
      join(number, it->second);
    return;
  }
  if (op->getNumResults() > 0 &&
      llvm::all_of(op->getResults(), isRematerializable))
    return;
  count(op->getResults(), times);
  if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::PropagationBarrierOp,
          stablehlo::OptimizationBarrierOp>(op)) {
    for (auto [result, operand] :
         llvm::zip(op->getResults(), op->getOperands()))
      addEdge(Value(result), operand);
    return;
  }
  addOp(op, times);
}

void ProgramReader::readBlock(Block &block, double times) {
  for (Operation &op : block.without_terminator())
    readOp(&op, times);
}

void ProgramReader::readSites() {
  llvm::DenseSet<Value> isSite;
  siteNumbers.resize(input.groups.size());
  for (auto [g, group] : llvm::enumerate(input.groups)) {
    if (group.isInner) {
      for (Value value : group.values)
        groupOf[value] = int32_t(g);
      continue;
    }
    int32_t number = -1;
    for (Value value : group.values) {
      int32_t own = numberOf(value);
      if (own >= 0 && number >= 0)
        join(number, own);
      number = number >= 0 ? number : own;
      isSite.insert(value);
    }
    if (number < 0)
      number = newNumber(group.type);
    siteNumbers[g].push_back(number);
    ValueClass &value = raw[number];
    value.isAtBorder = true;
    value.isArgument = !group.values.empty();
    if (group.given)
      value.given = group.given;
    value.count +=
        double(value.isArgument ? group.values.size() : group.results.size());
    edgeOf(number);
  }
  // Other arguments of @main: scalars, and what is in the host's memory.
  for (BlockArgument argument : main.getArguments()) {
    int32_t number = numberOf(argument);
    if (number < 0 || isSite.contains(argument))
      continue;
    edgeOf(number);
    raw[number].isReplicated = true;
    raw[number].isArgument = true;
  }
}

void ProgramReader::readResults() {
  Operation *end = main.getBody().front().getTerminator();
  for (auto [numbers, group] : llvm::zip(siteNumbers, input.groups)) {
    if (group.isInner)
      continue;
    EdgeClass &edge = edgeOf(numbers.front());
    for (int32_t result : group.results) {
      int32_t source = numberOf(end->getOperand(result));
      if (source >= 0 && !llvm::is_contained(edge.sources, source))
        edge.sources.push_back(source);
    }
  }
  // Other results: scalars. They are complete and replicated.
  llvm::DenseSet<int32_t> isResult;
  for (const SiteGroup &group : input.groups)
    isResult.insert(group.results.begin(), group.results.end());
  for (auto [i, returned] : llvm::enumerate(end->getOperands())) {
    int32_t source = numberOf(returned);
    if (source < 0 || isResult.contains(int32_t(i)))
      continue;
    int32_t number = newNumber(raw[source].type);
    raw[number].isReplicated = true;
    edgeOf(number).sources.push_back(source);
  }
}

void ProgramReader::finish(ProgramModel &model) {
  std::vector<int32_t> classes(raw.size(), -1);
  for (size_t n = 0; n < raw.size(); ++n) {
    int32_t root = find(int32_t(n));
    if (classes[root] < 0) {
      classes[root] = int32_t(model.values.size());
      model.values.push_back(raw[root]);
      model.values.back().count = 0;
    }
    classes[n] = classes[root];
    ValueClass &cls = model.values[classes[n]];
    cls.count += raw[n].count;
    cls.isAtBorder |= raw[n].isAtBorder;
    cls.isArgument |= raw[n].isArgument;
    cls.isReplicated |= raw[n].isReplicated;
    if (raw[n].given)
      cls.given = raw[n].given;
  }
  auto renumber = [&](auto &list) {
    for (int32_t &number : list)
      number = number >= 0 ? classes[number] : -1;
  };
  auto unique = [](auto &list) {
    llvm::sort(list);
    list.erase(llvm::unique(list), list.end());
  };
  model.ops = std::move(ops);
  for (OpClass &op : model.ops) {
    renumber(op.results);
    for (auto &list : op.operands) {
      renumber(list);
      unique(list);
    }
  }
  for (auto &[number, edge] : edges) {
    renumber(edge.values);
    renumber(edge.sources);
    unique(edge.values);
    unique(edge.sources);
    model.edges.push_back(std::move(edge));
  }
  for (auto &list : siteNumbers) {
    renumber(list);
    unique(list);
  }
  model.classesOfGroup = std::move(siteNumbers);
  for (auto [value, inlined] : values.getMain().numbers)
    if (int32_t number = numberOfValue[inlined]; number >= 0)
      model.classOf[value] = classes[number];
  model.numOps = numOps;
}

ProgramModel ProgramReader::read() {
  readSites();
  readBlock(main.getBody().front(), 1);
  readResults();
  ProgramModel model;
  finish(model);
  return model;
}

ProgramModel readProgram(const PlannerInput &input, OpCosts &costs) {
  return ProgramReader(input, costs).read();
}

} // namespace shardwright

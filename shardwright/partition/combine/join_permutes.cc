//===- join_permutes.cc - merge permutes ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Greedy, in program order: each permute is merged into the first one that
// accepts it. Pass 1 merges permutes that send the same value to different
// devices, which is free; pass 2 permutes of equal pairs, whose values are
// packed into one message; pass 3 permutes of different values, among which
// each device selects; pass 4 permutes whose pairs have become equal.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/combine/join_permutes.h"

#include "shardwright/backend/device.h"
#include "shardwright/partition/combine/join_collectives.h"
#include "shardwright/partition/cost/cost_model.h"
#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"

using namespace mlir;

namespace shardwright {

/// Number of earlier permutes that are tried.
constexpr size_t kMostLookedAt = 32;
/// With more pairs, the table of who sends in which permute gets too large.
constexpr int64_t kMostPairs = 4096;

/// Equal attributes are one object, so most equal lists have one address.
static bool haveEqualPairs(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && (a.data() == b.data() || a == b);
}

ArrayRef<int64_t> JoinedPermutes::own(std::vector<int64_t> pairs) {
  return ownPairs.emplace_back(std::move(pairs));
}

JoinedPermutes::JoinedPermutes(
    ArrayRef<stablehlo::CollectivePermuteOp> permutes, double mostBytes) {
  for (stablehlo::CollectivePermuteOp op : permutes) {
    Node node;
    node.op = op;
    DenseIntElementsAttr pairs = op.getSourceTargetPairs();
    auto each = pairs.getValues<int64_t>();
    if (pairs.isSplat() || pairs.empty())
      node.pairs = own({each.begin(), each.end()});
    else
      node.pairs = ArrayRef(&*each.begin(), each.size());
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    node.element = type.getElementType();
    node.elements = type.getNumElements();
    node.value = op->getOperand(0);
    node.restUnused = op->hasAttr(kRestUnusedAttrName);
    auto channel = op.getChannelHandle();
    node.isAcrossPartitions = channel && *channel && channel->getHandle() > 0;
    roots.push_back(nodes.size());
    nodes.push_back(std::move(node));
  }
  auto fits = [](const Node &a, const Node &b) {
    return a.element == b.element &&
           a.isAcrossPartitions == b.isAcrossPartitions;
  };
  auto isSmall = [&](const Node &a, const Node &b) {
    return bytes(a) + bytes(b) <= mostBytes;
  };
  auto fitOneMessage = [&](const Node &a, const Node &b) {
    return fits(a, b) && isSmall(a, b) && haveEqualPairs(a.pairs, b.pairs);
  };
  join(Node::Union, [&](const Node &a, const Node &b) {
    return fits(a, b) && a.value && a.value == b.value && areDisjoint(a, b);
  });
  join(Node::Message, fitOneMessage);
  join(Node::Union, [&](const Node &a, const Node &b) {
    return fits(a, b) && a.elements == b.elements && isSmall(a, b) &&
           areDisjoint(a, b);
  });
  join(Node::Message, fitOneMessage);
}

double JoinedPermutes::bytes(const Node &node) const {
  return double(node.elements) *
         elementBytes(RankedTensorType::get({}, node.element));
}

/// True if no device sends or receives in both. Requires that device ids are
/// partition ids, and that a table of the devices fits in memory.
bool JoinedPermutes::areDisjoint(const Node &a, const Node &b) const {
  if (!a.isAcrossPartitions || !identityElement(ReducerKind::Add, a.element) ||
      int64_t(a.pairs.size() + b.pairs.size()) > 2 * kMostPairs)
    return false;
  auto isDevice = [](int64_t id) { return id >= 0 && id < kMaxDevices; };
  if (!llvm::all_of(a.pairs, isDevice) || !llvm::all_of(b.pairs, isDevice))
    return false;
  llvm::DenseSet<int64_t> sources, targets;
  for (const Node *node : {&a, &b})
    for (size_t i = 0; i < node->pairs.size(); i += 2)
      if (!sources.insert(node->pairs[i]).second ||
          !targets.insert(node->pairs[i + 1]).second)
        return false;
  return true;
}

void JoinedPermutes::join(Node::Kind kind, Joinable joinable) {
  SmallVector<int32_t> old = std::move(roots);
  roots.clear();
  for (int32_t id : old) {
    auto recent = MutableArrayRef<int32_t>(roots).take_back(kMostLookedAt);
    auto found = llvm::find_if(
        recent, [&](int32_t root) { return joinable(nodes[root], nodes[id]); });
    if (found == recent.end()) {
      roots.push_back(id);
      continue;
    }
    int32_t into = *found;
    if (nodes[into].kind != kind) {
      Node outer;
      outer.kind = kind;
      outer.parts.push_back(into);
      outer.pairs = nodes[into].pairs;
      outer.element = nodes[into].element;
      outer.elements = nodes[into].elements;
      if (kind == Node::Union)
        outer.value = nodes[into].value;
      outer.restUnused = nodes[into].restUnused;
      outer.isAcrossPartitions = nodes[into].isAcrossPartitions;
      into = nodes.size();
      nodes.push_back(std::move(outer));
      *found = into;
    }
    Node &outer = nodes[into];
    const Node &part = nodes[id];
    outer.parts.push_back(id);
    outer.restUnused &= part.restUnused;
    if (kind == Node::Message) {
      outer.elements += part.elements;
      continue;
    }
    if (outer.value != part.value)
      outer.value = {};
    // Sort by source, so that equal lists compare equal.
    SmallVector<std::pair<int64_t, int64_t>> sorted;
    for (ArrayRef<int64_t> pairs : {outer.pairs, part.pairs})
      for (size_t i = 0; i < pairs.size(); i += 2)
        sorted.push_back({pairs[i], pairs[i + 1]});
    llvm::sort(sorted);
    std::vector<int64_t> pairs;
    for (auto [source, target] : sorted)
      pairs.insert(pairs.end(), {source, target});
    outer.pairs = own(std::move(pairs));
  }
}

stablehlo::CollectivePermuteOp JoinedPermutes::lastOf(int32_t node) const {
  stablehlo::CollectivePermuteOp last = nodes[node].op;
  for (int32_t part : nodes[node].parts)
    if (auto op = lastOf(part); !last || last->isBeforeInBlock(op))
      last = op;
  return last;
}

class JoinedPermutes::Builder {
public:
  Builder(JoinedPermutes &joined, func::FuncOp func, Operation *at,
          OpBuilder::Listener *listener)
      : joined(joined), func(func), b(at, listener) {}

  Value payload(int32_t node);
  void deliver(int32_t node, Value received);
  void collect(int32_t node, SmallVectorImpl<Operation *> &ops);

private:
  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  Value flat(Value value) {
    return shaped(value, typeOf(value).getNumElements());
  }
  Value shaped(Value value, ArrayRef<int64_t> shape) {
    auto type = typeOf(value).clone(shape);
    if (type == value.getType())
      return value;
    return stablehlo::ReshapeOp::create(b, value.getLoc(), type, value);
  }
  Value select(Value mask, Value yes, Value no) {
    return stablehlo::SelectOp::create(b, yes.getLoc(), yes.getType(), mask,
                                       yes, no);
  }
  /// True if this device sends (side 0) or receives (side 1) in the node's
  /// permute.
  Value takesPart(const Node &node, size_t side);

  JoinedPermutes &joined;
  func::FuncOp func;
  OpBuilder b;
};

Value JoinedPermutes::Builder::takesPart(const Node &node, size_t side) {
  Location loc = func.getLoc();
  // Devices with an id beyond the table read its last entry, so add one entry.
  int64_t most = 0;
  for (int64_t id : node.pairs)
    most = std::max(most, id);
  SmallVector<bool> table(most + 2, false);
  for (size_t i = side; i < node.pairs.size(); i += 2)
    table[node.pairs[i]] = true;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&func.getBody().front());
  auto idType = RankedTensorType::get(
      {}, IntegerType::get(b.getContext(), 32, IntegerType::Unsigned));
  auto type = RankedTensorType::get({int64_t(table.size())}, b.getI1Type());
  Value id = stablehlo::PartitionIdOp::create(b, loc, idType);
  id = stablehlo::ConvertOp::create(
      b, loc, RankedTensorType::get({}, b.getI64Type()), id);
  Value all = stablehlo::ConstantOp::create(
      b, loc, type, DenseElementsAttr::get(type, ArrayRef<bool>(table)));
  Value one = stablehlo::DynamicSliceOp::create(
      b, loc, type.clone(ArrayRef<int64_t>{1}), all, ValueRange{id},
      ArrayRef<int64_t>{1});
  return stablehlo::ReshapeOp::create(
      b, loc, RankedTensorType::get({}, b.getI1Type()), one);
}

Value JoinedPermutes::Builder::payload(int32_t node) {
  // No nodes are added from here on, so references stay valid.
  const Node &n = joined.nodes[node];
  if (n.value)
    return n.value;
  SmallVector<Value> values;
  for (int32_t part : n.parts)
    values.push_back(payload(part));
  Location loc = b.getInsertionPoint()->getLoc();
  if (n.kind == Node::Message) {
    for (Value &value : values)
      value = flat(value);
    return stablehlo::ConcatenateOp::create(
        b, loc, typeOf(values.front()).clone(ArrayRef<int64_t>{n.elements}),
        values, 0);
  }
  if (!llvm::all_equal(
          llvm::map_range(values, [](Value value) { return value.getType(); })))
    for (Value &value : values)
      value = flat(value);
  Value sent = values.front();
  for (auto [part, value] : llvm::drop_begin(llvm::zip(n.parts, values)))
    if (value != sent)
      sent = select(takesPart(joined.nodes[part], 0), value, sent);
  return sent;
}

void JoinedPermutes::Builder::deliver(int32_t node, Value received) {
  const Node &n = joined.nodes[node];
  Location loc = received.getLoc();
  if (n.kind == Node::Leaf) {
    stablehlo::CollectivePermuteOp op = n.op;
    received = shaped(received, typeOf(op.getResult()).getShape());
    op.getResult().replaceAllUsesWith(received);
    return;
  }
  int64_t at = 0;
  for (int32_t part : n.parts) {
    const Node &p = joined.nodes[part];
    Value own = received;
    if (n.kind == Node::Message) {
      own = stablehlo::SliceOp::create(
          b, loc, typeOf(received).clone(ArrayRef<int64_t>{p.elements}),
          received, ArrayRef<int64_t>{at}, ArrayRef<int64_t>{at + p.elements},
          ArrayRef<int64_t>{1});
      at += p.elements;
    } else if (!p.restUnused) {
      // Devices that are no target of the pair list get zeros.
      auto type = typeOf(received);
      Value zero = stablehlo::ConstantOp::create(
          b, loc, type,
          splatOf(type, identityElement(ReducerKind::Add, p.element)));
      own = select(takesPart(p, 1), received, zero);
    }
    deliver(part, own);
  }
}

void JoinedPermutes::Builder::collect(int32_t node,
                                      SmallVectorImpl<Operation *> &ops) {
  if (joined.nodes[node].op)
    ops.push_back(joined.nodes[node].op);
  for (int32_t part : joined.nodes[node].parts)
    collect(part, ops);
}

void JoinedPermutes::build(func::FuncOp func, OpBuilder::Listener *listener) {
  for (int32_t root : roots) {
    const Node &node = nodes[root];
    if (node.kind == Node::Leaf)
      continue;
    stablehlo::CollectivePermuteOp last = lastOf(root);
    Builder builder(*this, func, last, listener);
    SmallVector<Operation *> ops;
    builder.collect(root, ops);
    SmallVector<Location> locations;
    for (Operation *op : ops)
      locations.push_back(op->getLoc());
    Value sent = builder.payload(root);
    OpBuilder b(last, listener);
    auto pairs = RankedTensorType::get({int64_t(node.pairs.size()) / 2, 2},
                                       b.getI64Type());
    auto permute = stablehlo::CollectivePermuteOp::create(
        b, FusedLoc::get(b.getContext(), locations), sent.getType(), sent,
        DenseIntElementsAttr::get(pairs, node.pairs),
        last.getChannelHandleAttr());
    builder.deliver(root, permute.getResult());
    for (Operation *op : ops)
      op->erase();
  }
}

} // namespace shardwright

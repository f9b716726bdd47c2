//===- async.cc - async_start, send, recv, infeed and outfeed -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/legalize/legalize.h"
#include "shardwright/support/id_map.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright::legalize {

namespace hlo = shardwright::stablehlo;

LogicalResult legalizeAsyncStart(hlo::AsyncStartOp op) {
  OpBuilder b(op);
  Block &body = op.getBody().front();
  if (body.getNumArguments() != op.getNumOperands())
    return op.emitError("its region should take the operands of the op");
  IRMapping map;
  map.map(body.getArguments(), op.getOperands());
  for (Operation &inner : body.without_terminator())
    b.clone(inner, map);
  SmallVector<Value> results;
  for (Value v : body.getTerminator()->getOperands())
    results.push_back(map.lookupOrDefault(v));
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto done = dyn_cast<hlo::AsyncDoneOp>(user);
    if (!done || done->getResultTypes() != TypeRange(ValueRange(results)))
      return user->emitError("a future may be used by the async_done of its "
                             "async_start only, with the same types");
    done->replaceAllUsesWith(results);
    done.erase();
  }
  op.erase();
  return success();
}

namespace {
struct Channel {
  hlo::SendOp send;
  hlo::RecvOp recv;
};
} // namespace

// Every device runs the send and the recv. As in a collective_permute, the
// sources of the pairs send, the targets receive, and all other devices get
// zeros.
static LogicalResult join(Channel channel) {
  hlo::SendOp send = channel.send;
  hlo::RecvOp recv = channel.recv;
  Operation *one = send ? send.getOperation() : recv.getOperation();
  if (!send || !recv || send->getBlock() != recv->getBlock())
    return one->emitError("requires the other end of its channel in the same "
                          "block: a send and a recv with one channel handle");
  DenseIntElementsAttr pairs = send.getSourceTargetPairsAttr(),
                       other = recv.getSourceTargetPairsAttr();
  if (!pairs || pairs != other)
    return recv.emitError("requires the source_target_pairs of its send");
  auto received = recv.getResults().drop_back();
  if (!llvm::equal(ValueRange(send.getInputs()).getTypes(),
                   received.getTypes()))
    return recv.emitError("requires the types of the operands of its send");
  Operation *last =
      recv->isBeforeInBlock(send) ? send.getOperation() : recv.getOperation();
  for (Operation *user : recv->getUsers()) {
    Operation *there = last->getBlock()->findAncestorOpInBlock(*user);
    if (there == last && there == send.getOperation())
      continue; // send uses the token of recv
    if (there && there->isBeforeInBlock(last))
      return recv.emitError("is used before its send: the devices would wait "
                            "for each other");
  }
  OpBuilder b(last);
  SmallVector<Value> values;
  for (Value v : send.getInputs())
    values.push_back(hlo::CollectivePermuteOp::create(
        b, send.getLoc(), v.getType(), v, pairs, send.getChannelHandleAttr()));
  for (Value v : values)
    if (v.getDefiningOp()->getOperand(0).getDefiningOp() == recv.getOperation())
      return recv.emitError("has a result that its own channel sends");
  for (auto [from, to] : llvm::zip_equal(received, values))
    from.replaceAllUsesWith(to);
  recv.getResults().back().replaceAllUsesWith(recv.getToken());
  send.getResult().replaceAllUsesWith(send.getToken());
  send.erase();
  recv.erase();
  return success();
}

void legalizeHostTransfer(Operation *op) {
  Builder b(op->getContext());
  NamedAttrList options;
  StringRef target;
  if (auto infeed = dyn_cast<hlo::InfeedOp>(op)) {
    target = "infeed";
    options.append("infeed_config", infeed.getInfeedConfigAttr());
  } else if (auto outfeed = dyn_cast<hlo::OutfeedOp>(op)) {
    target = "outfeed";
    options.append("outfeed_config", outfeed.getOutfeedConfigAttr());
  } else if (auto send = dyn_cast<hlo::SendOp>(op)) {
    target = "send";
    options.append("channel",
                   b.getI64IntegerAttr(send.getChannelHandle().getHandle()));
  } else {
    target = "recv";
    options.append("channel",
                   b.getI64IntegerAttr(
                       cast<hlo::RecvOp>(op).getChannelHandle().getHandle()));
  }
  OpBuilder at(op);
  OperationState state(op->getLoc(), hlo::CustomCallOp::getOperationName());
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addAttribute("call_target_name", b.getStringAttr(target));
  state.addAttribute("has_side_effect", b.getBoolAttr(true));
  // 4: a dictionary configuration
  state.addAttribute("api_version", b.getI32IntegerAttr(4));
  state.addAttribute("backend_config", options.getDictionary(b.getContext()));
  op->replaceAllUsesWith(at.create(state)->getResults());
  op->erase();
}

LogicalResult legalizeSends(func::FuncOp function) {
  OrderedIdMap<Channel> channels;
  WalkResult walked = function.walk([&](Operation *op) {
    auto send = dyn_cast<hlo::SendOp>(op);
    auto recv = dyn_cast<hlo::RecvOp>(op);
    if (!send && !recv)
      return WalkResult::advance();
    Channel &channel =
        channels[(send ? send.getChannelHandle() : recv.getChannelHandle())
                     .getHandle()];
    if (send ? bool(channel.send) : bool(channel.recv)) {
      op->emitError("shares its channel handle with another op of its kind");
      return WalkResult::interrupt();
    }
    if (send)
      channel.send = send;
    else
      channel.recv = recv;
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (auto &[handle, channel] : channels)
    if (failed(join(channel)))
      return failure();
  return success();
}

} // namespace shardwright::legalize

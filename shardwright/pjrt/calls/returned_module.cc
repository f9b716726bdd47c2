//===- returned_module.cc - a module from a custom partitioner ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/calls/returned_module.h"

#include "shardwright/compile/manual_call.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/interop/import_module.h"
#include "shardwright/interop/load_module.h"
#include "shardwright/partition/prepare/inline_calls.h"
#include "shardwright/pjrt/calls/host_callback.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace shardwright::pjrt {

LogicalResult ReturnedModule::read(StringRef bytes, TypeRange arguments,
                                   TypeRange results, int64_t devices) {
  module = readModule(
      llvm::MemoryBuffer::getMemBufferCopy(bytes, "custom_partitioning"),
      call->getContext(),
      kept.emplace_back(std::make_shared<llvm::SourceMgr>()), Trust::Full);
  if (!module || failed(importModule(*module)))
    return failure();
  pinCallbacks(*module);
  if (failed(inlineCalls(*module)))
    return failure();
  main = sdy::getMainFunc(*module);
  if (!main || main.isDeclaration() || !main.getBody().hasOneBlock())
    return emitError(call->getLoc()) << "INTERNAL: custom_partitioner: the "
                                        "module that it returned has no "
                                        "function 'main' of one block";
  auto check = [&](TypeRange have, TypeRange want,
                   const char *what) -> LogicalResult {
    if (have != want)
      return emitError(call->getLoc())
             << "INTERNAL: custom_partitioner: the module that it returned has "
             << what << " of types (" << have
             << "), expected those of the shards: (" << want << ")";
    return success();
  };
  if (failed(check(main.getArgumentTypes(), arguments, "arguments")) ||
      failed(check(main.getResultTypes(), results, "results")))
    return failure();
  // It has fewer devices if it was traced for another mesh.
  WalkResult found = main.walk([&](Operation *op) {
    auto groups = op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
    int64_t grouped = 0;
    if (groups)
      grouped = llvm::count_if(groups.getValues<APInt>(), [](const APInt &id) {
        return !id.isNegative();
      });
    if (grouped == 0 || grouped == devices)
      return WalkResult::advance();
    emitError(call->getLoc())
        << "INTERNAL: custom_partitioner: the groups of " << op->getName()
        << " hold " << grouped << " devices, expected the " << devices
        << " of the program: collectives number the devices of the whole mesh";
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

void ReturnedModule::moveInto(Block &block) {
  moveBody(*module, main, main.getBody().front(), call, block);
}

} // namespace shardwright::pjrt

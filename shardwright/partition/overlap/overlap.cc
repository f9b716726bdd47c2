//===- overlap.cc - overlap communication with compute --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/overlap.h"

#include "shardwright/partition/overlap/step_time.h"

#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace shardwright {

static constexpr llvm::StringLiteral kOverlapNames[] = {"off", "rings", "on",
                                                        "force"};

llvm::StringRef str(Overlap mode) { return kOverlapNames[size_t(mode)]; }

std::optional<Overlap> overlapFromName(llvm::StringRef name) {
  const auto *found = llvm::find(kOverlapNames, name);
  if (found == std::end(kOverlapNames))
    return std::nullopt;
  return Overlap(found - std::begin(kOverlapNames));
}

void overlapCommunication(ModuleOp local, Overlap mode,
                          const OverlapOptions &given) {
  OverlapOptions options = given;
  options.force |= mode == Overlap::Force;
  if (mode == Overlap::Off)
    return;
  if (mode != Overlap::On) {
    makeRingDots(local, options);
    if (mode == Overlap::Force)
      overlapCollectives(local, options);
    return;
  }
  // A ring hides a gather behind one dot, but the plain gather may hide behind
  // other ops. So compare both programs.
  OwningOpRef<ModuleOp> whole = local.clone();
  int64_t rings = makeRingDots(local, options);
  overlapCollectives(local, options);
  if (rings == 0)
    return;
  overlapCollectives(*whole, options);
  auto seconds = [&](ModuleOp module) {
    return predictStepTime(module, options.mesh, options.machine).total();
  };
  if (seconds(local) < seconds(*whole))
    return;
  Block &body = *local.getBody();
  while (!body.empty())
    body.back().erase();
  body.getOperations().splice(body.end(), whole->getBody()->getOperations());
}

} // namespace shardwright

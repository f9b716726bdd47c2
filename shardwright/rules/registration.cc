//===- registration.cc - register rules for all dialects ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"
#include "shardwright/rules/rule_interface.h"

using namespace mlir;
using namespace shardwright;

void shardwright::registerShardingRules(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StablehloDialect *) {
        attachElementwiseRules(*context);
        attachShapeRules(*context);
        attachContractionRules(*context);
        attachGatherScatterRules(*context);
        attachReductionRules(*context);
        attachCollectiveRules(*context);
        attachLinalgRules(*context);
        attachCustomCallRules(*context);
        attachSupersededRules(*context);
        attachDataFlowInterfaces(*context);
        attachRulelessOps(*context);
        attachMeshUsers(*context);
      });
  registry.addExtension(+[](MLIRContext *context, chlo::ChloDialect *) {
    attachChloRules(*context);
  });
  registry.addExtension(+[](MLIRContext *context, sdy::SdyDialect *) {
    attachSdyRules(*context);
  });
}

//===- gspmd_text.cc - modules in GSPMD's notation ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/tiling/gspmd_text.h"

#include "shardwright/frontend/jit/module_context.h"
#include "shardwright/interop/gspmd/export_gspmd.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

namespace shardwright::frontend {

Expected<std::string> gspmdText(const LoweredStage &lowered) {
  Expected<std::string> text = lowered.asText();
  if (!text)
    return text;
  ModuleContext &shared = moduleContext();
  std::lock_guard lock(shared.mutex);
  ErrorText errors(&shared.context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(*text, &shared.context);
  if (!module || failed(exportGspmd(*module)))
    return errors.error();
  std::string out;
  llvm::raw_string_ostream os(out);
  module->print(os);
  return out + "\n";
}

} // namespace shardwright::frontend

//===- save_module.cc - write a module into a dump folder ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/export/save_module.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright {

void saveModule(ModuleOp module, StringRef directory, StringRef name,
                int64_t index) {
  if (directory.empty())
    return;
  llvm::SmallString<128> path(directory);
  std::string file;
  llvm::raw_string_ostream(file)
      << llvm::format_decimal(index, 0) << "." << name << ".mlir";
  if (index < 10)
    file = "0" + file;
  llvm::sys::path::append(path, file);
  std::error_code error = llvm::sys::fs::create_directories(directory);
  if (!error) {
    llvm::raw_fd_ostream out(path, error);
    if (!error)
      module.print(out, OpPrintingFlags().enableDebugInfo(false));
  }
  if (error)
    module.emitWarning("cannot write ") << path << ": " << error.message();
}

namespace {

class SaveModulePass
    : public PassWrapper<SaveModulePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SaveModulePass)

  SaveModulePass(std::string directory, std::string name, int64_t index)
      : directory(std::move(directory)), name(std::move(name)), index(index) {}

  StringRef getName() const override { return "SaveModulePass"; }

  void runOnOperation() override {
    saveModule(getOperation(), directory, name, index);
  }

private:
  std::string directory, name;
  int64_t index;
};

} // namespace

std::unique_ptr<Pass> createSaveModulePass(std::string directory,
                                           std::string name, int64_t index) {
  return std::make_unique<SaveModulePass>(std::move(directory), std::move(name),
                                          index);
}

} // namespace shardwright

//===- program.h - a compiled program as clients see it ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_PROGRAM_H
#define SHARDWRIGHT_PJRT_API_PROGRAM_H

#include "shardwright/pjrt/api/objects.h"
#include "shardwright/pjrt/request/compile_request.h"

namespace shardwright::pjrt {

/// A list of strings as C has them.
struct StringTable {
  void add(std::string text);
  std::deque<std::string> texts;
  std::vector<const char *> pointers;
  std::vector<size_t> sizes;
};

/// Shared by every handle of one program; does not change.
struct ClientProgram {
  std::string name; ///< of the module
  CompileRequest request;
  std::shared_ptr<Executable> executable;
  /// By parameter and output of the program: which of the executable's, or -1
  /// for a token, which it does not have.
  std::vector<int32_t> argumentOf, resultOf;
  /// By parameter and output.
  ProgramLayouts layouts;
  std::string text; ///< StableHLO of one device

  // What clients ask for, computed by `describe`.
  std::string fingerprint;
  std::vector<PJRT_Buffer_Type> outputTypes;
  std::vector<int64_t> outputDims;
  std::vector<size_t> outputRanks;
  StringTable outputMemories, parameterMemories;
  StringTable outputShardings, parameterShardings; ///< xla.OpSharding
  NamedValues costs;

  void describe();
};

/// Compiles `code`, a StableHLO module as text, bytecode or portable artifact,
/// for devices of `backend`. An error holds the diagnostics.
llvm::Expected<std::shared_ptr<ClientProgram>>
compileProgram(llvm::StringRef code, CompileRequest request, Backend &backend);

/// As bytes for another process, and back.
llvm::Expected<std::string> serialize(const ClientProgram &program);
llvm::Expected<std::shared_ptr<ClientProgram>>
deserialize(llvm::StringRef bytes, Backend &backend);

/// Makes the program ready to run on devices of the client.
PJRT_Error *load(std::shared_ptr<PJRT_Client> client,
                 std::shared_ptr<ClientProgram> program,
                 PJRT_LoadedExecutable *&loaded);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_PROGRAM_H

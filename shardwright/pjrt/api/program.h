//===- program.h - a compiled program and its metadata ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_PROGRAM_H
#define SHARDWRIGHT_PJRT_API_PROGRAM_H

#include "shardwright/pjrt/api/objects.h"
#include "shardwright/pjrt/request/compile_request.h"
#include "shardwright/pjrt/request/program_reader.h"

namespace shardwright::pjrt {

/// A list of strings in C form.
struct StringTable {
  void add(std::string text);
  std::deque<std::string> texts;
  std::vector<const char *> pointers;
  std::vector<size_t> sizes;
};

/// Immutable; shared by all handles of one program.
struct ClientProgram {
  std::string name; ///< of the module
  CompileRequest request;
  std::shared_ptr<Executable> executable;
  /// By parameter and output of the program: the index in the executable, or -1
  /// for tokens, which the executable does not have.
  std::vector<int32_t> argumentOf, resultOf;
  /// Layouts by parameter and output.
  ProgramLayouts layouts;
  std::string text; ///< StableHLO of one device

  // Properties that clients query, computed by `describe`.
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
/// for devices of `backend`. An error contains the diagnostics.
llvm::Expected<std::shared_ptr<ClientProgram>>
compileProgram(llvm::StringRef code, ProgramFormat format,
               CompileRequest request, Backend &backend);

/// Serialises the program for another process; deserialize is the inverse.
llvm::Expected<std::string> serialize(const ClientProgram &program);
llvm::Expected<std::shared_ptr<ClientProgram>>
deserialize(llvm::StringRef bytes, Backend &backend);

/// Loads the program on devices of the client.
PJRT_Error *load(std::shared_ptr<PJRT_Client> client,
                 std::shared_ptr<ClientProgram> program,
                 PJRT_LoadedExecutable *&loaded);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_PROGRAM_H

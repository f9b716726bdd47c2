//===- explain_command.cc - shardwright explain ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "session.h"

#include "shardwright/compile/explain_program.h"

#include "mlir/AsmParser/AsmParserState.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright {

int explainCommand(const ExplainOptions &options) {
  ExplainRequest request;
  request.values = options.values;
  request.arguments = options.arguments;
  request.results = options.results;
  request.line = options.line;
  request.collectives = options.collectives;
  request.full = options.full;
  request.module = options.module;
  request.optionPrefix = "--";
  request.import = options.import;
  request.shardy = options.shardy;
  request.effort = Effort(options.partitionEffort);
  if (!readMachine(options.machine, request.machine))
    return exitBadInput;

  Session session;
  AsmParserState positions;
  if (!session.load(options.module, options.trusted, &positions))
    return exitBadInput;
  UserValues user(session.module(), &positions, &session.text());
  BadRequest bad;
  FailureOr<Explanation> explanation =
      explainProgram(session.module(), user, request, bad);
  if (failed(explanation)) {
    if (!bad.text.empty())
      return badInput(bad.text, bad.remedy);
    if (!session.finishDiagnostic())
      badInput("cannot explain '" + options.module + "'", "");
    return exitBadInput;
  }
  bool written = writeFile("-", [&](llvm::raw_ostream &os) {
    if (options.json)
      os << llvm::formatv("{0:2}",
                          llvm::json::Value(std::move(explanation->data)))
         << "\n";
    else
      os << explanation->text; // already escaped
  });
  return written ? exitFine : exitBadInput;
}

} // namespace shardwright

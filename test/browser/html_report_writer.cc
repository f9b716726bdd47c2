//===- html_report_writer.cc - writes an HTML report of a document --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Reads a report document (JSON) from the standard input, and writes its page
// to the standard output: for test/browser, whose documents come from
// generators.

#include "shardwright/report/page/html_report.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

int main() {
  auto input = llvm::MemoryBuffer::getSTDIN();
  if (!input) {
    llvm::errs() << "cannot read the document: " << input.getError().message()
                 << "\n";
    return 1;
  }
  shardwright::writeHtmlReport((*input)->getBuffer(), llvm::outs());
  return 0;
}

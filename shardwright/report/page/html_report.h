//===- html_report.h - a report document as one HTML file -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_PAGE_HTML_REPORT_H
#define SHARDWRIGHT_REPORT_PAGE_HTML_REPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace shardwright {

/// Writes an HTML page that shows the document. `documentJson` is valid JSON in
/// UTF-8. The page has all it needs: its Content-Security-Policy forbids every
/// load from the network, and every script but its own. Texts of the document
/// cannot end the element that holds them, and are never parsed as HTML.
void writeHtmlReport(llvm::StringRef documentJson, llvm::raw_ostream &os);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_PAGE_HTML_REPORT_H

//===- report_page.h - the files of HTML reports ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_PAGE_REPORT_PAGE_H
#define SHARDWRIGHT_REPORT_PAGE_REPORT_PAGE_H

#include "llvm/ADT/StringRef.h"

namespace shardwright {

/// The page that shows a report document (docs/dev/report-format.md), with the
/// marks `{{policy}}`, `{{style}}`, `{{document}}` and `{{script}}` where
/// writeHtmlReport puts its parts. The text lives as long as the library.
llvm::StringRef reportPage();

/// The joined style sheets of page/css.
llvm::StringRef reportStyle();

/// The joined scripts: the libraries of third_party/, then page/js.
llvm::StringRef reportScript();

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_PAGE_REPORT_PAGE_H

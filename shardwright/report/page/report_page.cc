//===- report_page.cc - the files of HTML reports -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/page/report_page.h"

using namespace shardwright;

// Defined in sources that cmake/EmbedFiles.cmake writes.
namespace shardwright::page {
extern const char kPageTemplate[], kPageStyle[], kPageScript[];
extern const unsigned long kPageTemplateSize, kPageStyleSize, kPageScriptSize;
} // namespace shardwright::page

llvm::StringRef shardwright::reportPage() {
  return {page::kPageTemplate, page::kPageTemplateSize};
}

llvm::StringRef shardwright::reportStyle() {
  return {page::kPageStyle, page::kPageStyleSize};
}

llvm::StringRef shardwright::reportScript() {
  return {page::kPageScript, page::kPageScriptSize};
}

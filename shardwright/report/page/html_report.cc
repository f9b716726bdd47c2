//===- html_report.cc - a report document as one HTML file ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/page/html_report.h"

#include "shardwright/report/page/report_page.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;
using namespace shardwright;

namespace {

/// `'sha256-...'`, which lets the policy accept exactly this text.
std::string sourceHash(StringRef text) {
  SHA256 hash;
  hash.update(text);
  return "'sha256-" + encodeBase64(hash.final()) + "'";
}

std::string contentPolicy() {
  return "default-src 'none'; script-src " + sourceHash(reportScript()) +
         "; style-src " + sourceHash(reportStyle()) +
         "; img-src data:; base-uri 'none'; form-action 'none'";
}

/// Writes JSON that stands in a script element. `<` occurs in its strings only;
/// escaped, it starts neither `</script` nor `<!--`. U+2028 and U+2029 end
/// lines in scripts of older browsers.
void writeEscaped(StringRef json, raw_ostream &os) {
  size_t written = 0;
  auto replace = [&](size_t at, size_t length, StringRef escape) {
    os << json.slice(written, at) << escape;
    written = at + length;
  };
  for (size_t at = json.find_first_of("<\xE2"); at != StringRef::npos;
       at = json.find_first_of("<\xE2", at + 1)) {
    if (json[at] == '<')
      replace(at, 1, "\\u003c");
    else if (json.substr(at, 3) == "\xE2\x80\xA8")
      replace(at, 3, "\\u2028");
    else if (json.substr(at, 3) == "\xE2\x80\xA9")
      replace(at, 3, "\\u2029");
  }
  os << json.substr(written);
}

} // namespace

void shardwright::writeHtmlReport(StringRef documentJson, raw_ostream &os) {
  StringRef page = reportPage();
  while (!page.empty()) {
    auto [text, rest] = page.split("{{");
    os << text;
    auto [mark, after] = rest.split("}}");
    if (mark == "policy")
      os << contentPolicy();
    else if (mark == "style")
      os << reportStyle();
    else if (mark == "script")
      os << reportScript();
    else if (mark == "document")
      writeEscaped(documentJson, os);
    page = after;
  }
}

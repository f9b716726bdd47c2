//===- html_report_test.cc - tests of HTML reports ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/page/html_report.h"

#include "shardwright/report/page/report_page.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace llvm;
using namespace shardwright;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string htmlOf(StringRef json) {
  std::string html;
  raw_string_ostream os(html);
  writeHtmlReport(json, os);
  return html;
}

/// The document as a browser reads it from the page: the text up to the first
/// end tag.
StringRef documentOf(StringRef html) {
  StringRef rest = html.split("id=\"document\">").second;
  return rest.take_front(rest.find_insensitive("</script"));
}

TEST(HtmlReport, HasNoOpenMarks) {
  std::string html = htmlOf("{}");
  for (StringRef mark : {"policy", "style", "script", "document"})
    EXPECT_THAT(html, Not(HasSubstr(("{{" + mark + "}}").str())));
  EXPECT_EQ(documentOf(html), "{}");
}

TEST(HtmlReport, HasTheFilesOfThePage) {
  EXPECT_THAT(reportStyle().str(), HasSubstr("data-theme"));
  EXPECT_THAT(reportScript().str(), HasSubstr("shardwright report"));
  EXPECT_THAT(reportScript().str(), HasSubstr("preactHooks"));
  EXPECT_THAT(reportScript().str(), Not(HasSubstr("sourceMappingURL")));
}

TEST(HtmlReport, ItsOwnTextsDoNotEndTheirElements) {
  EXPECT_EQ(reportScript().find_insensitive("</script"), StringRef::npos);
  EXPECT_EQ(reportScript().find("<!--"), StringRef::npos);
  EXPECT_EQ(reportStyle().find_insensitive("</style"), StringRef::npos);
}

TEST(HtmlReport, LoadsNothing) {
  std::string html = htmlOf("{}");
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  for (StringRef load : {" src=\"http", "url(http", "@import", "fetch(",
                         "XMLHttpRequest", "WebSocket", "localStorage"})
    EXPECT_THAT(html, Not(HasSubstr(load.str())));
}

TEST(HtmlReport, EscapesTags) {
  std::string html = htmlOf(R"({"a":"</script><script>alert(1)<!--"})");
  EXPECT_THAT(documentOf(html).str(),
              R"({"a":"\u003c/script>\u003cscript>alert(1)\u003c!--"})");
}

TEST(HtmlReport, EscapesLineSeparators) {
  std::string html = htmlOf("{\"a\":\"\xE2\x80\xA8\xE2\x80\xA9\xE2\x82\xAC\"}");
  EXPECT_EQ(documentOf(html), "{\"a\":\"\\u2028\\u2029\xE2\x82\xAC\"}");
}

/// Any text comes back unchanged, however it is cut into tags.
RC_GTEST_PROP(HtmlReport, DocumentComesBack, ()) {
  auto parts = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("</script>", "<!--", "<", "{{style}}",
                                    "\xE2\x80\xA8", "\xE2\x80\xA9", "\\", "\"",
                                    "x", "\xE2\x82\xAC", "{{", "}}"));
  json::Value document = json::Object{{"text", join(parts, "")}};
  std::string printed;
  raw_string_ostream(printed) << document;
  std::string html = htmlOf(printed);
  Expected<json::Value> read = json::parse(documentOf(html));
  RC_ASSERT(static_cast<bool>(read));
  RC_ASSERT(*read == document);
}

} // namespace

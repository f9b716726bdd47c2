//===- text_report_test.cc - tests of the text report ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/group_rows.h"
#include "shardwright/report/program_report.h"
#include "shardwright/report/run_times.h"
#include "shardwright/report/text_table.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace shardwright {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> namesOf(const std::vector<RowGroup> &groups) {
  std::vector<std::string> names;
  for (const RowGroup &group : groups)
    names.push_back(group.name);
  return names;
}

std::vector<std::string> grouped(std::vector<std::string> names) {
  return namesOf(groupByNumbers(names, std::vector<std::string>(names.size())));
}

TEST(GroupByNumbers, NamesRanges) {
  EXPECT_THAT(grouped({"p['b0']['w']", "p['b1']['w']", "p['b2']['w']", "x"}),
              ElementsAre("p['b0..b2']['w']", "x"));
  EXPECT_THAT(grouped({"b0/o", "b1/o"}), ElementsAre("b0,b1/o"));
  EXPECT_THAT(grouped({"@f:%0", "@f:%1", "@f:%2"}), ElementsAre("@f:%0..%2"));
  EXPECT_THAT(grouped({"b0/o", "b4/o", "b7/o"}), ElementsAre("b0,b4,b7/o"));
  EXPECT_THAT(grouped({"0", "1", "2", "5"}), ElementsAre("0..5"));
  EXPECT_THAT(grouped({"a0/l0", "a0/l1", "a1/l0", "a1/l1"}),
              ElementsAre("a0,a1/l0,l1"));
  // A number that prints otherwise is text, and so is one beyond 64 bits.
  EXPECT_THAT(grouped({"b00", "b01", "99999999999999999999999"}),
              ElementsAre("b00", "b01", "99999999999999999999999"));
}

TEST(GroupByNumbers, SeparatesKinds) {
  std::vector<std::string> names{"b0", "b1", "b2"}, kinds{"f32", "f16", "f32"};
  std::vector<RowGroup> groups = groupByNumbers(names, kinds);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "b0,b2");
  EXPECT_THAT(groups[0].members, ElementsAre(0, 2));
  EXPECT_EQ(groups[1].name, "b1");
}

RC_GTEST_PROP(GroupByNumbers, HasEachRowOnce, ()) {
  auto names = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(
          rc::gen::element('a', 'b', '/', '0', '1', '2')));
  std::set<size_t> seen;
  for (const RowGroup &group :
       groupByNumbers(names, std::vector<std::string>(names.size()))) {
    RC_ASSERT(!group.members.empty());
    // A group of one row has the name of the row.
    if (group.members.size() == 1)
      RC_ASSERT(group.name == names[group.members.front()]);
    for (size_t member : group.members)
      RC_ASSERT(seen.insert(member).second);
  }
  RC_ASSERT(seen.size() == names.size());
}

ValueReport valueOf(std::string name, std::string type = "4xf32") {
  return {.name = std::move(name),
          .type = type,
          .local = type,
          .sharding = "[{}]",
          .bytesPerDevice = 16};
}

TEST(GroupValues, MergesBelowAPrefixOnlyIfThereAreTooMany) {
  std::vector<ValueReport> values{
      valueOf("p['a']['w']"), valueOf("p['a']['v']"),
      valueOf("p['b']['w']", "8xf32"), valueOf("x")};
  EXPECT_THAT(namesOf(groupValues(values, 4)),
              ElementsAre("p['a']['w']", "p['a']['v']", "p['b']['w']", "x"));
  EXPECT_THAT(namesOf(groupValues(values, 3)),
              ElementsAre("p['a'][...]", "p['b']['w']", "x"));
  // Nothing else has a common prefix.
  EXPECT_THAT(namesOf(groupValues(values, 1)),
              ElementsAre("p['a'][...]", "p['b']['w']", "x"));
}

TEST(TextTable, AlignsByColumnsOfTheTerminal) {
  TextTable table({"name", "size", ""});
  table.alignRight(1);
  table.add({"…/ä", "7", ""});
  table.add({"abcdef", "123456", ""});
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os, "  ");
  EXPECT_EQ(text, "  name      size\n"
                  "  …/ä          7\n"
                  "  abcdef  123456\n");
}

TEST(TextTable, ShortensTheFittedColumn) {
  TextTable table(2);
  table.fit(1, 40);
  table.add({"all_reduce", "jit(step)/jvp(GPT)/b0/o/dot_general"});
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os, "  ");
  EXPECT_EQ(text, "  all_reduce  …/b0/o/dot_general\n");
}

TEST(SpreadOf, InterpolatesQuartiles) {
  std::vector<double> numbers{4, 1, 3, 2};
  Spread spread = spreadOf(numbers);
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.lowerQuartile, 1.75);
  EXPECT_EQ(spread.median, 2.5);
  EXPECT_EQ(spread.upperQuartile, 3.25);
  EXPECT_EQ(spread.most, 4);
  EXPECT_EQ(spreadOf({}).median, 0);
  double one = 7;
  EXPECT_EQ(spreadOf(one).upperQuartile, 7);
}

class TextReportTest : public testing::Test {
protected:
  TextReportTest() {
    report.module = "f.mlir";
    report.devices = 8;
    report.mesh = Mesh({{"x", 8}});
  }

  void addCollective(const std::string &path, double bytes, unsigned line = 1) {
    report.collectives.uses.push_back(
        {"all_reduce", "\"x\"", 8, 1, bytes, 0,
         mlir::NameLoc::get(
             mlir::StringAttr::get(&context, path),
             mlir::FileLineColLoc::get(&context, "train.py", line, 1))});
  }

  std::string text(bool full = false) {
    std::string out;
    llvm::raw_string_ostream os(out);
    writeTextReport(report, os,
                    {.full = full,
                     .fullOption = "--full",
                     .width = 100,
                     .explain = "explain f.mlir"});
    return out;
  }

  mlir::MLIRContext context;
  ProgramReport report;
};

TEST_F(TextReportTest, GroupsCollectivesOfLayers) {
  for (int layer = 0; layer < 12; ++layer)
    addCollective("b" + std::to_string(layer) + "/o", 1024);
  addCollective("head", 512);
  std::string grouped = text();
  EXPECT_THAT(grouped, HasSubstr("x12     12         12.0 KiB  b0..b11/o "
                                 "(train.py:1)"));
  EXPECT_THAT(grouped, Not(HasSubstr("b5/o")));
  EXPECT_THAT(text(/*full=*/true), HasSubstr("1.0 KiB  b5/o (train.py:1)"));
}

TEST_F(TextReportTest, DoesNotGroupLinesOfASource) {
  addCollective("", 1024, 17);
  addCollective("", 1024, 18);
  EXPECT_THAT(text(), HasSubstr("train.py:17\n"));
  EXPECT_THAT(text(), HasSubstr("train.py:18\n"));
}

TEST_F(TextReportTest, FoldsLongTables) {
  for (char name = 'a'; name <= 'z'; ++name) {
    addCollective(std::string(1, name), 1024);
    report.arguments.push_back(
        valueOf(std::string(1, name), std::to_string(name) + "xf32"));
  }
  EXPECT_THAT(text(), HasSubstr("... and 6 more, which send 6.0 KiB"));
  EXPECT_THAT(text(), HasSubstr("... and 6 more (--full shows them)"));
  EXPECT_THAT(text(/*full=*/true), Not(HasSubstr("... and")));
}

TEST_F(TextReportTest, AsksWhyTheLargestThingIsThere) {
  addCollective("head", 100);
  EXPECT_THAT(text(), HasSubstr("explain f.mlir --collectives\n"));
  report.arguments = {valueOf("a"), valueOf("w")};
  report.arguments[1].bytesPerDevice = 1024;
  EXPECT_THAT(text(), HasSubstr("argument w, replicated (1.0 KiB)"));
  EXPECT_THAT(text(), HasSubstr("explain f.mlir --arg 1\n"));
  report.arguments[1].local = "1xf32"; // sharded
  EXPECT_THAT(text(), HasSubstr("explain f.mlir --collectives\n"));
  report.predictedPeak.emplace();
  report.predictedPeak->bytesByClass[size_t(MemoryClass::Residual)] = 2048;
  EXPECT_THAT(text(), HasSubstr("values of class residual, 2.0 KiB"));
  report.devices = 1;
  report.collectives.uses.clear();
  report.predictedPeak.reset();
  EXPECT_THAT(text(), Not(HasSubstr("next")));
}

TEST_F(TextReportTest, PrintsTolerancesBesideErrors) {
  ComparisonReport one;
  one.name = "result";
  one.maxAbsError = 1e-3;
  one.atol = 2e-4;
  one.rtol = 1e-5;
  report.comparisons.push_back(one);
  EXPECT_THAT(text(), HasSubstr("1.00e-03  2.00e-04"));
  EXPECT_THAT(text(), HasSubstr("1 result compared, equal"));
  report.comparisons[0].ok = false;
  report.comparisons[0].mismatches = 3;
  report.comparisons[0].elements = 4;
  EXPECT_THAT(text(), HasSubstr("DIFFERS in 3 of 4 elements"));
  EXPECT_THAT(text(), HasSubstr("1 result compared, it differs"));
}

TEST_F(TextReportTest, PrintsTheSpreadOfRuns) {
  report.runSeconds = 0.002;
  report.repeated = RepeatedRuns{1, {0.001, 0.002, 0.003}};
  EXPECT_THAT(text(), HasSubstr("2.00 ms, the median of 3 runs after 1 "
                                "warm-up; half of them 1.50 ms to 2.50 ms, all "
                                "1.00 ms to 3.00 ms"));
}

TEST_F(TextReportTest, KeepsLocationsInSavedExecutables) {
  addCollective("b0/o", 1024, 17);
  addCollective("", 512, 18);
  report.arguments.push_back(valueOf("a"));
  ProgramReport read;
  ASSERT_TRUE(
      readReportNotes(reportNotes(report), report.mesh, &context, read));
  EXPECT_EQ(reportNotes(read), reportNotes(report));
  EXPECT_EQ(read.collectives.uses[0].location,
            mlir::NameLoc::get(
                mlir::StringAttr::get(&context, "b0/o"),
                mlir::FileLineColLoc::get(&context, "train.py", 17, 0)));
}

} // namespace
} // namespace shardwright

//===- location_text_test.cc - tests of texts of source positions ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/location_text.h"

#include "shardwright/report/text_table.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <thread>

namespace shardwright {
namespace {

class LocationTextTest : public testing::Test {
protected:
  ~LocationTextTest() override { setLibraryPaths(""); }

  /// Parses a location as it is written inside `loc(...)`.
  mlir::Location parse(const std::string &text) {
    mlir::Attribute attribute =
        mlir::parseAttribute("loc(" + text + ")", &context);
    EXPECT_TRUE(attribute) << text;
    return mlir::cast<mlir::LocationAttr>(attribute);
  }

  mlir::MLIRContext context;
};

TEST_F(LocationTextTest, NamesTheInnermostFrameOfTheUser) {
  mlir::Location location = parse(
      R"("jit(f)/b0/o/dot_general"(callsite("Dense.__call__"("/v/lib/python3.11/site-packages/flax/linear.py":287:8)
         at callsite("Block.__call__"("/home/me/train.py":22:4) at "loss"("/home/me/train.py":55:4)))))");
  EXPECT_EQ(locationText(location),
            "jit(f)/b0/o/dot_general (/home/me/train.py:22)");
  EXPECT_EQ(filePosition(location), "/home/me/train.py:22");
  EXPECT_EQ(opPath(location), "jit(f)/b0/o/dot_general");
  std::vector<SourceFrame> frames = framesOf(location);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].line, 55u);
  EXPECT_EQ(frames[2].line, 287u);
}

TEST_F(LocationTextTest, NamesTheInnermostFrameIfAllAreOfLibraries) {
  mlir::Location location = parse(
      R"(callsite("/usr/lib/python3.11/runpy.py":1:1 at "/x/dist-packages/a.py":2:2))");
  EXPECT_EQ(locationText(location), "/usr/lib/python3.11/runpy.py:1");
}

TEST_F(LocationTextTest, LibraryPathsOfOneThread) {
  EXPECT_FALSE(isLibraryFile("/home/me/nn/a.py"));
  {
    ScopedLibraryPaths paths("nn");
    EXPECT_TRUE(isLibraryFile("/home/me/nn/a.py"));
    EXPECT_TRUE(isLibraryFile("/v/site-packages/a.py"));
    std::thread([] { EXPECT_FALSE(isLibraryFile("/home/me/nn/a.py")); }).join();
  }
  setLibraryPaths("nn");
  {
    ScopedLibraryPaths same(std::nullopt);
    EXPECT_TRUE(isLibraryFile("/home/me/nn/a.py"));
  }
  {
    ScopedLibraryPaths none("");
    EXPECT_FALSE(isLibraryFile("/home/me/nn/a.py"));
  }
  EXPECT_TRUE(isLibraryFile("/home/me/nn/a.py"));
}

TEST_F(LocationTextTest, JoinsThePathsOfInlinedCalls) {
  EXPECT_EQ(locationText(parse(
                R"(callsite("reduce_max" at "jit(f)/softmax"("a.py":3:1)))")),
            "jit(f)/softmax/reduce_max (a.py:3)");
  EXPECT_EQ(opPath(parse(R"(callsite("reduce_max" at "a.py":3:1))")),
            "reduce_max");
}

TEST_F(LocationTextTest, NamesTheFirstOpOfAFusedLocation) {
  mlir::Location location =
      parse(R"(fused["add"("a.py":1:1), "mul"("b.py":2:1), unknown])");
  EXPECT_EQ(locationText(location), "add (a.py:1)");
  EXPECT_EQ(locationText(parse("unknown")), "");
}

TEST_F(LocationTextTest, KnowsTheFilesOfLibraries) {
  for (const char *file :
       {"/v/lib/python3.11/site-packages/flax/linear.py",
        "/usr/lib/python3/dist-packages/numpy/core.py", "<string>",
        "<frozen runpy>", "/opt/lib64/python3/runpy.py"})
    EXPECT_TRUE(isLibraryFile(file)) << file;
  for (const char *file :
       {"/home/me/train.py", "lib/python3.11", "/home/python3.11/train.py",
        "/home/lib/python3.x/train.py", "my-site-packages/a.py", ""})
    EXPECT_FALSE(isLibraryFile(file)) << file;
}

TEST_F(LocationTextTest, AddsAndRemovesLibraries) {
  setLibraryPaths("/opt/models:nn/layers");
  EXPECT_TRUE(isLibraryFile("/opt/models/a.py"));
  EXPECT_FALSE(isLibraryFile("/home/opt/models/a.py"));
  EXPECT_FALSE(isLibraryFile("/opt/models2/a.py"));
  EXPECT_TRUE(isLibraryFile("/home/nn/layers/dense.py"));
  EXPECT_TRUE(isLibraryFile("nn/layers/dense.py"));
  EXPECT_FALSE(isLibraryFile("/home/nn/other/layers/dense.py"));
  EXPECT_TRUE(isLibraryFile("/v/site-packages/a.py"));
  setLibraryPaths("none:nn");
  EXPECT_FALSE(isLibraryFile("/v/site-packages/a.py"));
  EXPECT_TRUE(isLibraryFile("/v/nn/a.py"));
  setLibraryPaths("");
  EXPECT_TRUE(isLibraryFile("/v/site-packages/a.py"));
  EXPECT_FALSE(isLibraryFile("/v/nn/a.py"));
}

TEST(ShortenedLocation, KeepsTheEnds) {
  const char *text =
      "jit(step)/jvp(GPT)/b0/o/dot_general (/home/me/src/train.py:22)";
  EXPECT_EQ(shortenedLocation(text, 200), text);
  EXPECT_EQ(shortenedLocation(text, 57),
            "jit(step)/jvp(GPT)/b0/o/dot_general (…/src/train.py:22)");
  EXPECT_EQ(shortenedLocation(text, 40), "…/b0/o/dot_general (…/train.py:22)");
  EXPECT_EQ(shortenedLocation("/home/me/src/train.py:22", 19),
            "…/src/train.py:22");
  // The last components stay, whatever the width.
  EXPECT_EQ(shortenedLocation(text, 3), "…/dot_general (…/train.py:22)");
}

RC_GTEST_PROP(ShortenedLocation, FitsIfItsEndsFit, ()) {
  auto component = rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::inRange('a', 'z')));
  auto path = [&] {
    std::string text;
    for (const std::string &part : *rc::gen::nonEmpty(
             rc::gen::container<std::vector<std::string>>(component)))
      text += (text.empty() ? "" : "/") + part;
    return text;
  };
  std::string name = path(), file = path();
  std::string text = name + " (" + file + ":12)";
  size_t width = *rc::gen::inRange<size_t>(1, 120);
  std::string shorter = shortenedLocation(text, width);
  auto last = [](const std::string &path) {
    return path.substr(
        path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
  };
  std::string least = "…/" + last(name) + " (…/" + last(file) + ":12)";
  RC_ASSERT(
      (columnsOf(shorter) <= width || columnsOf(shorter) <= columnsOf(least)));
  RC_ASSERT(shorter.find(last(name) + " (") != std::string::npos);
  RC_ASSERT(llvm::StringRef(shorter).ends_with(last(file) + ":12)"));
}

} // namespace
} // namespace shardwright

//===- auto_shardings_test.cc - shardings that a search finds -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/values_test_util.h"
#include "shardwright/frontend/frontend.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace shardwright::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

const bool configured = setDeviceCount(8).ok();

Mesh mesh42() { return *Mesh::get(devices(), {4, 2}, {"x", "y"}); }
Tensor x() { return ones({8, 4}); }
Tensor numbered(const Shape &shape) {
  return reshape(arange(shape.elements(), DType::F32), shape) / 4096.0f;
}
/// A layer whose hidden values are the largest.
Tensor layer(Tensor x, Tensor in, Tensor out) {
  return matmul(lax::tanh(matmul(x, in)), out);
}
std::string specText(const Sharding &s) { return s.spec().str(); }

/// Propagation alone has no reason to shard anything here.
// Feature: auto-sharding
TEST(AutoShardings, AreFoundWherePropagationReplicates) {
  Mesh mesh = mesh42();
  AutoSharding any(mesh);
  Tensor x = numbered({512, 64}), in = numbered({64, 512}),
         out = numbered({512, 64});
  auto propagated =
      jit(layer, {.inShardings = any,
                  .outShardings = any,
                  .compilerOptions = {{"shardwright_auto", false}}});
  auto before = propagated.lower(x, in, out)->compile();
  ASSERT_TRUE(before.ok()) << before.error().str();
  EXPECT_EQ(specText(before->inputShardings()[0]), "P()");
  EXPECT_THAT(*before->report(), Not(HasSubstr("partitionings tried")));

  auto found = jit(layer, {.inShardings = any, .outShardings = any});
  auto lowered = found.lower(x, in, out);
  auto after = lowered->compile();
  ASSERT_TRUE(after.ok()) << after.error().str();
  // Stages say what was chosen, and what it was compared with.
  EXPECT_EQ(specText(after->inputShardings()[0]), "P(('x', 'y'),)");
  EXPECT_EQ(specText(after->outputShardings()[0]), "P(('x', 'y'),)");
  EXPECT_THAT(*after->report(), HasSubstr("partitionings tried"));
  EXPECT_THAT(*after->report(), HasSubstr("next best"));
  EXPECT_THAT(*lowered->report(), HasSubstr("partitionings tried"));
  ExplainQuery query;
  query.arguments = {"args[0]"};
  auto why = lowered->explain(query);
  ASSERT_TRUE(why.ok()) << why.error().str();
  EXPECT_THAT(*why, HasSubstr("{\"x\", \"y\"}"));
  // Both compute the same.
  Floats a = values(propagated(x, in, out)), b = values(found(x, in, out));
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 1e-3f * (1 + std::abs(a[i])));
  // The same search gives the same answer.
  clearCaches();
  auto again = found.lower(x, in, out)->compile();
  auto search = [](const CompiledStage &stage) {
    std::string report = *stage.report();
    return report.substr(report.find("partitionings tried"));
  };
  EXPECT_EQ(search(*again), search(*after));
}

TEST(AutoShardings, GivenShardingsStay) {
  Mesh mesh = mesh42();
  AutoSharding any(mesh);
  Sharding columns = *NamedSharding(mesh, P(None, "y"));
  Tensor x = numbered({512, 64}), in = numbered({64, 512}),
         out = numbered({512, 64});
  auto f = jit(layer, {.inShardings = {any, columns, any},
                       .outShardings = *NamedSharding(mesh, P("x"))});
  auto compiled = f.lower(x, in, out)->compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().str();
  EXPECT_EQ(compiled->inputShardings()[1].str(), columns.str());
  EXPECT_EQ(specText(compiled->outputShardings()[0]), "P('x',)");
  EXPECT_EQ(values(f(x, in, out)).size(), size_t(512 * 64));
}

TEST(AutoShardings, OptionsOfTheSearch) {
  Mesh mesh = mesh42();
  Tensor x = numbered({512, 64}), in = numbered({64, 512}),
         out = numbered({512, 64});
  auto with = [&](CompilerOptions options) {
    auto compiled = jit(layer, {.inShardings = AutoSharding(mesh),
                                .compilerOptions = std::move(options)})
                        .lower(x, in, out)
                        ->compile();
    return compiled ? compiled->report() : compiled.error();
  };
  EXPECT_THAT(*with({{"shardwright_memory", "1GiB"}}),
              HasSubstr("1.0 GiB of memory per device"));
  EXPECT_EQ(with({{"shardwright_memory", "1KiB"}}).error().kind,
            ErrorKind::Runtime);
  EXPECT_THAT(with({{"shardwright_memory", "1KiB"}}).error().text,
              HasSubstr("no shardings fit in 1.0 KiB per device"));
  EXPECT_THAT(with({{"shardwright_memory", "much"}}).error().text,
              HasSubstr("INVALID_ARGUMENT: option 'shardwright_memory' is "
                        "'much', expected bytes, as 16GiB"));
  EXPECT_THAT(with({{"shardwright_auto_effort", int64_t(7)}}).error().text,
              HasSubstr("expected 0, 1 or 2"));
  EXPECT_THAT(with({{"shardwright_machine", "/no/such/file"}}).error().text,
              HasSubstr("option 'shardwright_machine'"));
  // Less effort, fewer trials.
  auto trials = [](const std::string &report) {
    size_t end = report.find(" partitionings tried");
    return std::stoi(report.substr(report.rfind(' ', end - 1)));
  };
  EXPECT_LT(trials(*with({{"shardwright_auto_effort", int64_t(0)}})),
            trials(*with({{"shardwright_auto_effort", int64_t(1)}})));
  // A sum of parts is worth its message, unless that takes a second.
  auto file = std::filesystem::temp_directory_path() /
              cat("slow_links_", getpid(), ".json");
  std::ofstream(file) << R"({"name": "slow links", "link":
    {"bytes_per_second": 1, "latency_seconds": 1, "directions": 1}})";
  auto total = [&](CompilerOptions options) {
    auto compiled = jit([](Tensor v) { return sum(lax::exp(lax::sin(v))); },
                        {.inShardings = AutoSharding(mesh),
                         .compilerOptions = std::move(options)})
                        .lower(ones({1024, 1024}))
                        ->compile();
    return compiled ? specText(compiled->inputShardings()[0])
                    : compiled.error().str();
  };
  EXPECT_NE(total({}), "P()");
  EXPECT_EQ(total({{"shardwright_machine", file.string()}}), "P()");
  // Another machine in the same file is another program.
  std::ofstream(file) << R"({"name": "fast links", "link":
    {"bytes_per_second": 1e12, "latency_seconds": 0}})";
  EXPECT_NE(total({{"shardwright_machine", file.string()}}), "P()");
  std::filesystem::remove(file);
  // Programs without an AutoSharding ask by the option.
  Sharding rows = *NamedSharding(mesh, P("x"));
  auto asked = jit(layer, {.outShardings = rows,
                           .compilerOptions = {{"shardwright_auto", true}}})
                   .lower(x, in, out)
                   ->compile();
  ASSERT_TRUE(asked.ok()) << asked.error().str();
  EXPECT_THAT(*asked->report(), HasSubstr("partitionings tried"));
}

/// Partition effort 3 shards inner values where arguments and results are whole
/// on each device.
TEST(AutoShardings, OfInnerValuesByEffort) {
  Mesh mesh = mesh42();
  Sharding whole = *NamedSharding(mesh, P());
  Tensor x = numbered({512, 64}), in = numbered({64, 512}),
         out = numbered({512, 64});
  auto file = std::filesystem::temp_directory_path() /
              cat("fast_links_", getpid(), ".json");
  std::ofstream(file) << R"({"name": "fast links", "link":
    {"bytes_per_second": 1e13, "latency_seconds": 0}})";
  auto with = [&](int64_t effort) {
    return jit(layer,
               {.inShardings = whole,
                .outShardings = whole,
                .compilerOptions = {{"shardwright_partition_effort", effort},
                                    {"shardwright_machine", file.string()}}});
  };
  auto plain = with(2), planned = with(3);
  auto before = plain.lower(x, in, out)->compile(),
       after = planned.lower(x, in, out)->compile();
  ASSERT_TRUE(before.ok()) << before.error().str();
  ASSERT_TRUE(after.ok()) << after.error().str();
  EXPECT_THAT(*before->report(), Not(HasSubstr("all_gather")));
  EXPECT_THAT(*after->report(), HasSubstr("all_gather"));
  EXPECT_THAT(*planned.lower(x, in, out)->report(), HasSubstr("all_gather"));
  EXPECT_EQ(specText(after->outputShardings()[0]), "P()");
  Floats a = values(plain(x, in, out)), b = values(planned(x, in, out));
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 1e-3f * (1 + std::abs(a[i])));
  EXPECT_THAT(with(4).lower(x, in, out)->compile().error().text,
              HasSubstr("expected 0, 1, 2 or 3"));
  std::filesystem::remove(file);
}

/// Without the search, propagation chooses the shardings that the options leave
/// open.
TEST(AutoShardings, AreChosenByPropagationOnDemand) {
  Mesh mesh = mesh42();
  AutoSharding any(mesh);
  const CompilerOptions noSearch{{"shardwright_auto", false}};
  auto f = [](Tensor a, Tensor b) {
    return lax::dot_general(a, b, {{1}, {0}, {}, {}}) + 1.0;
  };
  Tensor a = reshape(arange(32, DType::F32), {8, 4});
  Tensor b = reshape(arange(64, DType::F32), {4, 16});
  std::vector<float> expected = values(f(a, b));
  // The rows of the first argument are those of the result.
  Sharding rows = *NamedSharding(mesh, P("x")),
           columns = *NamedSharding(mesh, P(None, "y"));
  auto g = jit(f, {.inShardings = {any, columns},
                   .outShardings = rows,
                   .compilerOptions = noSearch});
  auto compiled = g.lower(a, b)->compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().str();
  EXPECT_EQ(compiled->inputShardings()[0].str(), rows.str());
  EXPECT_EQ(compiled->inputShardings()[1].str(), columns.str());
  EXPECT_EQ(values(*g(a, b)), expected);
  // An array that is elsewhere is moved.
  EXPECT_EQ(values(*g(devicePut(a, columns), b)), expected);
  // The result, too, where the options leave it to propagation.
  auto h = jit(f, {.inShardings = {rows, columns},
                   .outShardings = any,
                   .compilerOptions = noSearch});
  auto out = h(a, b);
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(out->sharding().str(), NamedSharding(mesh, P("x", "y"))->str());
  EXPECT_EQ(values(*out), expected);
  // Without a hint all is replicated.
  auto none = jit(
      f,
      {.inShardings = any, .outShardings = any, .compilerOptions = noSearch});
  EXPECT_EQ(none(a, b)->sharding().str(), NamedSharding(mesh, P())->str());
}

TEST(AutoShardings, DivideTheDimensions) {
  Mesh mesh = mesh42();
  AutoSharding any(mesh);
  Sharding rows = *NamedSharding(mesh, P("x"));
  // 8 rows and 2 more: four parts do not divide them.
  auto joined = [](Tensor a, Tensor b) {
    return lax::concatenate({lax::sin(a), b}, 0);
  };
  Tensor a = ones({8, 4}), b = ones({2, 4});
  auto f = jit(joined, {.inShardings = {rows, any}, .outShardings = any});
  auto compiled = f.lower(a, b)->compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().str();
  for (auto [sharding, shape] :
       {std::pair{compiled->inputShardings()[1], Shape{2, 4}},
        {compiled->outputShardings()[0], Shape{10, 4}}})
    EXPECT_TRUE(sharding.shardShape(shape).ok()) << sharding.str();
  EXPECT_EQ(values(*f(a, b)), values(joined(a, b)));
}

TEST(AutoShardings, UnusedArgumentsAreKept) {
  Mesh mesh = mesh42();
  AutoSharding any(mesh);
  auto f = jit([](Tensor a, Tensor) { return a * 2.0; },
               {.inShardings = {any, any}});
  auto compiled = f.lower(x(), x())->compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().str();
  EXPECT_EQ(compiled->inputShardings().size(), 2u);
  EXPECT_EQ(values(*f(x(), x())), std::vector<float>(32, 2));
  // All axes of the mesh are part of types: nothing is left to choose.
  auto typed = jit([](Tensor a) { return a; },
                   {.inShardings = AutoSharding(*makeMesh({8}, {"x"}))});
  EXPECT_EQ(typed(x()).error().kind, ErrorKind::Value);
  // Braces of trees.
  EXPECT_EQ(shardMap([](Tensor a) { return a; },
                     {.mesh = mesh, .in = any, .out = P("x")})(x())
                .error()
                .kind,
            ErrorKind::Type);
}

} // namespace

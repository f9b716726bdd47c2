//===- stages_test.cc - traced, lowered, compiled and saved programs ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <gtest/gtest.h>

#include <set>

using namespace shardwright::frontend;

namespace {

/// Eight devices, set before the first use of one.
const bool configured = setDeviceCount(8).ok();

using Floats = std::vector<float>;
Floats values(const Tensor &x) {
  auto v = x.toVector<float>();
  EXPECT_TRUE(v.ok()) << v.error().str();
  return *v;
}
Mesh mesh42() { return *Mesh::get(devices(), {4, 2}, {"x", "y"}); }
Tensor onRows(const Mesh &mesh) {
  return devicePut(reshape(arange(32, DType::F32), {8, 4}),
                   NamedSharding(mesh, P("x")));
}
CompiledStage compiledProduct(const Tensor &x) {
  auto f = jit([](Tensor a, Tensor unused) { return matmul(a, transpose(a)); },
               {.name = "product", .argNames = {"a", "unused"}});
  auto lowered = f.lower(x, zeros({3}));
  EXPECT_TRUE(lowered.ok()) << lowered.error().str();
  auto compiled = lowered->compile();
  EXPECT_TRUE(compiled.ok()) << compiled.error().str();
  return *compiled;
}

// Feature: stages
TEST(Stages, SavedProgramsRunWithoutCompilation) {
  ASSERT_TRUE(configured);
  Tensor x = onRows(mesh42());
  CompiledStage compiled = compiledProduct(x);
  auto bytes = compiled.serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.error().str();
  JitCounts before = jitCounts();
  auto loaded = loadProgram(*bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.error().str();
  EXPECT_EQ(values(loaded->call({x, zeros({3})})[0]),
            values(compiled.call({x, zeros({3})})[0]));
  EXPECT_EQ(jitCounts().compiles, before.compiles);
  EXPECT_EQ(loaded->argNames, compiled.argNames);
  EXPECT_TRUE(loaded->inputShardings() == compiled.inputShardings());
  EXPECT_TRUE(loaded->outputShardings() == compiled.outputShardings());
  EXPECT_EQ(loaded->call({zeros({3}), x})[0].error().kind, ErrorKind::Type);
  auto report = loaded->report();
  ASSERT_TRUE(report.ok()) << report.error().str();
  EXPECT_NE(report->find("product"), std::string::npos);
  EXPECT_NE(report->find("all_gather"), std::string::npos) << *report;
}

/// The positions `stages_test.cc:LINE` in a text. A report may name one several
/// times: what is alive at the predicted peak is not stored with a program.
std::set<std::string> positionsIn(const std::string &text) {
  static const std::string file = "stages_test.cc:";
  std::set<std::string> out;
  for (size_t at = 0; (at = text.find(file, at)) != text.npos; ++at)
    out.insert(text.substr(
        at, text.find_first_not_of("0123456789", at + file.size()) - at));
  return out;
}

TEST(Stages, ReportsNameTheLinesOfTheSource) {
  auto lowered =
      jit([](Tensor a) { return matmul(a, transpose(a)); }, {.name = "product"})
          .lower(onRows(mesh42()));
  ASSERT_TRUE(lowered.ok()) << lowered.error().str();
  auto compiled = lowered->compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().str();
  auto text = lowered->report(), code = compiled->report();
  ASSERT_TRUE(text.ok() && code.ok());
  EXPECT_FALSE(positionsIn(*text).empty()) << *text;
  EXPECT_EQ(positionsIn(*text), positionsIn(*code)) << *code;
  auto loaded = loadProgram(*compiled->serialize());
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(positionsIn(*text), positionsIn(*loaded->report()));
  EXPECT_NE(text->find("dot_general ("), std::string::npos) << *text;
  auto why = lowered->explain({.collectives = true});
  ASSERT_TRUE(why.ok());
  EXPECT_FALSE(positionsIn(*why).empty()) << *why;
}

TEST(Stages, SavedProgramsRunOnOtherDevices) {
  Mesh first = *Mesh::get({{0}, {1}}, {2}, {"x"});
  Mesh other = *Mesh::get({{5}, {3}}, {2}, {"x"});
  CompiledStage compiled = compiledProduct(onRows(first));
  auto bytes = compiled.serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.error().str();
  auto moved = loadProgram(*bytes, other.devices());
  ASSERT_TRUE(moved.ok()) << moved.error().str();
  EXPECT_TRUE(moved->inputShardings()[0].mesh() == other);
  Tensor out = moved->call({onRows(other), zeros({3})})[0];
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(values(out),
            values(matmul(onRows(first), transpose(onRows(first)))));
  EXPECT_EQ(out.sharding().devices(), other.devices());
  EXPECT_EQ(loadProgram(*bytes, {Device{0}}).error().text,
            "The program was compiled for 2 devices, but 1 are given");
  EXPECT_NE(loadProgram(*bytes, {Device{0}, Device{8}})
                .error()
                .text.find("runs on device 8, but the process has 8 devices"),
            std::string::npos);
}

TEST(Stages, ChangedBytesAreNoProgram) {
  auto bytes = compiledProduct(onRows(mesh42())).serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.error().str();
  EXPECT_EQ(loadProgram("").error().kind, ErrorKind::Value);
  for (size_t length = 0; length < bytes->size(); length += 97)
    EXPECT_FALSE(loadProgram(bytes->substr(0, length)).ok()) << length;
  for (size_t at = 0; at < bytes->size(); at += 211) {
    std::string changed = *bytes;
    changed[at] ^= 0x40;
    EXPECT_FALSE(loadProgram(changed).ok()) << at;
  }
  EXPECT_EQ(CompiledStage().serialize().error().kind, ErrorKind::Value);
}

TEST(Stages, TypesOfKeysAndShardingsAreSaved) {
  Mesh typed = *makeMesh({4, 2}, {"x", "y"});
  ScopedMesh in(typed);
  auto f = jit([](Tensor key, Tensor x) {
    return std::pair{random::split(key, 2)[0], x + 1.0};
  });
  Tensor x = devicePut(zeros({8, 2}), P("x", "y"));
  Tensor key = devicePut(random::key(3), P());
  auto lowered = f.lower(key, x);
  ASSERT_TRUE(lowered.ok()) << lowered.error().str();
  auto compiled = lowered->compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().str();
  auto bytes = compiled->serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.error().str();
  auto loaded = loadProgram(*bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.error().str();
  Tensors a = compiled->call({key, x}), b = loaded->call({key, x});
  ASSERT_EQ(a.size(), 2u);
  ASSERT_EQ(b.size(), 2u) << b[0].error().str();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(a[i].aval().str(), b[i].aval().str());
    EXPECT_TRUE(*a[i].toBytes() == *b[i].toBytes());
  }
  EXPECT_EQ(b[1].aval().str(), "f32[8@x,2@y]");
}

/// The page and its data.
TEST(Stages, ReportsForBrowsers) {
  Tensor x = onRows(mesh42());
  auto lowered = jit([](Tensor a) { return matmul(a, transpose(a)); },
                     {.name = "product", .argNames = {"rows"}})
                     .lower(x);
  ASSERT_TRUE(lowered.ok()) << lowered.error().str();
  using Form = ReportQuery::Form;
  auto page = lowered->report({.form = Form::Html, .trials = 0});
  ASSERT_TRUE(page.ok()) << page.error().str();
  EXPECT_EQ(page->substr(0, 15), "<!DOCTYPE html>");
  for (const char *text :
       {"jit_product", "rows", "stages_test.cc", "all_gather"})
    EXPECT_NE(page->find(text), std::string::npos) << text;
  // Without machine code the memory is predicted.
  EXPECT_NE(page->find("\"peak_bytes_per_device\":null"), std::string::npos);
  auto compiled = lowered->compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().str();
  auto data = compiled->report({.form = Form::Json, .trials = 0});
  ASSERT_TRUE(data.ok()) << data.error().str();
  EXPECT_EQ(data->substr(0, 1), "{");
  EXPECT_EQ(data->find("\"peak_bytes_per_device\":null"), std::string::npos);
  EXPECT_NE(data->find("\"peak_bytes_per_device\":"), std::string::npos);
  auto loaded = loadProgram(*compiled->serialize());
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->report({.form = Form::Html}).error().kind,
            ErrorKind::Value);
}

TEST(Stages, ReportsPassOverLibraries) {
  auto lowered =
      jit([](Tensor a) { return matmul(a, transpose(a)); }, {.name = "product"})
          .lower(onRows(mesh42()));
  ASSERT_TRUE(lowered.ok()) << lowered.error().str();
  // The whole call stack is in a library: its innermost frame remains. Times of
  // stages differ.
  auto text = lowered->report({.full = true, .libraryPaths = "frontend"});
  ASSERT_TRUE(text.ok()) << text.error().str();
  auto tables = [](const std::string &report) {
    return report.substr(report.find("collectives\n"));
  };
  EXPECT_EQ(tables(*text), tables(*lowered->report({.full = true})));
  EXPECT_TRUE(lowered->explain({.libraryPaths = "frontend"}).ok());
}

TEST(Stages, ProgramsOnAbstractMeshesAreReported) {
  AbstractMesh mesh = *AbstractMesh::get({64, 64}, {"x", "y"});
  Tensor a = shapeDtypeStruct({4096, 512}, DType::F32,
                              NamedSharding(mesh, P("x", "y")));
  ASSERT_TRUE(a.ok()) << a.error().str();
  auto lowered = jit([](Tensor x) { return sum(sin(x), Ints{1}); },
                     {.name = "f", .argNames = {"x"}})
                     .lower(a);
  ASSERT_TRUE(lowered.ok()) << lowered.error().str();
  auto report = lowered->report();
  ASSERT_TRUE(report.ok()) << report.error().str();
  EXPECT_NE(report->find("on 4096 devices, mesh x=64, y=64"), std::string::npos)
      << *report;
  EXPECT_NE(report->find("all_reduce"), std::string::npos) << *report;
  auto why = lowered->explain({.arguments = {"x"}});
  ASSERT_TRUE(why.ok()) << why.error().str();
  EXPECT_EQ(why->substr(0, 9), "%arg0 (x)") << *why;
  auto collectives = lowered->explain({.collectives = true});
  ASSERT_TRUE(collectives.ok()) << collectives.error().str();
  EXPECT_NE(collectives->find("all_reduce"), std::string::npos);
  EXPECT_EQ(lowered->explain({.values = {"%nothing"}}).error().kind,
            ErrorKind::Value);
  EXPECT_EQ(lowered->compile().error().kind, ErrorKind::Runtime);
  EXPECT_EQ(
      lowered->compile({Device{0}}).error().text,
      "The size of abstract mesh 4096 in NamedSharding(mesh=AbstractMesh("
      "'x': 64, 'y': 64, axis_types=(Auto, Auto)), spec=P('x', 'y')) must "
      "match the length of device assignment: 1");
}

/// A partitioned callback reads the shards of each device; another one is a
/// call of one device with the whole value.
TEST(Stages, ExplainsWhereCallbacksRun) {
  Mesh mesh = *Mesh::get(devices(), {8}, {"x"});
  Tensor x = devicePut(ones({8, 4}), NamedSharding(mesh, P("x")));
  auto collectives = [&](bool partitioned) {
    auto lowered =
        jit([=](Tensor v) {
          debugCallback({.partitioned = partitioned}, [](Tensor) {}, v);
          return v * 2.0;
        }).lower(x);
    auto text = lowered->explain({.collectives = true});
    return text ? *text : text.error().str();
  };
  EXPECT_EQ(collectives(true).find("all_gather"), std::string::npos)
      << collectives(true);
  EXPECT_NE(collectives(false).find("all_gather"), std::string::npos)
      << collectives(false);
}

TEST(Stages, DescriptionsOfArraysHaveNoElements) {
  Tensor a = shapeDtypeStruct({4}, DType::F32);
  auto f = jit([](Tensor x) { return x + 1.0; });
  EXPECT_TRUE(f.lower(a).ok());
  EXPECT_EQ(f(a).error().kind, ErrorKind::Type);
  EXPECT_EQ((a + 1.0).error().kind, ErrorKind::Type);
  EXPECT_EQ(a.toVector<float>().error().kind, ErrorKind::Type);
  EXPECT_EQ(a.str().substr(0, 1), "<");
  EXPECT_FALSE(a.isDeleted());
  EXPECT_EQ(devicePut(a, Device{0}).error().kind, ErrorKind::Type);
  EXPECT_EQ(jit([&](Tensor x) { return x + a; })(ones({4})).error().kind,
            ErrorKind::Type);
  EXPECT_FALSE(shapeDtypeStruct({-1}, DType::F32).ok());
  EXPECT_EQ(shapeDtypeStruct({6}, DType::F32, NamedSharding(mesh42(), P("x")))
                .error()
                .kind,
            ErrorKind::Indivisible);
}

TEST(Stages, OptionsAreSpreadOverTrees) {
  Sharding rows = NamedSharding(mesh42(), P("x")),
           all = NamedSharding(mesh42(), P());
  auto f = [](std::vector<Tensor> pair, Tensor x) {
    return std::pair{std::vector<Tensor>{pair[0] + x, pair[1]}, x};
  };
  std::vector<Tensor> pair{ones({8}), ones({8})};
  auto byArgument = jit(f, {.inShardings = {rows, all},
                            .outShardings = {all, rows}})(pair, ones({8}));
  ASSERT_TRUE(byArgument.ok()) << byArgument.error().str();
  EXPECT_TRUE(byArgument->first[1].sharding() == all);
  EXPECT_TRUE(byArgument->second.sharding() == rows);
  auto traced = jit(f, {.inShardings = {rows, all}}).trace(pair, ones({8}));
  ASSERT_TRUE(traced.ok()) << traced.error().str();
  EXPECT_TRUE(traced->inShardings[1] == rows);
  EXPECT_TRUE(traced->inShardings[2] == all);
  ScopedMesh in(mesh42());
  auto bySpec = jit(f, {.outShardings = {P("x"), P()}})(pair, ones({8}));
  ASSERT_TRUE(bySpec.ok()) << bySpec.error().str();
  EXPECT_TRUE(bySpec->first[0].sharding() == rows);
}

} // namespace

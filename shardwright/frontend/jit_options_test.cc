//===- jit_options_test.cc - options of jit, and devicePut inside ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

const bool configured = setDeviceCount(8).ok();

struct Layer {
  Tensor w, b;
  SW_TREE(Layer, w, b)
};
using Net = std::map<std::string, Layer>;

Mesh mesh42() { return *Mesh::get(devices(), {4, 2}, {"x", "y"}); }
Sharding on(const PartitionSpec &spec, const std::string &kind = "") {
  return *Sharding::named(mesh42(), spec, kind);
}
Tensor x() { return ones({8, 4}); }
std::vector<float> values(const Tensor &t) {
  auto v = t.toVector<float>();
  EXPECT_TRUE(v.ok()) << v.error().str();
  return *v;
}
template <typename F> std::string textOf(const F &f, const Tensor &arg) {
  auto lowered = f.lower(arg);
  EXPECT_TRUE(lowered.ok()) << lowered.error().str();
  auto text = lowered->asText();
  EXPECT_TRUE(text.ok()) << text.error().str();
  return *text;
}
bool has(const std::string &text, const std::string &part) {
  return text.find(part) != text.npos;
}

TEST(JitOptions, ShardingsOfNestedTrees) {
  ASSERT_TRUE(configured);
  auto f = jit(
      [](Net net, Tensor v) {
        return std::map<std::string, std::vector<Tensor>>{
            {"out", {net["a"].w * 2.0, net["a"].b + v}}};
      },
      {.inShardings = {std::map<std::string, ShardingTree>{
                           {"a",
                            std::map<std::string, ShardingTree>{
                                {"b", on(P("y"))}, {"w", on(P("x"))}}}},
                       None},
       .outShardings = std::map<std::string, ShardingTree>{
           {"out", {on(P(None, "y")), None}}}});
  Net net{{"a", Layer{x(), x()}}};
  auto traced = f.trace(net, x());
  ASSERT_TRUE(traced.ok()) << traced.error().str();
  EXPECT_TRUE(traced->inShardings[0] == on(P("x")));
  EXPECT_TRUE(traced->inShardings[1] == on(P("y")));
  EXPECT_FALSE(traced->inShardings[2].isSpecified());
  auto out = f(net, x());
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_TRUE(out->at("out")[0].sharding() == on(P(None, "y")));
  EXPECT_EQ(values(out->at("out")[1]), std::vector<float>(32, 2));
  // One sharding for a whole argument.
  auto whole = jit([](Net n) { return n; }, {.inShardings = on(P("x"))})(net);
  ASSERT_TRUE(whole.ok()) << whole.error().str();
  EXPECT_TRUE(whole->at("a").b.sharding() == on(P("x")));
}

TEST(JitOptions, NamesOfFieldsThatAreNotThere) {
  auto wrong = jit([](Layer l) { return l.w; },
                   {.inShardings = {std::tuple{
                        ShardingTree(std::map<std::string, ShardingTree>{
                            {"w", on(P())}, {"c", on(P())}})}}})
                   .trace(Layer{x(), x()});
  EXPECT_TRUE(has(wrong.error().text, "<class 'tuple'>\nbut at the same key "
                                      "path the full pytree has a subtree of "
                                      "different type\n    <class 'Layer'>"))
      << wrong.error().text;
}

enum class Color { Red, Blue };
struct Point {
  int a = 0, b = 0;
  friend bool operator==(const Point &, const Point &) = default;
};

} // namespace
template <> struct std::hash<Point> {
  size_t operator()(const Point &p) const { return p.a; }
};
namespace {

TEST(JitOptions, StaticArgumentsOfAnyType) {
  int64_t traces = 0;
  auto f = jit([&](Tensor v, Static<Point> p, Static<double> scale,
                   Static<Color> c, Static<std::string> name) {
    ++traces;
    return v * (p.value.a + p.value.b * scale.value + (c.value == Color::Blue) +
                double(name.value.size()));
  });
  auto call = [&](Point p, double scale, Color c, const char *name) {
    auto out =
        f(x(), Static(p), Static(scale), Static(c), Static<std::string>(name));
    EXPECT_TRUE(out.ok()) << out.error().str();
    return values(*out)[0];
  };
  EXPECT_EQ(call({1, 2}, 0.5, Color::Red, "ab"), 4);
  EXPECT_EQ(call({1, 2}, 0.5, Color::Red, "ab"), 4);
  EXPECT_EQ(traces, 1);
  // Equal hashes, other values.
  EXPECT_EQ(call({1, 4}, 0.5, Color::Red, "ab"), 5);
  EXPECT_EQ(call({1, 2}, 0.25, Color::Red, "ab"), 3.5f);
  EXPECT_EQ(call({1, 2}, 0.5, Color::Blue, "ab"), 5);
  EXPECT_EQ(call({1, 2}, 0.5, Color::Red, "a"), 3);
  EXPECT_EQ(traces, 5);
}

TEST(JitOptions, DonationOfOneDevice) {
  std::vector<std::string> warnings;
  WarningHandler old =
      setWarningHandler([&](const std::string &w) { warnings.push_back(w); });
  auto plusOne = jit([](Tensor v) { return v + 1.0; }, {.donate = {0}});
  Tensor a = lax::copy(x());
  EXPECT_TRUE(has(textOf(plusOne, a), "tf.aliasing_output = 0"));
  ASSERT_TRUE(plusOne(a).ok());
  EXPECT_TRUE(a.isDeleted());
  EXPECT_TRUE(warnings.empty());
  // As many elements, another shape.
  auto reshaped = jit([](Tensor v) { return reshape(v + 1.0, {4, 8}); },
                      {.donateNames = {"v"}, .argNames = {"v"}});
  EXPECT_TRUE(has(textOf(reshaped, x()), "jax.buffer_donor = true"));
  // No result to take the buffer over: it is kept.
  auto total = jit([](Tensor v) { return sum(v); }, {.donate = {-1}});
  Tensor b = lax::copy(x());
  ASSERT_TRUE(total(b).ok());
  EXPECT_FALSE(b.isDeleted());
  EXPECT_EQ(warnings, std::vector<std::string>{
                          "Some donated buffers were not usable: float32[8,4]."
                          "\nSee an explanation at https://docs.jax.dev/en/"
                          "latest/faq.html#buffer-donation."});
  setWarningHandler(old);
}

// Feature: donation
TEST(JitOptions, DonationOnAMesh) {
  auto f = [](Tensor v) { return v + 1.0; };
  Tensor a = devicePut(x(), on(P("x")));
  EXPECT_TRUE(has(textOf(jit(f, {.donate = {0}}), a), "jax.buffer_donor"));
  auto known = jit(f, {.outShardings = on(P("x")), .donate = {0}});
  EXPECT_TRUE(has(textOf(known, a), "tf.aliasing_output = 0"));
  ASSERT_TRUE(known(a).ok());
  EXPECT_TRUE(a.isDeleted());
  WarningHandler old = setWarningHandler([](const std::string &) {});
  auto other = jit(f, {.outShardings = on(P("y")), .donate = {0}});
  Tensor b = devicePut(x(), on(P("x")));
  std::string text = textOf(other, b);
  EXPECT_FALSE(has(text, "donor") || has(text, "aliasing")) << text;
  ASSERT_TRUE(other(b).ok());
  EXPECT_FALSE(b.isDeleted());
  setWarningHandler(old);
}

TEST(JitOptions, NestedShardingsAreConstraints) {
  auto inner =
      jit([](Tensor v) { return v + 1.0; }, {.inShardings = on(P("x")),
                                             .outShardings = on(P("y")),
                                             .donate = {0},
                                             .name = "inner"});
  auto f = jit([=](Tensor v) { return *inner(v) * 2.0; });
  std::string text = textOf(f, devicePut(x(), on(P())));
  EXPECT_TRUE(has(text, "sdy.sharding_constraint %arg0 <@mesh, [{\"x\"}, {}]>"))
      << text;
  EXPECT_TRUE(has(text, "<@mesh, [{\"y\"}, {}]>")) << text;
  auto jaxpr = jaxprText([=](Tensor v) { return *inner(v); }, x());
  ASSERT_TRUE(jaxpr.ok());
  EXPECT_TRUE(has(*jaxpr, "donated_invars=(True,)")) << *jaxpr;
  EXPECT_TRUE(has(*jaxpr, "in_shardings=(NamedSharding(")) << *jaxpr;
  // The devices of the shardings inside are those of the program.
  auto out = f(x());
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(out->devices().size(), 8u);
  EXPECT_EQ(values(*out), std::vector<float>(32, 4));
  auto gradient = grad([=](Tensor v) { return sum(*inner(v) * v); })(x());
  ASSERT_TRUE(gradient.ok()) << gradient.error().str();
  EXPECT_EQ(values(*gradient), std::vector<float>(32, 3));
  auto batched = jaxprText(
      [=](Tensor v) { return *vmap([=](Tensor u) { return *inner(u); })(v); },
      ones({3, 8, 4}));
  ASSERT_TRUE(batched.ok()) << batched.error().str();
  EXPECT_TRUE(has(*batched, "spec=P(None, 'x')")) << *batched;
}

TEST(JitOptions, InlinedFunctionsLeaveNoCall) {
  auto body = [](Tensor v) { return v + 1.0; };
  auto plain = jit(body, {.inlined = true});
  auto text = jaxprText([=](Tensor v) { return *plain(v); }, x());
  ASSERT_TRUE(text.ok());
  EXPECT_FALSE(has(*text, "jit[")) << *text;
  auto placed = jit(body, {.inShardings = on(P("x")), .inlined = true});
  auto kept = jaxprText([=](Tensor v) { return *placed(v); }, x());
  EXPECT_TRUE(has(*kept, "jit[")) << *kept;
  EXPECT_EQ(values(*plain(x())), std::vector<float>(32, 2));
}

// Feature: device-list
TEST(JitOptions, DevicePutInside) {
  Sharding host = on(P("x"), "pinned_host");
  auto f = jit([=](Tensor v) { return devicePut(v * 2.0, host); });
  auto out = f(devicePut(x(), on(P("x"))));
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(out->sharding().memoryKind(), "pinned_host");
  EXPECT_EQ(out->aval().str(), "f32<host>[8,4]");
  EXPECT_EQ(values(*out), std::vector<float>(32, 2));
  // Values stay in the memory of their operands.
  auto again = jit([](Tensor v) { return v + 1.0; })(*out);
  ASSERT_TRUE(again.ok()) << again.error().str();
  EXPECT_EQ(again->sharding().memoryKind(), "pinned_host");
  auto back =
      jit([](Tensor v) { return devicePut(v, on(P("x"))) + 1.0; })(*out);
  ASSERT_TRUE(back.ok()) << back.error().str();
  EXPECT_EQ(back->sharding().memoryKind(), "device");
  auto text = jaxprText([](Tensor v) { return devicePut(v, Device{1}); }, x());
  EXPECT_TRUE(has(*text, "devices=(CpuDevice(id=1),)")) << *text;
  auto gradient =
      grad([=](Tensor v) { return sum(devicePut(v * v, on(P("x")))); })(x());
  ASSERT_TRUE(gradient.ok()) << gradient.error().str();
  EXPECT_EQ(values(*gradient), std::vector<float>(32, 2));
  Mesh typed = *makeMesh({4, 2}, {"x", "y"});
  auto explicitly = jaxprText(
      [=](Tensor v) { return devicePut(v, NamedSharding(typed, P("x"))); },
      x());
  EXPECT_TRUE(has(*explicitly, "b:f32[8@x,4]")) << *explicitly;
}

/// Inside jit a format is only in the equation, as in JAX.
TEST(JitOptions, DevicePutOfAFormatInside) {
  Format columns = *Format::get(Layout({1, 0}), on(P("x")));
  auto put = [=](Tensor v) { return devicePut(v * 2.0, columns); };
  auto text = jaxprText(put, x());
  ASSERT_TRUE(text.ok()) << text.error().str();
  EXPECT_TRUE(has(*text, "devices=(" + columns.str() + ",)")) << *text;
  auto out = jit(put)(x());
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_TRUE(out->format().layout()->isRowMajor());
  EXPECT_EQ(out->devices().size(), 1u);
  EXPECT_EQ(values(*out), std::vector<float>(32, 2));
}

TEST(JitOptions, AutomaticLayoutsAreRowMajor) {
  Format automatic = *Format::get(Layout::automatic());
  auto f = jit([](Tensor v) { return v * 2.0; },
               {.inShardings = automatic, .outShardings = automatic});
  auto lowered = f.lower(x());
  ASSERT_TRUE(lowered.ok()) << lowered.error().str();
  EXPECT_TRUE(has(*lowered->asText(), "mhlo.layout_mode = \"auto\""));
  auto compiled = lowered->compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().str();
  for (const Format &format :
       {compiled->inputFormats()[0], compiled->outputFormats()[0]})
    EXPECT_EQ(*format.layout(), Layout({0, 1}));
  EXPECT_EQ(values(*f(x())), std::vector<float>(32, 2));
}

TEST(JitOptions, LayoutsGoThroughPrograms) {
  Expected<Format> columns = Format::get(Layout({1, 0}), on(P("x")));
  auto f = jit([](Tensor v) { return v * 2.0; },
               {.inShardings = columns, .outShardings = columns});
  std::string text = textOf(f, x());
  EXPECT_TRUE(has(text, "mhlo.layout_mode = \"{0,1}\"")) << text;
  auto out = f(x());
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(out->format().layout()->majorToMinor(), (Ints{1, 0}));
  EXPECT_EQ(values(*out), std::vector<float>(32, 2));
  // Without a request, results are row-major.
  auto plain = jit([](Tensor v) { return v * 2.0; })(*out);
  EXPECT_TRUE(plain->format().layout()->isRowMajor());
  auto compiled = f.lower(x())->compile();
  ASSERT_TRUE(compiled.ok());
  EXPECT_TRUE(compiled->outputFormats()[0] == out->format());
  auto bytes = compiled->serialize();
  ASSERT_TRUE(bytes.ok());
  auto loaded = loadProgram(*bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.error().str();
  EXPECT_TRUE(loaded->inputFormats()[0] == compiled->inputFormats()[0]);
  EXPECT_EQ((*loaded)(devicePut(x(), on(P("x"))))[0].error().kind,
            ErrorKind::Value);
}

TEST(JitOptions, TreesOfCompiledCalls) {
  auto f = jit(
      [](Net net, Static<int64_t> n) {
        return std::map<std::string, std::vector<Tensor>>{
            {"l", {net["a"].w * double(n.value), net["a"].b}}};
      },
      {.argNames = {"net", "n"}});
  Net net{{"a", Layer{x(), x()}}};
  auto compiled = f.lower(net, Static<int64_t>(3))->compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().str();
  EXPECT_EQ(values((*compiled)(net)[0]), std::vector<float>(32, 3));
  EXPECT_TRUE((*compiled)(net, Static<int64_t>(3))[0].ok());
  EXPECT_EQ((*compiled)(net, Static<int64_t>(4))[0].error().kind,
            ErrorKind::Type);
  auto out = compiled->callAs<std::map<std::string, std::vector<Tensor>>>(net);
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(out->at("l").size(), 2u);
  EXPECT_EQ(
      compiled->callAs<Tensor>(net).error().text,
      "The result of the compiled program is a tree {'l': [*, *]}, not *");
  auto loaded = loadProgram(*compiled->serialize());
  ASSERT_TRUE(loaded.ok()) << loaded.error().str();
  EXPECT_EQ((*loaded)(x())[0].error().text,
            "Function compiled with input pytree does not match the input "
            "pytree it was called with. There are 1 mismatches, including:\n"
            "    * at args[0], seen <class 'dict'> but now given pytree leaf, "
            "so their Python types differ");
  auto info = compiled->argsInfo();
  ASSERT_EQ(info.size(), 2u);
  EXPECT_EQ(info[1].name, "net['a'].b");
  EXPECT_FALSE(info[1].donated);
}

TEST(JitOptions, KeysOfMapsWithQuotes) {
  using Map = std::map<std::string, Tensor>;
  auto f = jit([](Map m) { return m; });
  Map odd{{"a':*,'b", x()}}, two{{"a", x()}, {"b", x()}};
  auto first = f(odd), second = f(two);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->size(), 1u);
  EXPECT_EQ(second->size(), 2u);
  EXPECT_EQ(f.trace(odd)->trees.in.children[0].keys[0], "a':*,'b");
}

TEST(JitOptions, DisabledJitRunsTheFunction) {
  int64_t calls = 0;
  auto f = jit([&](Tensor v) { return ++calls, v + 1.0; });
  ScopedConfig off(config::disableJit, true);
  EXPECT_EQ(values(*f(x())), std::vector<float>(32, 2));
  EXPECT_EQ(values(*f(x())), std::vector<float>(32, 2));
  EXPECT_EQ(calls, 2);
}

TEST(JitOptions, StructureOfTheResultIsThatOfTheArguments) {
  // One result for each row: the structure depends on the shape.
  auto rows = jit([](Tensor x) { return lax::unstack(x, 0); });
  for (int64_t n : {2, 3, 2, 1, 3}) {
    auto out = rows(ones({n, 4}));
    ASSERT_TRUE(out.ok()) << out.error().str();
    EXPECT_EQ(out->size(), static_cast<size_t>(n));
    for (const Tensor &row : *out)
      EXPECT_EQ(values(row), std::vector<float>(4, 1));
  }
}

/// Numbers inside trees are part of the trace, so they are part of its key.
TEST(JitOptions, NumbersInTreesAreInTheKey) {
  using Tree = std::pair<Tensor, std::vector<double>>;
  auto f = jit([](const Tree &t) { return t.first * t.second[0]; });
  Tensor x = ones({2});
  for (double factor : {2.0, 3.0, 3.5, 2.0})
    EXPECT_EQ(f(Tree{x, {factor}})->toVector<float>()->front(), factor);
  auto compiled = f.lower(Tree{x, {2}})->compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().str();
  EXPECT_EQ((*compiled)(Tree{x, {2}})[0].toVector<float>()->front(), 2);
  EXPECT_NE((*compiled)(Tree{x, {3}})[0].error().text.find(
                "number 2 but now given number 3"),
            std::string::npos);
}

/// Numbers of C++ are arguments as others: a finished program takes
/// each value. A function that takes only numbers is traced for
/// each of them.
TEST(JitOptions, NumbersAreArguments) {
  auto f = jit([](Tensor a, Tensor b) { return a + 10.0 * b; });
  auto whole = jit([](Tensor a, int64_t b) { return a + 10.0 * b; });
  auto each = pmap([](Tensor a, auto b) { return a + 10.0 * b; },
                   {.inAxes = {0, None}});
  Tensor x = ones({2});
  for (int64_t i = 1; i < 4; ++i) {
    double number = static_cast<double>(i);
    EXPECT_EQ(f(x, number)->toVector<float>()->front(), 1 + 10 * number);
    EXPECT_EQ(f(x, i)->toVector<float>()->front(), 1 + 10 * number);
    EXPECT_EQ(whole(x, i)->toVector<float>()->front(), 1 + 10 * number);
    EXPECT_EQ(each(x, number)->toVector<float>()->front(), 1 + 10 * number);
  }
}

} // namespace

//===- frontend_run_mistakes.cc - mistakes that running shows -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of frontend_run_errors.py.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <map>

using namespace shardwright::frontend;

using Mistakes = std::map<std::string, std::function<Error()>>;
Mistakes nestedDeviceMistakes();
Mistakes donationWarnings();
Mistakes tracedCallMistakes();
Mistakes bodyMistakes();
std::string optionError(const std::string &name, const std::string &value);

namespace {

using Pair = std::pair<Tensor, Tensor>;

const Mesh &autoMesh() {
  static const Mesh mesh = *Mesh::get(devices(), {4, 2}, {"x", "y"});
  return mesh;
}
const Mesh &typedMesh() {
  static const Mesh mesh = *makeMesh({4, 2}, {"x", "y"});
  return mesh;
}
/// On devices 0, 1 or on devices 2, 3.
Sharding onPair(const PartitionSpec &spec, int32_t first = 0) {
  return NamedSharding(*Mesh::get({{first}, {first + 1}}, {2}, {"x"}), spec);
}
Tensor x() { return ones({8, 4}); }
Tensor placed(const PartitionSpec &spec = P()) {
  return devicePut(x(), onPair(spec));
}
Tensor onOne(const Shape &shape) { return devicePut(ones(shape), Device{0}); }
Tensor f(Tensor v) { return v + 1.0; }
Tensor same(Tensor v) { return v; }
Tensor summed(Tensor v) { return sum(v); }

JitOptions nameF() { return {.name = "f", .argNames = {"x"}}; }
/// A jitted function of the name f.
template <typename F> Error calling(F inner) {
  return jit([=](Tensor v) -> Expected<Tensor> { return inner(v); },
             nameF())(placed())
      .error();
}
Error inContext(JitOptions options) {
  ScopedMesh context(autoMesh());
  return jit(f, std::move(options))(x()).error();
}

/// The texts of the warnings of a call, as that of an error.
template <typename F, typename... Args>
Error warningsOf(F function, JitOptions options, const Args &...args) {
  std::string texts;
  WarningHandler old = setWarningHandler([&](const std::string &text) {
    texts += (texts.empty() ? "" : "; ") + text;
  });
  for (size_t i = 0; i < sizeof...(args); ++i)
    options.donate.push_back(static_cast<int64_t>(i));
  Expected<Tensor> out = jit(function, std::move(options))(args...);
  setWarningHandler(old);
  return out ? makeError(ErrorKind::Runtime, texts) : out.error();
}

JitOptions fast() {
  JitOptions options = nameF();
  options.compilerOptions = {{"xla_cpu_enable_fast_math", true}};
  return options;
}
CompiledStage compiled(const Shape &shape = {8, 4}) {
  return *jit(f).lower(ones(shape))->compile();
}
Tensor called(const Tensor &v, const Shape &shape = {8, 4}) {
  return compiled(shape)(v)[0];
}
Tensor printed(Tensor v) {
  debugPrint(DebugOptions{.ordered = true}, "{}", v);
  return v;
}

template <typename F>
Error autoMap(F body, const ShardingTree &in = P("x"),
              const ShardingTree &out = P("x")) {
  return jit(shardMap(
      body, {.mesh = autoMesh(), .in = in, .out = out, .name = "f"}))(x())
      .error();
}
/// A body that scans twice with a carry.
template <typename F>
Error scanned(F step, const Tensor &init, const PartitionSpec &spec = P("x")) {
  return autoMap(
      [=](Tensor v) -> Expected<Tensor> {
        auto out = scan(
            [=](Tensor c, std::tuple<>) {
              return std::pair{step(c, v), std::tuple<>()};
            },
            init, std::tuple<>(), {.length = 2});
        return out ? Expected<Tensor>(out->first) : out.error();
      },
      spec, spec);
}
template <typename F> Error scannedPair(F step) {
  return autoMap([=](Tensor v) -> Expected<Pair> {
    auto out = scan(
        [=](Pair c, std::tuple<>) {
          return std::pair{step(c, v), std::tuple<>()};
        },
        Pair{zeros({2, 4}), ones({2, 4})}, std::tuple<>(), {.length = 2});
    return out ? Expected<Pair>(out->first) : out.error();
  });
}
Tensor varyingZeros(Tensor) {
  return lax::pcast(zeros({2, 4}), "y", Vary::Varying);
}
template <typename F> Error outside(F function) {
  return jit([=](Tensor v) { return function(v); })(x()).error();
}
/// A mapped dimension that an Explicit axis shards.
Error mapped(const PartitionSpec &in, const PartitionSpec &out,
             bool check = true, const AxisNames &names = {}) {
  ScopedMesh context(typedMesh());
  auto function = vmap(shardMap(
      same, {.in = in, .out = out, .axisNames = names, .checkVma = check}));
  Tensor v = devicePut(ones({8, 8}), NamedSharding(typedMesh(), P("x")));
  return jaxprText([=](Tensor a) { return function(a); }, v).error();
}

} // namespace

/// Section 4.3 and 4.4.
Mistakes nestedDeviceMistakes() {
  return {
      {"devices of a nested argument",
       [] { return calling(jit(f, {.inShardings = onPair(P("x"), 2)})); }},
      {"devices of a nested result",
       [] { return calling(jit(f, {.outShardings = onPair(P("x"), 2)})); }},
      {"devices of a placement",
       [] {
         return calling(
             [](Tensor v) { return devicePut(v, onPair(P("x"), 2)); });
       }},
      {"devices of a nested constraint",
       [] {
         return calling(jit([](Tensor v) {
           return withShardingConstraint(v, onPair(P("x"), 2)) + 1.0;
         }));
       }},
      {"axis twice in in_shardings",
       [] { return inContext({.inShardings = P("x", "x")}); }},
      {"axis twice in out_shardings",
       [] { return inContext({.outShardings = P("x", "x")}); }},
      {"unknown axis in in_shardings",
       [] { return inContext({.inShardings = P("z")}); }},
      {"rank of a constraint",
       [] {
         return outside([](Tensor v) {
           return withShardingConstraint(
               v, NamedSharding(autoMesh(), P("x", "y", None)));
         });
       }},
      {"arguments of an executable",
       [] { return compiled().call({x(), x()})[0].error(); }},
      {"pointer to several buffers",
       [] { return placed(P("x")).unsafeBufferPointer().error(); }},
  };
}

/// Section 4.6: warnings about donated buffers.
Mistakes donationWarnings() {
  static const auto both = [](Tensor a, Tensor b) { return sum(a) + sum(b); };
  static const auto second = [](Tensor, Tensor b) { return sum(b); };
  return {
      {"donated for a scalar",
       [] { return warningsOf(summed, {}, onOne({8, 4})); }},
      {"donated from the host", [] { return warningsOf(summed, {}, x()); }},
      {"two donated",
       [] { return warningsOf(both, {}, onOne({8, 4}), onOne({3})); }},
      {"one of two donated",
       [] {
         return warningsOf([](Tensor a, Tensor b) { return a + sum(b); }, {},
                           onOne({8, 4}), onOne({3}));
       }},
      {"donated and not used",
       [] { return warningsOf(second, {}, onOne({8, 4}), onOne({8, 4})); }},
      {"donated and kept",
       [] {
         return warningsOf(second, {.keepUnused = true}, onOne({8, 4}),
                           onOne({3}));
       }},
      {"donated for as many elements",
       [] {
         return warningsOf([](Tensor v) { return reshape(v, {4, 8}); }, {},
                           onOne({8, 4}));
       }},
      {"donated on several devices",
       [] {
         return warningsOf(summed, {.outShardings = onPair(P())},
                           placed(P("x")));
       }},
      {"donated for a result that is not known",
       [] { return warningsOf(summed, {}, placed(P("x"))); }},
      {"donated for another sharding",
       [] {
         return warningsOf(f, {.outShardings = onPair(P())}, placed(P("x")));
       }},
  };
}

/// Sections 4.8, 4.10, 4.11.
Mistakes tracedCallMistakes() {
  static const auto quick = [](Tensor v) -> Expected<Tensor> {
    return jit(f, fast())(v);
  };
  auto option = [](const char *name, const CompilerOption &value) {
    return jit(f, {.compilerOptions = {{name, value}}});
  };
  return {
      {"compiled program in jit",
       [] { return outside([](Tensor v) { return called(v); }); }},
      {"compiled program in grad",
       [] {
         return grad([](Tensor v) { return sum(called(v)); })(x()).error();
       }},
      {"compiled program in vmap",
       [] {
         return vmap([](Tensor v) { return called(v, {4}); })(x()).error();
       }},
      {"ordered print on several devices",
       [] { return jit(printed)(placed()).error(); }},
      {"ordered print in a body", [] { return autoMap(printed); }},
      {"options in grad",
       [] {
         return grad([](Tensor v) { return sum(*quick(v)); })(x()).error();
       }},
      {"options in vmap in jit",
       [] { return jit(vmap(jit(f, fast())))(x()).error(); }},
      {"options in a loop",
       [] {
         return scan([](Tensor c, Tensor v) { return Pair{c, *quick(v)}; },
                     scalarOf(0.0, DType::F32), x())
             .error();
       }},
      {"options in a linearization",
       [] { return linearize(jit(f, fast()), x()).error(); }},
      {"unknown option of XLA",
       [=] { return option("xla_foo_bar", true)(x()).error(); }},
      {"unknown option of XLA in vmap",
       [=] { return vmap(option("xla_foo_bar", true))(x()).error(); }},
      {"value of an option in vmap",
       [=] {
         return vmap(option("xla_cpu_enable_fast_math", "maybe"))(x()).error();
       }},
      {"unknown option of a stage",
       [] {
         return jit(f).lower(x())->compile({}, {{"xla_tpu_foo", 1}}).error();
       }},
  };
}

/// Section 6.
static Mistakes carryMistakes() {
  return {
      {"carry of a scan in a body",
       [] {
         return scanned([](Tensor c, Tensor v) { return c + v; },
                        zeros({2, 4}));
       }},
      {"carry that varies along two axes",
       [] {
         return scanned([](Tensor c, Tensor v) { return c + v; }, zeros({1, 4}),
                        P(axes("x", "y")));
       }},
      {"two carries of a scan in a body",
       [] {
         return scannedPair(
             [](Pair c, Tensor v) { return Pair{c.first + v, c.second * v}; });
       }},
      {"one of two carries in a body",
       [] {
         return scannedPair([](Pair c, Tensor v) {
           return Pair{c.first + 1.0, c.second * v};
         });
       }},
      {"carry of a loop in a body",
       [] {
         return autoMap([](Tensor v) -> Expected<Tensor> {
           Expected<Pair> out = whileLoop(
               [](Pair c) { return c.first < 3; },
               [=](Pair c) { return Pair{c.first + 1, c.second + v}; },
               Pair{Tensor(0), zeros({2, 4})});
           return out ? Expected<Tensor>(out->second) : out.error();
         });
       }},
      {"carry with another shape in a body",
       [] {
         return scanned(
             [](Tensor, Tensor v) { return lax::slice(v, {0, 0}, {1, 4}); },
             zeros({2, 4}));
       }},
      {"branches that vary along other axes",
       [] {
         return autoMap(
             [](Tensor v) {
               return cond(scalarOf(1.0, DType::Bool), same, varyingZeros, v);
             },
             P("x"), P("x", "y"));
       }},
      {"branches of two results in a body",
       [] {
         return autoMap(
             [](Tensor v) {
               return cond(
                   scalarOf(1.0, DType::Bool),
                   [](Tensor a) { return Pair{a, a}; },
                   [](Tensor a) { return Pair{varyingZeros(a), a}; }, v);
             },
             P("x"), P("x", "y"));
       }},
      {"four carries of a scan in a body",
       [] {
         return autoMap([](Tensor v) -> Expected<std::vector<Tensor>> {
           auto out = scan(
               [=](std::vector<Tensor> c, std::tuple<>) {
                 for (Tensor &x : c)
                   x = x + v;
                 return std::pair{c, std::tuple<>()};
               },
               std::vector<Tensor>(4, zeros({2, 4})), std::tuple<>(),
               {.length = 2});
           return out ? Expected<std::vector<Tensor>>(out->first) : out.error();
         });
       }},
      {"carry that does not vary",
       [] {
         return autoMap([](Tensor v) -> Expected<Tensor> {
           auto out = scan(
               [](Tensor, std::tuple<>) {
                 return std::pair{zeros({2, 4}), std::tuple<>()};
               },
               v, std::tuple<>(), {.length = 2});
           return out ? Expected<Tensor>(out->first) : out.error();
         });
       }},
  };
}

Mistakes bodyMistakes() {
  Mistakes all = carryMistakes();
  all.merge(Mistakes{
      {"cast to reduced",
       [] {
         return autoMap(
             [](Tensor v) { return lax::pcast(v, "x", Vary::Reduced); });
       }},
      {"psum outside",
       [] { return outside([](Tensor v) { return lax::psum(v, "q"); }); }},
      {"all_to_all outside",
       [] {
         return outside([](Tensor v) { return lax::all_to_all(v, "q", 0, 0); });
       }},
      {"psum_scatter outside",
       [] {
         return outside([](Tensor v) { return lax::psum_scatter(v, "q"); });
       }},
      {"ppermute outside",
       [] {
         return outside(
             [](Tensor v) { return lax::ppermute(v, "q", {{0, 1}}); });
       }},
      {"axis_index outside",
       [] {
         return outside([](Tensor v) { return v + lax::axis_index("q"); });
       }},
      {"axis_size outside",
       [] {
         return outside([](Tensor v) -> Expected<Tensor> {
           Expected<int64_t> size = lax::axis_size("q");
           return size ? Expected<Tensor>(v * *size) : size.error();
         });
       }},
      {"vmapped axis in specs", [] { return mapped(P("x"), P("y")); }},
      {"vmapped axis in out specs", [] { return mapped(P("y"), P("x")); }},
      {"vmapped axis in specs without the check",
       [] { return mapped(P("x"), P("y"), /*check=*/false); }},
      {"vmapped axis in names",
       [] { return mapped(P("y"), P("y"), /*check=*/true, {"x"}); }},
  });
  return all;
}

std::string optionError(const std::string &name, const std::string &value) {
  Expected<Tensor> out = jit(f, {.compilerOptions = {{name, value}}})(x());
  return out ? "" : out.error().str();
}

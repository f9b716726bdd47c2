//===- custom_partitioning_test.cc - functions that users partition -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mistakes of partition functions, programs that they run, and where functions
// are not partitioned. test/oracle/frontend_custom_partitioning.py compares
// results and what partition functions get with JAX.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace shardwright::frontend;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

Mesh meshOf(const Ints &sizes, const AxisNames &names) {
  std::vector<Device> all = devices();
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  all.resize(count);
  return *Mesh::get(all, sizes, names);
}
Sharding over(const Mesh &mesh, const PartitionSpec &spec) {
  return *Sharding::named(mesh, spec);
}
Tensor sharded(const Mesh &mesh) {
  return devicePut(arange(16, DType::F32), over(mesh, P("x")));
}

/// Doubles its argument, and counts calls of the partition function.
struct Doubled {
  int calls = 0;
  /// Changes what the partition function returns, or fails.
  std::function<Expected<Partition>(const Mesh &, const Tensors &)> answer;

  CustomPartitioningOptions options() {
    CustomPartitioningOptions o;
    o.name = "doubled";
    o.shardingRule = "i -> i";
    o.partition = [this](const Mesh &mesh, const Tensors &args,
                         const Tensors &) -> Expected<Partition> {
      ++calls;
      return answer ? answer(mesh, args) : Expected<Partition>(usual(args));
    };
    return o;
  }
  static Partition usual(const Tensors &args) {
    return {.lower = [](const Tensors &x) { return Tensors{x[0] * 2.0f}; },
            .results = {args[0].sharding()},
            .args = {args[0].sharding()}};
  }
  auto function() {
    return customPartitioning([](Tensor x) { return x * 2.0f; }, options());
  }
  /// The error of a program on the mesh, or "no error".
  std::string error(const Mesh &mesh) {
    auto f = function();
    auto out = jit([f](Tensor x) { return *f(x); })(sharded(mesh));
    if (!out)
      return out.error().str();
    Status status = out->blockUntilReady();
    return status ? "no error" : status.error().str();
  }
};

} // namespace

// Feature: custom-partitioning
TEST(CustomPartitioning, IsCalledWhenAProgramIsCompiled) {
  Mesh mesh = meshOf({8}, {"x"});
  Doubled doubled;
  auto f = doubled.function();
  auto compiled = jit([f](Tensor x) { return *f(x); });
  for (int i = 0; i < 2; ++i) {
    auto out = compiled(sharded(mesh));
    ASSERT_TRUE(out) << out.error().str();
    EXPECT_EQ((*out->toVector<float>())[15], 30);
    EXPECT_EQ(out->sharding().spec().str(), "P('x',)");
    EXPECT_EQ(doubled.calls, 1);
  }
  auto lowered = compiled.lower(sharded(mesh));
  ASSERT_TRUE(lowered);
  EXPECT_THAT(*lowered->report(), HasSubstr("collectives\n  none"));
  EXPECT_THAT(*lowered->asText(), HasSubstr("@CustomSPMDPartitioning"));
}

TEST(CustomPartitioning, IsTheFunctionWhereNothingIsDivided) {
  Doubled doubled;
  auto f = doubled.function();
  Tensor x = arange(4, DType::F32);
  EXPECT_EQ((*f(x)->toVector<float>())[3], 6);
  auto lowered = jit([f](Tensor x) { return *f(x); }).lower(x);
  ASSERT_TRUE(lowered);
  EXPECT_THAT(*lowered->asText(), Not(HasSubstr("custom_call")));
  Mesh mesh = meshOf({8}, {"x"});
  auto mapped = jit(shardMap([f](Tensor x) { return *f(x); },
                             {.mesh = mesh, .in = P("x"), .out = P("x")}));
  EXPECT_EQ((*mapped(sharded(mesh))->toVector<float>())[15], 30);
  EXPECT_EQ(doubled.calls, 0);
  // Along axes that are not manual it is divided.
  Mesh two = meshOf({4, 2}, {"x", "y"});
  auto partial = jit(
      shardMap([f](Tensor x) { return *f(x); },
               {.mesh = two, .in = P("x"), .out = P("x"), .axisNames = {"x"}}));
  auto out = partial(devicePut(arange(16, DType::F32), over(two, P("x"))));
  ASSERT_TRUE(out) << out.error().str();
  EXPECT_EQ((*out->toVector<float>())[15], 30);
  EXPECT_EQ(doubled.calls, 1);
}

TEST(CustomPartitioning, SaysWhatIsWrong) {
  Mesh mesh = meshOf({8}, {"x"});
  Doubled doubled;
  auto error = [&](auto answer) {
    doubled.answer = answer;
    std::string text = doubled.error(mesh);
    EXPECT_THAT(text, HasSubstr("INTERNAL: custom_partitioner: "
                                "custom_partitioning of 'doubled': "));
    // The next program works.
    doubled.answer = nullptr;
    EXPECT_EQ(doubled.error(mesh), "no error");
    return text;
  };
  using Answer = Expected<Partition>;
  EXPECT_THAT(error([](const Mesh &, const Tensors &) -> Answer {
                throw std::runtime_error("thrown");
              }),
              HasSubstr("thrown"));
  EXPECT_THAT(error([](const Mesh &, const Tensors &) -> Answer { throw 7; }),
              HasSubstr("not derived from std::exception"));
  EXPECT_THAT(error([](const Mesh &, const Tensors &) -> Answer {
                return typeError("returned");
              }),
              HasSubstr("TypeError: returned"));
  auto changed = [](auto change) {
    return [change](const Mesh &, const Tensors &args) -> Answer {
      Partition p = Doubled::usual(args);
      change(p);
      return p;
    };
  };
  EXPECT_THAT(error(changed([](Partition &p) { p.lower = nullptr; })),
              HasSubstr("no function that computes shards"));
  EXPECT_THAT(error(changed([](Partition &p) { p.results.clear(); })),
              HasSubstr("lengths must match: 0 vs 1"));
  EXPECT_THAT(error(changed([](Partition &p) { p.args[0] = Sharding(); })),
              HasSubstr("Custom Partitioning rules must return Sharding."));
  EXPECT_THAT(error(changed([&](Partition &p) {
                p.args[0] = over(mesh, P(std::nullopt, "x"));
              })),
              HasSubstr("does not fit float32[16]"));
  EXPECT_THAT(error(changed([](Partition &p) {
                p.args[0] = over(meshOf({4}, {"z"}), P("z"));
              })),
              HasSubstr("must be over the devices of its mesh in their order, "
                        "got NamedSharding(mesh=Mesh('z': 4"));
  EXPECT_THAT(error(changed([](Partition &p) { p.mesh = meshOf({4}, {"x"}); })),
              HasSubstr("must have the devices of the program"));
  EXPECT_THAT(error(changed([](Partition &p) {
                p.lower = [](const Tensors &x) { return Tensors{sum(x[0])}; };
              })),
              HasSubstr("ValueError: Mismatch in result shapes. "
                        "[ShapedArray(float32[])] vs "
                        "[ShapedArray(float32[2])]"));
  EXPECT_THAT(error(changed([](Partition &p) {
                p.lower = [](const Tensors &x) -> Tensors {
                  throw std::runtime_error("while it was traced");
                };
              })),
              HasSubstr("while it was traced"));
  EXPECT_THAT(error(changed([](Partition &p) {
                p.lower = [](const Tensors &x) {
                  return Tensors{lax::psum(x[0], "nowhere")};
                };
              })),
              HasSubstr("nowhere"));
}

TEST(CustomPartitioning, MayRunAndCompilePrograms) {
  Mesh mesh = meshOf({8}, {"x"});
  Doubled outer, inner;
  outer.answer = [&](const Mesh &, const Tensors &args) -> Expected<Partition> {
    EXPECT_EQ(inner.error(mesh), "no error");
    double factor =
        *jit([](Tensor x) { return x + 1.0f; })(Tensor(1.0f))->item();
    Partition p = Doubled::usual(args);
    p.lower = [factor](const Tensors &x) {
      return Tensors{x[0] * static_cast<float>(factor)};
    };
    return p;
  };
  EXPECT_EQ(outer.error(mesh), "no error");
  EXPECT_EQ(inner.calls, 1);
}

TEST(CustomPartitioning, TakesOtherAxesAndMovesValues) {
  Mesh mesh = meshOf({8}, {"x"}), other = meshOf({2, 4}, {"a", "b"});
  Doubled doubled;
  doubled.answer = [&](const Mesh &, const Tensors &) -> Expected<Partition> {
    return Partition{.mesh = other,
                     .lower =
                         [](const Tensors &x) {
                           return Tensors{x[0] * 2.0f +
                                          0.0f * lax::psum(x[0], "a")};
                         },
                     .results = {over(other, P("b"))},
                     .args = {over(other, P("b"))}};
  };
  auto f = doubled.function();
  auto out = jit([f](Tensor x) { return *f(x) + 1.0f; })(sharded(mesh));
  ASSERT_TRUE(out) << out.error().str();
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ((*out->toVector<float>())[i], 2 * i + 1);
}

TEST(CustomPartitioning, CallsFunctionsOfTheHostOnEachDevice) {
  Mesh mesh = meshOf({8}, {"x"});
  std::atomic<int> calls = 0;
  Doubled doubled;
  doubled.answer = [&](const Mesh &,
                       const Tensors &args) -> Expected<Partition> {
    Partition p = Doubled::usual(args);
    p.lower = [&](const Tensors &x) {
      return Tensors{pureCallback(
          [&](Tensor v) {
            ++calls;
            EXPECT_EQ(v.shape(), Shape{2});
            return v * 2.0f;
          },
          shapeDtypeStruct({2}, DType::F32), x[0])};
    };
    return p;
  };
  auto f = doubled.function();
  auto compiled = jit([f](Tensor x) { return *f(x); });
  auto out = compiled(sharded(mesh));
  ASSERT_TRUE(out) << out.error().str();
  EXPECT_EQ((*out->toVector<float>())[15], 30);
  EXPECT_EQ(calls, 8);
  // Its program refers to a function of this process.
  auto saved = compiled.lower(sharded(mesh))->compile()->serialize();
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().str(), HasSubstr("host_callbacks"));
}

TEST(CustomPartitioning, IsSavedWithItsProgram) {
  Mesh mesh = meshOf({8}, {"x"});
  Doubled doubled;
  auto f = doubled.function();
  auto compiled =
      jit([f](Tensor x) { return *f(x); }).lower(sharded(mesh))->compile();
  ASSERT_TRUE(compiled) << compiled.error().str();
  auto saved = compiled->serialize();
  ASSERT_TRUE(saved) << saved.error().str();
  auto loaded = loadProgram(*saved);
  ASSERT_TRUE(loaded) << loaded.error().str();
  Tensors out = (*loaded)(sharded(mesh));
  EXPECT_EQ((*out[0].toVector<float>())[15], 30);
}

TEST(CustomPartitioning, IsRefusedAsInJax) {
  Tensor x = arange(4, DType::F32);
  Doubled doubled;
  auto f = doubled.function();
  auto mapped = vmap([f](Tensor x) { return *f(x); })(zeros({2, 4}));
  ASSERT_FALSE(mapped);
  EXPECT_THAT(mapped.error().str(),
              HasSubstr("Batching rule for 'custom_partitioning' not "
                        "implemented"));
  auto gradient = jit([f](Tensor x) {
    return grad([f](Tensor x) { return sum(*f(x)); })(x);
  })(x);
  ASSERT_FALSE(gradient);
  EXPECT_THAT(gradient.error().str(),
              HasSubstr("Differentiation rule for 'custom_partitioning' not "
                        "implemented"));
  CustomPartitioningOptions options = doubled.options();
  auto errorOf = [&](const CustomPartitioningOptions &o) {
    auto out = customPartitioning([](Tensor x) { return x; }, o)(x);
    return out ? std::string("no error") : out.error().str();
  };
  options.shardingRule = {};
  EXPECT_EQ(errorOf(options), "no error");
  options.propagateUserSharding = [](const Mesh &, const Tensors &) {
    return std::vector<Sharding>();
  };
  EXPECT_THAT(errorOf(options),
              HasSubstr("NotImplementedError: Shardy is used, but sharding "
                        "propagation callbacks instead of sharding_rule"));
  options.shardingRule = "i + -> i";
  EXPECT_EQ(errorOf(options), "ValueError: Unknown character '+'");
  options.shardingRule = "i j -> i";
  auto g = customPartitioning([](Tensor x) { return x; }, options);
  Mesh mesh = meshOf({8}, {"x"});
  auto lowered = jit([g](Tensor x) { return *g(x); }).lower(sharded(mesh));
  ASSERT_FALSE(lowered);
  EXPECT_THAT(lowered.error().str(),
              HasSubstr("Sharding rule 0th operand has rank 2, but the "
                        "operation 0th operand has rank 1"));
  options.partition = nullptr;
  EXPECT_THAT(errorOf(options), HasSubstr("has no partition function"));
  auto captured = jit([&](Tensor y) {
    return *customPartitioning([y](Tensor x) { return x + y; },
                               doubled.options())(x);
  })(x);
  ASSERT_FALSE(captured);
  EXPECT_THAT(captured.error().str(), HasSubstr("pass it as an argument"));
}

namespace {
/// A function of rows with functions that propagate shardings, and what they
/// were given.
struct Rows {
  std::vector<std::string> log;
  bool infers = true, propagates = true, decodes = true;
  std::function<Expected<std::vector<Sharding>>()> answer;

  static std::string text(const Tensors &values) {
    std::string out;
    for (const Tensor &x : values)
      out += cat(" ", tupleText(x.shape()), " ", x.sharding().spec().str());
    return out;
  }
  auto function() {
    CustomPartitioningOptions o;
    o.name = "rows";
    o.decodeShardings = decodes;
    if (infers)
      o.inferShardingFromOperands =
          [this](const Mesh &, const Tensors &args,
                 const Tensors &) -> Expected<std::vector<Sharding>> {
        log.push_back("infer" + text(args));
        if (answer)
          return answer();
        return std::vector<Sharding>{args[0].sharding()};
      };
    if (propagates)
      o.propagateUserSharding =
          [this](const Mesh &,
                 const Tensors &results) -> Expected<std::vector<Sharding>> {
        log.push_back("user" + text(results));
        return std::vector<Sharding>();
      };
    o.partition = [this](const Mesh &, const Tensors &args,
                         const Tensors &results) -> Expected<Partition> {
      log.push_back(cat("partition", text(args), " ->", text(results)));
      return Partition{
          .lower = [](const Tensors &x) { return Tensors{x[0] * 2.0f}; },
          .results = {args[0].sharding()},
          .args = {args[0].sharding()}};
    };
    return customPartitioning([](Tensor x) { return x * 2.0f; }, o);
  }
};
} // namespace

TEST(CustomPartitioning, FunctionsPropagateWithoutShardy) {
  ScopedConfig<bool> gspmd(config::useShardyPartitioner, false);
  Mesh mesh = meshOf({8}, {"x"});
  Rows rows;
  auto f = rows.function();
  // Forward, through two calls.
  auto twice = jit([f](Tensor x) { return *f(*f(x)); });
  auto out = twice(sharded(mesh));
  ASSERT_TRUE(out) << out.error().str();
  EXPECT_EQ(out->sharding().spec().str(), "P('x',)");
  EXPECT_EQ((*out->toVector<float>())[15], 60);
  EXPECT_THAT(rows.log, testing::Contains("infer (16,) P('x',)"));
  EXPECT_THAT(rows.log,
              testing::Contains("partition (16,) P('x',) -> (16,) P('x',)"));
  auto lowered = twice.lower(sharded(mesh));
  ASSERT_TRUE(lowered) << lowered.error().str();
  EXPECT_THAT(*lowered->report(), HasSubstr("collectives\n  none"));
  // The module is in GSPMD's notation.
  EXPECT_THAT(*lowered->asText(),
              HasSubstr("{mhlo.sharding = \"{devices=[8]<=[8]}\"}"));
  EXPECT_THAT(*lowered->asText(), HasSubstr("@CustomSPMDPartitioning"));
  EXPECT_THAT(*lowered->asText(), Not(HasSubstr("sdy.")));
  // Backward: the function keeps what the user needs.
  rows.log.clear();
  rows.infers = false;
  auto g = rows.function();
  auto wanted = jit([g](Tensor x) { return *g(x); },
                    {.outShardings = over(mesh, P("x"))})(zeros({16}));
  ASSERT_TRUE(wanted) << wanted.error().str();
  EXPECT_THAT(rows.log, testing::Contains("user (16,) P('x',)"));
  EXPECT_THAT(rows.log,
              testing::Contains("partition (16,) P('x',) -> (16,) P('x',)"));
  // With neither nothing propagates, and nothing is called twice.
  rows.log.clear();
  rows.propagates = false;
  auto h = rows.function();
  auto alone = jit([h](Tensor x) { return *h(x); })(sharded(mesh));
  ASSERT_TRUE(alone) << alone.error().str();
  EXPECT_THAT(rows.log,
              ElementsAre("partition (16,) P('x',) -> (16,) P(None,)"));
}

TEST(CustomPartitioning, MistakesOfFunctionsThatPropagate) {
  ScopedConfig<bool> gspmd(config::useShardyPartitioner, false);
  Mesh mesh = meshOf({8}, {"x"});
  Rows rows;
  auto f = rows.function();
  auto error = [&](auto answer) {
    rows.answer = answer;
    clearCaches();
    auto out = jit([f](Tensor x) { return *f(x); })(sharded(mesh));
    rows.answer = nullptr;
    EXPECT_TRUE(jit([f](Tensor x) { return *f(x); })(sharded(mesh)).ok());
    EXPECT_FALSE(out.ok());
    std::string text = out ? "no error" : out.error().str();
    EXPECT_THAT(text, HasSubstr("INTERNAL: custom_partitioner: "
                                "custom_partitioning of 'rows': "));
    return text;
  };
  using Answer = Expected<std::vector<Sharding>>;
  EXPECT_THAT(error([]() -> Answer { throw std::runtime_error("no luck"); }),
              HasSubstr("no luck"));
  EXPECT_THAT(error([]() -> Answer { return valueError("returned"); }),
              HasSubstr("ValueError: returned"));
  EXPECT_THAT(error([&]() -> Answer {
                return std::vector<Sharding>(2, over(mesh, P()));
              }),
              HasSubstr("lengths must match: 2 vs 1"));
  EXPECT_THAT(error([&]() -> Answer {
                return std::vector<Sharding>{over(meshOf({4}, {"x"}), P("x"))};
              }),
              HasSubstr("must be over the devices of its mesh"));
}

/// x is divided by 8, its reshaped rows by a part of the axis.
TEST(CustomPartitioning, SeesPartsOfAxesIfItWants) {
  Mesh mesh = meshOf({8}, {"x"});
  for (bool usesShardy : {true, false}) {
    ScopedConfig<bool> partitioner(config::useShardyPartitioner, usesShardy);
    for (bool decodes : {true, false}) {
      SCOPED_TRACE(cat(usesShardy, decodes));
      Doubled doubled;
      std::string seen;
      CustomPartitioningOptions o = doubled.options();
      o.shardingRule = "i j -> i j";
      o.decodeShardings = decodes;
      auto partition = o.partition;
      o.partition = [&seen, partition](const Mesh &m, const Tensors &args,
                                       const Tensors &results) {
        seen = args[0].sharding().hloText(2);
        return partition(m, args, results);
      };
      o.inferShardingFromOperands = [](const Mesh &, const Tensors &args,
                                       const Tensors &) {
        return std::vector<Sharding>{args[0].sharding()};
      };
      auto f = customPartitioning([](Tensor x) { return x * 2.0f; }, o);
      auto g = jit([f](Tensor x) { return *f(reshape(x, {2, 8})); });
      auto out = g(sharded(mesh));
      ASSERT_TRUE(out) << out.error().str();
      EXPECT_EQ((*out->toVector<float>())[15], 30);
      // JAX gives GSPMDSharding({devices=[2,4]<=[8]}), or fails if it decodes.
      EXPECT_EQ(seen, decodes ? "{replicated}" : "{devices=[2,4]<=[8]}");
    }
  }
}

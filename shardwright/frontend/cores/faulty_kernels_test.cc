//===- faulty_kernels_test.cc - mistakes in kernels are named -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/kernels_test_util.h"

#include "shardwright/frontend/api/autodiff.h"
#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/base/named_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardwright::frontend;
using namespace shardwright::frontend::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {

const bool configured = setDeviceCount(8).ok();

/// Runs a kernel on references to x (4 by 4) and to zeros.
Tensor run(const std::function<void(const Ref &, const Ref &)> &body,
           int64_t cores, const CoreMapOptions &options) {
  auto [x, y] = runState(
      [&](const Ref &a, const Ref &b) {
        coreMap(coreMesh("core", cores), [&] { body(a, b); }, options);
      },
      zerosOf({4, 4}), zerosOf({4, 4}));
  return y;
}
std::string errorOf(const Tensor &x) {
  if (!x.ok())
    return x.error().text;
  Status done = x.blockUntilReady();
  return done ? "no error" : done.error().text;
}
/// Expects the same texts with every order of the tasks.
void expectError(const std::function<void(const Ref &, const Ref &)> &body,
                 int64_t cores, const testing::Matcher<std::string> &text) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    CoreMapOptions options{"faulty", true, seed};
    std::string first = errorOf(run(body, cores, options));
    EXPECT_THAT(first, text) << "seed " << seed;
    EXPECT_EQ(first, errorOf(run(body, cores, options)))
        << "the order is that of the seed";
  }
}
Tensor core() { return lax::axis_index("core"); }
Tensor isCore(int64_t i) { return lax::eq(core(), number(i)); }
Tensor row() { return lax::full({4}, 1, DType::F32); }

TEST(FaultyKernels, ACopyThatIsReadInFlight) {
  expectError(
      [](const Ref &a, const Ref &b) {
        runScoped(
            [&](const Ref &sem) {
              AsyncCopy copy = asyncCopy(a.at(core()), b.at(core()), sem);
              b.at(core()).set(b[core()] * 2.f);
              copy.wait();
            },
            dmaSemaphores());
      },
      2,
      AllOf(HasSubstr("a race in ref1 (Ref{f32[4,4]})"),
            HasSubstr("the copy of core (core="),
            HasSubstr("dma_start(p0) ref0["),
            HasSubstr("while the copy is in flight"),
            HasSubstr("wait for the copy's semaphore")));
}

TEST(FaultyKernels, ACopyWhoseSourceIsWrittenInFlight) {
  expectError(
      [](const Ref &a, const Ref &b) {
        runScoped(
            [&](const Ref &sem) {
              AsyncCopy copy = asyncCopy(a.at(0), b.at(0), sem);
              a.at(0).set(row());
              copy.wait();
            },
            dmaSemaphores());
      },
      1,
      AllOf(HasSubstr("a race in ref0"), HasSubstr("ref0[0,:] <- f32[4]"),
            HasSubstr("dma_start(p0) ref0[0,:] -> ref1[0,:] sem0[...]")));
}

TEST(FaultyKernels, ACopyThatNoCoreWaitsFor) {
  expectError(
      [](const Ref &a, const Ref &b) {
        runScoped(
            [&](const Ref &sem) { asyncCopy(a.at(core()), b.at(core()), sem); },
            dmaSemaphores());
      },
      1,
      AllOf(HasSubstr("core_map faulty, core (core=0), at the end of "
                      "run_scoped: "),
            HasSubstr("`dma_start(p0) ref0[0,:] -> ref1[0,:] sem0[...]` of "
                      "core (core=0)")));
}

TEST(FaultyKernels, TwoCopiesAndOneWait) {
  expectError(
      [](const Ref &a, const Ref &b) {
        runScoped(
            [&](const Ref &sem) {
              asyncCopy(a.at(0), b.at(0), sem);
              asyncCopy(a.at(1), b.at(1), sem).wait();
            },
            dmaSemaphores());
      },
      1, AllOf(HasSubstr("at the end of run_scoped"), HasSubstr("dma_start")));
}

TEST(FaultyKernels, TwoCopiesToOnePlace) {
  expectError(
      [](const Ref &a, const Ref &b) {
        runScoped(
            [&](const Ref &sem) {
              AsyncCopy one = asyncCopy(a.at(0), b.at(2), sem.at(0));
              AsyncCopy two = asyncCopy(a.at(1), b.at(2), sem.at(1));
              one.wait();
              two.wait();
            },
            dmaSemaphores({2}));
      },
      1,
      AllOf(HasSubstr("a race in ref1"), HasSubstr("ref0[0,:] -> ref1[2,:]"),
            HasSubstr("ref0[1,:] -> ref1[2,:]")));
}

// Feature: core-map
TEST(FaultyKernels, TwoWriters) {
  expectError([](const Ref &, const Ref &b) { b.at(0).set(row()); }, 2,
              AllOf(HasSubstr("a race in ref0"), HasSubstr("core (core=0)"),
                    HasSubstr("core (core=1)"), HasSubstr("writes"),
                    HasSubstr("without synchronization")));
}

TEST(FaultyKernels, AReaderAndAWriter) {
  expectError(
      [](const Ref &, const Ref &b) {
        when(isCore(0), [&] { b.at(0).set(row()); });
        when(isCore(1), [&] { b.at(1).set(b[0]); });
      },
      2,
      AllOf(HasSubstr("a race in ref0"), HasSubstr("value <- ref0[0,:]"),
            HasSubstr("ref0[0,:] <- f32[4]")));
}

TEST(FaultyKernels, ASemaphoreThatNeverComes) {
  auto body = [](const Ref &, const Ref &b) {
    runScoped(
        [&](const Ref &sem) {
          when(isCore(1), [&] { semaphoreWait(sem.at(1), 2); });
          when(isCore(0),
               [&] { semaphoreSignal(sem.at(1), 1, {{"core", number(1)}}); });
          b.at(core()).set(row());
        },
        semaphores({2}));
  };
  auto text = AllOf(
      HasSubstr("core_map faulty is deadlocked"),
      HasSubstr("\n  core (core=1) waits in `semaphore_wait[dec] sem0[1] 2` "
                "for 2 of semaphore sem0, which is 1"),
      Not(HasSubstr("core (core=0) waits")));
  expectError(body, 2, text);
  // Also without race detection, on threads.
  EXPECT_THAT(errorOf(run(body, 2, {.name = "faulty"})),
              HasSubstr("deadlocked"));
}

TEST(FaultyKernels, TwoCoresThatWaitForEachOther) {
  auto body = [](const Ref &, const Ref &b) {
    runScoped(
        [&](const Ref &sem) {
          semaphoreWait(sem);
          b.at(core()).set(row());
          semaphoreSignal(sem, 1, {{"core", number(1) - core()}});
        },
        semaphores());
  };
  auto text = AllOf(
      HasSubstr("core_map faulty is deadlocked: no core can go on and no copy "
                "is in flight"),
      HasSubstr("core (core=0) waits in `semaphore_wait[dec] sem0[...] 1` for "
                "1 of semaphore sem0, which is 0"),
      HasSubstr("core (core=1) waits in `semaphore_wait[dec] sem0[...] 1`"));
  expectError(body, 2, text);
  EXPECT_THAT(errorOf(run(body, 2, {.name = "faulty"})), text);
}

TEST(FaultyKernels, AWaitForMoreBytesThanAreCopied) {
  expectError(
      [](const Ref &a, const Ref &b) {
        runScoped(
            [&](const Ref &sem) {
              asyncCopy(a.at(0), b.at(0), sem);
              makeAsyncCopy(a, b, sem).wait();
            },
            dmaSemaphores());
      },
      1,
      AllOf(HasSubstr("is deadlocked"),
            HasSubstr("`dma_wait ref1[...] sem0[...]` for 64 of semaphore "
                      "sem0, which is 16")));
}

TEST(FaultyKernels, ADoubleSignal) {
  expectError(
      [](const Ref &, const Ref &b) {
        runScoped(
            [&](const Ref &sem) {
              semaphoreSignal(sem);
              semaphoreSignal(sem);
              semaphoreWait(sem);
              b.at(core()).set(row());
            },
            semaphores());
      },
      1,
      HasSubstr("core_map faulty, core (core=0), at the end of run_scoped: the "
                "semaphore sem0 is 1, not 0; no core waits for what "
                "`semaphore_signal sem0[...] 1` of core (core=0) added"));
}

TEST(FaultyKernels, APartOutOfRange) {
  auto body = [](const Ref &, const Ref &b) {
    NamedScope scope("store");
    b.at(ds(core() * number(3), 2)).set(zerosOf({2, 4}));
  };
  EXPECT_THAT(errorOf(run(body, 2, {.name = "faulty"})),
              AllOf(HasSubstr("core (core=1)"), HasSubstr("ref0[3:3+2,:]"),
                    HasSubstr("store"), HasSubstr("faulty_kernels_test.cc:"),
                    HasSubstr("positions 3 to 4 are not inside of dimension 0 "
                              "of size 4")));
}

TEST(FaultyKernels, ATargetThatIsNoCore) {
  EXPECT_THAT(errorOf(run(
                  [](const Ref &, const Ref &b) {
                    runScoped(
                        [&](const Ref &sem) {
                          semaphoreSignal(sem, 1, {{"core", core() + 2}});
                          b.at(core()).set(row());
                        },
                        semaphores());
                  },
                  2, {.name = "faulty"})),
              AllOf(HasSubstr("`semaphore_signal sem0[...] 1 {core: "),
                    HasSubstr("is outside of the 2 along that axis")));
}

TEST(FaultyKernels, ASignalToACoreThatHasLeft) {
  auto body = [](const Ref &, const Ref &b) {
    runScoped(
        [&](const Ref &outer) {
          when(isCore(1), [&] {
            runScoped([&](const Ref &) {}, semaphores());
            semaphoreSignal(outer, 1, {{"core", number(0)}});
          });
          when(isCore(0), [&] {
            semaphoreWait(outer);
            runScoped(
                [&](const Ref &inner) {
                  semaphoreSignal(inner, 1, {{"core", number(1)}});
                },
                semaphores());
          });
          b.at(core()).set(row());
        },
        semaphores());
  };
  // The scopes of the two branches are different ones, so that the core never
  // allocates the other's memory.
  expectError(
      body, 2,
      AllOf(HasSubstr("`semaphore_signal sem0[...] 1 {core: 1}` of core "
                      "(core=0) needs memory of core (core=1), which "
                      "does not allocate it")));
}

TEST(FaultyKernels, ACopyToACoreThatHasLeftItsScope) {
  auto body = [](const Ref &a, const Ref &b) {
    runScoped(
        [&](const Ref &done) {
          runScoped(
              [&](const Ref &buffer, const Ref &sent, const Ref &arrived) {
                when(isCore(0), [&] {
                  semaphoreWait(done);
                  asyncRemoteCopy(a.at(0), buffer, sent, arrived,
                                  {{"core", number(1)}})
                      .waitSend();
                });
              },
              vmem({4}, DType::F32), dmaSemaphores(), dmaSemaphores());
          when(isCore(1),
               [&] { semaphoreSignal(done, 1, {{"core", number(0)}}); });
          b.at(core()).set(row());
        },
        semaphores());
  };
  auto text = AllOf(HasSubstr("core_map faulty, core (core=0), in "
                              "`dma_start(p0) ref0[0,:] -> vmem0[...]"),
                    HasSubstr("core (core=1) has left the run_scoped that "
                              "allocated the memory"));
  expectError(body, 2, text);
  EXPECT_THAT(errorOf(run(body, 2, {.name = "faulty"})), text);
}

TEST(FaultyKernels, ASignalBelowZero) {
  EXPECT_THAT(errorOf(run(
                  [](const Ref &, const Ref &b) {
                    runScoped([&](const Ref &sem) { semaphoreSignal(sem, -1); },
                              semaphores());
                    b.at(core()).set(row());
                  },
                  1, {.name = "faulty"})),
              HasSubstr("a semaphore is signalled with -1; it must be at "
                        "least 0"));
}

//===----------------------------------------------------------------------===//
// Mistakes that are found when the kernel is traced
//===----------------------------------------------------------------------===//

std::string
tracingError(const std::function<void(const Ref &, const Ref &)> &body) {
  Tensor out = run(body, 2, {.name = "faulty"});
  return out.ok() ? "no error" : out.error().str();
}

TEST(FaultyKernels, BodiesReturnNothing) {
  auto returned = [](auto body) {
    Tensor out = runState(
        [&](const Ref &r) {
          coreMap(coreMesh("core", 2),
                  [&] {
                    r.set(r.get() + 1.0f);
                    return body(r);
                  },
                  {.name = "faulty"});
        },
        zeros({4}));
    return out.ok() ? "no error" : out.error().str();
  };
  EXPECT_EQ(returned([](const Ref &r) { return r.get(); }),
            "ValueError: The kernel function in core_map faulty should return "
            "None. It returns a PyTree: PyTreeDef(*).");
  EXPECT_EQ(returned([](const Ref &r) { return std::pair(r.get(), Tensor()); }),
            "ValueError: The kernel function in core_map faulty should return "
            "None. It returns a PyTree: PyTreeDef((*, *)).");
  EXPECT_EQ(returned([](const Ref &) {}), "no error");
}

TEST(FaultyKernels, ErrorsOfTracing) {
  EXPECT_EQ(tracingError([](const Ref &, const Ref &b) {
              b.set(arrayOf(std::vector<float>(16), {4, 4}));
            }),
            "ValueError: The kernel function in core_map faulty captures "
            "non-scalar constants [f32[4,4]]. You should pass them as inputs.");
  EXPECT_EQ(tracingError([](const Ref &a, const Ref &b) {
              runScoped([&](const Ref &sem) { asyncCopy(a, b, sem).wait(); },
                        semaphores());
            }),
            "ValueError: Must signal semaphores of the following types: "
            "dma_sem. Got semaphore.");
  EXPECT_EQ(tracingError([](const Ref &a, const Ref &b) {
              runScoped(
                  [&](const Ref &sem) { asyncCopy(a, b, sem).waitSend(); },
                  dmaSemaphores());
            }),
            "ValueError: Cannot `wait_send` on a local copy.");
  EXPECT_EQ(tracingError([](const Ref &a, const Ref &b) {
              runScoped([&](const Ref &sem) { asyncCopy(a, b, sem).wait(); },
                        dmaSemaphores({2}));
            }),
            "ValueError: Cannot signal on a non-()-shaped semaphore: (2,)");
  EXPECT_EQ(tracingError([](const Ref &a, const Ref &) { semaphoreSignal(a); }),
            "ValueError: Cannot signal on a non-semaphore Ref: Ref{f32[4,4]}");
  EXPECT_EQ(tracingError([](const Ref &a, const Ref &b) {
              runScoped(
                  [&](const Ref &sem) { asyncCopy(a.at(0), b, sem).wait(); },
                  dmaSemaphores());
            }),
            "ValueError: DMA source and destination must have the same type, "
            "got float32[4] and float32[4,4]");
  EXPECT_EQ(
      tracingError([](const Ref &, const Ref &b) {
        runScoped(
            [&](const Ref &sem) {
              semaphoreSignal(sem, 1, {{"other", number(0)}});
              b.at(0).set(row());
            },
            semaphores());
      }),
      "NameError: Found an unbound axis name: other. A target of "
      "semaphore_signal names axes of cores, and manual axes of devices.");
  EXPECT_EQ(
      tracingError([](const Ref &, const Ref &b) {
        runScoped([&](const Ref &sem) { b.set(sem.get()); }, semaphores());
      }),
      "ValueError: `get` was called on semaphores of type "
      "Ref<semaphore_mem>{semaphore[]}; signal and wait for them, or read "
      "one with semaphoreRead");
  EXPECT_EQ(
      tracingError([](const Ref &, const Ref &b) {
        b.at(0).set(lax::psum(row(), "core"));
      }),
      "NotImplementedError: core_map: psum cannot be used in the function "
      "of a core");
}

TEST(FaultyKernels, MeshesOfCores) {
  EXPECT_EQ(CoreMesh::get({"a"}, {0}).error().str(),
            "ValueError: a mesh of cores has 1 to 1024 cores, got sizes (0,)");
  EXPECT_EQ(CoreMesh::get({"a", "a"}, {1, 2}).error().str(),
            "ValueError: the axes of a mesh of cores need different names, got "
            "('a', 'a')");
  Tensor out = runState(
      [](const Ref &r) {
        coreMap(*Mesh::get(devices(), {8}, {"x"}), [&] { r.set(r.get()); });
      },
      zerosOf({2}));
  EXPECT_EQ(out.ok() ? "" : out.error().str(),
            "NotImplementedError: Mesh type <class 'jax.sharding.Mesh'> not "
            "supported.");
}

TEST(FaultyKernels, KernelsHaveNoDerivatives) {
  auto f = [](const Tensor &x) {
    return lax::reduce_sum(copyKernel(x, 2), {0, 1});
  };
  EXPECT_EQ(grad(f)(zerosOf({4, 2})).error().str(),
            "NotImplementedError: Differentiation rule for 'core_map' not "
            "implemented");
  auto batched = vmap([](const Tensor &x) { return copyKernel(x, 2); })(
      zerosOf({3, 4, 2}));
  EXPECT_EQ(batched.error().str(),
            "NotImplementedError: Batching rule for 'core_map' not "
            "implemented");
}

TEST(FaultyKernels, WithoutReferencesNothingHappens) {
  coreMap(coreMesh("core", 2), [] { (void)lax::axis_index("core"); });
  Tensor out = runState(
      [](const Ref &r) {
        coreMap(coreMesh("core", 2), [] {});
        r.set(r.get() + 1.f);
      },
      zerosOf({2}));
  EXPECT_EQ(*out.toVector<float>(), (std::vector<float>{1, 1}));
}

} // namespace

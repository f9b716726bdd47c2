//===- random_kernels_test_util.h - random functions of Refs ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_RANDOM_KERNELS_TEST_UTIL_H
#define SHARDWRIGHT_FRONTEND_RANDOM_KERNELS_TEST_UTIL_H

#include "shardwright/frontend/random_library_test_util.h"

#include <cstring>

namespace shardwright::frontend::testing {

/// Calls functions that read and write references, on one core and on several:
/// most of what they do with copies and semaphores is wrong.
class KernelCalls : public LibraryCalls {
public:
  using LibraryCalls::LibraryCalls;

protected:
  Sharding sharding(Choices &c) {
    if (c.below(4) == 0)
      return Sharding::single(Device{int32_t(c.number(-1, 9))});
    if (c.below(8) == 0)
      return NamedSharding(*AbstractMesh::get({4, 2}, {"x", "y"}), spec(c));
    std::vector<Mesh> all = meshes();
    auto made = NamedSharding(all[c.below(all.size())], spec(c));
    if (!made && made.error().text.empty())
      wrong = "a sharding is refused without a reason";
    return made;
  }

  void kernels(Choices &c) {
    Tensors init = several(c);
    init.push_back(c.below(3) ? Tensor(reshape(arange(12, DType::F32), {4, 3}))
                              : pick(c));
    if (c.below(8) == 0)
      init.clear();
    const bool isKernel = c.below(3) != 0, detectsRaces = c.below(2) != 0;
    Choices body = c;
    auto f = [=, this](const Tensors &xs) {
      return runState(
          [=, this](const Refs &refs) {
            Choices now = body;
            if (!isKernel)
              return touch(now, refs, 0);
            Expected<CoreMesh> mesh =
                now.below(6)
                    ? coreMesh("core", now.between(1, 4))
                    : CoreMesh::get({"core", "sub"}, now.ints(2, 0, 3));
            coreMap(mesh, [&] { touch(now, refs, 0); },
                    {.name = "random", .detectRaces = detectsRaces});
          },
          xs);
    };
    switch (c.below(8)) {
    case 0:
      return keep(jit(f)(init));
    case 1:
      return keep(vmap(f)(init));
    case 2:
      return keep(jvp(f, init, init));
    case 3:
      return keep(grad([=](Tensors xs) { return sum(first(f(xs))); })(init));
    case 4:
      return keep(jit(shardMap([=](Tensor v) { return first(f({v})); },
                               {.mesh = meshes()[c.below(4)],
                                .in = P("x"),
                                .out = P("x"),
                                .checkVma = false}))(pick(c)));
    case 5: // references outside of the function that they belong to
      return touch(c, {Ref(), escaped, Ref(pick(c))}, 2);
    default:
      return keep(f(init));
    }
  }

private:
  static Tensor first(const Tensors &xs) {
    return xs.empty() ? Tensor() : xs[0];
  }
  Ref part(Choices &c, const Ref &ref) {
    if (c.below(3) == 0)
      return ref;
    std::vector<RefIndex> at;
    for (size_t n = c.below(3) + 1; n > 0; --n)
      switch (c.below(7)) {
      case 0:
        at.emplace_back(c.number(-2, 4));
        break;
      case 1:
        at.emplace_back(
            slice(c.number(-2, 2), c.number(0, 4), c.number(-1, 2)));
        break;
      case 2:
        at.emplace_back(ds(index(c), c.number(-1, 3), c.number(0, 2)));
        break;
      case 3:
        at.emplace_back(ellipsis);
        break;
      case 4:
        at.emplace_back(index(c));
        break;
      default:
        at.emplace_back(slice());
      }
    return ref.part(at);
  }
  Tensor index(Choices &c) {
    switch (c.below(5)) {
    case 0:
      return pick(c);
    case 1:
      return lax::axis_index("core");
    case 2:
      return lax::rem(lax::axis_index("core"),
                      scalarOf(int64_t(2), DType::I32));
    default:
      return scalarOf(c.number(-1, 3), DType::I32);
    }
  }
  /// Mostly what fits the part.
  Tensor operand(Choices &c, const Ref &ref) {
    return c.below(5) ? lax::full(ref.shape(), 1, ref.dtype()) : pick(c);
  }

  void touch(Choices &c, const Refs &refs, int depth) {
    if (refs.empty())
      return;
    auto any = [&] { return part(c, refs[c.below(refs.size())]); };
    auto late = [&] { return part(c, refs.back()); };
    CoreId target = {{c.below(8) ? "core" : "x", index(c)}};
    for (size_t n = c.below(4) + 1; n > 0; --n)
      switch (c.below(16)) {
      case 0:
      case 1:
        if (Tensor got = any().get(); got.ok() && c.below(2))
          keep(got + 1);
        break;
      case 2:
      case 3: {
        Ref to = any();
        to.set(operand(c, to));
        break;
      }
      case 4: {
        Ref to = any();
        to.addUpdate(operand(c, to));
        break;
      }
      case 5: {
        Ref to = any();
        (void)to.swap(operand(c, to));
        break;
      }
      case 6:
        asyncCopy(any(), any(), late());
        break;
      case 7: {
        Ref from = any(), to = any();
        asyncCopy(from, to, late()).wait();
        break;
      }
      case 8:
        semaphoreSignal(late(), index(c), c.below(2) ? target : CoreId());
        break;
      case 9:
        semaphoreWait(late(), index(c));
        break;
      case 10:
        keep(semaphoreRead(late()));
        break;
      case 11:
        coreBarrier(late(), c.below(6) ? "core" : "x");
        break;
      case 12: {
        AsyncCopy copy =
            makeAsyncRemoteCopy(any(), any(), late(), late(), target);
        copy.start();
        copy.waitSend();
        copy.waitRecv();
        break;
      }
      case 13:
        escaped = any();
        break;
      default:
        nested(c, refs, depth);
      }
  }

  void nested(Choices &c, const Refs &refs, int depth) {
    if (depth > 2)
      return;
    switch (c.below(5)) {
    case 0:
      return when(c.below(2) ? pick(c)
                             : lax::eq(lax::axis_index("core"),
                                       scalarOf(int64_t(0), DType::I32)),
                  [&] { touch(c, refs, depth + 1); });
    case 1:
      return forEach(c.between(-1, 1), c.between(-1, 3),
                     [&](const Tensor &) { touch(c, refs, depth + 1); });
    case 2:
      return runScoped(
          [&](const Ref &memory, const Ref &sems) {
            Refs more = refs;
            more.push_back(memory);
            more.push_back(sems);
            touch(c, more, depth + 1);
          },
          vmem(Shape(c.ints(2, 0, 4)), type(c)),
          c.below(2) ? semaphores() : dmaSemaphores(Shape(c.ints(1, 0, 3))));
    case 3:
      return coreMap(coreMesh("core", 2), [&] { touch(c, refs, depth + 1); });
    default: {
      Tensors made = runState(
          [&](const Refs &own) {
            Refs both = refs;
            both.insert(both.end(), own.begin(), own.end());
            touch(c, both, depth + 1);
          },
          several(c));
      (void)made;
    }
    }
  }

  Ref escaped;
};

} // namespace shardwright::frontend::testing

#endif // SHARDWRIGHT_FRONTEND_RANDOM_KERNELS_TEST_UTIL_H

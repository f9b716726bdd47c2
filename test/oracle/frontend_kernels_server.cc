//===- frontend_kernels_server.cc - kernels over cores, as text -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads requests from standard input, one a line, `MODE SEED PROGRAM`. MODE:
// `eager`, `jit`, or `races`, which detects races with the order that the seed
// decides. `mesh` and `mesh-races` run the program on DEVICES devices, a number
// before the seed, in a shardMap: device d has the numbers of each array
// rotated by d. Arrays of results are those of all devices, one after another.
// Answers each with a line for each array, `value NUMBERS`, or with one line
// `error TEXT`, in which ~ is a line break; then with a line `done`.
//
// A program is a list: (CORES X64 ((NAME TYPE SHAPE NUMBERS) ...) (STEP ...)).
//
//   (get V VIEW) (set VIEW EXPR) (add VIEW EXPR) (swap V VIEW EXPR)
//   (when COND STEP...) (loop K FROM TO STEP...)
//   (kernel STEP...)                    the steps inside are those of a core
//   (scope ((NAME SPACE TYPE SHAPE) ...) AXES STEP...)    run_scoped
//   (copy SRC DST SEM) (wait SRC DST SEM)
//   (rcopy SRC DST SEND RECV TO) (waitsend ...) (waitrecv ...)
//   (signal SEM N [TO]) (semwait SEM N) (read V SEM) (barrier SEM)
//
//   VIEW: (view NAME SUBSCRIPTS...), each one (DIM...), DIM: (at INT) (all)
//     (st START SIZE STRIDE) (ds INT SIZE STRIDE)
//   INT: a number, core, the variable of a loop, (add A B) (mul A B) (rem A B)
//     (pick V M): |V| mod M
//   COND: (lt A B) (eq A B)
//   EXPR: V (full TYPE SHAPE NUMBER) (of TYPE SHAPE INT) (mix EXPR NUMBER)
//     (plus EXPR EXPR) (cast TYPE EXPR)
//     (spread SHAPE EXPR): a digest of all elements; numbers stay
//     between -13 and 13
//
// test/oracle/frontend/kernel_programs.py makes such programs.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>

using namespace shardwright::frontend;

namespace {

/// A word, or a list.
struct Node {
  std::string word;
  std::vector<Node> list;
  const Node &operator[](size_t i) const { return list.at(i); }
  size_t size() const { return list.size(); }
  int64_t number() const { return std::stoll(word); }
};

Node parse(std::istream &in) {
  Node out;
  char c = 0;
  in >> c;
  if (c != '(') {
    for (; in && c != '(' && c != ')' && !std::isspace(c); in.get(c))
      out.word += c;
    if (in)
      in.unget();
    return out;
  }
  while (in >> c && c != ')') {
    in.unget();
    out.list.push_back(parse(in));
  }
  return out;
}

DType typeOf(const Node &n) {
  static const std::map<std::string, DType> types{
      {"f32", DType::F32},  {"bf16", DType::BF16}, {"f64", DType::F64},
      {"i32", DType::I32},  {"i8", DType::I8},     {"i64", DType::I64},
      {"bool", DType::Bool}};
  return types.at(n.word);
}
Shape shapeOf(const Node &n) {
  Shape out;
  for (const Node &size : n.list)
    out.push_back(size.number());
  return out;
}
Tensor int32(const Tensor &x) {
  return lax::convert_element_type(x, DType::I32);
}

/// Applies the steps of a program to references.
class Body {
public:
  Body(int64_t n, const CoreMapOptions &o) : cores(n), options(o) {}
  std::map<std::string, Ref> refs;
  void block(const Node &steps, size_t first = 0) {
    for (size_t i = first; i < steps.size(); ++i)
      step(steps[i]);
  }

private:
  Tensor integer(const Node &n) {
    if (n.list.empty()) {
      if (n.word == "core")
        return lax::axis_index("core");
      auto loop = loops.find(n.word);
      return loop != loops.end() ? loop->second
                                 : scalarOf(n.number(), DType::I32);
    }
    const std::string &op = n[0].word;
    if (op == "pick")
      return lax::rem(lax::abs(int32(values.at(n[1].word))), integer(n[2]));
    Tensor a = integer(n[1]), b = integer(n[2]);
    return op == "add"   ? lax::add(a, b)
           : op == "mul" ? lax::mul(a, b)
                         : lax::rem(a, b);
  }
  Tensor condition(const Node &n) {
    Tensor a = integer(n[1]), b = integer(n[2]);
    return n[0].word == "lt" ? lax::lt(a, b) : lax::eq(a, b);
  }
  RefIndex index(const Node &n) {
    const std::string &kind = n[0].word;
    if (kind == "all")
      return slice();
    if (kind == "at")
      return n[1].list.empty() && std::isdigit(n[1].word[0])
                 ? RefIndex(n[1].number())
                 : RefIndex(integer(n[1]));
    if (kind == "st")
      return slice(n[1].number(), n[1].number() + n[2].number() * n[3].number(),
                   n[3].number());
    return ds(integer(n[1]), n[2].number(), n[3].number());
  }
  Ref view(const Node &n) {
    Ref out = refs.at(n[1].word);
    for (size_t i = 2; i < n.size(); ++i) {
      std::vector<RefIndex> indices;
      for (const Node &dim : n[i].list)
        indices.push_back(index(dim));
      out = out.part(indices);
    }
    return out;
  }
  static Tensor small(const Tensor &x) {
    return lax::rem(x, lax::full(x.shape(), 13, x.dtype()));
  }
  /// A scalar in which each element counts by its position.
  static Tensor digest(const Tensor &x) {
    const int64_t n = x.shape().elements();
    Tensor flat = small(int32(lax::reshape(x, {n})));
    Tensor weights = lax::iota(DType::I32, {n}, 0) + 1;
    Tensor total = lax::reduce_sum(lax::mul(flat, weights), {0});
    Tensor base =
        scalarOf(int64_t(x.dtype() == DType::Bool ? 2 : 13), DType::I32);
    return lax::convert_element_type(lax::rem(total, base), x.dtype());
  }
  Tensor value(const Node &n) {
    if (n.list.empty())
      return values.at(n.word);
    const std::string &op = n[0].word;
    if (op == "full")
      return lax::full(shapeOf(n[2]), static_cast<double>(n[3].number()),
                       typeOf(n[1]));
    if (op == "of") {
      Tensor x = small(integer(n[3]));
      return lax::broadcast_in_dim(lax::convert_element_type(x, typeOf(n[1])),
                                   shapeOf(n[2]), {});
    }
    if (op == "mix") {
      Tensor x = value(n[1]);
      if (x.dtype() == DType::Bool)
        return n[2].number() % 2 ? lax::bitwise_not(x) : x;
      return small(lax::add(
          small(x),
          lax::full(x.shape(), static_cast<double>(n[2].number()), x.dtype())));
    }
    if (op == "plus") {
      Tensor a = value(n[1]), b = value(n[2]);
      return a.dtype() == DType::Bool ? lax::bitwise_xor(a, b)
                                      : small(lax::add(small(a), small(b)));
    }
    if (op == "cast")
      return lax::convert_element_type(value(n[2]), typeOf(n[1]));
    return lax::broadcast_in_dim(digest(value(n[2])), shapeOf(n[1]), {});
  }

  void scope(const Node &n) {
    std::vector<Scratch> types;
    for (const Node &one : n[1].list) {
      const std::string &space = one[1].word;
      Shape shape = shapeOf(one[3]);
      if (space == "sem")
        types.push_back(semaphores(shape));
      else if (space == "dma")
        types.push_back(dmaSemaphores(shape));
      else
        types.push_back(scratch(space == "vmem"   ? MemorySpace::Vmem
                                : space == "smem" ? MemorySpace::Smem
                                : space == "hbm"  ? MemorySpace::Hbm
                                                  : MemorySpace::Any,
                                shape, typeOf(one[2])));
    }
    RunScopedOptions scoped;
    for (const Node &axis : n[2].list)
      scoped.collectiveAxes.push_back(axis.word);
    Tensors outs = runScoped(
        types,
        [&](const Refs &r) -> Tensors {
          for (size_t i = 0; i < r.size(); ++i)
            refs[n[1][i][0].word] = r[i];
          block(n, 3);
          return {};
        },
        scoped);
    (void)outs;
  }
  void kernel(const Node &n) {
    coreMap(coreMesh("core", cores), [&] { block(n, 1); }, options);
  }
  AsyncCopy remote(const Node &n) {
    return makeAsyncRemoteCopy(view(n[1]), view(n[2]), view(n[3]), view(n[4]),
                               {{"core", integer(n[5])}});
  }
  void step(const Node &n) {
    const std::string &op = n[0].word;
    if (op == "get")
      values[n[1].word] = view(n[2]).get();
    else if (op == "set")
      view(n[1]).set(value(n[2]));
    else if (op == "add")
      view(n[1]).addUpdate(value(n[2]));
    else if (op == "swap")
      values[n[1].word] = view(n[2]).swap(value(n[3]));
    else if (op == "when")
      when(condition(n[1]), [&] { block(n, 2); });
    else if (op == "loop")
      forEach(integer(n[2]), integer(n[3]), [&](const Tensor &k) {
        loops[n[1].word] = int32(k);
        block(n, 4);
      });
    else if (op == "kernel")
      kernel(n);
    else if (op == "scope")
      scope(n);
    else
      synchronize(n, op);
  }
  void synchronize(const Node &n, const std::string &op) {
    if (op == "copy")
      asyncCopy(view(n[1]), view(n[2]), view(n[3]));
    else if (op == "wait")
      makeAsyncCopy(view(n[1]), view(n[2]), view(n[3])).wait();
    else if (op == "rcopy")
      remote(n).start();
    else if (op == "waitsend")
      remote(n).waitSend();
    else if (op == "waitrecv")
      remote(n).waitRecv();
    else if (op == "signal" && n.size() == 4)
      semaphoreSignal(view(n[1]), integer(n[2]), {{"core", integer(n[3])}});
    else if (op == "signal")
      semaphoreSignal(view(n[1]), integer(n[2]));
    else if (op == "semwait")
      semaphoreWait(view(n[1]), integer(n[2]));
    else if (op == "read")
      values[n[1].word] = semaphoreRead(view(n[2]));
    else
      coreBarrier(view(n[1]), "core");
  }

  const int64_t cores;
  const CoreMapOptions options;
  std::map<std::string, Tensor> values, loops;
};

Tensors apply(const Node &program, const CoreMapOptions &options,
              const Tensors &init) {
  return runState(
      [&](const Refs &refs) {
        Body body(program[0].number(), options);
        for (size_t i = 0; i < refs.size(); ++i)
          body.refs[program[2][i][0].word] = refs[i];
        body.block(program[3]);
      },
      init);
}

void printError(std::string text) {
  for (char &c : text)
    if (c == '\n')
      c = '~';
  std::printf("error %s\n", text.c_str());
}

/// The elements as numbers, or an error.
Expected<std::string> numbersOf(const Tensor &x) {
  SW_TRY(x.blockUntilReady());
  Tensor wide = lax::convert_element_type(x, DType::F32);
  Expected<std::vector<float>> list = wide.toVector<float>();
  if (!list)
    return list.error();
  std::string out;
  for (float v : *list) {
    char word[32];
    std::snprintf(word, sizeof(word), " %.9g", v);
    out += word;
  }
  return out;
}

/// What the references hold at first, on each device; 0 devices: without a
/// dimension of devices.
Tensors initial(const Node &program, int64_t numDevices) {
  Tensors out;
  for (const Node &ref : program[2].list) {
    const auto count = static_cast<int64_t>(ref[3].size());
    std::vector<float> all;
    for (int64_t d = 0; d < std::max<int64_t>(numDevices, 1); ++d)
      for (int64_t i = 0; i < count; ++i)
        all.push_back(std::stof(ref[3][(i + d) % count].word));
    Shape shape = shapeOf(ref[2]);
    if (numDevices)
      shape.insert(shape.begin(), numDevices);
    out.push_back(
        lax::convert_element_type(arrayOf(all, shape), typeOf(ref[1])));
  }
  return out;
}

/// The program on each device of a mesh.
Expected<Tensors> onMesh(const Node &program, const CoreMapOptions &options,
                         int64_t numDevices) {
  std::vector<Device> some = devices();
  some.resize(numDevices);
  Expected<Mesh> mesh = Mesh::get(some, {numDevices}, {"device"});
  if (!mesh)
    return mesh.error();
  auto body = [&](const std::vector<Tensor> &blocks) -> std::vector<Tensor> {
    Tensors own;
    for (const Tensor &x : blocks)
      own.push_back(lax::squeeze(x, {0}));
    std::vector<Tensor> outs;
    for (const Tensor &x : apply(program, options, own))
      outs.push_back(lax::expand_dims(x, {0}));
    return outs;
  };
  auto done = jit(shardMap(body, {.mesh = *mesh,
                                  .in = P("device"),
                                  .out = P("device"),
                                  .checkVma = false}))(
      std::vector<Tensor>(initial(program, numDevices)));
  return done ? Expected<Tensors>(Tensors(*done)) : done.error();
}

void answer(const std::string &mode, int64_t numDevices, uint64_t seed,
            const Node &program) {
  ScopedConfig<bool> wide(config::enableX64, program[1].number() != 0);
  CoreMapOptions options{"random", mode == "races" || mode == "mesh-races",
                         seed};
  auto f = [&](const Tensors &x) { return apply(program, options, x); };
  Tensors outs, init;
  if (!numDevices)
    init = initial(program, 0);
  if (numDevices) {
    auto done = onMesh(program, options, numDevices);
    if (!done)
      return printError(done.error().str());
    outs = *done;
  } else if (mode == "jit") {
    auto done = jit(f)(init);
    if (!done)
      return printError(done.error().str());
    outs = *done;
  } else {
    outs = f(init);
  }
  std::string text;
  for (const Tensor &x : outs) {
    Expected<std::string> numbers = numbersOf(x);
    if (!numbers)
      return printError(numbers.error().str());
    text += "value" + *numbers + "\n";
  }
  std::fputs(text.c_str(), stdout);
}

} // namespace

int main() {
  if (!setDeviceCount(4).ok())
    return 1;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string mode;
    uint64_t seed = 0;
    int64_t numDevices = 0;
    in >> mode;
    if (mode.starts_with("mesh"))
      in >> numDevices;
    in >> seed;
    answer(mode, numDevices, seed, parse(in));
    std::printf("done\n");
    std::fflush(stdout);
  }
}

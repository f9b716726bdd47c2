//===- save_and_load.cc - compiles once, runs in other processes ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// save_and_load save FILE: compiles a function for eight devices and saves it.
// save_and_load run FILE: loads the file and calls it, without tracing,
// lowering or generating code. save_and_load.py is the same program in JAX.
//
//===----------------------------------------------------------------------===//

#include <shardwright/frontend.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

using namespace shardwright::frontend;

static int fail(const Error &error) {
  std::fprintf(stderr, "%s\n", error.str().c_str());
  return 1;
}

static Tensor predict(Tensor x, Tensor w) {
  return nn::softmax(matmul(tanh(x), w));
}

int main(int argc, char **argv) {
  std::string what = argc == 3 ? argv[1] : "";
  if (what != "save" && what != "run") {
    std::fprintf(stderr, "usage: save_and_load save|run FILE\n");
    return 1;
  }
  Status count = setDeviceCount(8);
  Expected<Mesh> mesh =
      makeMesh({4, 2}, {"data", "model"}, {AxisType::Auto, AxisType::Auto});
  if (!count || !mesh)
    return 1;
  Sharding rows = NamedSharding(*mesh, P("data")),
           columns = NamedSharding(*mesh, P(None, "model"));
  Tensors keys = random::split(random::key(7), 2);
  Tensor x = devicePut(random::normal(keys[0], {16, 8}), rows);
  Tensor w = devicePut(random::normal(keys[1], {8, 4}), columns);

  if (what == "save") {
    auto lowered =
        jit(predict, {.outShardings = {rows}, .name = "predict"}).lower(x, w);
    if (!lowered)
      return fail(lowered.error());
    auto compiled = lowered->compile();
    auto bytes = compiled->serialize();
    if (!bytes)
      return fail(compiled ? bytes.error() : compiled.error());
    std::ofstream(argv[2], std::ios::binary) << *bytes;
    return 0;
  }
  std::ifstream file(argv[2], std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  JitCounts before = jitCounts();
  auto compiled = loadProgram(bytes);
  if (!compiled)
    return fail(compiled.error());
  Tensor result = compiled->call({x, w})[0];
  if (!result.ok())
    return fail(result.error());
  bool isCompiled = jitCounts().compiles != before.compiles;
  for (int i = 0; i < 16; i += 5)
    std::printf("row %2d value %.5f %.5f\n", i, *result.index({i, 0}).item(),
                *result.index({i, 3}).item());
  std::printf("compiled in this process: %s\n", isCompiled ? "yes" : "no");
  return 0;
}

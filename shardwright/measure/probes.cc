//===- probes.cc - programs of known work ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/measure/probes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace shardwright;
using llvm::formatv;

namespace {

class Maker {
public:
  explicit Maker(const Mesh &mesh)
      : mesh(mesh), devices(mesh.numAxes() ? mesh.numDevices() : 1) {}
  std::vector<Probe> run();

private:
  void add(Probe::What what, std::string name, std::string element,
           std::string arguments, std::string result, std::string body,
           std::string axis = "") {
    probes.push_back({std::move(name), what, std::move(element),
                      std::move(axis), module(arguments, result, body), ""});
  }
  std::string module(const std::string &arguments, const std::string &result,
                     const std::string &body) const {
    return formatv("module @probe attributes {{mhlo.num_partitions = {0} : "
                   "i32, mhlo.num_replicas = 1 : i32} {{\n"
                   "  func.func public @main({1}) -> {2} {{\n{3}  }\n}\n",
                   devices, arguments, result, body);
  }
  void addOverheads();
  void addDots(llvm::StringRef element, llvm::ArrayRef<int64_t> sizes);
  void addModelShapes();
  void addFunctions();
  void addMemory();
  void addLoop();
  void addCollectives(llvm::StringRef axis, llvm::ArrayRef<int64_t> groups,
                      int64_t members);
  /// Small collectives between the products of a program, where devices wait
  /// for each other and caches hold other values.
  void addChains(llvm::StringRef axis, llvm::StringRef global, int64_t members);
  /// The members of the groups along an axis, row by row.
  std::vector<int64_t> groupsAlong(int32_t axis) const;

  const Mesh &mesh;
  int64_t devices;
  std::vector<Probe> probes;
};

} // namespace

static std::string dot(llvm::StringRef to, llvm::StringRef a, llvm::StringRef b,
                       llvm::StringRef type, llvm::StringRef result) {
  return formatv("    {0} = stablehlo.dot_general {1}, {2}, contracting_dims "
                 "= [1] x [0] : ({3}, {3}) -> {4}\n",
                 to, a, b, type, result);
}

void Maker::addOverheads() {
  add(Probe::What::Overhead, "step", "f32", "%a: tensor<f32>", "tensor<f32>",
      "    %0 = stablehlo.add %a, %a : tensor<f32>\n"
      "    return %0 : tensor<f32>\n");
  // Kernels that no compiler joins.
  for (int count : {16, 128}) {
    const char *type = "tensor<16x16xf32>";
    std::string body = "    %z = stablehlo.constant dense<0.0> : tensor<f32>\n";
    for (int i = 0; i < count / 2; ++i)
      body += formatv("    %s{0} = stablehlo.reduce({1} init: %z) applies "
                      "stablehlo.maximum across dimensions = [0] : ({2}, "
                      "tensor<f32>) -> tensor<16xf32>\n"
                      "    %b{0} = stablehlo.broadcast_in_dim %s{0}, dims = "
                      "[0] : (tensor<16xf32>) -> {2}\n"
                      "    %{0} = stablehlo.add {1}, %b{0} : {2}\n",
                      i, i ? formatv("%{0}", i - 1).str() : "%a", type);
    body += formatv("    return %{0} : {1}\n", count / 2 - 1, type);
    add(Probe::What::Overhead, formatv("kernels {0}", count).str(), "f32",
        formatv("%a: {0}", type).str(), type, body);
  }
  for (int count : {16, 128}) {
    const char *type = "tensor<16x16xf32>";
    std::string body;
    for (int i = 0; i < count; ++i)
      body += dot(formatv("%{0}", i).str(),
                  i ? formatv("%{0}", i - 1).str() : "%a", "%b", type, type);
    body += formatv("    return %{0} : {1}\n", count - 1, type);
    add(Probe::What::Overhead, formatv("dots {0}", count).str(), "f32",
        formatv("%a: {0}, %b: {0}", type).str(), type, body);
  }
}

void Maker::addDots(llvm::StringRef element, llvm::ArrayRef<int64_t> sizes) {
  for (int64_t n : sizes) {
    std::string type = formatv("tensor<{0}x{0}x{1}>", n, element),
                result = element == "i8"
                             ? formatv("tensor<{0}x{0}xi32>", n).str()
                             : type;
    add(Probe::What::Compute, formatv("dot {0} {1}", element, n).str(),
        element.str(), formatv("%a: {0}, %b: {0}", type).str(), result,
        dot("%0", "%a", "%b", type, result) +
            formatv("    return %0 : {0}\n", result).str());
  }
}

/// Contractions of other shapes, as models have them: few rows, batches, small
/// windows.
void Maker::addModelShapes() {
  auto add2 = [&](const char *name, std::string a, std::string b, std::string c,
                  std::string op) {
    add(Probe::What::Compute, name, "f32",
        formatv("%a: tensor<{0}xf32>, %b: tensor<{1}xf32>", a, b),
        formatv("tensor<{0}xf32>", c),
        formatv("    %0 = {0} : (tensor<{1}xf32>, tensor<{2}xf32>) -> "
                "tensor<{3}xf32>\n    return %0 : tensor<{3}xf32>\n",
                op, a, b, c));
  };
  const char *matrix =
      "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]";
  const char *batched = "stablehlo.dot_general %a, %b, batching_dims = [0] x "
                        "[0], contracting_dims = [2] x [1]";
  const char *window =
      "stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, "
      "o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}";
  add2("dot 16x256x64", "16x256", "256x64", "16x64", matrix);
  add2("dot 64x512x256", "64x512", "512x256", "64x256", matrix);
  add2("dots 16 of 32x32x64", "16x32x32", "16x32x64", "16x32x64", batched);
  add2("dots 16 of 1x64x128", "16x1x64", "16x64x128", "16x1x128", batched);
  add2("dot 256x256x4", "256x256", "256x4", "256x4", matrix);
  add2("dot 256x64x8", "256x64", "64x8", "256x8", matrix);
  add2("dots 16 of 16x16x16", "16x16x16", "16x16x16", "16x16x16", batched);
  add2("convolution 3x3 to 3", "4x16x16x16", "3x3x16x3", "4x16x16x3", window);
  add2("convolution 3x3 to 8", "4x16x16x16", "3x3x16x8", "4x16x16x8", window);
  add2("convolution 3x3", "4x16x16x32", "3x3x32x32", "4x16x16x32", window);
}

/// Functions in one kernel, in caches: what they take beside moving data.
void Maker::addFunctions() {
  for (int64_t n : {1 << 12, 1 << 14}) {
    std::string type = formatv("tensor<{0}xf32>", n), body;
    const char *names[] = {"exponential", "tanh", "log",  "sine",
                           "logistic",    "sqrt", "tanh", "exponential"};
    std::string last = "%a";
    for (auto [i, name] : llvm::enumerate(names)) {
      std::string next = formatv("%{0}", i);
      body += formatv("    {0} = stablehlo.{1} {2} : {3}\n", next, name, last,
                      type);
      last = next;
    }
    body += formatv("    return {0} : {1}\n", last, type);
    add(Probe::What::Memory, formatv("functions {0}", n).str(), "f32",
        formatv("%a: {0}", type).str(), type, body);
  }
}

void Maker::addMemory() {
  for (int64_t n : {int64_t(1) << 14, int64_t(1) << 18, int64_t(1) << 21}) {
    std::string type = formatv("tensor<{0}xf32>", n).str();
    add(Probe::What::Memory, formatv("add {0}", n).str(), "f32",
        formatv("%a: {0}, %b: {0}", type).str(), type,
        formatv("    %0 = stablehlo.add %a, %b : {0}\n"
                "    return %0 : {0}\n",
                type)
            .str());
    add(Probe::What::Memory, formatv("exponential {0}", n).str(), "f32",
        formatv("%a: {0}", type).str(), type,
        formatv("    %0 = stablehlo.exponential %a : {0}\n"
                "    return %0 : {0}\n",
                type)
            .str());
  }
  for (int64_t n : {128, 1024}) {
    std::string type = formatv("tensor<{0}x{0}xf32>", n).str();
    add(Probe::What::Memory, formatv("transpose {0}", n).str(), "f32",
        formatv("%a: {0}", type).str(), type,
        formatv(
            "    %0 = stablehlo.transpose %a, dims = [1, 0] : ({0}) -> {0}\n"
            "    return %0 : {0}\n",
            type)
            .str());
    add(Probe::What::Memory, formatv("reduce {0}", n).str(), "f32",
        formatv("%a: {0}", type).str(), formatv("tensor<{0}xf32>", n).str(),
        formatv("    %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                "    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add "
                "across dimensions = [1] : ({0}, tensor<f32>) -> "
                "tensor<{1}xf32>\n    return %0 : tensor<{1}xf32>\n",
                type, n)
            .str());
  }
}

void Maker::addLoop() {
  const char *type = "tensor<64x64xf32>";
  std::string body = formatv(
      "    %z = stablehlo.constant dense<0> : tensor<i32>\n"
      "    %n = stablehlo.constant dense<50> : tensor<i32>\n"
      "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "    %r:2 = stablehlo.while(%i = %z, %x = %a) : tensor<i32>, {0}\n"
      "    cond {{\n"
      "      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) "
      "-> tensor<i1>\n"
      "      stablehlo.return %c : tensor<i1>\n"
      "    } do {{\n"
      "  {1}"
      "      %t = stablehlo.tanh %0 : {0}\n"
      "      %j = stablehlo.add %i, %one : tensor<i32>\n"
      "      stablehlo.return %j, %t : tensor<i32>, {0}\n"
      "    }\n"
      "    return %r#1 : {0}\n",
      type, dot("%0", "%x", "%b", type, type));
  add(Probe::What::Overhead, "loop 50", "f32",
      formatv("%a: {0}, %b: {0}", type).str(), type, body);
}

std::vector<int64_t> Maker::groupsAlong(int32_t axis) const {
  std::vector<int64_t> ids;
  int64_t size = mesh.axisSize(axis), inner = 1;
  for (int32_t a = axis + 1; a < mesh.numAxes(); ++a)
    inner *= mesh.axisSize(a);
  for (int64_t first = 0; first < devices; ++first)
    if (first / inner % size == 0)
      for (int64_t m = 0; m < size; ++m)
        ids.push_back(first + m * inner);
  return ids;
}

static const char *const sum =
    "({\n    ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
    "      %s = stablehlo.add %p, %q : tensor<f32>\n"
    "      stablehlo.return %s : tensor<f32>\n    })";

void Maker::addChains(llvm::StringRef axis, llvm::StringRef global,
                      int64_t members) {
  constexpr int64_t length = 16, width = 64;
  const char *square = "tensor<64x64xf32>";
  for (int64_t rows : {16, 256})
    for (bool isReduced : {true, false}) {
      rows = llvm::alignTo(rows, members);
      std::string all = formatv("tensor<{0}x{1}xf32>", rows, width),
                  part = formatv("tensor<{0}x{1}xf32>", rows / members, width);
      std::string bodies[2];
      for (auto [isWithout, body] : llvm::enumerate(bodies)) {
        std::string last = "%a";
        for (int64_t i = 0; i < length; ++i) {
          std::string product = formatv("%{0}", i), moved = formatv("%r{0}", i);
          body += formatv("    {0} = stablehlo.dot_general {1}, %b, "
                          "contracting_dims = [1] x [0] : ({2}, {3}) -> {2}\n",
                          product, last, all, square);
          last = product;
          if (isWithout)
            continue;
          last = formatv("%s{0}", i);
          if (isReduced) {
            body += formatv("    {0} = \"stablehlo.all_reduce\"({1}) <{{{2}}> "
                            "{3} : ({4}) -> {4}\n",
                            last, product, global, sum, all);
            continue;
          }
          body += formatv("    {0} = \"stablehlo.reduce_scatter\"({1}) "
                          "<{{scatter_dimension = 0 : i64, {2}}> {3} : ({4}) "
                          "-> {5}\n",
                          moved, product, global, sum, all, part);
          body += formatv("    {0} = \"stablehlo.all_gather\"({1}) "
                          "<{{all_gather_dim = 0 : i64, {2}}> : ({4}) -> {3}\n",
                          last, moved, global, all, part);
        }
        body += formatv("    return {0} : {1}\n", last, all);
      }
      std::string arguments = formatv("%a: {0}, %b: {1}", all, square);
      probes.push_back(
          {formatv("{0} {1} between products of {2} rows",
                   isReduced ? "all_reduce" : "reduce_scatter, all_gather",
                   axis, rows),
           Probe::What::Link, "f32", axis.str(),
           module(arguments, all, bodies[0]),
           module(arguments, all, bodies[1])});
    }
}

void Maker::addCollectives(llvm::StringRef axis,
                           llvm::ArrayRef<int64_t> members, int64_t size) {
  std::string rows, pairs;
  for (size_t g = 0; g < members.size(); g += size) {
    llvm::ArrayRef<int64_t> group = members.slice(g, size);
    rows += formatv(
        "{0}[{1}]", g ? ", " : "",
        llvm::join(llvm::map_range(
                       group, [](int64_t id) { return std::to_string(id); }),
                   ", "));
    for (int64_t m = 0; m < size; ++m)
      pairs += formatv("{0}[{1}, {2}]", pairs.empty() ? "" : ", ", group[m],
                       group[(m + 1) % size]);
  }
  std::string groups =
      formatv("replica_groups = dense<[{0}]> : tensor<{1}x{2}xi64>", rows,
              members.size() / size, size);
  const char *channel =
      "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
  std::string global =
      formatv("{0}, {1}, use_global_device_ids", channel, groups);
  addChains(axis, global, size);
  for (int64_t elements : {64, 1 << 14, 1 << 19}) {
    int64_t n = llvm::alignTo(elements, size);
    auto collective = [&](const char *op, std::string attributes,
                          int64_t results, const char *region) {
      std::string in = formatv("tensor<{0}xf32>", n),
                  out = formatv("tensor<{0}xf32>", results);
      add(Probe::What::Link, formatv("{0} {1} {2}", op, axis, 4 * n).str(),
          "f32", formatv("%a: {0}", in).str(), out,
          formatv("    %0 = \"stablehlo.{0}\"(%a) <{{{1}}> {2} : ({3}) -> {4}\n"
                  "    return %0 : {4}\n",
                  op, attributes, region, in, out)
              .str(),
          axis.str());
    };
    collective("all_reduce", global, n, sum);
    collective("all_gather", "all_gather_dim = 0 : i64, " + global, n * size,
               "");
    collective("reduce_scatter", "scatter_dimension = 0 : i64, " + global,
               n / size, sum);
    collective("all_to_all",
               formatv("{0}, {1}, concat_dimension = 0 : i64, split_count = "
                       "{2} : i64, split_dimension = 0 : i64",
                       channel, groups, size),
               n, "");
    collective("collective_permute",
               formatv("{0}, source_target_pairs = dense<[{1}]> : "
                       "tensor<{2}x2xi64>",
                       channel, pairs, members.size()),
               n, "");
  }
}

std::vector<Probe> Maker::run() {
  addOverheads();
  addLoop();
  addDots("f32", {64, 128, 256, 512});
  addDots("bf16", {128, 512});
  addDots("i8", {128, 512});
  addModelShapes();
  addFunctions();
  addMemory();
  for (int32_t axis = 0; axis < mesh.numAxes(); ++axis)
    if (mesh.axisSize(axis) > 1)
      addCollectives(mesh.axisName(axis), groupsAlong(axis),
                     mesh.axisSize(axis));
  return std::move(probes);
}

std::vector<Probe> shardwright::makeProbes(const Mesh &mesh) {
  return Maker(mesh).run();
}

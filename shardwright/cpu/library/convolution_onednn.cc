//===- convolution_onednn.cc - convolutions through oneDNN ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Supports f32 and bf16, one to three spatial dimensions, no input dilation and
// no negative padding. The kernel is reordered to oneDNN's preferred layout at
// each call; input and result are reordered if their layout is slow.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/dot/onednn.h"
#include "shardwright/cpu/library/convolution.h"
#include "shardwright/support/convolution_tiles.h"
#include "shardwright/support/shape.h"

#include "llvm/ADT/Hashing.h"

using namespace shardwright;
using namespace shardwright::cpu;
using namespace shardwright::cpu::onednn;

namespace {

/// Work per task, if the batch can be split.
constexpr double pieceFlops = 4e6;

/// oneDNN adds the products under a window sequentially, this many features at
/// a time, so the rounding error grows with the window. A large kernel (the
/// gradient of a kernel is a convolution with a kernel as large as the image)
/// is split into parts of about `partTaps` products per result, each with at
/// least the work that pays for starting a primitive. Parts are also faster,
/// because a part stays in the cache.
constexpr int64_t featuresAtOnce = 16;
constexpr double partTaps = 1024, partFlops = 5e4;

bool equal(const dnnl_memory_desc_t &a, const dnnl_memory_desc_t &b) {
  return dnnl_memory_desc_equal(&a, &b);
}

class OneDnnConvolution {
public:
  /// Null if oneDNN has no fast primitive. The batch is split into `chunks`
  /// parts; `adds`: accumulate into the existing result.
  static std::shared_ptr<const OneDnnConvolution>
  create(const Convolution &c, int64_t chunks, bool adds);

  int64_t scratchBytes() const { return scratchSize; }
  llvm::Error run(const LibraryBuffers &b, int64_t begin, int64_t end) const;

private:
  enum { Src, Weights, Dst, numOperands };
  static constexpr int arguments[numOperands] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS,
                                                 DNNL_ARG_DST};

  bool describe(const Convolution &c);
  bool choose(const Convolution &c, bool keepsData, bool acceptsGemm);
  bool finish();
  bool makeReorder(Primitive &reorder, const dnnl_memory_desc_t &from,
                   const dnnl_memory_desc_t &to, bool addsUp = false);

  int64_t chunks = 1;
  bool adds = false, keepsData = false;
  /// Bytes between chunks of the batch: input, result.
  int64_t srcStep = 0, dstStep = 0;
  /// Layouts of the operands in memory, and as the primitive requires them.
  dnnl_memory_desc_t given[numOperands], wanted[numOperands];
  dnnl_memory_desc_t scratchpad;
  PrimitiveDesc description;
  Primitive convolution;
  /// Null: the operand is used in place.
  Primitive reorders[numOperands];
  int64_t offsets[numOperands] = {}, padOffset = 0, padBytes = 0;
  int64_t scratchSize = 0;
};

bool OneDnnConvolution::describe(const Convolution &c) {
  dnnl_data_type_t type = dataType(c.type), outType = dataType(c.outType);
  int64_t perChunk = c.batch / chunks;
  auto init = [&](dnnl_memory_desc_t &desc, dnnl_data_type_t type,
                  const Shape &dims, const Shape &strides) {
    return dnnl_memory_desc_init_by_strides(&desc, dims.size(), dims.data(),
                                            type,
                                            strides.data()) == dnnl_success;
  };
  auto join = [](std::initializer_list<int64_t> first, const Shape &rest) {
    Shape all(first);
    all.append(rest);
    return all;
  };
  bool grouped = c.featureGroups > 1;
  Shape kernelDims =
      grouped ? join({c.featureGroups, c.groupOut(), c.groupIn()}, c.kernel)
              : join({c.outFeatures, c.inFeatures}, c.kernel);
  Shape kernelStrides =
      grouped ? join({c.groupOut() * c.kernelOutStride, c.kernelOutStride,
                      c.kernelInStride},
                     c.kernelStride)
              : join({c.kernelOutStride, c.kernelInStride}, c.kernelStride);
  return init(given[Src], type, join({perChunk, c.inFeatures}, c.in),
              join({c.inBatchStride, c.inFeatureStride}, c.inStride)) &&
         init(given[Weights], type, kernelDims, kernelStrides) &&
         init(given[Dst], outType, join({perChunk, c.outFeatures}, c.out),
              join({c.outBatchStride, c.outFeatureStride}, c.outStride));
}

/// Makes a primitive accumulate into its destination.
bool addUp(const Attributes &attributes) {
  Handle<dnnl_post_ops_t, dnnl_post_ops_destroy> sum;
  return dnnl_post_ops_create(sum.out()) == dnnl_success &&
         dnnl_post_ops_append_sum(sum.get(), 1) == dnnl_success &&
         dnnl_primitive_attr_set_post_ops(attributes.get(), sum.get()) ==
             dnnl_success;
}

bool OneDnnConvolution::choose(const Convolution &c, bool keepsData,
                               bool acceptsGemm) {
  dnnl_memory_desc_t asked[numOperands];
  for (int i = 0; i < numOperands; ++i) {
    asked[i] = given[i];
    if ((!keepsData || i == Weights) &&
        dnnl_memory_desc_init_by_tag(&asked[i], given[i].ndims, given[i].dims,
                                     given[i].data_type,
                                     dnnl_format_tag_any) != dnnl_success)
      return false;
  }
  Shape holes;
  for (int64_t d : c.kernelDilation)
    holes.push_back(d - 1);
  dnnl_convolution_desc_t desc;
  Attributes attributes;
  PrimitiveDesc made;
  // A scratchpad owned by the library would be shared by all threads that run
  // the primitive.
  if (dnnl_dilated_convolution_forward_desc_init(
          &desc, dnnl_forward_inference, dnnl_convolution_direct, &asked[Src],
          &asked[Weights], nullptr, &asked[Dst], c.stride.data(), holes.data(),
          c.low.data(), c.high.data()) != dnnl_success ||
      dnnl_primitive_attr_create(attributes.out()) != dnnl_success ||
      dnnl_primitive_attr_set_scratchpad_mode(
          attributes.get(), dnnl_scratchpad_mode_user) != dnnl_success ||
      (adds && keepsData && !addUp(attributes)) ||
      dnnl_primitive_desc_create(made.out(), &desc, attributes.get(), engine(),
                                 nullptr) != dnnl_success)
    return false;
  const char *name = nullptr;
  dnnl_primitive_desc_query(made.get(), dnnl_query_impl_info_str, 0, &name);
  llvm::StringRef kind = name ? name : "ref";
  // Reference loops are slower than our generic code. So is oneDNN's gather and
  // product, except for types that ours converts.
  if (kind.starts_with("ref") || (kind.starts_with("gemm") && !acceptsGemm))
    return false;
  std::swap(*description.out(), *made.out());
  this->keepsData = keepsData;
  return true;
}

bool OneDnnConvolution::makeReorder(Primitive &reorder,
                                    const dnnl_memory_desc_t &from,
                                    const dnnl_memory_desc_t &to, bool addsUp) {
  PrimitiveDesc desc;
  Attributes attributes;
  return dnnl_primitive_attr_create(attributes.out()) == dnnl_success &&
         (!addsUp || addUp(attributes)) &&
         dnnl_reorder_primitive_desc_create(desc.out(), &from, engine(), &to,
                                            engine(),
                                            attributes.get()) == dnnl_success &&
         dnnl_primitive_create(reorder.out(), desc.get()) == dnnl_success;
}

bool OneDnnConvolution::finish() {
  const dnnl_query_t queries[numOperands] = {
      dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md};
  auto take = [&](int64_t bytes) {
    int64_t at = scratchSize;
    scratchSize += (bytes + 63) / 64 * 64;
    return at;
  };
  for (int i = 0; i < numOperands; ++i) {
    const dnnl_memory_desc_t *md =
        dnnl_primitive_desc_query_md(description.get(), queries[i], 0);
    if (!md)
      return false;
    wanted[i] = *md;
    // With `adds`, the existing result is read by the convolution, or by the
    // reorder of the result if the convolution cannot accumulate.
    if (equal(wanted[i], given[i]) && !(i == Dst && adds && !keepsData))
      continue;
    bool made = i == Dst ? makeReorder(reorders[i], wanted[i], given[i], adds)
                         : makeReorder(reorders[i], given[i], wanted[i]);
    if (!made)
      return false;
    offsets[i] = take(dnnl_memory_desc_get_size(md));
  }
  if (const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(
          description.get(), dnnl_query_scratchpad_md, 0)) {
    scratchpad = *md;
    padBytes = dnnl_memory_desc_get_size(md);
    padOffset = take(padBytes);
  }
  return dnnl_primitive_create(convolution.out(), description.get()) ==
         dnnl_success;
}

std::shared_ptr<const OneDnnConvolution>
OneDnnConvolution::create(const Convolution &c, int64_t chunks, bool adds) {
  OneThread oneThread;
  auto made = std::make_shared<OneDnnConvolution>();
  made->chunks = chunks;
  made->adds = adds;
  int64_t perChunk = c.batch / made->chunks;
  made->srcStep = perChunk * c.inBatchStride * byteWidth(c.type);
  made->dstStep = perChunk * c.outBatchStride * byteWidth(c.outType);
  if (!made->describe(c))
    return nullptr;
  bool narrow = c.type != ElementType::F32;
  if (!made->choose(c, /*keepsData=*/true, false) &&
      !made->choose(c, /*keepsData=*/false, narrow))
    return nullptr;
  return made->finish() ? made : nullptr;
}

llvm::Error OneDnnConvolution::run(const LibraryBuffers &b, int64_t begin,
                                   int64_t end) const {
  OneThread oneThread;
  auto *scratch = static_cast<char *>(b.scratch);
  auto failed = [] {
    return llvm::createStringError("oneDNN failed to convolve");
  };
  auto execute = [&](const Primitive &p, llvm::ArrayRef<dnnl_exec_arg_t> args) {
    return dnnl_primitive_execute(p.get(), stream(), args.size(),
                                  args.data()) == dnnl_success;
  };
  for (int64_t chunk = begin; chunk < end; ++chunk) {
    void *data[numOperands] = {
        static_cast<char *>(b.inputs[0]) + chunk * srcStep, b.inputs[1],
        static_cast<char *>(b.outputs[0]) + chunk * dstStep};
    Memory outside[numOperands], inside[numOperands], pad;
    for (int i = 0; i < numOperands; ++i) {
      bool moved = reorders[i].get();
      if (dnnl_memory_create(outside[i].out(), &given[i], engine(), data[i]) ||
          dnnl_memory_create(inside[i].out(), &wanted[i], engine(),
                             moved ? scratch + offsets[i] : data[i]))
        return failed();
    }
    if (padBytes && dnnl_memory_create(pad.out(), &scratchpad, engine(),
                                       scratch + padOffset))
      return failed();
    for (int i : {Src, Weights})
      // The reordered kernel is reused by the following chunks.
      if (reorders[i].get() && (i == Src || chunk == begin) &&
          !execute(reorders[i], {{DNNL_ARG_FROM, outside[i].get()},
                                 {DNNL_ARG_TO, inside[i].get()}}))
        return failed();
    llvm::SmallVector<dnnl_exec_arg_t, 4> args;
    for (int i = 0; i < numOperands; ++i)
      args.push_back({arguments[i], inside[i].get()});
    if (padBytes)
      args.push_back({DNNL_ARG_SCRATCHPAD, pad.get()});
    if (!execute(convolution, args))
      return failed();
    if (reorders[Dst].get() &&
        !execute(reorders[Dst], {{DNNL_ARG_FROM, inside[Dst].get()},
                                 {DNNL_ARG_TO, outside[Dst].get()}}))
      return failed();
    if (dnnl_stream_wait(stream()) != dnnl_success)
      return failed();
  }
  return llvm::Error::success();
}

/// All parameters that a primitive depends on.
std::vector<int64_t> keyOf(const Convolution &c, int64_t chunks, bool adds) {
  std::vector<int64_t> key = {chunks,
                              adds,
                              int64_t(c.type),
                              int64_t(c.outType),
                              c.batch,
                              c.inFeatures,
                              c.outFeatures,
                              c.featureGroups,
                              c.inBatchStride,
                              c.inFeatureStride,
                              c.kernelInStride,
                              c.kernelOutStride,
                              c.outBatchStride,
                              c.outFeatureStride,
                              int64_t(c.spatial())};
  for (const Shape *part :
       {&c.in, &c.kernel, &c.out, &c.stride, &c.low, &c.high, &c.kernelDilation,
        &c.inStride, &c.kernelStride, &c.outStride})
    key.insert(key.end(), part->begin(), part->end());
  return key;
}

struct KeyHash {
  size_t operator()(const std::vector<int64_t> &key) const {
    return llvm::hash_combine_range(key.begin(), key.end());
  }
};

std::shared_ptr<const OneDnnConvolution> lookUp(const Convolution &c,
                                                int64_t chunks, bool adds) {
  static auto *cache = new PrimitiveCache<std::vector<int64_t>,
                                          OneDnnConvolution, KeyHash, 1024>();
  return cache->get(keyOf(c, chunks, adds),
                    [&] { return OneDnnConvolution::create(c, chunks, adds); });
}

/// A part of the kernel, and the part of the input that it applies to.
struct KernelPart {
  std::shared_ptr<const OneDnnConvolution> convolution;
  /// Offsets in bytes from the start of the operands.
  int64_t src, weights;
};

/// `count` rows of the kernel along spatial dimension `d`. Returns nullopt if
/// they only overlap padding, and a null convolution if oneDNN has no fast one.
std::optional<KernelPart> partOf(Convolution c, size_t d, int64_t first,
                                 int64_t count, int64_t chunks, bool adds) {
  // The range of the input, including padding; [0, in) exists.
  int64_t dilation = c.kernelDilation[d], from = first * dilation - c.low[d],
          to = from + (c.out[d] - 1) * c.stride[d] + (count - 1) * dilation + 1;
  int64_t begin = std::max<int64_t>(from, 0), end = std::min(to, c.in[d]);
  if (begin >= end)
    return std::nullopt;
  int64_t width = byteWidth(c.type);
  KernelPart part = {nullptr, begin * c.inStride[d] * width,
                     first * c.kernelStride[d] * width};
  c.low[d] = begin - from;
  c.high[d] = to - end;
  c.in[d] = end - begin;
  c.kernel[d] = count;
  part.convolution = lookUp(c, chunks, adds);
  return part;
}

/// Rows of the kernel along dimension `d` per part; all of them if the kernel
/// is small.
int64_t rowsOfPart(const Convolution &c, size_t d) {
  int64_t rows = c.kernel[d];
  // A narrow result type cannot hold partial sums.
  if (c.outType != ElementType::F32)
    return rows;
  double taps =
      double(product(c.kernel)) * double(std::min(c.groupIn(), featuresAtOnce));
  double parts = std::min(taps / partTaps, c.flops() / partFlops);
  return parts < 2 ? rows : std::max<int64_t>(1, int64_t(rows / parts));
}

bool isCandidate(const Convolution &c) {
  bool typeOk =
      (c.type == ElementType::F32 && c.outType == ElementType::F32) ||
      (c.type == ElementType::BF16 &&
       (c.outType == ElementType::BF16 || c.outType == ElementType::F32));
  if (!typeOk || c.batchGroups != 1 || c.spatial() < 1 || c.spatial() > 3 ||
      c.flops() < kLeastLibraryFlops)
    return false;
  for (size_t d = 0; d < c.spatial(); ++d)
    if (c.low[d] < 0 || c.high[d] < 0 || c.inDilation[d] != 1 ||
        c.reversed[d] || c.in[d] == 0)
      return false;
  return true;
}

} // namespace

std::optional<LibraryOp> cpu::makeOneDnnConvolution(const Convolution &c) {
  if (!isCandidate(c))
    return std::nullopt;
  LibraryOp op;
  op.tasks = 1;
  for (int64_t n = std::min<int64_t>(8, c.batch); n > 1 && op.tasks == 1; --n)
    if (c.batch % n == 0 && c.flops() / double(n) >= pieceFlops)
      op.tasks = n;
  size_t d = llvm::max_element(c.kernel) - c.kernel.begin();
  std::vector<KernelPart> parts;
  for (int64_t row = 0, step = rowsOfPart(c, d); row < c.kernel[d];
       row += step) {
    std::optional<KernelPart> part =
        partOf(c, d, row, std::min(step, c.kernel[d] - row), op.tasks,
               /*adds=*/!parts.empty());
    if (!part)
      continue;
    if (!part->convolution)
      return std::nullopt;
    op.scratchBytes =
        std::max(op.scratchBytes, part->convolution->scratchBytes());
    parts.push_back(std::move(*part));
  }
  if (parts.empty())
    return std::nullopt;
  op.costNs = 1000 + c.flops() / 60;
  op.run = [parts = std::move(parts)](const LibraryBuffers &b, int64_t begin,
                                      int64_t end) -> llvm::Error {
    for (const KernelPart &part : parts) {
      void *inputs[] = {static_cast<char *>(b.inputs[0]) + part.src,
                        static_cast<char *>(b.inputs[1]) + part.weights};
      LibraryBuffers own = b;
      own.inputs = inputs;
      if (llvm::Error e = part.convolution->run(own, begin, end))
        return e;
    }
    return llvm::Error::success();
  };
  return op;
}

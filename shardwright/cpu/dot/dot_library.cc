//===- dot_library.cc - matrix products through oneDNN --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/dot/dot_product.h"
#include "shardwright/cpu/dot/onednn.h"
#include "shardwright/support/box_copy.h"

#include "llvm/ADT/Hashing.h"

#include <array>
#include <memory>

using namespace shardwright;
using namespace shardwright::cpu;

using namespace shardwright::cpu::onednn;

namespace {

/// All parameters that a primitive depends on.
struct Key {
  std::array<int64_t, 16> values;
  friend bool operator==(const Key &, const Key &) = default;
};
struct KeyHash {
  size_t operator()(const Key &key) const {
    return llvm::hash_combine_range(key.values.begin(), key.values.end());
  }
};

Key keyOf(const Product &p) {
  auto type = [](const Matrices &x) { return int64_t(x.type); };
  return {{type(p.a), type(p.b), type(p.c), p.batches, p.m, p.n, p.k,
           p.a.rowStride, p.a.colStride, p.a.batchStride, p.b.rowStride,
           p.b.colStride, p.b.batchStride, p.c.rowStride, p.c.colStride,
           p.c.batchStride}};
}

struct MatmulPrimitive {
  Primitive primitive; ///< null: oneDNN has none
  dnnl_memory_desc_t a, b, c, scratchpad;
  int64_t scratchBytes = 0;
};

std::shared_ptr<const MatmulPrimitive> make(const Product &p) {
  auto result = std::make_shared<MatmulPrimitive>();
  int rank = p.batches > 1 ? 3 : 2;
  auto describe = [&](dnnl_memory_desc_t &desc, const Matrices &x, int64_t rows,
                      int64_t cols) {
    dnnl_dims_t dims = {p.batches, rows, cols};
    dnnl_dims_t strides = {x.batchStride, x.rowStride, x.colStride};
    return dnnl_memory_desc_init_by_strides(
               &desc, rank, rank == 3 ? dims : dims + 1, dataType(x.type),
               rank == 3 ? strides : strides + 1) == dnnl_success;
  };
  if (!describe(result->a, p.a, p.m, p.k) ||
      !describe(result->b, p.b, p.k, p.n) ||
      !describe(result->c, p.c, p.m, p.n))
    return result;
  dnnl_matmul_desc_t desc;
  if (dnnl_matmul_desc_init(&desc, &result->a, &result->b, nullptr,
                            &result->c) != dnnl_success)
    return result;
  // A scratchpad owned by the library would be shared by all threads that run
  // the primitive.
  Attributes attributes;
  PrimitiveDesc primitiveDesc;
  if (dnnl_primitive_attr_create(attributes.out()) != dnnl_success ||
      dnnl_primitive_attr_set_scratchpad_mode(
          attributes.get(), dnnl_scratchpad_mode_user) != dnnl_success ||
      dnnl_primitive_desc_create(primitiveDesc.out(), &desc, attributes.get(),
                                 engine(), nullptr) != dnnl_success)
    return result;
  const char *name = nullptr;
  dnnl_primitive_desc_query(primitiveDesc.get(), dnnl_query_impl_info_str, 0,
                            &name);
  // oneDNN's reference loop is far slower than our code.
  if (name && llvm::StringRef(name).starts_with("ref"))
    return result;
  const dnnl_memory_desc_t *scratchpad = dnnl_primitive_desc_query_md(
      primitiveDesc.get(), dnnl_query_scratchpad_md, 0);
  if (scratchpad) {
    result->scratchpad = *scratchpad;
    result->scratchBytes = dnnl_memory_desc_get_size(scratchpad);
  }
  if (dnnl_primitive_create(result->primitive.out(), primitiveDesc.get()) !=
      dnnl_success)
    return std::make_shared<MatmulPrimitive>();
  return result;
}

std::shared_ptr<const MatmulPrimitive> lookUp(const Product &p) {
  static auto *cache =
      new PrimitiveCache<Key, MatmulPrimitive, KeyHash, 4096>();
  return cache->get(keyOf(p), [&] { return make(p); });
}

/// Returns false if there is no such primitive.
llvm::Expected<bool> runPrimitive(const Product &p) {
  auto primitive = lookUp(p);
  if (!primitive->primitive.get())
    return false;
  Memory a, b, c, pad;
  void *scratchpad = nullptr;
  if (primitive->scratchBytes) {
    scratchpad = scratch(Scratch::Library, primitive->scratchBytes);
    if (!scratchpad)
      return llvm::createStringError("not enough memory");
  }
  if (dnnl_memory_create(a.out(), &primitive->a, engine(), p.a.data) ||
      dnnl_memory_create(b.out(), &primitive->b, engine(), p.b.data) ||
      dnnl_memory_create(c.out(), &primitive->c, engine(), p.c.data) ||
      (scratchpad && dnnl_memory_create(pad.out(), &primitive->scratchpad,
                                        engine(), scratchpad)))
    return llvm::createStringError("oneDNN cannot take the operands");
  dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, a.get()},
                            {DNNL_ARG_WEIGHTS, b.get()},
                            {DNNL_ARG_DST, c.get()},
                            {DNNL_ARG_SCRATCHPAD, pad.get()}};
  if (dnnl_primitive_execute(primitive->primitive.get(), stream(),
                             scratchpad ? 4 : 3, args) ||
      dnnl_stream_wait(stream()))
    return llvm::createStringError("oneDNN failed to multiply");
  return true;
}

llvm::Error runSgemm(const Product &p) {
  // The operands are row-major or transposes of row-major matrices.
  bool aAsIs = p.a.colStride == 1, bAsIs = p.b.colStride == 1;
  // sgemm sums skinny products over all of k in one accumulator (summation.h).
  constexpr int64_t depth = 1024;
  for (int64_t i = 0; i < p.batches; ++i) {
    auto *a = reinterpret_cast<float *>(p.a.advanced(i * p.a.batchStride).data);
    auto *b = reinterpret_cast<float *>(p.b.advanced(i * p.b.batchStride).data);
    auto *c = reinterpret_cast<float *>(p.c.advanced(i * p.c.batchStride).data);
    for (int64_t k = 0; k < std::max<int64_t>(p.k, 1); k += depth)
      if (dnnl_sgemm(aAsIs ? 'N' : 'T', bAsIs ? 'N' : 'T', p.m, p.n,
                     std::min(depth, p.k - k), 1.0f, a + k * p.a.colStride,
                     aAsIs ? p.a.rowStride : p.a.colStride,
                     b + k * p.b.rowStride,
                     bAsIs ? p.b.rowStride : p.b.colStride,
                     k == 0 ? 0.0f : 1.0f, c, p.c.rowStride) != dnnl_success)
        return llvm::createStringError("oneDNN failed to multiply");
  }
  return llvm::Error::success();
}

bool hasUnitStride(const Matrices &x, int64_t rows, int64_t cols) {
  return (x.colStride == 1 && x.rowStride >= cols) ||
         (x.rowStride == 1 && x.colStride >= rows);
}

/// Canonicalizes the strides of size-1 dimensions.
void tidy(Matrices &x, int64_t rows, int64_t cols, int64_t batches) {
  if (cols == 1 && x.rowStride != 1)
    x.colStride = 1;
  if (rows == 1 && x.colStride == 1)
    x.rowStride = cols;
  if (rows == 1 && x.colStride != 1)
    x.rowStride = 1; // a column of the transpose
  if (cols == 1 && x.colStride != 1)
    x.colStride = rows;
  if (batches == 1)
    x.batchStride = rows * cols;
}

/// Copies `x` to dense row-major scratch.
bool pack(Matrices &x, int64_t batches, int64_t rows, int64_t cols,
          Scratch use) {
  int64_t width = byteWidth(x.type);
  void *to = scratch(use, batches * rows * cols * width);
  if (!to)
    return false;
  copyBox(to, {rows * cols * width, cols * width, width}, x.data,
          {x.batchStride * width, x.rowStride * width, x.colStride * width},
          {batches, rows, cols}, width);
  x = {static_cast<char *>(to), x.type, cols, 1, rows * cols};
  return true;
}

bool isByteProduct(ElementType a, ElementType b, ElementType c) {
  bool aIs = a == ElementType::S8 || a == ElementType::U8;
  return aIs && b == ElementType::S8 && c == ElementType::S32;
}

bool fitsFloat(ElementType type) {
  return isFloat(type) && type != ElementType::F64;
}

/// True if a primitive gains more over sgemm than it costs to start (about 1
/// us) and to pack its operands. Of a batch sgemm is called for each product.
bool isWorthAPrimitive(const Product &p) {
  constexpr int64_t skinny = 16;
  if (p.batches > 1 && p.m * p.n * p.k <= smallProduct)
    return true;
  return p.m > skinny && p.n > skinny &&
         p.batches * p.m * p.n * p.k > smallProduct;
}

} // namespace

bool cpu::hasLibraryProduct(const Product &p) {
  return (fitsFloat(p.a.type) && fitsFloat(p.b.type) && fitsFloat(p.c.type)) ||
         isByteProduct(p.a.type, p.b.type, p.c.type) ||
         isByteProduct(p.b.type, p.a.type, p.c.type);
}

/// Converts types that oneDNN does not support, on this machine or at all, to
/// f32.
static llvm::Error throughFloats(const Product &p) {
  Product q = p;
  q.batches = 1;
  auto *a = static_cast<float *>(
      scratch(Scratch::FloatLeft, p.m * p.k * sizeof(float)));
  auto *b = static_cast<float *>(
      scratch(Scratch::FloatRight, p.k * p.n * sizeof(float)));
  auto *c = static_cast<float *>(
      scratch(Scratch::FloatResult, p.m * p.n * sizeof(float)));
  if (!a || !b || !c)
    return llvm::createStringError("not enough memory");
  q.a = {reinterpret_cast<char *>(a), ElementType::F32, p.k, 1, 0};
  q.b = {reinterpret_cast<char *>(b), ElementType::F32, p.n, 1, 0};
  q.c = {reinterpret_cast<char *>(c), ElementType::F32, p.n, 1, 0};
  for (int64_t i = 0; i < p.batches; ++i) {
    toFloats(p.a.advanced(i * p.a.batchStride), p.m, p.k, a);
    toFloats(p.b.advanced(i * p.b.batchStride), p.k, p.n, b);
    if (llvm::Error e = libraryProduct(q))
      return e;
    fromFloats(c, p.m, p.n, p.c.advanced(i * p.c.batchStride));
  }
  return llvm::Error::success();
}

llvm::Error cpu::libraryProduct(Product p) {
  OneThread oneThread;
  bool isBytes = isByteProduct(p.a.type, p.b.type, p.c.type) ||
                 isByteProduct(p.b.type, p.a.type, p.c.type);
  bool isF32 = p.a.type == ElementType::F32 && p.b.type == ElementType::F32 &&
               p.c.type == ElementType::F32;
  bool isBf16 = p.a.type == ElementType::BF16 &&
                p.b.type == ElementType::BF16 &&
                (p.c.type == ElementType::BF16 || p.c.type == ElementType::F32);
  if (!isBytes && !isF32 && !isBf16)
    return throughFloats(p);

  tidy(p.a, p.m, p.k, p.batches);
  tidy(p.b, p.k, p.n, p.batches);
  tidy(p.c, p.m, p.n, p.batches);
  // The result must be row-major, and the unsigned bytes the left operand.
  if (p.c.colStride != 1 && p.c.rowStride == 1)
    p = p.transposed();
  Matrices result = p.c;
  bool mustCopy = p.c.colStride != 1 || p.c.rowStride < p.n ||
                  (isBytes && !isByteProduct(p.a.type, p.b.type, p.c.type));
  if (mustCopy) {
    if (isBytes && !isByteProduct(p.a.type, p.b.type, p.c.type)) {
      p = p.transposed();
      result = p.c;
    }
    int64_t width = byteWidth(p.c.type);
    void *to = scratch(Scratch::PackedResult, p.batches * p.m * p.n * width);
    if (!to)
      return llvm::createStringError("not enough memory");
    p.c = {static_cast<char *>(to), p.c.type, p.n, 1, p.m * p.n};
  }
  if ((!hasUnitStride(p.a, p.m, p.k) || (p.batches > 1 && !p.a.batchStride)) &&
      !pack(p.a, p.batches, p.m, p.k, Scratch::PackedLeft))
    return llvm::createStringError("not enough memory");
  if ((!hasUnitStride(p.b, p.k, p.n) || (p.batches > 1 && !p.b.batchStride)) &&
      !pack(p.b, p.batches, p.k, p.n, Scratch::PackedRight))
    return llvm::createStringError("not enough memory");

  bool done = false;
  if (!isF32 || isWorthAPrimitive(p)) {
    llvm::Expected<bool> ran = runPrimitive(p);
    if (!ran)
      return ran.takeError();
    done = *ran;
    // oneDNN has no interleaved batches; try one matrix at a time.
    if (!done && p.batches > 1 && !isF32) {
      Product one = p;
      one.batches = 1;
      tidy(one.a, p.m, p.k, 1);
      tidy(one.b, p.k, p.n, 1);
      tidy(one.c, p.m, p.n, 1);
      done = true;
      for (int64_t i = 0; done && i < p.batches; ++i) {
        one.a.data = p.a.advanced(i * p.a.batchStride).data;
        one.b.data = p.b.advanced(i * p.b.batchStride).data;
        one.c.data = p.c.advanced(i * p.c.batchStride).data;
        llvm::Expected<bool> ranOne = runPrimitive(one);
        if (!ranOne)
          return ranOne.takeError();
        done = *ranOne;
      }
    }
  }
  if (!done) {
    if (isF32) {
      if (llvm::Error e = runSgemm(p))
        return e;
    } else if (isBf16) {
      if (llvm::Error e = throughFloats(p))
        return e;
    } else if (llvm::Error e = genericProduct(p, Accumulator::Word)) {
      return e;
    }
  }
  if (mustCopy) {
    int64_t width = byteWidth(result.type);
    copyBox(result.data,
            {result.batchStride * width, result.rowStride * width,
             result.colStride * width},
            p.c.data, {p.m * p.n * width, p.n * width, width},
            {p.batches, p.m, p.n}, width);
  }
  return llvm::Error::success();
}

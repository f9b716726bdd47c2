//===- random.cc - the threefry generator ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/config.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"

#include <limits>

namespace shardwright::frontend {
namespace {

using namespace lax;

Tensor word(uint32_t v) { return scalarOf(int64_t(v), DType::U32); }

/// The type of random bits of this width.
DType bitsType(int64_t width) {
  return width == 8    ? DType::U8
         : width == 16 ? DType::U16
         : width == 32 ? DType::U32
                       : DType::U64;
}

/// Threefry-2x32 with 20 rounds (Salmon et al. 2011).
Tensors threefry(const Tensors &in) {
  static const int64_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Tensor keys[3] = {in[0], in[1],
                    bitwise_xor(bitwise_xor(in[0], in[1]), word(0x1BD11BDA))};
  Tensor x0 = add(in[2], keys[0]), x1 = add(in[3], keys[1]);
  for (uint32_t group = 0; group < 5; ++group) {
    for (int64_t r : rotations[group % 2]) {
      x0 = add(x0, x1);
      x1 = bitwise_or(
          shift_left(x1, word(static_cast<uint32_t>(r))),
          shift_right_logical(x1, word(static_cast<uint32_t>(32 - r))));
      x1 = bitwise_xor(x0, x1);
    }
    x0 = add(x0, keys[(group + 1) % 3]);
    x1 = add(add(x1, keys[(group + 2) % 3]), word(group + 1));
  }
  return {x0, x1};
}

const Primitive threefryP = [] {
  Primitive p;
  p.name = "threefry2x32";
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    for (const Aval &a : in)
      if (a.dtype != DType::U32)
        return typeError("Arguments to threefry2x32 must have uint32 type, "
                         "got ",
                         a.longStr());
    Expected<Shape> shape = broadcastShapes("threefry2x32", in);
    if (!shape)
      return shape.error();
    return std::vector<Aval>(2, Aval{DType::U32, *shape});
  };
  p.composite = [](const Tensors &in, const Params &) { return threefry(in); };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    auto specs = broadcastSpecs("threefry2x32", in);
    if (specs)
      specs->push_back((*specs)[0]);
    return specs;
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) {
    BatchResult r = batchElementwise(*findPrimitive("threefry2x32"), axis, in,
                                     dims, params);
    r.dims.resize(2, r.dims[0]);
    return r;
  };
  return p;
}();
const Registered threefryR(threefryP);

/// The two words of each key.
Tensor keyWord(const Tensor &data, int64_t which) {
  int64_t last = data.rank() - 1;
  return squeeze(slice_in_dim(data, which, which + 1, 1, last), {last});
}

/// Encrypts the numbers 0, 1, ... of `shape` with each key: JAX's
/// "partitionable" counting, by 64-bit numbers. The dimensions of the keys are
/// in front.
Tensors encryptCounts(const Tensor &data, const Shape &shape) {
  Tensor low = reshape(iota(DType::U32, {shape.elements()}, 0), shape);
  Tensor keys[2] = {keyWord(data, 0), keyWord(data, 1)};
  int64_t n = keys[0].rank();
  if (n > 0) {
    Shape all = keys[0].shape();
    all.insert(all.end(), shape.begin(), shape.end());
    Ints inFront, behind;
    for (int64_t d = 0; d < static_cast<int64_t>(all.size()); ++d)
      (d < n ? inFront : behind).push_back(d);
    for (Tensor &key : keys)
      key = broadcast_in_dim(key, all, inFront);
    low = broadcast_in_dim(low, all, behind);
  }
  return threefry2x32(keys[0], keys[1], full_like(low, 0), low);
}

/// Elements [from, to) of the last dimension.
Tensor lastSlice(const Tensor &x, int64_t from, int64_t to) {
  return x.ok() ? slice_in_dim(x, from, to, 1, x.rank() - 1) : x;
}

/// JAX's older counting: encrypts 0, 1, ... `count - 1` with each key, in pairs
/// of a number of the first half and one of the second. The last dimension of
/// the result has size `count`; those of the keys are in front.
Tensor encryptHalves(const Tensor &data, int64_t count) {
  if (count > std::numeric_limits<uint32_t>::max() - 1)
    return notImplemented("random bits of more than 2 ** 32 words with "
                          "threefry_partitionable=False");
  int64_t half = (count + 1) / 2;
  Tensor numbers = iota(DType::U32, {count}, 0);
  if (count % 2)
    numbers = concatenate({numbers, broadcast_in_dim(word(0), {1}, {})}, 0);
  Tensor keys[2] = {keyWord(data, 0), keyWord(data, 1)};
  Shape all = keys[0].shape();
  all.push_back(half);
  for (Tensor &key : keys)
    key = broadcast_in_dim(key, all, iotaInts(key.rank()));
  Tensor halves[2] = {lastSlice(numbers, 0, half),
                      lastSlice(numbers, half, 2 * half)};
  for (Tensor &numbersOfHalf : halves)
    numbersOfHalf = broadcast_in_dim(numbersOfHalf, all,
                                     {static_cast<int64_t>(all.size()) - 1});
  Tensors words = threefry2x32(keys[0], keys[1], halves[0], halves[1]);
  return lastSlice(concatenate(words, static_cast<int64_t>(all.size()) - 1), 0,
                   count);
}

/// The parts of `width` bits of each word, the lowest first, in one dimension
/// with the words.
Tensor partsOfWords(const Tensor &words, int64_t width, DType type) {
  if (!words.ok())
    return words;
  int64_t perWord = 32 / width, last = words.rank();
  Shape all = words.shape();
  all.push_back(perWord);
  Tensor wide = broadcast_in_dim(words, all, iotaInts(last));
  Tensor places = broadcast_in_dim(iota(DType::U32, {perWord}, 0), all, {last});
  Tensor parts = bitwise_and(
      shift_right_logical(
          wide, mul(places, full_like(places, static_cast<double>(width)))),
      full_like(places, static_cast<double>((int64_t(1) << width) - 1)));
  Shape flat = words.shape();
  flat.back() *= perWord;
  return reshape(convert_element_type(parts, type), flat);
}

/// Bits of `shape` for each key, in JAX's older numbers.
Tensor olderBits(const Tensor &data, int64_t width, const Shape &shape) {
  int64_t size = shape.elements();
  int64_t words = (size * width + 31) / 32;
  Tensor bits = encryptHalves(data, words);
  if (width == 64)
    bits = bitsOfWords({lastSlice(bits, 0, size), lastSlice(bits, size, words)},
                       width);
  else if (width < 32)
    bits = lastSlice(partsOfWords(bits, width, bitsType(width)), 0, size);
  if (!bits.ok())
    return bits;
  Shape all = bits.shape();
  all.pop_back();
  all.insert(all.end(), shape.begin(), shape.end());
  return reshape(bits, all);
}

/// A primitive whose first operand may be an array of keys, whose dimensions
/// are the first of the result.
Primitive keyPrimitive(const char *name) {
  Primitive p;
  p.name = name;
  p.jvp = [name](const Tensors &in, const MaybeTensors &,
                 const Params &params) {
    return oneResult(bind1(*findPrimitive(name), in, params), {});
  };
  p.batch = [name](const BatchAxis &, const Tensors &in, const Ints &dims,
                   const Params &params) -> BatchResult {
    return {{bind1(*findPrimitive(name), in, params)}, {dims[0]}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    std::vector<SpecEntry> entries = in[0].spec().entries();
    entries.resize(static_cast<size_t>(out[0].rank()));
    return std::vector<PartitionSpec>{*PartitionSpec::get(entries)};
  };
  return p;
}

Expected<std::vector<Aval>> needKey(const std::string &name, const Aval &key,
                                    Aval result) {
  if (key.dtype != DType::Key)
    return typeError(name, " accepts new-style PRNG keys, got ", key.longStr());
  return std::vector<Aval>{std::move(result)};
}

Shape followed(const Shape &keys, const Ints &shape) {
  Shape out = keys;
  out.insert(out.end(), shape.begin(), shape.end());
  return out;
}

bool isKey(const Tensor &x) { return x.dtype() == DType::Key; }

/// The keys of these words.
Tensor fromWords(const Tensors &words) {
  int64_t last = words[0].rank();
  return random_wrap(concatenate(
      {expand_dims(words[0], {last}), expand_dims(words[1], {last})}, last));
}

/// Keys are lowered as u32[..., 2].
std::vector<std::string> sameData(LoweringContext &c) { return c.operands(); }

const Primitive wrapP = [] {
  Primitive p = keyPrimitive("random_wrap");
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    if (in[0].dtype != DType::U32 || in[0].shape[-1] != 2)
      return typeError("random_wrap needs uint32 data with a trailing "
                       "dimension of size 2, got ",
                       in[0].longStr());
    Shape shape = in[0].shape;
    shape.pop_back();
    return std::vector<Aval>{Aval{DType::Key, shape}};
  };
  p.lower = sameData;
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    return {{bind1(*findPrimitive("random_wrap"),
                   {moveBatch(in[0], dims[0], 0)}, params)},
            {0}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    std::vector<SpecEntry> entries = in[0].spec().entries();
    if (!entries.back().empty())
      return makeError(ErrorKind::ShardingType,
                       "The trailing dims of extended dtypes should be "
                       "replicated. Got sharding: ",
                       shardingText(in[0]));
    entries.pop_back();
    return std::vector<PartitionSpec>{*PartitionSpec::get(entries)};
  };
  return p;
}();
const Registered wrapR(wrapP);

const Primitive unwrapP = [] {
  Primitive p = keyPrimitive("random_unwrap");
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    return needKey("random_unwrap", in[0],
                   Aval{DType::U32, followed(in[0].shape, {2})});
  };
  p.lower = sameData;
  return p;
}();
const Registered unwrapR(unwrapP);

const Primitive seedP = [] {
  Primitive p = keyPrimitive("random_seed");
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    if (!isInteger(in[0].dtype))
      return typeError("PRNG key seed must be an integer; got ",
                       in[0].longStr());
    return std::vector<Aval>{Aval{DType::Key, in[0].shape}};
  };
  p.composite = [](const Tensors &in, const Params &) -> Tensors {
    Tensor low = convert_element_type(in[0], DType::U32);
    Tensor high = full_like(low, 0);
    if (bitWidth(in[0].dtype()) == 64)
      high = convert_element_type(
          shift_right_logical(in[0], scalarOf(int64_t(32), in[0].dtype())),
          DType::U32);
    Ints last{in[0].rank()};
    return {random_wrap(concatenate(
        {expand_dims(high, last), expand_dims(low, last)}, in[0].rank()))};
  };
  return p;
}();
const Registered seedR(seedP);

const Primitive splitP = [] {
  Primitive p = keyPrimitive("random_split");
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    return needKey(
        "random_split", in[0],
        Aval{DType::Key, followed(in[0].shape, params.ints("shape"))});
  };
  p.composite = [](const Tensors &in, const Params &params) -> Tensors {
    Shape shape(params.ints("shape"));
    if (!config::threefryPartitionable.get()) {
      Shape all = in[0].shape();
      all.insert(all.end(), shape.begin(), shape.end());
      all.push_back(2);
      return {random_wrap(reshape(
          encryptHalves(random_unwrap(in[0]), 2 * shape.elements()), all))};
    }
    return {fromWords(
        encryptCounts(random_unwrap(in[0]), Shape(params.ints("shape"))))};
  };
  return p;
}();
const Registered splitR(splitP);

BatchResult batchFold(const BatchAxis &axis, const Tensors &in,
                      const Ints &dims, const Params &params) {
  const Primitive &fold = *findPrimitive("random_fold_in");
  int batched = dims[0] >= 0 ? 0 : 1, other = 1 - batched;
  bool fits = dims[other] < 0
                  ? in[other].rank() == 0
                  : dims[0] == dims[1] && in[0].rank() == in[1].rank();
  if (fits)
    return {{bind1(fold, in, params)}, {dims[batched]}};
  // Words, unlike keys, are moved and broadcast by any operation.
  Tensor data = random_unwrap(in[0]),
         low = convert_element_type(in[1], DType::U32);
  BatchResult words = batchElementwise(
      *findPrimitive("threefry2x32"), axis,
      {keyWord(data, 0), keyWord(data, 1), full_like(low, 0), low},
      {dims[0], dims[0], dims[1], dims[1]}, {});
  return {{fromWords(words.outs)}, {words.dims[0]}};
}

const Primitive foldP = [] {
  Primitive p = keyPrimitive("random_fold_in");
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    Expected<Shape> shape = broadcastShapes("random_fold_in", in);
    if (!shape)
      return shape.error();
    return needKey("random_fold_in", in[0], Aval{DType::Key, *shape});
  };
  p.composite = [](const Tensors &in, const Params &) -> Tensors {
    Tensor data = random_unwrap(in[0]);
    Tensor low = convert_element_type(in[1], DType::U32);
    return {fromWords(threefry2x32(keyWord(data, 0), keyWord(data, 1),
                                   full_like(low, 0), low))};
  };
  p.batch = batchFold;
  return p;
}();
const Registered foldR(foldP);

const Primitive bitsP = [] {
  Primitive p = keyPrimitive("random_bits");
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    int64_t width = params.integer("bit_width");
    if (width != 8 && width != 16 && width != 32 && width != 64)
      return typeError("requires 8-, 16-, 32- or 64-bit field width, got ",
                       width);
    DType type = bitsType(width);
    return needKey("random_bits", in[0],
                   Aval{type, followed(in[0].shape, params.ints("shape"))});
  };
  p.composite = [](const Tensors &in, const Params &params) -> Tensors {
    if (!config::threefryPartitionable.get())
      return {olderBits(random_unwrap(in[0]), params.integer("bit_width"),
                        Shape(params.ints("shape")))};
    return {bitsOfWords(
        encryptCounts(random_unwrap(in[0]), Shape(params.ints("shape"))),
        params.integer("bit_width"))};
  };
  return p;
}();
const Registered bitsR(bitsP);

/// Functions of a user take one key; only vmap makes programs of several.
Status checkOneKey(const char *function, const Tensor &key) {
  if (!key.ok())
    return key.error();
  if (isKey(key) && key.rank())
    return valueError(function,
                      " accepts a single key, but was given a key array of "
                      "shape ",
                      tupleText(key.shape()),
                      " != (). Use jax.vmap for batching.");
  return {};
}

} // namespace

namespace lax {
Tensors threefry2x32(const Tensor &k1, const Tensor &k2, const Tensor &x1,
                     const Tensor &x2) {
  return bindMany(threefryP, 2, {k1, k2, x1, x2});
}
Tensor random_seed(const Tensor &given) {
  Tensor seed = given;
  if (int64_t offset = config::randomSeedOffset.get();
      offset && seed.ok() && isInteger(seed.dtype()))
    seed = add(seed, full_like(seed, static_cast<double>(offset)));
  return bind1(seedP, {seed}, {{"impl", std::string("fry")}});
}
Tensor random_split(const Tensor &key, const Shape &shape) {
  if (Status one = checkOneKey("split", key); !one)
    return one.error();
  return bind1(splitP, {key}, {{"shape", Ints(shape)}});
}
Tensor random_fold_in(const Tensor &key, const Tensor &data) {
  if (Status one = checkOneKey("fold_in", key); !one)
    return one.error();
  if (data.ok() && data.rank())
    return typeError("fold_in accepts a scalar, but was given an array of "
                     "shape ",
                     tupleText(data.shape()),
                     " != (). Use jax.vmap for batching.");
  return bind1(foldP, {key, data});
}
Tensor random_bits(const Tensor &key, int64_t bitWidth, const Shape &shape) {
  if (Status one = checkOneKey("bits", key); !one)
    return one.error();
  return bind1(bitsP, {key}, {{"bit_width", bitWidth}, {"shape", Ints(shape)}});
}
Tensor bitsOfWords(const Tensors &words, int64_t bitWidth) {
  if (bitWidth == 64) {
    Tensor high = bind1(*findPrimitive("convert_element_type"), {words[0]},
                        {{"new_dtype", DType::U64}, {"weak_type", false}});
    Tensor low = bind1(*findPrimitive("convert_element_type"), {words[1]},
                       {{"new_dtype", DType::U64}, {"weak_type", false}});
    return bitwise_or(shift_left(high, scalarOf(int64_t(32), DType::U64)), low);
  }
  return convert_element_type(bitwise_xor(words[0], words[1]),
                              bitsType(bitWidth));
}
Tensor random_wrap(const Tensor &data) {
  return bind1(wrapP, {data}, {{"impl", std::string("fry")}});
}
Tensor random_unwrap(const Tensor &key) { return bind1(unwrapP, {key}); }
} // namespace lax
} // namespace shardwright::frontend

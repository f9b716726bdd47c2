//===- random.cc - the threefry generator ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"

namespace shardwright::frontend {
namespace {

using namespace lax;

Tensor word(uint32_t v) { return scalarOf(int64_t(v), DType::U32); }

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

/// Encrypts the numbers 0, 1, ... of `shape` with one key: JAX's
/// "partitionable" counting, by 64-bit numbers.
Tensors encryptCounts(const Tensor &data, const Shape &shape) {
  Tensor low = reshape(iota(DType::U32, {shape.elements()}, 0), shape);
  Tensor high = full_like(low, 0);
  return threefry2x32(keyWord(data, 0), keyWord(data, 1), high, low);
}

bool isKey(const Tensor &x) { return x.dtype() == DType::Key; }

/// One slice along a batch dimension, of data or keys.
Tensor example(const Tensor &x, int64_t i, int64_t dim) {
  if (isKey(x))
    return random_wrap(example(random_unwrap(x), i, dim));
  return squeeze(slice_in_dim(x, i, i + 1, 1, dim), {dim});
}

Primitive keyPrimitive(const char *name) {
  Primitive p;
  p.name = name;
  p.jvp = [name](const Tensors &in, const MaybeTensors &,
                 const Params &params) {
    return oneResult(bind1(*findPrimitive(name), in, params), {});
  };
  // Each example is computed alone, for the same numbers as without a batch.
  p.batch = [name](const BatchAxis &axis, const Tensors &in, const Ints &dims,
                   const Params &params) -> BatchResult {
    Tensors rows;
    bool wrapped = false;
    for (int64_t i = 0; i < axis.size; ++i) {
      Tensors args;
      for (size_t a = 0; a < in.size(); ++a)
        args.push_back(dims[a] < 0 ? in[a] : example(in[a], i, dims[a]));
      Tensor row = bind1(*findPrimitive(name), args, params);
      rows.push_back(expand_dims(isKey(row) ? random_unwrap(row) : row, {0}));
      wrapped = isKey(row);
    }
    Tensor all = concatenate(rows, 0);
    return {{wrapped ? random_wrap(all) : all}, {0}};
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
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    std::vector<SpecEntry> entries = in[0].spec().entries();
    entries.push_back(SpecEntry());
    return std::vector<PartitionSpec>{*PartitionSpec::get(entries)};
  };
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
    if (in[0].rank())
      return notImplemented("random_split of an array of keys; use vmap");
    return needKey("random_split", in[0],
                   Aval{DType::Key, params.ints("shape")});
  };
  p.composite = [](const Tensors &in, const Params &params) -> Tensors {
    Shape shape(params.ints("shape"));
    Tensors words = encryptCounts(random_unwrap(in[0]), shape);
    Ints last{shape.rank()};
    return {random_wrap(
        concatenate({expand_dims(words[0], last), expand_dims(words[1], last)},
                    shape.rank()))};
  };
  return p;
}();
const Registered splitR(splitP);

const Primitive foldP = [] {
  Primitive p = keyPrimitive("random_fold_in");
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    return needKey("random_fold_in", in[0], Aval{DType::Key, in[0].shape});
  };
  p.composite = [](const Tensors &in, const Params &) -> Tensors {
    Tensor data = random_unwrap(in[0]);
    Tensor low = convert_element_type(in[1], DType::U32);
    Tensors words = threefry2x32(keyWord(data, 0), keyWord(data, 1),
                                 full_like(low, 0), low);
    Ints last{words[0].rank()};
    return {random_wrap(
        concatenate({expand_dims(words[0], last), expand_dims(words[1], last)},
                    words[0].rank()))};
  };
  return p;
}();
const Registered foldR(foldP);

const Primitive bitsP = [] {
  Primitive p = keyPrimitive("random_bits");
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    int64_t width = params.integer("bit_width");
    if (in[0].rank())
      return notImplemented("random_bits of an array of keys; use vmap");
    if (width != 8 && width != 16 && width != 32 && width != 64)
      return typeError("requires 8-, 16-, 32- or 64-bit field width, got ",
                       width);
    DType type = width == 8    ? DType::U8
                 : width == 16 ? DType::U16
                 : width == 32 ? DType::U32
                               : DType::U64;
    return needKey("random_bits", in[0], Aval{type, params.ints("shape")});
  };
  p.composite = [](const Tensors &in, const Params &params) -> Tensors {
    int64_t width = params.integer("bit_width");
    Tensors words =
        encryptCounts(random_unwrap(in[0]), Shape(params.ints("shape")));
    if (width == 64) {
      Tensor high = bind1(*findPrimitive("convert_element_type"), {words[0]},
                          {{"new_dtype", DType::U64}, {"weak_type", false}});
      Tensor low = bind1(*findPrimitive("convert_element_type"), {words[1]},
                         {{"new_dtype", DType::U64}, {"weak_type", false}});
      return {
          bitwise_or(shift_left(high, scalarOf(int64_t(32), DType::U64)), low)};
    }
    Tensor bits = bitwise_xor(words[0], words[1]);
    return {convert_element_type(bits, width == 8    ? DType::U8
                                       : width == 16 ? DType::U16
                                                     : DType::U32)};
  };
  return p;
}();
const Registered bitsR(bitsP);

} // namespace

namespace lax {
Tensors threefry2x32(const Tensor &k1, const Tensor &k2, const Tensor &x1,
                     const Tensor &x2) {
  return bindMany(threefryP, 2, {k1, k2, x1, x2});
}
Tensor random_seed(const Tensor &seed) {
  return bind1(seedP, {seed}, {{"impl", std::string("fry")}});
}
Tensor random_split(const Tensor &key, const Shape &shape) {
  return bind1(splitP, {key}, {{"shape", Ints(shape)}});
}
Tensor random_fold_in(const Tensor &key, const Tensor &data) {
  return bind1(foldP, {key, data});
}
Tensor random_bits(const Tensor &key, int64_t bitWidth, const Shape &shape) {
  return bind1(bitsP, {key}, {{"bit_width", bitWidth}, {"shape", Ints(shape)}});
}
Tensor random_wrap(const Tensor &data) {
  return bind1(wrapP, {data}, {{"impl", std::string("fry")}});
}
Tensor random_unwrap(const Tensor &key) { return bind1(unwrapP, {key}); }
} // namespace lax
} // namespace shardwright::frontend

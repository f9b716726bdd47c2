//===- gather.cc - whole arrays from the shards of a job ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/job/gather.h"

#include "shardwright/job/job.h"
#include "shardwright/runtime/bounded_arrays.h"
#include "shardwright/runtime/shard_plan.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/error.h"
#include "shardwright/support/host_memory.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace shardwright;

/// An array as the processes hold it.
struct JobArrays::Source {
  ElementType type;
  llvm::SmallVector<int64_t, 4> shape;
  ShardPlan plan;
  /// By shard: the devices that are read, one, or one per summand in the order
  /// of an all_reduce.
  std::vector<llvm::SmallVector<int32_t, 1>> owners;
  std::optional<cpu::Reduction> reduction;
  std::string failure; ///< why the array cannot be read
  /// The shards of addressable devices, and those that have been read.
  llvm::DenseMap<int32_t, const Buffer *> buffers;
  llvm::DenseMap<int32_t, std::shared_ptr<const void>> contents;

  Source(ElementType type, llvm::ArrayRef<int64_t> shape,
         const TensorSharding &sharding, const Mesh *mesh, int64_t numDevices);
};

JobArrays::Source::Source(ElementType type, llvm::ArrayRef<int64_t> shape,
                          const TensorSharding &sharding, const Mesh *mesh,
                          int64_t numDevices)
    : type(type), shape(shape),
      plan(ShardPlan::create(shape, sharding, mesh, numDevices)) {
  for (const ShardPlan::Shard &shard : plan.shards) {
    llvm::SmallVector<int32_t, 1> devices;
    for (const std::vector<int32_t> &equal : shard.summands)
      devices.push_back(equal.front());
    llvm::sort(devices);
    owners.push_back(std::move(devices));
  }
  if (owners.empty() || owners.front().size() < 2)
    return;
  auto made =
      cpu::Reduction::create(type, reductionOf(sharding.unreduced.kind));
  if (made)
    reduction = *made;
  else
    failure = toString(made.takeError());
}

JobArrays::JobArrays(const ShardedArray &array, Job &job, Client &client,
                     int32_t root)
    : job(job), client(client), root(root) {
  Source &source =
      sources.emplace_back(array.type(), array.shape(), array.sharding(),
                           &array.mesh(), array.mesh().numDevices());
  for (const Buffer &buffer : array.buffers())
    source.buffers[buffer.device().number()] = &buffer;
}

JobArrays::JobArrays(const Executable &executable, const Execution &run,
                     Job &job, Client &client, int32_t root)
    : job(job), client(client), root(root), values(executable.results()) {
  for (auto [i, value] : llvm::enumerate(values)) {
    const Mesh *mesh =
        value.mesh < 0 ? nullptr : &executable.meshes()[value.mesh];
    Source &source = sources.emplace_back(
        value.type, value.shape, value.sharding, mesh, executable.numDevices());
    for (const std::vector<Buffer> &buffers : run.results)
      source.buffers[buffers[i].device().number()] = &buffers[i];
  }
}

JobArrays::~JobArrays() = default;

bool JobArrays::isRoot() const { return job.process() == root; }

/// What this process has of a box: 'd' and the elements by shard and owner, or
/// 'e' and an error.
std::string JobArrays::contribution(size_t index, const Box &box) {
  Source &source = sources[index];
  int64_t width = byteWidth(source.type);
  auto strides = rowMajorStrides(source.plan.localDims, width);
  std::string bytes(1, 'd');
  for (auto [shard, owners] :
       llvm::zip_equal(source.plan.shards, source.owners))
    for (int32_t device : owners) {
      auto buffer = source.buffers.find(device);
      Box part = intersection(box, shard.box);
      int64_t count = product(part.extent);
      if (buffer == source.buffers.end() || count == 0)
        continue;
      std::shared_ptr<const void> &data = source.contents[device];
      if (!data) {
        auto read = buffer->second->await();
        if (!read)
          return "e" + toString(read.takeError());
        data = std::move(*read);
      }
      size_t at = bytes.size();
      bytes.resize(at + count * width);
      cpu::copyBox(bytes.data() + at, rowMajorStrides(part.extent, width),
                   static_cast<const char *>(data.get()) +
                       offsetOf(part.begin, strides) -
                       offsetOf(shard.box.begin, strides),
                   strides, part.extent, width);
    }
  return bytes;
}

/// Copies what the processes have sent.
llvm::Error JobArrays::reduceAndPlace(const Source &source, const Box &box,
                                      llvm::ArrayRef<std::string> parts,
                                      void *to,
                                      llvm::ArrayRef<int64_t> strides) {
  int64_t width = byteWidth(source.type);
  llvm::SmallVector<size_t, 8> next(parts.size(), 1);
  std::shared_ptr<void> sum;
  for (auto [shard, owners] :
       llvm::zip_equal(source.plan.shards, source.owners)) {
    Box part = intersection(box, shard.box);
    int64_t count = product(part.extent);
    if (count == 0)
      continue;
    llvm::SmallVector<const void *, 8> summands;
    for (int32_t device : owners) {
      int32_t process = client.backend().devices()[device].process;
      if (next[process] + count * width > parts[process].size())
        return fail("process ", process, " sent ", parts[process].size() - 1,
                    " bytes of an array, fewer than it holds");
      summands.push_back(parts[process].data() + next[process]);
      next[process] += count * width;
    }
    const void *from = summands.front();
    if (summands.size() > 1) {
      sum = cpu::allocateHost(count * width);
      if (!sum)
        return fail("not enough memory for a sum of ", count * width, " bytes");
      source.reduction->run(summands.data(), summands.size(), sum.get(), 0,
                            count);
      from = sum.get();
    }
    cpu::copyBox(static_cast<char *>(to) + offsetOf(part.begin, strides) -
                     offsetOf(box.begin, strides),
                 strides, from, rowMajorStrides(part.extent, width),
                 part.extent, width);
  }
  return llvm::Error::success();
}

/// What the root asks for: an array and a box of it.
static std::string encode(size_t index, const Box &box) {
  llvm::SmallVector<int64_t, 12> words{int64_t(index)};
  llvm::append_range(words, box.begin);
  llvm::append_range(words, box.extent);
  return "r" + std::string(reinterpret_cast<const char *>(words.data()),
                           words.size() * sizeof(int64_t));
}

llvm::Error JobArrays::read(size_t index, const Box &box, void *to,
                            llvm::ArrayRef<int64_t> strides) {
  if (!sources[index].failure.empty())
    return fail(sources[index].failure);
  if (auto asked = job.broadcast(root, encode(index, box)); !asked)
    return asked.takeError();
  auto parts = job.gather(root, contribution(index, box));
  if (!parts)
    return parts.takeError();
  for (auto [process, bytes] : llvm::enumerate(*parts))
    if (!bytes.empty() && bytes[0] == 'e')
      return fail(job.processes()[process].describe(int32_t(process)), ": ",
                  bytes.substr(1));
  return reduceAndPlace(sources[index], box, *parts, to, strides);
}

llvm::Error JobArrays::serve() {
  while (true) {
    auto asked = job.broadcast(root, "");
    if (!asked)
      return asked.takeError();
    if ((*asked)[0] == 'f')
      return asked->size() == 1 ? llvm::Error::success()
                                : fail(asked->substr(1));
    llvm::SmallVector<int64_t, 12> words(asked->size() / sizeof(int64_t));
    std::memcpy(words.data(), asked->data() + 1,
                words.size() * sizeof(int64_t));
    size_t rank = words.size() / 2;
    llvm::ArrayRef<int64_t> bounds = llvm::ArrayRef(words).drop_front();
    Box box{llvm::SmallVector<int64_t, 4>(bounds.take_front(rank)),
            llvm::SmallVector<int64_t, 4>(bounds.drop_front(rank))};
    if (auto sent = job.gather(root, contribution(words[0], box)); !sent)
      return sent.takeError();
  }
}

llvm::Error JobArrays::finish(const std::string &failure) {
  return job.broadcast(root, "f" + failure).takeError();
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

class JobArrays::Reader final : public ArrayReader {
public:
  Reader(JobArrays &arrays, size_t index, llvm::ArrayRef<int64_t> shape)
      : ArrayReader(arrays.sources[index].type, shape), arrays(arrays),
        index(index) {}
  llvm::Error read(const Box &box, void *to,
                   llvm::ArrayRef<int64_t> strides) override {
    return arrays.read(index, box, to, strides);
  }

private:
  JobArrays &arrays;
  const size_t index;
};

llvm::Expected<std::vector<std::unique_ptr<ArrayReader>>> JobArrays::readers() {
  std::vector<llvm::SmallVector<int64_t, 4>> shapes;
  for (const Source &source : sources)
    shapes.push_back(source.shape);
  if (withoutSizes(values).size() != values.size()) {
    auto actual =
        actualShapes(values, [&](size_t index) -> llvm::Expected<int32_t> {
          int32_t size = 0;
          if (llvm::Error e = read(index, {}, &size, {}))
            return e;
          return size;
        });
    if (!actual)
      return actual.takeError();
    shapes = std::move(*actual);
  }
  std::vector<std::unique_ptr<ArrayReader>> readers;
  for (auto [index, shape] : llvm::enumerate(shapes))
    readers.push_back(std::make_unique<Reader>(*this, index, shape));
  return readers;
}

/// The arrays in the root, none in other processes; or the failure of any.
static llvm::Expected<std::vector<Array>> readAll(JobArrays &arrays) {
  if (!arrays.isRoot()) {
    if (llvm::Error e = arrays.serve())
      return e;
    return std::vector<Array>();
  }
  std::vector<Array> all;
  std::string failure;
  if (auto readers = arrays.readers()) {
    for (const auto &reader : *readers) {
      auto whole = readWhole(*reader);
      if (!whole) {
        failure = toString(whole.takeError());
        break;
      }
      all.push_back(std::move(*whole));
    }
  } else {
    failure = toString(readers.takeError());
  }
  if (llvm::Error e = arrays.finish(failure)) {
    if (failure.empty())
      return e;
    llvm::consumeError(std::move(e));
  }
  if (!failure.empty())
    return fail(failure);
  return all;
}

llvm::Expected<std::optional<Array>>
shardwright::gather(const ShardedArray &array, Job &job, Client &client,
                    int32_t root) {
  JobArrays arrays(array, job, client, root);
  auto all = readAll(arrays);
  if (!all)
    return all.takeError();
  if (all->empty())
    return std::nullopt;
  return std::move(all->front());
}

llvm::Expected<std::vector<Array>>
shardwright::gatherResults(const Executable &executable, const Execution &run,
                           Job &job, Client &client, int32_t root) {
  JobArrays arrays(executable, run, job, client, root);
  return readAll(arrays);
}

//===----------------------------------------------------------------------===//
// Parts of one process
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<ArrayPart>>
shardwright::partsHere(const Executable &executable, const Execution &run,
                       size_t index, const Client &client) {
  const ValueSpec &spec = executable.results()[index];
  const Mesh *mesh = spec.mesh < 0 ? nullptr : &executable.meshes()[spec.mesh];
  bool isWhole = !mesh || mesh->isEmpty() || mesh->isMaximal();
  if (!isWhole && totalSize(spec.sharding.unreduced) > 1)
    return fail(
        "result ", index,
        " is unreduced over several devices, so that no process holds a part "
        "of it; gather it (gatherResults, or --out without {process})");
  std::vector<ArrayPart> parts;
  for (const std::vector<Buffer> &buffers : run.results) {
    const Buffer &buffer = buffers[index];
    ArrayPart part;
    llvm::SmallVector<int64_t, 4> extent(spec.shape);
    part.begin.assign(spec.shape.size(), 0);
    if (!isWhole)
      for (auto [d, range] : llvm::enumerate(
               shardBox(spec.shape, spec.sharding, *mesh,
                        mesh->linearIndex(buffer.device().number())))) {
        part.begin[d] = range.begin;
        extent[d] = range.size();
      }
    if (llvm::any_of(parts, [&](const ArrayPart &other) {
          return other.begin == part.begin;
        }))
      continue;
    auto data = buffer.await();
    if (!data)
      return data.takeError();
    auto array = Array::allocate(spec.type, extent);
    if (!array)
      return array.takeError();
    int64_t width = byteWidth(spec.type);
    cpu::copyBox(array->data(), rowMajorStrides(extent, width), data->get(),
                 rowMajorStrides(buffer.shape(), width), extent, width);
    part.array = std::move(*array);
    parts.push_back(std::move(part));
  }
  return parts;
}

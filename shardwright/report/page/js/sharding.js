//===- sharding.js - shardings, and the slices that devices hold ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  // Parses `"x"` or `"x":(1)2` at `text[at]`. A sub-axis has the size `size`
  // and lies behind the part of size `before` of its axis.
  const AXIS = /"((?:[^"\\]|\\.)*)"(?::\((\d+)\)(\d+))?/g;

  function parseAxes(text) {
    const axes = [];
    for (const m of text.matchAll(AXIS))
      axes.push({name: m[1], before: m[2] ? +m[2] : 1, size: m[3] ? +m[3] : 0});
    return axes;
  }

  // Returns the text within the brackets that open at `at`, and the position
  // behind them. Brackets in quoted names do not count.
  function bracketed(text, at, open, close) {
    let depth = 0, quoted = false;
    for (let i = at; i < text.length; ++i) {
      const c = text[i];
      if (c === '\\' && quoted) ++i;
      else if (c === '"') quoted = !quoted;
      else if (!quoted && c === open) ++depth;
      else if (!quoted && c === close && --depth === 0)
        return [text.slice(at + 1, i), i + 1];
    }
    return [text.slice(at + 1), text.length];
  }

  // `[{"x", ?}p1, {}], replicated={"y"}, unreduced={"z"}` as {dims, replicated,
  // unreduced}. Null if the text is no sharding.
  function parse(text) {
    const start = text.indexOf('[');
    if (start < 0) return null;
    const [inner, end] = bracketed(text, start, '[', ']');
    const dims = [];
    for (let at = inner.indexOf('{'); at >= 0 && at < inner.length;) {
      const [body, next] = bracketed(inner, at, '{', '}');
      const priority = /^p(\d+)/.exec(inner.slice(next));
      dims.push({
        axes: parseAxes(body),
        open: /\?\s*$/.test(body),
        priority: priority ? +priority[1] : null,
      });
      at = inner.indexOf('{', next);
    }
    const tail = text.slice(end);
    const list = (word) => {
      const at = tail.search(new RegExp(`${word}=[a-z]*\\{`));
      return at < 0 ? [] : parseAxes(bracketed(tail, tail.indexOf('{', at), '{', '}')[0]);
    };
    return {dims, replicated: list('replicated'), unreduced: list('unreduced')};
  }

  // `8x16xf32` as {shape: [8, 16], element: 'f32'}; null for tokens, tuples and
  // dimensions without a static size.
  function parseType(text) {
    const m = /^(?:tensor<)?((?:\d+x)*)([a-zA-Z][^>]*(?:<.*>)?)>?$/.exec(text);
    if (!m || m[2].startsWith('!')) return null;
    return {shape: m[1].split('x').filter((d) => d !== '').map(Number), element: m[2]};
  }

  // Mesh coordinates of the position `position` (row-major over `axes`).
  function coordinates(axes, position) {
    const at = {};
    for (let i = axes.length - 1; i >= 0; --i) {
      at[axes[i].name] = position % axes[i].size;
      position = Math.floor(position / axes[i].size);
    }
    return at;
  }

  const sizeOf = (mesh, axis) => {
    if (axis.size) return axis.size;
    const found = mesh.axes.find((a) => a.name === axis.name);
    return found ? found.size : 1;
  };

  // The index of the part of `axis` (which may be a sub-axis) at `at`.
  function partIndex(mesh, axis, at) {
    const whole = mesh.axes.find((a) => a.name === axis.name);
    if (!whole) return 0;
    const size = sizeOf(mesh, axis);
    const behind = whole.size / (axis.before * size);
    return Math.floor((at[axis.name] || 0) / behind) % size;
  }

  // The number of shards in each dimension. Without a sharding all are 1.
  function shardCounts(mesh, sharding, shape) {
    return shape.map((_, d) => {
      const dim = sharding && sharding.dims[d];
      return dim ? dim.axes.reduce((n, a) => n * sizeOf(mesh, a), 1) : 1;
    });
  }

  // The indices of the shard at the mesh position, one for each dimension.
  function shardOf(mesh, sharding, shape, position) {
    const at = coordinates(mesh.axes, position);
    return shape.map((_, d) => {
      const dim = sharding && sharding.dims[d];
      let index = 0;
      for (const axis of dim ? dim.axes : [])
        index = index * sizeOf(mesh, axis) + partIndex(mesh, axis, at);
      return index;
    });
  }

  // Elements [start, end) that shard `index` of `shards` has of `size`. The last
  // shards of a dimension that is not divisible are smaller or empty.
  function range(size, shards, index) {
    const each = Math.ceil(size / shards);
    return [Math.min(size, index * each), Math.min(size, (index + 1) * each)];
  }

  // The slice of the mesh position: [start, end) in each dimension.
  function sliceOf(mesh, sharding, shape, position) {
    const counts = shardCounts(mesh, sharding, shape);
    const index = shardOf(mesh, sharding, shape, position);
    return shape.map((size, d) => range(size, counts[d], index[d]));
  }

  const volume = (slice) => slice.reduce((n, [a, b]) => n * Math.max(0, b - a), 1);
  const overlap = (a, b) =>
      a.map(([s, e], d) => [Math.max(s, b[d][0]), Math.min(e, b[d][1])]);

  // For a reshard: elements that the position has before, needs after, keeps,
  // and must receive.
  function moves(mesh, from, to, shape, position) {
    const before = sliceOf(mesh, from, shape, position);
    const after = sliceOf(mesh, to, shape, position);
    const kept = volume(overlap(before, after));
    return {before, after, has: volume(before), needs: volume(after), kept,
            receives: volume(after) - kept};
  }

  SW.sharding = {parse, parseAxes, parseType, coordinates, shardCounts, shardOf,
                 range, sliceOf, volume, overlap, moves, sizeOf};
})();

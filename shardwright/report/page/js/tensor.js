//===- tensor.js - which device holds which slice of a value ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html, to, Link, Bytes, ValueLink, Table} = SW;
  const {useState} = preactHooks;
  const f = SW.format, S = SW.sharding;
  const WIDTH = 440, HEIGHT = 300;
  const CELLS = 64;     // shards of a dimension that are drawn
  const DEVICES = 256;  // rows of the table of devices

  const deviceId = (report, position) => report.mesh.device_ids ? report.mesh.device_ids[position] : position;

  // The dimensions across and down of the drawing: those with most shards, then
  // the largest; in the order of the type.
  function chooseDims(shape, counts) {
    const order = shape.map((_, d) => d)
        .sort((a, b) => counts[b] - counts[a] || shape[b] - shape[a] || a - b).slice(0, 2).sort((a, b) => a - b);
    return order.length === 2 ? {down: order[0], across: order[1]} : {down: -1, across: order.length ? order[0] : -1};
  }

  // Positions of the mesh by shard: Map from "i,j,k" to positions.
  function holders(report, sharding, shape) {
    const map = new Map();
    for (let p = 0; p < report.mesh.devices; ++p) {
      const key = S.shardOf(report.mesh, sharding, shape, p).join(',');
      const list = map.get(key);
      if (list) list.push(p);
      else map.set(key, [p]);
    }
    return map;
  }

  // `0, 1, 4–7`.
  function ranges(ids) {
    const sorted = [...ids].sort((a, b) => a - b), out = [];
    for (let i = 0; i < sorted.length; ++i) {
      let j = i;
      while (j + 1 < sorted.length && sorted[j + 1] === sorted[j] + 1) ++j;
      out.push(j > i + 1 ? `${sorted[i]}–${sorted[j]}` : sorted.slice(i, j + 1).join(', '));
      i = j;
    }
    return out.join(', ');
  }

  const sliceText = (slice) => `[${slice.map(([a, b]) => a === b ? 'empty' : `${a}:${b}`).join(', ')}]`;

  // The edges of the shards of a dimension in pixels; at most CELLS of them.
  function edges(size, shards, length) {
    const shown = Math.min(shards, CELLS), out = [];
    for (let i = 0; i < shown; ++i) {
      const [a, b] = S.range(size, shards, i);
      out.push([a, b]);
    }
    const total = Math.max(1, out.length ? out[out.length - 1][1] : 1);
    return out.map(([a, b]) => [length * a / total, length * b / total, a, b]);
  }

  // The tensor cut into its shards, in two of its dimensions. `at` has the shard
  // indices of the other dimensions. The slice of `device` is marked.
  function Drawing({report, sharding, shape, dims, at, device, setDevice, title, text: shardingText, received}) {
    const counts = S.shardCounts(report.mesh, sharding, shape), held = holders(report, sharding, shape);
    const across = dims.across >= 0 ? edges(shape[dims.across], counts[dims.across], WIDTH) : [[0, WIDTH, 0, 1]];
    const down = dims.down >= 0 ? edges(shape[dims.down], counts[dims.down], HEIGHT) : [[0, dims.across >= 0 ? 90 : 120, 0, 1]];
    const height = down[down.length - 1][1] || 90, left = dims.down >= 0 ? 30 : 4, top = dims.across >= 0 ? 24 : 4;
    const own = device >= 0 ? S.shardOf(report.mesh, sharding, shape, device).join(',') : '';
    const cells = [];
    down.forEach(([y0, y1], r) => across.forEach(([x0, x1], c) => {
      const index = shape.map((_, d) => d === dims.down ? r : d === dims.across ? c : Math.min(at[d] || 0, counts[d] - 1));
      const key = index.join(','), positions = held.get(key) || [];
      cells.push({x0, x1, y0, y1, r, c, key, positions, slice: index.map((i, d) => S.range(shape[d], counts[d], i))});
    }));
    const axesOf = (d) => (sharding && sharding.dims[d] ? sharding.dims[d].axes : []).map((a) => a.name).join(', ');
    const name = (d) => `dimension ${d}, size ${shape[d]}${counts[d] > 1 ? `, in ${counts[d]} parts along ${axesOf(d)}` : ', not cut'}`;
    return html`<figure class="drawing"><figcaption>${title}${shardingText && html`: <${SW.Sharding} report=${report} text=${shardingText} />`}</figcaption><svg role="img" aria-label=${`${title}: ${cells.length} shards`}
        viewBox=${`0 0 ${WIDTH + left + 4} ${height + top + 4}`} width=${WIDTH + left + 4} height=${height + top + 4}>
      ${dims.across >= 0 && html`<text class="dim-label" x=${left} y="14">${name(dims.across)} →</text>`}
      ${dims.down >= 0 && html`<text class="dim-label" transform=${`translate(8 ${top}) rotate(90)`}>${height >= 7 * name(dims.down).length ? name(dims.down) : `dimension ${dims.down}`} →</text>`}
      ${cells.map((cell) => {
        const w = cell.x1 - cell.x0, h = cell.y1 - cell.y0, mine = cell.key === own;
        if (w <= 0 || h <= 0) return '';
        const ids = ranges(cell.positions.map((p) => deviceId(report, p)));
        const room = w > 7.2 * Math.min(ids.length, 6) + 6 && h > 16;
        const text = ids.length * 7.2 + 6 <= w ? ids : `${ids.slice(0, Math.max(1, Math.floor((w - 14) / 7.2)))}…`;
        return html`<g class=${`shard ${mine ? 'own' : ''} ${cell.positions.length > 1 ? 'shared' : ''} parity-${(cell.r + cell.c) % 2}`}
            transform=${`translate(${left + cell.x0} ${top + cell.y0})`} onClick=${() => cell.positions.length && setDevice(cell.positions[0])}>
          <title>${`${sliceText(cell.slice)} on ${cell.positions.length === 1 ? 'device' : 'devices'} ${ids || 'none'}`}</title>
          <rect width=${w} height=${h} />${mine && html`<rect class="mark" x="2" y="2" width=${Math.max(0, w - 4)} height=${Math.max(0, h - 4)} />`}
          ${room && html`<text x=${w / 2} y=${h / 2 + 4}>${text}</text>`}</g>`;
      })}
      ${received && html`<${Received} received=${received} dims=${dims} shape=${shape} counts=${counts} across=${across} down=${down} left=${left} top=${top} />`}
    </svg></figure>`;
  }

  // The region that the device already has, drawn over its slice after a reshard.
  function Received({received, dims, shape, across, down, left, top}) {
    const scale = (d, list, length) => {
      if (d < 0) return [0, length];
      const end = Math.max(1, list[list.length - 1][3]);
      return received[d].map((x) => length * Math.min(x, end) / end);
    };
    const [x0, x1] = scale(dims.across, across, across[across.length - 1][1]), [y0, y1] = scale(dims.down, down, down[down.length - 1][1]);
    const empty = received.some(([a, b]) => b <= a);
    return empty || x1 <= x0 || y1 <= y0 ? '' : html`<rect class="kept" x=${left + x0 + 4} y=${top + y0 + 4}
        width=${Math.max(1, x1 - x0 - 8)} height=${Math.max(1, y1 - y0 - 8)}><title>already on this device</title></rect>`;
  }

  function DimControls({shape, counts, dims, at, params, set}) {
    const others = shape.map((_, d) => d).filter((d) => d !== dims.across && d !== dims.down);
    if (shape.length <= 2) return '';
    const pick = (key, value, label) => html`<label class="choose">${label}<select value=${value} onChange=${(e) => set({[key]: e.target.value})}>
      ${shape.map((size, d) => html`<option value=${d}>${`dimension ${d} (${size})`}</option>`)}</select></label>`;
    return html`<div class="filters">${pick('down', dims.down, 'down')}${pick('across', dims.across, 'across')}
      ${others.filter((d) => counts[d] > 1).map((d) => html`<label class="choose">${`shard of dimension ${d}`}<input type="range" min="0" max=${counts[d] - 1}
        value=${at[d] || 0} onInput=${(e) => set({[`d${d}`]: e.target.value})} /><output>${`${(at[d] || 0) + 1} of ${counts[d]}`}</output></label>`)}
      ${others.some((d) => counts[d] === 1) && html`<span class="muted">${others.filter((d) => counts[d] === 1).map((d) => `dimension ${d} (${shape[d]})`).join(', ')}: not cut</span>`}</div>`;
  }

  const coordinatesText = (report, p) => {
    const at = S.coordinates(report.axes, p);
    return report.axes.map((a) => html`<${SW.AxisTag} report=${report} axis=${{name: a.name}} /><span class="at">${at[a.name]}</span> `);
  };

  function DeviceTable({report, shape, sharding, next, device, setDevice, bytesEach}) {
    const count = Math.min(report.mesh.devices, DEVICES), rows = [];
    for (let p = 0; p < count; ++p) rows.push(p);
    const moved = (p) => S.moves(report.mesh, sharding, next, shape, p);
    const columns = [
      {head: 'Device', cell: (p) => html`<button class=${`plain device-button ${p === device ? 'taken' : ''}`} aria-pressed=${p === device}
        onClick=${() => setDevice(p === device ? -1 : p)}>${deviceId(report, p)}</button>`},
      {head: 'Place in the mesh', cell: (p) => coordinatesText(report, p)},
      {head: next ? 'Has' : 'Slice', cell: (p) => html`<span class="code">${sliceText(S.sliceOf(report.mesh, sharding, shape, p))}</span>`},
      !next && {head: 'Bytes', number: true, cell: (p) => html`<${Bytes} n=${bytesEach(S.volume(S.sliceOf(report.mesh, sharding, shape, p)))} />`},
      next && {head: 'Needs', cell: (p) => html`<span class="code">${sliceText(moved(p).after)}</span>`},
      next && {head: 'Keeps', number: true, cell: (p) => html`<${Bytes} n=${bytesEach(moved(p).kept)} />`},
      next && {head: 'Receives', number: true, cell: (p) => html`<strong><${Bytes} n=${bytesEach(moved(p).receives)} /></strong>`},
    ].filter(Boolean);
    return html`<${Table} rows=${rows} columns=${columns} />${report.mesh.devices > count &&
      html`<p class="note">${f.count(report.mesh.devices - count)} more devices are not listed.</p>`}`;
  }

  function Tensor({report, route}) {
    const v = /^\d+$/.test(route.path[0] || '') ? +route.path[0] : -1;
    if (!(v >= 0 && v < report.valueCount)) return html`<${Choose} report=${report} text=${route.path[0]} />`;
    const type = report.type(v);
    if (!type) return html`<div class="page"><div class="empty-state"><p><${ValueLink} report=${report} v=${v} /> is of the type <code>${report.text('values', 'type', v)}</code>: it has no slices.</p></div></div>`;
    const shape = type.shape, reshards = report.reshardsOfValue.get(v) || [];
    const r = /^\d+$/.test(route.params.reshard || '') && reshards.includes(+route.params.reshard) ? +route.params.reshard : -1;
    const reshard = r >= 0 ? report.doc.reshards[r] : null;
    const sharding = reshard ? report.parsed(reshard.from) : report.sharding(v), next = reshard ? report.parsed(reshard.to) || {dims: []} : null;
    const counts = S.shardCounts(report.mesh, sharding, shape);
    const all = next ? counts.map((n, d) => Math.max(n, S.shardCounts(report.mesh, next, shape)[d])) : counts;
    const chosen = chooseDims(shape, all), number = (key, other) => /^\d+$/.test(route.params[key] || '') && +route.params[key] < shape.length ? +route.params[key] : other;
    const dims = {across: number('across', chosen.across), down: number('down', chosen.down)};
    if (dims.across === dims.down) dims.down = shape.findIndex((_, d) => d !== dims.across);
    const at = shape.map((_, d) => +(route.params[`d${d}`] || 0) || 0);
    const device = /^\d+$/.test(route.params.device || '') && +route.params.device < report.mesh.devices ? +route.params.device : -1;
    const set = (params) => SW.router.go(to.tensor(v, Object.assign({}, route.params, params)), {replace: true});
    const setDevice = (p) => set({device: p >= 0 ? String(p) : ''});
    // A device's slice shows: the other dimensions go to its shard.
    const own = device >= 0 ? S.shardOf(report.mesh, sharding, shape, device) : null;
    const shownAt = at.map((i, d) => route.params[`d${d}`] === undefined && own ? own[d] : i);
    const elements = shape.reduce((a, b) => a * b, 1), bytes = report.number('values', 'bytes', v);
    const bytesEach = (n) => elements > 0 && bytes !== null ? Math.round(bytes / elements * n) : 0;
    const common = {report, shape, dims, at: shownAt, device, setDevice};
    const moved = next && device >= 0 ? S.moves(report.mesh, sharding, next, shape, device) : null;
    return html`<div class="page tensor"><header><h3><${ValueLink} report=${report} v=${v} /></h3>
        <p class="big-shape"><${SW.Shape} report=${report} type=${report.text('values', 'type', v)} sharding=${sharding} full /></p>
        ${reshards.length > 0 && html`<nav class="lists" aria-label="Layouts"><${Link} class="chip" aria-current=${r < 0 ? 'true' : undefined} to=${to.tensor(v)}>As it is</${Link}>
          ${reshards.map((i) => html`<${Link} class="chip" aria-current=${i === r ? 'true' : undefined} to=${to.tensor(v, {reshard: i})}>Resharded to <span class="code">${report.doc.reshards[i].to}</span></${Link}>`)}</nav>`}</header>
      <${DimControls} shape=${shape} counts=${all} dims=${dims} at=${shownAt} set=${set} />
      ${sharding === null && !next && html`<p class="muted">It has no sharding: every device has all of it.</p>`}
      <div class=${`tensor-body ${next ? 'two' : ''}`}><div class="drawings"><${Drawing} ...${common} sharding=${sharding} title=${next ? 'Before' : 'Shards, with the devices that hold them'} text=${next ? reshard.from : ''} />
        ${next && html`<${Drawing} ...${common} sharding=${next} title="After" text=${reshard.to} received=${moved && S.overlap(moved.before, moved.after)} />`}</div>
      <div class="tensor-devices">${next ? html`<p>${reshard.collective >= 0 ? html`<${Link} to=${to.collective(reshard.collective)}>${SW.kindText(report.doc.collectives[reshard.collective] || {})}</${Link}>: each` : 'Each'} device sends <${Bytes} n=${reshard.bytes} how="its collective was combined with others" />.${moved && html` Device ${deviceId(report, device)} keeps <${Bytes} n=${bytesEach(moved.kept)} /> and receives <strong><${Bytes} n=${bytesEach(moved.receives)} /></strong>; the dashed frame is what it has already.`}</p>` : ''}
      ${device < 0 ? html`<p class="muted screen-only">Select a shard or a device to mark its slice.</p>`
        : html`<p class="muted">The marked slice is that of device ${deviceId(report, device)}.</p>`}
      <${DeviceTable} report=${report} shape=${shape} sharding=${sharding} next=${next} device=${device} setDevice=${setDevice} bytesEach=${bytesEach} /></div></div></div>`;
  }

  // Without a value: those that are worth a look.
  function Choose({report, text}) {
    const values = new Set(report.doc.reshards.map((r) => r.value));
    for (const w of report.doc.whole) values.add(w.value);
    const large = [];
    for (let v = 0; v < report.valueCount; ++v) if (report.type(v) && !report.flag(v, 'removed')) large.push(v);
    large.sort((a, b) => (report.number('values', 'bytes', b) || 0) - (report.number('values', 'bytes', a) || 0) || a - b);
    const list = (rows) => html`<${Table} rows=${rows} empty="None." columns=${[
      {head: 'Value', cell: (v) => html`<${Link} to=${to.tensor(v)} class="code">${report.valueLabel(v)}</${Link}>`},
      {head: 'Type and axes', cell: (v) => html`<${SW.ValueShape} report=${report} v=${v} />`},
      {head: 'Bytes', number: true, cell: (v) => html`<${Bytes} n=${report.number('values', 'bytes', v)} />`},
      {head: 'On a device', number: true, cell: (v) => html`<${Bytes} n=${report.number('values', 'local_bytes', v)} />`},
    ]} />`;
    const moved = report.doc.reshards.slice(0, 20);
    return html`<div class="page">${text && html`<p class="problem" role="status">This report has no value number ${text}.</p>`}
      <p class="intro">Choose a value to see which device holds which slice of it. Each value's page has a link <q>Slices</q>, too.</p>
      ${moved.length > 0 && html`<section><h3>Values that are resharded</h3><${Table} rows=${moved} columns=${[
        {head: 'Value', cell: (r) => html`<${Link} to=${to.tensor(r.value, {reshard: report.doc.reshards.indexOf(r)})} class="code">${report.valueLabel(r.value)}</${Link}>`},
        {head: 'From', class: 'wrap', cell: (r) => html`<${SW.Sharding} report=${report} text=${r.from} />`},
        {head: 'To', class: 'wrap', cell: (r) => html`<${SW.Sharding} report=${report} text=${r.to} />`},
        {head: 'Sent', number: true, cell: (r) => html`<${Bytes} n=${r.bytes} />`},
      ]} /></section>`}
      <section><h3>Largest values</h3>${list(large.slice(0, 20))}</section></div>`;
  }

  SW.Tensor = Tensor;
})();

//===- memory.js - memory over the program ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html, to, Link, Bytes, ValueLink, Table} = SW;
  const {useState, useMemo} = preactHooks;
  const f = SW.format;
  const WIDTH = 960, HEIGHT = 260, LEFT = 76, BOTTOM = 26, TOP = 14;

  // Marks of an axis from 0 to `most` bytes at round values; at most five.
  function marks(most) {
    if (!(most > 0)) return [0];
    let step = 1;
    while (most / step > 4) step *= 2;
    const out = [];
    for (let y = 0; y <= most; y += step) out.push(y);
    return out;
  }

  // Bands of classes, from the bottom, in steps: point i lasts to point i + 1.
  function bands(memory, x, y) {
    const {points, classes, by_class: rows} = memory, below = points.map(() => 0), out = [];
    const count = classes && rows && rows.length === points.length ? classes.length : 0;
    for (let c = 0; c < Math.max(1, count); ++c) {
      const tops = points.map((p, i) => below[i] + (count ? rows[i][c] || 0 : p[1]));
      if (tops.some((t, i) => t > below[i])) {
        let line = '';
        for (let i = 0; i < points.length; ++i) line += `${i ? 'L' : 'M'}${x(i)} ${y(tops[i])}H${x(i + 1)}`;
        for (let i = points.length - 1; i >= 0; --i) line += `L${x(i + 1)} ${y(below[i])}H${x(i)}`;
        out.push({c, d: `${line}Z`});
      }
      tops.forEach((t, i) => { below[i] = t; });
    }
    return out;
  }

  function Chart({report, memory, at, setAt, peakAt}) {
    const n = memory.points.length, most = memory.points.reduce((m, p) => Math.max(m, p[1]), 0);
    const x = (i) => Number((LEFT + (WIDTH - LEFT - 8) * i / n).toFixed(1));
    const y = (bytes) => Number((TOP + (HEIGHT - TOP - BOTTOM) * (1 - bytes / (most || 1))).toFixed(1));
    const shapes = useMemo(() => bands(memory, x, y), [memory]);
    const pointer = (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      const i = Math.floor(((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT - 8) * n);
      if (i >= 0 && i < n) setAt(i);
    };
    const keys = (event) => {
      const page = Math.max(1, Math.round(n / 20));
      const next = {ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - page, PageDown: at + page, Home: 0, End: n - 1}[event.key];
      if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      setAt(Math.max(0, Math.min(n - 1, next)));
    };
    const o = memory.points[at][0];
    return html`<svg class="chart" tabindex="0" role="slider" aria-label="Memory over the program" aria-valuemin="0" aria-valuemax=${n - 1} aria-valuenow=${at}
        aria-valuetext=${`${o >= 0 ? report.opLabel(o) : 'start'}: ${f.bytes(memory.points[at][1])}`} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
        onPointerMove=${(e) => e.buttons && pointer(e)} onPointerDown=${pointer} onKeyDown=${keys}>
      <defs>${[0, 1, 2, 3, 4, 5].map((c) => html`<${Pattern} c=${c} />`)}</defs>
      ${marks(most).map((b) => html`<line class="grid" x1=${LEFT} x2=${WIDTH - 8} y1=${y(b)} y2=${y(b)} />
        <text class="tick" x=${LEFT - 8} y=${y(b) + 4} text-anchor="end">${f.bytes(b)}</text>`)}
      ${shapes.map(({c, d}) => html`<path class=${`class-${c % 6}`} d=${d} /><path fill=${`url(#class-pattern-${c % 6})`} d=${d} />`)}
      <g class="peak-mark"><line x1=${x(peakAt + 0.5)} x2=${x(peakAt + 0.5)} y1=${TOP} y2=${HEIGHT - BOTTOM} />
        <text x=${x(peakAt + 0.5) + (peakAt > n * 0.8 ? -6 : 6)} y=${TOP - 2} text-anchor=${peakAt > n * 0.8 ? 'end' : 'start'}>peak</text></g>
      <line class="cursor" x1=${x(at + 0.5)} x2=${x(at + 0.5)} y1=${TOP} y2=${HEIGHT - BOTTOM} />
      <text class="tick" x=${LEFT} y=${HEIGHT - 8}>start of the step</text><text class="tick" x=${WIDTH - 8} y=${HEIGHT - 8} text-anchor="end">end</text></svg>`;
  }

  // True if any value of the class is held at any point.
  const held = (memory, c) => memory.by_class.some((row) => row[c] > 0);

  // Classes differ without colour, too.
  const LINES = ['', 'M0 0L8 8', 'M0 8L8 0', 'M4 0V8', 'M0 4H8', 'M4 4m-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0'];
  const Pattern = ({c}) => html`<pattern id=${`class-pattern-${c}`} width="8" height="8" patternUnits="userSpaceOnUse"><path class="pattern-line" d=${LINES[c]} /></pattern>`;
  const Swatch = ({c}) => html`<svg class="swatch" width="18" height="12" aria-hidden="true"><rect class=${`class-${c % 6}`} width="18" height="12" rx="2" />
    <rect fill=${`url(#class-pattern-${c % 6})`} width="18" height="12" rx="2" /></svg>`;

  function PeakTable({report, memory, peakBytes}) {
    const rows = memory.at_peak || [], largest = rows.length ? Math.max(...rows.map((r) => r.bytes)) : 0;
    return html`<${Table} rows=${rows} empty="The contributors to the peak are not known." columns=${[
      {head: 'Value', class: 'cut', cell: (r) => {
        const v = r.row >= 0 ? r.row : report.valueByName(r.value);
        return html`<span title=${r.value}>${v >= 0 ? html`<${ValueLink} report=${report} v=${v} label=${r.value} />` : html`<span class="code">${r.value}</span>`}</span>`;
      }},
      {head: 'Type on a device', cell: (r) => html`<span class="code">${r.type}</span>`},
      {head: 'Class', cell: (r) => r.class},
      {head: 'Bytes', number: true, cell: (r) => html`<${Bytes} n=${r.bytes} />`},
      {head: html`<span class="hidden">share</span>`, class: 'bar-column', cell: (r) => html`<${SW.Bar} part=${r.bytes} all=${largest} look="fill-memory" />`},
      {head: 'Of the peak', number: true, cell: (r) => f.percent(r.bytes, peakBytes)},
    ]} />`;
  }

  function Memory({report, route}) {
    const memory = report.doc.memory, points = memory && memory.points || [];
    const peakAt = points.reduce((best, p, i) => p[1] > points[best][1] ? i : best, 0);
    const asked = /^\d+$/.test(route.params.at || '') ? +route.params.at : -1;
    const at = asked >= 0 && asked < points.length ? asked : peakAt;
    const setAt = (i) => SW.router.go(SW.router.print('memory', [], {at: i}), {replace: true});
    if (!memory) return html`<div class="page"><div class="empty-state"><p>Memory over the program is not known: this report was made without it.</p></div></div>`;
    if (!points.length) return html`<div class="page"><div class="empty-state"><p>The program holds no values.</p></div></div>`;
    const o = points[at][0], row = memory.by_class && memory.by_class[at] || [], predicted = report.doc.statistics.predicted_peak || {};
    const peakBytes = f.known(memory.peak) ? memory.peak : points[peakAt][1];
    return html`<div class="page memory"><p class="intro">Bytes that each device holds while the step runs. The peak is <strong><${Bytes} n=${peakBytes} /></strong>${
        predicted.place ? html` at <span class="code">${predicted.place}</span>` : ''}${memory.values_at_peak > 0 ? `, where ${f.count(memory.values_at_peak)} values are held` : ''}.</p>
      <${Chart} report=${report} memory=${memory} at=${at} setAt=${setAt} peakAt=${peakAt} />
      <div class="chart-foot"><ul class="legend">${(memory.classes || []).map((name, c) => held(memory, c) && html`<li><${Swatch} c=${c} />${name}
        ${row[c] !== undefined && html` <${Bytes} n=${row[c]} />`}</li>`)}</ul>
        <p role="status">${at === peakAt ? 'At the peak' : 'At the cursor'}: <strong><${Bytes} n=${points[at][1]} /></strong> during ${o >= 0 ? html`<${Link} to=${to.op(o)}>${report.opLabel(o)}</${Link}> <${SW.Place} report=${report} stack=${report.stackOf(o)} />` : 'the start'} ${at !== peakAt && html`<button class="plain" onClick=${() => setAt(peakAt)}>Go to the peak</button>`}</p></div>
      <section><h3>Largest values at the peak</h3><${PeakTable} report=${report} memory=${memory} peakBytes=${peakBytes} /></section></div>`;
  }

  SW.Memory = Memory;
})();

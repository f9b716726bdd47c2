//===- timeline.js - the steps of the devices over time ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html, to, Link, Bytes, Seconds, Table} = SW;
  const {useEffect, useLayoutEffect, useMemo, useRef, useState} = preactHooks;
  const f = SW.format;
  const LANE = 24, HEAD = 22, SHOWN_ROWS = 24;
  const KINDS = /^(all[-_]gather|all[-_]reduce|all[-_]to[-_]all|reduce[-_]scatter|collective)/;

  // Events are [lane, start, duration, name, op, bytes, times, stack, fused]. Loops are [lane, start, duration, name, op,
  // iterations, depth, stack] in the document, and here events with their iterations.
  const [LANE_OF, START, DURATION, NAME, OP, BYTES, TIMES, STACK, FUSED, ITERATIONS] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const isLoop = (event) => event.length > ITERATIONS;
  const isCommunication = (report, event) => event[BYTES] > 0 || KINDS.test(report.s(event[NAME]));
  // True for events in which a device waits for others; only measured timelines have them.
  const isWaiting = (report, event) => report.doc.timeline.source === 'measured' && report.s(event[NAME]).startsWith('waiting for ');

  // True for events that hold others. Regions of reductions and the like are
  // part of their op.
  const GROUPS = /^(while|case|if|call|composite|manual_computation|named_computation)$/;
  const isGroup = (report, event) => isLoop(event) ||
    (report.doc.timeline.source !== 'measured' && event[OP] >= 0 && GROUPS.test(report.opName(event[OP])));
  const kindOf = (report, event) => isCommunication(report, event) ? 'communication' : isWaiting(report, event) ? 'waiting'
    : isGroup(report, event) ? 'group' : 'compute';
  const KIND_TEXTS = {communication: 'communication', waiting: 'waiting', group: 'loop, branch or call', compute: 'computing'};

  const stackOf = (report, event) => event[OP] >= 0 ? report.stackOf(event[OP]) : event[STACK] >= 0 ? event[STACK] : -1;

  // The ops that are fused into the step of an event, besides its own: [[name, op, stack]].
  const fusedOf = (report, event) => event[FUSED] >= 0 && (report.doc.timeline.fused || [])[event[FUSED]] || [];

  // The source of an event. A kernel of ops of several places shows that of its own op, and the others on demand.
  function Source({report, event}) {
    const own = html`<${SW.Place} report=${report} stack=${stackOf(report, event)} />`;
    const shown = report.place(stackOf(report, event)), places = new Map();
    for (const [name, op, stack] of fusedOf(report, event)) {
      const at = op >= 0 ? report.stackOf(op) : stack, place = report.place(at);
      if (!place || place === shown) continue;
      if (!places.has(place)) places.set(place, {at, names: new Set()});
      places.get(place).names.add(report.s(name));
    }
    if (!places.size) return own;
    return html`<details class="stack places"><summary>${shown ? own : html`<span class="muted">several places</span>`} <span class="muted">and ${f.count(places.size)} more</span></summary>
      <ol>${[...places.values()].map(({at, names}) => html`<li><${SW.Place} report=${report} stack=${at} /> <span class="muted">${[...names].join(', ')}</span></li>`)}</ol></details>`;
  }

  // All events, those of loops last, and the rows that show them: of each lane the loops, the outermost first, and the
  // steps. Events of a row, by start and as indices, do not overlap. `rowOf`: the row of each event.
  function arrange(timeline) {
    const loops = timeline.loops || [], depths = timeline.lanes.map(() => 0);
    const events = timeline.events.concat(loops.map(([lane, start, duration, name, op, iterations, depth, stack]) =>
      [lane, start, duration, name, op, null, 1, stack, -1, iterations]));
    for (const [lane, , , , , , depth] of loops) depths[lane] = Math.max(depths[lane], depth + 1);
    const rows = [], firstRow = [];
    timeline.lanes.forEach((name, lane) => {
      firstRow.push(rows.length);
      for (let depth = 0; depth < depths[lane]; ++depth) rows.push({lane, name: depth ? 'inner loops' : 'loops', isLoops: true, list: []});
      rows.push({lane, name, isLoops: false, list: []});
    });
    const rowOf = events.map((event, i) => firstRow[event[LANE_OF]] + (isLoop(event) ? loops[i - timeline.events.length][6] : depths[event[LANE_OF]]));
    rowOf.forEach((row, i) => rows[row] && rows[row].list.push(i));
    for (const row of rows) row.list.sort((a, b) => events[a][START] - events[b][START] || a - b);
    return {events, rows, rowOf};
  }

  // The first event of the row that ends after `time`.
  function firstAt(events, list, time) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1, e = events[list[middle]];
      if (e[START] + e[DURATION] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // Marks at round times between the ends of the view.
  function marks([from, until]) {
    const rough = (until - from) / 6, unit = 10 ** Math.floor(Math.log10(rough || 1));
    const step = [1, 2, 5, 10].map((k) => k * unit).find((s) => s >= rough) || unit;
    const out = [];
    for (let k = Math.ceil(from / step); k * step <= until && out.length < 12; ++k) out.push(k * step);
    return out;
  }

  function hatched(context, colour) {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 6;
    const c = tile.getContext('2d');
    c.strokeStyle = colour;
    c.globalAlpha = 0.55;
    for (const k of [-3, 3, 9]) {
      c.moveTo(k - 3, 6 + 3);
      c.lineTo(k + 6, 0);
    }
    c.stroke();
    return context.createPattern(tile, 'repeat');
  }

  // Draws the events in view. Events closer than a pixel become one block.
  function draw(canvas, {report, events, rows, view, chosen, first}) {
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const c = canvas.getContext('2d'), style = getComputedStyle(canvas), colour = (name) => style.getPropertyValue(name).trim();
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    const [from, until] = view, scale = width / (until - from), x = (time) => (time - from) * scale;
    c.font = `12px ${style.fontFamily}`;
    c.textBaseline = 'middle';
    const ink = colour('--muted'), line = colour('--line'), stripes = hatched(c, colour('--communication-ink'));
    for (const time of marks(view)) {
      const px = Math.round(x(time)) + 0.5;
      c.fillStyle = line;
      c.fillRect(px, HEAD - 4, 1, height);
      c.fillStyle = ink;
      const label = f.seconds(time), w = c.measureText(label).width;
      c.fillText(label, Math.max(0, Math.min(width - w, px - w / 2)), 9);
    }
    for (let row = first; row < Math.min(rows.length, first + SHOWN_ROWS); ++row) {
      const y = HEAD + (row - first) * LANE, {list, isLoops} = rows[row];
      c.fillStyle = line;
      if (!isLoops) c.fillRect(0, y + LANE - 1, width, 1);
      let drawn = -1;
      for (let k = firstAt(events, list, from); k < list.length; ++k) {
        const i = list[k], e = events[i];
        if (e[START] >= until) break;
        const x0 = Math.max(0, x(e[START])), x1 = Math.min(width, x(e[START] + e[DURATION]));
        if (x1 < drawn + 0.5 && i !== chosen) continue;
        drawn = Math.max(x1, x0 + 1);
        const kind = kindOf(report, e), communication = kind === 'communication', w = Math.max(1, x1 - x0 - (x1 - x0 > 4 ? 1 : 0));
        c.fillStyle = colour(`--${kind}`);
        c.fillRect(x0, y + 2, w, LANE - 5);
        if (communication && w > 3) {
          c.fillStyle = stripes;
          c.fillRect(x0, y + 2, w, LANE - 5);
        }
        if (i === chosen) {
          c.strokeStyle = colour('--text');
          c.lineWidth = 2;
          c.strokeRect(x0 + 1, y + 2, Math.max(2, w - 2), LANE - 5);
        }
        if (w > 34) {
          const name = label(report, e), room = Math.floor((w - 8) / 6.8);
          c.fillStyle = colour(`--${kind}-ink`);
          c.save();
          c.beginPath();
          c.rect(x0, y, w, LANE);
          c.clip();
          c.fillText(name.length > room ? `${name.slice(0, Math.max(1, room - 1))}…` : name, x0 + 4, y + LANE / 2 - 0.5);
          c.restore();
        }
      }
    }
  }

  const shortName = (report, event) => SW.scopes(report.s(event[NAME])).slice(-1)[0] || (event[OP] >= 0 ? report.opLabel(event[OP]) : 'event');

  const label = (report, event) => shortName(report, event) + (isLoop(event) ? ` × ${f.count(event[ITERATIONS])}` : '');

  function zoomed([from, until], factor, centre, total) {
    const span = Math.min(total, Math.max(total * 1e-6, (until - from) * factor));
    const start = Math.max(0, Math.min(total - span, centre - (centre - from) / (until - from) * span));
    return [start, start + span];
  }
  const panned = ([from, until], by, total) => {
    const start = Math.max(0, Math.min(total - (until - from), from + by));
    return [start, start + until - from];
  };

  function Canvas({report, events, rows, rowOf, view, setView, chosen, choose, first, setFirst, total, theme}) {
    const canvas = useRef(null), drag = useRef(null);
    const shown = Math.min(SHOWN_ROWS, rows.length - first);
    const state = {report, events, rows, view, chosen, first};
    useLayoutEffect(() => draw(canvas.current, state), [view, chosen, first, theme]);
    useEffect(() => {
      const observer = new ResizeObserver(() => canvas.current && draw(canvas.current, Object.assign({}, state)));
      observer.observe(canvas.current);
      return () => observer.disconnect();
    }, [view, chosen, first]);
    const timeAt = (event) => {
      const box = canvas.current.getBoundingClientRect();
      return view[0] + (event.clientX - box.left) / box.width * (view[1] - view[0]);
    };
    const hit = (event) => {
      const box = canvas.current.getBoundingClientRect(), row = first + Math.floor((event.clientY - box.top - HEAD) / LANE);
      const list = rows[row] && rows[row].list;
      if (!list || event.clientY - box.top < HEAD) return -1;
      const time = timeAt(event), slack = (view[1] - view[0]) / box.width * 3, k = firstAt(events, list, time - slack);
      return k < list.length && events[list[k]][START] <= time + slack ? list[k] : -1;
    };
    const wheel = (event) => {
      if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) setView(zoomed(view, event.deltaY > 0 ? 1.25 : 0.8, timeAt(event), total));
      else setView(panned(view, event.deltaX / canvas.current.clientWidth * (view[1] - view[0]), total));
    };
    const move = (event) => {
      if (!drag.current || !event.buttons) return;
      const by = (drag.current.x - event.clientX) / canvas.current.clientWidth * (drag.current.view[1] - drag.current.view[0]);
      if (Math.abs(drag.current.x - event.clientX) > 3) drag.current.moved = true;
      setView(panned(drag.current.view, by, total));
    };
    const keys = (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const e = chosen >= 0 ? events[chosen] : null, row = e ? rowOf[chosen] : first;
      const step = (by) => {
        const {list} = rows[row], k = e ? list.indexOf(chosen) + by : 0;
        if (list.length) choose(list[Math.max(0, Math.min(list.length - 1, k))]);
      };
      const cross = (by) => {
        const next = rows[row + by];
        if (next && next.list.length) choose(next.list[Math.min(next.list.length - 1, firstAt(events, next.list, e ? e[START] : view[0]))]);
      };
      const centre = e ? e[START] + e[DURATION] / 2 : (view[0] + view[1]) / 2;
      const action = {ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => cross(-1), ArrowDown: () => cross(1),
                      '+': () => setView(zoomed(view, 0.5, centre, total)), '=': () => setView(zoomed(view, 0.5, centre, total)),
                      '-': () => setView(zoomed(view, 2, centre, total)), 0: () => setView([0, total]),
                      Enter: () => e && e[OP] >= 0 && SW.router.go(to.op(e[OP]))}[event.key];
      if (!action) return;
      event.preventDefault();
      event.stopPropagation();
      action();
    };
    return html`<div class="lanes"><div class="lane-names" style=${{paddingTop: `${HEAD}px`}}>${rows.slice(first, first + shown).map(({name, isLoops}) => html`<div class=${isLoops ? 'muted' : ''} title=${name}>${name}</div>`)}</div>
      <canvas ref=${canvas} tabindex="0" role="application" aria-label="Timeline. Left and right: events; up and down: rows; plus and minus: zoom; 0: all."
        aria-describedby="timeline-event" style=${{height: `${HEAD + shown * LANE}px`}} onWheel=${wheel} onPointerDown=${(event) => { drag.current = {x: event.clientX, view, moved: false}; }}
        onPointerMove=${move} onClick=${(event) => { if (!drag.current || !drag.current.moved) choose(hit(event)); }} onKeyDown=${keys}></canvas></div>`;
  }

  function Chosen({report, timeline, events, chosen}) {
    if (chosen < 0) return html`<p class="muted screen-only" id="timeline-event" role="status">Select an event. <kbd>←</kbd> <kbd>→</kbd> events, <kbd>↑</kbd> <kbd>↓</kbd> rows, <kbd>+</kbd> <kbd>−</kbd> zoom, <kbd>0</kbd> all.</p>`;
    const e = events[chosen];
    return html`<div id="timeline-event" role="status" class="chosen-event"><strong>${shortName(report, e)}</strong> on ${timeline.lanes[e[LANE_OF]]}: <${Seconds} x=${e[DURATION]} /> from <${Seconds} x=${e[START]} />${
      isLoop(e) && `, ${f.count(e[ITERATIONS])} ${e[ITERATIONS] === 1 ? 'iteration' : 'iterations'}`}${
      e[BYTES] > 0 && html`, sends <${Bytes} n=${e[BYTES]} />`}${e[TIMES] > 1 && `, ${f.count(e[TIMES])} times`}${
      e[OP] >= 0 && html` · <${Link} to=${to.op(e[OP])}>In the program</${Link}>`} <${Source} report=${report} event=${e} /></div>`;
  }

  // The names that take most time, over all lanes.
  function longest(report, events) {
    const groups = new Map();
    for (const e of events) {
      const key = `${e[OP]}|${e[NAME]}|${stackOf(report, e)}`, g = groups.get(key) || {event: e, seconds: 0, count: 0, bytes: 0};
      g.seconds += e[DURATION] * Math.max(1, e[TIMES] || 1);
      g.count += e[TIMES] > 1 ? e[TIMES] : 1;
      g.bytes += e[BYTES] || 0;
      groups.set(key, g);
    }
    return [...groups.values()].filter((g) => !isGroup(report, g.event)).sort((a, b) => b.seconds - a.seconds || a.event[START] - b.event[START]);
  }

  function Longest({report, timeline}) {
    const rows = useMemo(() => longest(report, timeline.events).slice(0, 15), [timeline]), n = timeline.source === 'measured' ? Math.max(1, timeline.lanes.length) : 1;
    return html`<section><h3>What takes most time</h3><${Table} rows=${rows} empty="No events." columns=${[
      {head: 'What', class: 'cut', cell: (g) => g.event[OP] >= 0 ? html`<${Link} to=${to.op(g.event[OP])} title=${report.s(g.event[NAME])}>${shortName(report, g.event)}</${Link}>` : shortName(report, g.event)},
      {head: 'Kind', cell: (g) => KIND_TEXTS[kindOf(report, g.event)]},
      {head: 'Source', cell: (g) => html`<${Source} report=${report} event=${g.event} />`},
      {head: 'Times', number: true, cell: (g) => f.count(g.count)},
      {head: 'Time of a device', number: true, cell: (g) => html`<${Seconds} x=${g.seconds / n} />`},
      {head: html`<span class="hidden">share</span>`, class: 'bar-column', cell: (g) => html`<${SW.Bar} part=${g.seconds} all=${rows[0].seconds} look=${`fill-${kindOf(report, g.event)}`} />`},
    ]} /></section>`;
  }

  // The loops of the program, over all lanes.
  function Loops({report, timeline}) {
    const rows = useMemo(() => {
      const groups = new Map();
      for (const [lane, , duration, name, op, iterations, depth, stack] of timeline.loops) {
        const key = `${op}|${name}|${stack}|${depth}`;
        const g = groups.get(key) || {event: [lane, 0, 0, name, op, null, 1, stack], depth, runs: 0, seconds: 0, least: Infinity, most: 0};
        g.runs += 1;
        g.seconds += duration;
        g.least = Math.min(g.least, iterations);
        g.most = Math.max(g.most, iterations);
        groups.set(key, g);
      }
      return [...groups.values()].sort((a, b) => b.seconds - a.seconds);
    }, [timeline]);
    const n = Math.max(1, timeline.lanes.length);
    return html`<section><h3>Loops</h3><${Table} rows=${rows.slice(0, 15)} empty="No loops." columns=${[
      {head: 'Loop', class: 'cut', cell: ({event}) => event[OP] >= 0 ? html`<${Link} to=${to.op(event[OP])}>${shortName(report, event)}</${Link}>` : shortName(report, event)},
      {head: 'Source', cell: ({event}) => html`<${SW.Place} report=${report} stack=${stackOf(report, event)} />`},
      {head: 'Loops around', number: true, cell: (g) => g.depth},
      {head: 'Runs', number: true, cell: (g) => f.count(g.runs)},
      {head: 'Iterations', number: true, cell: (g) => g.least === g.most ? f.count(g.most) : `${f.count(g.least)} to ${f.count(g.most)}`},
      {head: 'Time of a device', number: true, cell: (g) => html`<${Seconds} x=${g.seconds / n} />`},
    ]} />${rows.length > 15 && html`<p class="note">${f.count(rows.length - 15)} more loops take less time.</p>`}</section>`;
  }

  function Timeline({report, route, theme}) {
    const timeline = report.doc.timeline;
    if (!timeline || !timeline.events || !timeline.events.length)
      return html`<div class="page"><div class="empty-state"><p>${timeline ? 'The timeline has no events.' : 'There is no timeline: give --machine FILE for a predicted one, or run the program for a measured one.'}</p></div></div>`;
    const total = timeline.total > 0 ? timeline.total : Math.max(1e-9, ...timeline.lanes.map((_, l) => l).map(() => 0), timeline.events.reduce((m, e) => Math.max(m, e[START] + e[DURATION]), 0));
    const {events, rows, rowOf} = useMemo(() => arrange(timeline), [timeline]);
    const part = (key, other) => Number.isFinite(parseFloat(route.params[key])) ? parseFloat(route.params[key]) : other;
    const from = Math.max(0, Math.min(0.999999, part('from', 0))) * total, until = Math.max(from + total * 1e-6, Math.min(1, part('until', 1)) * total);
    const view = [from, until], chosen = /^\d+$/.test(route.params.event || '') && +route.params.event < events.length ? +route.params.event : -1;
    const [first, setFirst] = useState(0);
    const go = (params) => SW.router.go(SW.router.print('timeline', [], Object.assign({}, route.params, params)), {replace: true});
    const setView = ([a, b]) => go({from: a > 0 ? (a / total).toPrecision(8) : '', until: b < total ? (b / total).toPrecision(8) : ''});
    const choose = (i) => {
      if (i < 0) return go({event: ''});
      const e = events[i], span = until - from, params = {event: i};
      if (e[START] >= until || e[START] + e[DURATION] <= from) {
        const start = Math.max(0, Math.min(total - span, e[START] - span / 3));
        Object.assign(params, {from: (start / total).toPrecision(8), until: ((start + span) / total).toPrecision(8)});
      }
      if (rowOf[i] < first || rowOf[i] >= first + SHOWN_ROWS) setFirst(Math.max(0, Math.min(rows.length - SHOWN_ROWS, rowOf[i] - SHOWN_ROWS / 2)));
      return go(params);
    };
    const centre = (from + until) / 2;
    return html`<div class="page timeline"><div class="timeline-bar"><p class="intro">${timeline.source === 'measured' ? 'Measured' : 'Predicted'} step of <strong><${Seconds} x=${total} /></strong>${
          timeline.source !== 'measured' && timeline.lanes.length === 1 ? '; the devices run the same program, so one lane stands for all' : ''}${
          timeline.processes > 1 ? `, on ${f.count(timeline.processes)} processes; the times of each process count from its own start of the run` : ''}.</p>
        <div class="buttons"><button onClick=${() => setView(zoomed(view, 0.5, centre, total))} aria-label="Zoom in">+</button>
          <button onClick=${() => setView(zoomed(view, 2, centre, total))} aria-label="Zoom out">−</button>
          <button onClick=${() => setView(panned(view, -(until - from) / 2, total))} aria-label="Earlier">←</button>
          <button onClick=${() => setView(panned(view, (until - from) / 2, total))} aria-label="Later">→</button>
          <button onClick=${() => setView([0, total])}>All</button></div></div>
      <${Canvas} ...${{report, events, rows, rowOf, view, setView, chosen, choose, first, setFirst, total, theme}} />
      ${rows.length > SHOWN_ROWS && html`<label class="choose">rows from <input type="range" min="0" max=${rows.length - SHOWN_ROWS} value=${first} onInput=${(e) => setFirst(+e.target.value)} />
        <output>${timeline.lanes[rows[first].lane]}</output></label>`}
      <ul class="legend"><li><span class="swatch part-compute" aria-hidden="true"></span>computing</li><li><span class="swatch part-communication" aria-hidden="true"></span>communication</li>
        ${events.some((e) => isWaiting(report, e)) && html`<li><span class="swatch part-waiting" aria-hidden="true"></span>waiting for other devices</li>`}
        ${events.some((e) => isGroup(report, e)) && html`<li><span class="swatch part-group" aria-hidden="true"></span>loop, branch or call</li>`}</ul>
      ${timeline.source !== 'measured' && events.some((e) => e[TIMES] > 1) && html`<p class="note">The body of a loop is drawn once, where its first iteration is. The rest of the loop is empty: the other iterations are equal.</p>`}
      ${timeline.left_out > 0 && html`<p class="note">${f.count(timeline.left_out)} shorter events are left out.</p>`}
      ${timeline.loops_left_out > 0 && html`<p class="note">${f.count(timeline.loops_left_out)} shorter runs of loops are left out.</p>`}
      <${Chosen} report=${report} timeline=${timeline} events=${events} chosen=${chosen} /><${Longest} report=${report} timeline=${timeline} />
      ${timeline.loops && timeline.loops.length > 0 && html`<${Loops} report=${report} timeline=${timeline} />`}</div>`;
  }

  SW.Timeline = Timeline;
  SW.isCommunication = isCommunication;
  SW.isWaiting = isWaiting;
})();

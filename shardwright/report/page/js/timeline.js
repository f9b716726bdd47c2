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
  const LANE = 24, HEAD = 22, SHOWN_LANES = 24;
  const KINDS = /^(all[-_]gather|all[-_]reduce|all[-_]to[-_]all|reduce[-_]scatter|collective)/;

  // Events are [lane, start, duration, name, op, bytes, times].
  const [LANE_OF, START, DURATION, NAME, OP, BYTES, TIMES] = [0, 1, 2, 3, 4, 5, 6];
  const isCommunication = (report, event) => event[BYTES] > 0 || KINDS.test(report.s(event[NAME]));

  // True for events that hold others. Regions of reductions and the like are
  // part of their op.
  const GROUPS = /^(while|case|if|call|composite|manual_computation|named_computation)$/;
  const isGroup = (report, event) => event[OP] >= 0 && GROUPS.test(report.opName(event[OP]));
  const kindOf = (report, event) => isCommunication(report, event) ? 'communication' : isGroup(report, event) ? 'group' : 'compute';
  const KIND_TEXTS = {communication: 'communication', group: 'loop, branch or call', compute: 'computing'};

  // Events of each lane by start, as indices.
  function lanesOf(timeline) {
    const lanes = timeline.lanes.map(() => []);
    timeline.events.forEach((event, i) => {
      if (lanes[event[LANE_OF]]) lanes[event[LANE_OF]].push(i);
    });
    for (const lane of lanes) lane.sort((a, b) => timeline.events[a][START] - timeline.events[b][START] || a - b);
    return lanes;
  }

  // The first event of the lane that ends after `time`.
  function firstAt(events, lane, time) {
    let low = 0, high = lane.length;
    while (low < high) {
      const middle = (low + high) >> 1, e = events[lane[middle]];
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
  function draw(canvas, {report, timeline, lanes, view, chosen, first}) {
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
    for (let lane = first; lane < Math.min(lanes.length, first + SHOWN_LANES); ++lane) {
      const y = HEAD + (lane - first) * LANE, list = lanes[lane];
      c.fillStyle = line;
      c.fillRect(0, y + LANE - 1, width, 1);
      let drawn = -1;
      for (let k = firstAt(timeline.events, list, from); k < list.length; ++k) {
        const i = list[k], e = timeline.events[i];
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
          const name = shortName(report, e), room = Math.floor((w - 8) / 6.8);
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

  function zoomed([from, until], factor, centre, total) {
    const span = Math.min(total, Math.max(total * 1e-6, (until - from) * factor));
    const start = Math.max(0, Math.min(total - span, centre - (centre - from) / (until - from) * span));
    return [start, start + span];
  }
  const panned = ([from, until], by, total) => {
    const start = Math.max(0, Math.min(total - (until - from), from + by));
    return [start, start + until - from];
  };

  function Canvas({report, timeline, lanes, view, setView, chosen, choose, first, setFirst, total, theme}) {
    const canvas = useRef(null), drag = useRef(null);
    const shown = Math.min(SHOWN_LANES, lanes.length - first);
    const state = {report, timeline, lanes, view, chosen, first};
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
      const box = canvas.current.getBoundingClientRect(), lane = first + Math.floor((event.clientY - box.top - HEAD) / LANE);
      const list = lanes[lane];
      if (!list || event.clientY - box.top < HEAD) return -1;
      const time = timeAt(event), slack = (view[1] - view[0]) / box.width * 3, k = firstAt(timeline.events, list, time - slack);
      return k < list.length && timeline.events[list[k]][START] <= time + slack ? list[k] : -1;
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
      const e = chosen >= 0 ? timeline.events[chosen] : null, lane = e ? e[LANE_OF] : first;
      const step = (by) => {
        const list = lanes[lane] || [], k = e ? list.indexOf(chosen) + by : 0;
        if (list[Math.max(0, Math.min(list.length - 1, k))] !== undefined) choose(list[Math.max(0, Math.min(list.length - 1, k))]);
      };
      const cross = (by) => {
        const list = lanes[lane + by];
        if (list && list.length) choose(list[Math.min(list.length - 1, firstAt(timeline.events, list, e ? e[START] : view[0]))]);
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
    const e = chosen >= 0 ? timeline.events[chosen] : null;
    return html`<div class="lanes"><div class="lane-names" style=${{paddingTop: `${HEAD}px`}}>${timeline.lanes.slice(first, first + shown).map((name) => html`<div title=${name}>${name}</div>`)}</div>
      <canvas ref=${canvas} tabindex="0" role="application" aria-label="Timeline. Left and right: events; up and down: lanes; plus and minus: zoom; 0: all."
        aria-describedby="timeline-event" style=${{height: `${HEAD + shown * LANE}px`}} onWheel=${wheel} onPointerDown=${(event) => { drag.current = {x: event.clientX, view, moved: false}; }}
        onPointerMove=${move} onClick=${(event) => { if (!drag.current || !drag.current.moved) choose(hit(event)); }} onKeyDown=${keys}></canvas></div>`;
  }

  function Chosen({report, timeline, chosen}) {
    if (chosen < 0) return html`<p class="muted screen-only" id="timeline-event" role="status">Select an event. <kbd>←</kbd> <kbd>→</kbd> events, <kbd>↑</kbd> <kbd>↓</kbd> lanes, <kbd>+</kbd> <kbd>−</kbd> zoom, <kbd>0</kbd> all.</p>`;
    const e = timeline.events[chosen];
    return html`<p id="timeline-event" role="status" class="chosen-event"><strong>${shortName(report, e)}</strong> on ${timeline.lanes[e[LANE_OF]]}: <${Seconds} x=${e[DURATION]} /> from <${Seconds} x=${e[START]} />${
      e[BYTES] > 0 && html`, sends <${Bytes} n=${e[BYTES]} />`}${e[TIMES] > 1 && `, ${f.count(e[TIMES])} times`}${
      e[OP] >= 0 && html` · <${Link} to=${to.op(e[OP])}>In the program</${Link}> <${SW.Place} report=${report} stack=${report.stackOf(e[OP])} />`}</p>`;
  }

  // The names that take most time, over all lanes.
  function longest(report, timeline) {
    const groups = new Map();
    for (const e of timeline.events) {
      const key = `${e[OP]}|${e[NAME]}`, g = groups.get(key) || {event: e, seconds: 0, count: 0, bytes: 0};
      g.seconds += e[DURATION];
      g.count += e[TIMES] > 1 ? e[TIMES] : 1;
      g.bytes += e[BYTES] || 0;
      groups.set(key, g);
    }
    return [...groups.values()].filter((g) => !isGroup(report, g.event)).sort((a, b) => b.seconds - a.seconds || a.event[START] - b.event[START]);
  }

  function Longest({report, timeline}) {
    const rows = useMemo(() => longest(report, timeline).slice(0, 15), [timeline]), n = timeline.source === 'measured' ? Math.max(1, timeline.lanes.length) : 1;
    return html`<section><h3>What takes most time</h3><${Table} rows=${rows} empty="No events." columns=${[
      {head: 'What', class: 'cut', cell: (g) => g.event[OP] >= 0 ? html`<${Link} to=${to.op(g.event[OP])} title=${report.s(g.event[NAME])}>${shortName(report, g.event)}</${Link}>` : shortName(report, g.event)},
      {head: 'Kind', cell: (g) => KIND_TEXTS[kindOf(report, g.event)]},
      {head: 'Source', cell: (g) => html`<${SW.Place} report=${report} stack=${report.stackOf(g.event[OP])} />`},
      {head: 'Times', number: true, cell: (g) => f.count(g.count)},
      {head: 'Time of a device', number: true, cell: (g) => html`<${Seconds} x=${g.seconds / n} />`},
      {head: html`<span class="hidden">share</span>`, class: 'bar-column', cell: (g) => html`<${SW.Bar} part=${g.seconds} all=${rows[0].seconds} look=${isCommunication(report, g.event) ? 'fill-communication' : 'fill-compute'} />`},
    ]} /></section>`;
  }

  function Timeline({report, route, theme}) {
    const timeline = report.doc.timeline;
    if (!timeline || !timeline.events || !timeline.events.length)
      return html`<div class="page"><div class="empty-state"><p>${timeline ? 'The timeline has no events.' : 'There is no timeline: give --machine FILE for a predicted one, or run the program for a measured one.'}</p></div></div>`;
    const total = timeline.total > 0 ? timeline.total : Math.max(1e-9, ...timeline.lanes.map((_, l) => l).map(() => 0), timeline.events.reduce((m, e) => Math.max(m, e[START] + e[DURATION]), 0));
    const lanes = useMemo(() => lanesOf(timeline), [timeline]);
    const part = (key, other) => Number.isFinite(parseFloat(route.params[key])) ? parseFloat(route.params[key]) : other;
    const from = Math.max(0, Math.min(0.999999, part('from', 0))) * total, until = Math.max(from + total * 1e-6, Math.min(1, part('until', 1)) * total);
    const view = [from, until], chosen = /^\d+$/.test(route.params.event || '') && +route.params.event < timeline.events.length ? +route.params.event : -1;
    const [first, setFirst] = useState(0);
    const go = (params) => SW.router.go(SW.router.print('timeline', [], Object.assign({}, route.params, params)), {replace: true});
    const setView = ([a, b]) => go({from: a > 0 ? (a / total).toPrecision(8) : '', until: b < total ? (b / total).toPrecision(8) : ''});
    const choose = (i) => {
      if (i < 0) return go({event: ''});
      const e = timeline.events[i], span = until - from, params = {event: i};
      if (e[START] >= until || e[START] + e[DURATION] <= from) {
        const start = Math.max(0, Math.min(total - span, e[START] - span / 3));
        Object.assign(params, {from: (start / total).toPrecision(8), until: ((start + span) / total).toPrecision(8)});
      }
      if (e[LANE_OF] < first || e[LANE_OF] >= first + SHOWN_LANES) setFirst(Math.max(0, e[LANE_OF] - SHOWN_LANES / 2));
      return go(params);
    };
    const centre = (from + until) / 2;
    return html`<div class="page timeline"><div class="timeline-bar"><p class="intro">${timeline.source === 'measured' ? 'Measured' : 'Predicted'} step of <strong><${Seconds} x=${total} /></strong>${
          timeline.source !== 'measured' && timeline.lanes.length === 1 ? '; the devices run the same program, so one lane stands for all' : ''}.</p>
        <div class="buttons"><button onClick=${() => setView(zoomed(view, 0.5, centre, total))} aria-label="Zoom in">+</button>
          <button onClick=${() => setView(zoomed(view, 2, centre, total))} aria-label="Zoom out">−</button>
          <button onClick=${() => setView(panned(view, -(until - from) / 2, total))} aria-label="Earlier">←</button>
          <button onClick=${() => setView(panned(view, (until - from) / 2, total))} aria-label="Later">→</button>
          <button onClick=${() => setView([0, total])}>All</button></div></div>
      <${Canvas} ...${{report, timeline, lanes, view, setView, chosen, choose, first, setFirst, total, theme}} />
      ${lanes.length > SHOWN_LANES && html`<label class="choose">lanes from <input type="range" min="0" max=${lanes.length - SHOWN_LANES} value=${first} onInput=${(e) => setFirst(+e.target.value)} />
        <output>${timeline.lanes[first]}</output></label>`}
      <ul class="legend"><li><span class="swatch part-compute" aria-hidden="true"></span>computing</li><li><span class="swatch part-communication" aria-hidden="true"></span>communication</li>
        ${timeline.events.some((e) => isGroup(report, e)) && html`<li><span class="swatch part-group" aria-hidden="true"></span>loop, branch or call</li>`}</ul>
      ${timeline.left_out > 0 && html`<p class="note">${f.count(timeline.left_out)} shorter events are left out.</p>`}
      <${Chosen} report=${report} timeline=${timeline} chosen=${chosen} /><${Longest} report=${report} timeline=${timeline} /></div>`;
  }

  SW.Timeline = Timeline;
  SW.isCommunication = isCommunication;
})();

//===- overview.js - the view of totals ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html, to, Link, Bytes, Seconds, Table, Bar, AxisTag, ValueLink} = SW;
  const f = SW.format;
  const MACHINE = 'give --machine FILE';

  function Card({title, children, wide}) {
    return html`<section class=${`card ${wide ? 'wide' : ''}`}><h3>${title}</h3>${children}</section>`;
  }

  // A total: a large number with a line of explanation.
  function Total({title, children, note}) {
    return html`<div class="total"><dt>${title}</dt><dd><strong>${children}</strong>${note && html`<span class="note">${note}</span>`}</dd></div>`;
  }

  // Times of the step as parts: computing, communication that nothing hides, and
  // idle time. `predicted` is the statistics' object.
  function predictedParts(report) {
    const p = report.doc.statistics.predicted_step;
    if (!p || !f.known(p.step_seconds)) return null;
    const exposed = p.exposed_communication_seconds;
    // Less than a millionth of the step is a rounding error of the sums.
    const rest = p.step_seconds - p.compute_seconds - exposed, idle = rest > 1e-6 * p.step_seconds ? rest : 0;
    return {total: p.step_seconds, compute: p.compute_seconds, communication: exposed,
            hidden: Math.max(0, p.communication_seconds - exposed), idle};
  }

  // The same of a measured timeline: means over the devices.
  function measuredParts(report) {
    const t = report.doc.timeline;
    if (!t || t.source !== 'measured' || !t.lanes.length) return null;
    let compute = 0, communication = 0;
    for (const event of t.events) {
      if (SW.isCommunication(report, event)) communication += event[2];
      else if (!SW.isWaiting(report, event)) compute += event[2];  // waiting is idle time
    }
    const n = t.lanes.length;
    compute /= n;
    communication /= n;
    return {total: t.total, compute, communication, hidden: 0, idle: Math.max(0, t.total - compute - communication)};
  }

  const PARTS = [['compute', 'computing'], ['communication', 'communication'], ['idle', 'idle']];

  function StepBar({title, parts}) {
    return html`<div class="step"><div class="step-head"><span>${title}</span><strong class="number">${f.seconds(parts.total)}</strong></div>
      <div class="split" role="img" aria-label=${PARTS.map(([key, name]) => `${name} ${f.seconds(parts[key])}`).join(', ')}>${
        PARTS.filter(([key]) => parts[key] > 0).map(([key]) =>
          html`<span class=${`part-${key}`} style=${{flexGrow: parts[key] / parts.total}}></span>`)}</div>
      <ul class="legend">${PARTS.map(([key, name]) => html`<li><span class=${`swatch part-${key}`} aria-hidden="true"></span>${name}
        <span class="number">${f.seconds(parts[key])}</span> <span class="muted">${f.percent(parts[key], parts.total)}</span></li>`)}</ul>
      ${parts.hidden > 1e-3 * parts.total && html`<p class="note">${f.seconds(parts.hidden)} of communication more is hidden behind computing.</p>`}</div>`;
  }

  const machineName = ({doc}) => !doc.machine ? 'the machine' : doc.machine.given === false ? 'the built-in machine' : doc.machine.name || 'the machine';

  function StepCard({report}) {
    const predicted = predictedParts(report), measured = measuredParts(report);
    return html`<${Card} title="Step time">
      ${predicted ? html`<${StepBar} title=${`Predicted for ${machineName(report)}`} parts=${predicted} />`
                  : html`<p><${SW.NotKnown} how=${`${MACHINE} for a prediction`} /></p>`}
      ${measured && html`<${StepBar} title="Measured (mean of the devices)" parts=${measured} />`}
      <p class="screen-only"><${Link} to=${SW.router.print('timeline')}>Timeline</${Link}></p></${Card}>`;
  }

  // Bytes by kind and axes: {kinds, groups, cell(kind, group)}.
  function traffic(report) {
    const cells = new Map(), kinds = new Map(), groups = new Map();
    for (const c of report.doc.collectives) {
      const bytes = c.bytes_sent_per_device || 0, key = `${c.kind}|${c.axes}`;
      cells.set(key, (cells.get(key) || 0) + bytes);
      kinds.set(c.kind, (kinds.get(c.kind) || 0) + bytes);
      groups.set(c.axes, (groups.get(c.axes) || 0) + bytes);
    }
    const sorted = (map) => [...map].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return {kinds: sorted(kinds), groups: sorted(groups), cell: (k, g) => cells.get(`${k}|${g}`)};
  }

  const Axes = ({report, text}) => {
    const axes = SW.sharding.parseAxes(text || '');
    return axes.length ? axes.map((axis) => html`<${AxisTag} report=${report} axis=${axis} full /> `) : html`<span class="muted">${text || 'no axis'}</span>`;
  };

  function TrafficCard({report}) {
    const t = traffic(report), largest = t.kinds.length ? t.kinds[0][1] : 0;
    if (!t.kinds.length)
      return html`<${Card} title="Communication"><p class="empty">The program needs no communication.</p></${Card}>`;
    return html`<${Card} title="Bytes sent, by kind and axes"><div class="table-box"><table class="traffic"><thead><tr><th scope="col">Kind</th>
        ${t.groups.map(([g]) => html`<th scope="col" class="right"><${Axes} report=${report} text=${g} /></th>`)}
        <th scope="col" class="right">All</th><th class="bar-column"><span class="hidden">share</span></th></tr></thead><tbody>
      ${t.kinds.map(([k, all]) => html`<tr><th scope="row"><${Link} to=${to.search(`op:${k}`)} class="quiet">${k.replace(/_/g, '-')}</${Link}></th>
        ${t.groups.map(([g]) => html`<td class="right">${t.cell(k, g) === undefined ? html`<span class="muted">–</span>` : html`<${Bytes} n=${t.cell(k, g)} />`}</td>`)}
        <td class="right"><${Bytes} n=${all} /></td><td class="bar-column"><${Bar} part=${all} all=${largest} look="fill-communication" /></td></tr>`)}
      </tbody></table></div><p class="note">Per device in one step. Loops count by their trip count.</p></${Card}>`;
  }

  function MeshCard({report}) {
    const machine = report.doc.machine;
    const link = (name) => machine && (machine.links || []).find((l) => l.axis === name);
    return html`<${Card} title="Mesh"><div class="mesh-row"><${SW.MeshGrid} report=${report} />
      ${report.axes.length > 0 && html`<${Table} rows=${report.axes} columns=${[
        {head: 'Axis', cell: (a) => html`<${AxisTag} report=${report} axis=${{name: a.name}} full />`},
        {head: 'Size', number: true, cell: (a) => a.size},
        {head: 'Link', number: true, cell: (a) => {
          const l = link(a.name);
          return l ? `${f.bytes(l.bytes_per_second)}/s` : html`<${SW.NotKnown} />`;
        }},
        {head: 'Values sharded', number: true, cell: (a) => html`<${Link} to=${to.search(`axis:${/\s/.test(a.name) ? `"${a.name}"` : a.name}`)}>${f.count(countSharded(report, a.name))}</${Link}>`},
      ]} />`}</div>
      <p class="note">${machine ? machine.given === false ? `Speeds are those of the built-in machine: ${MACHINE} for others.` : `Machine: ${machine.name || 'as given'}.` : `Speeds of the links are not known: ${MACHINE}.`}</p></${Card}>`;
  }

  function countSharded(report, name) {
    const counts = report.shardedBy || (report.shardedBy = new Map());
    if (!counts.has(name)) {
      let n = 0;
      for (let v = 0; v < report.valueCount; ++v)
        if ((report.sharding(v) || {dims: []}).dims.some((d) => d.axes.some((a) => a.name === name))) ++n;
      counts.set(name, n);
    }
    return counts.get(name);
  }

  const kindText = (c) => String(c.kind || 'collective').replace(/_/g, '-');
  const collectiveName = (report, c) => {
    const need = report.needsOf(c)[0], name = report.s(c.name) || (need && need.op) || '';
    return SW.scopes(name).slice(-2).join('/');
  };

  function CostliestCard({report}) {
    const rows = report.doc.collectives.slice(0, 10), largest = rows.length ? rows[0].bytes_sent_per_device : 0;
    const index = (c) => report.doc.collectives.indexOf(c);
    return html`<${Card} title="Costliest collectives" wide><${Table} rows=${rows} empty="The program needs no communication." columns=${[
      {head: 'Collective', cell: (c) => html`<${Link} to=${to.collective(index(c))}>${kindText(c)}</${Link}>`},
      {head: 'Axes', cell: (c) => html`<${Axes} report=${report} text=${c.axes} />`},
      {head: 'For', class: 'cut', cell: (c) => html`<span class="code" title=${report.s(c.name)}>${collectiveName(report, c)}</span>`},
      {head: 'Source', cell: (c) => html`<${SW.Place} report=${report} stack=${c.stack} />`},
      {head: 'Times', number: true, cell: (c) => c.executions === null || c.executions === undefined ? html`<${SW.NotKnown} />` : f.count(c.executions)},
      {head: 'Sent', number: true, cell: (c) => html`<${Bytes} n=${c.bytes_sent_per_device} />`},
      {head: 'Predicted', number: true, cell: (c) => html`<${Seconds} x=${c.predicted_seconds} />`},
      {head: html`<span class="hidden">share</span>`, class: 'bar-column', cell: (c) => html`<${Bar} part=${c.bytes_sent_per_device} all=${largest} look="fill-communication" />`},
    ]} />${report.doc.collectives.length > 10 && html`<p><${Link} to=${SW.router.print('why')}>All ${f.count(report.doc.collectives.length)} collectives</${Link}></p>`}</${Card}>`;
  }

  function WholeCard({report}) {
    const rows = report.doc.whole.slice(0, 10), largest = rows.length ? rows[0].bytes : 0;
    return html`<${Card} title="Largest replicated values" wide><${Table} rows=${rows} empty="No large value is replicated." columns=${[
      {head: 'Value', class: 'cut', cell: (w) => html`<span title=${report.valueLabel(w.value)}><${ValueLink} report=${report} v=${w.value} /></span>`},
      {head: 'Type', cell: (w) => html`<${SW.ValueShape} report=${report} v=${w.value} />`},
      {head: 'On each device', number: true, cell: (w) => html`<${Bytes} n=${w.bytes} />`},
      {head: html`<span class="hidden">share</span>`, class: 'bar-column', cell: (w) => html`<${Bar} part=${w.bytes} all=${largest} look="fill-memory" />`},
      {head: 'Why', class: 'wrap', cell: (w) => html`<${SW.Rich} report=${report} text=${w.why} />`},
    ]} /></${Card}>`;
  }

  // `saves 72 KiB, 4 µs`; what it costs instead is said, too.
  function Savings({w}) {
    const parts = [[w.saved_bytes, f.bytes], [w.saved_seconds, f.seconds], [w.saved_peak, (n) => `${f.bytes(n)} at the peak`]].filter(([n]) => f.known(n) && n !== 0);
    const saved = parts.filter(([n]) => n > 0), lost = parts.filter(([n]) => n < 0);
    const list = (some) => some.map(([n, text]) => text(Math.abs(n))).join(', ');
    return [saved.length ? `saves ${list(saved)}` : '', lost.length ? `costs ${list(lost)} more` : ''].filter(Boolean).join('; ') || 'saves nothing';
  }

  // True if at least a thousandth is saved of what the program sends, takes or
  // holds, and the step does not get longer: else it is no reason for another
  // annotation.
  function isWorthwhile({doc}, w) {
    const s = doc.statistics, step = s.predicted_step, peak = s.predicted_peak;
    const of = (saved, all) => saved > 0 && !(f.known(all) && saved < all / 1000);
    if (step && f.known(w.saved_seconds) && w.saved_seconds < -step.step_seconds / 1000) return false;
    return of(w.saved_bytes, s.bytes_sent_per_device) || of(w.saved_seconds, step && step.step_seconds) || of(w.saved_peak, peak && peak.bytes);
  }

  function WhatIfCard({report}) {
    const rows = report.doc.what_if.filter((w) => isWorthwhile(report, w)).slice(0, 3);
    return html`<${Card} title="What would save most" wide>${rows.length ? html`<ol class="savings">${rows.map((w) => html`<li>
      <${SW.SuggestionText} report=${report} w=${w} /><span class="saving"><${Savings} w=${w} /></span></li>`)}</ol>`
      : html`<p class="empty">No annotation was found that saves bytes, time or memory and makes the step no longer.</p>`}
      ${report.doc.what_if.length > 0 && html`<p class="screen-only"><${Link} to=${SW.router.print('why', [], {list: 'what-if'})}>All suggestions that were tried</${Link}></p>`}</${Card}>`;
  }

  // `1.2 MFLOP`.
  const flop = (n) => f.large(n).replace(/ ?(\D?)$/, ' $1FLOP');

  // The parameters, or all arguments where the document does not tell them apart.
  function ParameterTotal({report}) {
    const p = report.doc.parameters;
    if (p) return html`<${Total} title="Parameters" note=${`${f.large(p.elements)} elements; ${f.bytes(p.local_bytes)} on each device`}>${f.bytes(p.bytes)}</${Total}>`;
    let count = 0, bytes = 0, local = 0;
    for (let v = 0; v < report.valueCount; ++v) {
      if (!(report.number('values', 'argument', v) >= 0)) continue;
      ++count;
      bytes += report.number('values', 'bytes', v) || 0;
      local += report.number('values', 'local_bytes', v) || 0;
    }
    return html`<${Total} title="Arguments" note=${`${f.count(count)} of main; ${f.bytes(local)} on each device`}>${f.bytes(bytes)}</${Total}>`;
  }

  function Totals({report}) {
    const {statistics: s, flops, mesh} = report.doc, peak = s.predicted_peak || null;
    const peakBytes = peak ? peak.bytes : s.peak_bytes_per_device;
    const stops = report.doc.stops.length;
    const step = predictedParts(report);
    return html`<dl class="totals">
      <${Total} title="Step time" note=${step ? 'predicted' : MACHINE}>${SW.orUnknown(step && f.seconds(step.total))}</${Total}>
      <${Total} title="Peak memory" note=${`of each device`}><${Bytes} n=${peakBytes} /></${Total}>
      <${Total} title="Sent" note="by each device in one step"><${Bytes} n=${s.bytes_sent_per_device} /></${Total}>
      <${Total} title="Operations" note=${flops && f.known(flops.local) ? `of each device; ${flop(flops.global)} unsharded` : ''}>${
        SW.orUnknown(flops && f.known(flops.local) ? flop(flops.local) : null)}</${Total}>
      <${ParameterTotal} report=${report} />
      <${Total} title="Program" note=${`${f.count(report.opCount)} as written; ${f.count(mesh.devices)} ${mesh.devices === 1 ? 'device' : 'devices'}`}>${SW.orUnknown(f.known(s.ops) ? `${f.count(s.ops)} ${s.ops === 1 ? 'op' : 'ops'}` : null)}</${Total}>
      <${Total} title="Conflicts" note="axes that stopped">${stops ? html`<${Link} to=${SW.router.print('why', [], {list: 'stops'})}>${f.count(stops)}</${Link}>` : '0'}</${Total}>
    </dl>`;
  }

  SW.Overview = ({report}) => html`<div class="overview"><${Totals} report=${report} />
    <div class="cards"><div class="column"><${MeshCard} report=${report} /></div>
      <div class="column"><${StepCard} report=${report} /><${TrafficCard} report=${report} /></div>
      <${WhatIfCard} report=${report} /><${CostliestCard} report=${report} /><${WholeCard} report=${report} /></div></div>`;
  Object.assign(SW, {Axes, kindText, collectiveName, Card});
})();

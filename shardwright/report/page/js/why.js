//===- why.js - reasons of values and ops ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html, to, Link, Bytes, ValueLink, Rich, Table, AxisTag} = SW;
  const {useState} = preactHooks;
  const f = SW.format;

  function Facts({rows}) {
    return html`<dl class="facts">${rows.filter(Boolean).map(([name, content]) => html`<dt>${name}</dt><dd>${content}</dd>`)}</dl>`;
  }

  // The call stack of an op, the user's frame first; the rest on demand.
  function Stack({report, stack}) {
    const frames = report.stackFrames(stack), shown = report.place(stack);
    if (!shown) return html`<span class="muted">no source location</span>`;
    if (frames.length < 2) return html`<span class="code">${shown}</span>`;
    return html`<details class="stack"><summary class="code">${shown}</summary><ol>${frames.map((frame) =>
      html`<li class="code">${frame.file}${frame.line > 0 ? `:${frame.line}` : ''}${frame.function && html` <span class="muted">in ${frame.function}</span>`}</li>`)}</ol></details>`;
  }

  // A value by its name in texts.
  function Named({report, name}) {
    const v = report.valueByName(name);
    return v >= 0 ? html`<${ValueLink} report=${report} v=${v} label=${name} />` : html`<span class="code">${name || 'an annotation'}</span>`;
  }

  // One step of a chain: where the axis came from, and by which op. The last step
  // comes from the origin.
  function Step({report, a}) {
    const A = 'arrivals', from = report.number(A, 'from', a), last = !(from >= 0);
    const fromDim = report.number(A, last ? 'origin_dim' : 'from_dim', a);
    const kind = report.text(A, 'kind', a), factor = report.text(A, 'factor', a), where = report.text(A, 'where', a);
    const op = report.text(A, 'op', a), priorities = [];
    const p = report.number(A, 'user_priority', a);
    if (p) priorities.push(`priority ${p}`);
    return html`<li><span class="step-through">from ${last ? html`<${Named} report=${report} name=${report.text(A, 'origin_value', a)} />` : html`<${ValueLink} report=${report} v=${from} />`}${
        fromDim >= 0 && fromDim !== null ? html` dimension ${fromDim}` : ''} ${op && html` through <span class="code">${op.slice(op.indexOf('.') + 1)}</span>`}</span>
      <span class="muted step-note">${[kind && kind.replace(/[-_]/g, ' '), factor && `factor ${factor}`, ...priorities].filter(Boolean).join(', ')}${
        where && html` <span class="code">${where}</span>`}</span></li>`;
  }

  function Origin({report, a}) {
    const A = 'arrivals', origin = report.text(A, 'origin', a);
    const v = report.valueByName(report.text(A, 'origin_value', a));
    const where = report.text(A, 'origin_where', a);
    return html`<li class="origin">${v >= 0 ? html`<${ValueLink} report=${report} v=${v} />, ` : ''}${
      origin ? html`<${Rich} report=${report} text=${origin} />` : html`<span class="muted">the chain ends here</span>`}
      ${where && html` <span class="muted code">${where}</span>`}</li>`;
  }

  const FOLD = 5;  // steps of a chain that show before the others are folded

  function Chain({report, a}) {
    const steps = report.chain(a), [all, setAll] = useState(false);
    const through = steps.filter((s) => report.text('arrivals', 'op', s) !== '');
    const folded = !all && through.length > FOLD;
    const first = folded ? through.slice(0, 2) : through, last = folded ? through.slice(-1) : [];
    return html`<ol class="chain">${first.map((s) => html`<${Step} report=${report} a=${s} />`)}
      ${folded && html`<li class="folded"><button class="plain" onClick=${() => setAll(true)}>${f.count(through.length - 3)} more steps</button></li>`}
      ${last.map((s) => html`<${Step} report=${report} a=${s} />`)}
      ${steps.length ? html`<${Origin} report=${report} a=${steps[steps.length - 1]} />` : ''}</ol>`;
  }

  // Why each axis is where it is.
  function Reasons({report, v}) {
    const why = report.list('values', 'why', v), type = report.type(v);
    if (!why.length) {
      const sharded = (report.sharding(v) || {dims: []}).dims.some((d) => d.axes.length);
      return html`<p class="muted">${sharded ? 'No reason was recorded for this sharding.' : 'No axis arrived at this value.'}</p>`;
    }
    return html`<ul class="reasons">${why.map(([dim, axis, a]) => {
      const parsed = axisOf(report, axis);
      return html`<li><div class="reason-head">dimension ${dim}${type && type.shape[dim] !== undefined ? html` <span class="muted">of size ${f.count(type.shape[dim])}</span>` : ''} has ${parsed ? html`<${AxisTag} report=${report} axis=${parsed} full />` : report.s(axis)}</div><${Chain} report=${report} a=${a} /></li>`;
    })}</ul>`;
  }
  // The axis of a text, with or without quotes.
  const axisOf = (report, s) => {
    const text = report.s(s);
    return SW.sharding.parseAxes(text.includes('"') ? text : `"${text}"`)[0] || null;
  };

  function Suggestion({report, suggestion}) {
    const [copied, setCopied] = useState(false);
    if (!suggestion) return '';
    const spec = suggestion.partition_spec || suggestion.sharding;
    const copy = () => {
      if (navigator.clipboard) navigator.clipboard.writeText(spec).then(() => setCopied(true), () => {});
    };
    return html`<p class="suggestion">${suggestion.value !== undefined && html`annotate ${suggestion.kind && suggestion.kind !== 'value' ? `the ${suggestion.kind} ` : ''}<${Rich} report=${report} text=${String(suggestion.value)} /> as`}
      ${spec && html` <code>${spec}</code> <button class="small" onClick=${copy}>${copied ? 'Copied' : 'Copy'}</button>`}</p>`;
  }

  function Stop({report, stop}) {
    const v = typeof stop.value === 'number' ? stop.value : -1;
    const axis = SW.sharding.parseAxes(String(stop.axis).includes('"') ? stop.axis : `"${stop.axis}"`)[0];
    return html`<li class="stop"><div>${axis ? html`<${AxisTag} report=${report} axis=${axis} full />` : stop.axis} stopped${
      v >= 0 ? html` at dimension ${stop.dim} of <${ValueLink} report=${report} v=${v} />` : stop.target ? html` at dimension ${stop.dim} of <${Rich} report=${report} text=${stop.target} />` : ''}${stop.source ? html`, from <${Rich} report=${report} text=${String(stop.source)} />${stop.source_dim >= 0 ? ` dimension ${stop.source_dim}` : ''}` : ''}${stop.through ? html` through <span class="code">${stop.through}</span>` : ''}</div>
      <div class="obstacle"><${Rich} report=${report} text=${stop.why || stop.obstacle} />${stop.where && html` <span class="muted code">${stop.where}</span>`}</div>
      <${Suggestion} report=${report} suggestion=${stop.suggestion} /></li>`;
  }

  function Stops({report, v}) {
    const list = (column, title) => {
      const stops = report.list('values', column, v).map((i) => report.doc.stops[i]).filter(Boolean);
      return stops.length > 0 && html`<section><h4>${title}</h4><${SW.More} rows=${stops} first=${6} noun="places" render=${(rows) =>
        html`<ul class="stops">${rows.map((s) => html`<${Stop} report=${report} stop=${s} />`)}</ul>`} /></section>`;
    };
    const notes = report.notesOfValue.get(v) || [];
    return html`${notes.length > 0 && html`<ul class="plain-list">${notes.map((text) => html`<li><${Rich} report=${report} text=${text} /></li>`)}</ul>`}
      ${list('stops', 'Axes that did not reach it')}${list('ahead', 'Where its axes stopped')}`;
  }

  const OpLink = ({report, o}) => html`<${Link} to=${to.op(o)}>${report.opLabel(o)}</${Link}>`;

  function Neighbours({report, v}) {
    const o = report.opOf(v), operands = report.operandsOf(o), users = report.usersOf(v);
    const item = (value) => html`<li><${ValueLink} report=${report} v=${value} /> <${SW.ValueShape} report=${report} v=${value} /></li>`;
    const user = (op) => html`<li><${OpLink} report=${report} o=${op} /> ${report.resultsOf(op).slice(0, 1).map((r) =>
      html`<${ValueLink} report=${report} v=${r} /> <${SW.ValueShape} report=${report} v=${r} />`)}</li>`;
    return html`${operands.length > 0 && html`<section><h4>Made of</h4><${SW.More} rows=${operands} first=${6} noun="operands"
        render=${(rows) => html`<ul class="plain-list">${rows.map(item)}</ul>`} /></section>`}
      ${users.length > 0 && html`<section><h4>Used by</h4><${SW.More} rows=${users} first=${6} noun="uses"
        render=${(rows) => html`<ul class="plain-list">${rows.map(user)}</ul>`} /></section>`}`;
  }

  function Sends({report, indices}) {
    if (!indices.length) return '';
    return html`<section><h4>Collectives</h4><ul class="plain-list">${indices.map((i) => {
      const c = report.doc.collectives[i];
      return html`<li><${Link} to=${to.collective(i)}>${SW.kindText(c)}</${Link}> along <${SW.Axes} report=${report} text=${c.axes} /> <${Bytes} n=${c.bytes_sent_per_device} /></li>`;
    })}</ul></section>`;
  }

  function Reshards({report, v}) {
    const indices = report.reshardsOfValue.get(v) || [];
    if (!indices.length) return '';
    return html`<section><h4>Resharded</h4><ul class="plain-list">${indices.map((i) => {
      const r = report.doc.reshards[i];
      return html`<li><${Link} to=${to.tensor(v, {reshard: i})}>to <${SW.Sharding} report=${report} text=${r.to} /></${Link}> <${Bytes} n=${r.bytes} /></li>`;
    })}</ul></section>`;
  }

  function ValueDetails({report, v, compact}) {
    const o = report.opOf(v), argument = report.number('values', 'argument', v), results = report.list('values', 'result', v);
    const type = report.text('values', 'type', v), local = report.text('values', 'local', v);
    const flags = report.flags(v), source = report.text('values', 'source', v);
    const rest = html`<${Reshards} report=${report} v=${v} />
      <${Sends} report=${report} indices=${report.collectivesOfValue.get(v) || []} /><${Neighbours} report=${report} v=${v} />`;
    return html`<article class=${`value ${compact ? '' : 'full'}`}><header><h3><span class="code">${report.valueLabel(v)}</span>${
        source && html` <span class="muted code">${report.valueName(v)}</span>`}</h3>
      <nav class="actions">${compact ? html`<${Link} to=${to.value(v)}>All reasons</${Link}>` : html`<${Link} to=${to.inProgram(v)}>In the program</${Link}>`}
        ${report.type(v) && html`<${Link} to=${to.tensor(v)}>Slices</${Link}>`}</nav></header>
      <p class="big-shape"><${SW.ValueShape} report=${report} v=${v} full /></p>
      <div class="value-columns"><div class="value-column area-facts"><${Facts} rows=${[
        ['Sharding', html`<${SW.Sharding} report=${report} text=${report.text('values', 'sharding', v)} />`],
        ['On a device', html`<span class="code">${local || type}</span>, <${Bytes} n=${report.number('values', 'local_bytes', v)} /> of <${Bytes} n=${report.number('values', 'bytes', v)} />`],
        o >= 0 && ['Made by', html`<${OpLink} report=${report} o=${o} />`],
        argument !== null && argument >= 0 && ['Argument', html`number ${argument} of main`],
        report.number('values', 'copy', v) > 0 && ['Copy', `number ${report.number('values', 'copy', v)} of its function, which is called from several places`],
        report.number('values', 'copies', v) > 1 && ['Copies', `the row is that of ${report.number('values', 'copies', v)} copies of its function with equal shardings`],
        results.length > 0 && ['Result', html`number ${results.join(', ')} of main`],
        o >= 0 && ['Source', html`<${Stack} report=${report} stack=${report.stackOf(o)} />`],
        o >= 0 && report.text('ops', 'name', o) && ['Name', html`<span class="code wrap">${report.text('ops', 'name', o)}</span>`],
        flags.length > 0 && ['Notes', flags.map((name) => html`<div class="flag-note"><span class=${`flag flag-${name}`}>${SW.FLAG_TEXTS[name][0]}</span> ${SW.FLAG_TEXTS[name][1]}</div>`)],
      ]} /></div>
      <div class="value-column area-why"><section><h4>Why</h4><${Reasons} report=${report} v=${v} /></section><${Stops} report=${report} v=${v} /></div>
      <div class="value-column area-rest">${rest}</div></div></article>`;
  }

  function OpDetails({report, o}) {
    const results = report.resultsOf(o), flops = report.number('ops', 'flops', o), seconds = report.number('ops', 'seconds', o);
    const times = report.list('ops', 'times', o);
    const values = (list) => html`<ul class="plain-list">${list.map((v) => html`<li><${ValueLink} report=${report} v=${v} /> <${SW.ValueShape} report=${report} v=${v} /></li>`)}</ul>`;
    return html`<article class="value"><header><h3>${report.opLabel(o)}</h3></header><${Facts} rows=${[
        ['Op', html`<span class="code">${report.text('ops', 'op', o)}</span>`],
        ['Source', html`<${Stack} report=${report} stack=${report.stackOf(o)} />`],
        report.text('ops', 'name', o) && ['Name', html`<span class="code wrap">${report.text('ops', 'name', o)}</span>`],
        ['Executions', times === null ? html`<${SW.NotKnown} how="its loop has no known trip count" />` : html`${f.count(report.number('ops', 'times', o) ?? 1)} in one step`],
        flops > 0 && ['Operations', `${f.large(flops)} on each device`],
        seconds > 0 && ['Predicted', `${f.seconds(seconds)} of computing`],
        report.number('ops', 'communication_seconds', o) > 0 && ['Communication', f.seconds(report.number('ops', 'communication_seconds', o))],
      ]} />
      ${results.length > 0 && html`<section><h4>Results</h4>${values(results)}</section>`}
      ${report.operandsOf(o).length > 0 && html`<section><h4>Operands</h4>${values(report.operandsOf(o))}</section>`}
      <${Sends} report=${report} indices=${report.collectivesOfOp.get(o) || []} /></article>`;
  }

  Object.assign(SW, {ValueDetails, OpDetails, Stop, Suggestion, Facts, Stack, Named});
})();

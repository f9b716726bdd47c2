//===- collective.js - reasons of collectives, and the lists of the view Why ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html, to, Link, Bytes, Seconds, ValueLink, Rich, Table, AxisTag, Facts} = SW;
  const f = SW.format;

  const named = (report, name) => html`<${SW.Named} report=${report} name=${name} />`;

  // The ways of computing, or of moving data, that were compared: the chosen one
  // first. Costs are shown as far as the document has them.
  function Ways({report, ways, more, title}) {
    if (!ways || !ways.length) return '';
    const least = Math.min(...ways.filter((w) => f.known(w.cost)).map((w) => w.cost));
    const columns = [
      {head: '', class: 'mark', cell: (w) => w.taken ? html`<span class="taken">✓ chosen</span>` : html`<span class="muted">rejected</span>`},
      {head: 'How', class: 'wrap', cell: (w) => html`<span class="code"><${Rich} report=${report} text=${w.how} /></span>`},
      {head: 'Cost', number: true, cell: (w) => w.inSeconds ? html`<${Seconds} x=${w.cost} />` : html`<${Bytes} n=${f.known(w.cost) ? Math.round(w.cost) : null} />`},
      ways.length > 1 && {head: 'Of the least', number: true, cell: (w) => f.known(w.cost) && least > 0 ? `${(w.cost / least).toFixed(2)} ×` : ''},
    ].filter(Boolean);
    const sorted = [...ways].sort((a, b) => (b.taken ? 1 : 0) - (a.taken ? 1 : 0));
    return html`<section><h4>${title}</h4><${Table} rows=${sorted} columns=${columns} />
      ${more > 0 && html`<p class="note">${f.count(more)} more expensive ${more === 1 ? 'way is' : 'ways are'} left out.</p>`}</section>`;
  }

  function Need({report, need}) {
    return html`<section class="need"><p class="because"><${Rich} report=${report} text=${need.why} /></p>
      <${Facts} rows=${[
        need.value && ['Value', named(report, need.value)],
        need.op && ['For', html`<${Rich} report=${report} text=${need.op} />`],
        need.has !== undefined && ['It has', html`<${SW.Sharding} report=${report} text=${need.has} />`],
        need.needs !== undefined && ['It needs', html`<${SW.Sharding} report=${report} text=${need.needs} />`],
        need.where && ['Source', html`<span class="code">${need.where}</span>`],
      ]} />
      ${need.tensors && need.tensors.length > 0 && html`<section><h4>Operands and results</h4><${Table} rows=${need.tensors} columns=${[
        {head: 'Role', cell: (t) => t.role},
        {head: 'Value', cell: (t) => named(report, t.value)},
        {head: 'Type, as computed', cell: (t) => html`<${SW.Shape} report=${report} type=${t.type} sharding=${report.parsed(t.computed)} />`},
        {head: 'Propagated', class: 'wrap', cell: (t) => t.computed === t.propagated ? html`<span class="muted">the same</span>`
          : html`<${SW.Sharding} report=${report} text=${t.propagated} />`},
      ]} /></section>`}
      <${Ways} report=${report} ways=${need.ways} more=${need.more_ways} title="Ways to compute" />
      <${Ways} report=${report} ways=${need.routes} title="Other ways to move the data, rejected" />
      ${need.origins && need.origins.length > 0 && html`<section><h4>Annotations that cause it</h4><ul class="origins">${need.origins.map((o) => html`<li>
        <${Rich} report=${report} text=${o.axis} /> at dimension ${o.dim} of ${named(report, o.value)} comes from <${Rich} report=${report} text=${o.from} />${
        o.where && html` <span class="muted code">${o.where}</span>`}</li>`)}</ul></section>`}</section>`;
  }

  function CollectiveDetails({report, i}) {
    const c = report.doc.collectives[i], needs = report.needsOf(c);
    const reshards = report.doc.reshards.map((r, k) => [r, k]).filter(([r]) => r.collective === i);
    return html`<article class="value"><header><h3>${SW.kindText(c)}</h3><nav class="actions">
        ${c.op >= 0 && html`<${Link} to=${to.op(c.op)}>In the program</${Link}>`}
        ${reshards.map(([r, k]) => html`<${Link} to=${to.tensor(r.value, {reshard: k})}>What moves</${Link}>`)}</nav></header>
      <${Facts} rows=${[
        ['Along', html`<${SW.Axes} report=${report} text=${c.axes} />`],
        ['Groups', f.known(c.group_size) ? `of ${f.count(c.group_size)} devices` : html`<${SW.NotKnown} />`],
        ['Sent', html`<${Bytes} n=${c.bytes_sent_per_device} /> by each device in one step`],
        ['Executions', f.known(c.executions) ? f.count(c.executions) : html`<${SW.NotKnown} how="its loop has no known trip count" />`],
        ['Predicted', html`<${Seconds} x=${c.predicted_seconds} how="give --machine FILE" />`],
        c.value >= 0 && ['Value', html`<${ValueLink} report=${report} v=${c.value} /> <${SW.ValueShape} report=${report} v=${c.value} />`],
        report.s(c.name) && ['Name', html`<span class="code wrap">${report.s(c.name)}</span>`],
        ['Source', html`<${SW.Stack} report=${report} stack=${c.stack} />`],
      ]} />
      ${needs.map((need) => html`<${Need} report=${report} need=${need} />`)}
      ${!needs.length && html`<p class="muted">The partitioner recorded no need for it: the program itself contains this collective.</p>`}</article>`;
  }

  function CollectiveList({report}) {
    const rows = report.doc.collectives;
    return html`<${SW.More} rows=${rows} first=${100} noun="collectives" render=${(shown) => html`<${Table} rows=${shown}
        empty="The program needs no communication." columns=${[
      {head: 'Collective', cell: (c, i) => html`<${Link} to=${to.collective(i)}>${SW.kindText(c)}</${Link}>`},
      {head: 'Axes', cell: (c) => html`<${SW.Axes} report=${report} text=${c.axes} />`},
      {head: 'Why', class: 'wrap', cell: (c) => {
        const need = report.need((c.needs || [])[0]);
        return need ? html`<${Rich} report=${report} text=${need.why} />` : '';
      }},
      {head: 'Source', cell: (c) => html`<${SW.Place} report=${report} stack=${c.stack} />`},
      {head: 'Times', number: true, cell: (c) => SW.orUnknown(f.count(c.executions))},
      {head: 'Sent', number: true, cell: (c) => html`<${Bytes} n=${c.bytes_sent_per_device} />`},
      {head: 'Predicted', number: true, cell: (c) => html`<${Seconds} x=${c.predicted_seconds} />`},
    ]} />`} />`;
  }

  // A number that is saved, or how much more it is, and what it is then. What saves less than a thousandth does not stand
  // out, as it does not on the overview.
  function Saved({saved, then, text}) {
    if (!f.known(saved)) return html`<${SW.NotKnown} />`;
    return html`${saved > 0 && saved >= (then + saved) / 1000 ? html`<strong class="number">${text(saved)} saved</strong>`
        : html`<span class="number muted">${saved > 0 ? `${text(saved)} saved` : saved < 0 ? `${text(-saved)} more` : 'equal'}</span>`}
      ${f.known(then) && html`<div class="note number">then ${text(then)}</div>`}`;
  }

  // Without the specification at the end, which stands beside its button.
  const withoutSpec = (w) => w.partition_spec && w.text.endsWith(w.partition_spec)
      ? w.text.slice(0, -w.partition_spec.length).replace(/[,\s]+$/, '') : w.text;

  // The text of a suggestion with a link at the value that it names.
  function SuggestionText({report, w}) {
    const text = withoutSpec(w), label = w.value >= 0 ? report.valueLabel(w.value) : '', at = label ? text.indexOf(label) : -1;
    if (at < 0) return html`<${Rich} report=${report} text=${text} />`;
    return html`${text.slice(0, at)}<${ValueLink} report=${report} v=${w.value} /><${Rich} report=${report} text=${text.slice(at + label.length)} />`;
  }

  function WhatIf({report}) {
    const rows = report.doc.what_if;
    return html`<p class="intro">Each annotation was added to the program, and the program was partitioned again. The numbers are those of that program.</p>
      <${Table} rows=${rows} empty="No annotation was found that sends less." columns=${[
      {head: 'Suggestion', class: 'wrap', cell: (w) => html`<${SuggestionText} report=${report} w=${w} /><${SW.Suggestion} report=${report} suggestion=${{sharding: w.sharding, partition_spec: w.partition_spec}} />`},
      {head: 'Sent by a device', number: true, cell: (w) => html`<${Saved} saved=${w.saved_bytes} then=${w.bytes} text=${f.bytes} />`},
      {head: 'Step time', number: true, cell: (w) => html`<${Saved} saved=${w.saved_seconds} then=${w.seconds} text=${f.seconds} />`},
      {head: 'Peak memory', number: true, cell: (w) => html`<${Saved} saved=${w.saved_peak} then=${w.peak} text=${f.bytes} />`},
    ]} />`;
  }

  const StopList = ({report}) => report.doc.stops.length
      ? html`<${SW.More} rows=${report.doc.stops} first=${50} noun="conflicts" render=${(rows) =>
          html`<ul class="stops">${rows.map((s) => html`<${SW.Stop} report=${report} stop=${s} />`)}</ul>`} />`
      : html`<p class="empty">No axis was stopped by another one or by a closed dimension.</p>`;

  const LISTS = [['collectives', 'Collectives', CollectiveList], ['stops', 'Conflicts', StopList], ['what-if', 'What if', WhatIf]];

  function Why({report, route}) {
    const [kind, text] = route.path, i = /^\d+$/.test(text || '') ? +text : -1;
    const back = html`<p class="crumbs"><${Link} to=${SW.router.print('why', [], kind === 'collective' ? {} : {})}>All collectives, conflicts, suggestions</${Link}></p>`;
    if (kind === 'value' && i >= 0 && i < report.valueCount) return html`<div class="why page">${back}<${SW.ValueDetails} key=${`v${i}`} report=${report} v=${i} /></div>`;
    if (kind === 'collective' && i >= 0 && i < report.doc.collectives.length) return html`<div class="why page">${back}<${CollectiveDetails} key=${`c${i}`} report=${report} i=${i} /></div>`;
    const list = LISTS.find(([name]) => name === route.params.list) || LISTS[0], List = list[2];
    const counts = {collectives: report.doc.collectives.length, stops: report.doc.stops.length, 'what-if': report.doc.what_if.length};
    return html`<div class="why page">${kind && html`<p class="problem" role="status">This report has no ${kind === 'collective' ? 'collective' : 'value'} number ${text}.</p>`}
      <nav class="lists" aria-label="Lists">${LISTS.map(([name, title]) => html`<${Link} class="chip" aria-current=${name === list[0] ? 'true' : undefined}
        to=${SW.router.print('why', [], {list: name})}>${title} <span class="count">${f.count(counts[name])}</span></${Link}>`)}</nav>
      <${List} report=${report} /></div>`;
  }

  Object.assign(SW, {Why, SuggestionText});
})();

//===- diff.js - the view of the differences to a second program ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html, Table, Bytes, Facts} = SW;
  const f = SW.format;

  const KINDS = {
    annotation: 'Another annotation', mesh: 'Another mesh', options: 'Another option', program: 'Another program',
    propagation: 'An axis propagates otherwise', computation: 'An op is computed otherwise',
  };
  const NUMBERS = {
    bytes_sent_per_device: 'bytes sent by each device', 'predicted_step.step_seconds': 'predicted step',
    'predicted_step.compute_seconds': 'of it computing', 'predicted_step.exposed_communication_seconds': 'of it communication',
    'predicted_peak.bytes': 'predicted peak memory', peak_bytes_per_device: 'peak memory',
  };
  const CHANGES = {came: ['only in B', 'conflicted'], went: ['only in A', 'annotated'], changed: ['changed', 'replicated']};

  // The text of a number by the key of the statistics that it has.
  function numberText(name, n) {
    if (/bytes|\.classes\./.test(name)) return f.bytes(n);
    return /seconds/.test(name) ? f.seconds(n) : f.count(n);
  }
  function numberName(name) {
    const kind = /^collectives\.(\w+)\.(count|bytes)$/.exec(name);
    if (kind) return `${kind[2] === 'count' ? 'number' : 'bytes'} of ${kind[1].replace(/_/g, '-')}`;
    const held = /^predicted_peak\.classes\.(\w+)$/.exec(name);
    if (held) return `of the peak: ${held[1]}`;
    return NUMBERS[name] || name.replace(/[._]/g, ' ');
  }

  // Texts of either program: a value's name may be of the other one, so that
  // names are no links.
  const Text = ({report, text}) => text === 'none' ? html`<span class="muted">none</span>`
      : html`<${SW.Rich} report=${report} text=${text} axesOnly />`;
  const Place = ({text}) => text ? html`<span class="code muted">${text}</span>` : '';

  function First({report, first}) {
    return html`<section class="card first"><h3>The first decision that differs</h3>
      <p class="because"><strong>${KINDS[first.kind] || first.kind}</strong>${first.what && html`: <${Text} report=${report} text=${first.what} />`}</p>
      <${Facts} rows=${[
        ['A', html`<span class="code"><${Text} report=${report} text=${first.a || 'none'} /></span>`],
        ['B', html`<span class="code"><${Text} report=${report} text=${first.b || 'none'} /></span>`],
        first.cause && ['Cause', html`<${Text} report=${report} text=${first.cause} />`],
        first.where && ['Source', html`<${Place} text=${first.where} />`],
      ]} /></section>`;
  }

  // The numbers of NUMBERS first, in its order; without those that are zero in both.
  function ordered(numbers) {
    const keys = Object.keys(NUMBERS), rank = (n) => keys.includes(n.name) ? keys.indexOf(n.name) : keys.length;
    return numbers.filter((n) => n.a || n.b).sort((x, y) => rank(x) - rank(y));
  }

  // Twice as wide bars are twice as large numbers; A and B share a scale.
  function Numbers({numbers}) {
    const more = (n) => n.difference === 0 ? html`<span class="muted">equal</span>`
        : html`${numberText(n.name, Math.abs(n.difference))} ${n.difference > 0 ? 'more' : 'less'}`;
    return html`<section><h3>Numbers</h3><${Table} rows=${ordered(numbers)} empty="The programs have no numbers in common." columns=${[
      {head: 'Of one step', cell: (n) => numberName(n.name)},
      {head: 'A', number: true, cell: (n) => numberText(n.name, n.a)},
      {head: 'B', number: true, cell: (n) => html`<strong>${numberText(n.name, n.b)}</strong>`},
      {head: 'B has', number: true, cell: more},
      {head: 'B / A', number: true, cell: (n) => f.known(n.ratio) ? n.ratio.toFixed(3) : ''},
      {head: 'A over B', class: 'bar-column', cell: (n) => html`<${SW.Bar} part=${n.a} all=${Math.max(n.a, n.b)} look="fill-memory" />
        <${SW.Bar} part=${n.b} all=${Math.max(n.a, n.b)} look="fill-compute" />`},
    ]} /></section>`;
  }

  const Heading = ({title, count}) => html`<h3>${title} <span class="muted count">${f.count(count)}</span></h3>`;

  function Things({report, title, rows}) {
    if (!rows || !rows.length) return '';
    return html`<section><${Heading} title=${title} count=${rows.length} /><${SW.More} rows=${rows} first=${20} noun="rows" render=${(shown) => html`<${Table} rows=${shown} columns=${[
      {head: 'What', class: 'wrap', cell: (r) => html`<${Text} report=${report} text=${r.what} />`},
      {head: 'A', class: 'wrap', cell: (r) => html`<span class="code"><${Text} report=${report} text=${r.a} /></span>`},
      {head: 'B', class: 'wrap', cell: (r) => html`<span class="code"><${Text} report=${report} text=${r.b} /></span>`},
      {head: 'Source', cell: (r) => html`<${Place} text=${r.where} />`},
    ]} />`} /></section>`;
  }

  function Collectives({report, rows}) {
    if (!rows || !rows.length) return '';
    const axes = (r) => {
      const both = [r.axes_a, r.axes_b].filter((text) => text && text !== 'none');
      return [...new Set(both)].map((text, i) => html`${i ? html` <span class="muted">then</span> ` : ''}<${SW.Axes} report=${report} text=${text} />`);
    };
    const bytes = (n, there) => there ? html`<${Bytes} n=${n} />` : html`<span class="muted">–</span>`;
    return html`<section><${Heading} title="Collectives" count=${rows.length} /><${SW.More} rows=${rows} first=${20} noun="rows" render=${(shown) => html`<${Table} rows=${shown} columns=${[
      {head: '', cell: (r) => html`<span class=${`flag flag-${(CHANGES[r.change] || [])[1]}`}>${(CHANGES[r.change] || [r.change])[0]}</span>`},
      {head: 'Collective', cell: (r) => SW.kindText(r)},
      {head: 'Axes', cell: axes},
      {head: 'For', class: 'wrap', cell: (r) => html`<${Text} report=${report} text=${r.op} /><div class="note"><${Text} report=${report} text=${r.why} /></div>`},
      {head: 'A sends', number: true, cell: (r) => bytes(r.bytes_a, r.change !== 'came')},
      {head: 'B sends', number: true, cell: (r) => bytes(r.bytes_b, r.change !== 'went')},
    ]} />`} /></section>`;
  }

  function Diff({report}) {
    const diff = report.doc.diff;
    if (!diff) return html`<div class="page"><div class="empty-state"><p>There is no second program: give --against.</p></div></div>`;
    return html`<div class="page diff"><${Facts} rows=${[['A', html`<span class="code">${diff.a}</span>`], ['B', html`<span class="code">${diff.b}</span>`]]} />
      ${diff.equal ? html`<p>Nothing differs: shardings, collectives and numbers are equal.</p>` : diff.first && html`<${First} report=${report} first=${diff.first} />`}
      <${Numbers} numbers=${diff.numbers || []} />
      <${Things} report=${report} title="Annotations" rows=${diff.annotations} /><${Things} report=${report} title="Mesh, machine, options" rows=${diff.options} />
      <${Things} report=${report} title="Ops of one program only" rows=${diff.program} /><${Things} report=${report} title="Shardings" rows=${diff.shardings} />
      <${Collectives} report=${report} rows=${diff.collectives} /></div>`;
  }

  SW.Diff = Diff;
})();

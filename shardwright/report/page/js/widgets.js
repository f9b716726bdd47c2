//===- widgets.js - small components that all views use ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {h} = preact;
  const html = SW.html = htm.bind(h);
  const f = SW.format;

  // A link to a route. It changes the route itself, see router.js. Clicks for a
  // new window go to the browser.
  function Link({to, children, class: cls, title, ...rest}) {
    const click = (event) => {
      if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      SW.followed = true;
      SW.router.go(to);
    };
    return html`<a href=${to} class=${cls} title=${title} onClick=${click} ...${rest}>${children}</a>`;
  }

  const to = {
    value: (v) => SW.router.print('why', ['value', v]),
    collective: (i) => SW.router.print('why', ['collective', i]),
    op: (o) => SW.router.print('program', [], {op: o}),
    inProgram: (v) => SW.router.print('program', [], {v}),
    tensor: (v, params) => SW.router.print('tensor', [v], params),
    search: (q) => SW.router.print('program', [], {q}),
  };

  // What is shown where a number is not known; `how` says how to get it.
  function NotKnown({how}) {
    return html`<span class="not-known">not known${how ? html`: <span class="how">${how}</span>` : ''}</span>`;
  }
  const orUnknown = (text, how) => text === null || text === undefined ? html`<${NotKnown} how=${how} />` : text;

  const Bytes = ({n, how}) => n === null || n === undefined ? html`<${NotKnown} how=${how} />`
      : html`<span class="number" title=${`${f.count(n)} bytes`}>${f.bytes(n)}</span>`;
  const Seconds = ({x, how}) => html`<span class="number">${orUnknown(f.seconds(x), how)}</span>`;

  // An axis as its letter on its colour, with the name behind if `full`. Sub-axes
  // have their numbers: `x:(1)2`.
  function AxisTag({report, axis, full}) {
    const known = report.axisByName.get(axis.name);
    const part = axis.size && known && axis.size !== known.size ? `:(${axis.before})${axis.size}` : '';
    const look = known ? `axis-${known.index % 8}${known.index >= 8 ? ' more-axes' : ''}` : 'axis-none';
    const size = SW.sharding.sizeOf(report.mesh, axis);
    const title = `axis ${axis.name}${part}, ${size} ${size === 1 ? 'part' : 'parts'}`;
    return html`<span class=${`axis ${look}`} title=${title}><b aria-hidden=${full ? 'true' : undefined}
      aria-label=${full ? undefined : `axis ${axis.name}`}>${known ? known.letter : '?'}</b>${
      full ? html`<span class="axis-name">${axis.name}${part}</span>` : part && html`<small>${part}</small>`}</span>`;
  }

  // A type with the axes at its dimensions: `f32 8D × 16 × 64M`.
  function Shape({report, type, sharding, full}) {
    const parsed = SW.sharding.parseType(type);
    if (!parsed) return html`<span class="shape code">${type}</span>`;
    const dims = sharding ? sharding.dims : [];
    return html`<span class="shape code"><span class="element">${parsed.element}</span>${
      parsed.shape.map((size, d) => html`${d ? html`<span class="times">×</span>` : ' '}<span class="dim">${size}${
        (dims[d] ? dims[d].axes : []).map((axis) => html`<${AxisTag} report=${report} axis=${axis} full=${full} />`)}</span>`)}${
      parsed.shape.length ? '' : html`<span class="scalar"> scalar</span>`}${
      sharding && sharding.unreduced.length ? html`<span class="partial" title="partial sums along these axes"> Σ${
        sharding.unreduced.map((axis) => html`<${AxisTag} report=${report} axis=${axis} full=${full} />`)}</span>` : ''}</span>`;
  }
  const ValueShape = ({report, v, full}) => html`<${Shape} report=${report} full=${full}
      type=${report.text('values', 'type', v)} sharding=${report.sharding(v)} />`;

  // Text of the compiler, with links at the values that it names, and axes in
  // their colours.
  const NAMES = /(@[\w.$-]+:)?%[\w.$-]+(?:#\d+)?|"[^"\s]+"/g;
  function Rich({report, text, axesOnly}) {
    if (!text) return '';
    const out = [];
    let end = 0;
    for (const m of String(text).matchAll(NAMES)) {
      const word = m[0];
      let shown = null;
      if (word[0] === '"') {
        const axis = SW.sharding.parseAxes(word)[0];
        if (axis && report.axisByName.has(axis.name)) shown = html`<${AxisTag} report=${report} axis=${axis} full />`;
      } else if (!axesOnly) {
        const v = report.valueByName(word);
        if (v >= 0) shown = html`<${Link} to=${to.value(v)} class="code">${word}</${Link}>`;
      }
      if (!shown) continue;
      out.push(text.slice(end, m.index), shown);
      end = m.index + word.length;
    }
    out.push(String(text).slice(end));
    return html`<span class="rich">${out}</span>`;
  }

  // A sharding as text, with axes in their colours.
  function Sharding({report, text}) {
    if (!text) return html`<span class="muted">no sharding: every device has all of it</span>`;
    return html`<span class="code sharding"><${Rich} report=${report} text=${text} /></span>`;
  }

  function ValueLink({report, v, label}) {
    if (!(v >= 0 && v < report.valueCount)) return label || '';
    return html`<${Link} to=${to.value(v)} class="code value-link">${label || report.valueLabel(v)}</${Link}>`;
  }

  const FLAG_TEXTS = {
    replicated: ['replicated', 'Every device holds all of it.'],
    conflicted: ['conflict', 'Propagation of an axis stopped at this value.'],
    annotated: ['annotated', 'The user gave this sharding.'],
    removed: ['removed', 'The final program has no such value: it was simplified away or became part of another op.'],
    gathered: ['gathered', 'It is stored in shards, and made full-size where it is used.'],
    result: ['result', 'A result of the program, as it is returned.'],
  };
  const Flags = ({report, v}) => report.marks(v).map((name) => html`<span
      class=${`flag flag-${name}`} title=${FLAG_TEXTS[name][1]}>${FLAG_TEXTS[name][0]}</span>`);

  // A bar of the share `part` of `all`, with its text beside it.
  const Bar = ({part, all, look}) => html`<span class="bar" aria-hidden="true"><span
      class=${look || ''} style=${{width: `${all > 0 ? Math.max(0.5, 100 * Math.min(1, part / all)) : 0}%`}}></span></span>`;

  // A table; columns are {head, number, cell(row, index)}.
  function Table({columns, rows, caption, empty}) {
    if (!rows.length) return html`<p class="empty">${empty || 'None.'}</p>`;
    return html`<div class="table-box"><table>${caption ? html`<caption>${caption}</caption>` : ''}
      <thead><tr>${columns.map((c) => html`<th scope="col" class=${c.number ? 'right' : ''}>${c.head}</th>`)}</tr></thead>
      <tbody>${rows.map((row, i) => html`<tr>${columns.map((c) =>
        html`<td class=${`${c.number ? 'right number' : ''} ${c.class || ''}`}>${c.cell(row, i)}</td>`)}</tr>`)}</tbody>
    </table></div>`;
  }

  // A list that shows its first rows, and the others on demand.
  function More({rows, first, render, noun}) {
    const [all, setAll] = preactHooks.useState(false);
    const hidden = rows.length - first;
    return html`${render(all || hidden <= 0 ? rows : rows.slice(0, first))}${hidden > 0 && html`<button
      class="plain more" aria-expanded=${all} onClick=${() => setAll(!all)}>${
      all ? 'Show fewer' : `Show all ${f.count(rows.length)} ${noun}`}</button>`}`;
  }

  function Place({report, stack}) {
    const text = report.place(stack);
    return text ? html`<span class="place code" title=${text}>${report.place(stack, true)}</span>` : '';
  }

  Object.assign(SW, {Link, to, NotKnown, orUnknown, Bytes, Seconds, AxisTag, Shape, ValueShape, Rich, Sharding,
                     ValueLink, Flags, FLAG_TEXTS, Bar, Table, More, Place});
})();

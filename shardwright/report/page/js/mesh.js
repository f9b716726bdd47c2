//===- mesh.js - the drawing of a mesh ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html} = SW;
  const SHOWN = 8;      // positions of an axis that are drawn; the rest is `…`
  const MAX_CELLS = 512;

  // Lays the axes out from the last to the first: columns, rows, columns of
  // blocks, rows of blocks and so on. Returns [{x, y, position}] and the size.
  function layout(axes) {
    const count = axes.reduce((n, a) => Math.min(n * Math.min(a.size, SHOWN), MAX_CELLS), 1);
    const cell = count <= 64 ? 34 : count <= 128 ? 28 : 14;
    let box = {width: cell, height: cell, cells: [{x: 0, y: 0, position: 0}]}, stride = 1, labels = [];
    for (let k = axes.length - 1, level = 0; k >= 0; --k, ++level) {
      const axis = axes[k], across = level % 2 === 0;
      const budget = Math.max(1, Math.floor(MAX_CELLS / box.cells.length));
      const shown = Math.min(axis.size, SHOWN, budget), gap = level < 2 ? 3 : cell / 4 + 4 * level;
      const cut = shown < axis.size;
      const step = (across ? box.width : box.height) + gap;
      const cells = [];
      for (let i = 0; i < shown; ++i)
        for (const c of box.cells)
          cells.push({x: c.x + (across ? i * step : 0), y: c.y + (across ? 0 : i * step),
                      position: c.position + i * stride});
      const length = shown * step - gap + (cut ? 20 : 0);
      labels.push({axis, across, length, cut, end: shown * step - gap});
      box = {width: across ? length : box.width, height: across ? box.height : length, cells};
      stride *= axis.size;
    }
    return Object.assign(box, {labels, cell});
  }

  const look = (axis) => `axis-${axis.index % 8}`;

  // The mesh as a grid of devices with its axes named at the sides. The k-th
  // axis across is drawn above the grid, outer axes further out.
  function MeshGrid({report}) {
    const axes = report.axes;
    if (!axes.length)
      return html`<div class="mesh-empty"><span class="device" aria-hidden="true">0</span>
        <p>One device. The module names no mesh axes.</p></div>`;
    const box = layout(axes);
    const above = box.labels.filter((l) => l.across), left = box.labels.filter((l) => !l.across);
    const longest = (list) => Math.max(0, ...list.map((l) => label(l).length * 7.6 + 26));
    const top = 8 + 26 * above.length, start = 12 + 26 * left.length;
    const width = Math.max(start + box.width + 8, start + longest(above)), height = Math.max(top + box.height + 8, top + longest(left));
    const ids = report.mesh.device_ids, CELL = box.cell;
    const name = `Mesh of ${report.mesh.devices} devices: ${axes.map((a) => `${a.name} ${a.size}`).join(', ')}`;
    return html`<div class="mesh-box" tabindex="0" role="region" aria-label="Mesh"><svg class="mesh" role="img" aria-label=${name} width=${width} height=${height}
        viewBox=${`0 0 ${width} ${height}`}>
      ${above.map((l, i) => html`<${AxisLine} l=${l} x=${start} y=${top - 12 - 26 * i} />`)}
      ${left.map((l, i) => html`<${AxisLine} l=${l} x=${start - 12 - 26 * i} y=${top} />`)}
      ${box.cells.map((c) => html`<g transform=${`translate(${start + c.x} ${top + c.y})`}>
        <rect class="device" width=${CELL} height=${CELL} rx=${CELL / 7}>
          <title>${`device ${ids ? ids[c.position] : c.position}`}</title></rect>
        ${CELL > 20 && html`<text class="device-id" x=${CELL / 2} y=${CELL / 2 + 4}>${ids ? ids[c.position] : c.position}</text>`}</g>`)}
      ${box.labels.filter((l) => l.cut).map((l) => html`<text class="cut"
        x=${l.across ? start + l.end + 4 : start + CELL / 2 - 5} y=${l.across ? top + CELL / 2 + 4 : top + l.end + 14}>…</text>`)}
    </svg></div>`;
  }

  const label = ({axis}) => `${axis.name} = ${axis.size}`;

  // A line along the axis with a plate at its start. Down the left side the text
  // reads from the top to the bottom.
  function AxisLine({l, x, y}) {
    return html`<g class=${`axis-line ${look(l.axis)}`} transform=${`translate(${x} ${y}) rotate(${l.across ? 0 : 90})`}>
      <line x1="0" x2=${l.length} y1="0" y2="0" />
      <rect class="plate" x="0" y="-9" height="18" rx="4" width=${label(l).length * 7.6 + 26} />
      <rect class="letter-box" x="0" y="-9" width="18" height="18" rx=${l.axis.index < 8 ? 4 : 9} /><text class="letter" x="9" y="4">${l.axis.letter}</text>
      <text class="axis-label" x="23" y="4">${label(l)}</text></g>`;
  }

  SW.MeshGrid = MeshGrid;
})();

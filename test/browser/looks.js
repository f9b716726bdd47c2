//===- looks.js - what can be wrong with how a page looks ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Returns {overlapping, clipped, faint, wide}: lists of texts that cover each
// other, that are cut off without a sign of it, and that have too little
// contrast; and whether the page is wider than the window. Run by looks.py.
(() => {
  const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  function rgba(colour) {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = '#000';
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  }
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => {
      const v = c / 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };

  // The colour behind a text: of shapes under it in a drawing, else of its ancestors.
  function behind(element, box) {
    if (element.namespaceURI.endsWith('svg'))
      for (const under of document.elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2)) {
        if (!under.namespaceURI.endsWith('svg') || under === element || under.tagName === 'text') continue;
        const fill = getComputedStyle(under).fill;
        if (under.tagName !== 'svg' && under.tagName !== 'g' && fill !== 'none' && !fill.startsWith('url') && rgba(fill)[3] > 250) return rgba(fill);
      }
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return [255, 255, 255, 255];
  }

  // The part of a box that its ancestors show, and the ancestor that cuts it.
  function visible(element, box) {
    let {left, top, right, bottom} = box, cutter = null;
    for (let e = element; e && e !== document.documentElement; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.visibility === 'hidden' || style.display === 'none' || style.clipPath !== 'none') return null;
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const frame = e.getBoundingClientRect();
      if (frame.left > left + 1 || frame.right < right - 1) cutter = e;
      left = Math.max(left, frame.left);
      right = Math.min(right, frame.right);
      top = Math.max(top, frame.top);
      bottom = Math.min(bottom, frame.bottom);
    }
    left = Math.max(left, 0);
    top = Math.max(top, 0);
    right = Math.min(right, innerWidth);
    bottom = Math.min(bottom, innerHeight);
    return right - left < 2 || bottom - top < 2 ? null : {left, top, right, bottom, cutter};
  }

  const texts = [], result = {overlapping: [], clipped: [], faint: [], wide: false, texts: 0};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim(), element = node.parentElement;
    if (!text || /^(SCRIPT|STYLE|NOSCRIPT|OPTION|TITLE)$/i.test(element.tagName) || element.closest('[inert], title')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const part = visible(element, box);
      if (!part) continue;
      const top = document.elementFromPoint((part.left + part.right) / 2, (part.top + part.bottom) / 2);
      // Something lies over it (the head of the tree over rows, a dialog).
      const drawing = element.closest('svg');
      if (top && !(drawing && top.closest('svg') === drawing) && top !== element && !top.contains(element) && !element.contains(top)) continue;
      texts.push({node, text, element, part, box});
    }
  }
  result.texts = texts.length;

  const name = ({text, element}) => `"${text.slice(0, 50)}" (${element.tagName.toLowerCase()}.${element.getAttribute('class') || ''})`;
  texts.sort((a, b) => a.part.top - b.part.top);
  for (let i = 0; i < texts.length; ++i)
    for (let j = i + 1; j < texts.length && texts[j].part.top < texts[i].part.bottom - 3; ++j) {
      if (texts[i].node === texts[j].node) continue;  // a text with an ellipsis has two boxes
      const a = texts[i].part, b = texts[j].part;
      const w = Math.min(a.right, b.right) - Math.max(a.left, b.left), h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (w > 2 && h > 4) result.overlapping.push(`${name(texts[i])} and ${name(texts[j])}: ${Math.round(w)} x ${Math.round(h)}`);
    }

  for (const t of texts) {
    const {element, part, box} = t, {cutter} = part;
    if (cutter) {
      // An ellipsis is a sign if the whole text can be had: as a title, or in the details of the row.
      const style = getComputedStyle(cutter), ellipsis = style.textOverflow === 'ellipsis' || element.closest('.row');
      const whole = element.closest('[title]') || cutter.querySelector('[title]') || element.closest('.row');
      if (!(ellipsis && whole)) result.clipped.push(`${name(t)} by ${cutter.tagName.toLowerCase()}.${cutter.getAttribute('class') || ''}`);
    } else if (box.right > innerWidth + 1 || box.left < -1)
      result.clipped.push(`${name(t)} by the window`);
    const svg = element.closest('svg');
    if (svg) {
      const frame = svg.getBoundingClientRect();
      if (box.right > frame.right + 2 || box.left < frame.left - 2 || box.bottom > frame.bottom + 2 || box.top < frame.top - 4)
        result.clipped.push(`${name(t)} by its drawing`);
    }
    const style = getComputedStyle(element), ink = rgba(svg ? style.fill : style.color), size = parseFloat(style.fontSize);
    const need = size >= 24 || size >= 18.6 && +style.fontWeight >= 600 ? 3 : 4.5;
    const found = contrast(ink, behind(element, box));
    if (found < need && !element.closest(':disabled')) result.faint.push(`${name(t)}: ${found.toFixed(2)}`);
  }
  const main = document.querySelector('main');
  result.wide = document.documentElement.scrollWidth > innerWidth + 1 || main !== null && main.scrollWidth > main.clientWidth + 1;
  for (const key of ['overlapping', 'clipped', 'faint']) result[key] = [...new Set(result[key])];
  return result;
})()

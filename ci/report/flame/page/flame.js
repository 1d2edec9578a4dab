'use strict';
// Draws the frames of the JSON in #data (ci/report/flame/flame_html.cpp writes it). What is shown is kept in the address:
// #zoom=FRAME&search=REGEX&side=baseline&at=FRAME, frames by their place in the file.
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId('data').textContent);
  const [baseline, candidate] = data.sides;
  const stride = baseline ? 5 : 4;
  const count = data.frames.length / stride;
  const rowHeight = 20;
  const leastPixels = 0.5;
  const fewestForText = 28;
  const fewestForOutline = 6;

  // By frame: parents before children.
  const depth = new Int32Array(count);
  const of = new Int32Array(count);  // function; -1: all, -2: (other)
  const parent = new Int32Array(count);
  const end = new Int32Array(count);  // one past its subtree
  const tone = new Array(count);
  const cost = [new Float64Array(count), new Float64Array(count)];  // an iteration, by side
  const framesOf = new Int32Array(data.functions.length);
  const path = [];
  for (let i = 0; i < count; ++i) {
    const at = i * stride;
    depth[i] = data.frames[at];
    of[i] = data.frames[at + 1];
    tone[i] = data.tones[data.frames[at + 2]];
    cost[1][i] = data.frames[at + 3] / candidate.iterations;
    if (baseline) cost[0][i] = data.frames[at + 4] / baseline.iterations;
    while (path.length > depth[i]) end[path.pop()] = i;
    parent[i] = path.length > 0 ? path[path.length - 1] : 0;
    path.push(i);
    if (of[i] >= 0) ++framesOf[of[i]];
  }
  while (path.length > 0) end[path.pop()] = count;

  const nameOf = (i) => (of[i] >= 0 ? data.functions[of[i]].name : of[i] === -1 ? '(all)' : '(other)');
  const labelOf = (i) => (of[i] >= 0 ? data.functions[of[i]].short || nameOf(i) : nameOf(i));

  const state = {zoom: 0, at: 0, search: '', side: 1};
  let left = [];    // of each frame, in cost
  let drawn = [];   // frames on the screen, by row then place
  let matches = new Uint8Array(data.functions.length);

  // Numbers.
  const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
  const fine = new Intl.NumberFormat('en', {maximumFractionDigits: 2});
  const number = (value) => (Math.abs(value) >= 1000 ? whole : fine).format(value);
  const percent = (part) => {
    const value = Math.abs(part * 100);
    if (value > 0 && value < 0.01) return '<0.01 %';
    const digits = value >= 10 || value === 0 ? 1 : 2;
    return value.toFixed(digits) + ' %';
  };
  const signed = (value, text) => (value > 0 ? '+' : value < 0 ? '\u2212' : '') + text;
  const relative = (from, to) => {
    if (from === to) return 'unchanged';
    if (from === 0) return 'only in the candidate';
    if (to === 0) return 'only in the baseline';
    return signed(to - from, percent(to / from - 1));
  };
  const mark = (from, to) => (from === 0 ? 'new' : to === 0 ? 'gone' : relative(from, to));
  const isChanged = (i) => tone[i].startsWith('grew') || tone[i].startsWith('shrank');

  const layOut = () => {
    const value = cost[state.side];
    left = new Float64Array(count);
    const next = new Float64Array(count);
    for (let i = 1; i < count; ++i) {
      left[i] = next[i] = next[parent[i]];
      next[parent[i]] += value[i];
    }
  };

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const frameElement = (i, start, width, pixels, isAbove) => {
    const box = element('div', 'frame ' + tone[i]);
    box.classList.toggle('above', isAbove);
    box.classList.toggle('narrow', pixels < fewestForText);
    box.classList.toggle('sliver', pixels < fewestForOutline);
    box.classList.toggle('match', of[i] >= 0 && matches[of[i]] === 1);
    box.style.left = (start * 100).toFixed(4) + '%';
    box.style.width = (width * 100).toFixed(4) + '%';
    box.style.top = depth[i] * rowHeight + 'px';
    box.dataset.frame = i;
    box.tabIndex = i === state.at ? 0 : -1;
    box.setAttribute('role', 'treeitem');
    box.setAttribute('aria-level', depth[i] + 1);
    box.setAttribute('aria-selected', i === state.zoom);
    box.setAttribute('aria-describedby', 'tip');
    const total = cost[state.side][0];
    let spoken = `${labelOf(i)}, ${percent(total > 0 ? cost[state.side][i] / total : 0)} of all`;
    if (baseline && isChanged(i)) spoken += ', ' + relative(cost[0][i], cost[1][i]);
    box.setAttribute('aria-label', spoken);
    if (pixels >= fewestForText) {
      box.textContent = labelOf(i) + (baseline && isChanged(i) ? '  ' + mark(cost[0][i], cost[1][i]) : '');
    }
    return box;
  };

  // Only what is at least half a pixel wide is made; nothing below a frame is wider than it.
  const render = () => {
    const chart = byId('chart');
    const hadFocus = chart.contains(document.activeElement);
    const value = cost[state.side];
    while (state.zoom > 0 && !(value[state.zoom] > 0)) state.zoom = parent[state.zoom];
    const from = left[state.zoom];
    const span = value[state.zoom];
    const pixels = span > 0 ? chart.clientWidth / span : 0;
    const made = document.createDocumentFragment();
    drawn = [];
    let deepest = 0;
    for (let i = 0; i < count;) {
      const isAbove = i < state.zoom && end[i] > state.zoom;
      const isOutside = !isAbove && (i < state.zoom || i >= end[state.zoom]);
      if (i > 0 && (isOutside || value[i] * pixels < leastPixels)) {
        i = end[i];
        continue;
      }
      const start = isAbove || span === 0 ? 0 : (left[i] - from) / span;
      const width = isAbove || span === 0 ? 1 : value[i] / span;
      drawn.push({frame: i, start});
      made.append(frameElement(i, start, width, width * chart.clientWidth, isAbove));
      deepest = Math.max(deepest, depth[i]);
      ++i;
    }
    if (!drawn.some((one) => one.frame === state.at)) {
      state.at = state.zoom;
      for (const box of made.children) {
        if (Number(box.dataset.frame) === state.at) box.tabIndex = 0;
      }
    }
    chart.replaceChildren(made);
    chart.style.height = (deepest + 1) * rowHeight + 'px';
    chart.classList.toggle('searching', state.search !== '');
    byId('reset').disabled = state.zoom === 0;
    if (hadFocus) boxOf(state.at).focus({preventScroll: true});
  };
  const boxOf = (i) => byId('chart').querySelector(`[data-frame="${i}"]`);

  // Frames below a match are in its width already.
  const applySearch = () => {
    const field = byId('search');
    matches = new Uint8Array(data.functions.length);
    let expression = null;
    field.removeAttribute('aria-invalid');
    try {
      if (state.search !== '') expression = new RegExp(state.search, 'i');
    } catch {
      field.setAttribute('aria-invalid', 'true');
      byId('matched').textContent = 'not a regular expression';
      return;
    }
    if (!expression) {
      byId('matched').textContent = '';
      return;
    }
    // The names as they are drawn; where none matches, whole ones with their arguments.
    for (const names of [(one) => [one.short || one.name, one.was], (one) => [one.name]]) {
      const isMatch = (one) => names(one).some((name) => name && expression.test(name));
      data.functions.forEach((one, k) => { matches[k] = isMatch(one) ? 1 : 0; });
      if (matches.includes(1)) break;
    }
    const value = cost[state.side];
    let share = 0;
    for (let i = 0; i < count;) {
      const isMatch = of[i] >= 0 && matches[of[i]] === 1;
      if (isMatch) share += value[i];
      i = isMatch ? end[i] : i + 1;
    }
    const functions = matches.reduce((sum, one) => sum + one, 0);
    byId('matched').textContent = `${functions} function${functions === 1 ? '' : 's'}, ` +
      `${percent(value[0] > 0 ? share / value[0] : 0)} of ${data.event}`;
  };

  const costRow = (title, from, to) => {
    const row = element('tr');
    row.append(element('td', '', title), element('td', '', number(to)));
    if (baseline) {
      const change = to - from;
      row.append(element('td', '', number(from)));
      row.append(element('td', '', change === 0 ? '0' : signed(change, number(Math.abs(change)))));
      row.append(element('td', '', from === to ? '' : from === 0 || to === 0 ? '' : relative(from, to)));
    }
    return row;
  };
  // Of both sides; key: 0 self, 1 inclusive, 2 calls.
  const functionCosts = (one, key) =>
    data.sides.map((side, s) => (side && one.costs[s] ? one.costs[s][key] / side.iterations : 0));
  const costsOf = (i, key) => functionCosts(data.functions[of[i]], key);
  const showTip = (i, x, y) => {
    const tip = byId('tip');
    tip.replaceChildren(element('b', '', nameOf(i)));
    if (of[i] >= 0 && data.functions[of[i]].place) tip.append(element('p', 'dim', data.functions[of[i]].place));
    if (of[i] >= 0 && data.functions[of[i]].was) {
      tip.append(element('p', 'dim', 'in the baseline: ' + data.functions[of[i]].was));
    }
    const table = element('table');
    const head = element('tr');
    for (const title of baseline ? ['', 'candidate', 'baseline', 'change', ''] : ['', data.event]) {
      head.append(element('th', '', title));
    }
    table.append(head, costRow('this frame', cost[0][i], cost[1][i]));
    if (of[i] >= 0) {
      table.append(costRow('function, self', ...costsOf(i, 0)), costRow('function, inclusive', ...costsOf(i, 1)),
        costRow('calls', ...costsOf(i, 2)));
    }
    tip.append(table);
    const total = cost[state.side][0];
    const words = [`${percent(total > 0 ? cost[state.side][i] / total : 0)} of all`];
    if (of[i] === -2) words.push('what is too small to be drawn here, added up');
    if (of[i] >= 0 && framesOf[of[i]] > 1) {
      words.push(`one of ${framesOf[of[i]]} places: its part of the function is an estimate by calls' cost`);
    }
    tip.append(element('p', 'dim', words.join('; ')));
    tip.hidden = false;
    const room = 12;
    tip.style.left = Math.max(8, Math.min(x + room, innerWidth - tip.offsetWidth - 8)) + 'px';
    const below = y + room + tip.offsetHeight < innerHeight;
    tip.style.top = Math.max(8, below ? y + room : y - room - tip.offsetHeight) + 'px';
  };
  let tipIsAtBox = false;
  const hideTip = () => { byId('tip').hidden = true; };
  const showTipAtBox = (i) => {
    const box = boxOf(i);
    if (!box) return;
    const place = box.getBoundingClientRect();
    showTip(i, Math.max(place.left, 0), place.bottom - 6);
    tipIsAtBox = true;
  };

  const remember = () => {
    const parts = [];
    if (state.zoom > 0) parts.push('zoom=' + state.zoom);
    if (state.search !== '') parts.push('search=' + encodeURIComponent(state.search));
    if (baseline && state.side === 0) parts.push('side=baseline');
    if (state.at > 0 && state.at !== state.zoom) parts.push('at=' + state.at);
    const address = location.pathname + location.search + (parts.length > 0 ? '#' + parts.join('&') : '');
    try {
      history.replaceState(null, '', address);
    } catch {
      // A page without an address of its own (a sandboxed frame) shows the same, unremembered.
    }
  };
  const recall = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    const frame = (key) => {
      const i = Number(asked.get(key));
      return Number.isInteger(i) && i > 0 && i < count ? i : 0;
    };
    state.zoom = frame('zoom');
    state.at = frame('at') || state.zoom;
    state.search = asked.get('search') || '';
    state.side = baseline && asked.get('side') === 'baseline' ? 0 : 1;
    byId('search').value = state.search;
    for (const radio of document.getElementsByName('side')) {
      radio.checked = radio.value === (state.side === 0 ? 'baseline' : 'candidate');
    }
    layOut();
    applySearch();
    render();
    if (asked.has('at')) showTipAtBox(state.at);
  };

  const zoomTo = (i) => {
    state.zoom = i;
    state.at = i;
    hideTip();
    render();
    remember();
  };
  const walkTo = (i) => {
    if (i === undefined) return;
    const before = boxOf(state.at);
    if (before) before.tabIndex = -1;
    state.at = i;
    const box = boxOf(i);
    box.tabIndex = 0;
    box.focus();
    remember();
  };
  // The neighbour on the same row, by where it starts.
  const beside = (step) => {
    const row = drawn.filter((one) => depth[one.frame] === depth[state.at]).sort((a, b) => a.start - b.start);
    const at = row.findIndex((one) => one.frame === state.at) + step;
    return row[at] && row[at].frame;
  };
  const firstBelow = () => {
    const child = drawn.find((one) => one.frame > 0 && parent[one.frame] === state.at);
    return child && child.frame;
  };

  const chart = byId('chart');
  const frameAt = (event) => {
    const box = event.target.closest('.frame');
    return box ? Number(box.dataset.frame) : -1;
  };
  chart.addEventListener('click', (event) => {
    const i = frameAt(event);
    if (i < 0) return;
    zoomTo(i);
    boxOf(state.at).focus({preventScroll: true});
    hideTip();
  });
  chart.addEventListener('mousemove', (event) => {
    const i = frameAt(event);
    tipIsAtBox = false;
    if (i >= 0) showTip(i, event.clientX, event.clientY);
    else hideTip();
  });
  chart.addEventListener('mouseleave', hideTip);
  chart.addEventListener('focusin', (event) => {
    const i = frameAt(event);
    if (i < 0) return;
    state.at = i;
    showTipAtBox(i);
  });
  chart.addEventListener('focusout', hideTip);
  chart.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = {
      ArrowDown: firstBelow,
      ArrowUp: () => (state.at > 0 ? parent[state.at] : undefined),
      ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1),
      Home: () => 0,
    };
    if (moves[event.key]) walkTo(moves[event.key]());
    else if (event.key === 'Enter' || event.key === ' ') zoomTo(state.at);
    else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const inField = event.target === byId('search');
    if (event.key === '/' && !inField) {
      event.preventDefault();
      byId('search').focus();
    } else if (event.key === 'Escape') {
      if (inField && state.search !== '') {
        event.preventDefault();
        byId('search').value = '';
        byId('search').dispatchEvent(new Event('input'));
      } else if (!byId('tip').hidden && state.zoom === 0) {
        hideTip();
      } else {
        zoomTo(0);
      }
    }
  });
  byId('search').addEventListener('input', () => {
    state.search = byId('search').value;
    applySearch();
    render();
    remember();
  });
  byId('bar').addEventListener('submit', (event) => event.preventDefault());
  byId('reset').addEventListener('click', () => zoomTo(0));
  for (const radio of document.getElementsByName('side')) {
    radio.addEventListener('change', () => {
      state.side = radio.value === 'baseline' ? 0 : 1;
      layOut();
      applySearch();
      render();
      remember();
    });
  }
  addEventListener('resize', render);
  addEventListener('hashchange', recall);
  // A key that walks out of sight scrolls: its tooltip goes along. What the mouse pointed at is elsewhere now.
  addEventListener('scroll', () => {
    if (byId('tip').hidden) return;
    if (tipIsAtBox) showTipAtBox(state.at);
    else hideTip();
  }, {passive: true});

  // What stands around the picture.
  const perIteration = data.sides.some((side) => side && side.iterations > 1) ? ' an iteration' : '';
  const describe = () => {
    const totals = data.sides.map((side) => (side ? side.total / side.iterations : 0));
    let text = `${number(totals[1])} ${data.event}${perIteration}`;
    if (baseline) {
      text = `${data.event}${perIteration}: ${number(totals[0])} in the baseline (${baseline.name}), ` +
        `${number(totals[1])} in the candidate (${candidate.name}): ${relative(...totals)}`;
    }
    byId('totals').textContent = text;
    const notes = ['Where a function has several callers its cost is split in proportion to what their calls cost; ' +
      'the costs of whole functions are exact.'];
    data.sides.forEach((side) => {
      if (side && side.negative !== 0) {
        notes.push('Functions that cost less in more iterations are not drawn: ' +
          `${number(side.negative)} ${data.event} in ${whole.format(side.iterations)} iterations of ${side.name}.`);
      }
    });
    byId('notes').textContent = notes.join(' ');
  };
  const legendItem = (classes, text) => {
    const item = element('span');
    const swatch = element('span', 'swatch');
    for (const name of classes) swatch.append(element('i', name));
    item.append(swatch, text);
    return item;
  };
  const drawLegend = () => {
    const shades = (name, ...numbers) => numbers.map((k) => name + k);
    byId('legend').append(...(baseline
      ? [legendItem(shades('shrank-', 5, 4, 3, 2, 1), '\u2212 shrank'), legendItem(['plain'], 'unchanged'),
        legendItem(shades('grew-', 1, 2, 3, 4, 5), '+ grew: below 1 %, 5 %, 20 %, more, new')]
      : [legendItem(shades('own-', 0, 1, 2), 'the program'), legendItem(shades('lib-', 0, 1, 2), 'libraries')]));
    byId('sides').hidden = !baseline;
  };
  const fillTable = () => {
    const most = 200;
    const rows = data.functions.map((one) => {
      const [self, inclusive, calls] = [0, 1, 2].map((key) => functionCosts(one, key));
      return {one, self, inclusive, calls, weight: baseline ? Math.abs(self[1] - self[0]) : self[1]};
    }).sort((a, b) => b.weight - a.weight || b.inclusive[1] - a.inclusive[1]).slice(0, most);
    const table = element('table');
    const head = element('tr');
    const titles = baseline
      ? ['function', 'self', 'self, change', 'inclusive', 'inclusive, change', 'calls', 'calls, change', 'where']
      : ['function', 'self', 'inclusive', 'calls', 'where'];
    for (const title of titles) head.append(element('th', '', title));
    table.append(head);
    for (const row of rows) {
      const line = element('tr');
      const name = element('td', 'name', row.one.short || row.one.name);
      name.title = row.one.name;
      line.append(name);
      for (const pair of [row.self, row.inclusive, row.calls]) {
        line.append(element('td', '', number(pair[1])));
        const change = pair[1] - pair[0];
        if (baseline) line.append(element('td', '', change === 0 ? '0' : signed(change, number(Math.abs(change)))));
      }
      const place = element('td', 'place', row.one.place.split(', ')[0].split('/').pop());
      place.title = row.one.place;
      line.append(place);
      table.append(line);
    }
    byId('functions').append(table);
    if (data.functions.length > most) {
      byId('functions').append(element('p', 'dim', `and ${data.functions.length - most} more`));
    }
  };
  byId('list').addEventListener('toggle', fillTable, {once: true});

  describe();
  drawLegend();
  recall();
  document.body.dataset.ready = 'true';
})();

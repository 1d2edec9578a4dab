'use strict';
// The timeline: a canvas that draws what is in view, at most one event a pixel and row, whatever their number. Tables
// that sort and filter. What is in view and searched for is kept in the address: #from=NS&to=NS&find=TEXT.
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId('data').textContent);
  const column = (text, Type) => {
    const bytes = atob(text);
    const array = new Uint8Array(bytes.length);
    for (let i = 0; i < bytes.length; ++i) array[i] = bytes.charCodeAt(i);
    return new Type(array.buffer);
  };
  const begin = column(data.begin, Float64Array);
  const duration = column(data.duration, Float32Array);
  const nameOf = column(data.name, Uint32Array);
  const shapesOf = column(data.shapes, Uint32Array);
  const kindOf = column(data.kind, Uint8Array);
  const depthOf = column(data.depth, Uint8Array);

  // Rows: the events of a track that lie in equally many others, so that none overlaps another.
  const rowHeight = 17;
  const rows = [];
  let height = 0;
  for (const track of data.tracks) {
    const counts = [];
    const end = track.first + track.count;
    for (let i = track.first; i < end; ++i) counts[depthOf[i]] = (counts[depthOf[i]] || 0) + 1;
    const lists = counts.map((count) => new Uint32Array(count || 0));
    const filled = counts.map(() => 0);
    for (let i = track.first; i < end; ++i) lists[depthOf[i]][filled[depthOf[i]]++] = i;
    track.top = height;
    height += 20;
    lists.forEach((events) => {
      rows.push({events, top: height, track});
      height += rowHeight;
    });
    height += 8;
  }

  const scale = [['s', 1e9], ['ms', 1e6], ['us', 1e3]];
  const time = (ns) => {
    const [unit, size] = scale.find(([, s]) => Math.abs(ns) >= s) || ['ns', 1];
    return `${Number((ns / size).toPrecision(4))} ${unit}`;
  };

  const box = byId('tracks');
  const canvas = box && box.querySelector('canvas');
  if (canvas) timeline();
  tables();
  rates();
  document.body.dataset.ready = 'true';

  function timeline() {
    const context = canvas.getContext('2d');
    const shownHeight = Math.min(Math.max(height + 24, 120), 560);
    box.style.height = `${shownHeight + 2}px`;
    canvas.style.height = `${shownHeight}px`;
    box.lastElementChild.style.height = `${Math.max(height + 24 - shownHeight, 0)}px`;
    const whole = Math.max(data.end, 1);
    const view = {from: 0, to: whole};
    canvas.dataset.from = '0';
    canvas.dataset.to = String(whole);
    let chosen = -1;
    let matches = null;  // by name; null: nothing is searched for
    let shades = [];
    let colors = {};
    const readColors = () => {
      const style = getComputedStyle(document.documentElement);
      const of = (name) => style.getPropertyValue(name).trim();
      colors = {ink: of('--ink'), dim: of('--dim'), line: of('--line'), ring: of('--ring')};
      shades = data.kinds.map((kind) => [0, 1, 2].map((i) => of(`--${kind.device ? 'lib' : 'own'}-${i}`)));
    };

    // The first event of the row that ends behind `at`.
    const firstBehind = (events, at, low = 0) => {
      let high = events.length;
      // From a known place the next pixel is near.
      for (let step = 1; low > 0 && low + step < high; step *= 2) {
        const event = events[low + step];
        if (begin[event] + duration[event] > at) high = low + step;
      }
      while (low < high) {
        const middle = (low + high) >> 1;
        const event = events[middle];
        if (begin[event] + duration[event] > at) high = middle;
        else low = middle + 1;
      }
      return low;
    };

    let frame = 0;
    const ask = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(draw);
    };
    function draw() {
      const ratio = window.devicePixelRatio || 1;
      const width = canvas.clientWidth;
      const tall = canvas.clientHeight;
      if (canvas.width !== Math.round(width * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(tall * ratio);
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, tall);
      context.font = '12px ui-monospace, "DejaVu Sans Mono", monospace';
      context.textBaseline = 'middle';
      const perNs = width / (view.to - view.from);
      const above = box.scrollTop;
      for (const row of rows) {
        const y = row.top - above;
        if (y < -rowHeight || y > tall) continue;
        const events = row.events;
        let i = firstBehind(events, view.from);
        const thin = {left: 0, right: 0, color: '', alpha: 1};  // of one colour, side by side
        const paintThin = () => {
          if (thin.right <= thin.left) return;
          context.globalAlpha = thin.alpha;
          context.fillStyle = thin.color;
          context.fillRect(thin.left, y, thin.right - thin.left, rowHeight - 1);
          thin.right = thin.left;
        };
        while (i < events.length && begin[events[i]] < view.to) {
          const event = events[i];
          const x = (begin[event] - view.from) * perNs;
          const wide = duration[event] * perNs;
          const alpha = matches && !matches[nameOf[event]] ? 0.2 : 1;
          const color = event === chosen ? colors.ring : shades[kindOf[event]][nameOf[event] % 3];
          if (wide < 1) {
            const pixel = Math.floor(x);
            if (pixel !== thin.right || color !== thin.color || alpha !== thin.alpha) {
              paintThin();
              Object.assign(thin, {left: pixel, color, alpha});
            }
            thin.right = pixel + 1;
            i = Math.max(i + 1, firstBehind(events, view.from + (pixel + 1) / perNs, i));
            continue;
          }
          context.globalAlpha = alpha;
          context.fillStyle = color;
          const left = Math.max(x, 0);
          const shown = Math.min(x + wide, width) - left;
          context.fillRect(left, y, Math.max(shown - 0.5, 0.5), rowHeight - 1);
          if (shown > 24) {
            context.fillStyle = colors.ink;
            const letters = Math.floor((shown - 6) / 7.25);
            const name = data.names[nameOf[event]];
            context.fillText(name.length > letters ? name.slice(0, Math.max(letters - 1, 0)) + '…' : name, left + 3,
              y + rowHeight / 2);
          }
          ++i;
        }
        paintThin();
      }
      context.globalAlpha = 1;
      context.fillStyle = colors.dim;
      for (const track of data.tracks) {
        const y = track.top - above;
        if (y > -20 && y < tall) context.fillText(track.name, 4, y + 12);
      }
      axis(width, tall, perNs);
    }
    function axis(width, tall, perNs) {
      const rough = 110 / perNs;
      const power = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
      context.strokeStyle = colors.line;
      context.fillStyle = colors.dim;
      context.beginPath();
      for (let at = Math.ceil(view.from / step) * step; at < view.to; at += step) {
        const x = (at - view.from) * perNs;
        context.moveTo(x, 0);
        context.lineTo(x, tall);
        context.fillText(time(at), x + 3, tall - 8);
      }
      context.globalAlpha = 0.6;
      context.stroke();
      context.globalAlpha = 1;
    }

    const keep = () => {
      const words = [];
      if (view.from > 0 || view.to < whole) words.push(`from=${Math.round(view.from)}&to=${Math.round(view.to)}`);
      if (find.value) words.push(`find=${encodeURIComponent(find.value)}`);
      history.replaceState(null, '', words.length ? `#${words.join('&')}` : location.pathname + location.search);
    };
    let keeping = 0;
    const show = (from, to) => {
      const span = Math.min(Math.max(to - from, 20), whole);
      view.from = Math.min(Math.max(from, 0), whole - span);
      view.to = view.from + span;
      canvas.dataset.from = String(Math.round(view.from));
      canvas.dataset.to = String(Math.round(view.to));
      clearTimeout(keeping);
      keeping = setTimeout(keep, 200);
      ask();
    };
    const zoom = (factor, share = 0.5) => {
      const at = view.from + share * (view.to - view.from);
      show(at - (at - view.from) * factor, at + (view.to - at) * factor);
    };
    const pan = (share) => show(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));

    const told = byId('told');
    const say = (event) => {
      if (event < 0) return;
      const shapes = shapesOf[event] ? `\n${data.texts[shapesOf[event]]}` : '';
      told.textContent = `${data.names[nameOf[event]]}\n${time(duration[event])} from ${time(begin[event])}, ` +
        `${data.kinds[kindOf[event]].word}${shapes}`;
    };
    const eventAt = (x, y) => {
      const row = rows.find((one) => y + box.scrollTop >= one.top && y + box.scrollTop < one.top + rowHeight);
      if (!row) return -1;
      const perNs = canvas.clientWidth / (view.to - view.from);
      const at = view.from + x / perNs;
      const i = firstBehind(row.events, at - 1 / perNs);
      const event = i < row.events.length ? row.events[i] : -1;
      return event >= 0 && begin[event] <= at + 1 / perNs ? event : -1;
    };
    const choose = (event) => {
      chosen = event;
      say(event);
      ask();
    };
    const goTo = (event) => {
      const around = Math.max(duration[event] * 2, 100);
      show(begin[event] - around / 2, begin[event] + duration[event] + around / 2);
      const row = rows.find((one) => one.events.length && one.track.first <= event &&
        event < one.track.first + one.track.count && depthOf[one.events[0]] === depthOf[event]);
      if (row && (row.top < box.scrollTop || row.top > box.scrollTop + shownHeight - 40)) box.scrollTop = row.top - 100;
      choose(event);
    };

    let dragged = null;
    canvas.addEventListener('pointerdown', (e) => {
      dragged = {x: e.offsetX, y: e.offsetY, from: view.from, moved: false};
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener('pointermove', (e) => {
      if (!dragged) {
        if (chosen < 0) say(eventAt(e.offsetX, e.offsetY));
        return;
      }
      const by = (dragged.x - e.offsetX) / canvas.clientWidth * (view.to - view.from);
      if (Math.abs(dragged.x - e.offsetX) > 3) dragged.moved = true;
      if (dragged.moved) show(dragged.from + by, dragged.from + by + view.to - view.from);
    });
    canvas.addEventListener('pointerup', (e) => {
      if (dragged && !dragged.moved) choose(eventAt(e.offsetX, e.offsetY));
      dragged = null;
    });
    canvas.addEventListener('dblclick', (e) => {
      const event = eventAt(e.offsetX, e.offsetY);
      if (event >= 0) goTo(event);
    });
    canvas.addEventListener('wheel', (e) => {
      if (!e.ctrlKey && !e.shiftKey && !e.metaKey) return;
      e.preventDefault();
      if (e.shiftKey) pan((e.deltaY || e.deltaX) / 1000);
      else zoom(Math.exp(e.deltaY / 300), e.offsetX / canvas.clientWidth);
    }, {passive: false});
    const keys = {w: () => zoom(0.6), '+': () => zoom(0.6), s: () => zoom(1.7), '-': () => zoom(1.7),
      a: () => pan(-0.2), ArrowLeft: () => pan(-0.2), d: () => pan(0.2), ArrowRight: () => pan(0.2),
      0: () => show(0, whole), Escape: () => choose(-1)};
    canvas.addEventListener('keydown', (e) => {
      if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      keys[e.key]();
    });
    byId('in').addEventListener('click', () => zoom(0.5));
    byId('out').addEventListener('click', () => zoom(2));
    byId('all').addEventListener('click', () => show(0, whole));
    box.addEventListener('scroll', ask);
    new ResizeObserver(ask).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      readColors();
      ask();
    });

    const find = byId('find');
    const search = () => {
      const text = find.value.trim().toLowerCase();
      matches = text ? Uint8Array.from(data.names, (name) => name.toLowerCase().includes(text)) : null;
      let count = 0;
      let total = 0;
      if (matches) {
        for (let i = 0; i < nameOf.length; ++i) {
          if (!matches[nameOf[i]]) continue;
          ++count;
          total += duration[i];
        }
      }
      byId('found').textContent = matches ? `${count.toLocaleString('en')} events, ${time(total)} in all` : '';
      keep();
      ask();
    };
    const next = (by) => {
      if (!matches) return;
      const order = nameOf.length;
      for (let step = 1; step <= order; ++step) {
        const event = (((chosen < 0 && by > 0 ? -1 : chosen) + by * step) % order + order) % order;
        if (matches[nameOf[event]]) return void goTo(event);
      }
    };
    find.addEventListener('input', search);
    find.addEventListener('keydown', (e) => {
      if (e.key !== 'Enter') return;
      e.preventDefault();
      next(e.shiftKey ? -1 : 1);
    });
    byId('next').addEventListener('click', () => next(1));
    byId('before').addEventListener('click', () => next(-1));
    document.addEventListener('keydown', (e) => {
      if (e.key !== '/' || document.activeElement === find) return;
      e.preventDefault();
      find.focus();
    });

    readColors();
    const given = new URLSearchParams(location.hash.slice(1));
    if (given.get('find')) find.value = given.get('find');
    if (Number(given.get('to')) > Number(given.get('from'))) show(Number(given.get('from')), Number(given.get('to')));
    search();
    byId('timeline').hidden = false;
    draw();
  }

  function tables() {
    const collator = new Intl.Collator('en', {numeric: true});
    for (const table of document.querySelectorAll('table.sorted')) {
      const body = table.tBodies[0];
      [...table.tHead.rows[0].cells].forEach((head, at) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener('click', () => {
          const falls = head.getAttribute('aria-sort') === 'descending' ? false : at > 0 ||
            head.getAttribute('aria-sort') === 'ascending';
          for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
          head.setAttribute('aria-sort', falls ? 'descending' : 'ascending');
          const value = (row) => row.cells[at].dataset.v;
          const key = (row) => (value(row) === undefined ? row.cells[at].textContent : Number(value(row)));
          const compare = (a, b) => (typeof a === 'string' ? collator.compare(a, b) : a - b);
          body.append(...[...body.rows].sort((a, b) => (falls ? -1 : 1) * compare(key(a), key(b))));
        });
      });
      const filter = table.closest('section').querySelector('input[type="search"]');
      if (!filter) continue;
      filter.closest('label').hidden = false;
      filter.addEventListener('input', () => {
        const text = filter.value.trim().toLowerCase();
        for (const row of body.rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(text);
      });
    }
  }

  // Rates over arithmetic intensity, both on logarithmic axes, under what bounds them.
  function rates() {
    const figure = byId('rates');
    if (!figure) return;
    const width = 900;
    const tall = 420;
    const [left, bottom] = [80, tall - 50];
    const exponents = (values) => [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)) + 0.01)];
    const roofs = data.roofs;
    const ridges = roofs.rates.flatMap((r) => roofs.slopes.map((s) => r.value / s.value));
    const [x0, x1] = exponents(data.rates.map((r) => r.intensity).concat(ridges));
    const [y0, y1] = exponents(data.rates.map((r) => r.rate).concat(roofs.rates.map((r) => r.value)));
    const make = (name, attributes, text = '') => {
      const element = document.createElementNS('http://www.w3.org/2000/svg', name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      if (text) element.append(text);
      return element;
    };
    const svg = make('svg', {viewBox: `0 0 ${width} ${tall}`, class: 'rates', role: 'img',
      'aria-label': 'Operations per second over operations per byte'});
    const x = (value) => left + (Math.log10(value) - x0) / (x1 - x0) * (width - left - 20);
    const y = (value) => bottom - (Math.log10(value) - y0) / (y1 - y0) * (bottom - 20);
    const power = (exponent) => `1e${exponent}`;
    for (let e = x0; e <= x1; ++e) {
      svg.append(make('line', {x1: x(10 ** e), x2: x(10 ** e), y1: 20, y2: bottom}));
      svg.append(make('text', {x: x(10 ** e), y: bottom + 18, 'text-anchor': 'middle'}, power(e)));
    }
    for (let e = y0; e <= y1; ++e) {
      svg.append(make('line', {x1: left, x2: width - 20, y1: y(10 ** e), y2: y(10 ** e)}));
      svg.append(make('text', {x: left - 8, y: y(10 ** e) + 4, 'text-anchor': 'end'}, power(e)));
    }
    svg.append(make('text', {x: (left + width) / 2, y: tall - 8, 'text-anchor': 'middle'}, 'operations per byte'));
    svg.append(make('text', {x: left, y: 12}, 'operations per second'));
    const roof = (from, to, name) => {
      svg.append(make('line', {x1: x(from[0]), y1: y(from[1]), x2: x(to[0]), y2: y(to[1]), class: 'roof'}));
      const isLevel = from[1] === to[1];
      svg.append(make('text', {x: isLevel ? x(to[0]) : Math.max((x(from[0]) + x(to[0])) / 2, left),
        y: (y(from[1]) + y(to[1])) / 2 - 4, 'text-anchor': isLevel ? 'end' : 'start', class: 'roof'}, name));
    };
    const [least, most] = [10 ** x0, 10 ** x1];
    const fastest = Math.max(0, ...roofs.slopes.map((s) => s.value));
    for (const top of roofs.rates) {
      roof([fastest ? Math.max(top.value / fastest, least) : least, top.value], [most, top.value], top.name);
    }
    for (const slope of roofs.slopes) {
      const from = Math.max(least, 10 ** y0 / slope.value);
      const to = Math.min(most, Math.max(from, 10 ** y1 / slope.value));
      roof([from, from * slope.value], [to, to * slope.value], slope.name);
    }
    // A name that would lie on another one's is left to the pointer.
    const named = [];
    const isFree = (from, to, at) => named.every((one) => to < one.from || from > one.to || Math.abs(at - one.at) > 14);
    for (const rate of data.rates) {
      const point = make('circle', {cx: x(rate.intensity), cy: y(rate.rate), r: 5});
      point.append(make('title', {}, `${rate.name}: ${rate.rate.toPrecision(3)} operations/s, ` +
        `${rate.intensity.toPrecision(3)} operations/byte`));
      svg.append(point);
      const [from, at] = [x(rate.intensity) + 8, y(rate.rate) + 4];
      const to = from + 8 * rate.label.length;
      if (!isFree(from, to, at)) continue;
      named.push({from, to, at});
      svg.append(make('text', {x: from, y: at, class: 'rate'}, rate.label));
    }
    figure.append(svg);
  }
})();

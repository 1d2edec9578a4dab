// Elements without a framework. Whatever comes from the service enters as a text node or an attribute that cannot run:
// nothing here parses markup, and styles are set through the CSSOM, which a strict Content-Security-Policy allows.

export type Child = Node | string | number | null | undefined | false | Child[];
type Value = string | number | boolean | null | undefined | EventListener | Record<string, string>;
export type Props = Record<string, Value>;

const kSvg = 'http://www.w3.org/2000/svg';

function set(element: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (typeof value === 'object') {
      for (const [property, text] of Object.entries(value)) {
        (element as HTMLElement).style.setProperty(property, text);
      }
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) {
      append(element, child);
    } else {
      element.append(child instanceof Node ? child : String(child));
    }
  }
}

// h('p', {class: 'dim', click: listener, css: {width: '3em'}}, 'text', other): functions listen, objects are styles.
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  set(element, props);
  append(element, children);
  return element;
}

export function svg(tag: string, props: Props = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS(kSvg, tag) as SVGElement;
  set(element, props);
  append(element, children);
  return element;
}

export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

export function button(text: Child, pressed: () => void, props: Props = {}): HTMLButtonElement {
  return h('button', {type: 'button', ...props, click: () => pressed()}, text);
}

export function section(title: Child, ...children: Child[]): HTMLElement {
  return h('section', {}, h('h2', {}, title), ...children);
}

export interface Column {
  title: string;
  numeric?: boolean;
  wide?: boolean; // not on a phone
}

// A table that scrolls within itself where it is wider than the screen; the first cell of a row names it.
export function table(label: string, columns: Column[], rows: Child[][], props: Props = {}): HTMLElement {
  const kind = (column: Column) => [column.numeric && 'n', column.wide && 'w'].filter(Boolean).join(' ') || null;
  return h(
    'div',
    {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label},
    h(
      'table',
      props,
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          columns.map((column) =>
            column.title ? h('th', {scope: 'col', class: kind(column)}, column.title) : h('td', {class: kind(column)}),
          ),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((cells) =>
          h(
            'tr',
            {},
            cells.map((cell, i) =>
              i === 0
                ? h('th', {scope: 'row', class: kind(columns[i])}, cell)
                : h('td', {class: kind(columns[i])}, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

export function entries(pairs: [string, Child][]): HTMLElement {
  const told = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false);
  return h(
    'dl',
    {},
    told.map(([term, value]) => [h('dt', {}, term), h('dd', {}, value)]),
  );
}

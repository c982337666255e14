/** What an element is made with. Text goes in as text, never as markup. */
export interface Props {
  readonly class?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly on?: Readonly<Record<string, (event: Event) => void>>;
}

type Child = Node | string;

const SVG = 'http://www.w3.org/2000/svg';

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props | string = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return furnished(document.createElement(tag), props, children);
}

export function svgElement<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props | string = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return furnished(document.createElementNS(SVG, tag), props, children);
}

/** A text stands for a class. */
function furnished<E extends Element>(made: E, props: Props | string, children: readonly Child[]): E {
  const { class: name, text, attributes = {}, on = {} } = typeof props === 'string' ? { class: props } : props;
  if (name !== undefined) made.setAttribute('class', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const [type, listener] of Object.entries(on)) made.addEventListener(type, listener);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

/** Leaves what is there already, so that a selection and a focus stay. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Likewise. */
export function setAttribute(of: Element, name: string, value: string): void {
  if (of.getAttribute(name) !== value) of.setAttribute(name, value);
}

export function setClass(of: Element, name: string): void {
  setAttribute(of, 'class', name);
}

/** An element for each item, in order; those of items that stay are used again. */
export class KeyedList<T, E extends Element> {
  readonly #parent: Element;
  readonly #make: (item: T) => { readonly root: E; update(item: T): void };
  readonly #shown = new Map<string, { readonly root: E; update(item: T): void }>();

  constructor(parent: Element, make: (item: T) => { readonly root: E; update(item: T): void }) {
    this.#parent = parent;
    this.#make = make;
  }

  update(items: readonly T[], keyOf: (item: T) => string): void {
    const wanted = new Set(items.map(keyOf));
    for (const [key, { root }] of this.#shown) {
      if (wanted.has(key)) continue;
      root.remove();
      this.#shown.delete(key);
    }
    let before: Element | null = null;
    for (const item of items) {
      const key = keyOf(item);
      const known = this.#shown.get(key) ?? this.#make(item);
      this.#shown.set(key, known);
      known.update(item);
      const place: ChildNode | null = before === null ? this.#parent.firstChild : before.nextSibling;
      if (place !== known.root) this.#parent.insertBefore(known.root, place);
      before = known.root;
    }
  }
}

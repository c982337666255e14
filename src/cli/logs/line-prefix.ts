import type { PodLogLine } from '../../cluster/pods/pod-options.ts';
import type { Painter, StyleName } from '../terminal/style.ts';

const COLOURS: readonly StyleName[] = ['green', 'yellow', 'blue', 'cyan', 'red'];

/** The names before a line. A pod keeps its colour, and pods that come after each other differ. */
export class LinePrefix {
  readonly #painter: Painter;
  readonly #namespaces: boolean;
  readonly #colours = new Map<string, StyleName>();

  constructor(painter: Painter, { namespaces }: { namespaces: boolean }) {
    this.#painter = painter;
    this.#namespaces = namespaces;
  }

  of({ namespace, pod, container }: PodLogLine): string {
    const name = this.#namespaces ? `${namespace}/${pod}` : pod;
    const colour = this.#colourOf(name);
    const spans = [
      { text: name, style: [colour, 'bold'] as const },
      { text: ` ${container} `, style: colour },
    ];
    return this.#painter.line(spans, Number.POSITIVE_INFINITY);
  }

  #colourOf(name: string): StyleName {
    const known = this.#colours.get(name);
    if (known !== undefined) return known;
    const colour = COLOURS[this.#colours.size % COLOURS.length] ?? 'cyan';
    this.#colours.set(name, colour);
    return colour;
  }
}

import { setAttribute, svgElement } from './dom.ts';

const WIDTH = 120;
const HEIGHT = 28;
const POINTS = 120;

/** A line of the last numbers, for a glance; the number itself stands beside it. */
export class Sparkline {
  readonly root = svgElement('svg', {
    class: 'sparkline',
    attributes: { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
  });
  readonly #area = svgElement('path', 'area');
  readonly #line = svgElement('path', 'line');

  constructor() {
    this.root.append(this.#area, this.#line);
  }

  update(points: readonly number[]): void {
    const last = points.slice(-POINTS);
    const top = Math.max(1, ...last);
    const at = (value: number, index: number) =>
      `${(WIDTH - (last.length - 1 - index) * (WIDTH / (POINTS - 1))).toFixed(1)} ${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`;
    const line = last.length < 2 ? '' : `M${last.map(at).join('L')}`;
    setAttribute(this.#line, 'd', line);
    const firstX = (WIDTH - (last.length - 1) * (WIDTH / (POINTS - 1))).toFixed(1);
    setAttribute(this.#area, 'd', line === '' ? '' : `${line}L${WIDTH} ${HEIGHT}L${firstX} ${HEIGHT}Z`);
  }
}

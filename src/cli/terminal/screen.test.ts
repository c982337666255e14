import { Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { FRAME_MS, RepaintTimer } from './repaint-timer.ts';
import { Screen } from './screen.ts';
import { VirtualTerminal } from './virtual-terminal-fixture.ts';

function opened(terminal: VirtualTerminal, onStale = () => {}): Screen {
  const screen = new Screen({ output: terminal, onStale });
  screen.open();
  return screen;
}

describe('a screen', () => {
  it('shows the lines of the last frame, and leaves the terminal as it was', () => {
    const terminal = new VirtualTerminal({ columns: 20, rows: 4 });
    terminal.write('$ tidewatch\n');
    const screen = opened(terminal);
    expect(terminal.cursorVisible).toBe(false);
    screen.draw(['one', 'two', 'three']);
    screen.draw(['one', 'zwei']);
    expect(terminal.text()).toBe('one\nzwei');
    screen.close();
    expect(terminal.text()).toBe('$ tidewatch');
    expect(terminal).toMatchObject({ cursorVisible: true, alternate: false, autoWrap: true });
  });

  it('writes only what has changed, and nothing when nothing has', () => {
    const terminal = new VirtualTerminal({ columns: 20, rows: 4 });
    const screen = opened(terminal);
    screen.draw(['one', 'two']);
    const write = vi.spyOn(terminal, 'write');
    screen.draw(['one', 'two']);
    expect(write).not.toHaveBeenCalled();
    screen.draw(['one', 'TWO']);
    expect(write.mock.calls.flat().join('')).not.toContain('one');
  });

  it('draws everything again after a resize, and nothing beyond the last row', () => {
    const terminal = new VirtualTerminal({ columns: 20, rows: 4 });
    const lines = ['1', '2', '3', '4', '5'];
    const screen = opened(terminal, () => screen.draw(lines));
    screen.draw(lines);
    expect(terminal.text()).toBe('1\n2\n3\n4');
    terminal.resize(10, 2);
    expect(terminal.text()).toBe('1\n2');
    terminal.resize(10, 6);
    expect(terminal.text()).toBe('1\n2\n3\n4\n5');
    screen.close();
    const writes = terminal.writes;
    terminal.resize(20, 20);
    expect(terminal.writes).toBe(writes);
  });

  it('skips frames while the terminal is slow, and asks for one when it has caught up', async () => {
    const taken: string[] = [];
    let release = () => {};
    const output = new Writable({
      highWaterMark: 40,
      write(chunk, _encoding, done) {
        taken.push(String(chunk));
        release = () => {
          release = () => {};
          done();
        };
      },
    });
    const stale = vi.fn();
    const screen = new Screen({ output, onStale: stale });
    screen.open();
    release();
    screen.draw(['x'.repeat(60)]);
    expect(screen.ready).toBe(false);
    screen.draw(['skipped']);
    for (let turn = 0; turn < 4; turn++) {
      release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(stale).toHaveBeenCalledOnce();
    screen.draw(['newest']);
    release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken.join('')).toContain('newest');
    expect(taken.join('')).not.toContain('skipped');
  });
});

describe('a repaint timer', () => {
  it('paints at most ten times a second, however much changes, and never loses the last change', async () => {
    const clock = new FakeClock();
    const paint = vi.fn();
    const timer = new RepaintTimer({ clock, paint, idleMs: 1_000 });
    for (let ms = 0; ms < 1_000; ms += 5) {
      timer.request();
      await clock.advance(5);
    }
    expect(paint.mock.calls.length).toBeGreaterThanOrEqual(9);
    expect(paint.mock.calls.length).toBeLessThanOrEqual(11);
    await clock.advance(FRAME_MS);
    const before = paint.mock.calls.length;
    await clock.advance(3_000);
    expect(paint.mock.calls.length - before).toBe(3);
    timer.stop();
    expect(clock.pendingTimers).toBe(0);
    timer.request();
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([3_600_000, -3_600_000])('paints as often when the wall clock jumps by %d ms', async (byMs) => {
    const clock = new FakeClock();
    const paint = vi.fn();
    const timer = new RepaintTimer({ clock, paint, idleMs: 1_000 });
    timer.request();
    await clock.advance(0);
    clock.jump(byMs);
    timer.request();
    await clock.advance(FRAME_MS - 1);
    expect(paint).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    expect(paint).toHaveBeenCalledTimes(2);
    timer.stop();
  });
});

import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { SocketOpening } from './socket-opening.ts';

function opening(signal = new AbortController().signal) {
  const clock = new FakeClock();
  const timeoutError = () => new Error('too late');
  return { clock, opening: new SocketOpening({ signal, clock, timeoutMs: 1_000, timeoutError }) };
}

const never = new Promise<never>(() => {});

describe('SocketOpening', () => {
  it('notices a socket that closes without an error, also between two steps', async () => {
    for (const isBetweenSteps of [false, true]) {
      const { opening: owner, clock } = opening();
      const tunnel = owner.own(new Socket());
      const inner = owner.own(new Socket());
      const step = isBetweenSteps ? undefined : owner.step(never);
      step?.catch(() => {});
      tunnel.destroy();
      await new Promise((resolve) => tunnel.once('close', resolve));
      await expect(step ?? owner.step(never)).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect(inner.destroyed).toBe(true);
      await expect(owner.handOver()).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it('destroys a socket that comes when it is over', async () => {
    const { opening: owner } = opening(AbortSignal.abort(new Error('stopped')));
    expect(owner.own(new Socket()).destroyed).toBe(true);
    await expect(owner.step(never)).rejects.toThrow('stopped');
  });

  it('leaves a socket alone that it has handed over', async () => {
    const { opening: owner, clock } = opening();
    const socket = owner.own(new Socket());
    expect(await owner.handOver()).toBe(socket);
    await clock.advance(10_000);
    expect([socket.destroyed, clock.pendingTimers, socket.listenerCount('close')]).toEqual([false, 0, 0]);
    socket.destroy();
  });

  it('lets errors of the sockets that it has handed over, or that those run through, end nothing', async () => {
    const { opening: owner } = opening();
    const [tunnel, socket] = [owner.own(new Socket()), owner.own(new Socket())];
    await owner.handOver();
    for (const one of [tunnel, socket]) {
      expect(() => one.emit('error', new Error('reset'))).not.toThrow();
      expect(one.destroyed).toBe(false);
      one.destroy();
    }
  });
});

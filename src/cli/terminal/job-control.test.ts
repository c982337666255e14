import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { JobControl, type Stoppable } from './job-control.ts';

class Host extends EventEmitter implements Stoppable {
  readonly platform: string;
  readonly done: string[];

  constructor(done: string[], platform = 'linux') {
    super();
    this.platform = platform;
    this.done = done;
  }

  kill(pid: number, signal: NodeJS.Signals): void {
    this.done.push(`${signal} to ${pid}`);
  }
}

function world(platform?: string) {
  const done: string[] = [];
  const host = new Host(done, platform);
  const clock = new FakeClock();
  const job = new JobControl({ leave: () => done.push('leave'), enter: () => done.push('enter'), host, clock });
  job.open();
  return { done, host, job, clock };
}

describe('Ctrl-Z', () => {
  it('gives the terminal back before the job stops, and takes it again with fg', () => {
    const { done, host, job, clock } = world();
    job.suspend();
    expect(done).toEqual(['leave', 'SIGTSTP to 0']);
    host.emit('SIGCONT');
    expect(done.slice(2)).toEqual(['leave', 'enter']);
    job.close();
    expect(host.listenerCount('SIGCONT')).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes the terminal again when nothing was stopped, because no shell could go on with it', async () => {
    const { done, job, clock } = world();
    job.suspend();
    await clock.advance(1_000);
    expect(done).toEqual(['leave', 'SIGTSTP to 0', 'leave', 'enter']);
    job.suspend();
    job.close();
    await clock.advance(1_000);
    expect(done.slice(4)).toEqual(['leave', 'SIGTSTP to 0']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does nothing where jobs cannot be stopped', () => {
    const { done, job } = world('win32');
    job.suspend();
    expect(done).toEqual([]);
  });
});

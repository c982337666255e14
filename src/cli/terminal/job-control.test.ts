import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
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
  const job = new JobControl({ leave: () => done.push('leave'), enter: () => done.push('enter'), host });
  job.open();
  return { done, host, job };
}

describe('Ctrl-Z', () => {
  it('gives the terminal back before the job stops, and takes it again with fg', () => {
    const { done, host, job } = world();
    job.suspend();
    expect(done).toEqual(['leave', 'SIGTSTP to 0']);
    host.emit('SIGCONT');
    expect(done.slice(2)).toEqual(['leave', 'enter']);
    job.close();
    expect(host.listenerCount('SIGCONT')).toBe(0);
  });

  it('does nothing where jobs cannot be stopped', () => {
    const { done, job } = world('win32');
    job.suspend();
    expect(done).toEqual([]);
  });
});

import type { Command } from '../command.ts';

export const demoCommand: Command = {
  name: 'demo',
  summary: 'watch the informers at work, on a cluster inside this process',
  about: [
    'Starts the embedded API server, a small simulated cluster on it that keeps changing, and shared informers that follow it. In a terminal it shows them live; keys cut the watch, compact the history, stop the server or add a slow handler, and you see how the informers recover.',
    'Without a terminal it tells the story of an informer line by line (the first list, changes, a resync, a cut connection, a compacted history, a deletion), checks that the cache equals the server, and ends.',
    'With --inspect a page in a browser shows the informers too. Without a terminal it prints the address and runs until it is interrupted.',
  ],
  flags: [
    { name: 'rate', value: { label: 'N' }, about: 'changes a second; default 4' },
    { name: 'seed', value: { label: 'N' }, about: 'repeat the same course of events; default: another one each time' },
    { name: 'inspect', about: 'serve a page that shows the informers in a browser, and print its address' },
    {
      name: 'port',
      short: 'p',
      value: { label: 'N' },
      about: 'with --inspect: the port of the page; default 0: any that is free',
    },
    { name: 'story', about: 'tell the story also in a terminal' },
  ],
  examples: [
    { about: 'Live, in a terminal', line: 'tidewatch demo' },
    { about: 'A busier cluster', line: 'tidewatch demo --rate 50' },
    { about: 'The same in a browser', line: 'tidewatch demo --inspect' },
    { about: 'The story, as lines', line: 'tidewatch demo --story' },
  ],
  async run(invocation) {
    const { demo } = await import('./demo.ts');
    return demo(invocation);
  },
};

import { UsageError } from '../cli-error.ts';
import type { FlagValues, Invocation } from '../command.ts';
import { stderrLogger } from '../connection-flags.ts';
import { portOf } from '../port-flag.ts';
import { capabilitiesOf } from '../terminal/capabilities.ts';
import { untilAborted } from '../until-aborted.ts';
import { DemoScreen } from './demo-screen.ts';
import { DemoWorld } from './demo-world.ts';
import { seededRandom } from './seeded-random.ts';
import { tellStory } from './story.ts';

const DEFAULT_RATE = 4;

export async function demo({ flags, io }: Invocation): Promise<number> {
  const rate = numberOf(flags, 'rate', DEFAULT_RATE);
  if (rate < 0.1 || rate > 200) throw new UsageError('--rate must be between 0.1 and 200 changes a second');
  const random = seededRandom(numberOf(flags, 'seed', Math.floor(Math.random() * 2 ** 32)));
  const capabilities = capabilitiesOf(io.stdout, io.env);
  if (flags.text('port') !== undefined && !flags.on('inspect')) throw new UsageError('--port needs --inspect');
  if (flags.on('story') && flags.on('inspect')) {
    throw new UsageError(
      '--story and --inspect do not go together',
      'The story ends by itself; leave one of them out.',
    );
  }
  if (flags.on('story') || !(capabilities.live || flags.on('inspect'))) return tellStory(io);
  const port = portOf(flags);
  const world = await DemoWorld.start({ clock: io.clock, random, rate });
  try {
    const inspector = flags.on('inspect') ? await world.inspect(port, stderrLogger(io.stderr)) : undefined;
    try {
      if (capabilities.live) return await new DemoScreen({ io, world, capabilities, address: inspector?.url }).run();
      io.stdout.write(`A small cluster and its informers run in this process.\nOpen ${inspector?.url}\n`);
      world.begin();
      await untilAborted(io.signal);
      return 0;
    } finally {
      await inspector?.stop();
    }
  } finally {
    await world.stop();
  }
}

function numberOf(flags: FlagValues, name: string, fallback: number): number {
  const text = flags.text(name);
  if (text === undefined) return fallback;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError(`--${name} must be a number, not "${text}"`);
  return Number(text);
}

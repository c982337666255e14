import { UsageError } from '../cli-error.ts';
import type { FlagValues, Invocation } from '../command.ts';
import { capabilitiesOf } from '../terminal/capabilities.ts';
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
  if (!capabilities.live || flags.on('story')) return tellStory(io);
  const world = await DemoWorld.start({ clock: io.clock, random, rate });
  try {
    return await new DemoScreen({ io, world, capabilities }).run();
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

import { expect, it } from 'vitest';
import { plan } from './plan.ts';

const usual = plan({ check: false });

it('gives a size the rounds and events of the usual one that is next below it', () => {
  const [below] = usual.filter((leg) => leg.objects === 20_000);
  expect(below).toMatchObject({ kind: 'pods', tls: true });
  expect(plan({ check: false, sizes: '50000' })).toEqual([{ ...below, objects: 50_000 }]);
});

it('gives a size below all the rounds of the smallest', () => {
  expect(plan({ check: false, sizes: '7' })).toEqual([{ ...usual[0], objects: 7 }]);
});

it('takes rounds one by one, and the last for the sizes that remain', () => {
  const legs = plan({ check: false, sizes: '1,2,3', rounds: '9,8', events: '5' });
  const pods = { kind: 'pods', tls: true };
  expect(legs).toEqual([
    { ...pods, objects: 1, rounds: 9, events: 5 },
    { ...pods, objects: 2, rounds: 8, events: 5 },
    { ...pods, objects: 3, rounds: 8, events: 5 },
  ]);
});

it.each(['', 'x', '0', '1.5', '1,,2'])('refuses the sizes "%s"', (sizes) => {
  expect(() => plan({ check: false, sizes })).toThrow('--sizes takes positive whole numbers');
});

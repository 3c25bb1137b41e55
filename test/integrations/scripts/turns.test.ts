import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { type HostRun, runOnHost, scriptOf } from '../../support/script-host.ts';

const { dataDir } = platform();

/** Takes no processor, and a place for as long as it may. */
const idle = scriptOf('await new Promise(() => setInterval(() => undefined, 1000));');
const limits = { milliseconds: 700 };

/** So many runs that do nothing; gives how many of them have ended. */
function fill(
  count: number,
  runOf: (each: number) => Partial<HostRun>,
): { ended: () => number; all: Promise<unknown> } {
  let ended = 0;
  const runs = Array.from({ length: count }, async (_, each) => {
    const outcome = await runOnHost(dataDir, { script: idle, limits, ...runOf(each) });
    ended += 1;
    return outcome;
  });
  return { ended: () => ended, all: Promise.all(runs) };
}

const well = (run: Partial<HostRun>) =>
  runOnHost(dataDir, { script: scriptOf(`return new Response('well');`), limits, ...run });

test('a customer of an integration leaves its other customers their turns', async () => {
  const first = fill(19, () => ({ tenant: 'shared', caller: 'first' }));

  expect(await well({ tenant: 'shared', caller: 'second' })).toMatchObject({ ok: true, text: 'well' });
  expect(first.ended()).toBeLessThan(10);
  await first.all;
});

test('what anybody brings about at the address of an integration leaves its events their turns', async () => {
  const visits = fill(30, () => ({ tenant: 'visited', caller: 'one', isPublic: true }));

  expect(await well({ tenant: 'visited', caller: 'one' })).toMatchObject({ ok: true, text: 'well' });
  expect(visits.ended()).toBeLessThan(20);
  await visits.all;
});

test('a few who fill all places leave whoever comes next a turn', async () => {
  const few = fill(120, (each) => ({ tenant: `of ${each % 6}`, caller: `of ${each % 6}` }));

  expect(await well({ tenant: 'next' })).toMatchObject({ ok: true, text: 'well' });
  expect(few.ended()).toBeLessThan(100);
  await few.all;
});

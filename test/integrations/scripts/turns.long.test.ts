import { expect, test } from 'vitest';
import { createGate } from '../../support/gate.ts';
import { platform } from '../../support/platform.ts';
import { getScript, type HostRun, runOnHost } from '../../support/script-host.ts';

const { dataDir } = platform();

/** A script that uses no CPU, but occupies a slot until its gate is opened. */
const idle = getScript(`await fetch(environment.gate); return new Response('idle');`);
const limits = { milliseconds: 20_000 };

/** Starts `count` idle runs. `left` returns how many of them have finished after they got a slot. */
function startIdleRuns(gate: string, count: number, runOf: (each: number) => Partial<HostRun>) {
  let left = 0;
  const runs = Array.from({ length: count }, async (_, each) => {
    const outcome = await runOnHost(dataDir, { script: idle, limits, environment: { gate }, ...runOf(each) });
    if (outcome.ok || outcome.fault !== 'busy') left += 1;
  });
  return { left: () => left, all: Promise.all(runs) };
}

const runHealthyScript = (run: Partial<HostRun>) =>
  runOnHost(dataDir, { script: getScript(`return new Response('well');`), limits, ...run });

test('one installation does not block other installations of the same integration', async () => {
  const { gate, reached, open } = await createGate();
  const first = startIdleRuns(gate, 19, () => ({ tenant: 'shared', caller: 'first' }));
  await reached;

  expect(await runHealthyScript({ tenant: 'shared', caller: 'second' })).toMatchObject({ ok: true, text: 'well' });
  expect(first.left()).toBeLessThan(10);
  open();
  await first.all;
});

test("public requests do not block the integration's events", async () => {
  const { gate, reached, open } = await createGate();
  const visits = startIdleRuns(gate, 30, () => ({ tenant: 'visited', caller: 'one', isPublic: true }));
  await reached;

  expect(await runHealthyScript({ tenant: 'visited', caller: 'one' })).toMatchObject({ ok: true, text: 'well' });
  expect(visits.left()).toBeLessThan(10);
  open();
  await visits.all;
});

test("runs a new installation's script while other installations occupy all slots", { timeout: 300_000 }, async () => {
  // The gate lets 20 runs end at once: fewer than a third of the runs that occupy a slot or wait for one.
  const { gate, reached, open } = await createGate(20);
  const few = startIdleRuns(gate, 120, (each) => ({ tenant: `of ${each % 6}`, caller: `of ${each % 6}` }));
  await reached;

  expect(await runHealthyScript({ tenant: 'next' })).toMatchObject({ ok: true, text: 'well' });
  expect(few.left()).toBeLessThan(40);
  open();
  await few.all;
});

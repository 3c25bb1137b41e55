import { expect, test } from 'vitest';
import { getShare, isOfAll } from '../support/random.ts';
import { describeAccount } from './account-state.ts';
import { createRelease, createTemporaryFolder, runDeploy } from './deployments.ts';
import { Killed } from './fake-api.ts';
import { FakeCloudflare } from './fake-cloudflare.ts';

type Run = Omit<Parameters<typeof runDeploy>[1], 'folder'>;

interface Scenario {
  name: string;
  /** The runs that complete before the killed run. */
  earlier: Run[];
  killed: Run;
}

const second = createRelease({ content: '2', publishing: '2', gateway: '2' });
const scenarios: Scenario[] = [
  { name: 'the first run', earlier: [], killed: {} },
  { name: 'a new release', earlier: [{}], killed: { release: second } },
  { name: 'a rollback', earlier: [{}, { release: second }], killed: { release: second, isRollback: true } },
];

async function prepare({ earlier }: Scenario) {
  const [fake, folder] = [new FakeCloudflare(), createTemporaryFolder()];
  for (const run of earlier) await runDeploy(fake, { folder, ...run });
  return { fake, folder };
}

/** Breaks the connection at the nth write from now, before or after the write is made. All later calls fail, too. */
function killAt(fake: FakeCloudflare, nth: number, isMade: boolean): void {
  let [count, isKilled] = [0, false];
  fake.onCall = ({ isWrite }) => {
    if (isWrite && !isMade && count + 1 === nth) isKilled = true;
    if (isKilled) throw new Killed();
  };
  fake.onWrite = () => {
    count += 1;
    isKilled = count === nth;
    if (isKilled) throw new Killed();
  };
}

function stopKilling(fake: FakeCloudflare): void {
  fake.onCall = () => {};
  fake.onWrite = () => {};
}

const complete = await Promise.all(
  scenarios.map(async (scenario) => {
    const { fake, folder } = await prepare(scenario);
    const { writes, printed } = await runDeploy(fake, { folder, ...scenario.killed });
    return { scenario, writes, hasToken: printed.includes('The token'), state: describeAccount(fake) };
  }),
);

const cases = complete.flatMap(({ scenario, writes, ...expected }) =>
  writes.flatMap((write, index) =>
    [true, false].map((isMade) => ({
      title: `${scenario.name} at call ${index + 1}, ${write}, ${isMade ? 'after' : 'before'} it was made`,
      ...{ scenario, nth: index + 1, isMade, isLast: index + 1 === writes.length, ...expected },
    })),
  ),
);

// The last call of the first run creates the first user, whose token only the killed run knows.
const sample = [...getShare(cases, isOfAll ? 3 : 8), ...cases.filter(({ isLast }) => isLast)];

test.each([...new Set(sample)])('another run repairs $title', async ({ scenario, nth, isMade, state, hasToken }) => {
  const { fake, folder } = await prepare(scenario);
  killAt(fake, nth, isMade);
  const first = await runDeploy(fake, { folder, ...scenario.killed }).then(
    () => 'completed',
    () => 'killed',
  );
  stopKilling(fake);
  const repair = await runDeploy(fake, { folder, ...scenario.killed });

  expect(first).toBe('killed');
  expect(describeAccount(fake)).toEqual(state);
  expect(repair.printed.includes('The token')).toBe(hasToken);
  expect((await runDeploy(fake, { folder, ...scenario.killed })).writes).toEqual([]);
});

test('another release completes a first run that was killed', async () => {
  const [fake, folder] = [new FakeCloudflare(), createTemporaryFolder()];
  const isGateway = (path: string) => path.endsWith('octavo-gateway');
  fake.onCall = ({ method, path }) => {
    if (method === 'PUT' && isGateway(path)) throw new Killed();
  };
  await expect(runDeploy(fake, { folder })).rejects.toThrow(Killed);
  stopKilling(fake);
  await runDeploy(fake, { folder, release: second });

  expect(describeAccount(fake)).toEqual(complete[0]?.state);
  expect((await runDeploy(fake, { folder, release: second })).writes).toEqual([]);
});

test('the killed runs cover all resources', () => {
  const written = complete.flatMap(({ writes }) => writes).join('\n');

  expect(written).toMatch(/d1.*queues.*buckets.*query.*scripts.*consumers.*routes.*domains.*versions.*deployments/s);
});

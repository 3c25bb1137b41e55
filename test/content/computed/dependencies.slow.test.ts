import { beforeAll, expect, test } from 'vitest';
import { createPetstoreSpec, getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { createGate } from '../../support/gate.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';
import type { ContentSource } from './content-source.ts';
import { makeContentSource, makeDue } from './content-source.ts';

const server = platform();

let source: ContentSource;
type Space = Awaited<ReturnType<ContentSource['makeSpace']>>;

beforeAll(async () => {
  source = await makeContentSource();
});

const getStartTime = (space: Space) =>
  query<{ taken_at: number }>('SELECT taken_at FROM computed_contents WHERE space = ?', space.id)[0]?.taken_at ?? 0;

const getDelay = (space: Space) => (space.rows()[0]?.due_at ?? 0) - getStartTime(space);

const hour = 3_600_000;
const pace = 180_000;

async function createOtherSpace() {
  const space = await server.makeSpace({ organization: source.owner });
  return { ...space, ...getClient(server, space) };
}
type Other = Awaited<ReturnType<typeof createOtherSpace>>;

const getSpecClient = () => getSpecs(server, source.owner);
const deleteSpace = async ({ id, token }: Other) =>
  expect((await server.request(`/v1/spaces/${id}`, { token, method: 'DELETE' })).status).toBeLessThan(300);
const createSpecificationText = () =>
  getText({ ...createPetstoreSpec(), info: { title: crypto.randomUUID(), version: '1' } });

const ofSpace: [string, (other: Other) => Promise<unknown>][] = [
  ['is edited', (other) => other.change([insertPage('More')])],
  ['is deleted', deleteSpace],
  [
    'is restored',
    async (other) => {
      await deleteSpace(other);
      return json(`/v1/spaces/${other.id}/restore`, { token: other.token, method: 'POST' });
    },
  ],
];
test.each(ofSpace)(
  'schedules computed pages within minutes after a space that they depend on %s',
  async (_, change) => {
    const [space, other] = [await source.makeSpace(), await createOtherSpace()];
    await space.insert({ names: ['One'] }, { dependencies: { of: { ref: { kind: 'space', space: other.id } } } });
    await space.make();
    expect(getDelay(space)).toBeGreaterThan(hour - 60_000);
    await change(other);

    expect(getDelay(space)).toBe(pace);
  },
);

const ofSpec: [string, (slug: string) => Promise<unknown>][] = [
  ['is there', (slug) => getSpecClient().publish(slug, createSpecificationText())],
  ['has a new version', (slug) => getSpecClient().publish(slug, createSpecificationText())],
  [
    'is made public',
    (slug) => getSpecClient().callJson(`/${slug}`, { method: 'PATCH', body: { visibility: 'public' } }),
  ],
  ['is deleted', (slug) => getSpecClient().call(`/${slug}`, { method: 'DELETE' })],
];

test('schedules computed pages within minutes after a specification that they depend on is created, changed or deleted', async () => {
  const space = await source.makeSpace();
  await space.insert({ names: ['One'] }, { dependencies: { of: { ref: { kind: 'openapi', spec: 'pets' } } } });
  for (const [how, change] of ofSpec) {
    await space.make();
    expect([how, getDelay(space) > hour - 60_000]).toEqual([how, true]);
    await change('pets');
    expect([how, getDelay(space)]).toEqual([how, pace]);
  }
});

test('an edit during a computation triggers another computation', async () => {
  const [space, other] = [await source.makeSpace(), await createOtherSpace()];
  const { gate, reached, open } = await createGate();
  await space.insert({ names: ['One'], gate }, { dependencies: { of: { ref: { kind: 'space', space: other.id } } } });
  await writeDatabase(server, 'UPDATE computed_contents SET due_at = 1 WHERE space = ?', space.id);
  const run = makeDue();
  await reached;
  await other.change([insertPage('More')]);
  open();
  await run;
  await space.settled();

  expect(space.rows()).toMatchObject([{ leased_until: 0, failures: 0 }]);
  expect(getDelay(space)).toBe(pace);
});

test('does not schedule computed pages after changes of unrelated content or of change requests', async () => {
  const [space, other] = [await source.makeSpace(), await createOtherSpace()];
  await space.insert({ names: ['One'] }, { dependencies: { of: { ref: { kind: 'space', space: other.id } } } });
  const stranger = await makeContentSource();
  const theirs = await stranger.makeSpace();
  await theirs.insert({ names: ['One'] }, { dependencies: { of: { ref: { kind: 'space', space: other.id } } } });
  for (const each of [space, theirs]) await each.make();
  const isDueLate = () => [space, theirs].map((each) => getDelay(each) > hour - 60_000);
  await (await createOtherSpace()).change([insertPage('More')]);
  const { id } = await json<{ id: string }>(`/v1/spaces/${other.id}/change-requests`, { token: other.token, body: {} });
  await other.change([insertPage('More')], id);

  expect(isDueLate()).toEqual([true, true]);
  await other.change([insertPage('More')]);
  expect(isDueLate()).toEqual([false, true]);
});

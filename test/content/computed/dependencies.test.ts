import { beforeAll, expect, test } from 'vitest';
import { getSpecs, getText, petstore } from '../../publishing/openapi/spec-client.ts';
import { json } from '../../support/content.ts';
import { query, writePast } from '../../support/database.ts';
import { gated } from '../../support/gate.ts';
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

const begun = (space: Space) =>
  query<{ taken_at: number }>('SELECT taken_at FROM computed_contents WHERE space = ?', space.id)[0]?.taken_at ?? 0;

const dueAfter = (space: Space) => (space.rows()[0]?.due_at ?? 0) - begun(space);

const hour = 3_600_000;
const pace = 180_000;

async function makeOther() {
  const made = await server.makeSpace({ organization: source.owner });
  return { ...made, ...getClient(server, made) };
}
type Other = Awaited<ReturnType<typeof makeOther>>;

const specs = () => getSpecs(server, source.owner);
const trash = async ({ id, token }: Other) =>
  expect((await server.request(`/v1/spaces/${id}`, { token, method: 'DELETE' })).status).toBeLessThan(300);
const another = () => getText({ ...petstore(), info: { title: crypto.randomUUID(), version: '1' } });

const ofSpace: [string, (other: Other) => Promise<unknown>][] = [
  ['is edited', (other) => other.change([insertPage('More')])],
  ['is deleted', trash],
  [
    'is restored',
    async (other) => {
      await trash(other);
      return json(`/v1/spaces/${other.id}/restore`, { token: other.token, method: 'POST' });
    },
  ],
];
test.each(ofSpace)('computed pages become due within minutes after a space they depend on %s', async (_, change) => {
  const [made, other] = [await source.makeSpace(), await makeOther()];
  await made.insert({ names: ['One'] }, { dependencies: { of: { ref: { kind: 'space', space: other.id } } } });
  await made.make();
  expect(dueAfter(made)).toBeGreaterThan(hour - 60_000);
  await change(other);

  expect(dueAfter(made)).toBe(pace);
});

const ofSpec: [string, (slug: string) => Promise<unknown>][] = [
  ['is there', (slug) => specs().publish(slug, another())],
  ['has a new version', (slug) => specs().publish(slug, another())],
  ['is made public', (slug) => specs().ok(`/${slug}`, { method: 'PATCH', body: { visibility: 'public' } })],
  ['is deleted', (slug) => specs().call(`/${slug}`, { method: 'DELETE' })],
];

test('computed pages become due within minutes after a specification they depend on is created, changed or deleted', async () => {
  const made = await source.makeSpace();
  await made.insert({ names: ['One'] }, { dependencies: { of: { ref: { kind: 'openapi', spec: 'pets' } } } });
  for (const [how, change] of ofSpec) {
    await made.make();
    expect([how, dueAfter(made) > hour - 60_000]).toEqual([how, true]);
    await change('pets');
    expect([how, dueAfter(made)]).toEqual([how, pace]);
  }
});

test('an edit during a computation triggers another computation', async () => {
  const [made, other] = [await source.makeSpace(), await makeOther()];
  const { gate, asked, open } = await gated();
  await made.insert({ names: ['One'], gate }, { dependencies: { of: { ref: { kind: 'space', space: other.id } } } });
  await writePast(server, 'UPDATE computed_contents SET due_at = 1 WHERE space = ?', made.id);
  const run = makeDue();
  await asked;
  await other.change([insertPage('More')]);
  open();
  await run;
  await made.settled();

  expect(made.rows()).toMatchObject([{ leased_until: 0, failures: 0 }]);
  expect(dueAfter(made)).toBe(pace);
});

test('pages are not due after changes of unrelated content or of change requests', async () => {
  const [made, other] = [await source.makeSpace(), await makeOther()];
  await made.insert({ names: ['One'] }, { dependencies: { of: { ref: { kind: 'space', space: other.id } } } });
  const stranger = await makeContentSource();
  const theirs = await stranger.makeSpace();
  await theirs.insert({ names: ['One'] }, { dependencies: { of: { ref: { kind: 'space', space: other.id } } } });
  for (const each of [made, theirs]) await each.make();
  const isLate = () => [made, theirs].map((each) => dueAfter(each) > hour - 60_000);
  await (await makeOther()).change([insertPage('More')]);
  const { id } = await json<{ id: string }>(`/v1/spaces/${other.id}/change-requests`, { token: other.token, body: {} });
  await other.change([insertPage('More')], id);

  expect(isLate()).toEqual([true, true]);
  await other.change([insertPage('More')]);
  expect(isLate()).toEqual([false, true]);
});

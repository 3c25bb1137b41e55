import { beforeAll, describe, expect, test } from 'vitest';
import { waitUntilMidMinute } from '../../support/between-minutes.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { createGate } from '../../support/gate.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getCost } from '../space-client.ts';
import { publishSite } from '../visitors/visitor-client.ts';
import type { ContentSource } from './content-source.ts';
import { makeContentSource, makeDue, secret, serveProps } from './content-source.ts';

const server = platform();

let source: ContentSource;

beforeAll(async () => {
  source = await makeContentSource();
});

interface State {
  id: string;
  processingState: string;
  failures: number;
  lastVersion?: string;
  lastProcessErrorMessage?: string;
  urls: { location: string };
}

type Space = Awaited<ReturnType<ContentSource['makeSpace']>>;

const getStates = async (space: Space, more = '') =>
  (await space.space.callJson<{ items: State[] }>(`/content/computed${more}`)).items;

describe('editors can read the state of a computed page', () => {
  test('changes from waiting to computed, to failed, and to computed again', async () => {
    const [space, { gate, reached, open }] = [await source.makeSpace(), await createGate()];
    const { told, tell } = await serveProps();
    await waitUntilMidMinute();
    const id = await space.insert({ names: ['One'], gate, told });
    const type = `integration:${source.name}:pages`;
    const [waiting] = await getStates(space);
    expect(waiting).toMatchObject({ object: 'computed-page', id, title: 'Made', type, processingState: 'pending' });
    expect(waiting).not.toHaveProperty('lastVersion');
    const run = makeDue();
    await reached;
    expect(await getStates(space)).toMatchObject([{ processingState: 'progress', failures: 0 }]);
    open();
    await run;
    await space.settled();
    const [complete] = await getStates(space);
    expect(complete).toMatchObject({ processingState: 'complete', failures: 0, lastVersion: space.rows()[0]?.version });
    expect(complete).not.toHaveProperty('lastProcessErrorMessage');

    tell({ fails: true });
    await space.make();
    const [failing] = await getStates(space);
    expect(failing).toMatchObject({
      ...{ processingState: 'complete', failures: 1, lastVersion: complete?.lastVersion },
      lastProcessErrorMessage: expect.stringContaining('not now'),
    });
    tell({});
    await space.make();
    expect((await getStates(space))[0]).not.toHaveProperty('lastProcessErrorMessage');
  });

  test('reports a computation that was killed', async () => {
    const space = await source.makeSpace();
    await space.insert({ names: ['One'] });
    await writeDatabase(server, 'UPDATE computed_contents SET failures = 1, taken_at = 1 WHERE space = ?', space.id);

    expect(await getStates(space)).toMatchObject([
      { failures: 1, lastProcessErrorMessage: 'The last run was interrupted.' },
    ]);
  });

  test('names a missing installation, and no longer exists after the page is deleted', async () => {
    const space = await source.makeSpace();
    const id = await space.insert({ names: ['One'] });
    const path = `/v1/integrations/${source.name}/installations/${source.id}/spaces/${space.id}`;
    await server.request(path, { token: source.owner.token, method: 'DELETE' });
    await space.make();
    expect(await getStates(space)).toMatchObject([
      { failures: 0, lastProcessErrorMessage: expect.stringContaining('No active installation') },
    ]);

    await space.space.change([{ operation: 'delete_page', page: id }]);
    expect(await getStates(space)).toEqual([]);
  });
});

test.each([
  ['throws', { throws: 'x'.repeat(1000) }],
  ['refuses', { refuses: 'x'.repeat(1000) }],
  [
    'responds with something else',
    { answer: { pages: [{ type: 'document', title: `${secret} title`, computed: {} }] } },
  ],
  [
    'responds with invalid documents',
    { answer: { pages: [{ type: 'document', title: secret, computed: { type: 'T', props: { nodes: [{}] } } }] } },
  ],
  [
    'responds with a long title',
    {
      answer: {
        pages: [
          { type: 'document', title: `${'x'.repeat(90)}${secret}`, computed: { type: 'T', props: { nodes: [{}] } } },
        ],
      },
    },
  ],
])('reveals no secrets if a script %s', async (_, props) => {
  const space = await source.makeSpace();
  await space.insert(JSON.parse(JSON.stringify(props).replaceAll('"T"', `"integration:${source.name}:pages"`)));
  await space.make();

  const [{ lastProcessErrorMessage: message = '' } = {}] = await getStates(space);
  expect(message).not.toBe('');
  expect(message.length).toBeLessThan(300);
  expect(message).not.toContain(secret.slice(0, 10));
  const errors = query<{ error: string }>('SELECT error FROM integration_events WHERE integration = ?', source.name);
  expect(errors.map(({ error }) => error).join()).not.toContain(secret);
});

test('a list of states is paginated, and costs only as much as the page', async () => {
  const space = await source.makeSpace();
  const ids = [];
  for (const name of ['One', 'Two', 'Three']) ids.push(await space.insert({ names: [name] }));
  await until(() => (space.rows().length === 3 ? true : undefined));
  const path = `/v1/spaces/${space.id}/content/computed`;
  const titles: string[] = [];
  let next: string | undefined = '';
  while (next !== undefined) {
    const response = await server.request(`${path}?limit=1${next && `&page=${next}`}`, { token: space.token });
    const body = (await response.json()) as { items: State[]; next?: { page: string } };
    expect(getCost(response).trips).toBeLessThanOrEqual(2);
    titles.push(...body.items.map(({ id }) => id));
    next = body.next?.page;
  }

  expect(titles).toEqual(ids.toSorted());
});

test('the states are hidden from readers, visitors and users without access', async () => {
  const space = await source.makeSpace();
  await space.insert({ throws: 'told to few' });
  await space.make();
  const organization = source.owner.id;
  const reader = await server.makeUser({ organization, role: 'read' });
  const editor = await server.makeUser({ organization, role: 'edit' });
  const stranger = await server.makeUser();
  const visitor = (await publishSite()).visit();
  const readStatus = async ({ token }: { token: string }) =>
    (await server.request(`/v1/spaces/${space.id}/content/computed`, { token })).status;

  expect(await readStatus(editor)).toBe(200);
  expect(await Promise.all([reader, stranger, visitor].map(readStatus))).toEqual([403, 404, 404]);
});

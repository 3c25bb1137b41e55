import { beforeAll, describe, expect, test } from 'vitest';
import { betweenMinutes } from '../../support/between-minutes.ts';
import { query, writePast } from '../../support/database.ts';
import { gated } from '../../support/gate.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getCost } from '../space-client.ts';
import { published } from '../visitors/visitor-client.ts';
import type { ContentSource } from './content-source.ts';
import { makeContentSource, makeDue, secret, telling } from './content-source.ts';

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
  (await space.space.ok<{ items: State[] }>(`/content/computed${more}`)).items;

describe('editors can read the state of a computed page', () => {
  test('changes from waiting to computed, to failed, and to computed again', async () => {
    const [made, { gate, asked, open }] = [await source.makeSpace(), await gated()];
    const { told, tell } = await telling();
    await betweenMinutes();
    const id = await made.insert({ names: ['One'], gate, told });
    const type = `integration:${source.name}:pages`;
    const [waiting] = await getStates(made);
    expect(waiting).toMatchObject({ object: 'computed-page', id, title: 'Made', type, processingState: 'pending' });
    expect(waiting).not.toHaveProperty('lastVersion');
    const run = makeDue();
    await asked;
    expect(await getStates(made)).toMatchObject([{ processingState: 'progress', failures: 0 }]);
    open();
    await run;
    await made.settled();
    const [complete] = await getStates(made);
    expect(complete).toMatchObject({ processingState: 'complete', failures: 0, lastVersion: made.rows()[0]?.version });
    expect(complete).not.toHaveProperty('lastProcessErrorMessage');

    tell({ fails: true });
    await made.make();
    const [failing] = await getStates(made);
    expect(failing).toMatchObject({
      ...{ processingState: 'complete', failures: 1, lastVersion: complete?.lastVersion },
      lastProcessErrorMessage: expect.stringContaining('not now'),
    });
    tell({});
    await made.make();
    expect((await getStates(made))[0]).not.toHaveProperty('lastProcessErrorMessage');
  });

  test('reports a computation that was killed', async () => {
    const made = await source.makeSpace();
    await made.insert({ names: ['One'] });
    await writePast(server, 'UPDATE computed_contents SET failures = 1, taken_at = 1 WHERE space = ?', made.id);

    expect(await getStates(made)).toMatchObject([
      { failures: 1, lastProcessErrorMessage: 'The last run was interrupted.' },
    ]);
  });

  test('reports a missing installation, and is gone after the page is deleted', async () => {
    const made = await source.makeSpace();
    const id = await made.insert({ names: ['One'] });
    const path = `/v1/integrations/${source.name}/installations/${source.id}/spaces/${made.id}`;
    await server.request(path, { token: source.owner.token, method: 'DELETE' });
    await made.make();
    expect(await getStates(made)).toMatchObject([
      { failures: 0, lastProcessErrorMessage: expect.stringContaining('No active installation') },
    ]);

    await made.space.change([{ operation: 'delete_page', page: id }]);
    expect(await getStates(made)).toEqual([]);
  });
});

test.each([
  ['throws', { throws: 'x'.repeat(1000) }],
  ['refuses', { refuses: 'x'.repeat(1000) }],
  [
    'answers with something else',
    { answer: { pages: [{ type: 'document', title: `${secret} title`, computed: {} }] } },
  ],
  [
    'answers with documents that are none',
    { answer: { pages: [{ type: 'document', title: secret, computed: { type: 'T', props: { nodes: [{}] } } }] } },
  ],
  [
    'answers with a title that is long',
    {
      answer: {
        pages: [
          { type: 'document', title: `${'x'.repeat(90)}${secret}`, computed: { type: 'T', props: { nodes: [{}] } } },
        ],
      },
    },
  ],
])('reveals no secrets if a script %s', async (_, props) => {
  const made = await source.makeSpace();
  await made.insert(JSON.parse(JSON.stringify(props).replaceAll('"T"', `"integration:${source.name}:pages"`)));
  await made.make();

  const [{ lastProcessErrorMessage: message = '' } = {}] = await getStates(made);
  expect(message).not.toBe('');
  expect(message.length).toBeLessThan(300);
  expect(message).not.toContain(secret.slice(0, 10));
  const kept = query<{ error: string }>('SELECT error FROM integration_events WHERE integration = ?', source.name);
  expect(kept.map(({ error }) => error).join()).not.toContain(secret);
});

test('a list of states is paginated, and costs only as much as the page', async () => {
  const made = await source.makeSpace();
  const ids = [];
  for (const name of ['One', 'Two', 'Three']) ids.push(await made.insert({ names: [name] }));
  await until(() => (made.rows().length === 3 ? true : undefined));
  const path = `/v1/spaces/${made.id}/content/computed`;
  const found: string[] = [];
  let next: string | undefined = '';
  while (next !== undefined) {
    const answer = await server.request(`${path}?limit=1${next && `&page=${next}`}`, { token: made.token });
    const body = (await answer.json()) as { items: State[]; next?: { page: string } };
    expect(getCost(answer).trips).toBeLessThanOrEqual(2);
    found.push(...body.items.map(({ id }) => id));
    next = body.next?.page;
  }

  expect(found).toEqual(ids.toSorted());
});

test('the states are hidden from readers, visitors and users without access', async () => {
  const made = await source.makeSpace();
  await made.insert({ throws: 'told to few' });
  await made.make();
  const organization = source.owner.id;
  const reader = await server.makeUser({ organization, role: 'read' });
  const editor = await server.makeUser({ organization, role: 'edit' });
  const stranger = await server.makeUser();
  const visitor = (await published()).visit();
  const status = async ({ token }: { token: string }) =>
    (await server.request(`/v1/spaces/${made.id}/content/computed`, { token })).status;

  expect(await status(editor)).toBe(200);
  expect(await Promise.all([reader, stranger, visitor].map(status))).toEqual([403, 404, 404]);
});

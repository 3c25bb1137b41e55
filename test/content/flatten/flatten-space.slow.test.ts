import { callOperator } from '@octavo/platform';
import { createId } from '@octavo/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { holdsSlowly, seed } from '../../support/random.ts';
import type { SpaceClient } from '../space-client.ts';
import { flatten, getClient, insertPage, writePage } from '../space-client.ts';
import { getLifecycles } from '../spaces/space-life.ts';

const runs = 3;
const fewestRuns = 1;

const server = platform();

const queryDirectly = <Row>(statement: string, ...values: (string | number)[]) =>
  queryDatabase<Row>(server.dataDir, statement, ...values);

const waitUntilIdle = (space: string) =>
  until(
    () => queryDirectly('SELECT id FROM outbox WHERE space = ? AND done_at IS NULL', space).length === 0 || undefined,
  );

const runMinuteCron = () => callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });

/** Queues and runs the job that flattens a space. Duplicating a deeply nested copy queues the same job. */
async function startFlattening(space: string): Promise<void> {
  await writeDatabase(
    server,
    `INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at)
     SELECT ?, 'flatten_space', organization, id, '', '', '{}', 0, 0 FROM spaces WHERE id = ?`,
    createId('event'),
    space,
  );
  await runMinuteCron();
  await waitUntilIdle(space);
}

/** Reads all revisions of a space and of its change requests. */
async function readAll(space: SpaceClient) {
  const revisions = queryDirectly<{ id: string }>(
    'SELECT id FROM revisions WHERE space = ? ORDER BY branch, seq',
    space.space,
  );
  return Promise.all(
    revisions.map(async ({ id }) => {
      const { pages } = await space.revision(id);
      const texts = flatten(pages)
        .slice(0, 4)
        .map(({ id: page }) => space.callJson<{ markdown: string }>(`/revisions/${id}/page/${page}?format=markdown`));
      return { id, pages, texts: (await Promise.all(texts)).map(({ markdown }) => markdown) };
    }),
  );
}

const getLineages = (space: string) =>
  queryDirectly<{ branch: string; lineage: string }>(
    'SELECT branch, lineage FROM revisions WHERE space = ?',
    space,
  ).map(({ branch, lineage }) => ({
    branch,
    names: (JSON.parse(lineage) as [string, number][]).map(([name]) => name),
  }));

const action = fc.record({
  kind: fc.constantFrom(
    'insert',
    'nest',
    'write',
    'title',
    'delete',
    'open',
    'edit request',
    'merge',
    'update',
    'duplicate',
  ),
  page: fc.nat(20),
  text: fc.nat(5),
});
const programs = fc.array(action, { minLength: 8, maxLength: 14 });
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** A space and its change requests. */
interface Line {
  space: SpaceClient;
  requests: string[];
}

async function applyAction(line: Line, { kind, page, text }: Action): Promise<void> {
  const { space, requests } = line;
  const branch = requests[text % Math.max(requests.length, 1)];
  const ids = flatten(await space.pages()).map(({ id }) => id);
  const picked = ids[page % Math.max(ids.length, 1)];
  const write = picked === undefined ? insertPage(`New ${text}`) : writePage(picked, `Text ${text}\n`);
  if (kind === 'insert') await space.edit([insertPage(`Page ${text}`)]);
  if (kind === 'nest' && picked !== undefined) await space.edit([insertPage(`Below ${text}`, { into: picked })]);
  if (kind === 'write') await space.edit([write]);
  if (kind === 'title' && picked !== undefined)
    await space.edit([{ operation: 'update_page', page: picked, title: `T${text}` }]);
  if (kind === 'delete' && picked !== undefined) await space.edit([{ operation: 'delete_page', page: picked }]);
  if (kind === 'open') requests.push(await space.open());
  if (branch === undefined) return;
  if (kind === 'edit request') await space.edit([write, insertPage(`Proposed ${text}`)], branch);
  if (kind === 'merge') await space.merge(branch);
  if (kind === 'update') await space.update(branch);
}

async function duplicateLine(organization: TestOrganization, { space }: Line): Promise<Line> {
  const { id } = await getLifecycles(organization, server).copy(space.space);
  return { space: getClient(server, { id, token: organization.token }), requests: [] };
}

test(`every revision reads the same before, during and after flattening a space (seed ${seed})`, async () => {
  const readsTheSame = fc.asyncProperty(programs, fc.nat(10), async (program, later) => {
    const organization = await server.makeOrganization();
    let line: Line = { space: getClient(server, await server.makeSpace({ organization })), requests: [] };
    await line.space.change([insertPage('A', { ref: 'a' }), insertPage('B', { into: 'a' }), insertPage('C')]);
    for (const step of program) {
      if (step.kind === 'duplicate') line = await duplicateLine(organization, line);
      else await applyAction(line, step);
    }
    line = await duplicateLine(organization, line);
    for (const step of program.slice(later)) await applyAction(line, step);
    const below = await duplicateLine(organization, line);
    const { space } = line;
    const before = [await readAll(space), await readAll(below.space)];

    const uncut = queryDirectly<{ id: string; lineage: string }>(
      'SELECT id, lineage FROM revisions WHERE space = ?',
      space.space,
    );
    await startFlattening(space.space);
    expect([await readAll(space), await readAll(below.space)]).toEqual(before);
    // Restore a half-finished job: every second node is copied, and no lineage is cut.
    for (const { id, lineage } of uncut) {
      await writeDatabase(server, 'UPDATE revisions SET lineage = ? WHERE id = ?', lineage, id);
    }
    const half = 'DELETE FROM versions WHERE branch = ? AND since = 1 AND unicode(substr(id, -1)) % 2 = 0';
    await writeDatabase(server, half, space.space);
    expect([await readAll(space), await readAll(below.space)]).toEqual(before);
    await startFlattening(space.space);
    expect([await readAll(space), await readAll(below.space)]).toEqual(before);
    for (const { branch, names } of getLineages(space.space)) {
      expect(names).toEqual(branch === space.space ? [branch] : [branch, space.space]);
    }
    expect(queryDirectly('SELECT source FROM lineage_sources WHERE space = ?', space.space)).toEqual([]);
    await startFlattening(space.space);
    for (const step of program) await applyAction(line, step);
    const known = new Set(before[0]?.map(({ id }) => id));
    expect((await readAll(space)).filter(({ id }) => known.has(id))).toEqual(before[0]);
  });
  await holdsSlowly(readsTheSame, { numRuns: runs, fewest: fewestRuns, milliseconds: 100_000 });
}, 150_000);

test('a partially flattened copy returns the same content', async () => {
  const organization = await server.makeOrganization();
  let line: Line = { space: getClient(server, await server.makeSpace({ organization })), requests: [] };
  const [first = '', second = ''] = await line.space.change(
    Array.from({ length: 12 }, (_, n) => insertPage(`Page ${n}`)),
  );
  line = await duplicateLine(organization, line);
  await line.space.change([writePage(first, 'Anew.\n'), { operation: 'delete_page', page: second }]);
  const copy = await duplicateLine(organization, line);
  await copy.space.change([writePage(first, 'Once more.\n')]);
  const before = await readAll(copy.space);
  await startFlattening(copy.space.space);
  const rows = queryDirectly<{ id: string }>(
    'SELECT id FROM versions WHERE branch = ? AND since = 1',
    copy.space.space,
  );
  expect(rows).toHaveLength(12);
  // Simulate a step that copied some of the pages and did not cut the lineages.
  const tail = queryDirectly<{ lineage: string }>(
    'SELECT lineage FROM revisions WHERE branch = ? AND seq = 2',
    line.space.space,
  )[0];
  await writeDatabase(
    server,
    "UPDATE revisions SET lineage = json('[[' || json_quote(branch) || ',' || seq || '],' || substr(?, 2)) WHERE branch = ?",
    tail?.lineage ?? '',
    copy.space.space,
  );
  for (const { id } of rows) {
    expect(await readAll(copy.space)).toEqual(before);
    await writeDatabase(server, 'DELETE FROM versions WHERE branch = ? AND id = ? AND since = 1', copy.space.space, id);
  }
  expect(await readAll(copy.space)).toEqual(before);
});

test('the first revision of a copy has no changes, before and after flattening', async () => {
  const organization = await server.makeOrganization();
  const line: Line = { space: getClient(server, await server.makeSpace({ organization })), requests: [] };
  const [page = ''] = await line.space.change([insertPage('One'), insertPage('Two')]);
  const { space } = await duplicateLine(organization, line);
  const [first, second] = [(await space.head()).id, await space.change([writePage(page, 'Anew.\n')])];
  expect(second).toEqual([]);
  const readChanges = async () =>
    Promise.all(
      [first, (await space.head()).id].map((id) => space.callJson<{ changes: object[] }>(`/revisions/${id}/changes`)),
    );
  const before = await readChanges();
  expect(before.map((each) => each.changes.length)).toEqual([0, 1]);
  await startFlattening(space.space);
  expect(await readChanges()).toEqual(before);
});

test('flattening starts when a lineage gets its ninth branch, and the sources are not read afterwards', async () => {
  const organization = await server.makeOrganization();
  let line: Line = { space: getClient(server, await server.makeSpace({ organization })), requests: [] };
  for (let depth = 2; depth <= 9; depth += 1) {
    await line.space.change([insertPage(`Page of ${depth}`)]);
    if (depth === 9) expect(getLineages(line.space.space)[0]?.names).toHaveLength(8);
    line = await duplicateLine(organization, line);
  }
  const { space } = line;
  await waitUntilIdle(space.space);

  expect(getLineages(space.space)).toEqual([{ branch: space.space, names: [space.space] }]);
  expect(queryDirectly('SELECT source FROM lineage_sources WHERE space = ?', space.space)).toEqual([]);
  expect((await space.pages()).map(({ title }) => title)).toHaveLength(8);
});

test('edits, merges and copies during flattening are not lost', async () => {
  const organization = await server.makeOrganization();
  let line: Line = { space: getClient(server, await server.makeSpace({ organization })), requests: [] };
  await line.space.change(Array.from({ length: 40 }, (_, n) => insertPage(`Page ${n}`)));
  for (let depth = 0; depth < 8; depth += 1) line = await duplicateLine(organization, line);
  const { space } = line;
  const pages = (await space.pages()).map(({ id }) => id);
  const copies: Promise<Line>[] = [];
  for (let n = 0; n < 12; n += 1) {
    const branch = await space.open();
    await space.change([writePage(pages[n] ?? '', `Proposed ${n}\n`)], branch);
    await space.change([writePage(pages[n + 20] ?? '', `Live ${n}\n`)]);
    if (n % 4 === 0) copies.push(duplicateLine(organization, line));
    expect((await space.merge(branch)).body.result).toBe('merge');
  }
  await waitUntilIdle(space.space);

  const readText = async (page = '') =>
    (await space.callJson<{ markdown: string }>(`/content/page/${page}?format=markdown`)).markdown;
  for (let n = 0; n < 12; n += 1) {
    expect([await readText(pages[n]), await readText(pages[n + 20])]).toEqual([`Proposed ${n}\n`, `Live ${n}\n`]);
  }
  expect((await space.pages()).map(({ id }) => id)).toEqual(pages);
  for (const copy of await Promise.all(copies)) expect(await copy.space.pages()).toHaveLength(40);
});

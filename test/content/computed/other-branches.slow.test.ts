import { beforeAll, expect, test } from 'vitest';
import { waitUntilMidMinute } from '../../support/between-minutes.ts';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { createGate } from '../../support/gate.ts';
import { getPath, install, installOn } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient } from '../space-client.ts';
import { publishSite } from '../visitors/visitor-client.ts';
import type { ComputedRow, ContentSource } from './content-source.ts';
import { makeContentSource, makeDue, serveProps } from './content-source.ts';
import type { ReferencePage } from './reference-space.ts';
import { listAllPages } from './reference-space.ts';

const server = platform();

let source: ContentSource;

beforeAll(async () => {
  source = await makeContentSource();
});

test('change requests and revisions show the computed pages of live content, and a copy computes its own', async () => {
  const space = await source.makeSpace();
  await space.insert({ names: ['One'] });
  await space.make();
  const [one] = await space.tree();
  const branch = await space.space.open();
  const { id: revision } = await space.space.head();

  for (const at of [`/change-requests/${branch}/content`, `/revisions/${revision}`]) {
    expect(await space.space.callJson(`${at}/path/one/below-one`)).toMatchObject({ title: 'Below One' });
    expect(await space.space.callJson(`${at}/page/${one?.id}`)).toMatchObject({ title: 'One' });
  }
  await waitUntilMidMinute();
  const copy = await space.space.callJson<{ id: string }>('/duplicate', { method: 'POST', body: {} });
  const copied = getClient(server, { ...copy, token: source.owner.token });
  expect(await copied.pages()).toMatchObject([{ title: 'Made', type: 'computed' }]);
});

test('discards computed pages if the installation was removed during the computation', async () => {
  const [space, { gate, reached, open }] = [await source.makeSpace(), await createGate()];
  await space.insert({ names: ['One'], gate });
  await writeDatabase(server, 'UPDATE computed_contents SET due_at = 1 WHERE space = ?', space.id);
  const first = makeDue();
  await reached;
  const on = `/v1/integrations/${source.name}/installations/${source.id}/spaces/${space.id}`;
  expect((await server.request(on, { token: source.owner.token, method: 'DELETE' })).status).toBeLessThan(300);
  open();
  await first;
  await space.settled();

  expect(space.rows()).toMatchObject([{ version: null }]);
  expect(await space.titles()).toEqual(['Made']);
});

test('a space transferred to another organization loses its computed pages', async () => {
  const space = await source.makeSpace();
  await space.insert({ names: ['One'] });
  await space.make();
  const { owner } = source;
  const another = await json<{ id: string }>('/v1/orgs', { token: owner.token, body: { title: 'Another' } });
  const body = { organization: another.id };
  expect((await server.request(`/v1/spaces/${space.id}/transfer`, { token: owner.token, body })).status).toBeLessThan(
    300,
  );
  await until(async () => {
    await makeDue();
    return space.rows()[0]?.version === null ? true : undefined;
  });

  expect(await space.titles()).toEqual(['Made']);
  expect(
    query('SELECT 1 FROM computed_contents WHERE space = ? AND organization = ?', space.id, another.id),
  ).toHaveLength(1);
});

test('visitors see generated pages only if they meet the condition of the computed page', async () => {
  const { organization, space, member, visit } = await publishSite();
  const installation = await install(source, organization);
  await installOn(getPath(source, installation), organization, { space: space.id });
  const computed = { type: `integration:${source.name}:pages`, props: { names: ['One'] } };
  const [page = ''] = await member.change([{ operation: 'insert_computed', title: 'Made', computed }]);
  const readVersionRow = () =>
    query<ComputedRow>('SELECT version FROM computed_contents WHERE space = ? AND version IS NOT NULL', space.id)[0];
  await until(async () => {
    await makeDue();
    return readVersionRow();
  });
  const readTitles = async (claims: Record<string, boolean> = {}) =>
    listAllPages((await visit(claims).pages()) as ReferencePage[]).map(({ title }) => title);
  expect(await readTitles()).toEqual(expect.arrayContaining(['One', 'Below One']));
  expect(await visit().callJson('/content/path/one?format=markdown')).toMatchObject({
    markdown: expect.stringContaining('## About One'),
  });

  await member.change([{ operation: 'update_page', page, condition: 'visitor.claims.staff' }]);

  expect((await readTitles()).join()).not.toContain('One');
  expect((await visit().call('/content/path/one')).status).toBe(404);
  expect(await readTitles({ staff: true })).toEqual(expect.arrayContaining(['One', 'Below One']));
});

test('computed pages add no round trip to reads of the tree or a page', async () => {
  const space = await source.makeSpace();
  const { told, tell } = await serveProps();
  await space.insert({ names: ['One', 'Two'], told });
  await space.make();
  const few = await space.space.call('/content/pages');
  const page = await space.space.call('/content/path/two');
  tell({ names: ['One', 'Two', 'Three'] });
  await space.make();
  const more = await space.space.call('/content/pages');

  expect([few.cost.trips, more.cost.trips, page.cost.trips]).toEqual([1, 1, 2]);
  // The two additional pages are not read one by one.
  expect(more.cost.read - few.cost.read).toBeLessThan(6);
});

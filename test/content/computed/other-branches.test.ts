import { beforeAll, expect, test } from 'vitest';
import { betweenMinutes } from '../../support/between-minutes.ts';
import { json } from '../../support/content.ts';
import { query, writePast } from '../../support/database.ts';
import { gated } from '../../support/gate.ts';
import { getPath, install, installOn } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient } from '../space-client.ts';
import { published } from '../visitors/visitor-client.ts';
import type { ComputedRow, ContentSource } from './content-source.ts';
import { makeContentSource, makeDue, telling } from './content-source.ts';
import type { ReferencePage } from './reference-space.ts';
import { allPages } from './reference-space.ts';

const server = platform();

let source: ContentSource;

beforeAll(async () => {
  source = await makeContentSource();
});

test('change requests and revisions show the computed pages of live content, and a copy computes its own', async () => {
  const made = await source.makeSpace();
  await made.insert({ names: ['One'] });
  await made.make();
  const [one] = await made.tree();
  const branch = await made.space.open();
  const { id: revision } = await made.space.head();

  for (const at of [`/change-requests/${branch}/content`, `/revisions/${revision}`]) {
    expect(await made.space.ok(`${at}/path/one/below-one`)).toMatchObject({ title: 'Below One' });
    expect(await made.space.ok(`${at}/page/${one?.id}`)).toMatchObject({ title: 'One' });
  }
  await betweenMinutes();
  const copy = await made.space.ok<{ id: string }>('/duplicate', { method: 'POST', body: {} });
  const copied = getClient(server, { ...copy, token: source.owner.token });
  expect(await copied.pages()).toMatchObject([{ title: 'Made', type: 'computed' }]);
});

test('discards computed pages if the installation was removed during the computation', async () => {
  const [made, { gate, asked, open }] = [await source.makeSpace(), await gated()];
  await made.insert({ names: ['One'], gate });
  await writePast(server, 'UPDATE computed_contents SET due_at = 1 WHERE space = ?', made.id);
  const first = makeDue();
  await asked;
  const on = `/v1/integrations/${source.name}/installations/${source.id}/spaces/${made.id}`;
  expect((await server.request(on, { token: source.owner.token, method: 'DELETE' })).status).toBeLessThan(300);
  open();
  await first;
  await made.settled();

  expect(made.rows()).toMatchObject([{ version: null }]);
  expect(await made.titles()).toEqual(['Made']);
});

test('a space transferred to another organization loses its computed pages', async () => {
  const made = await source.makeSpace();
  await made.insert({ names: ['One'] });
  await made.make();
  const { owner } = source;
  const another = await json<{ id: string }>('/v1/orgs', { token: owner.token, body: { title: 'Another' } });
  const body = { organization: another.id };
  expect((await server.request(`/v1/spaces/${made.id}/transfer`, { token: owner.token, body })).status).toBeLessThan(
    300,
  );
  await until(async () => {
    await makeDue();
    return made.rows()[0]?.version === null ? true : undefined;
  });

  expect(await made.titles()).toEqual(['Made']);
  expect(
    query('SELECT 1 FROM computed_contents WHERE space = ? AND organization = ?', made.id, another.id),
  ).toHaveLength(1);
});

test('visitors see generated pages only if they meet the condition of the computed page', async () => {
  const { organization, space, member, visit } = await published();
  const installation = await install(source, organization);
  await installOn(getPath(source, installation), organization, { space: space.id });
  const computed = { type: `integration:${source.name}:pages`, props: { names: ['One'] } };
  const [page = ''] = await member.change([{ operation: 'insert_computed', title: 'Made', computed }]);
  const version = () =>
    query<ComputedRow>('SELECT version FROM computed_contents WHERE space = ? AND version IS NOT NULL', space.id)[0];
  await until(async () => {
    await makeDue();
    return version();
  });
  const titles = async (claims: Record<string, boolean> = {}) =>
    allPages((await visit(claims).pages()) as ReferencePage[]).map(({ title }) => title);
  expect(await titles()).toEqual(expect.arrayContaining(['One', 'Below One']));
  expect(await visit().ok('/content/path/one?format=markdown')).toMatchObject({
    markdown: expect.stringContaining('## About One'),
  });

  await member.change([{ operation: 'update_page', page, condition: 'visitor.claims.staff' }]);

  expect((await titles()).join()).not.toContain('One');
  expect((await visit().call('/content/path/one')).status).toBe(404);
  expect(await titles({ staff: true })).toEqual(expect.arrayContaining(['One', 'Below One']));
});

test('computed pages add no round trip to reads of the tree or a page', async () => {
  const made = await source.makeSpace();
  const { told, tell } = await telling();
  await made.insert({ names: ['One', 'Two'], told });
  await made.make();
  const few = await made.space.call('/content/pages');
  const page = await made.space.call('/content/path/two');
  tell({ names: ['One', 'Two', 'Three'] });
  await made.make();
  const more = await made.space.call('/content/pages');

  expect([few.cost.trips, more.cost.trips, page.cost.trips]).toEqual([2, 2, 3]);
  // The two additional pages are not read one by one.
  expect(more.cost.read - few.cost.read).toBeLessThan(6);
});

import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, readPast, writePast } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import type { Change } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { makeSearchedSite } from './searched-site.ts';

const server = platform();
const include = (address: string) => `{% include "${address}" %}\n`;
const page = (title: string, markdown: string): Change => insertPage(title, { document: { markdown } }) as Change;
const content = (name: string, markdown: string): Change => ({
  ...{ operation: 'insert_reusable_content', title: name, document: { markdown } },
  git: { path: `${name}.md` },
}) as Change;

async function world(changes: Change[]) {
  const organization = await server.makeOrganization();
  const space = getClient(server, await server.makeSpace({ organization }));
  const settled = () => until(() => readPast(server.dataDir, 'SELECT id FROM outbox WHERE organization = ? AND done_at IS NULL', organization.id).length === 0 || undefined);
  await space.change(changes);
  await settled();
  await space.change(changes.slice(1).map((c: any) => ({ ...c, title: `${c.title} b` })));
  await settled();
  const rc = (await space.head()).reusableContents[0]?.id ?? '';
  return { organization, space, settled, rc };
}

test('a change request that edits a reusable content', async () => {
  const { space, rc } = await world([content('note', 'Beware of the walrus.\n'), page('Zoo', `Intro\n\n${include('note.md')}`)]);
  const branch = await space.open();
  await space.change([{ operation: 'update_reusable_content', reusableContent: rc, document: { markdown: 'A penguin.' } } as Change], branch);
  const find = async (words: string) => (await space.ok<{ items: { title: string; sections: { body: string }[] }[] }>(`/change-requests/${branch}/search?query=${words}`)).items.map(({ title, sections }) => [title, sections[0]?.body]);
  console.log('CR walrus', JSON.stringify(await find('walrus')), 'penguin', JSON.stringify(await find('penguin')));
});

test('an edit of a content does not index pages with unknown includes', async () => {
  const { organization, space, settled, rc } = await world([content('note', 'Beware.\n'), ...Array.from({ length: 45 }, (_, i) => page(`Page ${i}`, `Text ${i}\n\n${include('missing.md')}`))]);
  const before = readPast(server.dataDir, `SELECT id FROM outbox WHERE organization = ? AND type = 'index_includes'`, organization.id).length;
  await space.change([{ operation: 'update_reusable_content', reusableContent: rc, document: { markdown: 'Changed.' } } as Change]);
  await settled();
  const after = readPast(server.dataDir, `SELECT id FROM outbox WHERE organization = ? AND type = 'index_includes'`, organization.id).length;
  console.log('index_includes steps for one edit of an unused content', after - before);
});

test('a result without generated pages is not cached while they are hidden', async () => {
  const w = await makeSearchedSite();
  await w.insert();
  await w.indexed();
  const made = readPast(server.dataDir, `SELECT page, title, version FROM search_made_pages WHERE space = ?`, w.space.id) as any[];
  const { title, version } = made[0];
  await writePast(server, `UPDATE search_made_pages SET version = 'other' WHERE space = ?`, w.space.id);
  const counts: any = {};
  for (const [way, search] of Object.entries(w.ways)) counts[way] = [(await search(`${title} `)).filter(({ id }: any) => id.includes('-')).length];
  await writePast(server, `UPDATE search_made_pages SET version = ? WHERE space = ?`, version, w.space.id);
  for (const [way, search] of Object.entries(w.ways)) counts[way].push((await search(`${title} `)).filter(({ id }: any) => id.includes('-')).length);
  for (const [way, search] of Object.entries(w.ways)) counts[way].push((await search(`${title}  `)).filter(({ id }: any) => id.includes('-')).length);
  console.log('generated', title, JSON.stringify(counts));
});

import { test } from 'vitest';
import { readPast } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import type { Change } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';

const server = platform();
test('included texts of a change request', { timeout: 300_000 }, async () => {
  const organization = await server.makeOrganization();
  const space = getClient(server, await server.makeSpace({ organization }));
  const settled = () => until(() => readPast(server.dataDir, 'SELECT id FROM outbox WHERE organization = ? AND done_at IS NULL', organization.id).length === 0 || undefined);
  const word = () => Math.random().toString(36).slice(2, 9);
  const big = Array.from({ length: 2500 }, () => Array.from({ length: 50 }, word).join(' ')).join('\n\n').slice(0, 1_000_000);
  await space.change([{ operation: 'insert_reusable_content', title: 'note', document: { markdown: big }, git: { path: 'note.md' } } as unknown as Change, insertPage('Live', { document: { markdown: 'walrus' } }) as Change]);
  await settled();
  const branch = await space.open();
  await space.change(Array.from({ length: 20 }, (_, i) => insertPage(`Page ${i}`, { document: { markdown: `walrus ${i}\n\n{% include "note.md" %}\n` } }) as Change), branch);
  const time = async (words: string) => { const s = performance.now(); const r = await space.ok<{ items: unknown[] }>(`/change-requests/${branch}/search?query=${words}`); return [words, Math.round(performance.now() - s), r.items.length]; };
  const other = async () => { let worst = 0; for (let i = 0; i < 40; i++) { const s = performance.now(); await space.ok('/search?query=walrus'); worst = Math.max(worst, performance.now() - s); await new Promise((r) => setTimeout(r, 100)); } return Math.round(worst); };
  const results = await Promise.all([time('walrus'), other()]);
  console.log('CR search', JSON.stringify(results), JSON.stringify(await time('otter')), JSON.stringify(await time(big.slice(0, 6))));
});

test('a text that is included many times', { timeout: 300_000 }, async () => {
  const organization = await server.makeOrganization();
  const space = getClient(server, await server.makeSpace({ organization }));
  const word = () => Math.random().toString(36).slice(2, 9);
  const small = Array.from({ length: 1200 }, word).join(' ');
  await space.change([{ operation: 'insert_reusable_content', title: 'note', document: { markdown: small }, git: { path: 'note.md' } } as unknown as Change, insertPage('Live', { document: { markdown: 'walrus' } }) as Change]);
  const branch = await space.open();
  await space.change(Array.from({ length: 20 }, (_, i) => insertPage(`Page ${i}`, { document: { markdown: `walrus ${i}\n\n${'{% include "note.md" %}\n\n'.repeat(100)}` } }) as Change), branch);
  const s = performance.now(); const r = await space.ok<{ items: unknown[] }>(`/change-requests/${branch}/search?query=walrus`);
  console.log('repeated', Math.round(performance.now() - s), r.items.length);
});

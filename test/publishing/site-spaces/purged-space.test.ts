import { commit, deleteSpace } from '@octavo/db';
import { expect, test } from 'vitest';
import { world } from '../../platform/effects-world.ts';
import { connectMemoryDatabase, createMemoryDatabase } from '../../support/memory-database.ts';

test('purging a space removes it from its sites, which get another default', async () => {
  const database = createMemoryDatabase();
  database.exec(world);
  database.exec(`INSERT INTO site_spaces (id, site, section, space, path, is_default, position, created_at) VALUES
    ('ss_1', 'site_1', '', 'spc_purged', 'a', 1, 1, 1), ('ss_2', 'site_1', '', 'spc_one', 'b', 0, 2, 1),
    ('ss_3', 'site_2', '', 'spc_purged', 'a', 1, 1, 1), ('ss_4', 'site_3', '', 'spc_two', 'a', 1, 1, 1)`);
  const db = connectMemoryDatabase(database);

  const { statements, events } = deleteSpace(db, { space: 'spc_purged', organization: 'a' });
  await commit(db, { actor: '', requestId: '' }, statements, events);

  const left = database.prepare('SELECT id, is_default FROM site_spaces ORDER BY id').all();
  expect(left.map(({ id, is_default: isDefault }) => [id, isDefault])).toEqual([
    ['ss_2', 1],
    ['ss_4', 1],
  ]);
});

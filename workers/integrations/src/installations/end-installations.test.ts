import { readRows } from '@octavo/db';
import { expect, test } from 'vitest';
import { connectMemoryDatabase, createMemoryDatabase } from '../../../../test/support/memory-database.ts';
import { selectNextPart } from './end-installations.ts';

/** Creates installations with these numbers of spaces. The spaces of the last one cannot be read. */
function createInstallations(counts: number[]) {
  const database = createMemoryDatabase();
  database.exec(`
    INSERT INTO users (id, email, display_name, created_at) VALUES ('acc', 'acc@x', '', 1);
    INSERT INTO integrations (name, organization, account, title, script, signing_secret, created_by, created_at,
        updated_at, unpublished_at)
      VALUES ('ended', 'org', 'acc', 'Ended', '', '', 'usr', 1, 1, 2)`);
  for (const [index, count] of counts.entries()) {
    database.exec(`
      INSERT INTO organizations (id, title, created_at) VALUES ('org${index}', '', 1);
      INSERT INTO installations (id, integration, organization, account, status, configuration, signing_secret,
          created_by, created_at, updated_at)
        VALUES ('ins${index}', 'ended', 'org${index}', 'acc', 'active', '', '', 'usr', ${index}, 1)`);
    // A BLOB cannot be converted to JSON.
    const status = index === counts.length - 1 ? "x'00'" : "'active'";
    for (let space = 0; space < count; space += 1)
      database.exec(`
        INSERT INTO space_installations (installation, space, integration, organization, status, configuration,
            created_at, updated_at)
          VALUES ('ins${index}', 'spc${space}', 'ended', 'org${index}', ${status}, '', 1, 1)`);
  }
  return connectMemoryDatabase(database);
}

test('a part ends with the 200th space, and the spaces of further installations are not read', async () => {
  const db = createInstallations([150, 0, 50, 1]);

  expect((await readRows(db, selectNextPart('ended'))).map(({ id }) => id)).toEqual(['ins0', 'ins1', 'ins2']);
});

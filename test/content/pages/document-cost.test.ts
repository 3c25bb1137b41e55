import { expect, test } from 'vitest';
import { writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';

const server = platform({ countsRows: true });

/** Measures reading the document of a page whose text occurs in many old versions, in this space and in another. */
async function measureDocumentCost(versions: number) {
  const newSpace = await server.makeSpace();
  const space = getClient(server, newSpace);
  const [page = ''] = await space.change([insertPage('Page')]);
  const { documentId = '' } = await space.page(page);
  for (const branch of [newSpace.id, `${newSpace.id}-other`])
    await writeDatabase(
      server,
      `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${versions})
       INSERT INTO versions (branch, kind, id, since, until, slug, data, document)
       SELECT ?, 'page', 'aa', n - ${versions}, n - ${versions} + 1, '', '{}', ? FROM n`,
      branch,
      documentId,
    );
  await writeDatabase(
    server,
    `UPDATE versions SET document = NULL WHERE branch = ? AND id = 'aa' AND until = 1`,
    newSpace.id,
  );
  const { status, cost } = await space.call(`/documents/${documentId}`);
  expect(status).toBe(200);
  return cost;
}

test('reading a document costs the same, however many versions have this text', async () => {
  const [few, many] = [await measureDocumentCost(10), await measureDocumentCost(1000)];
  expect(many).toEqual(few);
  expect(many.trips).toBe(2);
});

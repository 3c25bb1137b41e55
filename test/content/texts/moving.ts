import { callOperator } from '@octavo/platform';
import { createId } from '@octavo/schema';
import { queryDatabase, writeDatabase, writeDatabaseAtOnce } from '../../support/database.ts';
import type { Server } from '../../support/platform.ts';
import { waitForAllJobs } from '../retention/trash.ts';

/** Returns a text that contains these words and is long enough to be moved. */
export const createLongText = (words: string): string =>
  `${words}\n\n## Section of ${words}\n\n${'A sentence that makes the text longer. '.repeat(40)}\n`;

/** Queues the job that moves texts which nothing has used for some days. */
export const queueMove = (server: Server, days: number): Promise<void> =>
  writeDatabase(
    server,
    "INSERT INTO outbox (id, type, actor, request_id, data, created_at, sent_at) VALUES (?, 'move_texts', 'system', '', ?, 0, 0)",
    ...[createId('event'), JSON.stringify({ days, after: '' })],
  );

/** Moves texts that nothing has used for some days to the bucket, and moves texts that are in use again back. */
export async function moveTexts(server: Server, days: number): Promise<void> {
  await queueMove(server, days);
  await waitForAllJobs(server);
}

/** Moves all texts to the bucket, even those in use, by hiding the versions that use them. Keeps texts for search. */
export async function moveAllTexts(server: Server): Promise<void> {
  await waitForAllJobs(server);
  await writeDatabase(server, "UPDATE versions SET document = 'hidden ' || document");
  await writeDatabase(server, 'CREATE TRIGGER kept BEFORE DELETE ON search_texts BEGIN SELECT RAISE(IGNORE); END');
  await moveTexts(server, 0);
  await writeDatabase(server, 'DROP TRIGGER kept');
  await writeDatabase(server, "UPDATE versions SET document = replace(document, 'hidden ', '')");
}

/** Returns the names of the objects of moved texts, by the hash of their document. */
export const readMoved = ({ dataDir }: Server): Map<string, string> =>
  new Map(
    queryDatabase<{ hash: string; object: string }>(
      dataDir,
      "SELECT hash, CAST(markdown AS TEXT) AS object FROM documents WHERE typeof(markdown) = 'blob'",
    ).map(({ hash, object }) => [hash, object]),
  );

/** Returns the objects that no document refers to. */
export const listUnusedObjects = ({ dataDir }: Server): string[] =>
  queryDatabase<{ object: string }>(dataDir, 'SELECT object FROM unused_texts ORDER BY object').map(
    ({ object }) => object,
  );

/** Lets the time pass after which unused objects are deleted. */
export const expireUnused = (server: Server): Promise<void> =>
  writeDatabaseAtOnce(server, [{ sql: 'UPDATE unused_texts SET delete_at = 0', values: [] }]);

/** Returns the names of all objects with texts in the bucket. */
export async function listObjects({ dataDir }: Server): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const listed: Awaited<ReturnType<typeof callOperator<'/export/files'>>> = await callOperator(
      dataDir,
      '/export/files',
      { bucket: 'FILES', cursor },
    );
    names.push(...listed.files.flatMap(({ key }) => (key.startsWith('texts/') ? [key.slice('texts/'.length)] : [])));
    cursor = listed.cursor;
  }
  return names.toSorted();
}

/** Returns the objects to which documents refer, in the order of `listObjects`. */
export const listMoved = (server: Server): string[] => [...readMoved(server).values()].toSorted();

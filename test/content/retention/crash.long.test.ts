import { expect, test } from 'vitest';
import { writeDatabase, writeStoppedDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import { createFiles, createTextFile } from '../files/file-client.ts';
import { getClient } from '../space-client.ts';
import { insertLargeSpace } from './large-space.ts';
import {
  advanceOneDay,
  ageFiles,
  beginDay,
  getRows,
  getStage,
  resumeJobs,
  setDeletedDaysAgo,
  waitForAllJobs,
  waitForObjects,
} from './trash.ts';

const stages = ['imports', 'branches', 'change_requests', 'search', 'versions', 'revisions', 'space'];

/**
 * Returns a trigger that aborts each step that would start the next stage, so that even a fast purge stays in this
 * stage.
 */
const createHoldTrigger = (stage: string): string => {
  const later = stages.slice(stages.indexOf(stage) + 1).map((each) => `'${each}'`);
  const refused = "BEGIN SELECT RAISE(ABORT, 'held by the test'); END";
  return stage === 'space'
    ? `CREATE TRIGGER held BEFORE DELETE ON spaces ${refused}`
    : `CREATE TRIGGER held BEFORE INSERT ON outbox WHEN NEW.type = 'purge_space' AND NEW.data->>'stage' IN (${later}) ${refused}`;
};

/** Starts the server, waits until the purge reaches a stage, and kills the server there. */
async function killAt(server: OwnPlatform, space: string, stage: string): Promise<void> {
  writeStoppedDatabase(server, createHoldTrigger(stage));
  await server.restart();
  await resumeJobs(server);
  await until(() => getStage(server, space) === stage || undefined);
  await server.kill('SIGKILL');
  expect(getStage(server, space)).toBe(stage);
  writeStoppedDatabase(server, 'DROP TRIGGER held');
  // Steps that the trigger aborts must not count as failed attempts.
  writeStoppedDatabase(server, 'UPDATE outbox SET attempts = 0 WHERE done_at IS NULL');
}

test('a purge of 3,000 pages that is killed at every stage leaves no data', {
  timeout: 300_000,
}, async () => {
  const server = await startOwnPlatform();
  try {
    const organization = await server.makeOrganization();
    const before = getRows(server);
    const space = await server.makeSpace({ organization });
    await createFiles(getClient(server, space), [createTextFile('a.txt', 'a'), createTextFile('b.txt', 'b')]);
    await waitForAllJobs(server);
    await insertLargeSpace(server, space, { pages: 3_000, changeRequests: 300 });
    await ageFiles(server, 2);
    await setDeletedDaysAgo(server, space.id, 8);

    await writeDatabase(server, createHoldTrigger('imports'));
    await beginDay(server);
    await server.kill('SIGKILL');
    writeStoppedDatabase(server, 'DROP TRIGGER held');
    for (const stage of stages) await killAt(server, space.id, stage);
    await server.restart();
    await waitForAllJobs(server);
    // Blobs that were marked for deletion when the server was killed are deleted an hour later.
    await ageFiles(server, 2);
    await advanceOneDay(server);

    expect(getRows(server)).toEqual(before);
    await waitForObjects(server, 0);
  } finally {
    await server.remove();
  }
});

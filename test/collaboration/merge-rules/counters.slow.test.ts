import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SpaceClient } from '../../content/space-client.ts';
import { getClient, insertPage } from '../../content/space-client.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';

const rounds = 20;
const waiting = 3;

const server = platform();
beforeAll(async () => {
  // The outbox is unordered, so record the order of its inserts.
  await writeDatabase(server, 'CREATE TABLE noted (at INTEGER PRIMARY KEY, type TEXT, space TEXT, request TEXT)');
  await writeDatabase(
    server,
    `CREATE TRIGGER outbox_noted AFTER INSERT ON outbox BEGIN
      INSERT INTO noted (type, space, request) VALUES (new.type, new.space, new.data->>'changeRequest'); END`,
  );
});
afterAll(async () => {
  await writeDatabase(server, 'DROP TRIGGER outbox_noted');
  await writeDatabase(server, 'DROP TABLE noted');
});

async function makeSpace(expression: string): Promise<SpaceClient> {
  const space = getClient(server, await server.makeSpace());
  const mergeRules = { type: 'rules', rules: [{ rule: 'custom', expression }] };
  await space.callJson('', { method: 'PATCH', body: { mergeRules } });
  return space;
}

interface Disturbed {
  space: SpaceClient;
  branch: string;
  /** Number of small requests before `disturb` is called. */
  steps: number;
}

/**
 * Queues a merge behind updates that change nothing, and calls `disturb` while it waits. Returns the status of the
 * merge.
 */
async function mergeBetweenChanges(
  { space, branch, steps }: Disturbed,
  disturb: () => Promise<unknown>,
): Promise<number> {
  const disturbAfterRequests = async () => {
    for (let step = 0; step < steps; step += 1) await space.callJson('');
    await disturb();
  };
  const updates = Array.from({ length: waiting }, () => space.update(branch));
  const [{ status }] = await Promise.all([space.merge(branch), disturbAfterRequests(), ...updates]);
  return status;
}

const readNotedEvents = ({ space }: SpaceClient, type: string) =>
  queryDatabase<{ at: number; request: string | null }>(
    server.dataDir,
    'SELECT at, request FROM noted WHERE space = ? AND type = ?',
    space,
    type,
  );

test('a custom rule can require that a change request has no comments', async () => {
  const space = await makeSpace('changeRequest.comments == 0');
  const statuses: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const branch = await space.open();
    await space.change([insertPage('New')], branch);
    const comment = () =>
      space.callJson(`/change-requests/${branch}/comments`, { body: { body: { markdown: 'Wait.' } } });
    statuses.push(await mergeBetweenChanges({ space, branch, steps: round % 4 }, comment));
  }

  const posted = new Map(readNotedEvents(space, 'comment.created').map(({ at, request }) => [request, at]));
  const merged = readNotedEvents(space, 'change_request.merged');
  expect(posted.size).toBe(rounds);
  expect(merged.filter(({ at, request }) => at > (posted.get(request) ?? 0))).toEqual([]);
  expect(new Set(statuses).difference(new Set([200, 409, 412]))).toEqual(new Set());
});

test('does not merge after a comment was posted during the merge if the rule allows no comments', async () => {
  const space = await makeSpace('space.comments == 0');
  for (let round = 0; round < rounds; round += 1) {
    const branch = await space.open();
    await space.change([insertPage('New')], branch);
    const from = readNotedEvents(space, 'comment.created').length;
    let comment = { id: '' };
    await mergeBetweenChanges({ space, branch, steps: round % 4 }, async () => {
      comment = await space.callJson('/comments', { body: { body: { markdown: 'Wait.' } } });
    });
    const posted = readNotedEvents(space, 'comment.created')[from]?.at ?? 0;
    const merged = readNotedEvents(space, 'change_request.merged').find(({ request }) => request === branch);
    expect(merged?.at ?? 0).toBeLessThan(posted);
    await space.callJson(`/comments/${comment.id}`, { method: 'PUT', body: { resolved: true } });
  }
});

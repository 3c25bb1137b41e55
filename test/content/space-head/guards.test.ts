import { afterAll, beforeAll, expect, test } from 'vitest';
import { writePast } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { ownPlatform } from '../../support/own-platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { clientOf, insertPage } from '../space-client.ts';
import { range } from './programs.ts';

/*
 * What a write has checked must still hold when it lands. The moment between the two is too short for requests to meet
 * in it, so this test closes things by a process of its own, at a time within the request that changes from round to
 * round. The database tells of a write to what was closed: these triggers rename it.
 */
const rounds = 80;
const caught = 'written while closed';
const triggers = [
  `CREATE TRIGGER closed_space BEFORE INSERT ON revisions
  WHEN EXISTS (SELECT 1 FROM spaces WHERE id = new.space
    AND (deleted_at IS NOT NULL OR (edit_mode = 'locked' AND new.branch = new.space AND new.type = 'edits')))
  BEGIN UPDATE spaces SET title = '${caught}' WHERE id = new.space; END`,
  `CREATE TRIGGER closed_change_request BEFORE INSERT ON revisions
  WHEN EXISTS (SELECT 1 FROM change_requests
    WHERE id IN (new.branch, new.change_request) AND status IN ('archived', 'merged'))
  BEGIN UPDATE change_requests SET subject = '${caught}' WHERE id IN (new.branch, new.change_request); END`,
  `CREATE TRIGGER merged_change_request AFTER UPDATE OF subject ON change_requests
  WHEN old.status = 'merged' AND new.subject <> '${caught}'
  BEGIN UPDATE change_requests SET subject = '${caught}' WHERE id = new.id; END`,
];

let server: OwnPlatform;
let space: SpaceClient;
beforeAll(async () => {
  server = await ownPlatform();
  for (const trigger of triggers) writePast(server.dataDir, trigger);
});
afterAll(() => server?.remove());

const write = (statement: string, ...values: string[]) => writePast(server.dataDir, statement, ...values);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
/** Many changes, so that the time between the check and the write is longer. */
const many = range(40).map((index) => insertPage(`Page ${index}`));
const patch = (path: string, body: unknown) => space.call<object>(path, { method: 'PATCH', body });

interface Race {
  /** Opens what is to be closed; gives the request that races. */
  prepare(): Promise<() => Promise<{ status: number }>>;
  close(): void;
  refused: number;
}

/** Closes in the midst of a request, again and again; gives how often the request came first. */
async function race({ prepare, close, refused }: Race): Promise<number> {
  const statuses: number[] = [];
  let duration = 20;
  for (const round of range(rounds)) {
    const request = await prepare();
    const start = performance.now();
    const answering = request();
    await pause(duration * ((round % 20) / 20));
    close();
    const { status } = await answering;
    if (status === 200) duration = (duration + performance.now() - start) / 2;
    statuses.push(status);
  }
  // The runtime fails where both processes write in the very same moment.
  for (const status of statuses) expect([200, refused, 500]).toContain(status);
  return statuses.filter((status) => status === 200).length;
}

test('a live edit does not land in a space that was locked meanwhile', async () => {
  space = clientOf(server, await server.makeSpace());
  const landed = await race({
    async prepare() {
      write("UPDATE spaces SET edit_mode = 'live' WHERE id = ?", space.space);
      return () => space.edit(many);
    },
    close: () => write("UPDATE spaces SET edit_mode = 'locked' WHERE id = ?", space.space),
    refused: 412,
  });

  expect(await space.ok('')).toMatchObject({ title: 'A space', editMode: 'locked' });
  expect(await space.pages()).toHaveLength(landed * many.length);
  expect((await space.edit([insertPage('Late')])).body.error.type).toBe('precondition_failed');
});

test.each([
  ['a live edit', () => space.edit(many)],
  ['a merge', (branch: string) => space.merge(branch)],
])('%s does not land in a space that was deleted meanwhile', async (_, move) => {
  space = clientOf(server, await server.makeSpace());
  await race({
    async prepare() {
      write('UPDATE spaces SET deleted_at = NULL WHERE id = ?', space.space);
      const branch = await space.open();
      await space.change([insertPage('Proposed')], branch);
      return () => move(branch);
    },
    close: () => write('UPDATE spaces SET deleted_at = 1 WHERE id = ?', space.space),
    refused: 404,
  });

  expect(await space.ok('')).toMatchObject({ title: 'A space', deletedAt: expect.any(String) });
});

test.each([
  ['edit', (branch: string) => space.edit(many, branch)],
  ['update', (branch: string) => space.update(branch)],
  ['merge', (branch: string) => space.merge(branch)],
  ['new subject', (branch: string) => patch(`/change-requests/${branch}`, { subject: 'A change' })],
])('a change request takes no %s once it was closed meanwhile', async (name, move) => {
  space = clientOf(server, await server.makeSpace());
  const closed = name === 'new subject' ? 'merged' : 'archived';
  let branch = '';
  await race({
    async prepare() {
      branch = await space.open();
      await space.change([insertPage('Proposed')], branch);
      await space.change([insertPage('Live')]);
      return () => move(branch);
    },
    close: () => write('UPDATE change_requests SET status = ? WHERE id = ?', closed, branch),
    refused: 409,
  });

  for (const status of ['archived', 'merged']) {
    const { items } = await space.ok<{ items: { subject: string }[] }>(`/change-requests?status=${status}&limit=1000`);
    expect(items.filter(({ subject }) => subject !== 'A change')).toEqual([]);
  }
});

test('a merge ends what others do to the change request at the same time', async () => {
  space = clientOf(server, await server.makeSpace());
  for (let round = 0; round < 10; round += 1) {
    const branch = await space.open();
    await space.change([insertPage('Proposed')], branch);
    await space.change([insertPage('Live')]);
    const path = `/change-requests/${branch}`;
    const rename = (index: number) => patch(path, { status: 'open', subject: `Subject ${index}` });
    const before = range(12).map(rename);
    const merging = space.merge(branch);
    const others = [...range(13).map(rename), ...range(25).map(() => space.update(branch))];
    const merged = await merging;
    const then = await space.ok<object>(path);
    const answers = await Promise.all([...before, ...others]);

    expect(merged.body.result).toBe('merge');
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(then).toMatchObject({ status: 'merged', subject: expect.stringMatching(/^(?:A change|Subject \d+)$/) });
    expect(await space.ok<object>(path)).toEqual(then);
    expect((await patch(path, { subject: 'Late' })).status).toBe(409);
  }
});

test('25 live edits that wait their turn when the space is locked land or are refused, and none after', async () => {
  space = clientOf(server, await server.makeSpace());
  const first = range(25).map((index) => space.edit([insertPage(`Page ${index}`)]));
  const locked = await patch('', { editMode: 'locked' });
  const late = await Promise.all(range(10).map((index) => space.edit([insertPage(`Late ${index}`)])));
  const answers = await Promise.all(first);

  expect(locked.status).toBe(200);
  expect(late.map(({ status }) => status)).toEqual(range(10).map(() => 412));
  for (const { status } of answers) expect([200, 412]).toContain(status);
  const written = answers.flatMap(({ status }, index) => (status === 200 ? [`Page ${index}`] : []));
  expect((await space.pages()).map(({ title }) => title).toSorted()).toEqual(written.toSorted());
});

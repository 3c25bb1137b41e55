import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { range } from './programs.ts';

async function start(): Promise<SpaceClient> {
  const server = platform();
  return getClient(server, await server.makeSpace());
}

const patch = (space: SpaceClient, path: string, body: unknown) => space.call<object>(path, { method: 'PATCH', body });

test('a merge stops concurrent writes to the change request', async () => {
  const space = await start();
  for (let round = 0; round < 10; round += 1) {
    const branch = await space.open();
    await space.change([insertPage('Proposed')], branch);
    await space.change([insertPage('Live')]);
    const path = `/change-requests/${branch}`;
    const rename = (index: number) => patch(space, path, { status: 'open', subject: `Subject ${index}` });
    const before = range(12).map(rename);
    const merging = space.merge(branch);
    const others = [...range(13).map(rename), ...range(25).map(() => space.update(branch))];
    const merged = await merging;
    const then = await space.callJson<object>(path);
    const responses = await Promise.all([...before, ...others]);

    expect(merged.body.result).toBe('merge');
    for (const { status } of responses) expect([200, 409]).toContain(status);
    expect(then).toMatchObject({ status: 'merged', subject: expect.stringMatching(/^(?:A change|Subject \d+)$/) });
    expect(await space.callJson<object>(path)).toEqual(then);
    expect((await patch(space, path, { subject: 'Late' })).status).toBe(409);
  }
});

test('25 edits of live content queued when it is locked succeed or fail, and later ones fail', async () => {
  const space = await start();
  const first = range(25).map((index) => space.edit([insertPage(`Page ${index}`)]));
  const locked = await patch(space, '', { editMode: 'locked' });
  const late = await Promise.all(range(10).map((index) => space.edit([insertPage(`Late ${index}`)])));
  const response = await Promise.all(first);

  expect(locked.status).toBe(200);
  expect(late.map(({ status }) => status)).toEqual(range(10).map(() => 412));
  for (const { status } of response) expect([200, 412]).toContain(status);
  const written = response.flatMap(({ status }, index) => (status === 200 ? [`Page ${index}`] : []));
  expect((await space.pages()).map(({ title }) => title).toSorted()).toEqual(written.toSorted());
});

import { expect, test } from 'vitest';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { ownPlatform, until } from '../../support/own-platform.ts';
import { newFiles, textFile } from '../files/file-client.ts';
import { clientOf } from '../space-client.ts';
import { plant } from './plant.ts';
import { ageFiles, beginDay, deletedFor, objectsAre, passDay, resume, rowsOf, settled, stageOf } from './trash.ts';

const stages = ['imports', 'branches', 'change_requests', 'search', 'versions', 'revisions', 'space'];

/** Kills the server once the purge has come to a stage, at whatever it does there, and starts it again. */
async function killAt(server: OwnPlatform, space: string, stage: string): Promise<void> {
  await until(() => (stages.indexOf(stageOf(server, space) ?? 'space') >= stages.indexOf(stage) ? true : undefined));
  await server.kill('SIGKILL');
  expect(stageOf(server, space)).toBeDefined();
  await server.restart();
  await resume(server);
}

test('security 37: a purge of 10,000 pages that is killed at every stage leaves nothing', {
  timeout: 300_000,
}, async () => {
  const server = await ownPlatform();
  try {
    const organization = await server.makeOrganization();
    const before = rowsOf(server);
    const space = await server.makeSpace({ organization });
    await newFiles(clientOf(server, space), [textFile('a.txt', 'a'), textFile('b.txt', 'b')]);
    await settled(server);
    await plant(server, space, { pages: 10_000, changeRequests: 600 });
    await ageFiles(server, 2);
    await deletedFor(server, space.id, 8);

    await beginDay(server);
    for (const stage of ['branches', 'search', 'versions', 'revisions']) await killAt(server, space.id, stage);
    await settled(server);
    // What was doomed when the server was killed is deleted an hour later.
    await ageFiles(server, 2);
    await passDay(server);

    expect(rowsOf(server)).toEqual(before);
    await objectsAre(server, 0);
  } finally {
    await server.remove();
  }
});

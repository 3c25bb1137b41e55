import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import { isSignedWith, receive } from './receiver.ts';
import { getWebhooks } from './webhook-client.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform({ allowsPrivate: true });
}, 120_000);
afterAll(() => server?.remove());

const kills = 4;
const perKill = 40;

test('after kills, each event arrives signed and in order, and repeats have the same ID', {
  timeout: 400_000,
}, async () => {
  const organization = await server.makeOrganization();
  const hooks = getWebhooks(organization, server);
  const receiver = await receive((_, response) => void setTimeout(() => response.end(), 5));
  const { id, secret } = await hooks.create(receiver.url, { events: ['space.updated'] });
  const spaces = await Promise.all([1, 2, 3].map(() => server.makeSpace({ organization })));
  const rename = (index: number) =>
    server.request(`/v1/spaces/${spaces[index % spaces.length]?.id}`, {
      token: organization.token,
      method: 'PATCH',
      body: { title: `Title ${index}` },
    });
  for (let kill = 0; kill < kills; kill += 1) {
    const before = receiver.received.length;
    for (let index = 0; index < perKill; index += 1) await rename(index);
    await receiver.until((all) => all.length > before + kill * 5);
    await server.kill('SIGKILL', 'workerd');
    await server.kill('SIGKILL');
    await server.restart();
  }
  const written = queryDatabase<{ id: string; space: string }>(
    server.dataDir,
    "SELECT id, space FROM outbox WHERE organization = ? AND type = 'space.updated' ORDER BY created_at, id",
    organization.id,
  );
  await until(() => {
    const left = queryDatabase(
      server.dataDir,
      "SELECT seq FROM deliveries WHERE subscription = ? AND status <> 'delivered'",
      id,
    );
    return left.length === 0 && new Set(receiver.received.map(({ body }) => body.id)).size === written.length
      ? true
      : undefined;
  });

  expect(written).toHaveLength(kills * perKill);
  const firsts = [...new Map(receiver.received.toReversed().map((each) => [each.body.id, each])).values()].toSorted(
    (one, other) => one.at - other.at,
  );
  for (const { id: space } of spaces) {
    const inOrder = written.filter((each) => each.space === space).map((each) => each.id);
    expect(firsts.filter(({ body }) => body.space === space).map(({ body }) => body.id)).toEqual(inOrder);
  }
  const ids = new Map(receiver.received.map(({ body, delivery }) => [`${body.id} ${delivery}`, delivery]));
  expect(ids.size).toBe(written.length);
  expect(receiver.received.every((each) => isSignedWith(secret, each))).toBe(true);
});

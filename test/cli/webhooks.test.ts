import { expect, test, vi } from 'vitest';
import { json } from '../support/content.ts';
import { serveLocally } from '../support/local-server.ts';
import { createCommandLine, octavo as octavoAs } from './octavo.ts';

/** Makes an organization with a webhook whose receiver returns `status`, and a command line of its admin. */
async function createReceiver(status: number) {
  const command = await createCommandLine();
  const { organization, token } = command;
  const seen: string[] = [];
  const url = await serveLocally((request, response) => {
    seen.push(String(request.headers['x-octavo-event']));
    request.resume();
    response.writeHead(status).end('as told');
  });
  const body = { url, events: ['space.created'] };
  const { id } = await json<{ id: string }>(`/v1/orgs/${organization}/webhooks`, { token, body });
  const makeSpace = () => json(`/v1/orgs/${organization}/spaces`, { token, body: { title: 'A space' } });
  return { ...command, url, id, seen, makeSpace };
}

test('tests a webhook by ID or URL, and reports whether it was accepted', async () => {
  const { octavo, url, id, seen, organization } = await createReceiver(200);

  for (const expected of [id, url])
    expect(await octavo('webhook', 'test', expected)).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Delivered in \d+ ms, status 200: as told\n$/),
    });
  expect(seen).toEqual(['ping', 'ping']);
  expect(await octavo('webhook', 'list', '--organization', organization)).toMatchObject({
    stdout: `${id}  active  ${url}  space.created\n`,
  });
  const asJson = await octavo('webhook', 'list', '--json');
  expect(JSON.parse(asJson.stdout)).toEqual([expect.objectContaining({ id, url, active: true })]);
});

test('rejects a URL that two webhooks share, but accepts their IDs', async () => {
  const { octavo, url, id, seen, organization, token } = await createReceiver(200);
  const path = `/v1/orgs/${organization}/webhooks`;
  const other = await json<{ id: string }>(path, { token, body: { url, events: ['space.created'] } });

  const { code, stderr } = await octavo('webhook', 'test', url);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^octavo: Several webhooks have the URL \S+\. Choose one by id: /);
  expect(stderr).toContain(id);
  expect(stderr).toContain(other.id);
  expect(seen).toEqual([]);
  for (const each of [id, other.id]) expect(await octavo('webhook', 'test', each)).toMatchObject({ code: 0 });
});

test('exits with 1 if the webhook rejects the test, and lists the reason with its deliveries', async () => {
  const { octavo, id, makeSpace } = await createReceiver(410);

  expect(await octavo('webhook', 'test', id)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^octavo: Delivery failed after \d+ ms, status 410: as told\n$/),
  });
  await makeSpace();
  await vi.waitFor(
    async () =>
      expect(await octavo('webhook', 'deliveries', id, '--status', 'dead')).toEqual({
        code: 0,
        stderr: '',
        stdout: expect.stringMatching(/^\w+ {2}\S+Z {2}space\.created {2}dead \(1 attempt\) {2}returned 410\n$/),
      }),
    { timeout: 30_000, interval: 200 },
  );
  expect(await octavo('webhook', 'deliveries', id, '--status', 'delivered')).toMatchObject({
    stdout: 'There are no deliveries.\n',
  });
  const asJson = await octavo('webhook', 'deliveries', id, '--json');
  expect(JSON.parse(asJson.stdout)).toEqual([expect.objectContaining({ status: 'dead', answered: 410 })]);
});

test('lists why a webhook is paused, and its failed deliveries', async () => {
  const refusing = await createReceiver(404);
  const gone = await createReceiver(410);
  const waitForListed = async ({ octavo }: typeof gone, expected: RegExp) =>
    vi.waitFor(async () => expect((await octavo('webhook', 'list')).stdout).toMatch(expected), {
      ...{ timeout: 30_000, interval: 200 },
    });
  await refusing.makeSpace();
  await waitForListed(refusing, /failing since \S+Z \(1 attempt, 1 given up\) {2}http/);
  await gone.makeSpace();
  await waitForListed(gone, /paused since \S+Z: the receiver returned 410 {2}http/);

  const [asJson] = JSON.parse((await gone.octavo('webhook', 'list', '--json')).stdout);
  expect(asJson).toMatchObject({ active: false, pausedReason: 'gone', pausedSince: expect.any(String) });
});

test('reports an unknown webhook and an unknown status', async () => {
  const { id } = await createReceiver(200);
  const { env } = await createCommandLine();

  for (const command of ['test', 'deliveries'])
    expect(await octavoAs(env, 'webhook', command, id)).toMatchObject({
      code: 1,
      stderr: `octavo: The webhook ${id} does not exist in any organization that you are an admin of.\n`,
    });
  expect(await octavoAs(env, 'webhook', 'deliveries', id, '--status', 'lost')).toMatchObject({ code: 2 });
});

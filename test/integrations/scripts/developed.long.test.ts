import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { installOn } from '../../support/integrations.ts';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { installScript, publishScript } from './scripted.ts';

const server = platform();

test.each([true, false])("a developer's server gets no data of other organizations: %s", async (all) => {
  const script = getScript(`return new Response('published');`);
  const { name, owner } = await publishScript(server, script, { visibility: 'public' });
  const others = await server.makeOrganization();
  const install = (organization: { id: string; token: string }) =>
    json<{ id: string; urls: { publicEndpoint: string } }>(`/v1/integrations/${name}/installations`, {
      token: organization.token,
      body: { organization: organization.id },
    });
  const [own, foreign] = [await install(owner), await install(others)];
  const seen: string[] = [];
  const tunnelUrl = await serveLocally(async (request, response) => {
    seen.push(Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString());
    response.end('developed');
  });
  const dev = `/v1/integrations/${name}/dev`;
  expect((await server.request(dev, { token: owner.token, method: 'PUT', body: { tunnelUrl, all } })).status).toBe(204);
  const fetchText = async (address: string) => (await fetch(address)).text();

  expect(await fetchText(`${server.url}/integrations/${name}`)).toBe('developed');
  expect(await fetchText(own.urls.publicEndpoint)).toBe('developed');
  expect(await fetchText(foreign.urls.publicEndpoint)).toBe('published');
  const path = `/v1/integrations/${name}/installations/${foreign.id}`;
  expect((await server.request(path, { token: others.token, method: 'DELETE' })).status).toBe(205);
  const readEvents = () =>
    query<{ payload: string }>('SELECT payload FROM integration_events WHERE integration = ?', name)
      .map(({ payload }) => JSON.parse(payload) as { type: string })
      .filter(({ type }) => type === 'installation_deleted');
  await expect
    .poll(readEvents, { timeout: 20_000 })
    .toEqual([{ eventId: expect.any(String), type: 'installation_deleted', installationId: foreign.id }]);
  expect(seen.join()).toContain(own.id);
  expect(seen.join()).not.toContain(foreign.id);
});

/**
 * Creates an integration in development mode, whose developer's server responds with a status, and helpers to change
 * the time left.
 */
async function createDevelopedIntegration(status: number, more: object = {}) {
  const { name, owner, publicEndpoint } = await installScript(server, getScript(`return new Response('published');`));
  const tunnelUrl = await serveLocally((request, response) => {
    request.resume();
    response.writeHead(status).end('developed');
  });
  const set = async () => {
    const call = { token: owner.token, method: 'PUT', body: { tunnelUrl, ...more } };
    expect((await server.request(`/v1/integrations/${name}/dev`, call)).status).toBe(204);
  };
  await set();
  const getSecondsLeft = () => {
    const [row] = query<{ until: number }>('SELECT dev_until AS until FROM integrations WHERE name = ?', name);
    return Math.round(((row?.until ?? 0) - Date.now()) / 1000);
  };
  const leave = (seconds: number) =>
    writeDatabase(server, 'UPDATE integrations SET dev_until = ? WHERE name = ?', Date.now() + seconds * 1000, name);
  const countEvents = () =>
    query(`SELECT id FROM outbox WHERE type = 'integration.development_set' AND organization = ?`, owner.id).length;
  return {
    set,
    ask: async () => (await fetch(publicEndpoint)).text(),
    secondsLeft: getSecondsLeft,
    leave,
    told: countEvents,
  };
}

test('development expires, and the published script runs again', async () => {
  const { set, ask, leave, told } = await createDevelopedIntegration(200);
  expect(await ask()).toBe('developed');
  await leave(-1);
  expect(await ask()).toBe('published');
  await set();
  expect(await ask()).toBe('developed');
  await set();

  expect(told()).toBe(2);
});

test.each([
  [{}, 3600],
  [{ seconds: 120 }, 120],
])('development mode with %o ends after %i seconds, unless it is enabled again', async (more, seconds) => {
  const { set, secondsLeft, leave } = await createDevelopedIntegration(200, more);
  expect(secondsLeft()).toBeGreaterThan(seconds - 30);
  expect(secondsLeft()).toBeLessThanOrEqual(seconds);
  await leave(10);
  await set();
  expect(secondsLeft()).toBeGreaterThan(seconds - 30);
});

test.each([200, 302, 404, 406, 502])(
  'a response of %i ends development, because the URL may belong to another developer',
  async (status) => {
    const { ask, secondsLeft, leave } = await createDevelopedIntegration(status);
    await leave(600);
    await ask();

    expect(secondsLeft()).toBeLessThanOrEqual(600);
  },
);

test("a developer's server has the same time limit as the script", async () => {
  const script = getScript(`return new Response('', { status: 406 });`);
  const { name, id, owner } = await installScript(server, script);
  const tunnelUrl = await serveLocally((request) => void request.resume());
  const body = { tunnelUrl };
  await server.request(`/v1/integrations/${name}/dev`, { token: owner.token, method: 'PUT', body });
  const space = await server.makeSpace({ organization: owner });
  await installOn(`/v1/integrations/${name}/installations/${id}`, owner, { space: space.id });
  const began = Date.now();
  const context = { type: 'document', theme: 'dark', spaceId: space.id, editable: false };
  const component = { componentId: 'known', props: {}, context };
  const response = await server.request(`/v1/integrations/${name}/render`, { token: owner.token, body: component });

  expect(response.status).toBe(503);
  expect(Date.now() - began).toBeLessThan(20_000);
});

test('development can last from a minute to an hour', async () => {
  const { name, owner } = await publishScript(server, getScript(`return new Response();`));
  for (const seconds of [59, 3601, 60.5]) {
    const call = { token: owner.token, method: 'PUT', body: { tunnelUrl: 'http://127.0.0.1:9', seconds } };
    const response = await server.request(`/v1/integrations/${name}/dev`, call);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('body.seconds')]);
  }
});

test('the platform cannot be its own developer server', async () => {
  const { name, owner } = await publishScript(server, getScript(`return new Response();`));
  const body = { tunnelUrl: `${server.url}/integrations/${name}` };
  const response = await server.request(`/v1/integrations/${name}/dev`, { token: owner.token, method: 'PUT', body });
  expect([response.status, JSON.stringify(await response.json())]).toEqual([400, expect.stringContaining('tunnelUrl')]);
});

import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { installScript, publishScript } from './scripted.ts';

const server = platform();

const tells = getScript(`
  const body = form.get('fetch-body');
  const { integration, installation, secrets, apiEndpoint, apiTokens, signingSecrets } = environment;
  console.log('called with ' + secrets.key, apiTokens.integration);
  const user = await (await fetch(apiEndpoint + '/v1/user', { headers: { authorization: 'Bearer ' + apiTokens.integration } })).json();
  return Response.json({ event, body: body && await body.text(), name: integration.name, configuration: installation?.configuration,
    secrets, signing: Object.keys(signingSecrets), user: user.displayName ?? user }, { headers: { 'set-cookie': 'a=b', 'x-own': 'yes' } });`);

test("the script responds at the integration's public URL", async () => {
  const { name } = await publishScript(server, tells, { secrets: { key: 'a very secret value' } });
  const headers = { cookie: 'a=b', authorization: 'Bearer octavo_abc', 'x-told': 'yes' };

  const response = await server.request(`/integrations/${name}/hook?b=c`, { body: 'one\ntwo', method: 'PUT', headers });

  expect(response.status).toBe(200);
  const { event, ...told } = (await response.json()) as { event: { request: { url: string; headers: object } } };
  expect(event).toMatchObject({
    type: 'fetch',
    request: { method: 'put', url: `${server.url}/integrations/${name}/hook?b=c` },
  });
  expect(Object.keys(event.request.headers)).toContain('x-told');
  expect(Object.keys(event.request.headers)).not.toContain('cookie');
  expect(Object.keys(event.request.headers)).not.toContain('authorization');
  expect(told).toMatchObject({
    body: 'one\ntwo',
    name,
    secrets: { key: 'a very secret value' },
    signing: ['integration'],
    user: 'Scripted',
  });
  expect(response.headers.get('set-cookie')).toBeNull();
  expect(response.headers.get('x-own')).toBe('yes');
  expect(response.headers.get('content-security-policy')).toMatch(/^sandbox (?!.*allow-same-origin)/);
});

test("admins of the owner can read a run in the integration's log, without secrets", async () => {
  const { name, owner } = await publishScript(server, tells, { secrets: { key: 'a very secret value' } });
  await server.request(`/integrations/${name}/?key=${encodeURIComponent('a very secret value')}`);

  const { items } = await json<{ items: { id: string }[] }>(`/v1/integrations/${name}/events`, { token: owner.token });
  expect(items).toMatchObject([{ integrationId: name, status: 'success', payload: { type: 'fetch' } }]);
  const path = `/v1/integrations/${name}/events/${items[0]?.id}`;
  const traced = await json<{ trace: { logs: unknown[] } }>(path, { token: owner.token });
  expect(traced).toMatchObject({ event: items[0], trace: { logs: [{ level: 'info', message: 'called with … …' }] } });
  expect(JSON.stringify(traced)).not.toContain('a very secret value');

  const other = await server.makeOrganization();
  for (const token of [other.token, undefined]) {
    expect((await server.request(path, { token })).status).toBe(token === undefined ? 401 : 404);
  }
});

test("returns 502 if the script fails, and records the error in the owner's trace", async () => {
  const { name, owner } = await publishScript(server, getScript(`throw new Error('broken inside');`));

  const response = await server.request(`/integrations/${name}`);

  expect([response.status, await response.text()]).toEqual([502, 'The integration does not respond.\n']);
  const { items } = await json<{ items: { id: string }[] }>(`/v1/integrations/${name}/events`, { token: owner.token });
  const traced = await json(`/v1/integrations/${name}/events/${items[0]?.id}`, { token: owner.token });
  expect(traced).toMatchObject({ event: { status: 'failed' }, trace: { error: 'Error: broken inside' } });
});

test('an installation has its own URL, and the script gets its configuration and token', async () => {
  const code = `const { apiEndpoint, apiTokens } = environment;
    const answer = await fetch(apiEndpoint + '/v1/orgs/' + environment.installation.target.organization + '/spaces', { headers: { authorization: 'Bearer ' + apiTokens.installation } });
    return Response.json({ id: environment.installation.id, status: answer.status, event: event.installationId });`;
  const scopes = ['space:content:read'];
  const { id, publicEndpoint } = await installScript(server, getScript(code), { scopes });

  const response = await fetch(publicEndpoint);

  expect(await response.json()).toEqual({ id, status: 200, event: id });
  expect((await fetch(publicEndpoint.replace(id, 'ins_none'))).status).toBe(404);
});

test('runs each task at its scheduled time', async () => {
  const code = `if (event.type === 'task') { console.log('task ' + event.task.what); return new Response('OK'); }
    const answer = await fetch(environment.apiEndpoint + '/v1/integrations/' + environment.integration.name + '/tasks', { method: 'POST',
      headers: { authorization: 'Bearer ' + environment.apiTokens.integration, 'content-type': 'application/json' },
      body: JSON.stringify({ task: { what: 'later' }, schedule: 0 }) });
    return new Response(String(answer.status));`;
  const { name, owner } = await publishScript(server, getScript(code));

  expect(await (await server.request(`/integrations/${name}`)).text()).toBe('204');
  await expect
    .poll(
      async () => {
        const { items } = await json<{ items: { payload: { type: string } }[] }>(`/v1/integrations/${name}/events`, {
          token: owner.token,
        });
        return items.map(({ payload }) => payload.type);
      },
      { timeout: 10_000 },
    )
    .toContain('task');
});

import { callOperator } from '@octavo/platform';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { publishScript } from './scripted.ts';

const server = platform();

interface Logged {
  id: string;
  payload: { type: string; request?: { url: string; headers: object }; [field: string]: unknown };
}

const scriptText = getScript(`return new Response('OK');`);

const readTrace = async (name: string, token: string) =>
  (await json<{ items: Logged[] }>(`/v1/integrations/${name}/events`, { token })).items;

test('the log contains no credentials of a request', async () => {
  const { name, owner } = await publishScript(server, scriptText);
  const headers = { authorization: 'Basic bWU6c2VjcmV0', 'x-hub-signature': 'abcdefgh', 'content-type': 'text/plain' };

  await server.request(`/integrations/${name}/hook?code=one-time-code`, { method: 'POST', body: 'x', headers });

  const [logged] = await readTrace(name, owner.token);
  expect(logged?.payload.request).toMatchObject({ method: 'post', url: `${server.url}/integrations/${name}/hook` });
  expect(JSON.stringify(logged)).not.toMatch(/bWU6c2VjcmV0|abcdefgh|one-time-code/);
  expect(logged?.payload.request?.headers).toMatchObject({ 'content-type': 'text/plain' });
});

test('the log contains the IDs, but not the content, of events in installations of other organizations', async () => {
  const { name, owner } = await publishScript(server, scriptText, { visibility: 'public' });
  const path = `/v1/integrations/${name}/installations`;
  const others = await server.makeOrganization();
  const install = (organization: { id: string; token: string }) =>
    json<{ id: string; urls: { publicEndpoint: string } }>(path, {
      token: organization.token,
      body: { organization: organization.id },
    });
  const [own, foreign] = [await install(owner), await install(others)];

  for (const { urls } of [own, foreign]) await fetch(`${urls.publicEndpoint}/private-path`);

  const fetched = (await readTrace(name, owner.token)).filter(({ payload }) => payload.type === 'fetch');
  const findPayload = (id: string) => fetched.find(({ payload }) => payload.installationId === id)?.payload;
  expect(findPayload(own.id)?.request?.url).toContain('private-path');
  expect(findPayload(foreign.id)).toEqual({ eventId: expect.any(String), type: 'fetch', installationId: foreign.id });
  for (const path of [`/v1/integrations/${name}/events`, `/v1/integrations/${name}/events/${fetched[0]?.id}`])
    expect((await server.request(path, { token: others.token })).status).toBe(403);
});

test('endless requests do not fill a log', async () => {
  const { name, owner } = await publishScript(server, scriptText);
  const [row] = query<{ organization: string }>('SELECT organization FROM integrations WHERE name = ?', name);
  await writeDatabase(
    server,
    `INSERT INTO integration_events (id, integration, organization, created_at, payload, status, logs)
     SELECT ? || value, ?, ?, ?, '{"eventId":"e","type":"x"}', 'success', '[]' FROM json_each(?)`,
    ...[name, name, row?.organization ?? '', Date.now(), JSON.stringify(Array.from({ length: 99 }, (_, at) => at))],
  );

  for (let index = 0; index < 3; index += 1) expect((await server.request(`/integrations/${name}`)).status).toBe(200);

  const count = query<{ runs: number }>('SELECT COUNT(*) AS runs FROM integration_events WHERE integration = ?', name);
  expect(count).toEqual([{ runs: 100 }]);
  expect((await readTrace(name, owner.token))[0]?.payload.type).toBe('fetch');
});

test('deletes runs after 30 days', async () => {
  const { name, owner } = await publishScript(server, scriptText);
  for (let index = 0; index < 2; index += 1) await server.request(`/integrations/${name}`);
  const [recentTrace, old] = await readTrace(name, owner.token);
  const ageRuns = (days: number, id = '') =>
    writeDatabase(
      server,
      'UPDATE integration_events SET created_at = ? WHERE id = ?',
      Date.now() - days * 24 * 3_600_000,
      id,
    );
  await ageRuns(29.9, recentTrace?.id);
  await ageRuns(30.1, old?.id);

  await callOperator(server.dataDir, '/cron', { worker: 'integrations', cron: '17 3 * * *' });

  expect((await readTrace(name, owner.token)).map(({ id }) => id)).toEqual([recentTrace?.id]);
});

test('logs the reason why a script rejects an event or task, without secrets, but not for a request', async () => {
  const script = getScript(`
    const key = environment.secrets.KEY;
    if (event.type === 'task') return new Response('No "' + key + '"\\n' + 'x'.repeat(300), { status: 409 });
    return Response.json({ error: 'The key ' + key + ' is wrong.' }, { status: 409 });`);
  const secret = 'a "quoted" secret';
  const { name, owner } = await publishScript(server, script, { secrets: { KEY: secret } });
  await json(`/v1/integrations/${name}/installations`, { token: owner.token, body: { organization: owner.id } });
  await writeDatabase(
    server,
    `INSERT INTO integration_tasks (id, integration, organization, task, run_at, created_at)
      VALUES (?, ?, ?, '{"type":"one"}', 1, 1)`,
    ...[`tsk_${name}`, name, owner.id],
  );
  await callOperator(server.dataDir, '/cron', { worker: 'integrations', cron: '* * * * *' });
  await server.request(`/integrations/${name}/asked`);
  const findFailure = async (type: string) => {
    const trace = (await readTrace(name, owner.token)).find(({ payload }) => payload.type === type);
    if (trace === undefined) return undefined;
    const path = `/v1/integrations/${name}/events/${trace.id}`;
    return (await json<{ trace: { error?: string } }>(path, { token: owner.token })).trace.error;
  };

  expect(await until(() => findFailure('installation_setup'))).toBe('The script returned 409: The key … is wrong.');
  const message = await until(() => findFailure('task'));
  expect(message).toMatch(/^The script returned 409: No "…" x{150,}$/);
  expect(message.length).toBeLessThanOrEqual('The script returned 409: '.length + 200);
  expect(await until(() => findFailure('fetch'))).toBe('The script returned 409.');
});

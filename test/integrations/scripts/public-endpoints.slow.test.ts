import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { installScript, publishScript } from './scripted.ts';

const server = platform();

const echoes = getScript(`const body = form.get('fetch-body');
  return Response.json({ event, size: body ? body.size : 0 });`);

interface Echoed {
  event: { request: { headers: Record<string, string>; url: string }; installationId?: string };
  size: number;
}

test('a script receives no platform tokens and no forged proxy headers', async () => {
  const { name, owner } = await publishScript(server, echoes);
  const basic = `Basic ${Buffer.from(`me:${owner.token}`).toString('base64')}`;
  const dropped = {
    'x-api-key': owner.token,
    'true-client-ip': '1.2.3.4',
    'x-forwarded-for': '1.2.3.4',
    'x-auth-request-user': 'me',
    'proxy-authorization': 'Basic abc',
    'octavo-client-address': '1.2.3.4',
  };
  for (const authorization of [`Bearer ${owner.token}`, owner.token, basic]) {
    const headers = { ...dropped, authorization, 'x-signature': 'abc' };
    const { event } = (await (await fetch(`${server.url}/integrations/${name}`, { headers })).json()) as Echoed;
    const { headers: seen } = event.request;
    expect(seen['x-signature']).toBe('abc');
    for (const header of ['authorization', ...Object.keys(dropped)]) expect(seen, header).not.toHaveProperty(header);
  }
  const headers = { authorization: 'Basic bWU6c2VjcmV0' };
  const { event } = (await (await fetch(`${server.url}/integrations/${name}`, { headers })).json()) as Echoed;
  expect(event.request.headers.authorization).toBe('Basic bWU6c2VjcmV0');
});

test('a script sets the headers of its response, except platform headers', async () => {
  const said = {
    'content-type': 'text/html',
    location: 'https://example.com/',
    'x-hook-secret': 'abc',
    etag: '"1"',
  };
  const silenced = {
    'x-accel-redirect': '/files/secret',
    'x-sendfile': '/etc/passwd',
    'accept-ch': 'Sec-CH-UA-Model',
    'clear-site-data': '"*"',
    'set-login': 'logged-out',
    'strict-transport-security': 'max-age=1',
    'service-worker-allowed': '/',
    'octavo-caller': 'usr_1',
    'access-control-allow-credentials': 'true',
    'content-security-policy-report-only': "default-src 'none'",
  };
  const headers = JSON.stringify({ ...said, ...silenced, 'content-security-policy': 'sandbox allow-same-origin' });
  const { name } = await publishScript(server, getScript(`return new Response('<p>', { headers: ${headers} });`), {
    contentSecurityPolicy: "img-src 'self', sandbox allow-same-origin",
  });

  const response = await server.request(`/integrations/${name}/`);

  expect(Object.fromEntries(response.headers)).toMatchObject(said);
  for (const header of Object.keys(silenced)) expect(response.headers.get(header), header).toBeNull();
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const [first, ...others] = (response.headers.get('content-security-policy') ?? '').split(',');
  expect(first).toMatch(/^sandbox (?!.*allow-same-origin)/);
  expect(others).toEqual([" img-src 'self'  sandbox allow-same-origin", ' sandbox allow-same-origin']);
});

test('reads a body up to the limit, also without a declared length', async () => {
  const { name } = await publishScript(server, echoes);
  const send = (size: number) => {
    const body = Readable.toWeb(Readable.from([Buffer.alloc(size)])) as ReadableStream;
    return fetch(`${server.url}/integrations/${name}`, { method: 'POST', body, duplex: 'half' } as RequestInit);
  };

  expect(((await (await send(5_000_000)).json()) as Echoed).size).toBe(5_000_000);
  expect((await send(5_000_001)).status).toBe(413);
});

test('the URL of one installation is never used for another', async () => {
  const { name, id, owner } = await installScript(server, echoes);
  const other = await publishScript(server, echoes);
  const fetchEndpoint = async (path: string) => {
    const response = await fetch(`${server.url}/integrations/${path}`);
    return response.status === 200
      ? (((await response.json()) as Echoed).event.installationId ?? 'none')
      : response.status;
  };

  expect(await fetchEndpoint(`${name}/installations/${id}`)).toBe(id);
  expect(await fetchEndpoint(`${other.name}/installations/${id}`)).toBe(404);
  expect(await fetchEndpoint(`${name}/installations/${id}/spaces/spc_none/`)).toBe(404);
  expect(await fetchEndpoint(`${name}/installations/${id}/sites/site_none`)).toBe(404);
  expect(await fetchEndpoint(`${name}/installations/${id}/sites/site_none/script.js`)).toBe(404);
  expect(await fetchEndpoint(`${name}/installations/%2e%2e/${other.name}`)).toBe('none');
  expect(await fetchEndpoint(`${name}%2finstallations%2f${id}`)).toBe(404);
  expect(await fetchEndpoint(`${name}/x/%2e%2e%2finstallations%2f${id}`)).toBe('none');

  const path = `/v1/integrations/${name}/installations/${id}`;
  await json(path, { token: owner.token, method: 'PATCH', body: { status: 'paused' } });
  expect(await fetchEndpoint(`${name}/installations/${id}`)).toBe(404);
});

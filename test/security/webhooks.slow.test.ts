import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { receive } from '../integrations/webhooks/receiver.ts';
import { getWebhooks, makeDeliveriesDue } from '../integrations/webhooks/webhook-client.ts';
import { json } from '../support/content.ts';
import { writeDatabase } from '../support/database.ts';
import { actAs, change, getPath, install, makeIntegration } from '../support/integrations.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform, until } from '../support/own-platform.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { getScript } from '../support/script-host.ts';

let closed: OwnPlatform;
let open: OwnPlatform;
beforeAll(async () => {
  [closed, open] = await Promise.all([startOwnPlatform(), startOwnPlatform({ allowsPrivate: true })]);
}, 120_000);
afterAll(() => Promise.all([closed?.remove(), open?.remove()]));

const privateAddresses = [
  ...['127.0.0.1:8787', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '127.1', '0', '127。0。0。1'],
  ...['10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254', '224.0.0.1', '255.255.255.255'],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:a9fe:a9fe]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[fe80::1]'],
  ...['[fd00::1]', 'localhost', 'LOCALHOST.', 'a.localhost', 'metadata', 'metadata.google.internal', 'printer.local'],
];

async function readRefusal(response: Response): Promise<[number, string | undefined]> {
  const { error } = (await response.json()) as { error: { issues?: { path: string }[] } };
  return [response.status, error.issues?.[0]?.path];
}

test('every operation rejects private addresses, whatever their spelling', async () => {
  const organization = await closed.makeOrganization();
  const hooks = getWebhooks(organization, closed);
  const { token } = organization;
  const { id } = await hooks.create('https://hooks.example.com/', { active: false });
  const published = {
    title: 'A tool',
    description: 'Does something.',
    organization: organization.id,
    scopes: [],
    script: 'x',
  };

  for (const host of privateAddresses) {
    const url = `http://${host}/hook`;
    const responses = {
      create: closed.request(hooks.path, { token, body: { url } }),
      update: closed.request(`${hooks.path}/${id}`, { token, method: 'PATCH', body: { url } }),
    };
    for (const [name, response] of Object.entries(responses))
      expect([host, name, ...(await readRefusal(await response))]).toEqual([host, name, 400, 'body.url']);
    const publish = closed.request('/v1/integrations/hooked', { token, body: { ...published, webhook: url } });
    expect([host, ...(await readRefusal(await publish))]).toEqual([host, 400, 'body.webhook']);
  }
  expect((await hooks.list()).items).toMatchObject([{ url: 'https://hooks.example.com/' }]);
});

test('an existing URL is checked again in tests and deliveries', async () => {
  const organization = await closed.makeOrganization();
  const hooks = getWebhooks(organization, closed);
  const receiver = await receive();
  const { id } = await hooks.create('https://hooks.example.com/', { active: false });
  await writeDatabase(closed, "UPDATE subscriptions SET url = ?, status = 'active' WHERE id = ?", receiver.url, id);

  expect(await hooks.ping(id)).toMatchObject({ delivered: false, error: expect.stringContaining('private') });
  await closed.makeSpace({ organization });
  const attempted = await until(async () => (await hooks.deliveries(id)).items.find(({ attempts }) => attempts > 0));
  expect(attempted.error).toContain('private');
  expect(receiver.received).toEqual([]);
});

test('tests and deliveries follow no redirects', async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const inside = await receive();
  const codes = [301, 302, 303, 307, 308];
  let calls = 0;
  const receiver = await receive((_, response) => {
    response.writeHead(codes[calls % codes.length] ?? 302, { location: inside.url }).end();
    calls += 1;
  });
  const { id } = await hooks.create(receiver.url, { active: false });
  for (const status of codes) expect(await hooks.ping(id)).toMatchObject({ delivered: false, status });
  await hooks.update(id, { active: true });
  await platform().makeSpace({ organization });
  await until(async () => (await hooks.deliveries(id)).items.find(({ attempts }) => attempts > 0));

  expect(inside.received).toEqual([]);
});

/** Imports the signature check that our guide recommends to receivers. */
async function buildDocumentedVerifier(): Promise<
  (secret: string, header: string, body: string, now?: number) => boolean
> {
  const manual = readFileSync(path.join(inject('root'), 'docs/guides/webhooks.md'), 'utf8');
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(manual) ?? [];
  const { isSigned } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return isSigned;
}

test('each attempt is signed with its own timestamp, and the documented code verifies it', async () => {
  const isSigned = await buildDocumentedVerifier();
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  let calls = 0;
  const receiver = await receive((_, response) => {
    calls += 1;
    response.writeHead(calls === 1 ? 500 : 200).end();
  });
  const { id, secret } = await hooks.create(receiver.url, { events: ['space.created'] });
  await platform().makeSpace({ organization });
  await receiver.until((all) => all.length >= 1);
  await until(() => (Date.now() - (receiver.received[0]?.at ?? 0) > 1500 ? true : undefined));
  await makeDeliveriesDue(id);
  const [first, second] = await receiver.until((all) => all.length >= 2);
  const { signature = '', text = '' } = second ?? {};
  const time = Number(/^t=(\d+),/.exec(signature)?.[1]);

  expect(isSigned(secret, signature, text)).toBe(true);
  expect(isSigned(secret, signature, text, time + 299)).toBe(true);
  expect(isSigned(secret, signature, text, time + 301)).toBe(false);
  expect(isSigned(secret, signature, text, time - 301)).toBe(false);
  expect(isSigned(secret, signature.replace(/^t=\d+/, `t=${time + 1}`), text)).toBe(false);
  expect(isSigned(secret, signature, `${text} `)).toBe(false);
  expect(isSigned(`${secret}x`, signature, text)).toBe(false);
  expect(isSigned(secret, `t=${time}`, text)).toBe(false);
  expect(first?.text).toBe(text);
  expect(first?.signature).not.toBe(signature);
});

const tells = getScript(`
  console.log(JSON.stringify(environment));
  if (event.type === 'fetch') return Response.json(environment);
  throw new Error(JSON.stringify(environment));`);

interface ToldEnvironment {
  signingSecrets: Record<string, string>;
  apiTokens: Record<string, string>;
}

/** Uses webhooks and integrations, and returns every secret that is involved. */
async function walk(organization: TestOrganization): Promise<string[]> {
  const given = ['a key of the integration', 'a key of the installation'];
  const configurations = { account: { properties: { key: { type: 'string', secret: true } } } };
  const receiver = await receive((_, response) => response.writeHead(500).end('down'));
  const hooks = getWebhooks(organization, open);
  const { id, secret } = await hooks.create(receiver.url);
  const { secret: rotated } = await hooks.rotate(id);
  const integration = await makeIntegration(
    organization,
    {
      ...{ script: tells, webhook: receiver.url, configurations, secrets: { key: given[0] }, target: 'organization' },
      scopes: ['space:metadata:read'],
    },
    open,
  );
  const installation = await install(integration, organization, open);
  const place = getPath(integration, installation);
  await change(place, organization.token, { configuration: { key: given[1] } }, open);
  const token = await actAs(integration, installation, open);
  const environment = (await (await open.request(place.replace('/v1', ''), {})).json()) as ToldEnvironment;
  await open.makeSpace({ organization });
  await receiver.got('space.created');
  await until(async () => (await hooks.deliveries(id)).items.find(({ attempts }) => attempts > 0));
  await hooks.ping(id);
  const runs = `/v1/integrations/${integration.name}/events`;
  const { items } = await until(async () => {
    const runList = await json<{ items: { id: string }[] }>(runs, { token: organization.token }, open);
    return runList.items.length > 2 ? runList : undefined;
  });
  const [delivery] = (await hooks.deliveries(id)).items;
  const bodies = await Promise.all(
    [
      ...[hooks.path, `${hooks.path}/${id}`, `${hooks.path}/${id}/deliveries/${delivery?.id}`, runs, place],
      ...items.map((each) => `${runs}/${each.id}`),
      ...[`/v1/integrations/${integration.name}`, `/v1/orgs/${organization.id}/installations`],
      `/v1/orgs/${organization.id}/audit-events`,
    ].map(async (address) => (await open.request(address, { token: organization.token })).text()),
  );
  const secrets = [
    secret,
    rotated,
    token,
    ...given,
    ...Object.values(environment.signingSecrets),
    ...Object.values(environment.apiTokens),
  ];
  const answered = [...bodies, ...receiver.received.map(({ text }) => text)];
  expect(secrets.filter((each) => answered.some((text) => text.includes(each)))).toEqual([]);
  expect(secrets.every((each) => each.length > 10)).toBe(true);
  return [...new Set(secrets)];
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

test('after all operations, no table, file or log line contains a secret in plain text', async () => {
  const organization = await open.makeOrganization();
  const secrets = await walk(organization);
  expect(secrets).toHaveLength(8);
  await open.kill('SIGTERM');
  const files = await listFiles(open.dataDir);
  const contents = await Promise.all(files.map((file) => readFile(file)));
  const { stdout, stderr } = open.printed();

  expect(contents.some((content) => content.includes(organization.id))).toBe(true);
  for (const secret of secrets) {
    expect(files.filter((_, index) => contents[index]?.includes(secret))).toEqual([]);
    expect(`${stdout}${stderr}`).not.toContain(secret);
  }
}, 180_000);

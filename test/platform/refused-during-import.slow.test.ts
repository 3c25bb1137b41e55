import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { callOperator, type OperatorResponses } from '@octavo/platform';
import { contracts, type Endpoint } from '@octavo/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFiles, createPixel } from '../content/files/file-client.ts';
import { getClient } from '../content/space-client.ts';
import { requestPdfUrl } from '../publishing/pdf/pdf-client.ts';
import { json } from '../support/content.ts';
import { queryDatabase, writeDatabase } from '../support/database.ts';
import { empty } from '../support/empty-platform.ts';
import { type OwnPlatform, startOwnPlatform } from '../support/own-platform.ts';
import { requestWithHost } from '../support/with-host.ts';

const publicUrl = 'https://octavo.example.com';
const key = 'a-key-for-operators';

let server: OwnPlatform;
let dataDir: string;
let run: string;
let signed: Awaited<ReturnType<typeof createSignedUrls>>;
const call = <Route extends keyof OperatorResponses>(route: Route, body: object = {}) =>
  callOperator(dataDir, route, { run, ...body });

// The last test ends the import.
beforeAll(async () => {
  server = await startOwnPlatform({
    publicUrl,
    sitesUrl: 'https://{organization}.docs.example.com',
    env: { OCTAVO_DIRECTORY_KEY: key, OCTAVO_METRICS_TOKEN: key },
  });
  ({ dataDir } = server);
  signed = await createSignedUrls();
  ({ run } = await callOperator(dataDir, '/import/begin', {}));
});
afterAll(() => server?.remove());

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
const wholePart = Buffer.alloc(5 * 2 ** 20, 'x');

test.each([
  ['/import/rows', { table: 'no_such_table', rows: [['a']] }, 'There is no table no_such_table.'],
  ['/import/rows', { table: 'users"; DROP TABLE users', rows: [['a']] }, 'There is no table users'],
  ['/import/rows', { table: 'sqlite_master', rows: [['a']] }, 'There is no table sqlite_master.'],
  ['/import/rows', { table: 'cron_runs', rows: [['a']] }, 'There is no table cron_runs.'],
  ['/import/clear', { table: 'no_such_table' }, 'There is no table no_such_table.'],
  ['/import/sequence', { name: 'no_such_table', seq: 1 }, 'There is no table no_such_table.'],
  [
    '/import/rows',
    {
      table: 'feed',
      rows: [
        [1, 'org', 'evt'],
        [2, 'org'],
      ],
    },
    'must have 3 values',
  ],
  [
    '/import/rows',
    {
      table: 'feed',
      rows: [
        [1, 'org', 'evt'],
        [2, 'org', 'evt', 4],
      ],
    },
    'must have 3 values',
  ],
  ['/export/part', { bucket: 'FILES', key: 'a', etag: 'b', offset: 0, length: 2 ** 20 + 1 }, 'at most 1048576 bytes'],
  ['/export/part', { bucket: 'FILES', key: 'a', etag: 'b', offset: 0 }, 'at most 1048576 bytes'],
] as const)('%s: rejects %j and writes nothing', async (route, body, message) => {
  const read = () => ['feed', 'users'].map((table) => queryDatabase(dataDir, `SELECT * FROM ${table}`));
  const rows = read();

  await expect(call(route, body)).rejects.toThrow(message);
  expect(read()).toEqual(rows);
});

test('rejects a file that has fewer bytes than its hash was computed from', async () => {
  const file = { bucket: 'FILES', key: 'short', sha256: sha256('The whole file') };
  const base64 = Buffer.from('The whole').toString('base64');
  const list = async () =>
    (await call('/export/files', { bucket: 'FILES' })).files.filter((each) => each.key === file.key);
  const begin = async () => ({ ...file, upload: (await call('/import/file/begin', file)).upload });
  const send = async (body: object, number: number, bytes: Buffer) =>
    (await call('/import/file/part', { ...body, number, base64: bytes.toString('base64') })).part;

  await expect(call('/import/file', { ...file, base64 })).rejects.toThrow('The file short was not stored');
  const upload = await begin();
  const parts = [await send(upload, 1, wholePart.subarray(1)), await send(upload, 2, wholePart)];
  await expect(call('/import/file/end', { ...upload, parts })).rejects.toThrow('The file short was not stored');
  const other = await begin();
  const only = [await send(other, 1, wholePart.subarray(1))];
  await expect(call('/import/file/end', { ...other, parts: only })).rejects.toThrow('The file short was not stored');
  expect(await list()).toEqual([]);

  const whole = await begin();
  const stored = [await send(whole, 1, wholePart)];
  await call('/import/file/end', { ...whole, parts: stored, sha256: sha256(wholePart) });
  expect(await list()).toMatchObject([{ key: 'short', size: wholePart.length }]);
});

test('only the import can write, whatever the table, and an export cannot resume writes', async () => {
  const users = queryDatabase(dataDir, 'SELECT * FROM users');

  for (const sql of [
    "UPDATE users SET email = 'other@example.test'",
    'DELETE FROM users',
    "INSERT INTO dead_letters VALUES ('msg', 'events', '{}', 0, 1)",
    "INSERT INTO feed (seq, organization, event) VALUES (7, 'org', 'evt')",
  ])
    await expect(writeDatabase(server, sql)).rejects.toThrow('writes are paused');
  await expect(callOperator(dataDir, '/token', { email: 'new@example.test' })).rejects.toThrow('unavailable');
  for (const path of ['/export/resume', '/export/pause'] as const)
    await expect(callOperator(dataDir, path, {})).rejects.toThrow('An import is running');
  expect(queryDatabase(dataDir, 'SELECT * FROM users')).toEqual(users);

  const readFeed = () => queryDatabase(dataDir, 'SELECT seq FROM feed');
  await call('/import/rows', { table: 'feed', rows: [[7, 'org', 'evt']] });
  expect(readFeed()).toEqual([{ seq: 7 }]);
  await expect(writeDatabase(server, 'DELETE FROM feed')).rejects.toThrow('writes are paused');
  await call('/import/clear', { table: 'feed' });
  expect(readFeed()).toEqual([]);
  expect(queryDatabase(dataDir, 'SELECT id FROM installation_imports')).toEqual([{ id: run }]);
});

/** Creates objects, and deletes them. Their signed URLs are still valid. */
async function createSignedUrls() {
  const space = await server.makeSpace();
  const file = { name: 'a.png', type: 'image/png', size: 70 };
  const createUpload = async (body: object) => {
    const path = `/v1/orgs/${space.organization}/storage/upload`;
    return (await json<{ url: string }>(path, { token: space.token, body }, server)).url;
  };
  const [stored] = await createFiles(getClient(server, space), [createPixel('a.png')]);
  const urls = {
    file: stored?.downloadURL ?? '',
    pdf: await requestPdfUrl(server, space),
    upload: await createUpload({ kind: 'organization_file', file }),
    uploads: await createUpload({ kind: 'organization_file', files: [file] }),
  };
  await empty(server);
  return urls;
}

/** Returns a URL at the address of the server, which differs from its public one. */
function getLocal(path: string): string {
  const { pathname, search } = new URL(path, publicUrl);
  return `${server.url}${pathname}${search}`;
}

const form = { body: 'SAMLResponse=a&RelayState=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
const loginForm = { ...form, body: 'email=ann%40acme.example&token=octavo_unknown' };
const cookie = `__Host-octavo_session=octavo_${'a'.repeat(40)}.1900000000`;
const bytes = { body: Buffer.alloc(70), headers: { 'content-type': 'image/png' } };
const part = { ...bytes, headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' } };

type Request = [path: string | (() => string), init?: object];

/** A valid request to each page, so that the page reads the database. */
const pageRequests: Record<string, Request> = {
  'GET /files/:organization/:hash/:name+': [() => signed.file],
  'GET /uploads/:organization/:upload': [() => signed.upload],
  'PUT /uploads/:organization/:upload': [() => signed.upload, bytes],
  'PATCH /uploads/:organization/:upload': [() => signed.upload, part],
  'PUT /uploads/:organization/:upload/files': [() => signed.uploads, bytes],
  'GET /pdf/:id/:name+': [() => signed.pdf],
  'GET /openapi/:id/openapi.json': ['/openapi/oas_unknown/openapi.json'],
  'GET /app/:path+': ['/app/spaces/spc_unknown'],
  'GET /sso/saml/:providerId/metadata': ['/sso/saml/saml_unknown/metadata'],
  'GET /sso/saml/:providerId/start': ['/sso/saml/saml_unknown/start'],
  'POST /sso/saml/:providerId/acs': ['/sso/saml/saml_unknown/acs', form],
  'GET /sso/saml/:providerId/finish': ['/sso/saml/saml_unknown/finish?code=a', { headers: { cookie: 'octavo_sso=a' } }],
  'GET /sign-in/:secret': ['/sign-in/unknown'],
  'POST /sign-in/:secret': ['/sign-in/unknown', form],
  'POST /login': ['/login', loginForm],
  'POST /login/token': ['/login/token', loginForm],
  'POST /logout': ['/logout', { headers: { origin: publicUrl, cookie } }],
  'GET /directory/keys/:kind/:value+': ['/directory/keys/space/spc_a', { headers: { authorization: `Bearer ${key}` } }],
};

/** Pages that do not read the database, or that no client can call. */
const pagesWithoutQueries = [
  'GET /integration-images/:name',
  'POST /session/renew',
  'GET /login',
  'GET /logout',
  'GET /app',
  'GET /app/',
  'GET /live/:space',
  'GET /~/assets/:path+',
];

interface Page {
  method: string;
  path: string;
  isServedDuringImport?: true;
}

/** Returns the pages of all workers: the lists that their modules export. */
async function listPages(): Promise<Page[]> {
  const workers = path.resolve(import.meta.dirname, '../../workers');
  const files = readdirSync(workers, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^\w[\w-]*\/src\/.*(?<!\.test)\.ts$/.test(name))
    .map((name) => path.join(workers, name))
    .filter((file) => readFileSync(file, 'utf8').includes('Pages: ServedPage<'));
  const modules = await Promise.all(files.map(async (file) => (await import(file)) as Record<string, unknown>));
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, list]) => (name.endsWith('Pages') ? (list as Page[]) : [])),
  );
}

const pages = await listPages();

/** Returns the status of each request, by its name. */
async function getStatuses(requests: [name: string, send: () => Promise<{ status: number }>][]) {
  const statuses: [string, number][] = [];
  for (const [name, send] of requests) statuses.push([name, (await send()).status]);
  return statuses;
}

const operations = Object.entries(contracts).flatMap(([domain, contract]) =>
  domain === 'gateway' ? [] : Object.entries(contract as Record<string, Endpoint>),
);
const siteUrl = 'https://acme.docs.example.com/docs/';
/** Inputs of operations without a user, which are read before the database. */
const publicInputs: Record<string, { query?: string; body?: object }> = {
  resolvePublishedContentByUrl: { body: { url: siteUrl } },
  getPublishedContentByUrl: { query: `?url=${encodeURIComponent(siteUrl)}` },
};

test('all operations of the API are refused while an import runs', async () => {
  const { token } = server;
  const requests = operations.map(([name, { method, path }]): [string, () => Promise<Response>] => {
    const { query = '', body = {} } = publicInputs[name] ?? {};
    const options = { method, token, ...(method === 'GET' || method === 'DELETE' ? {} : { body }) };
    return [name, () => server.request(`${path.replace(/:\w+/g, 'unknown')}${query}`, options)];
  });

  expect(await getStatuses(requests)).toEqual(requests.map(([name]) => [name, 503]));
});

test('all pages are refused while an import runs, except those that show its state', async () => {
  const routes = pages.flatMap(({ method, path: route, isServedDuringImport }) =>
    isServedDuringImport ? [] : `${method} ${route}`,
  );
  expect(routes.toSorted()).toEqual([...Object.keys(pageRequests), ...pagesWithoutQueries].toSorted());
  const requests = Object.entries(pageRequests).map(([route, [path, init]]): [string, () => Promise<Response>] => [
    route,
    () =>
      fetch(getLocal(typeof path === 'string' ? path : path()), {
        method: route.split(' ', 1)[0] ?? '',
        redirect: 'manual',
        ...init,
      }),
  ]);
  const hooks = ['/integrations/a/hook', '/integrations/a/installations/ins_a/hook'].map(
    (path): [string, () => Promise<Response>] => [path, () => server.request(path)],
  );
  const sites = [
    'https://acme.docs.example.com/docs/',
    'https://docs.acme.example/',
    'https://docs.acme.example/~/search',
  ].map((address): [string, () => Promise<{ status: number }>] => [
    address,
    () => requestWithHost(server.url, address),
  ]);
  const all = [...requests, ...hooks, ...sites];

  expect(await getStatuses(all)).toEqual(all.map(([name]) => [name, 503]));
  expect((await server.request('/metrics', { token: key })).status).toBe(200);
  const health = await server.request('/health/details', { token: key });
  expect(await health.json()).toMatchObject({ status: expect.any(String) });
  expect((await server.request('/health')).status).toBe(200);
});

test('requests are accepted after the end of the import', async () => {
  const { token } = server;
  const create = () => server.request('/v1/orgs', { token, body: { title: 'Created meanwhile' } });
  const refused = await create();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);

  await call('/import/finish');

  expect((await server.request('/v1/user', { token })).status).toBe(200);
  expect((await create()).status).toBe(201);
  expect((await requestWithHost(server.url, 'https://acme.docs.example.com/docs/')).status).toBe(404);
});

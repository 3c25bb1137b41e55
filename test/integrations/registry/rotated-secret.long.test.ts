import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seal, unseal } from '../../../packages/runtime/src/secrets.ts';
import { json } from '../../support/content.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import { type OwnPlatform, startOwnPlatform } from '../../support/own-platform.ts';
import { getScript } from '../../support/script-host.ts';
import { publish } from './registry-client.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server.remove());

const readStoredSecret = async (name: string) => ({
  OCTAVO_SECRET: (await readFile(path.join(server.dataDir, name), 'utf8')).trim(),
});
const runResealCron = () => callOperator(server.dataDir, '/cron', { worker: 'integrations', cron: '17 3 * * *' });

const maxAtOnce = 10;

/**
 * Inserts installations with encrypted values. Their spaces do not exist, because the test only needs the encrypted
 * values.
 */
async function insertInstallations(
  name: string,
  { count, length }: { count: number; length: number },
  env: { OCTAVO_SECRET: string },
): Promise<void> {
  const rows = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const id = `ins_${name}-${String(index).padStart(3, '0')}`;
      const key = { key: `key ${index}`, text: 'x'.repeat(length) };
      return { id, index, sealed: await seal(env, id, key), onSpace: await seal(env, `${id}/spc_a`, key) };
    }),
  );
  for (let from = 0; from < count; from += maxAtOnce) await write(name, rows.slice(from, from + maxAtOnce));
}

async function write(name: string, rows: object[]): Promise<void> {
  await writeDatabase(
    server,
    `INSERT INTO installations (id, integration, organization, account, status, configuration, signing_secret, created_by,
      created_at, updated_at) SELECT value->>'id', ? || (value->>'index'), o.id, u.id, 'active', value->>'sealed',
      value->>'sealed', '', 1, 1 FROM json_each(?)
      CROSS JOIN (SELECT id FROM organizations LIMIT 1) o CROSS JOIN (SELECT id FROM users LIMIT 1) u`,
    ...[name, JSON.stringify(rows)],
  );
  await writeDatabase(
    server,
    `INSERT INTO space_installations (installation, space, integration, organization, status, configuration, created_at,
      updated_at) SELECT i.id, 'spc_a', i.integration, i.organization, i.status, value->>'onSpace', 1, 1
      FROM json_each(?) CROSS JOIN installations i ON i.id = value->>'id'`,
    JSON.stringify(rows),
  );
}

async function rotate(): Promise<void> {
  await server.kill('SIGTERM');
  await rename(path.join(server.dataDir, 'secret'), path.join(server.dataDir, 'secret.previous'));
  await server.restart();
}

test('rotating the secret does not change the signing secrets of an installation, its spaces and sites', async () => {
  const owner = await server.makeOrganization();
  const script = getScript('return Response.json(environment.signingSecrets);');
  const integration = await makeIntegration(owner, { script }, server);
  const installation = await install(integration, owner, server);
  const path = getPath(integration, installation);
  const { id: space } = await server.makeSpace({ organization: owner });
  const sites = `/v1/orgs/${owner.id}/sites`;
  const { id: site } = await json<{ id: string }>(sites, { token: owner.token, body: { spaces: [] } }, server);
  await installOn(path, owner, { space }, server);
  await installOn(path, owner, { site }, server);
  const readSecrets = () =>
    Promise.all(
      [`spaces/${space}`, `sites/${site}`].map((place) =>
        json<Record<string, string>>(`${path.replace('/v1', '')}/${place}`, {}, server),
      ),
    );
  const former = await readSecrets();
  expect(former.map((each) => Object.keys(each))).toEqual([
    ['integration', 'installation', 'spaceInstallation'],
    ['integration', 'installation', 'siteInstallation'],
  ]);
  const [onSpace, onSite] = former;
  expect(new Set([...Object.values(onSpace ?? {}), onSite?.siteInstallation]).size).toBe(4);

  await rotate();
  expect(await readSecrets()).toEqual(former);
}, 120_000);

test('re-encrypts values of a former secret, so that this secret can be removed', async () => {
  const owner = await server.makeOrganization();
  const { name } = await publish(owner, { secrets: { KEY: 'hush' } }, server);
  const former = await readStoredSecret('secret');
  await insertInstallations(name, { count: 250, length: 1 }, former);
  await insertInstallations(`${name}-long`, { count: 60, length: 65_000 }, former);

  await rotate();
  const today = await readStoredSecret('secret');
  expect(today).not.toEqual(former);
  await publish(owner, { name, title: 'Published meanwhile' }, server);
  await writeDatabase(
    server,
    "UPDATE installations SET signing_secret = 's1.aaaaaaaa.broken' WHERE integration = ?",
    `${name}3`,
  );

  expect(await runResealCron()).toMatchObject({});
  const [integration] = queryDatabase<Record<string, string>>(
    server.dataDir,
    'SELECT * FROM integrations WHERE name = ?',
    name,
  );
  const installed = queryDatabase<Record<string, string>>(
    server.dataDir,
    `SELECT i.id, i.configuration, i.signing_secret, s.configuration AS on_space FROM installations i
      CROSS JOIN space_installations s ON s.installation = i.id AND s.space = 'spc_a'`,
  );
  expect(await unseal(today, name, integration?.secrets ?? '')).toEqual({ KEY: 'hush' });
  expect(await unseal(today, name, integration?.signing_secret ?? '')).toMatch(/^\w{43}$/);
  expect(installed).toHaveLength(310);
  for (const { id = '', configuration = '', on_space: onSpace = '' } of installed) {
    expect(await unseal(today, id, configuration)).toHaveProperty('key');
    expect(await unseal(today, `${id}/spc_a`, onSpace)).toHaveProperty('key');
  }
  const signing = await Promise.all(
    installed.map(({ id = '', signing_secret: sealed = '' }) =>
      unseal(today, id, sealed).then(
        () => 1,
        () => 0,
      ),
    ),
  );
  expect(signing.filter((opened) => opened === 0)).toHaveLength(1);

  await server.kill('SIGTERM');
  await rm(path.join(server.dataDir, 'secret.previous'));
  await server.restart();
  expect((await publish(owner, { name }, server)).version).toBe(3);
}, 120_000);

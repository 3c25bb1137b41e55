import { describe, expect, test } from 'vitest';
import { describeAccount } from './account-state.ts';
import {
  createRelease,
  createTemporaryFolder,
  deployPlatform,
  findScript,
  getBuild,
  putSecret,
  runDeploy,
} from './deployments.ts';
import { Killed } from './fake-api.ts';
import { FakeCloudflare } from './fake-cloudflare.ts';
import type { Version } from './fake-workers.ts';

describe('a new release', () => {
  test('replaces only the workers that have changed', async () => {
    const { fake, folder } = await deployPlatform();
    const { writes } = await runDeploy(fake, { folder, release: createRelease({ collaboration: 'next' }) });
    const deployments = findScript(fake, 'octavo-collaboration').deployments.map(({ versions }) =>
      versions.map(({ percentage }) => percentage),
    );

    expect(writes).toEqual([
      'POST /workers/scripts/octavo-collaboration/versions',
      'POST /workers/scripts/octavo-collaboration/deployments',
      'POST /workers/scripts/octavo-collaboration/deployments',
    ]);
    expect(deployments).toEqual([[100], [100, 0], [100]]);
  });

  test('adds the build of the content worker to that of the publishing worker, because cached pages depend on it', async () => {
    const { fake, folder } = await deployPlatform();
    await runDeploy(fake, { folder, release: createRelease({ content: 'next' }) });
    const [content, publishing] = ['content', 'publishing'].map((role) =>
      String(getBuild(fake.getServingVersion(findScript(fake, `octavo-${role}`)))),
    );

    expect(content).toMatch(/^[0-9a-f]{12}$/);
    expect(publishing).toMatch(new RegExp(`^[0-9a-f]{12}[.]${content}$`));
  });

  test.each(['content', 'gateway'])('sends no requests to a version of %s that fails its test', async (role) => {
    const { fake, folder } = await deployPlatform();
    const script = findScript(fake, `octavo-${role}`);
    const former = getBuild(fake.getServingVersion(script));
    fake.onWrite = ({ path: written }) => {
      if (written.endsWith(`${role}/versions`)) fake.brokenBuilds.add(getBuild(script.versions.at(-1) as Version));
    };
    const run = runDeploy(fake, { folder, release: createRelease({ [role]: 'next' }) });

    await expect(run).rejects.toThrow(`The new version of octavo-${role} failed its test: https://octavo.acme.dev/v1`);
    expect(getBuild(fake.getServingVersion(script))).toBe(former);
    expect(script.deployments.at(-1)?.versions).toHaveLength(1);
  });

  test.each([
    ['gateway', 'failed its test: https://octavo.acme.dev/v1 returned a response of the former version.'],
    [
      'collaboration',
      'octavo-collaboration could not be tested before it serves requests: https://octavo.acme.dev/v1/spaces',
    ],
  ])('reports if only the former version of %s is reachable', async (role, message) => {
    const { fake, folder } = await deployPlatform();
    const ignoreOverrides = ((url: string, init: RequestInit) =>
      fake.fetch(url, url.includes('api.cloudflare.com') ? init : {})) as typeof fetch;
    const release = createRelease({ [role]: 'next' });
    const run = runDeploy(fake, { folder, release, fetch: ignoreOverrides });
    const outcome = await run.then(({ printed }) => printed, String);

    expect(outcome).toContain(message);
    expect(findScript(fake, `octavo-${role}`).deployments.at(-1)?.versions).toHaveLength(1);
  });

  test('removes a version that a killed run was testing, if the former release is deployed again', async () => {
    const { fake, folder } = await deployPlatform();
    const script = findScript(fake, 'octavo-collaboration');
    fake.onWrite = ({ path: written }) => {
      if (written.endsWith('collaboration/deployments')) throw new Killed();
    };
    await runDeploy(fake, { folder, release: createRelease({ collaboration: 'next' }) }).catch(() => undefined);
    fake.onWrite = () => {};
    const tested = script.deployments.at(-1)?.versions.length;
    await runDeploy(fake, { folder });

    expect(tested).toBe(2);
    expect(script.deployments.at(-1)?.versions).toHaveLength(1);
    expect((await runDeploy(fake, { folder })).writes).toEqual([]);
  });

  test('deploys a worker with new Durable Objects at once, because Cloudflare requires it', async () => {
    const { fake, folder } = await deployPlatform();
    const release = createRelease({ content: 'next' });
    const sources = release.sources.map((source) =>
      source.name === 'content' ? { ...source, migrations: [...source.migrations, { tag: 'v2' }] } : source,
    );
    const { writes } = await runDeploy(fake, { folder, release: { ...release, sources } });

    expect(writes[0]).toBe('PUT /workers/scripts/octavo-content');
    expect(findScript(fake, 'octavo-content').migrationTag).toBe('v2');
    expect((await runDeploy(fake, { folder, release: { ...release, sources } })).writes).toEqual([]);
  });

  test('moves the consumer of a queue to another worker', async () => {
    const { fake, folder } = await deployPlatform();
    const release = createRelease();
    const publishing = release.sources.find(({ name }) => name === 'publishing');
    const sources = release.sources.map((source) => {
      const { producers, consumers } = publishing?.queues ?? { producers: [] };
      if (source.name === 'publishing') return { ...source, queues: { producers } };
      return source.name === 'collaboration'
        ? { ...source, queues: { ...source.queues, consumers: consumers ?? [] } }
        : source;
    });
    await runDeploy(fake, { folder, release: { ...release, sources } });
    const getConsumers = () => ['octavo-pdfs', 'octavo-specs'].map((name) => fake.queues.get(name)?.consumers);

    expect(getConsumers()).toMatchObject([[{ script: 'octavo-collaboration' }], [{ script: 'octavo-collaboration' }]]);
    expect((await runDeploy(fake, { folder, release: { ...release, sources } })).writes).toEqual([]);
  });

  test('applies no migration while an import runs, and changes nothing', async () => {
    const { fake, folder } = await deployPlatform();
    const [database] = fake.databases.values();
    database?.data.exec("INSERT INTO installation_imports VALUES ('run', 1, '[]')");
    const release = createRelease({ content: 'changed' });
    const migrations = [...release.migrations, { name: '9999_added.sql', sql: 'CREATE TABLE added (id TEXT);' }];
    const calls = fake.calls.length;

    await expect(runDeploy(fake, { folder, release: { ...release, migrations } })).rejects.toThrow(
      'octavo installation import --cancel',
    );
    expect(fake.calls.slice(calls).filter(({ isWrite }) => isWrite)).toEqual([]);
    await runDeploy(fake, { folder, release });
    database?.data.exec('DELETE FROM installation_imports');
    await runDeploy(fake, { folder, release: { ...release, migrations } });
    expect(database?.data.prepare('SELECT * FROM added').all()).toEqual([]);
  });

  test('applies new migrations first, and ignores those of a newer release', async () => {
    const { fake, folder } = await deployPlatform();
    const release = createRelease({ content: 'next' });
    const migrations = [...release.migrations, { name: '9999_added.sql', sql: 'CREATE TABLE added (id TEXT);' }];
    const { writes } = await runDeploy(fake, { folder, release: { ...release, migrations } });

    expect(writes[0]).toBe('POST /d1/database/octavo/query');
    expect((await runDeploy(fake, { folder, release })).writes).toEqual([]);
  });

  test('leaves the database unchanged if a migration fails', async () => {
    const { fake, folder } = await deployPlatform();
    const release = createRelease();
    const sql = 'CREATE TABLE added (id TEXT); INSERT INTO missing VALUES (1);';
    const migrations = [...release.migrations, { name: '9999_added.sql', sql }];
    const before = describeAccount(fake);
    const run = runDeploy(fake, { folder, release: { ...release, migrations } });

    await expect(run).rejects.toThrow('no such table: missing');
    expect(describeAccount(fake)).toEqual(before);
  });
});

describe('--only', () => {
  test('deploys one worker, although others have changed', async () => {
    const { fake, folder } = await deployPlatform();
    const release = createRelease({ content: 'next', gateway: 'next' });
    const { printed } = await runDeploy(fake, { folder, release, only: 'content' });

    expect(printed).toContain('[1/1] deploy a new version of octavo-content');
  });

  test('deploys a first worker that calls no other', async () => {
    const fake = new FakeCloudflare();
    const run = runDeploy(fake, { folder: createTemporaryFolder(), only: 'content' });

    await expect(run).rejects.toThrow('https://octavo.acme.dev/health could not be reached: getaddrinfo ENOTFOUND');
    expect([...fake.scripts.keys()]).toEqual(['octavo-content']);
  });

  test.each([
    ['gateway', 'octavo-gateway needs octavo-content, which is not deployed yet.'],
    ['machine', 'There is no worker "machine". The workers are content, render, publishing,'],
  ])('refuses %s in an empty account', async (only, message) => {
    const fake = new FakeCloudflare();

    await expect(runDeploy(fake, { folder: createTemporaryFolder(), only })).rejects.toThrow(message);
    expect(fake.writes).toEqual([]);
  });
});

describe('--rollback', () => {
  /** Returns an account in which two workers have a second release, and one of them a third. */
  async function deployReleases() {
    const platform = await deployPlatform();
    const { fake, folder } = platform;
    const second = createRelease({ collaboration: '2', gateway: '2' });
    const third = createRelease({ collaboration: '3', gateway: '2' });
    await runDeploy(fake, { folder, release: second });
    const before = describeAccount(fake);
    const former = getBuild(fake.getServingVersion(findScript(fake, 'octavo-collaboration')));
    await runDeploy(fake, { folder, release: third });
    return { ...platform, before, former, third };
  }
  const getCurrentBuild = (fake: FakeCloudflare) =>
    getBuild(fake.getServingVersion(findScript(fake, 'octavo-collaboration')));

  test('returns only the workers of the last release to their former versions', async () => {
    const { fake, folder, before, former } = await deployReleases();
    const { writes } = await runDeploy(fake, { folder, isRollback: true });

    expect(writes).toEqual(['POST /workers/scripts/octavo-collaboration/deployments']);
    expect(getCurrentBuild(fake)).toBe(former);
    expect(describeAccount(fake)).toEqual(before);
  });

  test('returns only the workers that the last deployment changed, if the release was deployed before', async () => {
    const { fake, folder } = await deployPlatform();
    const [first, second] = [
      createRelease({ collaboration: '2', gateway: '2' }),
      createRelease({ collaboration: '2', gateway: '3' }),
    ];
    await runDeploy(fake, { folder, release: first });
    await runDeploy(fake, { folder, release: second });
    const before = describeAccount(fake);
    await runDeploy(fake, { folder, release: first });
    const { writes } = await runDeploy(fake, { folder, isRollback: true });

    expect(writes).toEqual(['POST /workers/scripts/octavo-gateway/deployments']);
    expect(describeAccount(fake)).toEqual(before);
    expect((await runDeploy(fake, { folder, isRollback: true })).writes).toEqual([]);
  });

  test('changes nothing if it is repeated, and the next run deploys the release again', async () => {
    const { fake, folder, former, third } = await deployReleases();
    await runDeploy(fake, { folder, isRollback: true });

    expect((await runDeploy(fake, { folder, isRollback: true })).writes).toEqual([]);
    expect(getCurrentBuild(fake)).toBe(former);
    await runDeploy(fake, { folder, release: third });
    expect(getCurrentBuild(fake)).not.toBe(former);
  });

  test('prints the planned steps with --plan', async () => {
    const { fake, folder } = await deployReleases();
    const { printed, writes } = await runDeploy(fake, { folder, isRollback: true, isPlan: true });

    expect(printed).toMatch(/return to the version [-\w]{36} of octavo-collaboration/);
    expect(writes).toEqual([]);
  });

  test('does not roll back a worker whose new version failed its test', async () => {
    const { fake, folder, before } = await deployReleases();
    await runDeploy(fake, { folder, isRollback: true });
    const gateway = findScript(fake, 'octavo-gateway');
    fake.onWrite = ({ path: written }) => {
      if (written.endsWith('gateway/versions')) fake.brokenBuilds.add(getBuild(gateway.versions.at(-1) as Version));
    };
    const release = createRelease({ collaboration: '4', gateway: '4' });
    await expect(runDeploy(fake, { folder, release })).rejects.toThrow('failed its test');
    const { writes } = await runDeploy(fake, { folder, isRollback: true });

    expect(writes).toEqual(['POST /workers/scripts/octavo-collaboration/deployments']);
    expect(describeAccount(fake)).toEqual(before);
  });

  test('refuses if the secret of a worker was changed after the release', async () => {
    const { fake, folder } = await deployPlatform();
    await runDeploy(fake, { folder, release: createRelease({ collaboration: '2', gateway: '2' }) });
    await putSecret(fake, 'octavo-collaboration');
    const before = fake.writes.length;

    await expect(runDeploy(fake, { folder, isRollback: true })).rejects.toThrow(
      'such as a changed secret: octavo-collaboration. Nothing was changed.',
    );
    expect(fake.writes.length).toBe(before);
  });

  test('refuses a rollback before the first release', async () => {
    const { fake, folder } = await deployPlatform();

    await expect(runDeploy(fake, { folder, isRollback: true })).rejects.toThrow('There is no former version');
    expect((await runDeploy(fake, { folder })).writes).toEqual([]);
  });
});

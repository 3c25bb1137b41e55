import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeAccount, getSecrets } from './account-state.ts';
import {
  createRelease,
  createTemporaryFolder,
  deployPlatform,
  findScript,
  putSecret,
  runDeploy,
  settings,
  staging,
} from './deployments.ts';
import { Refusal } from './fake-api.ts';
import { FakeCloudflare } from './fake-cloudflare.ts';

const domainWorkers = ['collaboration', 'content', 'integrations', 'operator', 'org-admin', 'publishing'];

describe('the first run in an empty account', () => {
  test('creates the database in the region, with replicas, all tables and the first user', async () => {
    const { fake, printed } = await deployPlatform();
    const [database] = fake.databases.values();
    const token = /octavo_\w{40}/.exec(printed)?.[0] ?? '';

    expect(database).toMatchObject({ name: 'octavo', location: 'weur', replication: 'auto' });
    expect(database?.data.prepare('SELECT COUNT(*) AS count FROM d1_migrations').get()?.count).toBeGreaterThan(12);
    expect(
      database?.data
        .prepare('SELECT email, hash FROM tokens t JOIN users u ON u.id = t.user')
        .all()
        .map((row) => ({ ...row })),
    ).toEqual([{ email: 'ann@acme.dev', hash: createHash('sha256').update(token).digest('hex') }]);
  });

  test('creates a queue with a consumer and a dead-letter queue for each queue in the configurations', async () => {
    const { fake } = await deployPlatform();
    const consumers = [...fake.queues.values()].flatMap(({ queue_name: queue, consumers: [consumer] }) =>
      consumer === undefined ? [] : [[queue, consumer.script, consumer.dead_letter_queue]],
    );

    expect(consumers.toSorted()).toEqual(
      [
        ['events', 'content'],
        ['jobs', 'content'],
        ['mails', 'org-admin'],
        ['pdfs', 'publishing'],
        ['specs', 'publishing'],
        ['deliveries', 'integrations'],
        ['sends', 'integrations'],
      ]
        .flatMap(([queue, worker]) => [
          [`octavo-${queue}`, `octavo-${worker}`, `octavo-${queue}-dead`],
          [`octavo-${queue}-dead`, 'octavo-operator', undefined],
        ])
        .toSorted(),
    );
    expect(fake.queues.size).toBe(consumers.length);
    expect([...fake.buckets.values()]).toEqual([
      { name: 'octavo-files', location: 'weur' },
      { name: 'octavo-rendered', location: 'weur' },
    ]);
  });

  test('deploys each worker after those that it calls, with the shared secret', async () => {
    const { fake, secretFile } = await deployPlatform();
    const { secret } = JSON.parse(readFileSync(secretFile, 'utf8')) as { secret: string };

    expect([...fake.scripts.keys()][0]).toBe('octavo-content');
    expect([...fake.scripts.keys()].at(-1)).toBe('octavo-gateway');
    expect(getSecrets(fake)).toEqual(domainWorkers.map(() => secret));
    expect(findScript(fake, 'octavo-gateway').versions[0]?.bindings).not.toContainEqual(
      expect.objectContaining({ type: 'secret_text' }),
    );
    expect(statSync(secretFile).mode & 0o777).toBe(0o600);
  });

  test('runs the domain workers near the database, and the gateway and the publishing worker near the visitor', async () => {
    const { fake } = await deployPlatform();
    const placements = [...fake.scripts.values()].map(({ name, versions }) => [name, versions[0]?.metadata.placement]);

    expect(Object.fromEntries(placements)).toEqual({
      ...Object.fromEntries(
        domainWorkers.map((name) => [`octavo-${name}`, { mode: 'targeted', region: 'aws:eu-central-1' }]),
      ),
      'octavo-gateway': undefined,
      'octavo-publishing': undefined,
      'octavo-render': undefined,
    });
  });

  test('routes the hosts of the API and of sites to the gateway, and prints the missing steps', async () => {
    const { fake, printed } = await deployPlatform();

    expect([...fake.domains.values()]).toMatchObject([{ hostname: 'octavo.acme.dev', service: 'octavo-gateway' }]);
    expect(fake.routes).toMatchObject([{ pattern: '*.docs.acme.dev/*', script: 'octavo-gateway' }]);
    expect([...fake.scripts.values()].map(({ subdomain }) => subdomain)).toEqual(
      [...fake.scripts].map(() => ({ enabled: false, previews_enabled: false })),
    );
    expect(printed).toContain('A DNS record in acme.dev: name *.docs.acme.dev, type AAAA');
    expect(printed).toContain('A certificate for *.docs.acme.dev');
  });

  test('shows all changes with --plan, and changes nothing', async () => {
    const fake = new FakeCloudflare();
    const folder = createTemporaryFolder();
    const plan = await runDeploy(fake, { folder, isPlan: true });
    const files = readdirSync(folder);
    const run = await runDeploy(fake, { folder });
    const titles = run.printed.split('\n').flatMap((line) => /^\[\d+\/\d+\] (.*)/.exec(line)?.[1] ?? []);

    expect(plan.writes).toEqual([]);
    expect(files).toEqual([]);
    expect(plan.printed.split('\n').filter((line) => line.startsWith('It would'))).toEqual(
      titles.map((title) => `It would ${title}.`),
    );
    expect(plan.printed).toContain('A DNS record in acme.dev');
    expect(titles.length).toBeGreaterThan(35);
  });
});

describe('the second run', () => {
  test('sends no create or update', async () => {
    const { fake, folder, printed } = await deployPlatform();
    const again = await runDeploy(fake, { folder });

    expect(printed).toMatch(/octavo_\w{40}/);
    expect(again.writes).toEqual([]);
    expect(again.printed).toContain('Nothing has changed.');
    expect(again.printed).not.toMatch(/octavo_\w{40}/);
  });

  test('a second run does not need the files of the first', async () => {
    const { fake } = await deployPlatform();

    expect((await runDeploy(fake, { folder: createTemporaryFolder() })).writes).toEqual([]);
  });

  test('keeps a secret that the operator has changed', async () => {
    const { fake, folder } = await deployPlatform();
    await putSecret(fake, 'octavo-content');

    expect((await runDeploy(fake, { folder })).writes).toEqual([]);
    await runDeploy(fake, { folder, release: createRelease({ content: 'next' }) });
    expect(getSecrets(fake)).toContain('new');
  });

  test.each<[string, (fake: FakeCloudflare) => void, string[]]>([
    [
      'crons',
      (fake) => findScript(fake, 'octavo-content').crons.pop(),
      ['set the crons, queues and routes of octavo-content'],
    ],
    ['routes', (fake) => fake.routes.pop(), ['set the crons, queues and routes of octavo-gateway']],
    ['domains', (fake) => fake.domains.clear(), ['set the crons, queues and routes of octavo-gateway']],
    [
      'workers.dev addresses',
      (fake) => Object.assign(findScript(fake, 'octavo-publishing').subdomain, { enabled: true }),
      ['set the crons, queues and routes of octavo-publishing'],
    ],
    [
      'settings of a queue',
      (fake) => Object.assign(fake.queues.get('octavo-pdfs')?.consumers[0]?.settings ?? {}, { max_concurrency: 9 }),
      ['set the crons, queues and routes of octavo-publishing'],
    ],
    [
      'logs',
      (fake) => Object.assign(findScript(fake, 'octavo-content').settings, { observability: { enabled: false } }),
      ['set the logs of octavo-content'],
    ],
    [
      'read replicas',
      (fake) => [...fake.databases.values()].map((each) => Object.assign(each, { replication: 'disabled' })),
      ['add read replicas to octavo'],
    ],
    [
      'queues',
      (fake) => fake.queues.delete('octavo-jobs-dead'),
      ['create the queue octavo-jobs-dead', 'set the crons, queues and routes of octavo-operator'],
    ],
    ['buckets', (fake) => fake.buckets.delete('octavo-files'), ['create the bucket octavo-files in weur']],
  ])('restores only changed %s', async (_, change, titles) => {
    const { fake, folder } = await deployPlatform();
    const before = describeAccount(fake);
    change(fake);
    const { printed } = await runDeploy(fake, { folder });

    expect(printed.split('\n').filter((line) => line.startsWith('['))).toEqual(
      titles.map((title, index) => `[${index + 1}/${titles.length}] ${title}`),
    );
    expect({ ...describeAccount(fake), queues: [], buckets: [] }).toEqual({ ...before, queues: [], buckets: [] });
    expect((await runDeploy(fake, { folder })).writes).toEqual([]);
  });
});

describe('a second environment', () => {
  test('is a separate platform that shares nothing with the first', async () => {
    const { fake, folder } = await deployPlatform();
    const before = describeAccount(fake);
    const { writes } = await runDeploy(fake, { folder, settings: staging });
    const [first] = before.databases;
    const { databases, scripts, routes, domains } = describeAccount(fake);
    const getLimits = (name: string) =>
      findScript(fake, name).versions[0]?.bindings.flatMap(({ namespace_id: id }) => id ?? []);

    expect(writes.filter((write) => /(?:scripts|database)\//.test(write) && !write.includes('octavo-staging'))).toEqual(
      [],
    );
    expect(databases.map(({ name }) => name)).toEqual([first?.name, 'octavo-staging']);
    expect(scripts.filter(({ name }) => !name.startsWith('octavo-staging'))).toEqual(before.scripts);
    expect(routes).toEqual(before.routes);
    expect(domains.slice(1)).toMatchObject([{ hostname: 'staging.acme.dev' }, { hostname: 'docs.acme.app' }]);
    expect(getLimits('octavo-gateway')?.filter((id) => getLimits('octavo-staging-gateway')?.includes(id))).toEqual([]);
    expect(new Set(getSecrets(fake)).size).toBe(2);
    expect((await runDeploy(fake, { folder })).writes).toEqual([]);
    expect((await runDeploy(fake, { folder, settings: staging })).writes).toEqual([]);
  });

  test('cannot use the host of the first', async () => {
    const { fake, folder } = await deployPlatform();
    const same = { ...staging, api: settings.api };

    await expect(runDeploy(fake, { folder, settings: same })).rejects.toThrow(
      'octavo.acme.dev already belongs to the worker octavo-gateway.',
    );
  });
});

describe('another URL of the API', () => {
  const moved = { ...settings, api: 'https://docs.acme.app' };
  const step = 'change the URL of the platform from https://octavo.acme.dev to https://docs.acme.app';

  test('is shown with --plan, and rejected before anything is changed', async () => {
    const { fake, folder } = await deployPlatform();
    const plan = await runDeploy(fake, { folder, settings: moved, isPlan: true });
    const before = fake.writes.length;

    expect(plan.printed).toContain(`It would ${step}.`);
    await expect(runDeploy(fake, { folder, settings: moved })).rejects.toThrow('run this command with --change-url.');
    expect(fake.writes.length).toBe(before);
  });

  test('replaces the former one with --change-url', async () => {
    const { fake, folder } = await deployPlatform();
    const { printed } = await runDeploy(fake, { folder, settings: moved, canChangeUrl: true });

    expect(printed).toContain(step);
    expect([...fake.domains.keys()]).toEqual(['docs.acme.app']);
    expect((await runDeploy(fake, { folder, settings: moved })).writes).toEqual([]);
  });
});

describe('another application', () => {
  test('keeps its worker', async () => {
    const { fake, folder } = await deployPlatform();
    for (const { bindings } of findScript(fake, 'octavo-org-admin').versions) bindings.splice(0);

    await expect(runDeploy(fake, { folder })).rejects.toThrow(
      'The account has a worker octavo-org-admin that this command did not deploy. Choose another prefix.',
    );
  });

  test('keeps its database', async () => {
    const fake = new FakeCloudflare();
    const body = JSON.stringify({ name: 'octavo', primary_location_hint: 'weur' });
    await fake.fetch(`https://api.cloudflare.com/client/v4/accounts/${settings.account}/d1/database`, {
      method: 'POST',
      body,
    });
    const [database] = fake.databases.values();
    database?.data.exec('CREATE TABLE customers (id TEXT)');
    const before = fake.writes.length;

    await expect(runDeploy(fake, { folder: createTemporaryFolder() })).rejects.toThrow('it has the table customers.');
    expect(fake.writes.length).toBe(before);
  });
});

describe('queues and buckets of another application', () => {
  test('keep their consumer', async () => {
    const { fake, folder } = await deployPlatform();
    Object.assign(fake.queues.get('octavo-jobs')?.consumers[0] ?? {}, { script: 'shop' });
    const before = describeAccount(fake);

    await expect(runDeploy(fake, { folder })).rejects.toThrow(
      'The queue octavo-jobs has a consumer of another application: shop.',
    );
    expect(describeAccount(fake)).toEqual(before);
  });

  test.each<[string, (fake: FakeCloudflare) => void]>([
    [
      'queue octavo-jobs',
      (fake) => fake.queues.set('octavo-jobs', { queue_id: 'id', queue_name: 'octavo-jobs', consumers: [] }),
    ],
    ['bucket octavo-files', (fake) => fake.buckets.set('octavo-files', { name: 'octavo-files', location: 'weur' })],
  ])('are not used by a first run: %s', async (name, create) => {
    const fake = new FakeCloudflare();
    create(fake);

    await expect(runDeploy(fake, { folder: createTemporaryFolder() })).rejects.toThrow(
      `The account has the ${name}, but no database octavo.`,
    );
    expect(fake.writes).toEqual([]);
  });
});

test('a host that has a DNS record is not replaced', async () => {
  const fake = new FakeCloudflare();
  fake.records.push({ zone: 'zone-of-acme-dev', name: 'octavo.acme.dev', proxied: true });

  await expect(runDeploy(fake, { folder: createTemporaryFolder() })).rejects.toThrow(
    'octavo.acme.dev has a DNS record already.',
  );
  expect(fake.writes).toEqual([]);
});

test('a new host is refused if the API token may not read its DNS records', async () => {
  const fake = new FakeCloudflare();
  fake.onCall = ({ path: called }) => {
    if (called.endsWith('/dns_records')) throw new Refusal(403, 10000, 'Authentication error');
  };

  await expect(runDeploy(fake, { folder: createTemporaryFolder() })).rejects.toThrow(
    'The token needs the permission "DNS: Read (zone)".',
  );
  expect(fake.writes).toEqual([]);
});

test('names the permission that the API token lacks', async () => {
  const fake = new FakeCloudflare();
  fake.onCall = ({ path: called }) => {
    if (called === '/queues') throw new Refusal(403, 10000, 'Authentication error');
  };

  await expect(runDeploy(fake, { folder: createTemporaryFolder() })).rejects.toThrow(
    'Authentication error [code 10000]. Check CLOUDFLARE_API_TOKEN. The token needs the permission "Queues: Edit (account)".',
  );
});

describe('the secret', () => {
  test('is not created again if only some workers have it and the file is lost', async () => {
    const { fake, secretFile, folder } = await deployPlatform();
    fake.scripts.delete('octavo-gateway');
    fake.scripts.delete('octavo-collaboration');
    rmSync(secretFile);
    const before = fake.writes.length;

    await expect(runDeploy(fake, { folder })).rejects.toThrow(
      'octavo-collaboration has no OCTAVO_SECRET, but octavo-content',
    );
    expect(fake.writes.length).toBe(before);
  });

  test('can be passed in the environment', async () => {
    const fake = new FakeCloudflare();
    await runDeploy(fake, { folder: createTemporaryFolder(), secret: 'sixteen random characters', isCi: true });

    expect(getSecrets(fake)).toEqual(domainWorkers.map(() => 'sixteen random characters'));
  });

  test('is rejected if it is too short', async () => {
    const fake = new FakeCloudflare();
    const run = runDeploy(fake, { folder: createTemporaryFolder(), secret: 'fifteen letters' });

    await expect(run).rejects.toThrow('OCTAVO_SECRET must have at least 16 random characters.');
    expect(fake.writes).toEqual([]);
  });

  test('is rejected if the file contains a different one', async () => {
    const { fake, folder } = await deployPlatform();

    await expect(runDeploy(fake, { folder, secret: 'sixteen random characters' })).rejects.toThrow(
      'OCTAVO_SECRET and the file deploy.octavo.secret.json have different secrets.',
    );
  });

  test('is not created in a CI job, whose files are lost', async () => {
    const fake = new FakeCloudflare();

    await expect(runDeploy(fake, { folder: createTemporaryFolder(), isCi: true })).rejects.toThrow(
      'lost with this CI job',
    );
    expect(fake.writes).toEqual([]);
  });
});

test('the first token is never printed in a CI job', async () => {
  const fake = new FakeCloudflare();
  const { printed } = await runDeploy(fake, {
    folder: createTemporaryFolder(),
    secret: 'sixteen random characters',
    isCi: true,
  });

  expect(printed).not.toMatch(/octavo_\w{40}/);
  expect(printed).toContain('Run this command on your own machine');
  expect(describeAccount(fake).databases[0]?.users).toEqual([]);
  expect((await runDeploy(fake, { folder: createTemporaryFolder() })).printed).toMatch(/octavo_\w{40}/);
});

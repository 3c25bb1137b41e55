import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { checkSettings, getDirectoryKeyFile, getSecretFile, readDeploySettings } from '@octavo/platform';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CloudflareApi } from '../../scripts/deploy/cloudflare.ts';
import { planWorkers, readSources } from '../../scripts/deploy/configurations.ts';
import { createDeploySettings } from '../../scripts/deploy/init.ts';
import { createRelease, createTemporaryFolder, deployPlatform, input, root, settings } from './deployments.ts';

const writeSettings = (value: unknown): string => {
  const file = path.join(createTemporaryFolder(), 'deploy.json');
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
};

describe('the settings', () => {
  test.each([
    ['account', '00000000000000000000000000000000'],
    ['account', '<account-id>'],
    ['account', 'acme'],
    ['prefix', 'your-prefix'],
    ['api', 'https://octavo.your-domain.com'],
    ['prefix', 'Octavo'],
    ['region', 'europe'],
    ['api', 'http://localhost:8787'],
    ['api', 'https://localhost'],
    ['api', 'http://127.0.0.1:8787'],
    ['api', 'http://octavo.acme.dev'],
    ['api', 'https://octavo.example.com'],
    ['api', 'https://octavo.acme.dev/api'],
    ['api', 'https://octavo.local'],
    ['api', undefined],
    ['sites', 'https://{organization}.docs.example.com'],
    ['sites', 'https://docs.acme.dev'],
    ['sites', 'https://octavo.acme.dev/{organization}'],
    ['mail', 'Octavo <octavo@localhost>'],
    ['mail', 'docs'],
    ['admin', 'ann@example.com'],
    ['rateLimits', 'visits=3'],
    ['textDays', 90],
    ['textDays', 'ninety'],
    ['customHostnames', 'yes'],
    ['domain', 'acme.dev'],
  ])('are rejected with the name of the field: %s with the value %s', (field, value) => {
    expect(() => checkSettings({ ...input, [field]: value }, 'deploy.json')).toThrow(`"${field}" in deploy.json`);
  });

  test.each([
    ['textDays', '0'],
    ['api', 'https://docs.build-your-app.com'],
  ])('are accepted with values that resemble placeholders: %s with the value %s', (field, value) => {
    const accepted = checkSettings({ ...input, [field]: value }, 'deploy.json');

    expect(accepted).toMatchObject({ [field]: value });
    expect(JSON.stringify(planWorkers(createRelease(), { settings: accepted, zone: 'acme.dev' }))).toContain(value);
  });

  test('are rejected with an explanation if they contain a local address', () => {
    expect(() => checkSettings({ ...input, api: 'http://localhost:8787' }, 'deploy.json')).toThrow(
      '"api" in deploy.json is a placeholder or a local address: "http://localhost:8787". It must be an https URL',
    );
  });

  test('are read from a file, which has a section for each environment', async () => {
    const environments = {
      staging: { api: 'https://staging.acme.dev', sites: 'https://docs.acme.app/{organization}' },
    };
    const file = writeSettings({ ...input, environments });

    expect(await readDeploySettings(file)).toEqual(settings);
    expect(await readDeploySettings(file, 'staging')).toEqual({
      ...settings,
      ...environments.staging,
      prefix: 'octavo-staging',
    });
  });

  test('an environment that is a cell can have the same URLs as the others', async () => {
    const file = writeSettings({ ...input, cell: 'eu', environments: { us: { cell: 'us' } } });

    expect(await readDeploySettings(file, 'us')).toEqual({ ...settings, prefix: 'octavo-us', cell: 'us' });
  });

  test.each([
    ['{', undefined, 'deploy.json is not valid JSON'],
    ['[]', undefined, 'deploy.json must contain a JSON object.'],
    [input, 'staging', 'deploy.json has no environment "staging".'],
    [
      { ...input, environments: { staging: { sites: 'https://docs.acme.app/{organization}' } } },
      'staging',
      '"api" in "environments.staging" of deploy.json must differ from that of the first platform.',
    ],
  ])('are rejected if the file is %j and the environment %s', async (value, environment, message) => {
    await expect(readDeploySettings(writeSettings(value), environment)).rejects.toThrow(message);
  });

  test('that are missing are created with --init', async () => {
    await expect(readDeploySettings(path.join(createTemporaryFolder(), 'deploy.json'))).rejects.toThrow(
      'npm run deploy -- --init',
    );
  });
});

describe('--init', () => {
  const replies = [input.account, input.prefix, input.region, input.api, input.sites, input.mail, input.admin];
  const runWithAnswers = async (file: string, lines: string[]): Promise<string> => {
    const output = new PassThrough();
    await createDeploySettings(file, { input: Readable.from(lines.map((line) => `${line}\n`)), output });
    return String(output.read());
  };

  test('writes the entered values, and asks again after an invalid one', async () => {
    const file = path.join(createTemporaryFolder(), 'new folder', 'deploy.json');
    const printed = await runWithAnswers(file, ['my account', ...replies]);

    expect(printed).toContain('This must be 32 hexadecimal digits, not "my account".');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(input);
  });

  test('does not overwrite a file', async () => {
    await expect(runWithAnswers(writeSettings(input), replies)).rejects.toThrow('deploy.json exists already.');
  });

  test('writes no file if the input ends early', async () => {
    const file = path.join(createTemporaryFolder(), 'deploy.json');

    await expect(runWithAnswers(file, replies.slice(1))).rejects.toThrow('The input ended');
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });
});

test('a list of the API ends at an empty page, even if the reported count is larger', async () => {
  const pages = [['first', 'second'], []];
  const fetch = async () => {
    const result = pages.shift();
    return Response.json({ success: result !== undefined, result, result_info: { per_page: 2, total_count: 5 } });
  };

  expect(await new CloudflareApi({ token: 'token', fetch }).list('/queues')).toEqual(['first', 'second']);
});

describe('the configurations', () => {
  const zone = 'acme.dev';

  test('do not depend on CLOUDFLARE_ENV', async () => {
    vi.stubEnv('CLOUDFLARE_ENV', 'staging');
    onTestFinished(() => void vi.unstubAllEnvs());

    expect(await readSources(root)).toEqual(createRelease().sources);
  });

  test('contain no local address', () => {
    const text = JSON.stringify(planWorkers(createRelease(), { settings, zone }));

    expect(text).toContain('https://octavo.acme.dev');
    expect(text).not.toMatch(/localhost|127\.0\.0\.1/);
  });

  test('are rejected if a variable still has a local address', () => {
    const { sources, ...release } = createRelease();
    const changed = sources.map((each) => ({
      ...each,
      vars: { ...each.vars, OCTAVO_ADDED_URL: 'http://localhost:1' },
    }));

    expect(() => planWorkers({ ...release, sources: changed }, { settings, zone })).toThrow(
      'The variable OCTAVO_ADDED_URL of the worker gateway is still "http://localhost:1".',
    );
  });

  test('move unused texts after the number of days in the settings, in the content worker only', () => {
    const plans = planWorkers(createRelease(), { settings: { ...settings, textDays: '90' }, zone });
    const days = plans.map(({ role, configuration }) => [role, configuration.vars.OCTAVO_TEXT_DAYS]);

    expect(days.filter(([, each]) => each !== undefined)).toEqual([['content', '90']]);
  });

  test('have the rate limits of the settings', () => {
    const changed = { ...settings, rateLimits: 'searches=100, sign-ins=0' };
    const gateway = planWorkers(createRelease(), { settings: changed, zone }).at(-1);
    const limits = gateway?.configuration.ratelimits.map(({ name, simple }) => [name, simple.limit]);

    expect(gateway?.configuration.vars.OCTAVO_RATE_LIMITS).toBe('searches=100, sign-ins=0');
    expect(Object.fromEntries(limits ?? [])).toEqual({
      LIMIT_SEARCHES: 100,
      LIMIT_JOBS: 600,
      LIMIT_RATINGS: 600,
      LIMIT_WRONG_TOKENS: 60,
    });
  });

  test('route all hosts of the zone to the gateway if sites have their own host names', () => {
    const changed = { ...settings, customHostnames: true };
    const gateway = planWorkers(createRelease(), { settings: changed, zone }).at(-1);

    expect(gateway?.configuration.routes.map(({ pattern }) => pattern)).toEqual([
      'octavo.acme.dev',
      '*.docs.acme.dev/*',
      '*/*',
    ]);
  });
});

test('git ignores the files with secrets, wherever the settings are', () => {
  const folder = createTemporaryFolder();
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout.trim().split('\n');
  git('init', '--quiet');
  copyFileSync(path.join(root, '.gitignore'), path.join(folder, '.gitignore'));
  const files = ['deploy.json', 'ops/staging.json'].flatMap((file) => [
    getSecretFile(file, 'octavo-staging'),
    getDirectoryKeyFile(file),
  ]);

  expect(git('check-ignore', ...files)).toEqual(files);
  expect(git('check-ignore', 'ops/staging.json')).toEqual(['']);
});

test('workers log no URLs, which can contain tokens of visitors', async () => {
  const { fake } = await deployPlatform();

  for (const { settings: live } of fake.scripts.values())
    expect(live).toMatchObject({
      observability: { logs: { enabled: true, invocation_logs: false }, traces: { enabled: false } },
    });
});

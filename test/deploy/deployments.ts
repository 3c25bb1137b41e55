import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkSettings, type DeploySettings } from '@octavo/platform';
import { Account } from '../../scripts/deploy/account.ts';
import { CloudflareApi } from '../../scripts/deploy/cloudflare.ts';
import { type Release, readMigrations, readSources } from '../../scripts/deploy/configurations.ts';
import type { Deployer } from '../../scripts/deploy/deployer.ts';
import { type Command, deploy } from '../../scripts/deploy/run.ts';
import { accountId } from './fake-api.ts';
import { FakeCloudflare } from './fake-cloudflare.ts';
import type { Version } from './fake-workers.ts';
import { createWranglerStandIn } from './wrangler-stand-in.ts';

export const root = path.resolve(import.meta.dirname, '../..');

export const input = {
  account: accountId,
  prefix: 'octavo',
  region: 'weur',
  api: 'https://octavo.acme.dev',
  sites: 'https://{organization}.docs.acme.dev',
  mail: 'Octavo <docs@acme.dev>',
  admin: 'ann@acme.dev',
};

export const settings = checkSettings(input, 'deploy.json');

export const staging = checkSettings(
  {
    ...input,
    prefix: 'octavo-staging',
    api: 'https://staging.acme.dev',
    sites: 'https://docs.acme.app/{organization}',
  },
  'deploy.json',
);

const [sources, migrations] = await Promise.all([readSources(root), readMigrations(root)]);

/** Returns a release with these bundle contents by worker. Workers without an entry are equal in all releases. */
export const createRelease = (contents: Record<string, string> = {}): Release => ({
  sources,
  migrations,
  uploads: new Map(Object.entries(contents)),
});

const base = mkdtempSync(path.join(tmpdir(), 'octavo-deploy-'));
process.on('exit', () => rmSync(base, { recursive: true, force: true }));

export const createTemporaryFolder = (): string => mkdtempSync(path.join(base, 'from-'));

interface Run extends Partial<Command>, Partial<Deployer> {
  folder: string;
  settings?: DeploySettings;
}

/** Runs the command against the fake, without wrangler, and returns the printed lines and the calls that write. */
export async function runDeploy(fake: FakeCloudflare, { folder, isPlan = false, isRollback = false, ...run }: Run) {
  const printed: string[] = [];
  const first = fake.calls.length;
  const chosen = run.settings ?? settings;
  const deployer: Deployer = {
    account: new Account(new CloudflareApi({ token: 'token', fetch: fake.fetch }), accountId),
    settings: chosen,
    release: createRelease(),
    outDir: folder,
    secretFile: path.join(folder, `deploy.${chosen.prefix}.secret.json`),
    secret: undefined,
    directoryKeyFile: path.join(folder, 'deploy.directory-key.json'),
    directoryKey: undefined,
    isCi: false,
    only: undefined,
    canChangeUrl: false,
    runWrangler: createWranglerStandIn(fake.fetch),
    print: (line) => void printed.push(line),
    api: chosen.api,
    fetch: fake.fetch,
    pause: async () => {},
    ...run,
  };
  await deploy(deployer, { isPlan, isRollback });
  const calls = fake.calls.slice(first);
  const writes = calls.filter(({ isWrite }) => isWrite).map(({ method, path }) => `${method} ${path}`);
  return { printed: printed.join('\n'), calls, writes };
}

/** Returns an account with a platform, and the folder from which it was deployed. */
export async function deployPlatform() {
  const fake = new FakeCloudflare();
  const folder = createTemporaryFolder();
  const { printed } = await runDeploy(fake, { folder });
  return { fake, folder, printed, secretFile: path.join(folder, 'deploy.octavo.secret.json') };
}

export const findScript = (fake: FakeCloudflare, name: string) => {
  const script = fake.scripts.get(name);
  if (script === undefined) throw new Error(`The account has no worker ${name}.`);
  return script;
};

/** Changes the secret of a worker as wrangler does. */
export const putSecret = (fake: FakeCloudflare, worker: string): Promise<Response> =>
  fake.fetch(`https://api.cloudflare.com/client/v4/accounts/${accountId}/workers/scripts/${worker}/secrets`, {
    method: 'PUT',
    body: JSON.stringify({ name: 'OCTAVO_SECRET', text: 'new', type: 'secret_text' }),
  });

export const getBuild = ({ bindings }: Version) => bindings.find(({ name }) => name === 'OCTAVO_BUILD')?.text;

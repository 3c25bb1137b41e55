import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder, octavo } from './octavo.ts';

const settings = {
  account: '0123456789abcdef0123456789abcdef',
  prefix: 'octavo',
  region: 'weur',
  api: 'https://octavo.acme.invalid',
  sites: 'https://{organization}.docs.acme.invalid',
  mail: 'Octavo <docs@acme.dev>',
  admin: 'ann@acme.dev',
};

async function createDeployment(secrets?: object): Promise<string> {
  const folder = await createTemporaryFolder();
  const file = path.join(folder, 'deploy.json');
  writeFileSync(file, JSON.stringify(settings));
  if (secrets !== undefined) writeFileSync(path.join(folder, 'deploy.octavo.secret.json'), JSON.stringify(secrets));
  return file;
}

const run = (...args: string[]) => octavo({ OCTAVO_SECRET: '' }, 'jobs', ...args);

test("uses the API of the deployment's settings file, with the secret from the file next to it", async () => {
  const file = await createDeployment({ secret: 'sixteen random characters' });
  const { code, stderr } = await run('--deployment', file);

  expect(code).toBe(1);
  expect(stderr).toContain('Platform: https://octavo.acme.invalid');
  expect(stderr).toContain('https://octavo.acme.invalid could not be reached');
});

test.each<[string, () => Promise<string[]>, number, string]>([
  ['without the file', async () => ['--deployment', 'none/deploy.json'], 1, 'deploy.json was not found.'],
  ['without the secret', async () => ['--deployment', await createDeployment()], 1, 'nor the environment variable'],
  [
    'an unknown environment',
    async () => ['--deployment', await createDeployment({}), '--env', 'staging'],
    1,
    'deploy.json has no environment "staging".',
  ],
  ['an environment without the file', async () => ['--env', 'staging'], 2, '--env requires --deployment.'],
])('rejects %s', async (_, getArguments, expectedCode, message) => {
  const { code, stdout, stderr } = await run(...(await getArguments()));

  expect({ code, stdout }).toEqual({ code: expectedCode, stdout: '' });
  expect(stderr).toContain(message);
});

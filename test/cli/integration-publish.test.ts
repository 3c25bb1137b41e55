import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { platform } from '../support/platform.ts';
import { createCommandLine, octavo as octavoAs, writeTree } from './octavo.ts';

const getName = () => `sample-${randomUUID().slice(0, 8)}`;
const readIcon = () => readFile(path.resolve(import.meta.dirname, '../../integrations/analytics/icon.png'));

const createManifest = (name: string, more = '') =>
  `name: ${name}\ntitle: A sample\nscript: index.ts\nscopes: [space:content:read]\n${more}`;
const script = "import { greeting } from './greeting.ts';\nexport default { fetch: () => new Response(greeting) };\n";
const files = { 'index.ts': script, 'greeting.ts': "export const greeting: string = 'hello';\n" };

test('publishes a folder, then the next version, and unpublishes by name', async () => {
  const { octavo, organization, token } = await createCommandLine();
  const name = getName();
  const more = 'icon: icon.png\nevents: [space.created]\nvisibility: unlisted\n';
  const folder = await writeTree({
    ...files,
    'integration.yaml': createManifest(name, more),
    'icon.png': await readIcon(),
  });
  const get = () => platform().request(`/v1/integrations/${name}`, { token });

  expect(await octavo('integration', 'publish', folder)).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(new RegExp(`^Published ${name}, version 1: ${platform().url}/\\S+\\n$`)),
  });
  const again = await octavo('integration', 'publish', folder, '--organization', organization);
  expect(again.stdout).toContain(`Published ${name}, version 2`);
  expect(await (await get()).json()).toMatchObject({ visibility: 'unlisted', owner: { id: organization } });

  expect(await octavo('integration', 'tail', name, '--once')).toEqual({
    code: 0,
    stderr: `${name} has no runs yet.\n`,
    stdout: '',
  });
  expect(await octavo('integration', 'unpublish', name)).toEqual({
    code: 0,
    stderr: '',
    stdout: `Unpublished ${name}.\n`,
  });
  expect((await get()).status).toBe(404);
  expect(await octavo('integration', 'unpublish', name)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^octavo: The integration "sample-/),
  });
});

test('applies the manifest section for one server, with secrets from the environment', async () => {
  const { organization, env } = await createCommandLine();
  const name = getName();
  const envs = `organization: none\nenvs:\n  here:\n    organization: ${organization}\n    secrets: { KEY: '\${{ env.KEY }}' }\n`;
  const folder = await writeTree({ ...files, 'integration.yaml': createManifest(name, envs) });

  expect(await octavoAs({ ...env, KEY: 'k' }, 'integration', 'publish', folder)).toMatchObject({ code: 1 });
  expect(await octavoAs({ ...env, KEY: 'k' }, 'integration', 'publish', folder, '--env', 'here')).toMatchObject({
    code: 0,
  });
});

test('accepts a GitBook manifest with unknown fields', async () => {
  const { octavo } = await createCommandLine();
  const name = getName();
  const text = `${createManifest(name)}unknownField: x\n`;

  const foreign = await writeTree({ ...files, 'gitbook-manifest.yaml': text });
  expect(await octavo('integration', 'publish', foreign)).toMatchObject({ code: 0 });
  const ours = await writeTree({ ...files, 'integration.yaml': text });
  expect(await octavo('integration', 'publish', ours)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('unknownField'),
  });
});

test.each([
  ['export const fetch = () => new Response();', 'has no default export'],
  ['export default {};', 'has no fetch'],
  ['export default { events: {} };', 'has no fetch'],
])('does not publish a script without a callable entry point: %s', async (text, why) => {
  const { octavo, token } = await createCommandLine();
  const name = getName();
  const folder = await writeTree({ 'index.ts': text, 'integration.yaml': createManifest(name) });

  expect(await octavo('integration', 'publish', folder)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^octavo: .*index\\.ts ${why}\\.`)),
  });
  expect((await platform().request(`/v1/integrations/${name}`, { token })).status).toBe(404);
});

test('publishes a script without a check if only the platform can load it', async () => {
  const { octavo } = await createCommandLine();
  const text = `import { WorkerEntrypoint } from 'cloudflare:workers';\nexport default class extends WorkerEntrypoint {}\n`;
  const folder = await writeTree({ 'index.ts': text, 'integration.yaml': createManifest(getName()) });

  expect(await octavo('integration', 'publish', folder)).toMatchObject({ code: 0, stderr: '' });
});

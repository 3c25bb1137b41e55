import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { createCommandLine, createTemporaryFolder, octavo } from './octavo.ts';

test('a new project can be published and responds to calls, with the bundled library', async () => {
  const { organization, token, env } = await createCommandLine();
  const name = `begun-${randomUUID().slice(0, 8)}`;
  const folder = path.join(await createTemporaryFolder(), name);

  expect(await octavo(env, 'integration', 'init', folder)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Created ${name}: `),
  });
  expect(await octavo(env, 'integration', 'publish', folder)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Published ${name}, version 1`),
  });
  const at = `/v1/integrations/${name}/installations`;
  const { urls } = await json<{ urls: { publicEndpoint: string } }>(at, { token, body: { organization } });
  expect(await (await fetch(urls.publicEndpoint)).text()).toBe(`You asked for ${urls.publicEndpoint}`);
});

test('a project with an installed library keeps using that library', async () => {
  const { env } = await createCommandLine();
  const folder = path.join(await createTemporaryFolder(), `own-${randomUUID().slice(0, 8)}`);
  await octavo(env, 'integration', 'init', folder);
  const library = path.join(folder, 'node_modules/@octavo/integration');
  await mkdir(library, { recursive: true });
  await writeFile(path.join(library, 'package.json'), '{"name": "@octavo/integration", "main": "index.js"}');
  await writeFile(path.join(library, 'index.js'), 'export const mine = 1;');

  expect(await octavo(env, 'integration', 'publish', folder)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No matching export in "node_modules/@octavo/integration/index.js"'),
  });
});

test('never overwrites files, and reports an invalid name', async () => {
  const folder = await createTemporaryFolder();
  await writeFile(path.join(folder, 'index.ts'), 'mine');

  expect(await octavo({}, 'integration', 'init', folder)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('index.ts already exists. Nothing was written.'),
  });
  expect(await readFile(path.join(folder, 'index.ts'), 'utf8')).toBe('mine');
  await expect(readFile(path.join(folder, 'integration.yaml'))).rejects.toThrow('ENOENT');
  expect(await octavo({}, 'integration', 'init', folder, '--name', 'two words')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"two words" must contain only letters'),
  });
});

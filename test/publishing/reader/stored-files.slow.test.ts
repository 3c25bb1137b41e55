import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPlatform } from '@octavo/platform';
import { expect, inject, onTestFinished, test } from 'vitest';
import { json } from '../../support/content.ts';
import { createServerClient } from '../../support/platform.ts';

interface Manifest {
  workers: { name: string; options: { assets?: { directory: string } } }[];
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-stored-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a platform whose build has these files for pages. Returns it with the folder of the files. */
async function startWithFiles(names: string[]) {
  const root = inject('root');
  const [outDir, dataDir, files] = [await makeFolder(), await makeFolder(), await makeFolder()];
  const build = path.join(root, 'build');
  const others = (await readdir(build)).filter((name) => name !== 'manifest.json');
  for (const name of others) await symlink(path.join(build, name), path.join(outDir, name));
  const manifest = JSON.parse(await readFile(path.join(build, 'manifest.json'), 'utf8')) as Manifest;
  for (const { name, options } of manifest.workers)
    if (name === 'publishing' && options.assets !== undefined) options.assets.directory = files;
  await writeFile(path.join(outDir, 'manifest.json'), JSON.stringify(manifest));
  const folder = path.join(files, 'reader');
  await mkdir(folder);
  await writeFile(path.join(folder, 'names.json'), JSON.stringify(names));
  for (const name of names) await writeFile(path.join(folder, name), `Contents of ${name}`);
  const vars = { OCTAVO_ONE_ISOLATE: '' };
  const platform = await startPlatform({ root, outDir, dataDir, port: 0, vars, testKey: process.env.OCTAVO_TEST_KEY });
  onTestFinished(() => platform.stop());
  return { platform, server: createServerClient(platform.url, dataDir), folder };
}

test('serves files of a former build from the bucket', async () => {
  const names = Array.from({ length: 150 }, (_, index) => `site.${String(index).padStart(12, '0')}.css`);
  const { platform, server, folder } = await startWithFiles(names);
  const { id, token } = await server.makeOrganization();
  const site = await json<{ id: string }>(`/v1/orgs/${id}/sites`, { token, body: { spaces: 'sample' } }, server);
  const publish = { token, method: 'POST' };
  const { urls } = await json<{ urls: { published: string } }>(
    `/v1/orgs/${id}/sites/${site.id}/publish`,
    publish,
    server,
  );
  const read = async (name = '') => {
    const response = await fetch(new URL(`~/assets/${name}`, urls.published));
    return [response.status, await response.text(), response.headers.get('cache-control')];
  };
  const runCron = () => platform.dispatchCron('publishing', '* * * * *');
  for (let run = 0; run < 2; run += 1) expect(await runCron()).toBe('ok');

  for (const name of names) await rm(path.join(folder, name));

  for (const name of [names[0], names.at(-1)])
    expect(await read(name)).toEqual([200, `Contents of ${name}`, 'public, max-age=31536000, immutable']);
  expect((await read('site.ffffffffffff.css'))[0]).toBe(404);
});

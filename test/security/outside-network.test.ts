import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { hasOwnBundleOnMachine, startPlatform } from '@octavo/platform';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createFiles } from '../content/files/file-client.ts';
import { getClient } from '../content/space-client.ts';
import { getWebhooks } from '../integrations/webhooks/webhook-client.ts';
import { serveLocally } from '../support/local-server.ts';
import { createServerClient, platform } from '../support/platform.ts';

interface BuiltWorker {
  name: string;
  bundle: string;
  wasm: string[];
  options: { bindings: Record<string, string> };
}

/** Starts a platform with default settings, but without the address check in two workers. */
async function createUncheckedServer() {
  const root = inject('root');
  const [outDir, dataDir] = [await createFolder(), await createFolder()];
  const built = path.join(root, 'build');
  const manifest = JSON.parse(await readFile(path.join(built, 'manifest.json'), 'utf8')) as { workers: BuiltWorker[] };
  for (const { name, bundle, wasm, options } of manifest.workers) {
    await mkdir(path.dirname(path.join(outDir, bundle)));
    for (const file of hasOwnBundleOnMachine(name) ? [bundle, ...wasm] : [])
      await copyFile(path.join(built, file), path.join(outDir, file));
    if (['content', 'integrations'].includes(name))
      options.bindings = { ...options.bindings, OCTAVO_IMPORT_ALLOW_PRIVATE: '1' };
  }
  await writeFile(path.join(outDir, 'manifest.json'), JSON.stringify(manifest));
  const launcher = process.env.MINIFLARE_WORKERD_PATH;
  const started = await startPlatform({ root, outDir, dataDir, port: 0 });
  onTestFinished(async () => {
    await started.stop();
    if (launcher === undefined) delete process.env.MINIFLARE_WORKERD_PATH;
    else process.env.MINIFLARE_WORKERD_PATH = launcher;
  });
  return createServerClient(started.url, dataDir);
}

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-network-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("the runtime's network refuses a hostname that resolves to this machine", async () => {
  const reached: string[] = [];
  const base = await serveLocally(({ headers }, response) => {
    reached.push(headers.host ?? '');
    response.end('x');
  });
  const { port } = new URL(base);
  const named = `http://localhost:${port}/`;
  const open = getClient(platform(), await platform().makeSpace());
  expect(await createFiles(open, [{ name: 'a', url: named }])).toHaveLength(1);
  expect(reached.splice(0)).toEqual([`localhost:${port}`]);

  const server = await createUncheckedServer();
  const guarded = getClient(server, await server.makeSpace());
  for (const url of [named, `http://${hostname()}:${port}/`, base, `http://[::ffff:127.0.0.1]:${port}/`]) {
    const { status, body } = await guarded.edit([{ operation: 'insert_files', files: [{ name: 'a', url }] }]);
    expect([url, status, body.error?.issues?.[0]?.message]).toEqual([url, 400, 'could not be reached']);
  }
  const hooks = getWebhooks(await server.makeOrganization(), server);
  for (const url of [named, `http://${hostname()}:${port}/`, base, `http://[::ffff:127.0.0.1]:${port}/`]) {
    const { id } = await hooks.create(url, { active: false });
    expect([url, await hooks.ping(id)]).toMatchObject([url, { delivered: false, error: 'could not be reached' }]);
  }
  expect(reached).toEqual([]);
}, 60_000);

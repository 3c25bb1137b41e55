import { readFileSync } from 'node:fs';
import path from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unstable_getMiniflareWorkerOptions } from 'wrangler';
import { planWorkers, writeConfiguration } from '../../scripts/deploy/configurations.ts';
import { outDir } from '../../scripts/settings.ts';
import { platform } from '../support/platform.ts';
import { createRelease, settings } from './deployments.ts';

const folder = path.join(outDir, 'files/reader');
const readFile = (name: string) => readFileSync(path.join(folder, name), 'utf8');
const names = JSON.parse(readFile('names.json')) as string[];
const find = (pattern: RegExp) => names.find((name) => pattern.test(name)) ?? '';

/** One file of each kind that pages load. */
const files = [
  ...[/^site\.\w+\.css$/, /^site\.\w+\.js$/, /^fonts\/[^/]+\.css$/, /^fonts\/.*\.woff2$/, /^diagrams\/frame/].map(find),
  ...[find(/^diagrams\/.*\.mjs$/), 'icons/solid/gear.svg'],
];

const compared = [
  ...['content-type', 'cache-control', 'vary', 'access-control-allow-origin', 'content-encoding'],
  ...['content-security-policy', 'x-content-type-options', 'referrer-policy'],
];

let cloudflare: Miniflare;

/** Runs the asset routing of Cloudflare with the configuration of the gateway, in front of a worker that counts calls. */
beforeAll(async () => {
  const gateway = planWorkers(createRelease(), { settings, zone: 'acme.dev' }).find(({ role }) => role === 'gateway');
  if (gateway === undefined) throw new Error('There is no gateway.');
  const file = await writeConfiguration(outDir, 'octavo-static', gateway);
  const { assets, compatibilityDate } = unstable_getMiniflareWorkerOptions(file, '').workerOptions;
  const script = `export default { fetch: ({ url }) => new Response('The worker got ' + new URL(url).pathname) };`;
  const worker = { name: 'gateway', modules: true, script, assets, compatibilityDate };
  const options = { host: '127.0.0.1', port: 0, cf: false, telemetry: { enabled: false }, unsafeLocalExplorer: false };
  cloudflare = new Miniflare(
    convertV4MiniflareOptions({ ...options, workers: [worker] } as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
  await cloudflare.ready;
});
afterAll(() => cloudflare.dispose());

const headers = { 'accept-encoding': 'identity' };
const servers: [name: string, read: (file: string) => Promise<Pick<Response, 'status' | 'headers' | 'text'>>][] = [
  [
    'Cloudflare',
    async (file) => {
      const response = await cloudflare.dispatchFetch(`https://acme.docs.acme.dev/~/assets/${file}`, { headers });
      return response as unknown as Response;
    },
  ],
  ['one machine', (file) => platform().request(`/-/acme/docs/~/assets/${file}`, { headers })],
];

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};

test.each(servers)('files of pages have the same contents and headers on %s', async (_, read) => {
  for (const file of files) {
    const response = await read(file);
    const headers = Object.fromEntries(compared.map((name) => [name, response.headers.get(name)]));

    expect([file, response.status, await response.text()]).toEqual([file, 200, readFile(file)]);
    expect([file, headers]).toEqual([
      file,
      {
        'content-type': types[path.extname(file)],
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        'access-control-allow-origin': '*',
        'content-encoding': null,
        'content-security-policy': null,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    ]);
  }
});

test.each([
  // Files of former releases are in a bucket.
  '/~/assets/site.ffffffffffff.css',
  '/docs/~/assets/site.ffffffffffff.css',
  // The content security policy of HTML names the host.
  `/~/assets/${find(/\.html$/)}`,
  `/~/assets/${find(/\.html$/).replace('.html', '')}`,
  '/~/assets/files.json',
  '/~/assets/',
  '/_headers',
  '/reference/scalar.js',
  '/v1/user',
  '/',
])('on Cloudflare, the worker responds to %s', async (address) => {
  const response = await cloudflare.dispatchFetch(`https://acme.docs.acme.dev${address}`, { redirect: 'manual' });

  expect([response.status, await response.text()]).toEqual([200, `The worker got ${address}`]);
});

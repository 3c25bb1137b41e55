import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { expect, test } from 'vitest';
import { getProgress, partBytes } from '../content/uploads/upload-client.ts';
import { json } from '../support/content.ts';
import { serveLocally } from '../support/local-server.ts';
import { until } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { createCommandLine, findSpaceId, octavo, writeTree } from './octavo.ts';

interface Passed {
  method: string;
  offset: number;
}

/** Proxies the shared platform, including upload URLs. Breaks the first upload connection after `cutAfter` bytes. */
async function startCuttingProxy(cutAfter: number): Promise<{ url: string; passed: Passed[] }> {
  const passed: Passed[] = [];
  const url = await serveLocally(async (request, response) => {
    const { method = 'GET', headers } = request;
    const target = new URL(request.url ?? '/', platform().url);
    const isUpload = target.pathname.startsWith('/uploads/');
    // Wait until the server has stored the bytes from the broken connection.
    if (isUpload && method === 'HEAD')
      await until(async () => (await getProgress(target.href))[0] >= Math.min(cutAfter, partBytes) || undefined);
    const upstream = http.request(target, { method, headers: { ...headers, host: target.host } });
    if (isUpload) passed.push({ method, offset: Number(headers['upload-offset'] ?? 0) });
    if (isUpload && passed.length === 1) return cut(request, upstream, cutAfter);
    upstream.on('response', async (upstreamResponse) => {
      const { 'content-length': _, 'transfer-encoding': __, ...kept } = upstreamResponse.headers;
      const text = Buffer.concat(await upstreamResponse.toArray()).toString();
      response.writeHead(upstreamResponse.statusCode ?? 500, kept).end(text.replaceAll(platform().url, url));
    });
    request.pipe(upstream);
  });
  return { url, passed };
}

async function cut(request: http.IncomingMessage, upstream: http.ClientRequest, after: number): Promise<void> {
  const { socket } = request;
  upstream.on('error', () => undefined);
  let left = after;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    await new Promise((resolve) => upstream.write(chunk.subarray(0, left), resolve));
    left -= chunk.length;
    if (left <= 0) break;
  }
  upstream.destroy();
  socket.destroy();
}

test('resumes an upload whose connection was lost', async () => {
  const { token } = await createCommandLine();
  const bytes = new Uint8Array(randomBytes(partBytes + 500_000));
  const { url, passed } = await startCuttingProxy(partBytes + 100_000);
  const folder = await writeTree({ 'README.md': '# Home\n\n![](a.png)\n', 'a.png': bytes });

  const { stdout, stderr } = await octavo({ OCTAVO_URL: url, OCTAVO_TOKEN: token }, 'import', folder, '--space', 'new');

  expect(stderr).not.toContain('fail');
  expect(stdout).toContain('files: 1 created');
  expect(passed.map(({ method }) => method)).toEqual(['PUT', 'HEAD', 'PATCH']);
  expect(passed[2]?.offset).toBeGreaterThanOrEqual(partBytes);
  const { items } = await json<{ items: { git: { oid: string } }[] }>(
    `/v1/spaces/${findSpaceId(stdout)}/content/files`,
    {
      token,
    },
  );
  const oid = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  expect(items.map(({ git }) => git.oid)).toEqual([oid]);
});

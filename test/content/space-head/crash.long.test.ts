import { request as open, type ServerResponse } from 'node:http';
import { callOperator } from '@octavo/platform';
import { afterEach, expect, test } from 'vitest';
import { octavoProcess, writeTree } from '../../cli/octavo.ts';
import { serveLocally } from '../../support/local-server.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform } from '../../support/own-platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { getChain, range } from './programs.ts';

const testLimitMilliseconds = 600_000;
const settleLimitMilliseconds = 400_000;
let own: OwnPlatform | undefined;

afterEach(async () => {
  await own?.remove();
  own = undefined;
});

/** Returns the result or status; undefined after a server error or a lost connection. */
async function attempt(
  work: () => Promise<{ status: number; body: { result?: string } }>,
): Promise<string | undefined> {
  try {
    const { status, body } = await work();
    return status === 200 ? body.result : status < 500 ? String(status) : undefined;
  } catch {
    return undefined;
  }
}

/** Retries until the server returns a response that is not a server error. */
async function retryUntilDone(work: () => Promise<{ status: number; body: { result?: string } }>): Promise<string> {
  const deadline = Date.now() + settleLimitMilliseconds;
  for (;;) {
    const result = await attempt(work);
    if (result !== undefined) return result;
    if (Date.now() > deadline) throw new Error('The server did not come back.');
  }
}

/** Returns the titles of the pages that search finds. */
async function searchTitles(space: SpaceClient, words: string): Promise<string[]> {
  const { items } = await space.callJson<{ items: { title: string }[] }>(`/search?query=${encodeURIComponent(words)}`);
  return items.map(({ title }) => title);
}

/** Returns a function that kills the process synchronously, so that no merge continues before the kill. */
async function createKiller(server: OwnPlatform, target: 'workerd' | 'node'): Promise<() => void> {
  const workerd = await server.getWorkerdPid();
  return target === 'workerd' ? () => process.kill(workerd, 'SIGKILL') : () => void server.kill('SIGKILL');
}

/**
 * Makes live edits one after another until the server is down. Returns the titles of the acknowledged pages. The
 * runtime may restart between two edits so that no request fails, so `isKilled` is checked too.
 */
async function editUntilDown(space: SpaceClient, isKilled: () => boolean): Promise<string[]> {
  const written: string[] = [];
  for (;;) {
    const title = `Extra ${written.length}`;
    const result = await attempt(() =>
      space.edit([insertPage(title)]).then(({ status }) => ({ status, body: { result: 'ok' } })),
    );
    if (result === undefined) return written;
    expect(result).toBe('ok');
    written.push(title);
    if (isKilled()) return written;
  }
}

/**
 * Opens 10 change requests. Each edits one page and adds one; every fifth also changes the same line of a shared page.
 */
async function prepare(server: OwnPlatform) {
  const space = getClient(server, await server.makeSpace());
  const [shared = '', ...pages] = await space.change([
    insertPage('Shared'),
    ...range(10).map((index) => insertPage(`Page ${index}`)),
  ]);
  const chain = await getChain(space);
  const branches = await Promise.all(range(10).map(() => space.open()));
  const hasConflict = (index: number) => index % 5 === 0;
  await Promise.all(
    branches.map((branch, index) =>
      space.change(
        [
          writePage(pages[index] ?? '', `word${index}edited\n`),
          insertPage(`New ${index}`, { document: { markdown: `word${index}inserted\n` } }),
          ...(hasConflict(index) ? [writePage(shared, `shared by ${index}\n`)] : []),
        ],
        branch,
      ),
    ),
  );
  return { space, pages, chain, branches };
}

test.each(['workerd', 'node'] as const)(
  '10 merges lose nothing if %s is killed during them, and search catches up',
  async (target) => {
    own = await startOwnPlatform();
    const { dataDir } = own;
    const { space, pages, chain, branches } = await prepare(own);
    let kill: (() => void) | undefined = await createKiller(own, target);
    const killOnce = () => {
      kill?.();
      kill = undefined;
    };
    const first = branches.map(async (branch) => {
      const result = await attempt(() => space.merge(branch));
      killOnce();
      return result;
    });
    const extras = editUntilDown(space, () => kill === undefined);
    const acknowledged = await Promise.all(first);
    const written = await extras;
    if (target === 'node') {
      await own.kill('SIGKILL');
      await own.restart();
    }
    const settled: string[] = [];
    for (const branch of branches) settled.push(await retryUntilDone(() => space.merge(branch)));

    for (const [index, result] of settled.entries()) {
      expect(['merge', 'conflicts', '409']).toContain(result);
      if (acknowledged[index] === 'merge') expect(result).toBe('409');
    }
    const landed = range(10).filter((index) => settled[index] !== 'conflicts');
    expect(landed).toHaveLength(9);
    const all = (await space.pages()).map(({ title }) => title);
    const keptTitles = all.filter((title) => title.startsWith('Extra '));
    expect(keptTitles).toEqual(expect.arrayContaining(written));
    expect(keptTitles.length - written.length).toBeLessThanOrEqual(1);
    const titles = all.filter((title) => title.startsWith('New '));
    expect(titles.toSorted()).toEqual(landed.map((index) => `New ${index}`).toSorted());
    expect(await getChain(space)).toHaveLength(chain.length + landed.length + keptTitles.length);
    for (const index of range(10)) {
      const expected = landed.includes(index) ? `word${index}edited\n` : `Page ${index}\n`;
      expect((await space.page(pages[index] ?? '')).markdown).toBe(expected);
    }
    const isConsistent = async () => {
      await callOperator(dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
      const hits = await Promise.all(
        range(10).map(async (index) => [
          (await searchTitles(space, `word${index}edited`)).length,
          (await searchTitles(space, `word${index}inserted`)).length,
        ]),
      );
      return hits.flatMap(([edited, inserted], index) => (edited === 1 && inserted === 1 ? [index] : []));
    };
    await expect.poll(isConsistent, { interval: 1000, timeout: settleLimitMilliseconds }).toEqual(landed);
  },
  testLimitMilliseconds,
);

/**
 * Makes live edits from 20 concurrent writers until the server is down. Collects the titles of acknowledged pages in
 * `titles`.
 */
function writeMany(space: SpaceClient): { titles: string[]; ended: Promise<unknown> } {
  const titles: string[] = [];
  const writers = range(20).map(async (writer) => {
    for (let round = 0; ; round += 1) {
      const title = `Written ${writer}x${round}y`;
      const result = await attempt(async () => {
        const { status } = await space.edit([insertPage(title)]);
        return { status, body: { result: 'ok' } };
      });
      if (result === undefined) return;
      expect(result).toBe('ok');
      titles.push(title);
    }
  });
  return { titles, ended: Promise.all(writers) };
}

/** Proxies the server. Only the first `most` content writes pass; `cut` closes the connections of the others. */
async function startSlowProxy(server: OwnPlatform, most: number): Promise<{ url: string; cut(): void }> {
  const held: ServerResponse[] = [];
  let [passed, isCut] = [0, false];
  const url = await serveLocally((request, response) => {
    const isWrite = request.method === 'POST' && /\/content(?:\?|$)/.test(request.url ?? '');
    if (isCut) return void response.destroy();
    if (isWrite && passed === most) return void held.push(response);
    if (isWrite) passed += 1;
    const { method = 'GET', headers } = request;
    const onward = open(new URL(request.url ?? '', server.url), { method, headers }, (upstreamResponse) => {
      upstreamResponse.on('error', () => response.destroy());
      response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
      upstreamResponse.pipe(response);
    });
    request.pipe(onward.on('error', () => response.destroy()));
  });
  const cut = () => {
    isCut = true;
    for (const response of held) response.destroy();
  };
  return { url, cut };
}

test(
  'a kill -9 during 150 writes and an import loses no acknowledged write, and leaves no partial import',
  async () => {
    own = await startOwnPlatform();
    const [written, imported] = await Promise.all([own.makeSpace(), own.makeSpace()]);
    const [space, target] = [getClient(own, written), getClient(own, imported)];
    const files = range(240).map((index) => [`page-${index}.md`, `# Imported ${index}\n`]);
    const folder = await writeTree(Object.fromEntries(files));
    const runImport = (url: string) =>
      octavoProcess({ OCTAVO_URL: url, OCTAVO_TOKEN: imported.token }, 'import', folder, '--space', imported.id);

    const { titles, ended } = writeMany(space);
    await expect.poll(() => titles.length, { timeout: settleLimitMilliseconds }).toBeGreaterThan(150);
    // The proxy lets at most half of the import pass, so it cannot end before the kill.
    const gate = await startSlowProxy(own, 2);
    const cut = runImport(gate.url);
    const countPages = async () => {
      const { items } = await target.callJson<{ items: { id: string }[] }>('/change-requests?status=draft');
      return items[0] === undefined ? 0 : (await target.pages(items[0].id)).length;
    };
    await expect.poll(countPages, { interval: 5, timeout: settleLimitMilliseconds }).toBeGreaterThan(0);
    await own.kill('SIGKILL');
    gate.cut();
    await ended;
    expect((await cut).code).toBe(1);
    await own.restart();

    const keptTitles = (await space.pages()).map(({ title }) => title);
    expect(keptTitles).toEqual(expect.arrayContaining(titles));
    expect(keptTitles.length - titles.length).toBeLessThanOrEqual(20);
    expect(await countPages()).toBeLessThanOrEqual(100);
    expect(await target.pages()).toEqual([]);
    expect((await runImport(own.url)).stdout).toContain('240 created, 0 updated, 0 unchanged, 0 failed');
    const { dataDir } = own;
    const isConsistent = async () => {
      await callOperator(dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
      const searched = [...titles.slice(0, 5), ...titles.slice(-20)];
      const hits = await Promise.all(searched.map((title) => searchTitles(space, title)));
      return hits.filter(([first], index) => first === searched[index]).length;
    };
    await expect.poll(isConsistent, { interval: 1000, timeout: settleLimitMilliseconds }).toBe(25);
  },
  2 * testLimitMilliseconds,
);

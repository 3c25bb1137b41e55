import { callOperator } from '@octavo/platform';
import { afterEach, expect, test } from 'vitest';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { ownPlatform } from '../../support/own-platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { clientOf } from '../space-client.ts';
import { chainOf, insertPage, range, writePage } from './programs.ts';

const testLimitMilliseconds = 120_000;
const settleLimitMilliseconds = 100_000;
let own: OwnPlatform | undefined;

afterEach(async () => {
  await own?.remove();
  own = undefined;
});

/** A status, or undefined where the server went away before it answered. */
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

/** Calls until the server answers with something that is not a failure of its own. */
async function settle(work: () => Promise<{ status: number; body: { result?: string } }>): Promise<string> {
  const deadline = Date.now() + settleLimitMilliseconds;
  for (;;) {
    const answer = await attempt(work);
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error('The server did not come back.');
  }
}

/** The pages that search finds a word on; undefined while the server is not there. */
async function found(space: SpaceClient, word: string): Promise<string[]> {
  const { items } = await space.ok<{ items: { id: string }[] }>(`/search?query=${word}`);
  return items.map(({ id }) => id);
}

/** What kills at once: no time for the merges to go on meanwhile. */
async function killer(server: OwnPlatform, target: 'workerd' | 'node'): Promise<() => void> {
  const workerd = await server.workerdPid();
  return target === 'workerd' ? () => process.kill(workerd, 'SIGKILL') : () => void server.kill('SIGKILL');
}

/** Live edits one after the other until the server goes away; gives the titles of the pages that it acknowledged. */
async function writeUntilCut(space: SpaceClient): Promise<string[]> {
  const written: string[] = [];
  for (;;) {
    const title = `Extra ${written.length}`;
    const answer = await attempt(() =>
      space.edit([insertPage(title)]).then(({ status }) => ({ status, body: { result: 'ok' } })),
    );
    if (answer === undefined) return written;
    expect(answer).toBe('ok');
    written.push(title);
  }
}

/** 25 change requests: each edits a page of its own and adds one, and every fifth also changes a line that they share. */
async function prepare(server: OwnPlatform) {
  const space = clientOf(server, await server.makeSpace());
  const [shared = '', ...pages] = await space.change([
    insertPage('Shared'),
    ...range(25).map((index) => insertPage(`Page ${index}`)),
  ]);
  const chain = await chainOf(space);
  const branches = await Promise.all(range(25).map(() => space.open()));
  const clashes = (index: number) => index % 5 === 0;
  await Promise.all(
    branches.map((branch, index) =>
      space.change(
        [
          writePage(pages[index] ?? '', `word${index}edited\n`),
          insertPage(`New ${index}`, `word${index}inserted\n`),
          ...(clashes(index) ? [writePage(shared, `shared by ${index}\n`)] : []),
        ],
        branch,
      ),
    ),
  );
  return { space, pages, chain, branches };
}

test.each(['workerd', 'node'] as const)(
  'security item 37: 25 merges lose nothing when %s is killed in their middle, and search agrees in the end',
  async (target) => {
    own = await ownPlatform();
    const { dataDir } = own;
    const { space, pages, chain, branches } = await prepare(own);
    let kill: (() => void) | undefined = await killer(own, target);
    const killOnce = () => {
      kill?.();
      kill = undefined;
    };
    const first = branches.map(async (branch) => {
      const answer = await attempt(() => space.merge(branch));
      killOnce();
      return answer;
    });
    const extras = writeUntilCut(space);
    const acknowledged = await Promise.all(first);
    const written = await extras;
    if (target === 'node') {
      await own.kill('SIGKILL');
      await own.restart();
    }
    const settled: string[] = [];
    for (const branch of branches) settled.push(await settle(() => space.merge(branch)));

    for (const [index, answer] of settled.entries()) {
      expect(['merge', 'conflicts', '409']).toContain(answer);
      if (acknowledged[index] === 'merge') expect(answer).toBe('409');
    }
    const landed = range(25).filter((index) => settled[index] !== 'conflicts');
    expect(landed).toHaveLength(21);
    const all = (await space.pages()).map(({ title }) => title);
    const kept = all.filter((title) => title.startsWith('Extra '));
    expect(kept).toEqual(expect.arrayContaining(written));
    expect(kept.length - written.length).toBeLessThanOrEqual(1);
    const titles = all.filter((title) => title.startsWith('New '));
    expect(titles.toSorted()).toEqual(landed.map((index) => `New ${index}`).toSorted());
    expect(await chainOf(space)).toHaveLength(chain.length + landed.length + kept.length);
    for (const index of range(25)) {
      const expected = landed.includes(index) ? `word${index}edited\n` : `Page ${index}\n`;
      expect((await space.page(pages[index] ?? '')).markdown).toBe(expected);
    }
    const agrees = async () => {
      await callOperator(dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
      const hits = await Promise.all(
        range(25).map(async (index) => [
          (await found(space, `word${index}edited`)).length,
          (await found(space, `word${index}inserted`)).length,
        ]),
      );
      return hits.flatMap(([edited, inserted], index) => (edited === 1 && inserted === 1 ? [index] : []));
    };
    await expect.poll(agrees, { interval: 1000, timeout: settleLimitMilliseconds }).toEqual(landed);
  },
  testLimitMilliseconds,
);

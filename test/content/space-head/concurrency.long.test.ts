import { describe, expect, test } from 'vitest';
import type { Server, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { isOfAll } from '../../support/random.ts';
import type { ApiFailure, Outcome, Result, SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { getChain, range } from './programs.ts';

async function start(server: Server = platform()): Promise<SpaceClient> {
  const space: TestSpace = await server.makeSpace();
  return getClient(server, space);
}

/** Opens change requests from the same revision and applies `changesOf(index)` to each. */
async function openMany(
  space: SpaceClient,
  count: number,
  changesOf: (index: number) => Parameters<SpaceClient['change']>[0],
) {
  const branches = await Promise.all(range(count).map(() => space.open()));
  await Promise.all(branches.map((branch, index) => space.change(changesOf(index), branch)));
  return branches;
}

const getResults = (responses: Result<Outcome & ApiFailure>[]) =>
  responses.map(({ status, body }) => (status === 200 ? body.result : status));

describe('25 concurrent merges into one space', () => {
  test('of different pages all succeed, as consecutive revisions', async () => {
    const space = await start();
    const pages = await space.change(range(25).map((index) => insertPage(`Page ${index}`)));
    const before = await getChain(space);
    const branches = await openMany(space, 25, (index) => [
      writePage(pages[index] ?? '', `edited ${index}\n`),
      insertPage(`New ${index}`),
    ]);
    const responses = await Promise.all(branches.map((branch) => space.merge(branch)));

    expect(getResults(responses)).toEqual(range(25).map(() => 'merge'));
    expect(await getChain(space)).toHaveLength(before.length + 25);
    expect(new Set(responses.map(({ body }) => body.revision)).size).toBe(25);
    const texts = await Promise.all(pages.map(async (page) => (await space.page(page)).markdown));
    expect(texts).toEqual(range(25).map((index) => `edited ${index}\n`));
    expect(await space.pages()).toHaveLength(50);
  });

  test('of changes to the same line: one succeeds, and the others return conflicts and change nothing', async () => {
    const space = await start();
    const [page = ''] = await space.change([insertPage('Page')]);
    const before = await getChain(space);
    const branches = await openMany(space, 25, (index) => [writePage(page, `edited ${index}\n`)]);
    const responses = await Promise.all(branches.map((branch) => space.merge(branch)));

    const landed = getResults(responses).flatMap((result, index) => (result === 'merge' ? [index] : []));
    expect(landed).toHaveLength(1);
    expect(getResults(responses).filter((result) => result === 'conflicts')).toHaveLength(24);
    expect((await space.page(page)).markdown).toBe(`edited ${landed[0]}\n`);
    expect(await getChain(space)).toHaveLength(before.length + 1);
  });

  test('of 25 new pages with the same slug all succeed, and each page gets a unique slug', async () => {
    const space = await start();
    const branches = await openMany(space, 25, () => [insertPage('Same')]);
    const responses = await Promise.all(branches.map((branch) => space.merge(branch)));

    expect(getResults(responses)).toEqual(range(25).map(() => 'merge'));
    expect(new Set((await space.pages()).map(({ slug }) => slug)).size).toBe(25);
  });
});

test('25 change requests opened concurrently get the numbers 1 to 25', async () => {
  const space = await start();
  const opened = await Promise.all(
    range(25).map(() => space.callJson<{ number: number }>('/change-requests', { method: 'POST', body: {} })),
  );

  expect(opened.map(({ number }) => number).toSorted((one, other) => one - other)).toEqual(
    range(25).map((index) => index + 1),
  );
});

describe('25 concurrent requests for one change request', () => {
  test('a merge creates a single revision, and each request returns it or 409', async () => {
    const space = await start();
    const before = await getChain(space);
    const [branch = ''] = await openMany(space, 1, () => [insertPage('Page')]);
    const responses = await Promise.all(range(25).map(() => space.merge(branch)));

    for (const result of getResults(responses)) expect(['merge', 409]).toContain(result);
    const revisions = responses.filter(({ status }) => status === 200).map(({ body }) => body.revision);
    expect(new Set(revisions).size).toBe(1);
    expect(await getChain(space)).toHaveLength(before.length + 1);
  });

  test('edit, update and merge it: live content contains every edit acknowledged before the merge', async () => {
    const space = await start();
    const branch = await space.open();
    await space.change([insertPage('Live')]);
    const edits = range(20).map((index) => space.edit([insertPage(`Page ${index}`)], branch));
    const updates = range(3).map(() => space.update(branch));
    const merges = range(2).map(() => space.merge(branch));
    const [responses, updated, merged] = await Promise.all([
      Promise.all(edits),
      Promise.all(updates),
      Promise.all(merges),
    ]);

    for (const { status } of [...responses, ...updated, ...merged]) expect([200, 409]).toContain(status);
    const { body } = await space.merge(branch);
    expect(body.error?.code).toBe(409);
    const titles = (await space.pages()).map(({ title }) => title);
    const acknowledged = responses.flatMap(({ status }, index) => (status === 200 ? [`Page ${index}`] : []));
    expect(titles.toSorted()).toEqual(['Live', ...acknowledged].toSorted());
  });
});

const writingSeconds = isOfAll ? 10 : 1;

test(`32 writers for ${writingSeconds} seconds get no 5xx, and no update is lost`, async () => {
  const space = await start();
  const [counter = '', ...pages] = await space.change(range(33).map((index) => insertPage(`Page ${index}`)));
  await space.change([writePage(counter, '0')]);
  const end = Date.now() + 1000 * writingSeconds;
  const [own, shared]: [number[], number[]] = [[], []];
  const writers = pages.map(async (page, writer) => {
    for (let round = 1; ; round += 1) {
      own.push((await space.edit([writePage(page, `${writer}.${round}`)])).status);
      const { id: revision } = await space.head();
      const count = Number((await space.page(counter)).markdown);
      shared.push((await space.edit([writePage(counter, String(count + 1))], undefined, { revision })).status);
      if (Date.now() > end) return `${writer}.${round}`;
    }
  });
  const last = await Promise.all(writers);

  expect(new Set(own)).toEqual(new Set([200]));
  expect(new Set(shared)).toEqual(new Set([200, 409]));
  expect(Number((await space.page(counter)).markdown)).toBe(shared.filter((status) => status === 200).length);
  expect(await Promise.all(pages.map(async (page) => (await space.page(page)).markdown))).toEqual(last);
}, 180_000);

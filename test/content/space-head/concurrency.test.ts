import { describe, expect, test } from 'vitest';
import type { Server, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { Answer, ApiFailure, Outcome, SpaceClient } from '../space-client.ts';
import { clientOf } from '../space-client.ts';
import { chainOf, insertPage, range, writePage } from './programs.ts';

async function start(server: Server = platform()): Promise<SpaceClient> {
  const space: TestSpace = await server.makeSpace();
  return clientOf(server, space);
}

/** Change requests that were all made from one state; `changesOf` gives the changes of each. */
async function openMany(
  space: SpaceClient,
  count: number,
  changesOf: (index: number) => Parameters<SpaceClient['change']>[0],
) {
  const branches = await Promise.all(range(count).map(() => space.open()));
  await Promise.all(branches.map((branch, index) => space.change(changesOf(index), branch)));
  return branches;
}

const results = (answers: Answer<Outcome & ApiFailure>[]) =>
  answers.map(({ status, body }) => (status === 200 ? body.result : status));

describe('25 merges into one space at once', () => {
  test('that touch different pages all land, in one chain of revisions without gaps', async () => {
    const space = await start();
    const pages = await space.change(range(25).map((index) => insertPage(`Page ${index}`)));
    const before = await chainOf(space);
    const branches = await openMany(space, 25, (index) => [
      writePage(pages[index] ?? '', `edited ${index}\n`),
      insertPage(`New ${index}`),
    ]);
    const answers = await Promise.all(branches.map((branch) => space.merge(branch)));

    expect(results(answers)).toEqual(range(25).map(() => 'merge'));
    expect(await chainOf(space)).toHaveLength(before.length + 25);
    expect(new Set(answers.map(({ body }) => body.revision)).size).toBe(25);
    const texts = await Promise.all(pages.map(async (page) => (await space.page(page)).markdown));
    expect(texts).toEqual(range(25).map((index) => `edited ${index}\n`));
    expect(await space.pages()).toHaveLength(50);
  });

  test('that change one line: one lands, the others answer conflicts and change nothing', async () => {
    const space = await start();
    const [page = ''] = await space.change([insertPage('Page')]);
    const before = await chainOf(space);
    const branches = await openMany(space, 25, (index) => [writePage(page, `edited ${index}\n`)]);
    const answers = await Promise.all(branches.map((branch) => space.merge(branch)));

    const landed = results(answers).flatMap((result, index) => (result === 'merge' ? [index] : []));
    expect(landed).toHaveLength(1);
    expect(results(answers).filter((result) => result === 'conflicts')).toHaveLength(24);
    expect((await space.page(page)).markdown).toBe(`edited ${landed[0]}\n`);
    expect(await chainOf(space)).toHaveLength(before.length + 1);
  });

  test('that give 25 new pages one slug: all land, each with its own', async () => {
    const space = await start();
    const branches = await openMany(space, 25, () => [insertPage('Same')]);
    const answers = await Promise.all(branches.map((branch) => space.merge(branch)));

    expect(results(answers)).toEqual(range(25).map(() => 'merge'));
    expect(new Set((await space.pages()).map(({ slug }) => slug)).size).toBe(25);
  });
});

test('25 change requests opened at once get the numbers 1 to 25', async () => {
  const space = await start();
  const opened = await Promise.all(
    range(25).map(() => space.ok<{ number: number }>('/change-requests', { method: 'POST', body: {} })),
  );

  expect(opened.map(({ number }) => number).toSorted((one, other) => one - other)).toEqual(
    range(25).map((index) => index + 1),
  );
});

describe('25 callers on one change request at once', () => {
  test('merging it: one revision, which all of them are told of or refused for', async () => {
    const space = await start();
    const before = await chainOf(space);
    const [branch = ''] = await openMany(space, 1, () => [insertPage('Page')]);
    const answers = await Promise.all(range(25).map(() => space.merge(branch)));

    for (const result of results(answers)) expect(['merge', 409]).toContain(result);
    const told = answers.filter(({ status }) => status === 200).map(({ body }) => body.revision);
    expect(new Set(told).size).toBe(1);
    expect(await chainOf(space)).toHaveLength(before.length + 1);
  });

  test('editing, updating and merging it: what was acknowledged before the merge is in main', async () => {
    const space = await start();
    const branch = await space.open();
    await space.change([insertPage('Live')]);
    const edits = range(20).map((index) => space.edit([insertPage(`Page ${index}`)], branch));
    const updates = range(3).map(() => space.update(branch));
    const merges = range(2).map(() => space.merge(branch));
    const [edited, updated, merged] = await Promise.all([
      Promise.all(edits),
      Promise.all(updates),
      Promise.all(merges),
    ]);

    for (const { status } of [...edited, ...updated, ...merged]) expect([200, 409]).toContain(status);
    const { body } = await space.merge(branch);
    expect(body.error?.code).toBe(409);
    const titles = (await space.pages()).map(({ title }) => title);
    const acknowledged = edited.flatMap(({ status }, index) => (status === 200 ? [`Page ${index}`] : []));
    expect(titles.toSorted()).toEqual(['Live', ...acknowledged].toSorted());
  });
});

test('security item 36: 32 writers to one page and one space get no 5xx, and nothing that was acknowledged is lost', async () => {
  const space = await start();
  const [page = ''] = await space.change([insertPage('Shared')]);
  const before = await chainOf(space);
  const rounds = 4;
  const writers = range(32).map(async (writer) => {
    const statuses: number[] = [];
    for (const round of range(rounds)) {
      const changes = [insertPage(`Page ${writer}.${round}`), writePage(page, `${writer}.${round}\n`)];
      statuses.push((await space.edit(changes)).status);
    }
    return statuses;
  });
  const statuses = (await Promise.all(writers)).flat();

  expect(new Set(statuses)).toEqual(new Set([200]));
  const titles = (await space.pages()).map(({ title }) => title);
  expect(titles.toSorted()).toEqual(
    ['Shared', ...range(32).flatMap((w) => range(rounds).map((r) => `Page ${w}.${r}`))].toSorted(),
  );
  expect(await chainOf(space)).toHaveLength(before.length + 32 * rounds);
});

import { beforeAll, expect, test } from 'vitest';
import type { SpaceClient, TreePage } from '../../content/space-client.ts';
import { flatten, getClient, insertPage, writePage } from '../../content/space-client.ts';
import { query } from '../../support/database.ts';
import { makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

const rounds = 8;

interface Sent {
  kind: 'merge' | 'update' | 'edit' | 'live' | 'review';
  title: string;
  status: number;
  revision: string | undefined;
}

let space: SpaceClient;
let reviewer: SpaceClient;
/** A live page. Main and the change request each edit its first line or its last line. */
let shared = '';

const createLines = (first: string, last: string) => `${first}\n\n${'middle\n\n'.repeat(8)}${last}\n`;

beforeAll(async () => {
  const organization = await platform().makeOrganization();
  const newSpace = await platform().makeSpace({ organization });
  space = getClient(platform(), newSpace);
  reviewer = getClient(platform(), { id: newSpace.id, token: (await makeMember(organization, 'review')).token });
  [shared = ''] = await space.change([
    { operation: 'insert_page', title: 'Shared', document: { markdown: createLines('first', 'last') } },
  ]);
});

/** Returns 25 requests for one change request: merges, updates, batches of edits on both sides, and reviews. */
function getCalls(branch: string, round: number) {
  const call = async (kind: Sent['kind'], title: string, send: () => Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await send();
    const { revision, changeRequest } = body as { revision?: string; changeRequest?: { revision: string } };
    return { kind, title, status, revision: revision ?? changeRequest?.revision };
  };
  const createName = (kind: string, index: number) => `${kind} ${round} ${index}`;
  const createCalls = (count: number, make: (index: number) => () => Promise<Sent>) =>
    Array.from({ length: count }, (_, index) => make(index));
  const insertTwoPages = (title: string) => [insertPage(title), insertPage(`${title} too`)];
  return [
    ...createCalls(2, (index) => () => call('merge', createName('merge', index), () => space.merge(branch))),
    ...createCalls(1, (index) => () => call('update', createName('update', index), () => space.update(branch))),
    ...createCalls(
      10,
      (index) => () =>
        call('edit', createName('edit', index), () => space.edit(insertTwoPages(createName('edit', index)), branch)),
    ),
    ...createCalls(
      2,
      (index) => () =>
        call('edit', `first ${round} ${index}`, () =>
          space.edit([writePage(shared, createLines(`first ${round} ${index}`, 'last'))], branch),
        ),
    ),
    ...createCalls(
      6,
      (index) => () =>
        call('live', createName('live', index), () => space.edit(insertTwoPages(createName('live', index)))),
    ),
    ...createCalls(
      4,
      (index) => () =>
        call('review', createName('review', index), () =>
          reviewer.call<object>(`/change-requests/${branch}/reviews`, {
            method: 'POST',
            body: { status: index % 2 === 0 ? 'approved' : 'changes-requested' },
          }),
        ),
    ),
  ];
}

const listTitles = (pages: TreePage[]) => flatten(pages).map(({ title }) => title);

async function runRound(round: number): Promise<void> {
  const branch = await space.open();
  await space.change([insertPage(`start ${round}`)], branch);
  const calls = getCalls(branch, round);
  expect(calls).toHaveLength(25);
  const shuffled = calls.map((call, index) => ({ call, order: (index * 7 + round * 11) % 25 }));
  shuffled.sort((one, other) => one.order - other.order);
  const sent = await Promise.all(shuffled.map(({ call }) => call()));
  const createCalls = (kind: Sent['kind'], status: number) =>
    sent.filter((each) => each.kind === kind && each.status === status);

  const allowed = { merge: [200, 409], update: [200, 409], edit: [200, 409], live: [200], review: [201, 409] };
  expect(sent.filter(({ kind, status }) => !allowed[kind].includes(status))).toEqual([]);
  const merges = query<{ id: string; seq: number; parents: string }>(
    'SELECT id, seq, parents FROM revisions WHERE change_request = ?',
    branch,
  );
  expect(merges).toHaveLength(1);
  const [merge = { id: '', seq: 0, parents: '[]' }] = merges;
  expect(new Set(createCalls('merge', 200).map(({ revision }) => revision))).toEqual(new Set([merge.id]));

  // The merge used the newest revision of the branch, and no later write to the branch was accepted.
  const own = query<{ id: string; seq: number }>('SELECT id, seq FROM revisions WHERE branch = ? ORDER BY seq', branch);
  expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1));
  expect((JSON.parse(merge.parents) as string[])[1]).toBe(own.at(-1)?.id);
  expect(own.map(({ id }) => id)).toEqual(
    expect.arrayContaining(createCalls('edit', 200).map(({ revision }) => revision)),
  );

  const titles = listTitles((await space.revision(merge.id)).pages);
  const edits = createCalls('edit', 200).filter(({ title }) => title.startsWith('edit'));
  const expectedTitles = [`start ${round}`, ...edits.flatMap(({ title }) => [title, `${title} too`])];
  expect(titles.filter((title) => title.startsWith(`edit ${round} `) || title === `start ${round}`).sort()).toEqual(
    expectedTitles.sort(),
  );
  const live = createCalls('live', 200).flatMap(({ title }) => [title, `${title} too`]);
  const now = listTitles(await space.pages());
  expect(now.filter((title) => title.startsWith(`live ${round} `)).sort()).toEqual(live.sort());
  expect(now).toEqual(expect.arrayContaining(expectedTitles));
  expect(new Set(now).size).toBe(now.length);

  await space.change([insertPage(`after ${round}`)]);
  expect(listTitles((await space.revision(merge.id)).pages)).toEqual(titles);
}

test('25 concurrent merges, updates, edits and reviews of one change request have a consistent result', async () => {
  for (let round = 0; round < rounds; round += 1) await runRound(round);

  const seqs = query<{ seq: number }>('SELECT seq FROM revisions WHERE branch = ? ORDER BY seq', space.space);
  expect(seqs.map(({ seq }) => seq)).toEqual(seqs.map((_, index) => index + 1));
  expect(await space.callJson('')).toMatchObject({
    changeRequests: rounds,
    changeRequestsOpen: 0,
    changeRequestsDraft: 0,
  });
  const events = query("SELECT id FROM outbox WHERE space = ? AND type = 'change_request.merged'", space.space);
  expect(events).toHaveLength(rounds);
  const inForce = query(
    'SELECT 1 FROM reviews WHERE space = ? AND superseded_at IS NULL GROUP BY change_request, reviewer HAVING COUNT(*) > 1',
    space.space,
  );
  expect(inForce).toEqual([]);
});

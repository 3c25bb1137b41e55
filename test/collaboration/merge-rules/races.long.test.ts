import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { makeMember } from '../../support/people.ts';
import type { Scene } from './rules-client.ts';
import {
  createEditRequest,
  createMergeRequest,
  createMergeScene,
  createReviewRequest,
  openBranch,
  send,
  set,
  setRules,
} from './rules-client.ts';

const rounds = 8;
const callers = 12;

type Call = Parameters<typeof send>;

/** Sends a few small requests as a delay, so that the next call overlaps with other calls. */
async function wait(scene: Call[0], times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await send(scene, scene.space, ['', {}]);
}

/**
 * Sends the calls concurrently with delays that depend on index and round. Returns the statuses in the order of the
 * calls.
 */
const runConcurrently = (calls: Call[], round: number): Promise<number[]> =>
  Promise.all(
    calls.map(async (call, index) => {
      await wait(call[0], (index + round) % 4);
      return (await send(...call)).status;
    }),
  );

/** Returns live edits, which delay a concurrent merge. */
const createEditCalls = (scene: Scene, round: number): Call[] =>
  Array.from({ length: 8 }, (_, index) => [scene, scene.space, createEditRequest(undefined, `Live ${round} ${index}`)]);

const createMergeCalls = (scene: Scene, branch: string, count: number): Call[] =>
  Array.from({ length: count }, () => [scene, scene.author, createMergeRequest(branch)]);

async function createApprovedRequest(scene: Scene): Promise<string> {
  const branch = await openBranch(scene.space, scene.author);
  expect((await send(scene, scene.reviewer, createReviewRequest(branch))).status).toBe(201);
  return branch;
}

test('never merges while a concurrent review requests changes', async () => {
  const scene = await createMergeScene();
  const other = await makeMember(scene.organization, 'review');
  await setRules(scene, { rule: 'require_all_reviews_approved' });
  for (let round = 0; round < rounds; round += 1) {
    const branch = await createApprovedRequest(scene);
    const wish: Call = [scene, other, createReviewRequest(branch, 'changes-requested')];

    const [reviewed, ...others] = await runConcurrently(
      [wish, ...createMergeCalls(scene, branch, callers - 9), ...createEditCalls(scene, round)],
      round,
    );
    const merged = others.slice(0, callers - 9);

    expect(merged.filter((status) => status !== 200 && status !== 409 && status !== 412)).toEqual([]);
    expect([reviewed === 201, merged.includes(200)].filter(Boolean)).toHaveLength(1);
  }
});

test('never merges content that was edited after its approval', async () => {
  const scene = await createMergeScene();
  await setRules(scene, { rule: 'require_at_least_one_approved_review' });
  for (let round = 0; round < rounds; round += 1) {
    const branch = await createApprovedRequest(scene);
    const edit: Call = [scene, scene.organization, createEditRequest(branch, `Edit ${round}`)];

    const [edited, ...merged] = await runConcurrently([edit, ...createMergeCalls(scene, branch, callers - 1)], round);

    expect(merged.filter((status) => status !== 200 && status !== 409 && status !== 412)).toEqual([]);
    expect([edited === 200, merged.includes(200)].filter(Boolean)).toHaveLength(1);
  }
});

test('never merges an outdated change request if a rule requires it to be up to date', async () => {
  const scene = await createMergeScene();
  await setRules(scene, { rule: 'require_up_to_date_change_request' });
  const { id, token } = scene.space;
  for (let round = 0; round < rounds; round += 1) {
    const branch = await openBranch(scene.space, scene.author);
    const live: Call = [scene, scene.organization, createEditRequest(undefined, `Live ${round}`)];

    const [edited, ...merged] = await runConcurrently([live, ...createMergeCalls(scene, branch, callers - 1)], round);

    expect(edited).toBe(200);
    expect(merged.filter((status) => status !== 200 && status !== 409 && status !== 412)).toEqual([]);
    const read = <Body>(path: string) => json<Body>(`/v1/spaces/${id}${path}`, { token });
    const request = await read<{ revisionInitial: string; revisionMerged?: string }>(`/change-requests/${branch}`);
    expect(request.revisionMerged !== undefined).toBe(merged.includes(200));
    if (request.revisionMerged === undefined) continue;
    const { parents } = await read<{ parents: string[] }>(`/revisions/${request.revisionMerged}`);
    expect(parents[0]).toBe(request.revisionInitial);
  }
});

test('never merges without a review once a rule requires one', async () => {
  const scene = await createMergeScene();
  const { organization, space } = scene;
  const rules = { type: 'rules', rules: [{ rule: 'require_at_least_one_review' }] };
  for (let round = 0; round < rounds; round += 1) {
    await set(`/v1/orgs/${organization.id}`, organization.token, { type: 'none' });
    const branches = await Promise.all(Array.from({ length: 12 }, () => openBranch(space, scene.author)));
    let areSet = false;
    const setting = set(`/v1/orgs/${organization.id}`, organization.token, rules).then(() => {
      areSet = true;
    });

    const responses = await Promise.all(
      branches.map(async (branch, index) => {
        await wait(scene, index);
        const wereSet = areSet;
        return { wereSet, ...(await send(scene, scene.author, createMergeRequest(branch))) };
      }),
    );
    await setting;

    expect(responses.filter(({ wereSet, status }) => wereSet && status !== 412)).toEqual([]);
    expect(responses.filter(({ status }) => status !== 200 && status !== 412)).toEqual([]);
  }
});

import { beforeEach, describe, expect, test } from 'vitest';
import { getClient } from '../../content/space-client.ts';
import { makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import type { Scene } from './rules-client.ts';
import {
  createEditRequest,
  createMergeRequest,
  createMergeScene,
  createReviewRequest,
  getRefusedRules,
  openBranch,
  send,
  set,
  setRules,
} from './rules-client.ts';

let scene: Scene;

beforeEach(async () => {
  scene = await createMergeScene();
});

const merge = (by = scene.author) => send(scene, by, createMergeRequest(scene.branch));
const review = async (status = 'approved', by = scene.reviewer) => {
  const sent = await send(scene, by, createReviewRequest(scene.branch, status));
  expect(sent.status).toBe(201);
};
const describeIt = (body: object) =>
  send(scene, scene.author, [`/change-requests/${scene.branch}`, { method: 'PATCH', body }]);

test('requires an approval, which becomes outdated by an edit but not by an update', async () => {
  await setRules(scene, { rule: 'require_at_least_one_approved_review' });

  const before = await merge();
  expect(getRefusedRules(before)).toEqual(['mergeRules.require_at_least_one_approved_review']);
  expect(before.body.error).toMatchObject({
    type: 'precondition_failed',
    message: expect.stringContaining('approval'),
  });
  await review();
  await send(scene, scene.author, createEditRequest(scene.branch, 'Later'));
  expect(getRefusedRules(await merge())).toHaveLength(1);
  await review();
  await send(scene, scene.author, createEditRequest(undefined, 'Live'));
  await send(scene, scene.author, [`/change-requests/${scene.branch}/update`, { method: 'POST' }]);
  expect((await merge()).status).toBe(200);
  expect((await merge()).status).toBe(409);
});

test('distinguishes any review from approval by all, and reports all failing rules', async () => {
  await setRules(scene, { rule: 'require_at_least_one_review' }, { rule: 'require_all_reviews_approved' });

  expect(getRefusedRules(await merge())).toEqual(['mergeRules.require_at_least_one_review']);
  await review('changes-requested');
  expect(getRefusedRules(await merge())).toEqual(['mergeRules.require_all_reviews_approved']);
  await review();
  expect((await merge()).status).toBe(200);
});

test('neither the author nor a user without access to the space can approve', async () => {
  await setRules(scene, { rule: 'require_at_least_one_approved_review' });
  await review('approved', scene.author);
  expect(getRefusedRules(await merge())).toHaveLength(1);

  await review();
  const { organization, reviewer } = scene;
  const response = await platform().request(`/v1/orgs/${organization.id}/members/${reviewer.user}`, {
    token: organization.token,
    method: 'DELETE',
  });
  expect(response.ok).toBe(true);
  expect(getRefusedRules(await merge())).toHaveLength(1);
});

test('requested changes still count when the same reviewer is requested again', async () => {
  await setRules(scene, { rule: 'require_all_reviews_approved' });
  const requestReview = () =>
    send(scene, scene.author, [
      `/change-requests/${scene.branch}/requested-reviewers`,
      { body: { users: [scene.reviewer.user] } },
    ]);

  expect((await requestReview()).status).toBe(200);
  expect((await merge()).body.error.message).toContain('have not reviewed yet');
  await review('changes-requested');
  await requestReview();
  expect((await merge()).body.error.message).toContain('requested changes');
  await review();
  expect((await merge()).status).toBe(200);
});

test('requires specific people to approve, all of them or any of them', async () => {
  const other = await makeMember(scene.organization, 'review');
  const users = [scene.reviewer.user, other.user];
  const all = { rule: 'require_specific_reviewers', users };
  const one = { rule: 'require_one_of_specific_reviewers', users };
  await setRules(scene, all, one);

  expect(getRefusedRules(await merge())).toEqual([
    'mergeRules.require_specific_reviewers',
    'mergeRules.require_one_of_specific_reviewers',
  ]);
  await review();
  const half = await merge();
  expect(getRefusedRules(half)).toEqual(['mergeRules.require_specific_reviewers']);
  expect(half.body.error.message).toContain(other.user);
  expect(half.body.error.message).not.toContain(scene.reviewer.user);
  await review('approved', other);
  expect((await merge()).status).toBe(200);
});

test('requires the change request to be up to date, to have a description, and to be merged by its author', async () => {
  await setRules(
    scene,
    { rule: 'require_up_to_date_change_request' },
    { rule: 'require_change_request_subject' },
    { rule: 'require_change_request_description' },
    { rule: 'require_author_to_merge' },
  );
  await send(scene, scene.author, createEditRequest(undefined, 'Live'));
  await describeIt({ subject: '' });

  expect(getRefusedRules(await merge(scene.organization))).toEqual([
    'mergeRules.require_up_to_date_change_request',
    'mergeRules.require_change_request_subject',
    'mergeRules.require_change_request_description',
    'mergeRules.require_author_to_merge',
  ]);
  await describeIt({ subject: 'What', description: 'Why' });
  await send(scene, scene.author, [`/change-requests/${scene.branch}/update`, { method: 'POST' }]);
  expect(getRefusedRules(await merge(scene.organization))).toEqual(['mergeRules.require_author_to_merge']);
  expect((await merge()).status).toBe(200);
});

test('users with the right to bypass the rules can merge, others cannot', async () => {
  const users = [scene.author.user];
  await setRules(scene, { rule: 'require_at_least_one_review' }, { rule: 'allow_bypass', users });

  expect(getRefusedRules(await merge(scene.organization))).toEqual(['mergeRules.require_at_least_one_review']);
  expect((await merge()).status).toBe(200);
});

describe('a custom rule', () => {
  const createCustomRule = (expression: string, message?: string) => ({ rule: 'custom', expression, message });

  test('evaluates the space, the change request, its reviews and the merging user', async () => {
    await setRules(
      scene,
      createCustomRule(
        'space.editMode == "live" && changeRequest.subject == "A change" && changeRequest.outdated == false',
      ),
      createCustomRule(
        'reviews.length == 1 && reviews[0].status == "approved" && !reviews[0].outdated',
        'Ask for one approval',
      ),
      createCustomRule(`actor.id == "${scene.author.user}" && reviews[0].reviewer.id == "${scene.reviewer.user}"`),
    );

    const before = await merge();
    expect(getRefusedRules(before)).toEqual(['mergeRules.custom', 'mergeRules.custom']);
    expect(before.body.error.message).toContain('Ask for one approval');
    await review();
    expect((await merge()).status).toBe(200);
  });

  test('rejects the merge if it evaluates to anything but true', async () => {
    await setRules(
      scene,
      createCustomRule('changeRequest.subject'),
      createCustomRule('space.nothing.at.all'),
      createCustomRule('1'),
    );

    expect(getRefusedRules(await merge())).toHaveLength(3);
  });
});

test('a space uses the rules of its organization, its own rules, or no rules', async () => {
  const { organization, space } = scene;
  const setSpaceRules = (mergeRules: object) => set(`/v1/spaces/${space.id}`, space.token, mergeRules);
  await set(`/v1/orgs/${organization.id}`, organization.token, {
    type: 'rules',
    rules: [{ rule: 'require_at_least_one_review' }],
  });

  expect(getRefusedRules(await merge())).toEqual(['mergeRules.require_at_least_one_review']);
  await setSpaceRules({ type: 'rules', rules: [{ rule: 'require_change_request_description' }] });
  expect(getRefusedRules(await merge())).toEqual(['mergeRules.require_change_request_description']);
  await setSpaceRules({ type: 'inherit' });
  expect(getRefusedRules(await merge())).toEqual(['mergeRules.require_at_least_one_review']);
  await setSpaceRules({ type: 'none' });
  expect((await merge()).status).toBe(200);
});

test('checks the rules before conflicts, and rejects a stale If-Match', async () => {
  const client = getClient(platform(), { id: scene.space.id, token: scene.author.token });
  const [page = ''] = await client.change([
    { operation: 'insert_page', title: 'Text', document: { markdown: 'one\n' } },
  ]);
  const write = (markdown: string) => [{ operation: 'update_page', page, document: { markdown } }];
  scene.branch = await openBranch(scene.space, scene.author);
  await client.change(write('theirs\n'), scene.branch);
  await client.change(write('ours\n'));
  await setRules(scene, { rule: 'require_at_least_one_review' });

  expect(getRefusedRules(await merge())).toEqual(['mergeRules.require_at_least_one_review']);
  await review();
  expect((await merge()).body).toMatchObject({ result: 'conflicts' });
  const stale = await platform().request(`/v1/spaces/${scene.space.id}/change-requests/${scene.branch}/merge`, {
    token: scene.author.token,
    method: 'POST',
    headers: { 'if-match': `"${scene.space.revision}"` },
  });
  expect(stale.status).toBe(412);
  expect(await stale.text()).not.toContain('mergeRules');
});

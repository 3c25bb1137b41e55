import { expect } from 'vitest';
import { edit, json, makePage } from '../support/content.ts';
import { until } from '../support/own-platform.ts';
import { makeMember } from '../support/people.ts';
import type { TestOrganization, TestUser } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import type { Ids, Made, Walk } from './walk.ts';

interface Listed {
  items: Made[];
}

const markdown = (words: string) => ({ body: { markdown: words } });

async function walkChangeRequest(walk: Walk, space: Ids, owner: TestUser): Promise<Ids> {
  const made = await walk.call('createChangeRequest', { ids: space, body: { subject: 'A change' } });
  expect(made).toMatchObject({ subject: 'A change', status: 'draft', number: 1, outdated: false });
  const ids = { ...space, changeRequestId: made.id };
  const byNumber = { ids: { ...space, changeRequestId: String(made.number) } };
  expect(await walk.call('getChangeRequestById', byNumber)).toEqual(made);
  const changed = await walk.call('updateChangeRequestById', { ids, body: { subject: 'Better', status: 'open' } });
  expect(changed).toMatchObject({ id: made.id, subject: 'Better', status: 'open' });
  const { items } = await walk.call<Listed>('listChangeRequestsForSpace', { ids, query: '?status=open' });
  expect(items.map(({ id }) => id)).toEqual([made.id]);
  const target = { id: space.spaceId ?? '', token: owner.token };
  await edit(target, [{ operation: 'insert_page', title: 'Proposed', document: { markdown: 'New.\n' } }], made.id);
  await makePage(target, 'Live');
  const { revision } = await walk.call('updateChangeRequest', { ids });
  expect(await json(`/v1/spaces/${space.spaceId}/change-requests/${made.id}`, owner)).toMatchObject({
    revision,
    outdated: false,
  });
  return ids;
}

async function walkReviewers(walk: Walk, ids: Ids, reviewer: TestUser): Promise<void> {
  const body = { users: [reviewer.user], subject: 'Please look' };
  const { users } = await walk.call<{ users: Made[] }>('requestReviewersForChangeRequest', { ids, body });
  expect(users).toMatchObject([{ kind: 'user', user: { id: reviewer.user } }]);
  const asked = await walk.call<Listed>('getRequestedReviewersByChangeRequestId', { ids });
  expect(asked.items).toEqual(users);
  const one = { ...ids, userId: reviewer.user };
  await walk.call('removeRequestedReviewerFromChangeRequest', { ids: one });
}

/**
 * Walks the comments of live content or of a change request. The operation names differ, and a change request has two
 * fewer.
 */
async function walkComments(walk: Walk, ids: Ids, place: 'Space' | 'ChangeRequest'): Promise<void> {
  const on = (name: string) => `${name}In${place}`;
  const page = ids.pageId;
  const made = await walk.call(on('postComment'), { ids, body: { page, ...markdown('Is this *so*?') } });
  expect(made).toMatchObject({
    status: 'open',
    replies: 0,
    body: { markdown: 'Is this *so*?' },
    target: { page: { id: page } },
  });
  const one = { ...ids, commentId: made.id };
  expect(await walk.call(on('getComment'), { ids: one, query: '?format=markdown' })).toEqual(made);
  const change = { resolved: true, addedReactions: ['1f44d'] };
  const changed = await walk.call(on('updateComment'), { ids: one, body: change });
  expect(changed).toMatchObject({ status: 'resolved', resolvedBy: { object: 'user' }, reactions: [{ count: 1 }] });
  const listed = await walk.call<Listed>(on('listComments'), { ids, query: '?status=resolved' });
  expect(listed.items.map(({ id }) => id)).toEqual([made.id]);
  const reply = await walk.call(on('postCommentReply'), { ids: one, body: markdown('It is.') });
  const answer = { ...one, commentReplyId: reply.id };
  expect(await walk.call(on('getCommentReply'), { ids: answer })).toEqual(reply);
  if (place === 'ChangeRequest') {
    const replies = await walk.call<Listed>('listCommentRepliesInChangeRequest', { ids: one });
    expect(replies.items).toEqual([reply]);
  } else {
    const better = await walk.call('updateCommentReplyInSpace', { ids: answer, body: markdown('It is so.') });
    expect(better).toMatchObject({ id: reply.id, body: { markdown: 'It is so.' }, editedAt: expect.any(String) });
    await walk.call('deleteCommentReplyInSpace', { ids: answer });
  }
  await walk.call(on('deleteComment'), { ids: one });
}

async function walkPdf(walk: Walk, ids: Ids): Promise<void> {
  const { url } = await walk.call<{ url: string }>('getChangeRequestPDF', { ids });
  const pdf = await until(async () => {
    const answer = await fetch(url);
    return answer.status === 202 ? undefined : answer;
  });
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  expect((await pdf.text()).slice(0, 5)).toBe('%PDF-');
}

/** Walks a change request: discussion, reviews, PDF export and merge. */
export async function walkCollaboration(walk: Walk, organization: TestOrganization): Promise<void> {
  const { id: spaceId } = await platform().makeSpace({ organization });
  const pageId = await makePage({ id: spaceId, token: organization.token }, 'Otters', 'Otters swim.\n');
  const ids = await walkChangeRequest(walk, { spaceId }, organization);
  await walkReviewers(walk, ids, await makeMember(organization, 'review'));
  await walkComments(walk, { spaceId, pageId }, 'Space');
  await walkComments(walk, { ...ids, pageId }, 'ChangeRequest');
  await walkPdf(walk, ids);
  const { revision } = await walk.call('mergeChangeRequest', { ids });
  const [merged, live] = await Promise.all([
    json<Made>(`/v1/spaces/${spaceId}/change-requests/${ids.changeRequestId}`, organization),
    json<Made>(`/v1/spaces/${spaceId}`, organization),
  ]);
  expect([merged.status, merged.revisionMerged, live.revision]).toEqual(['merged', revision, revision]);
}

import { expect } from 'vitest';
import { edit, json, makePage } from '../support/content.ts';
import { until } from '../support/own-platform.ts';
import { makeMember } from '../support/people.ts';
import type { TestOrganization, TestUser } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import type { Ids, Resource, Walk } from './walk.ts';

interface Listed {
  items: Resource[];
}

const createBody = (words: string) => ({ body: { markdown: words } });

async function walkChangeRequest(walk: Walk, space: Ids, owner: TestUser): Promise<Ids> {
  const changeRequest = await walk.call('createChangeRequest', { ids: space, body: { subject: 'A change' } });
  expect(changeRequest).toMatchObject({ subject: 'A change', status: 'draft', number: 1, outdated: false });
  const ids = { ...space, changeRequestId: changeRequest.id };
  const byNumber = { ids: { ...space, changeRequestId: String(changeRequest.number) } };
  expect(await walk.call('getChangeRequestById', byNumber)).toEqual(changeRequest);
  const changed = await walk.call('updateChangeRequestById', { ids, body: { subject: 'Better', status: 'open' } });
  expect(changed).toMatchObject({ id: changeRequest.id, subject: 'Better', status: 'open' });
  const { items } = await walk.call<Listed>('listChangeRequestsForSpace', { ids, query: '?status=open' });
  expect(items.map(({ id }) => id)).toEqual([changeRequest.id]);
  const target = { id: space.spaceId ?? '', token: owner.token };
  await edit(
    target,
    [{ operation: 'insert_page', title: 'Proposed', document: { markdown: 'New.\n' } }],
    changeRequest.id,
  );
  await makePage(target, 'Live');
  const { revision } = await walk.call('updateChangeRequest', { ids });
  expect(await json(`/v1/spaces/${space.spaceId}/change-requests/${changeRequest.id}`, owner)).toMatchObject({
    revision,
    outdated: false,
  });
  return ids;
}

async function walkReviewers(walk: Walk, ids: Ids, reviewer: TestUser): Promise<void> {
  const body = { users: [reviewer.user], subject: 'Please look' };
  const { users } = await walk.call<{ users: Resource[] }>('requestReviewersForChangeRequest', { ids, body });
  expect(users).toMatchObject([{ kind: 'user', user: { id: reviewer.user } }]);
  const requestedReviewers = await walk.call<Listed>('getRequestedReviewersByChangeRequestId', { ids });
  expect(requestedReviewers.items).toEqual(users);
  const one = { ...ids, userId: reviewer.user };
  await walk.call('removeRequestedReviewerFromChangeRequest', { ids: one });
}

/**
 * Walks the comments of live content or of a change request. The operation names differ, and a change request has two
 * fewer.
 */
async function walkComments(walk: Walk, ids: Ids, place: 'Space' | 'ChangeRequest'): Promise<void> {
  const getOperationName = (name: string) => `${name}In${place}`;
  const page = ids.pageId;
  const comment = await walk.call(getOperationName('postComment'), {
    ids,
    body: { page, ...createBody('Is this *so*?') },
  });
  expect(comment).toMatchObject({
    status: 'open',
    replies: 0,
    body: { markdown: 'Is this *so*?' },
    target: { page: { id: page } },
  });
  const one = { ...ids, commentId: comment.id };
  expect(await walk.call(getOperationName('getComment'), { ids: one, query: '?format=markdown' })).toEqual(comment);
  const change = { resolved: true, addedReactions: ['1f44d'] };
  const changed = await walk.call(getOperationName('updateComment'), { ids: one, body: change });
  expect(changed).toMatchObject({ status: 'resolved', resolvedBy: { object: 'user' }, reactions: [{ count: 1 }] });
  const listed = await walk.call<Listed>(getOperationName('listComments'), { ids, query: '?status=resolved' });
  expect(listed.items.map(({ id }) => id)).toEqual([comment.id]);
  const reply = await walk.call(getOperationName('postCommentReply'), { ids: one, body: createBody('It is.') });
  const replyIds = { ...one, commentReplyId: reply.id };
  expect(await walk.call(getOperationName('getCommentReply'), { ids: replyIds })).toEqual(reply);
  if (place === 'ChangeRequest') {
    const replies = await walk.call<Listed>('listCommentRepliesInChangeRequest', { ids: one });
    expect(replies.items).toEqual([reply]);
  } else {
    const better = await walk.call('updateCommentReplyInSpace', { ids: replyIds, body: createBody('It is so.') });
    expect(better).toMatchObject({ id: reply.id, body: { markdown: 'It is so.' }, editedAt: expect.any(String) });
    await walk.call('deleteCommentReplyInSpace', { ids: replyIds });
  }
  await walk.call(getOperationName('deleteComment'), { ids: one });
}

async function walkPdf(walk: Walk, ids: Ids): Promise<void> {
  const { url } = await walk.call<{ url: string }>('getChangeRequestPDF', { ids });
  const pdf = await until(async () => {
    const response = await fetch(url);
    return response.status === 202 ? undefined : response;
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
    json<Resource>(`/v1/spaces/${spaceId}/change-requests/${ids.changeRequestId}`, organization),
    json<Resource>(`/v1/spaces/${spaceId}`, organization),
  ]);
  expect([merged.status, merged.revisionMerged, live.revision]).toEqual(['merged', revision, revision]);
}

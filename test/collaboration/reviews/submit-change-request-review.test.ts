import { beforeAll, describe, expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { query } from '../../support/database.ts';
import { guest, makeMember, makeTeam } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { ShownReview } from '../review-client.ts';
import { createReviewClient } from '../review-client.ts';

let organization: TestOrganization;
let reviewer: TestUser;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  reviewer = await makeMember(organization, 'review');
});

test('returns the review with the reviewed revision, at its URL', async () => {
  const { submit, edit, read, request, path } = await createReviewClient(organization);
  await edit();

  const response = await submit(reviewer.token, { status: 'changes-requested' });
  const review = (await response.json()) as ShownReview;

  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toBe(review.urls.location);
  expect(review).toEqual({
    object: 'change-request-review',
    id: expect.stringMatching(/^rvw_\w{20}$/),
    revision: (await read()).revision,
    reviewer: expect.objectContaining({ object: 'user', id: reviewer.user }),
    status: 'changes-requested',
    outdated: false,
    createdAt: review.updatedAt,
    updatedAt: expect.stringMatching(/Z$/),
    urls: { location: expect.stringContaining(`${path}/reviews/${review.id}`) },
  });
  expect(await (await request(`/reviews/${review.id}`)).json()).toEqual(review);
});

test('stores and returns the review text as a comment by the reviewer on the change request', async () => {
  const { submit, request, path, reviews } = await createReviewClient(organization);
  const comment = { markdown: 'Looks *good*.' };

  const response = await submit(reviewer.token, { status: 'approved', comment });
  const review = (await response.json()) as ShownReview;

  expect(response.status).toBe(201);
  expect(review.comment).toMatchObject({
    body: comment,
    postedBy: { id: reviewer.user },
    target: { review: review.id, revision: review.revision },
  });
  const listed = (await (await request('/comments', { token: reviewer.token })).json()) as { items: unknown[] };
  expect(listed.items).toEqual([review.comment]);
  const asRead = await request(`/reviews/${review.id}`, { token: reviewer.token });
  expect(await asRead.json()).toEqual(review);
  expect((await reviews())[0]?.comment).toMatchObject({ id: review.comment?.id });
  const trees = await request('/reviews?format=document');
  expect(await trees.json()).toMatchObject({ items: [{ comment: { body: { document: { object: 'document' } } } }] });
  const below = `${path}/comments/${review.comment?.id}`;
  await platform().request(below, { token: organization.token, method: 'DELETE' });
  expect((await reviews())[0]?.comment).toBeUndefined();
});

test('creates no comment without a text', async () => {
  const { submit, request } = await createReviewClient(organization);

  expect((await (await submit(undefined, { status: 'approved', comment: {} })).json()) as object).not.toHaveProperty(
    'comment',
  );
  expect(await (await request('/comments')).json()).toEqual({ count: 0, items: [] });
});

test('rejects the whole review if its comment mentions a non-member', async () => {
  const { submit, reviews } = await createReviewClient(organization);

  const response = await submit(undefined, {
    status: 'approved',
    comment: { markdown: 'See @usr_00000000000000000000.' },
  });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { issues: [{ path: 'body.comment.markdown' }] } });
  expect(await reviews()).toEqual([]);
});

test("replaces the reviewer's earlier reviews, and no others", async () => {
  const { review, reviews } = await createReviewClient(organization);
  const others = await review();
  const first = await review(reviewer.token, 'changes-requested');
  const second = await review(reviewer.token);

  expect((await reviews()).map(({ id, outdated }) => [id, outdated])).toEqual(
    expect.arrayContaining([
      [others.id, false],
      [first.id, true],
      [second.id, false],
    ]),
  );
});

test('fulfills the requests to the reviewer and to their teams, and returns who requested it', async () => {
  const { ask, listRequested, review } = await createReviewClient(organization);
  const [one, other] = [await makeMember(organization), await makeMember(organization)];
  const team = await makeTeam(organization, { members: [one.user] });
  const theirs = await makeTeam(organization, { members: [other.user] });
  await ask([one.user, other.user], [team.id, theirs.id]);

  const { requestedBy } = await review(one.token);

  expect(requestedBy).toMatchObject({ id: organization.user });
  expect(await listRequested()).toEqual([other.user, theirs.id].sort());
});

test("returns who requested the reviewer's team, or no user if there was no request", async () => {
  const { ask, review } = await createReviewClient(organization);
  const one = await makeMember(organization);
  await ask([], [(await makeTeam(organization, { members: [one.user] })).id]);

  expect((await review(one.token)).requestedBy).toMatchObject({ id: organization.user });
  expect((await review(reviewer.token)).requestedBy).toBeUndefined();
});

describe.each(['user', 'team'])('a review request to a %s', (kind) => {
  const requestReader = async (change: Awaited<ReturnType<typeof createReviewClient>>, reader: TestUser) => {
    if (kind === 'user') return change.ask([reader.user]);
    return change.ask([], [(await makeTeam(organization, { members: [reader.user] })).id]);
  };

  test('allows only the requested reader to review, and only once', async () => {
    const change = await createReviewClient(organization);
    const [reader, other] = [await makeMember(organization, 'read'), await makeMember(organization, 'edit')];
    expect((await change.submit(reader.token)).status).toBe(403);
    await requestReader(change, reader);

    expect((await change.submit(other.token)).status).toBe(403);
    expect((await change.submit(reader.token)).status).toBe(201);
    expect((await change.submit(reader.token)).status).toBe(403);
  });

  test('does not allow a review of another change request, or by a user without access to the space', async () => {
    const [change, another] = [await createReviewClient(organization), await createReviewClient(organization)];
    const reader = await makeMember(organization, 'read');
    await requestReader(change, reader);

    expect((await another.submit(reader.token)).status).toBe(403);
    const space = `/v1/spaces/${change.space.id}`;
    const hide = { token: organization.token, method: 'PATCH', body: { defaultLevel: 'none' } };
    expect((await platform().request(space, hide)).status).toBe(200);
    expect((await change.submit(reader.token)).status).toBe(404);
  });

  test('does not allow a review after it was withdrawn or the reviewer left the organization', async () => {
    const [change, another] = [await createReviewClient(organization), await createReviewClient(organization)];
    const reader = await makeMember(organization, 'read');
    await requestReader(change, reader);
    await requestReader(another, reader);
    const [subject = ''] = await change.listRequested();

    expect((await change.request(`/requested-reviewers/${subject}`, { method: 'DELETE' })).status).toBe(205);
    expect((await change.submit(reader.token)).status).toBe(403);
    const member = `/v1/orgs/${organization.id}/members/${reader.user}`;
    await platform().request(member, { token: organization.token, method: 'DELETE' });
    expect((await another.submit(reader.token)).status).toBe(404);
    expect(await another.listRequested()).toEqual(kind === 'user' ? [] : [expect.stringMatching(/^team_/)]);
  });
});

test('rejects users without a role in the organization and guests without access to the space', async () => {
  const { submit } = await createReviewClient(organization);

  expect((await submit((await platform().makeUser()).token)).status).toBe(404);
  expect((await submit((await makeMember(organization, guest)).token)).status).toBe(404);
});

test('returns 409 for a merged or archived change request', async () => {
  const [merged, archived] = [await createReviewClient(organization), await createReviewClient(organization)];
  await merged.edit();
  expect((await merged.merge()).status).toBe(200);
  await archived.patch({ status: 'archived' });

  for (const [change, status] of [[merged, 'merged'] as const, [archived, 'archived'] as const]) {
    const response = await change.submit();
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      error: { type: 'conflict', message: `The change request is ${status} and cannot be reviewed.` },
    });
    expect(await change.reviews()).toEqual([]);
  }
});

test.each([
  [{}, 'body.status'],
  [{ status: 'rejected' }, 'body.status'],
  [{ status: 'approved', comment: { markdown: 7 } }, 'body.comment'],
  [{ status: 'approved', comment: { markdown: 'x'.repeat(65_537) } }, 'body.comment'],
  [[], 'body'],
])('rejects %j and writes nothing', async (body, path) => {
  const { submit, reviews } = await createReviewClient(organization);

  const response = await submit(undefined, body);

  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { issues: { path: string }[] } };
  expect(error.issues[0]?.path.startsWith(path)).toBe(true);
  expect(await reviews()).toEqual([]);
});

test('rejects a review of a former revision with 412, and writes nothing', async () => {
  const { request, reviews, edit, read, ask, listRequested } = await createReviewClient(organization);
  await ask([reviewer.user]);
  await edit();
  const { revision: seen } = await read();
  await edit();
  const { revision: head } = await read();
  const submit = (match: string) =>
    request('/reviews', {
      token: reviewer.token,
      body: { status: 'approved', comment: { markdown: 'Good.' } },
      headers: { 'if-match': match },
    });

  const late = await submit(`"${seen}"`);

  expect(late.status).toBe(412);
  expect(await late.json()).toMatchObject({ error: { type: 'precondition_failed' } });
  expect(await reviews()).toEqual([]);
  expect(await (await request('/comments')).json()).toEqual({ count: 0, items: [] });
  expect(await listRequested()).toEqual([reviewer.user]);
  expect((await submit('unquoted')).status).toBe(400);
  expect((await submit(`"${seen}", "${head}"`)).status).toBe(201);
  expect((await submit('*')).status).toBe(201);
  expect((await reviews()).map(({ revision }) => revision)).toEqual([head, head]);
});

test('stores 25 concurrent reviews of one reviewer, and only one of them is current', async () => {
  const { submit, reviews, ask, listRequested, id } = await createReviewClient(organization);
  await ask([reviewer.user]);

  const responses = await Promise.all(Array.from({ length: 25 }, () => submit(reviewer.token)));
  const all = await reviews('?limit=1000');

  expect(responses.map(({ status }) => status)).toEqual(Array(25).fill(201));
  expect(all.length).toBe(25);
  expect(all.filter(({ outdated }) => !outdated).length).toBe(1);
  expect(all.filter(({ requestedBy }) => requestedBy !== undefined).length).toBe(1);
  expect(await listRequested()).toEqual([]);
  expect(query('SELECT stamp FROM change_requests WHERE id = ?', id)).toEqual([{ stamp: 25 + 24 + 2 }]);
});

test('a review concurrent with a merge is stored or rejected, and later reviews are rejected', async () => {
  const { submit, reviews, edit, merge } = await createReviewClient(organization);
  await edit();

  const [merged, ...responses] = await Promise.all([merge(), ...Array.from({ length: 25 }, () => submit())]);
  const createdCount = responses.filter(({ status }) => status === 201).length;

  expect(merged?.status).toBe(200);
  expect(new Set(responses.map(({ status }) => status)).difference(new Set([201, 409])).size).toBe(0);
  expect((await reviews('?limit=1000')).length).toBe(createdCount);
  expect((await submit()).status).toBe(409);
});

test('costs two round trips, however many reviews exist', async () => {
  const { submit } = await createReviewClient(organization);
  const costs: number[] = [];
  for (let count = 0; count < 30; count += 1) costs.push(getCost(await submit()).trips);

  expect(new Set(costs)).toEqual(new Set([2]));
});

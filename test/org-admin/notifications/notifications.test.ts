import { beforeEach, describe, expect, test } from 'vitest';
import { getCost, insertPage, writePage } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { expectPaging } from '../../support/paging.ts';
import { makeMember, makeTeam } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import {
  getDiscussedContent,
  listKinds,
  listNotifications,
  makeDiscussion,
  path,
  send,
  setDelivery,
} from './notification-client.ts';

const server = platform({ countsRows: true });
let discussion: Awaited<ReturnType<typeof makeDiscussion>>;

beforeEach(async () => {
  discussion = await makeDiscussion();
});

const comment = (by: { token: string }, markdown = 'Hello') =>
  send(`${discussion.requestPath}/comments`, by, { body: { markdown } });

describe('the causes of notifications', () => {
  test('a request for a review notifies users and the members of teams, but not the user who asks', async () => {
    const { organization, author, reviewer, requestPath, id, space } = discussion;
    const colleague = await makeMember(organization);
    const { id: team } = await makeTeam(organization, { members: [author.user, reviewer.user, colleague.user] });
    await send(`${requestPath}/requested-reviewers`, author, { users: [reviewer.user], teams: [team] });

    const [notification, ...others] = await listNotifications(reviewer);
    expect(others).toEqual([]);
    expect(notification).toMatchObject({
      object: 'notification',
      kind: 'review-requested',
      actor: { id: author.user },
      organization: organization.id,
      space: { id: space.id, title: 'Handbook' },
      changeRequest: { id, number: 1, subject: 'Better words' },
    });
    expect(notification?.urls.app).toMatch(new RegExp(`/app/spaces/${space.id}/change-requests/${id}$`));
    expect(notification).not.toHaveProperty('readAt');
    expect(await listKinds(colleague)).toEqual(['review-requested']);
    expect(await listKinds(author)).toEqual([]);
  });

  test('a review with a comment notifies the author once', async () => {
    const { author, reviewer, requestPath } = discussion;
    await send(`${requestPath}/reviews`, reviewer, { status: 'approved', comment: { markdown: 'Good.' } });

    expect(await listKinds(author)).toEqual(['reviewed']);
    expect(await listNotifications(author)).toMatchObject([{ reviewStatus: 'approved' }]);

    await send(`${requestPath}/reviews`, reviewer, { status: 'changes-requested' });
    const [newest, ...others] = await listNotifications(author);
    expect([newest?.reviewStatus, others.length]).toEqual(['changes-requested', 1]);
  });

  test('a comment notifies the participants, and mentioned users of the mention only', async () => {
    const { organization, author, reviewer } = discussion;
    const other = await makeMember(organization, 'comment');
    await comment(other, 'First');
    const { id } = await comment(reviewer, `Look, @${other.user}!`);

    const [newest] = await listNotifications(author);
    expect(newest).toMatchObject({ kind: 'commented', comment: id, excerpt: 'Look, @A tester!' });
    expect(await listKinds(author)).toEqual(['commented', 'commented']);
    expect(await listKinds(other)).toEqual(['mentioned']);
    expect(await listKinds(reviewer)).toEqual([]);
  });

  test('a reply notifies the author of the comment and others who replied', async () => {
    const { organization, author, reviewer, space } = discussion;
    const other = await makeMember(organization, 'comment');
    const comments = `/v1/spaces/${space.id}/comments`;
    const { id } = await send(comments, author, { body: { markdown: 'On the live content' } });
    await send(`${comments}/${id}/replies`, reviewer, { body: { markdown: 'One' } });
    const reply = await send(`${comments}/${id}/replies`, other, { body: { markdown: 'Two' } });

    expect(await listKinds(author)).toEqual(['replied', 'replied']);
    expect(await listNotifications(reviewer)).toMatchObject([
      { kind: 'replied', comment: id, reply: reply.id, excerpt: 'Two' },
    ]);
    expect(await listKinds(other)).toEqual([]);
  });

  test('an edit of a comment or reply notifies the users that it mentions and the previous text did not', async () => {
    const { organization, author, reviewer, space } = discussion;
    const [first, second] = [await makeMember(organization, 'comment'), await makeMember(organization, 'comment')];
    const comments = `/v1/spaces/${space.id}/comments`;
    const { id } = await send(comments, author, { body: { markdown: `Look, @${first.user}!` } });
    const edit = (item: string, by: { token: string }, markdown: string) =>
      json(item, { token: by.token, method: 'PUT', body: { body: { markdown } } }, server);
    await edit(`${comments}/${id}`, author, `Look, @${first.user} and @${second.user}!`);
    await edit(`${comments}/${id}`, author, `Look again, @${second.user} and @${first.user}!`);

    expect(await listKinds(first)).toEqual(['mentioned']);
    expect(await listNotifications(second)).toMatchObject([
      { kind: 'mentioned', comment: id, actor: { id: author.user } },
    ]);

    const reply = await send(`${comments}/${id}/replies`, reviewer, { body: { markdown: 'One' } });
    await edit(`${comments}/${id}/replies/${reply.id}`, reviewer, `One, @${first.user}`);
    await edit(`${comments}/${id}/replies/${reply.id}`, reviewer, `Two, @${first.user}`);

    expect(await listKinds(first)).toEqual(['mentioned', 'mentioned']);
    expect((await listNotifications(first))[0]).toMatchObject({
      comment: id,
      reply: reply.id,
      excerpt: expect.any(String),
    });
  });

  test('a merge notifies the participants', async () => {
    const { author, reviewer, id } = discussion;
    await getDiscussedContent(discussion, author).change([insertPage('New')], id);
    await getDiscussedContent(discussion, reviewer).merge(id);

    expect(await listKinds(author)).toEqual(['merged']);
    expect(await listKinds(reviewer)).toEqual([]);
  });

  test.each(['merge', 'update'] as const)(
    'conflicts of a %s notify the author until the notification is read',
    async (move) => {
      const { organization, author, reviewer, id } = discussion;
      const live = getDiscussedContent(discussion, organization);
      const [page = ''] = await live.change([insertPage('Page')]);
      const proposed = getDiscussedContent(discussion, author);
      await proposed.update(id);
      await proposed.change([writePage(page, 'Mine\n')], id);
      await live.change([writePage(page, 'Theirs\n')]);
      const { body } = await getDiscussedContent(discussion, reviewer)[move](id);
      expect(body.result).toBe('conflicts');
      if (move === 'merge') await getDiscussedContent(discussion, reviewer).merge(id);

      expect(await listKinds(author)).toEqual(['conflict']);
      expect(await listKinds(reviewer)).toEqual([]);
    },
  );
});

describe('the list', () => {
  test('contains only notifications of objects that the user can still read', async () => {
    const { organization, author, reviewer, space, requestPath } = discussion;
    await comment(reviewer);
    const { id } = await comment(reviewer, 'Deleted');
    await server.request(`${requestPath}/comments/${id}`, { token: reviewer.token, method: 'DELETE' });
    expect(await listKinds(author)).toEqual(['commented']);

    const setLevel = (defaultLevel: string | null) =>
      server.request(`/v1/spaces/${space.id}`, { token: space.token, method: 'PATCH', body: { defaultLevel } });
    await setLevel('none');
    expect(await listKinds(author)).toEqual([]);
    await setLevel(null);
    expect(await listKinds(author)).toEqual(['commented']);

    await server.request(`/v1/orgs/${organization.id}/members/${author.user}`, { ...organization, method: 'DELETE' });
    expect(await listKinds(author)).toEqual([]);
  });

  test('can be paged and filtered', async () => {
    const { author, reviewer } = discussion;
    for (let count = 0; count < 3; count += 1) await comment(reviewer);
    await expectPaging(path, author.token, () => comment(reviewer), server);
    const [newest, ...others] = await listNotifications(author);
    const patch = (read: boolean) =>
      server.request(`${path}/${newest?.id}`, { token: author.token, method: 'PATCH', body: { read } });

    expect((await patch(true)).status).toBe(204);
    expect(await listNotifications(author, '?unread=true')).toEqual(others);
    const [read, ...more] = await listNotifications(author, '?unread=false');
    expect([read, more]).toEqual([{ ...newest, readAt: expect.any(String) }, []]);
    await patch(false);
    expect(await listNotifications(author, '?unread=true')).toEqual([newest, ...others]);
  });

  test('costs the same with more notifications', async () => {
    const { author, reviewer } = discussion;
    const read = async () => getCost(await server.request(`${path}?limit=2`, author));
    for (let count = 0; count < 4; count += 1) await comment(reviewer);
    const before = await read();
    for (let count = 0; count < 10; count += 1) await comment(reviewer);

    expect(await read()).toEqual(before);
    expect(before.trips).toBe(2);
  });

  test('reads a limited number of unread notifications to find a read one', async () => {
    const { author, reviewer } = discussion;
    await comment(reviewer);
    await server.request(`${path}/read`, { token: author.token, method: 'POST' });
    await writeDatabase(
      server,
      `INSERT INTO notifications (user, id, kind, organization, space, actor, created_at)
        SELECT user, notifications.id || n.value, kind, organization, space, actor, created_at
        FROM notifications CROSS JOIN json_each(?) n WHERE user = ?`,
      JSON.stringify(Array.from({ length: 5001 }, (_, index) => 10_000 + index)),
      author.user,
    );
    const list = (search: string) =>
      json<{ items: object[]; next?: { page: string } }>(`${path}?unread=false&limit=1${search}`, author, server);
    const first = await list('');

    expect(first.items).toEqual([]);
    expect((await list(`&page=${first.next?.page}`)).items).toHaveLength(1);
  });
});

test('all notifications can be marked as read', async () => {
  const { author, reviewer } = discussion;
  await comment(reviewer);
  await comment(reviewer);
  const other = await makeDiscussion();
  await send(`${other.requestPath}/comments`, other.reviewer, { body: { markdown: 'Hello' } });
  expect((await server.request(`${path}/read`, { token: author.token, method: 'POST' })).status).toBe(204);

  expect(await listNotifications(author, '?unread=true')).toEqual([]);
  expect(await listKinds(author)).toEqual(['commented', 'commented']);
  expect(await listNotifications(other.author, '?unread=true')).toHaveLength(1);
});

test('the notifications of other users cannot be changed', async () => {
  const { author, reviewer } = discussion;
  await comment(reviewer);
  const [notification] = await listNotifications(author);
  const options = { token: reviewer.token, method: 'PATCH', body: { read: true } };

  expect((await server.request(`${path}/${notification?.id}`, options)).status).toBe(404);
  expect(await listNotifications(author, '?unread=true')).toHaveLength(1);
});

test('a token that is bound to an organization marks only notifications of it', async () => {
  const { author, reviewer, organization } = discussion;
  await comment(reviewer);
  const [notification] = await listNotifications(author);
  const other = await makeDiscussion();
  const bound = await send<{ id: string; token: string }>('/v1/user/tokens', author, { label: 'Bound' });
  const bind = (id: string) => writeDatabase(server, 'UPDATE tokens SET organization = ? WHERE id = ?', id, bound.id);
  await writeDatabase(
    server,
    "INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, 'read', 1)",
    other.organization.id,
    author.user,
  );
  const readAll = async () => (await server.request(`${path}/read`, { token: bound.token, method: 'POST' })).status;
  const read = async () =>
    (await server.request(`${path}/${notification?.id}`, { token: bound.token, method: 'PATCH', body: { read: true } }))
      .status;

  await bind(other.organization.id);
  expect([await readAll(), await read()]).toEqual([204, 404]);
  expect(await listNotifications(author, '?unread=true')).toHaveLength(1);
  await bind(organization.id);
  expect([await read(), await readAll()]).toEqual([204, 204]);
  expect(await listNotifications(author, '?unread=true')).toEqual([]);
});

test('kinds can be switched off', async () => {
  const { author, reviewer } = discussion;
  const { kinds } = await setDelivery(author, { commented: 'off', merged: 'digest' });
  expect(kinds).toEqual({
    ...{ 'review-requested': 'mail', reviewed: 'app', commented: 'off', mentioned: 'mail' },
    ...{ replied: 'app', merged: 'digest', conflict: 'app' },
  });
  await comment(reviewer);
  await comment(reviewer, `@${author.user}`);

  expect(await listKinds(author)).toEqual(['mentioned']);
  await setDelivery(author, { commented: 'app' });
  await comment(reviewer);
  expect(await listKinds(author)).toEqual(['commented', 'mentioned']);
});

import { describe, expect, test } from 'vitest';
import { expectPaging, walk } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';
import type { Place, ShownReply } from '../comments/comment-client.ts';
import {
  call,
  callJson,
  createCommentTarget,
  createText,
  makeGuest,
  makeReader,
  post,
  prefixes,
  put,
} from '../comments/comment-client.ts';

const postReply = (path: string, by: { token: string }, body: object = createText('Yes')) =>
  callJson<ShownReply>(path, by, { method: 'POST', body });

async function postComment(place: Place): Promise<string> {
  return `${place.path}/${(await post(place)).id}/replies`;
}

describe.each(prefixes)('on %s', (prefix) => {
  test('posts and counts a reply, also on a resolved comment', async () => {
    const place = await createCommentTarget(prefix);
    const path = await postComment(place);
    const comment = path.replace('/replies', '');
    const author = await makeGuest(place, 'comment');
    const posted = await postReply(path, author);
    expect(posted).toMatchObject({
      object: 'comment-reply',
      postedBy: { id: author.user },
      reactions: [],
      body: { markdown: 'Yes' },
      permissions: { view: true, edit: true, reply: true, react: true, delete: true },
    });
    expect(await callJson(`${path}/${posted.id}`, author)).toEqual(posted);
    expect(new URL(posted.urls.location).pathname).toBe(`${path}/${posted.id}`);
    await put(comment, author, { resolved: true });
    await postReply(path, author);
    expect(await callJson(comment, author)).toMatchObject({ replies: 2, status: 'resolved' });
    expect((await callJson<ShownReply>(`${path}/${posted.id}?format=document`, author)).body).toHaveProperty(
      'document',
    );
  });

  test('lists the replies to a comment page by page, newest first, each as a single read returns it', async () => {
    const place = await createCommentTarget(prefix);
    const path = await postComment(place);
    const ids: string[] = [];
    for (const word of ['one', 'two', 'three', 'four'])
      ids.unshift((await postReply(path, place.space, createText(word))).id);
    expect(await walk(path, place.space.token)).toEqual(ids);
    const { items } = await callJson<{ items: ShownReply[] }>(`${path}?format=document`, place.space);
    for (const item of items) expect(await callJson(`${path}/${item.id}?format=document`, place.space)).toEqual(item);
    await expectPaging(path, place.space.token, () => postReply(path, place.space));
  });

  test('the author can edit it, commenters can react, and the author and managers can delete it', async () => {
    const place = await createCommentTarget(prefix);
    const path = await postComment(place);
    const [author, other] = [await makeReader(place, 'comment'), await makeReader(place, 'comment')];
    const reader = await makeReader(place, 'read');
    const { id } = await postReply(path, author);
    const address = `${path}/${id}`;
    const response = await put(address, author, { ...createText('No'), addedReactions: ['👍'] });
    expect(response.body).toMatchObject({ body: { markdown: 'No' }, reactions: [{ emoji: '👍', count: 1 }] });
    expect(response.body.editedAt).toEqual(expect.any(String));
    expect(await callJson(path.replace('/replies', ''), author)).toMatchObject({ status: 'open' });
    for (const by of [other, place.space]) {
      expect((await put(address, by, { ...createText('Mine'), addedReactions: ['🎉'] })).status).toBe(403);
      expect((await put(address, by, { addedReactions: ['1f44d'] })).status).toBe(200);
    }
    expect((await put(address, reader, { addedReactions: ['👍'] })).status).toBe(403);
    expect(await callJson(address, other)).toMatchObject({ body: { markdown: 'No' }, reactions: [{ count: 3 }] });
    expect((await put(address, author, { ...createText('x'), addedReactions: ['x'] })).status).toBe(400);

    const remove = async (by: { token: string }) => (await call(address, by, { method: 'DELETE' })).status;
    expect([await remove(other), await remove(reader), await remove(author), await remove(author)]).toEqual([
      403, 403, 205, 404,
    ]);
    const another = await postReply(path, author);
    expect((await call(`${path}/${another.id}`, place.space, { method: 'DELETE' })).status).toBe(205);
    expect(await callJson(path.replace('/replies', ''), author)).toMatchObject({ replies: 0 });
  });

  test('is found only under its own comment', async () => {
    const [place, elsewhere] = [await createCommentTarget(prefix), await createCommentTarget(prefix)];
    const [path, other, far] = [await postComment(place), await postComment(place), await postComment(elsewhere)];
    const { id } = await postReply(path, place.space);
    for (const [wrong, by] of [
      [other, place.space],
      [far, elsewhere.space],
    ] as const) {
      expect((await call(`${wrong}/${id}`, by)).status).toBe(404);
      expect((await put(`${wrong}/${id}`, by, createText('x'))).status).toBe(404);
      expect((await call(`${wrong}/${id}`, by, { method: 'DELETE' })).status).toBe(404);
    }
    expect((await call(path, await platform().makeOrganization())).status).toBe(404);
    expect((await call(path, await makeReader(place, 'read'), { method: 'POST', body: createText('x') })).status).toBe(
      403,
    );
    for (const body of [{}, createText(' '), { body: { markdown: 'x'.repeat(65_537) } }])
      expect((await call(path, place.space, { method: 'POST', body })).status).toBe(400);
    expect(
      (await call(path, place.space, { method: 'POST', body: createText('@usr_AAAAAAAAAAAAAAAAAAAA') })).status,
    ).toBe(400);
    expect(await walk(path, place.space.token)).toEqual([id]);
  });
});

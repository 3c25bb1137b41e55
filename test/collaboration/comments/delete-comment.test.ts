import { describe, expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import {
  call,
  callJson,
  countComments,
  createCommentTarget,
  createText,
  makeReader,
  post,
  prefixes,
  put,
} from './comment-client.ts';

const remove = (address: string, by: { token: string }) => call(address, by, { method: 'DELETE' });

describe.each(prefixes)('on %s', (prefix) => {
  test('the author and managers of the space delete it, others cannot', async () => {
    const place = await createCommentTarget(prefix);
    const author = await makeReader(place, 'comment');
    for (const [by, status] of [
      [await makeReader(place, 'review'), 403],
      [await makeReader(place, 'read'), 403],
      [await platform().makeOrganization(), 404],
      [await makeReader(place, 'create'), 205],
      [place.organization, 205],
      [author, 205],
    ] as const) {
      const { id } = await post(place, author);
      expect([status, (await remove(`${place.path}/${id}`, by)).status]).toEqual([status, status]);
      expect((await call(`${place.path}/${id}`, place.space)).status).toBe(status === 205 ? 404 : 200);
    }
    expect(await countComments(place)).toEqual({ shown: 3, open: 3 });
  });

  test('deletes its replies, reactions and commenters', async () => {
    const place = await createCommentTarget(prefix);
    const other = await makeReader(place, 'comment');
    const { id } = await post(place);
    const address = `${place.path}/${id}`;
    const reply = await callJson(`${address}/replies`, other, { method: 'POST', body: createText('Yes') });
    for (const each of [address, `${address}/replies/${reply.id}`]) await put(each, other, { addedReactions: ['👍'] });
    await put(address, other, { resolved: true });
    expect((await remove(address, place.space)).status).toBe(205);

    expect((await remove(address, place.space)).status).toBe(404);
    expect((await call(`${address}/replies/${reply.id}`, place.space)).status).toBe(404);
    expect((await put(address, place.space, { addedReactions: ['👍'] })).status).toBe(404);
    for (const [table, column] of [
      ['comment_replies', 'comment'],
      ['reactions', 'object'],
      ['reaction_counts', 'object'],
    ])
      expect(query(`SELECT 1 FROM ${table} WHERE ${column} IN (?, ?)`, id, reply.id)).toEqual([]);
    expect(query("SELECT 1 FROM contributors WHERE space = ? AND action = 'comment'", place.space.id)).toEqual([]);
    expect(await countComments(place)).toEqual({ shown: 0, open: 0 });
  });
});

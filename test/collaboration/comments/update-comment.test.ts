import { describe, expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import type { ShownReaction } from './comment-client.ts';
import {
  call,
  callJson,
  countComments,
  createCommentTarget,
  createText,
  makeGuest,
  makeReader,
  post,
  prefixes,
  put,
} from './comment-client.ts';

const getEvents = (id: string) =>
  query<{ type: string }>(
    "SELECT type FROM outbox WHERE data->>'comment' = ? AND type <> 'comment.created' ORDER BY type",
    id,
  ).map(({ type }) => type);

const summarizeReactions = (reactions: ShownReaction[]) =>
  reactions.map(({ emoji, count, users }) => [emoji, count, users.map(({ user }) => user.id)]);

describe.each(prefixes)('on %s', (prefix) => {
  test('the author can edit the text, others cannot', async () => {
    const place = await createCommentTarget(prefix);
    const author = await makeReader(place, 'comment');
    const { id } = await post(place, author);
    const address = `${place.path}/${id}`;
    const response = await put(address, author, createText('Better'));
    expect(response).toMatchObject({
      status: 200,
      body: { body: { markdown: 'Better' }, permissions: { edit: true } },
    });
    expect(response.body.editedAt).toEqual(expect.any(String));
    expect(await callJson(address, author)).toEqual(response.body);

    expect((await put(address, place.space, createText('Mine'))).status).toBe(403);
    expect(
      (await put(address, place.space, { ...createText('Mine'), resolved: true, addedReactions: ['👍'] })).status,
    ).toBe(403);
    expect((await put(address, await makeReader(place, 'read'), { resolved: true })).status).toBe(403);
    expect((await put(address, await platform().makeOrganization(), { resolved: true })).status).toBe(404);
    expect(await callJson(address, author)).toEqual(response.body);
    expect((await callJson(address, place.space)).permissions).toEqual({
      view: true,
      edit: false,
      reply: true,
      react: true,
      delete: true,
    });
    expect(getEvents(id)).toEqual(['comment.updated']);
  });

  test('repeated resolving and reopening is idempotent', async () => {
    const place = await createCommentTarget(prefix);
    const { id } = await post(place);
    const resolver = await makeReader(place, 'comment');
    const address = `${place.path}/${id}`;
    const resolved = (await put(address, resolver, { resolved: true })).body;
    expect(resolved).toMatchObject({ status: 'resolved', resolvedBy: { id: resolver.user } });
    expect(resolved.resolvedAt).toEqual(expect.any(String));
    expect((await put(address, place.space, { resolved: true })).body).toMatchObject({
      resolvedAt: resolved.resolvedAt,
      resolvedBy: { id: resolver.user },
    });
    expect(await countComments(place)).toEqual({ shown: 0, open: 0 });
    const reopened = (await put(address, resolver, { resolved: false })).body;
    expect(reopened.status).toBe('open');
    for (const field of ['resolvedAt', 'resolvedBy', 'editedAt']) expect(reopened).not.toHaveProperty(field);
    await put(address, resolver, { resolved: false });
    expect(await countComments(place)).toEqual({ shown: 1, open: 1 });
    expect(getEvents(id)).toEqual(['comment.reopened', 'comment.resolved']);
    expect((await put(address, resolver, {})).status).toBe(200);
    expect((await call(address, resolver, { method: 'PUT' })).status).toBe(200);
  });

  test('adds and removes each reaction once, whatever notation the emoji has', async () => {
    const place = await createCommentTarget(prefix);
    const other = await makeGuest(place, 'comment');
    const { id } = await post(place);
    const address = `${place.path}/${id}`;
    const [admin, theirs] = [place.organization.user, other.user];
    const forms = ['👍', '1f44d', '1F44D', 'U+1f44d', '❤', '❤️', '2764', '2764-fe0f'];
    expect(summarizeReactions((await put(address, place.space, { addedReactions: forms })).body.reactions)).toEqual([
      ['❤️', 1, [admin]],
      ['👍', 1, [admin]],
    ]);
    await put(address, other, { addedReactions: ['👍'] });
    const both = (await put(address, other, { addedReactions: ['1f44d', '1f468-200d-1f469-200d-1f467'] })).body;
    expect(summarizeReactions(both.reactions)).toEqual([
      ['❤️', 1, [admin]],
      ['👍', 2, [admin, theirs]],
      ['👨‍👩‍👧', 1, [theirs]],
    ]);
    expect(both.reactions[0]?.users[0]?.user).not.toHaveProperty('email');
    expect((await callJson(address, place.space)).reactions[1]?.users[1]?.user).toHaveProperty('email');
    for (const _ of [1, 2]) await put(address, place.space, { removedReactions: ['2764', '👍', '🎉'] });
    expect(summarizeReactions((await callJson(address, other)).reactions)).toEqual([
      ['👍', 1, [theirs]],
      ['👨‍👩‍👧', 1, [theirs]],
    ]);
  });

  test('rejects anything but an emoji, and writes nothing from the request', async () => {
    const place = await createCommentTarget(prefix);
    const { id } = await post(place);
    const address = `${place.path}/${id}`;
    const before = await callJson(address, place.space);
    for (const emoji of [
      '',
      'a',
      'ok',
      '1',
      '👍👍',
      '110000',
      'd83d',
      '200d',
      '1f44d-',
      '-',
      '👍 ',
      '#',
      'x'.repeat(65),
    ]) {
      const response = await put(address, place.space, {
        resolved: true,
        ...createText('New'),
        addedReactions: ['👍', emoji],
      });
      expect([emoji, response.status]).toEqual([emoji, 400]);
      expect(response.body.error.issues?.[0]?.path).toBe('body.addedReactions.1');
    }
    for (const body of [{ resolved: 'yes' }, { addedReactions: '👍' }, { ...createText(''), resolved: true }, []])
      expect((await put(address, place.space, body)).status).toBe(400);
    expect(await callJson(address, place.space)).toEqual(before);
  });

  test('allows at most 50 different emoji, and writes nothing from a request beyond that', async () => {
    const place = await createCommentTarget(prefix);
    const { id } = await post(place);
    const address = `${place.path}/${id}`;
    const emoji = Array.from({ length: 50 }, (_, index) => (0x1f600 + index).toString(16));
    expect((await put(address, place.space, { addedReactions: emoji })).body.reactions).toHaveLength(50);
    const full = await put(address, place.space, { resolved: true, addedReactions: ['👍'] });
    expect(full).toMatchObject({ status: 409, body: { error: { type: 'conflict' } } });
    expect(await callJson(address, place.space)).toMatchObject({ status: 'open' });
    expect((await put(address, place.space, { addedReactions: ['1f600'] })).status).toBe(200);
  });

  test('accepts several changes in one request', async () => {
    const place = await createCommentTarget(prefix);
    const { id } = await post(place);
    const body = { ...createText('New'), resolved: true, addedReactions: ['🎉', '👍'], removedReactions: ['🎉'] };
    const response = await put(`${place.path}/${id}`, place.space, body);
    expect(response.body).toMatchObject({
      body: { markdown: 'New' },
      status: 'resolved',
      reactions: [{ emoji: '👍', count: 1 }],
    });
    expect(getEvents(id)).toEqual(['comment.reactions_changed', 'comment.resolved', 'comment.updated']);
  });
});

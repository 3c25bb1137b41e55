import { describe, expect, test } from 'vitest';
import { insertPage } from '../../content/space-client.ts';
import { edit, makePage, merge } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import {
  call,
  callJson,
  countComments,
  createCommentTarget,
  createText,
  makeCommentTarget,
  makeGuest,
  makeReader,
  post,
  prefixes,
} from './comment-client.ts';

describe.each(prefixes)('on %s', (prefix) => {
  test('a general comment is posted and returned', async () => {
    const place = await createCommentTarget(prefix);
    const posted = await post(place);

    expect(posted).toMatchObject({
      object: 'comment',
      postedBy: { id: place.organization.user },
      reactions: [],
      replies: 0,
      body: { markdown: 'Hello' },
      target: { space: place.space.id, revision: place.space.revision },
      status: 'open',
      permissions: { view: true, edit: true, reply: true, react: true, delete: true },
    });
    expect(posted.target.changeRequest).toBe(place.changeRequest);
    for (const field of ['editedAt', 'resolvedAt', 'resolvedBy']) expect(posted).not.toHaveProperty(field);
    expect(await callJson(`${place.path}/${posted.id}`, place.space)).toEqual(posted);
    expect(await (await platform().request(new URL(posted.urls.location).pathname, place.space)).json()).toEqual(
      posted,
    );
    expect(await countComments(place)).toEqual({ shown: 1, open: 1 });
  });

  test('includes the page of a comment, even after the page is deleted', async () => {
    const organization = await platform().makeOrganization();
    const space = await platform().makeSpace({ organization });
    const page = await makePage(space, 'A page', 'Words.\n');
    const place = await makeCommentTarget(prefix, { organization, space });
    const { id, target } = await post(place, space, { ...createText('Hm'), page });
    expect(target.page).toMatchObject({ id: page, title: 'A page', path: 'a-page', outdated: false });

    const branch = place.path.replace(/comments$/, 'content?compat=false');
    await callJson(branch, space, { method: 'POST', body: { changes: [{ operation: 'delete_page', page }] } });
    expect((await callJson(`${place.path}/${id}`, space)).target.page).toMatchObject({
      title: 'A page',
      outdated: true,
    });
  });

  test('returns 404 for a missing target', async () => {
    const place = await createCommentTarget(prefix);
    const page = await makePage(place.space, 'A page', 'Words.\n');
    const send = (body: object) =>
      call(place.path, place.space, { method: 'POST', body: { ...createText('Hm'), ...body } });
    expect((await send({ page: 'pg_none' })).body.error).toMatchObject({
      code: 404,
      message: expect.stringMatching(/body\.page/),
    });
    expect((await send({ node: 'x' })).body.error).toMatchObject({ code: 400, issues: [{ path: 'body.node' }] });
    const elsewhere = await platform().makeSpace({ organization: place.organization });
    const other = await makePage(elsewhere, 'Other', 'Words.\n');
    expect((await send({ page: other })).status).toBe(404);
    expect(page).not.toBe('');
    expect(await countComments(place)).toEqual({ shown: 0, open: 0 });
  });

  test('an invalid body writes nothing', async () => {
    const place = await createCommentTarget(prefix);
    for (const body of [
      undefined,
      {},
      { body: {} },
      { body: 'x' },
      { body: { markdown: 7 } },
      { body: { markdown: '' } },
      { body: { markdown: ' \n' } },
      { body: { markdown: 'x'.repeat(65_537) } },
      { body: { markdown: 'é'.repeat(40_000) } },
      { body: { markdown: '\ud800' } },
      { ...createText('x'), page: 7 },
    ]) {
      const response = await call(place.path, place.space, { method: 'POST', body });
      expect([body, response.status]).toEqual([body, 400]);
      expect(response.body.error.type).toBe('invalid');
    }
    expect((await callJson<{ count: number }>(place.path, place.space)).count).toBe(0);
    expect((await post(place, place.space, createText('x'.repeat(65_536)))).body.markdown).toHaveLength(65_536);
  });

  test('users with comment rights can post; readers and users without access cannot', async () => {
    const place = await createCommentTarget(prefix);
    for (const role of ['admin', 'create', 'review', 'edit', 'comment'])
      expect((await post(place, await makeReader(place, role))).postedBy.displayName).toBe('A tester');
    expect((await post(place, await makeGuest(place, 'comment'))).permissions.edit).toBe(true);
    const send = async (by: { token: string }) =>
      (await call(place.path, by, { method: 'POST', body: createText('Hello') })).status;
    expect(await send(await makeReader(place, 'read'))).toBe(403);
    expect(await send(await makeGuest(place, 'read'))).toBe(403);
    expect(await send(await platform().makeOrganization())).toBe(404);
    expect(await send({ token: 'nobody' })).toBe(401);
    expect(await countComments(place)).toEqual({ shown: 6, open: 6 });
  });

  test('returns hostile text unchanged as JSON', async () => {
    const place = await createCommentTarget(prefix);
    const hostile =
      '<script>alert(1)</script> [x](javascript:alert(1)) \u202e </textarea>\u0000 "\'; DROP TABLE comments; --';
    const response = await platform().request(place.path, { token: place.space.token, body: createText(hostile) });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toMatchObject({ body: { markdown: hostile } });
  });

  test('mentions require members with access to the space; guests cannot mention others', async () => {
    const place = await createCommentTarget(prefix);
    const [reader, known] = [await makeReader(place, 'read'), await makeGuest(place, 'comment')];
    const stranger = await platform().makeUser();
    const unreached = await makeReader(place, null as unknown as string);
    const send = (by: { token: string }, markdown: string) =>
      call(place.path, by, { method: 'POST', body: createText(markdown) });

    const { id } = (await send(place.space, `Hello @${reader.user} and @${known.user}`)).body;
    const [event] = query<{ mentions: string }>(
      "SELECT data->>'mentions' AS mentions FROM outbox WHERE type = 'comment.created' AND data->>'comment' = ?",
      id,
    );
    expect(JSON.parse(event?.mentions ?? '')).toEqual([reader.user, known.user]);
    for (const nobody of [stranger.user, unreached.user, 'usr_AAAAAAAAAAAAAAAAAAAA']) {
      const { body } = await send(place.space, `@${reader.user} @${nobody}`);
      expect(body.error).toMatchObject({ code: 400, issues: [{ path: 'body.body.markdown' }] });
      expect(body.error.message).toContain(nobody);
      expect(body.error.message).not.toContain(reader.user);
    }
    expect((await send(place.space, `\`@${stranger.user}\``)).status).toBe(200);
    expect((await send(known, `@${reader.user}`)).status).toBe(400);
    expect((await send(known, `@${known.user}`)).status).toBe(200);
  });

  test('merged and archived change requests accept comments', async () => {
    const place = await createCommentTarget(prefix);
    if (place.changeRequest === undefined) return expect(await post(place)).toMatchObject({ status: 'open' });
    const address = place.path.replace('/comments', '');
    await callJson(address, place.space, { method: 'PATCH', body: { status: 'archived' } });
    expect(await post(place)).toMatchObject({ status: 'open' });

    const merged = await makeCommentTarget(prefix, place);
    const page = await makePage(place.space, 'Later', 'Words.\n');
    const inside = await edit(place.space, [insertPage('Merged')], merged.changeRequest);
    expect((await merge(place.space, merged.changeRequest ?? '')).status).toBe(200);
    const { id, target } = await post(merged, place.space, { ...createText('Well done'), page: inside[0] });
    expect(target).toMatchObject({ changeRequest: merged.changeRequest, page: { title: 'Merged', outdated: false } });
    await callJson(`${merged.path}/${id}/replies`, place.space, { method: 'POST', body: createText('Thanks') });
    expect(await countComments(merged)).toEqual({ shown: 1, open: 1 });
    expect((await call(merged.path, place.space, { method: 'POST', body: { ...createText('x'), page } })).status).toBe(
      404,
    );
  });
});

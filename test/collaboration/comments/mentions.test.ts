import { describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { Place } from './comment-client.ts';
import { call, callJson, createCommentTarget, createText, makeReader, post, prefixes, put } from './comment-client.ts';

const leaveOrganization = async ({ organization }: Place, user: string) =>
  expect((await call(`/v1/orgs/${organization.id}/members/${user}`, organization, { method: 'DELETE' })).status).toBe(
    204,
  );

/** Posts a comment and a reply with the same text. Returns their paths. */
async function postCommentAndReply(place: Place, markdown: string): Promise<string[]> {
  const comment = `${place.path}/${(await post(place, place.space, createText(markdown))).id}`;
  const reply = await callJson(`${comment}/replies`, place.space, { method: 'POST', body: createText(markdown) });
  return [comment, `${comment}/replies/${reply.id}`];
}

describe.each(prefixes)('on %s', (prefix) => {
  test('a text that mentions a former member can still be edited, but cannot add another non-member', async () => {
    const place = await createCommentTarget(prefix);
    const [reader, other] = [await makeReader(place, 'read'), await makeReader(place, 'read')];
    const posted = await postCommentAndReply(place, `Is it so, @${reader.user}?`);
    for (const { user } of [reader, other]) await leaveOrganization(place, user);

    for (const address of posted) {
      const response = await put(address, place.space, createText(`It is so, @${reader.user}.`));
      expect(response).toMatchObject({ status: 200, body: { body: { markdown: `It is so, @${reader.user}.` } } });
      const refusedResponse = await put(address, place.space, createText(`@${reader.user} and @${other.user}`));
      expect(refusedResponse.status).toBe(400);
      expect(refusedResponse.body.error.message).toContain(other.user);
      expect(refusedResponse.body.error.message).not.toContain(reader.user);
      await put(address, place.space, createText('Nobody'));
      expect((await put(address, place.space, createText(`@${reader.user}`))).status).toBe(400);
    }
  });

  test('ignores mentions in code, and never mentions a user without access', async () => {
    const place = await createCommentTarget(prefix);
    const stranger = await platform().makeUser();
    for (const address of await postCommentAndReply(place, `\`@${stranger.user}\``)) {
      expect((await put(address, place.space, createText(`@${stranger.user}`))).status).toBe(400);
      expect((await callJson(address, place.space)).body.markdown).toBe(`\`@${stranger.user}\``);
    }
  });

  test('the error for a user of another organization reveals nothing', async () => {
    const place = await createCommentTarget(prefix);
    const { user } = await platform().makeOrganization();
    const nobody = `usr_${'A'.repeat(user.length - 4)}`;
    for (const address of await postCommentAndReply(place, 'x'))
      for (const bodyOf of [(id: string) => createText(`@${id}`), mentionTree]) {
        const readMentionError = async (id: string) => {
          const { status, body } = await put(address, place.space, bodyOf(id));
          return [status, JSON.stringify(body.error.issues).replaceAll(id, 'ID')];
        };
        const [status, issues] = await readMentionError(user);
        expect([status, issues]).toEqual([400, expect.stringContaining('must not mention users without access')]);
        expect(await readMentionError(nobody)).toEqual([status, issues]);
      }
  });
});

const mentionTree = (user: string) => ({
  body: {
    document: {
      object: 'document',
      data: {},
      nodes: [
        {
          object: 'block',
          type: 'paragraph',
          isVoid: false,
          data: {},
          nodes: [
            { object: 'inline', type: 'mention', isVoid: true, data: { ref: { kind: 'user', user } }, nodes: [] },
          ],
        },
      ],
    },
  },
});

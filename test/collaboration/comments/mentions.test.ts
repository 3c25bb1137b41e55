import { describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { Place } from './comment-client.ts';
import { call, makePlace, makeReader, ok, post, prefixes, put, text } from './comment-client.ts';

const leave = async ({ organization }: Place, user: string) =>
  expect((await call(`/v1/orgs/${organization.id}/members/${user}`, organization, { method: 'DELETE' })).status).toBe(
    204,
  );

/** Posts a comment and a reply with the same text. Returns their paths. */
async function postBoth(place: Place, markdown: string): Promise<string[]> {
  const comment = `${place.path}/${(await post(place, place.space, text(markdown))).id}`;
  const reply = await ok(`${comment}/replies`, place.space, { method: 'POST', body: text(markdown) });
  return [comment, `${comment}/replies/${reply.id}`];
}

describe.each(prefixes)('on %s', (prefix) => {
  test('a text that mentions a former member can still be edited, but cannot add another non-member', async () => {
    const place = await makePlace(prefix);
    const [reader, other] = [await makeReader(place, 'read'), await makeReader(place, 'read')];
    const posted = await postBoth(place, `Is it so, @${reader.user}?`);
    for (const { user } of [reader, other]) await leave(place, user);

    for (const address of posted) {
      const edited = await put(address, place.space, text(`It is so, @${reader.user}.`));
      expect(edited).toMatchObject({ status: 200, body: { body: { markdown: `It is so, @${reader.user}.` } } });
      const refused = await put(address, place.space, text(`@${reader.user} and @${other.user}`));
      expect(refused.status).toBe(400);
      expect(refused.body.error.message).toContain(other.user);
      expect(refused.body.error.message).not.toContain(reader.user);
      await put(address, place.space, text('Nobody'));
      expect((await put(address, place.space, text(`@${reader.user}`))).status).toBe(400);
    }
  });

  test('text in code is not a mention, and never mentions a user without access', async () => {
    const place = await makePlace(prefix);
    const stranger = await platform().makeUser();
    for (const address of await postBoth(place, `\`@${stranger.user}\``)) {
      expect((await put(address, place.space, text(`@${stranger.user}`))).status).toBe(400);
      expect((await ok(address, place.space)).body.markdown).toBe(`\`@${stranger.user}\``);
    }
  });

  test('the error for a user of another organization reveals nothing', async () => {
    const place = await makePlace(prefix);
    const { user } = await platform().makeOrganization();
    const nobody = `usr_${'A'.repeat(user.length - 4)}`;
    for (const address of await postBoth(place, 'x'))
      for (const bodyOf of [(id: string) => text(`@${id}`), mentionTree]) {
        const said = async (id: string) => {
          const { status, body } = await put(address, place.space, bodyOf(id));
          return [status, JSON.stringify(body.error.issues).replaceAll(id, 'ID')];
        };
        const [status, issues] = await said(user);
        expect([status, issues]).toEqual([400, expect.stringContaining('must not mention users without access')]);
        expect(await said(nobody)).toEqual([status, issues]);
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

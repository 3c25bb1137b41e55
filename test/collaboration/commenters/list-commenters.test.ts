import { describe, expect, test } from 'vitest';
import { expectPaging, walk } from '../../support/paging.ts';
import { getMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import {
  call,
  callJson,
  createCommentTarget,
  createText,
  makeGuest,
  makeReader,
  post,
  prefixes,
} from '../comments/comment-client.ts';

describe.each(prefixes)('on %s', (prefix) => {
  test('members see everyone who commented or replied, guests only themselves', async () => {
    const place = await createCommentTarget(prefix);
    const path = place.path.replace(/comments$/, 'commenters');
    const [writer, reader] = [await makeReader(place, 'comment'), await makeReader(place, 'read')];
    const [guest, silent] = [await makeGuest(place, 'comment'), await makeGuest(place, 'read')];
    const { id } = await post(place, writer);
    await callJson(`${place.path}/${id}/replies`, guest, { method: 'POST', body: createText('Yes') });
    const both = [writer.user, guest.user].toSorted();
    expect(await walk(path, place.space.token)).toEqual(both);
    expect(await walk(path, reader.token)).toEqual(both);
    expect(await walk(path, guest.token)).toEqual([guest.user]);
    expect(await walk(path, silent.token)).toEqual([]);
    const { items } = await callJson<{ items: { id: string }[] }>(path, place.space);
    expect(items).toContainEqual(await getMember(place.organization, writer.user));
    expect((await call(path, await platform().makeOrganization())).status).toBe(404);

    await call(`/v1/orgs/${place.organization.id}/members/${writer.user}`, place.organization, { method: 'DELETE' });
    expect(await walk(path, place.space.token)).toEqual([guest.user]);
    expect((await callJson(`${place.path}/${id}`, place.space)).postedBy.id).toBe(writer.user);
    await call(`${place.path}/${id}`, place.organization, { method: 'DELETE' });
    expect(await walk(path, place.space.token)).toEqual([]);
  });

  test('paginates by cursor', async () => {
    const place = await createCommentTarget(prefix);
    for (let index = 0; index < 3; index += 1) await post(place, await makeReader(place, 'comment'));
    await expectPaging(place.path.replace(/comments$/, 'commenters'), place.space.token, () => post(place));
  });
});

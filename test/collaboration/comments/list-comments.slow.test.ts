import { describe, expect, test } from 'vitest';
import { makePage } from '../../support/content.ts';
import { expectPaging, walk, walkItems } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';
import { getSample } from '../../support/random.ts';
import type { ShownComment } from './comment-client.ts';
import {
  call,
  callJson,
  createCommentTarget,
  createText,
  makeCommentTarget,
  makeReader,
  post,
  prefixes,
  put,
} from './comment-client.ts';

interface Listed {
  count: number;
  items: ShownComment[];
  next?: { page: string };
}

describe.each(prefixes)('on %s', (prefix) => {
  test('the results of each filter, alone or with another one, match the single reads', async () => {
    const organization = await platform().makeOrganization();
    const space = await platform().makeSpace({ organization });
    const pages = [await makePage(space, 'One', '1\n'), await makePage(space, 'Two', '2\n')];
    const place = await makeCommentTarget(prefix, { organization, space });
    const people = [place.organization, await makeReader(place, 'comment'), await makeReader(place, 'comment')];
    for (let index = 0; index < 12; index += 1) {
      const page = pages[index % 4];
      const by = people[index % 3] ?? place.organization;
      const { id } = await post(place, by, {
        ...createText(`Number ${index}`),
        ...(page === undefined ? {} : { page }),
      });
      if (index % 2 === 0) await put(`${place.path}/${id}`, by, { resolved: true, addedReactions: ['👍'] });
    }
    const ids = await walk(`${place.path}?order=asc`, space.token);
    const all = await Promise.all(ids.map((id) => callJson(`${place.path}/${id}`, space)));
    expect(all.map(({ body }) => body.markdown)).toEqual(Array.from({ length: 12 }, (_, index) => `Number ${index}`));

    const cases = [undefined, 'all', 'open', 'resolved'].flatMap((status) =>
      [undefined, pages[0], 'pg_none'].flatMap((page) =>
        [[], [people[1]?.user], [people[0]?.user, people[2]?.user], ['usr_none']].flatMap((authors) =>
          ['asc', 'desc'].map((order) => ({ status, page, authors, order })),
        ),
      ),
    );
    for (const { status, page, authors, order } of getSample(cases, 5)) {
      const filters = new URLSearchParams({ order });
      if (status !== undefined) filters.set('status', status);
      if (page !== undefined) filters.set('targetPage', page);
      for (const author of authors) filters.append('authors', author ?? '');
      const expectedComments = all.filter(
        (comment) =>
          (status === undefined || status === 'all' || comment.status === status) &&
          (page === undefined || comment.target.page?.id === page) &&
          (authors.length === 0 || authors.includes(comment.postedBy.id)),
      );
      const comments = await walkItems(`${place.path}?${filters}`, space.token, { limit: 5 });
      expect([`${filters}`, comments]).toEqual([
        `${filters}`,
        order === 'asc' ? expectedComments : expectedComments.toReversed(),
      ]);
    }
  });

  test('paginates by cursor, with any filter', async () => {
    const organization = await platform().makeOrganization();
    const space = await platform().makeSpace({ organization });
    const page = await makePage(space, 'One', '1\n');
    const place = await makeCommentTarget(prefix, { organization, space });
    const add = () => post(place, space, { ...createText('Hello'), page });
    for (let index = 0; index < 4; index += 1) await add();
    const author = `authors=${organization.user}`;
    const filters = ['', '?status=open', `?targetPage=${page}`, `?${author}`, `?${author}&authors=usr_x&status=open`];
    for (const filter of getSample(filters, 3)) await expectPaging(place.path + filter, space.token, add);
    for (const bad of ['status=closed', 'order=up', 'format=html', 'targetPage=!', 'authors=!'])
      expect([bad, (await call(`${place.path}?${bad}`, space)).status]).toEqual([bad, 400]);
  });

  test('new comments do not shift the pages of a list, in either order', async () => {
    const organization = await platform().makeOrganization();
    const space = await platform().makeSpace({ organization });
    const page = await makePage(space, 'One', '1\n');
    const place = await makeCommentTarget(prefix, { organization, space });
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await post(place, space, { ...createText('Old'), page })).id);
    const author = `authors=${organization.user}`;
    const filters = ['', 'status=open', `targetPage=${page}`, author, `${author}&authors=usr_x&status=open`];
    for (const filter of getSample(filters, 3))
      for (const order of ['asc', 'desc']) {
        const found: string[] = [];
        let next: string | undefined = '';
        while (next !== undefined && found.length < ids.length) {
          const address: string = `${place.path}?${filter}&order=${order}&limit=2${next && `&page=${next}`}`;
          const shown: Listed = await callJson<Listed>(address, space);
          found.push(...shown.items.filter(({ body }) => body.markdown === 'Old').map(({ id }) => id));
          next = shown.next?.page;
          await post(place, space, { ...createText('New'), page });
        }
        const expectedComments = order === 'asc' ? ids : ids.toReversed();
        expect([filter, order, found]).toEqual([filter, order, expectedComments]);
        for (const { id, body } of (await callJson<Listed>(`${place.path}?limit=100`, space)).items)
          if (body.markdown === 'New') await call(`${place.path}/${id}`, space, { method: 'DELETE' });
      }
  });

  test('limits the total text of a list page, and continues on the next page', async () => {
    const place = await createCommentTarget(prefix);
    for (let index = 0; index < 34; index += 1)
      await post(place, place.space, createText(`\u0000${index}`.padEnd(65_000, 'x')));
    const first = await callJson<Listed>(`${place.path}?limit=1000`, place.space);
    expect(first.count).toBeLessThan(34);
    expect(first.count).toBeGreaterThan(20);
    const rest = await callJson<Listed>(`${place.path}?limit=1000&page=${first.next?.page}`, place.space);
    expect(new Set([...first.items, ...rest.items].map(({ id }) => id)).size).toBe(34);
    expect(rest).not.toHaveProperty('next');
    const trees = await callJson<Listed>(`${place.path}?limit=1000&format=document`, place.space);
    expect(trees.count).toBeGreaterThan(1);
    expect(trees.count).toBeLessThan(6);
    expect(trees).toHaveProperty('next');
  });

  test('readers get the list with their permissions, and users without access get 404', async () => {
    const place = await createCommentTarget(prefix);
    const { id } = await post(place);
    const reader = await makeReader(place, 'read');
    const { items } = await callJson<Listed>(place.path, reader);
    expect(items[0]?.permissions).toEqual({ view: true, edit: false, reply: false, react: false, delete: false });
    expect(items).toEqual([await callJson(`${place.path}/${id}`, reader)]);
    expect((await call(place.path, await platform().makeOrganization())).status).toBe(404);
  });

  test('returns the list as document trees', async () => {
    const place = await createCommentTarget(prefix);
    const { id } = await post(place, place.space, createText('Some **words**'));
    const { items } = await callJson<Listed>(`${place.path}?format=document`, place.space);
    expect(items[0]?.body).toMatchObject({ document: { object: 'document', nodes: [{ type: 'paragraph' }] } });
    expect(items).toEqual([await callJson(`${place.path}/${id}?format=document`, place.space)]);
  });
});

test('live content and change requests have separate lists', async () => {
  const live = await createCommentTarget('live content');
  const requests = [
    await makeCommentTarget('a change request', live),
    await makeCommentTarget('a change request', live),
  ];
  const elsewhere = await createCommentTarget('live content');
  const places = [live, ...requests, elsewhere];
  const ids = await Promise.all(places.map(async (place) => (await post(place, place.space)).id));
  for (const [index, place] of places.entries()) {
    expect(await walk(place.path, place.space.token)).toEqual([ids[index]]);
    for (const [other, id] of ids.entries()) {
      const status = other === index ? 200 : 404;
      const address = `${place.path}/${id}`;
      expect((await call(address, place.space)).status).toBe(status);
      expect((await call(`${address}/replies`, place.space)).status).toBe(status);
      if (other === index) continue;
      expect((await put(address, place.space, { resolved: true })).status).toBe(404);
      expect((await call(address, place.space, { method: 'DELETE' })).status).toBe(404);
      expect((await call(`${address}/replies`, place.space, { method: 'POST', body: createText('x') })).status).toBe(
        404,
      );
    }
  }
});

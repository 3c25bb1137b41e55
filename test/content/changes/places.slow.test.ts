import { ContentChange } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getSample } from '../../support/random.ts';
import type { Change, SpaceClient, TreePage } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';

let space: SpaceClient;
/** This page was at `first/old` and is now at `second/new`. */
let page: string;
let revision: string;
const parents: Record<string, string> = {};

beforeAll(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
  const names = ['first', 'second', 'third'];
  const ids = await space.change(names.map((name) => insertPage(name)));
  names.forEach((name, index) => {
    parents[name] = ids[index] ?? '';
  });
  [page = ''] = await space.change([insertPage('Page', { slug: 'old', into: parents.first })]);
  revision = (await space.head()).id;
  await space.change([{ operation: 'update_page', page, slug: 'new', into: parents.second }]);
});

type Step = 'revert' | 'slug' | 'into' | 'both' | 'document';
interface Place {
  parent: string;
  slug: string;
}

const getChange = (step: Step): Change => {
  const update = { operation: 'update_page', page };
  switch (step) {
    case 'revert':
      return { operation: 'revert_page', page, revision };
    case 'slug':
      return { ...update, slug: 'asked' };
    case 'into':
      return { ...update, into: parents.third };
    case 'both':
      return { ...update, slug: 'asked', into: parents.third };
    case 'document':
      return { ...update, document: { markdown: '---\nslug: asked\n---\n' } };
  }
};

/** Returns the expected final position. An explicitly requested slug must be free; any other slug gets a suffix. */
function predictPosition(steps: Step[], taken: Place[]): Place | 409 {
  const isFree = (place: Place) => !taken.some(({ parent, slug }) => parent === place.parent && slug === place.slug);
  const free = (parent: string, slug: string): Place => {
    for (let number = 1; ; number += 1) {
      const place = { parent, slug: number === 1 ? slug : `${slug}-${number}` };
      if (isFree(place)) return place;
    }
  };
  let at: Place = { parent: 'second', slug: 'new' };
  for (const step of steps) {
    if (step === 'revert') at = free('first', 'old');
    else if (step === 'document') at = free(at.parent, 'asked');
    else if (step === 'into') at = at.parent === 'third' ? at : free('third', at.slug);
    else {
      at = { parent: step === 'both' ? 'third' : at.parent, slug: 'asked' };
      if (!isFree(at)) return 409;
    }
  }
  return at;
}

const orders: Step[][] = [
  ['revert', 'slug', 'into'],
  ['revert', 'into', 'slug'],
  ['slug', 'revert', 'into'],
  ['slug', 'into', 'revert'],
  ['into', 'revert', 'slug'],
  ['into', 'slug', 'revert'],
  ['revert', 'both'],
  ['both', 'revert'],
  ['revert', 'document'],
  ['revert', 'document', 'into'],
  ['revert', 'into', 'document'],
  ['document', 'revert', 'into'],
  ['revert', 'slug'],
  ['revert', 'into'],
];
const every = Object.keys({ first: 0, second: 0, third: 0 }).flatMap((parent) =>
  ['old', 'new', 'asked'].map((slug) => ({ parent, slug })),
);
const takens: Place[][] = [
  [],
  ...every.filter(({ parent, slug }) => parent !== 'second' || slug !== 'new').map((place) => [place]),
  ['old', 'old-2', 'old-3'].map((slug) => ({ parent: 'first', slug })),
  ['first', 'third'].flatMap((parent) => ['old', 'old-2'].map((slug) => ({ parent, slug }))),
  [
    { parent: 'first', slug: 'old' },
    { parent: 'third', slug: 'old-2' },
  ],
  [
    { parent: 'first', slug: 'asked' },
    { parent: 'third', slug: 'asked-2' },
  ],
];

const getNames = (places: Place[]) => places.map(({ parent, slug }) => `${parent}/${slug}`).join(', ') || 'nothing';

/** Returns the slugs below each parent. */
const listSlugs = (pages: TreePage[]) =>
  Object.entries(parents).flatMap(([parent, id]) =>
    (pages.find((each) => each.id === id)?.pages ?? []).map((child) => ({ parent, slug: child.slug ?? '', child })),
  );

describe('revert, slug change and move in one batch', () => {
  test.each(getSample(orders, 3).map((steps) => ({ steps })))(
    '$steps: finds a slug for each position that the page takes',
    async ({ steps }) => {
      for (const taken of takens) {
        const branch = await space.open();
        const siblings = taken.map(({ parent, slug }) => insertPage('Sibling', { slug, into: parents[parent] }));
        if (siblings.length > 0) await space.change(siblings, branch);
        const response = await space.edit(steps.map(getChange), branch);
        const places = listSlugs(await space.pages(branch));
        const own = places.find(({ child }) => child.id === page);
        const expected = predictPosition(steps, taken);

        const got = response.status === 200 ? { parent: own?.parent, slug: own?.slug } : response.status;
        expect([getNames(taken), got]).toEqual([getNames(taken), expected]);
        expect(new Set(places.map(({ parent, slug }) => `${parent}/${slug}`)).size).toBe(places.length);
        if (expected === 409) expect(own).toMatchObject({ parent: 'second', slug: 'new' });
      }
    },
  );
});

describe('fields that refer to a page in a batch', () => {
  const insert = (more: object) => ({ operation: 'insert_page', document: { markdown: '' }, ...more });
  const cases: [name: string, field: string, change: Change][] = [
    ...['', '   ', '\u3000\u00a0', 'a\nb', '\u0000', 'x'.repeat(513)].flatMap((title): typeof cases => [
      ['insert_page', 'title', insert({ title })],
      ['update_page', 'title', { operation: 'update_page', page: 'pg_x', title }],
      ['insert_group', 'title', { operation: 'insert_group', title }],
      [
        'insert_link',
        'title',
        { operation: 'insert_link', title, target: { kind: 'url', url: 'https://example.test' } },
      ],
    ]),
    ...['', 'a b', '\u0000', '..', 'x'.repeat(101)].flatMap((slug): typeof cases => [
      ['insert_page', 'slug', insert({ title: 'A', slug })],
      ['update_page', 'slug', { operation: 'update_page', page: 'pg_x', slug }],
      ['insert_group', 'slug', { operation: 'insert_group', title: 'A', slug }],
    ]),
  ];

  test.each(cases)('%s: rejects an invalid %s and names its path: %j', async (_, field, change) => {
    const { status, body } = await space.edit([insertPage('Not written'), change]);

    expect(status).toBe(400);
    expect(body.error.issues?.map(({ path }) => path)).toContain(`body.changes.1.${field}`);
  });

  test.each(['\ud800', 'a\udc00b', 'a\ud83d'])('rejects a lone surrogate: %j', async (half) => {
    for (const field of ['title', 'slug']) {
      const change = insert({ title: 'A', [field]: half });
      const { status, body } = await space.edit([change]);
      expect([status, body.error.issues?.[0]?.path]).toEqual([400, 'body']);

      // The parser of request bodies rejects lone surrogates first, so check the schema directly too.
      const { error } = ContentChange.safeParse(change);
      expect(error?.issues.map(({ path }) => path)).toEqual([[field]]);
    }
  });
});

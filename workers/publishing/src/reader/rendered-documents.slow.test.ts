import type { RenderedDocument } from '@octavo/reader';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { PublishingEnvironment } from '../environment.ts';
import { createDocumentCache, storeText } from './rendered-documents.ts';
import type { KeyParts } from './site-cache.ts';

const parts: KeyParts = {
  ...{ build: 'one', contentBuild: 'one', publicUrl: 'https://octavo.example', sitesUrl: '', site: 'site_1' },
  ...{ organizationShown: 1, stamp: 'first', shareLink: '', claims: {}, origin: 'https://octavo.example' },
  ...{ depth: 3, path: '/-/acme/docs/start', query: '', form: 'html' },
};
const rendered: RenderedDocument = {
  ...{ html: `<p>${'Words. '.repeat(5000)}</p>`, summary: 'Words.', outline: [], titleIds: [], styles: [], frames: [] },
  ...{ hasUpdates: false, hasReference: false },
};
const link = { kind: 'anchor', page: 'linked', anchor: 'first' };

const bucket = new Map<string, string>();
const methods = {
  list: async () => ({ objects: [] }),
  get: async (key: string) => ({ text: async () => bucket.get(key) }),
  put: async (key: string, bytes: Uint8Array) => bucket.set(key, new TextDecoder().decode(bytes)),
};
const machine = { OCTAVO_ONE_ISOLATE: '1', RENDERED: methods, DB: { getState: () => '' } } as never;
const edge = {
  ...{ OCTAVO_SITE_MAX_AGE: '3', OCTAVO_PUBLIC_URL: 'https://octavo.example', DB: {} },
  OCTAVO_SECRET: 'a secret of some length',
} as never;

interface Change {
  parts?: Partial<KeyParts>;
  /** The hashes of the texts of the page and of the page to which it links. */
  texts?: [own: string, linked: string];
  target?: 'blank' | 'self';
  link?: string;
}

/** Returns the cache for the documents of a site, and the state on which the document of a page depends. */
function open(env: PublishingEnvironment, page: string, change: Change = {}) {
  const { texts: [own, linked] = ['a', 'b'], target = 'self', link: to = '/linked' } = change;
  const work: Promise<unknown>[] = [];
  const documents = createDocumentCache({
    ...{ parts: { ...parts, ...change.parts }, url: new URL('https://octavo.example/-/acme/docs/start') },
    ...{ env, space: 'space_1', background: { waitUntil: (promise) => work.push(promise) } },
  });
  if (documents === undefined) throw new Error('Nothing may be cached.');
  const customization = { styling: {}, externalLinks: { target }, internationalization: {} };
  const site = { url: 'https://octavo.example/', language: 'en', customization };
  const view = { site, assets: { style: 'style' }, base: '', relativeRoot: './', resolve: () => to };
  const references = new Map([[JSON.stringify(link), JSON.stringify(to)]]);
  const state = { view, textVersions: { [page]: own, linked }, references } as never;
  return { documents, state, finish: () => Promise.all(work) };
}

let page = '';
let pages = 0;
beforeEach(() => {
  pages += 1;
  page = `page_${pages}_`;
});

/** Stores the document of a page as a former process has stored it. */
async function storeBefore(edit = (text: string) => text): Promise<void> {
  const source = `source_${pages}_`;
  const { documents, state, finish } = open(machine, source);
  documents.store(source, rendered, state);
  await finish();
  const text = edit((bucket.get(`documents/space_1/${source}`) ?? '').replaceAll(source, page));
  // A short text is not stored.
  await storeText(machine, `space_1/${page}`, text.padEnd(40_000));
}

describe('a stored document', () => {
  test('is found after a restart', async () => {
    await storeBefore();
    const { documents, state } = open(machine, page);

    expect([await documents.load(page), documents.find(page, state)]).toEqual([true, rendered]);
  });

  test.each<[string, Change]>([
    ['the build', { parts: { build: 'two' } }],
    ['the build of the content worker', { parts: { contentBuild: 'two' } }],
    ['the claims of the visitor', { parts: { claims: { plan: 'pro' } } }],
    ['the audience', { parts: { stamp: 'second' } }],
    ['the text of the page', { texts: ['other', 'b'] }],
    ['the text to which it links', { texts: ['a', 'other'] }],
    ['a setting', { target: 'blank' }],
    ['the target of a link', { link: '/other' }],
  ])('is not used if %s has changed', async (_, change) => {
    await storeBefore();
    const { documents, state } = open(machine, page, change);
    await documents.load(page);

    expect(documents.find(page, state)).toBeUndefined();
  });

  test.each(['', '{"key":', 'null', '{}', '[]'])('is missing if it was replaced by %j', async (damaged) => {
    await storeBefore(() => damaged);
    const { documents, state } = open(machine, page);
    vi.spyOn(console, 'log').mockReturnValue();

    expect([await documents.load(page), documents.find(page, state)]).toEqual([false, undefined]);
  });

  test('is only stored if it is long', async () => {
    const { documents, state, finish } = open(machine, page);
    documents.store(page, { ...rendered, html: '<p>Words.</p>' }, state);
    await finish();

    expect(bucket.has(`documents/space_1/${page}`)).toBe(false);
  });
});

test.each([
  ['is not JSON', () => new Response('{"key":')],
  [
    'cannot be read',
    () => new Response(new ReadableStream({ start: (stream) => stream.error(new Error('Damaged.')) })),
  ],
])('a document in the cache of the data center that %s is missing, which is logged once', async (_, createBody) => {
  vi.stubGlobal('caches', { default: { match: async () => createBody() } });
  const lines = vi.spyOn(console, 'log').mockReturnValue();

  expect(await open(edge, page).documents.load(page)).toBe(false);
  expect(lines).toHaveBeenCalledTimes(1);
});

describe('a document in memory', () => {
  /** Returns how many documents with this HTML are cached. All belong to one site, which may use 8 MB. */
  function countCached(change: Partial<RenderedDocument>): number {
    const names = Array.from({ length: 40 }, (_, index) => `${page}${index}`);
    for (const name of names) {
      const { documents, state } = open(edge, name);
      documents.store(name, { ...rendered, ...change }, state);
    }
    const isCached = (name: string) => {
      const { documents, state } = open(edge, name);
      return documents.find(name, state) !== undefined;
    };
    return names.filter(isCached).length;
  }

  test.each<[string, Partial<RenderedDocument>, number]>([
    ['its HTML', { html: 'x'.repeat(400_000) }, 20],
    ['two bytes for each character if not all are Latin-1', { html: 'ш'.repeat(400_000) }, 10],
    ['its outline', { outline: [{ id: 'x', level: 1, text: 'x'.repeat(800_000) }] }, 10],
    ['its styles', { styles: ['x'.repeat(800_000)] }, 10],
  ])('counts %s', (_, change, count) => {
    vi.stubGlobal('caches', { default: { put: async () => undefined } });

    expect(countCached(change)).toBe(count);
  });
});

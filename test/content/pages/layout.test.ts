import { beforeAll, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient, TreePage } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';

interface Laid extends TreePage {
  layout?: object;
}

const defaults = {
  width: 'default',
  cover: true,
  coverSize: 'hero',
  coverMask: 'none',
  title: true,
  description: true,
  tableOfContents: true,
  outline: true,
  pagination: true,
  metadata: true,
  tags: true,
  actions: true,
  anchors: true,
};
const different = { width: 'wide', coverSize: 'background', coverMask: 'radial', metadata: false, anchors: false };

let space: SpaceClient;
let plain = '';
let rich = '';
let prefixes: Record<string, string>;

beforeAll(async () => {
  space = getClient(platform(), await platform().makeSpace());
  [plain = '', rich = ''] = await space.change([insertPage('Plain'), insertPage('Rich', { layout: different })]);
  const { id } = await space.head();
  prefixes = {
    live: '/content',
    'change request': `/change-requests/${await space.open()}/content`,
    revision: `/revisions/${id}`,
  };
});

test.each(['live', 'change request', 'revision'])(
  'each read of a page returns the complete layout (%s)',
  async (name) => {
    const { pages } = await space.callJson<{ pages: Laid[] }>(`${prefixes[name]}/pages`);
    const readLayouts = async (page: string, path: string) => [
      pages.find(({ id }) => id === page)?.layout,
      (await space.callJson<Laid>(`${prefixes[name]}/page/${page}`)).layout,
      (await space.callJson<Laid>(`${prefixes[name]}/path/${path}`)).layout,
    ];

    for (const layout of await readLayouts(plain, 'plain')) expect(layout).toEqual(defaults);
    for (const layout of await readLayouts(rich, 'rich')) expect(layout).toEqual({ ...defaults, ...different });
  },
);

import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient, TreePage } from '../space-client.ts';
import { flatten, getClient, insertPage } from '../space-client.ts';

interface Rich extends TreePage {
  cover?: object;
  layout?: object;
  variables?: object;
  computed?: object;
  noRobotsIndex?: boolean;
}

let space: SpaceClient;

beforeEach(async () => {
  space = getClient(platform(), await platform().makeSpace());
});

const read = (id: string) => space.page(id) as Promise<Rich>;
const update = (page: string, more: object) => space.edit([{ operation: 'update_page', page, ...more }]);

describe('cover, layout and variables', () => {
  const cover = { ref: { kind: 'url', url: 'https://example.test/a.png' }, yPos: -10 };
  const shown = { cover: true, title: true, description: true, tableOfContents: true, outline: true, pagination: true };

  test('can be set, changed in part, and removed', async () => {
    const more = { cover, layout: { title: false, coverSize: 'full' }, variables: { version: '1', beta: true } };
    const [id = ''] = await space.change([insertPage('Rich', more)]);
    const dark = { ref: { kind: 'file', file: 'file_1' }, refDark: cover.ref };

    expect(await read(id)).toMatchObject({ ...more, layout: { ...shown, title: false, coverSize: 'full' } });
    await update(id, { cover: dark, layout: { outline: false }, variables: { version: '2', beta: null } });
    expect(await read(id)).toMatchObject({
      cover: { ...dark, yPos: 0 },
      layout: { ...shown, title: false, outline: false, coverSize: 'full' },
      variables: { version: '2' },
    });
    await update(id, { cover: null, variables: { version: null } });
    const page = await read(id);
    expect([page.cover, page.variables]).toEqual([undefined, undefined]);
  });

  test('are overridden by frontmatter', async () => {
    const markdown = '---\ncover: https://example.test/b.png\ncoverY: 3\nvariables:\n  version: "3"\n---\n\nText\n';
    const [id = ''] = await space.change([
      insertPage('P', { document: { markdown }, cover, variables: { version: '1' } }),
    ]);

    expect(await read(id)).toMatchObject({
      cover: { ref: { kind: 'url', url: 'https://example.test/b.png' }, yPos: 3 },
      variables: { version: '3' },
    });
  });

  test.each([
    [{ cover: { ref: { kind: 'url', url: 'javascript:alert(1)' } } }, 'cover.ref.url'],
    [{ cover: { ref: { kind: 'file', file: '../x' } } }, 'cover.ref.file'],
    [{ layout: { title: 'yes' } }, 'layout.title'],
    [{ variables: { '1st': 'x' } }, 'variables.1st'],
    [{ variables: { name: 'x'.repeat(257) } }, 'variables.name'],
    [{ emoji: '📚📚' }, 'emoji'],
    [{ emoji: 'abc' }, 'emoji'],
    [{ emoji: 'ffffff' }, 'emoji'],
  ])('rejects %j and writes nothing', async (more, path) => {
    const { status, body } = await space.edit([insertPage('Fine'), insertPage('Bad', more)]);

    expect(status).toBe(400);
    expect(body.error.issues?.[0]?.path).toBe(`body.changes.1.${path}`);
    expect(await space.pages()).toEqual([]);
  });

  test('allows as many variables of a page as its frontmatter', async () => {
    const createVariables = (from: number) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`v${from + at}`, at]));
    const [id = ''] = await space.change([insertPage('P', { variables: createVariables(0) })]);

    const { status, body } = await update(id, { variables: createVariables(60) });

    expect([status, body.error.issues?.[0]?.path]).toEqual([400, 'body.changes.0.variables']);
  });

  test('are only allowed for documents', async () => {
    const [group = ''] = await space.change([{ operation: 'insert_group', title: 'G' }]);
    for (const more of [{ cover }, { layout: { title: false } }, { variables: { a: 1 } }]) {
      expect((await update(group, more)).status).toBe(400);
    }
  });
});

test.each(['📚', '👩‍👩‍👧', '1f600', '1f1e8-1f1ed'])('accepts %s as a single emoji', async (emoji) => {
  const [id = ''] = await space.change([insertPage('P', { emoji })]);

  expect((await read(id)).emoji).toBe(emoji);
});

test('hiding a page hides its descendants', async () => {
  const flags = { hidden: true, noIndex: true, noRobotsIndex: true };
  await space.change([
    insertPage('Top', { ref: 'top', ...flags }),
    insertPage('Middle', { ref: 'middle', into: 'top' }),
    insertPage('End', { into: 'middle' }),
    insertPage('Beside'),
  ]);
  const pages = flatten(await space.pages()) as Rich[];
  const getFlags = ({ title, hidden, noIndex, noRobotsIndex }: Rich) => [title, hidden, noIndex, noRobotsIndex];

  expect(pages.map(getFlags)).toEqual([
    ...['Top', 'Middle', 'End'].map((title) => [title, true, true, true]),
    ['Beside', undefined, undefined, undefined],
  ]);
  const [end] = pages.filter(({ title }) => title === 'End');
  expect(getFlags(await read(end?.id ?? ''))).toEqual(['End', true, true, true]);
});

describe('computed pages', () => {
  const computed = { type: 'integration:weather:forecast', props: { days: 7 }, dependencies: {} };
  const insert = { operation: 'insert_computed', title: 'Reference', computed };

  test('are in the tree with their source, whether or not computed pages are expanded', async () => {
    const [group = '', id = ''] = await space.change([
      { operation: 'insert_group', title: 'API', ref: 'api' },
      { ...insert, into: 'api' },
    ]);
    const page = { id, type: 'computed', title: 'Reference', computed };

    expect(await read(id)).toMatchObject(page);
    for (const query of ['', '?computed=false', '?computed=true']) {
      const { pages } = await space.callJson<{ pages: TreePage[] }>(`/content/pages${query}`);
      expect(pages).toMatchObject([{ id: group, pages: [page] }]);
    }
  });

  test('have no children, document or slug', async () => {
    const [id = ''] = await space.change([insert]);

    expect((await space.edit([insertPage('Below', { into: id })])).status).toBe(400);
    expect((await update(id, { document: { markdown: 'x' } })).status).toBe(400);
    expect((await update(id, { slug: 'x' })).status).toBe(400);
    expect((await update(id, { title: 'Other' })).status).toBe(200);
  });

  test.each(['openapi', 'builtin:other', 'integration:one', 'integration::x', ''])(
    'rejects a computed page of %j',
    async (type) => {
      const { status, body } = await space.edit([{ ...insert, computed: { type } }]);

      expect([status, body.error.issues?.[0]?.path]).toEqual([400, 'body.changes.0.computed.type']);
    },
  );
});

import type { SiteRedirect, SiteSpace } from '@octavo/schema';
import fc from 'fast-check';
import {
  flatten,
  getClient,
  insertPage,
  type SpaceClient,
  type TreePage,
  writePage,
} from '../../content/space-client.ts';
import { platform } from '../../support/platform.ts';
import { makeSite, type SiteClient } from '../sites/site-client.ts';

/**
 * The kind of a site that random edits change. `variants` has two variants. `tree` has one variant, without conditions
 * on pages, and most of its edits change the tree. Both also have a hidden variant, so that the site asks for a claim.
 */
export type EditedKind = 'variants' | 'tree';

interface EditedSite {
  kind: EditedKind;
  site: SiteClient;
  address: string;
  clients: SpaceClient[];
  siteSpaces: string[];
}

/** A random edit. The numbers select its objects and values. */
export interface RandomEdit {
  kind: number;
  variant: number;
  object: number;
  value: number;
}

export const randomEdit: fc.Arbitrary<RandomEdit> = fc.record({
  kind: fc.nat({ max: 999 }),
  variant: fc.nat({ max: 1 }),
  object: fc.nat({ max: 99 }),
  value: fc.nat({ max: 99 }),
});

export async function makeEditedSite(kind: EditedKind): Promise<EditedSite> {
  const organization = await platform().makeOrganization();
  const titles = kind === 'tree' ? ['Guide', 'Hidden'] : ['Guide', 'Deutsch', 'Hidden'];
  const spaces = await Promise.all(titles.map((title) => platform().makeSpace({ organization, title })));
  const clients = spaces.map((space) => getClient(platform(), space));
  for (const client of clients) {
    const pages = ['Start', 'Second', 'Third', 'Fourth'].map((title) => insertPage(title));
    const contents = ['One', 'Two'].map((title) => ({
      ...{ operation: 'insert_reusable_content', title, document: { markdown: `Shared ${title}.\n` } },
    }));
    await client.change([...pages, ...contents, insertFile('first.txt', 0)]);
  }
  const site = await makeSite(organization, { spaces: spaces.map(({ id }) => id), visibility: 'public' });
  const { items } = await site.callJson<{ items: SiteSpace[] }>('/site-spaces');
  const siteSpaces = spaces.map(({ id }) => items.find(({ space }) => space.id === id)?.id ?? '');
  await site.patch(`/site-spaces/${siteSpaces.pop()}`, { condition: 'visitor.claims.unsigned.asked == "never"' });
  const address = (await site.publish()).urls.published ?? '';
  return { kind, site, address, clients: clients.slice(0, -1), siteSpaces };
}

const toBase64 = (text: string) => Buffer.from(text).toString('base64');

const insertFile = (name: string, value: number) => ({
  operation: 'insert_files',
  files: [{ name, contentType: 'text/plain', base64: toBase64(`File ${value}.`) }],
});

/** The number of different names that inserted pages can have. */
const insertedNames = 6;

interface Target {
  edited: EditedSite;
  client: SpaceClient;
  siteSpace: string;
  pages: TreePage[];
  page: TreePage;
  other: TreePage;
  contents: { id: string }[];
  files: { id: string }[];
  value: number;
}

const pick = <Item>(items: readonly Item[], index: number): Item | undefined => items[index % items.length];

/**
 * Returns a text with a heading that later texts rename, and links to another page, a file, a reusable content, and a
 * page that may be inserted later.
 */
function createText({ other, contents, files, value }: Target): string {
  const parts = [
    `## Heading ${value % 3}\n\nWords ${value}.`,
    `[Other](/pages/${other.id}#heading-${value % 2})`,
    `[](/pages/${other.id})`,
    `{% include "/reusable-contents/${pick(contents, value)?.id}" %}`,
    `[File](/files/${pick(files, value)?.id})`,
    `[Later](inserted-${value % insertedNames}.md)`,
    `{% if visitor.claims.unsigned.plan == "pro" %}\n\nFor pros, ${value}.\n\n{% endif %}`,
    `<code class="expression">space.vars.number</code>`,
  ];
  return `${parts.filter((_, index) => index === 0 || (value >> (index - 1)) % 2 === 1).join('\n\n')}\n`;
}

const changePage = (create: (target: Target) => object) => (target: Target) =>
  target.client.change([{ operation: 'update_page', page: target.page.id, ...create(target) }]);

const rewrite = (target: Target) => target.client.change([writePage(target.page.id, createText(target))]);

async function merge(target: Target): Promise<void> {
  const { client, page } = target;
  const branch = await client.open();
  await client.change([writePage(page.id, createText(target))], branch);
  await client.merge(branch);
}

async function deletePage({ client, page, pages, value }: Target): Promise<void> {
  const { id: revision } = await client.head();
  if (pages.length > 2) await client.change([{ operation: 'delete_page', page: page.id }]);
  // Half of the deleted pages are restored.
  if (pages.length > 2 && value % 2 === 0) await client.edit([{ operation: 'revert_page', page: page.id, revision }]);
}

/** Replaces the customization of the site. Its links depend on pages, headings and files. */
function changeCustomization({ edited, client, page, files, value }: Target): Promise<unknown> {
  const inSpace = { space: client.space };
  const to = pick(
    [
      { kind: 'page', page: page.id, ...inSpace },
      { kind: 'anchor', page: page.id, anchor: `heading-${value % 3}`, ...inSpace },
      { kind: 'file', file: files[0]?.id ?? 'file_none', ...inSpace },
      { kind: 'url', url: 'https://else.example' },
    ],
    value,
  );
  const links = [{ title: `Link ${value}`, to, links: [] }];
  return edited.site.callJson('/customization', {
    method: 'PUT',
    body: { title: `Site ${value % 5}`, header: { links } },
  });
}

async function redirect({ edited: { site }, siteSpace, page, value }: Target): Promise<void> {
  const { items } = await site.callJson<{ items: SiteRedirect[] }>('/redirects');
  const source = `/old-${value % 4}`;
  const existing = items.find((each) => each.source === source);
  if (existing !== undefined) await site.send(`/redirects/${existing.id}`, { method: 'DELETE' });
  else {
    const destination = { kind: 'site-page', siteSpaceId: siteSpace, pageId: page.id };
    await site.callJson('/redirects', { method: 'POST', body: { source, destination } });
  }
}

/** The kinds of edits. Texts are edited most often, because cached pages survive edits of other texts. */
const kinds: Record<string, { weight: number; run: (target: Target) => Promise<unknown> }> = {
  text: { weight: 12, run: rewrite },
  merge: { weight: 2, run: merge },
  title: { weight: 1, run: changePage(({ value }) => ({ title: `Title ${value}` })) },
  slug: {
    weight: 1,
    // Siblings have different slugs.
    run: changePage(({ page, value }) => ({ slug: `slug-${page.id.replace(/\W|_/g, '').toLowerCase()}-${value}` })),
  },
  description: { weight: 1, run: changePage(({ value }) => ({ description: `Summary ${value}` })) },
  hidden: { weight: 1, run: changePage(({ value }) => ({ hidden: value % 2 === 1 })) },
  condition: {
    weight: 1,
    run: changePage(({ value }) => ({ condition: value % 2 === 0 ? '' : 'visitor.claims.unsigned.plan == "pro"' })),
  },
  move: {
    weight: 1,
    run: ({ client, page, other, value }) =>
      client.edit([{ operation: 'update_page', page: page.id, into: value % 2 === 0 ? null : other.id, at: 0 }]),
  },
  insert: { weight: 1, run: ({ client, value }) => client.change([insertPage(`Inserted ${value % insertedNames}`)]) },
  delete: { weight: 1, run: deletePage },
  content: {
    weight: 1,
    run: ({ client, contents, value }) => {
      const [reusableContent, document] = [pick(contents, value)?.id, { markdown: `Shared words ${value}.\n` }];
      return client.change([{ operation: 'update_reusable_content', reusableContent, document }]);
    },
  },
  file: {
    weight: 1,
    run: ({ client, files, value }) => {
      const file = pick(files, value)?.id;
      if (file === undefined || value % 3 === 0) return client.change([insertFile(`file-${value}.txt`, value)]);
      return client.change([
        value % 3 === 1 ? { operation: 'delete_file', file } : { operation: 'update_file', file, name: `${value}.txt` },
      ]);
    },
  },
  variables: {
    weight: 1,
    run: ({ client, value }) => client.change([{ operation: 'set_variables', variables: { number: value } }]),
  },
  customization: { weight: 1, run: changeCustomization },
  redirect: { weight: 1, run: redirect },
  variant: {
    weight: 1,
    run: ({ edited: { site }, siteSpace, value }) => site.patch(`/site-spaces/${siteSpace}`, { path: `v-${value}` }),
  },
  space: {
    weight: 1,
    run: ({ client, value }) => client.callJson('', { method: 'PATCH', body: { title: `Space ${value}` } }),
  },
};

/** The kinds of edits of a site whose pages have no conditions. Edits of the tree are the most frequent ones. */
const treeKinds = ['title', 'slug', 'description', 'hidden', 'move', 'insert', 'delete', 'customization', 'text'];
const weightedKinds: Record<EditedKind, string[]> = {
  variants: Object.entries(kinds).flatMap(([name, { weight }]) => Array<string>(weight).fill(name)),
  tree: [...treeKinds, ...treeKinds, ...Object.keys(kinds).filter((name) => !['condition', 'variant'].includes(name))],
};

interface Content {
  pages: TreePage[];
  reusableContents: { id: string }[];
  files: { id: string }[];
}

const getDocuments = ({ pages }: Pick<Content, 'pages'>): TreePage[] =>
  flatten(pages).filter(({ type }) => type === 'document');

/** Applies an edit. Returns its kind. */
export async function applyEdit(
  edited: EditedSite,
  { kind: drawnKind, variant, object, value }: RandomEdit,
): Promise<string> {
  const kind = pick(weightedKinds[edited.kind], drawnKind) ?? '';
  const [client, siteSpace] = [pick(edited.clients, variant), pick(edited.siteSpaces, variant)];
  if (client === undefined || siteSpace === undefined) throw new Error('The site has no such variant.');
  const content = await client.callJson<Content>('/content');
  const pages = getDocuments(content);
  const [page, other] = [pick(pages, object), pick(pages, object + 1 + value)];
  if (page === undefined || other === undefined) throw new Error('The space has no pages.');
  const { reusableContents: contents, files } = content;
  await kinds[kind]?.run({ edited, client, siteSpace, pages, page, other, contents, files, value });
  return kind;
}

/** Returns the addresses of all pages of the visible variants, and of redirects. */
export async function listAddresses({ site, address, clients }: EditedSite): Promise<string[]> {
  const { items } = await site.callJson<{ items: SiteSpace[] }>('/site-spaces');
  const variants = await Promise.all(
    clients.map(async (client) => {
      const base = items.find(({ space }) => space.id === client.space)?.urls.published ?? address;
      return getDocuments({ pages: await client.pages() }).map(({ path }) => `${base.replace(/\/$/, '')}/${path}`);
    }),
  );
  return [address, ...variants.flat(), `${address}old-1`];
}

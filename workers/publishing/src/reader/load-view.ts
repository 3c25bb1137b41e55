import {
  type AssetAddresses,
  type Linked,
  type PageView,
  type ResolveReference,
  type SectionTab,
  type ShownDocument,
  siteTitleOf,
} from '@octavo/reader';
import {
  defaultPageLayout,
  type PageMetaLinks,
  type PublishedContent,
  type PublishedSite,
  type Revision,
  type SiteSection,
  type SiteSpace,
} from '@octavo/schema';
import { alternatesOf } from './alternates.ts';
import { foreignTitles } from './foreign-titles.ts';
import { specificationsFor } from './kept-specifications.ts';
import { languageOf } from './language.ts';
import { loadSpecifications } from './load-specifications.ts';
import { PageTree } from './navigation.ts';
import { listingOf } from './parts/listing.ts';
import { viewOfList, viewOfPart } from './parts/view-of-parts.ts';
import { resolverOf } from './resolve-references.ts';
import type { SiteApi } from './site-api.ts';
import { siteSpacesOf } from './site-spaces.ts';

interface Loading {
  /** The address that was asked for. */
  url: URL;
  content: PublishedContent;
  api: SiteApi;
  assets: AssetAddresses;
}

export const documentQuery = 'evaluated=deterministic-only&dereferenced=reusable-contents';

/** The version of the space that is read: the live one, or what is previewed. */
function pathOf({ space, changeRequest, revision }: PublishedContent): string {
  if (changeRequest !== undefined) return `/v1/spaces/${space}/change-requests/${changeRequest}`;
  return revision === undefined ? `/v1/spaces/${space}` : `/v1/spaces/${space}/revisions/${revision}`;
}

/** What stands around every page of a space in a site, for the visitor of a resolution, and what it was made of. */
export interface SiteShell extends ShownSite {
  view: Omit<PageView, 'at' | 'breadcrumbs' | 'navigation' | 'previous' | 'next' | 'page'>;
  revision: Revision;
  tree: PageTree;
  /** What references lead to, with the titles of pages of other spaces. */
  resolverWith: (titles: ReadonlyMap<string, string>) => ResolveReference;
}

const queryOf = ({ shareKey }: PublishedContent): string =>
  shareKey === undefined ? '' : `?shareKey=${encodeURIComponent(shareKey)}`;

/** A site as a visitor is shown it, without the pages of its spaces. */
export interface ShownSite {
  published: PublishedSite;
  /** With a slash at the end. */
  siteUrl: string;
}

export async function loadSite({ content, api }: Pick<Loading, 'content' | 'api'>): Promise<ShownSite | undefined> {
  const path = `/v1/orgs/${content.organization}/sites/${content.site}/published${queryOf(content)}`;
  const published = await api.getShared<PublishedSite>(path);
  if (published === undefined) return undefined;
  return { published, siteUrl: `${(published.site.urls.published ?? content.canonicalUrl).replace(/\/$/, '')}/` };
}

const trees = new WeakMap<Revision, PageTree>();

/** What is drawn with a kept revision is read of it once; a space may stand at several places of a site. */
function treeOf(revision: Revision, base: string): PageTree {
  const known = trees.get(revision);
  if (known?.base === base) return known;
  const tree = new PageTree(revision, base);
  trees.set(revision, tree);
  return tree;
}

/** Undefined where the visitor is shown no such space. */
export async function loadShell(loading: Loading): Promise<SiteShell | undefined> {
  const { url, content, api, assets } = loading;
  const [shown, revision] = await Promise.all([
    loadSite(loading),
    api.getShared<Revision>(`${pathOf(content)}/content?metadata=true`),
  ]);
  if (shown === undefined || revision === undefined) return undefined;
  const { published, siteUrl } = shown;
  const base = content.basePath.slice(content.siteBasePath.length);
  const tree = treeOf(revision, base);
  const { site } = published;
  const look = published.customizations.siteSpaces[content.siteSpace] ?? published.customizations.site;
  const spaces = new Map(siteSpacesOf(published).map(({ space, title }) => [space.id, title]));
  const known = { space: content.space, tree, files: revision.files, siteUrl, spaces };
  const resolverWith = (titles: ReadonlyMap<string, string>) => resolverOf({ ...known, titles });
  const view = {
    site: {
      ...{ title: siteTitleOf(look, site.title), url: siteUrl, look },
      ...languageOf(look.internationalization.locale, revision.pages),
      isIndexed: site.visibility === 'public' && content.changeRequest === undefined && content.revision === undefined,
      isForAgents: site.agentsContext !== 'excluded',
    },
    assets,
    base,
    up: upFrom(url.pathname, content.siteBasePath),
    canonicalUrl: content.canonicalUrl,
    alternates: [],
    specifications: {},
    ...placesOf(published, content, siteUrl),
    resolve: resolverWith(new Map()),
  };
  return { view, published, siteUrl, revision, tree, resolverWith };
}

const depthOf = (path: string): number => path.split('/').length;

/** From an address in the site, as it was asked for, to the site's root: the same page may be asked for with a slash behind it. */
const upFrom = (pathname: string, root: string): string =>
  '../'.repeat(Math.max(0, depthOf(pathname) - depthOf(root))) || './';

/** The one address of the first page of a space, which may be read at its own as well. */
const homeOf = ({ site, base }: Pick<PageView, 'site' | 'base'>): string => `${site.url}${base}`;

/** A page of the site that nobody has written, such as that of a search. */
export function viewWithout({ view, tree }: SiteShell, at: string, title: string): PageView {
  const page = { id: '', title, layout: { ...defaultPageLayout, outline: false, pagination: false, metadata: false } };
  const document = { object: 'document' as const, data: {}, nodes: [] };
  return {
    ...view,
    ...{ at, breadcrumbs: [], navigation: tree.around(undefined) },
    page: { ...page, isIndexed: false, document },
  };
}

/** All that a page shows to the visitor of a resolution; undefined where there is no such page for this visitor. */
export async function loadView(loading: Loading): Promise<PageView | undefined> {
  const { content, api } = loading;
  const shell = await loadShell(loading);
  const name = decodeURIComponent(content.pathname.slice(1));
  const own = shell?.tree.at(name);
  const part = own === undefined ? shell?.tree.partAt(name) : undefined;
  const page = own ?? part?.page;
  if (shell === undefined || page === undefined) return undefined;
  const { view, published, revision, tree } = shell;
  const path = `/v1/spaces/${content.space}/revisions/${revision.id}/page/${page.id}`;
  const [document, links = { alternates: [] }] = await Promise.all([
    api.get<ShownDocument>(`${path}/document?${documentQuery}`),
    view.variants.length < 2 ? undefined : api.get<PageMetaLinks>(`${path}/meta-links`),
  ]);
  if (document === undefined) return undefined;
  const read = specificationsFor(content.organization, api);
  const [listing, titles] = await Promise.all([
    page.computed === undefined ? undefined : listingOf(document, read),
    foreignTitles(api, document),
  ]);
  if (part !== undefined && listing === undefined) return undefined;
  const specifications = listing === undefined ? await loadSpecifications(document, read) : {};
  const resolve = shell.resolverWith(titles);
  const [previous, next] = tree.neighboursOf(page);
  const at = `${view.base}${content.pathname.slice(1)}`;
  const canonicalUrl = page === tree.home ? homeOf(view) : content.canonicalUrl;
  const whole: PageView = {
    ...{ ...view, resolve, specifications, canonicalUrl },
    ...{ at, breadcrumbs: tree.breadcrumbsOf(page), navigation: tree.around(page), previous, next },
    alternates: alternatesOf({ published, content: { ...content, canonicalUrl }, links, language: view.site.language }),
    page: {
      ...{ id: page.id, title: page.title, description: page.description, emoji: page.emoji, icon: page.icon },
      ...{ cover: page.cover, layout: page.layout, updatedAt: page.updatedAt },
      ...{ document, isMade: page.computed !== undefined },
      isIndexed: page.noIndex !== true && page.noRobotsIndex !== true,
    },
  };
  if (listing === undefined) return whole;
  const listed = { view: whole, tree, page, listing };
  return part === undefined ? viewOfList(listed) : viewOfPart(listed, part.slug);
}

/** The tabs of the site's sections, and what stands beside the site space that is read. */
function placesOf(
  { structure }: PublishedSite,
  { siteSection, siteSpace }: PublishedContent,
  siteUrl: string,
): Pick<PageView, 'sections' | 'variants'> {
  const place = (urls: { published?: string | undefined }) => (urls.published ?? siteUrl).slice(siteUrl.length);
  const variant = ({ id, title, urls }: SiteSpace): Linked => ({ title, to: place(urls), isCurrent: id === siteSpace });
  if (structure.type === 'siteSpaces') return { sections: [], variants: structure.structure.map(variant) };
  const tab = ({ id, title, icon, urls }: SiteSection): SectionTab => ({
    ...{ title, icon, to: place(urls), isCurrent: id === siteSection, children: [] },
  });
  const all = structure.structure.flatMap((each) =>
    each.object === 'site-section' ? [each] : each.object === 'site-section-group' ? each.sections : [],
  );
  const sections = structure.structure.map((each): SectionTab => {
    if (each.object === 'site-section') return tab(each);
    const { title, icon } = each;
    if (each.object === 'site-external-link') return { title, icon, to: each.url, children: [] };
    const children = each.children.map((child) =>
      child.object === 'site-section' ? tab(child) : { title: child.title, to: child.url, children: [] },
    );
    return { title, icon, children };
  });
  return { sections, variants: (all.find(({ id }) => id === siteSection)?.siteSpaces ?? []).map(variant) };
}

import type { PageView, ResolveReference, SectionTab, ShownDocument, SiteView, TitledLink } from '@octavo/reader';
import { getSiteTitle } from '@octavo/reader';
import type {
  DocumentPage,
  Page,
  PageMetaLinks,
  PublishedContent,
  PublishedSite,
  Revision,
  SiteSection,
  SiteSpace,
} from '@octavo/schema';
import { defaultPageLayout, getGitRepositoryUrls } from '@octavo/schema';
import { getSiteSpaces, getTree, type PageTree, toContentPath } from './navigation.ts';
import { createPreviewView, isPreview, readPreviewChanges } from './preview.ts';
import { createAssetUrls } from './reader-files.ts';
import { createResolver, readForeignTitles } from './references.ts';
import type { SiteVisit } from './site-visit.ts';
import {
  createInlineView,
  createListView,
  createPartView,
  createSpecificationReader,
  getListing,
  loadSpecifications,
} from './specifications.ts';

type LoadContext = Pick<SiteVisit, 'url' | 'content' | 'api' | 'env' | 'background'>;

export const documentQuery = 'evaluated=deterministic-only&dereferenced=reusable-contents';

/** Returns the API path of the space's live content, or of the previewed version. */
function getApiPath({ space, changeRequest, revision }: PublishedContent): string {
  if (changeRequest !== undefined) return `/v1/spaces/${space}/change-requests/${changeRequest}`;
  return revision === undefined ? `/v1/spaces/${space}` : `/v1/spaces/${space}/revisions/${revision}`;
}

/** The layout around the pages of a space, as one visitor sees it, with its sources. */
export interface SiteShell extends ShownSite {
  view: Omit<PageView, 'address' | 'breadcrumbs' | 'navigation' | 'previous' | 'next' | 'page'>;
  revision: Revision;
  tree: PageTree;
  /** Creates a function that resolves references. `titles` are those of pages of other spaces. */
  createResolver: (titles: ReadonlyMap<string, string>) => ResolveReference;
}

const toShareKeyQuery = ({ shareKey }: PublishedContent): string =>
  shareKey === undefined ? '' : `?shareKey=${encodeURIComponent(shareKey)}`;

/** A site as a visitor sees it, without the pages of its spaces. */
export interface ShownSite {
  published: PublishedSite;
  /** With a trailing slash. */
  siteUrl: string;
}

export async function loadSite({ content, api }: Pick<LoadContext, 'content' | 'api'>): Promise<ShownSite | undefined> {
  const path = `/v1/orgs/${content.organization}/sites/${content.site}/published${toShareKeyQuery(content)}`;
  const published = await api.getCached<PublishedSite>(path);
  if (published === undefined) return undefined;
  return { published, siteUrl: `${(published.site.urls.published ?? content.canonicalUrl).replace(/\/$/, '')}/` };
}

/** Returns undefined if the visitor cannot see the space. */
export async function loadShell(loading: LoadContext): Promise<SiteShell | undefined> {
  const { url, content, api, env } = loading;
  const apiPath = getApiPath(content);
  const [assets, shown, revision] = await Promise.all([
    createAssetUrls(env),
    loadSite(loading),
    api.getCached<Revision>(content.revision === undefined ? toContentPath(apiPath) : `${apiPath}?metadata=true`),
  ]);
  if (shown === undefined || revision === undefined) return undefined;
  const { published, siteUrl } = shown;
  const base = content.basePath.slice(content.siteBasePath.length);
  const tree = await getTree(revision, base);
  const changes = isPreview(content)
    ? await readPreviewChanges({ ...loading, apiPath, revision: revision.id })
    : undefined;
  const { site } = published;
  const customization = published.customizations.siteSpaces[content.siteSpace] ?? published.customizations.site;
  const spaces = new Map(getSiteSpaces(published).map(({ space, title }) => [space.id, title]));
  const resolverInput = { space: content.space, tree, files: revision.files, siteUrl, spaces };
  const createTitleResolver = (titles: ReadonlyMap<string, string>) => createResolver({ ...resolverInput, titles });
  const view = {
    site: {
      ...{ title: getSiteTitle(customization, site.title), url: siteUrl, customization },
      ...detectLanguage(customization.internationalization.locale, revision.pages),
      isIndexed: site.visibility === 'public' && !isPreview(content),
      isForAgents: site.agentsContext !== 'excluded',
      isRatable: customization.feedback.enabled && !content.isOfPass,
    },
    assets,
    base,
    relativeRoot: getRelativeRoot(url.pathname, content.siteBasePath),
    canonicalUrl: content.canonicalUrl,
    alternates: [],
    preview: changes && createPreviewView({ content, tree, changes }),
    specifications: {},
    ...getSectionsAndVariants(published, content, siteUrl),
    resolve: createTitleResolver(new Map()),
  };
  return { view, published, siteUrl, revision, tree, createResolver: createTitleResolver };
}

const getDepth = (path: string): number => path.split('/').length;

/**
 * Returns the relative path from the requested URL to the site's root, which depends on whether the URL ends with a
 * slash.
 */
const getRelativeRoot = (pathname: string, root: string): string =>
  '../'.repeat(Math.max(0, getDepth(pathname) - getDepth(root))) || './';

/** Returns the canonical URL of the space's home page, which is also served at the page's path. */
const getHomeUrl = ({ site, base }: Pick<PageView, 'site' | 'base'>): string => `${site.url}${base}`;

/** Creates a page without content, for example for the search page. */
export function createEmptyView({ view, tree }: SiteShell, address: string, title: string): PageView {
  const page = { id: '', title, layout: { ...defaultPageLayout, outline: false, pagination: false, metadata: false } };
  const document = { object: 'document' as const, data: {}, nodes: [] };
  return {
    ...view,
    ...{ address, breadcrumbs: [], navigation: tree.getNavigation(undefined) },
    page: { ...page, isIndexed: false, document },
  };
}

/** Loads a page as the visitor sees it; undefined if it does not exist or is hidden. */
export async function loadView(loading: LoadContext): Promise<PageView | undefined> {
  const { content, api, env, background } = loading;
  const shell = await loadShell(loading);
  const name = decodeURIComponent(content.pathname.slice(1));
  const currentPage = shell?.tree.findPage(name);
  const part = currentPage === undefined ? shell?.tree.findPart(name) : undefined;
  const page = currentPage ?? part?.page;
  if (shell === undefined || page === undefined) return undefined;
  const { view, published, revision, tree } = shell;
  const path = `/v1/spaces/${content.space}/revisions/${revision.id}/page/${page.id}`;
  const [document, links = { alternates: [] }] = await Promise.all([
    api.get<ShownDocument>(`${path}/document?${documentQuery}`),
    view.variants.length < 2 ? undefined : api.get<PageMetaLinks>(`${path}/meta-links`),
  ]);
  if (document === undefined) return undefined;
  const readSpecification = createSpecificationReader(content.organization, api, {
    ...{ site: content.site, space: content.space, revision: revision.id, files: revision.files, env, background },
  });
  const [listing, titles] = await Promise.all([
    page.computed === undefined ? undefined : getListing(document, readSpecification),
    readForeignTitles(api, document),
  ]);
  if (part !== undefined && listing === undefined) return undefined;
  const specifications = listing === undefined ? await loadSpecifications(document, readSpecification) : {};
  const resolve = shell.createResolver(titles);
  const [previous, next] = tree.getNeighbors(page);
  const address = `${view.base}${content.pathname.slice(1)}`;
  const canonicalUrl = page === tree.home ? getHomeUrl(view) : content.canonicalUrl;
  const fullView: PageView = {
    ...{ ...view, resolve, specifications, canonicalUrl },
    ...{ address, breadcrumbs: getBreadcrumbs(shell, page), navigation: tree.getNavigation(page), previous, next },
    alternates: getAlternates({
      published,
      content: { ...content, canonicalUrl },
      links,
      language: view.site.language,
    }),
    page: {
      ...{ id: page.id, title: page.title, description: page.description, emoji: page.emoji, icon: page.icon },
      ...{ cover: page.cover, layout: page.layout, updatedAt: page.updatedAt },
      ...{ document, isGenerated: page.computed !== undefined },
      source: page.git && { path: page.git.path, editUrl: getRepositoryEditUrl(published, content) },
      isIndexed: page.noIndex !== true && page.noRobotsIndex !== true,
    },
  };
  if (listing === undefined)
    return page.computed === undefined ? fullView : createInlineView({ view: fullView, tree, page });
  const listedPage = { view: fullView, tree, page, listing };
  return part === undefined ? createListView(listedPage) : createPartView(listedPage, part.slug);
}

const findSiteSpace = (published: PublishedSite, { siteSpace }: PublishedContent): SiteSpace | undefined =>
  getSiteSpaces(published).find(({ id }) => id === siteSpace);

/** Returns the URL at which files of the space are edited, if it is synced with a repository of a known host. */
function getRepositoryEditUrl(published: PublishedSite, content: PublishedContent): string | undefined {
  const gitSync = findSiteSpace(published, content)?.space.gitSync;
  return gitSync && getGitRepositoryUrls(gitSync).edit;
}

/** Returns links to the current section, if the site has several, and to the ancestors of a page. */
function getBreadcrumbs({ view, tree }: SiteShell, page: DocumentPage): TitledLink[] {
  const sections = view.sections.flatMap((tab) => [tab, ...tab.children]);
  const current = sections.find(({ isCurrent }) => isCurrent);
  const section = sections.length < 2 || current?.to === undefined ? [] : [{ title: current.title, to: current.to }];
  return [...section, ...tree.getBreadcrumbs(page)];
}

/** Returns the tabs of the site's sections, and the variants of the current one. */
function getSectionsAndVariants(
  { structure }: PublishedSite,
  { siteSection, siteSpace }: PublishedContent,
  siteUrl: string,
): Pick<PageView, 'sections' | 'variants'> {
  const toSitePath = (urls: { published?: string | undefined }) => (urls.published ?? siteUrl).slice(siteUrl.length);
  const toVariant = ({ id, title, urls }: SiteSpace): TitledLink => ({
    title,
    to: toSitePath(urls),
    isCurrent: id === siteSpace,
  });
  if (structure.type === 'siteSpaces') return { sections: [], variants: structure.structure.map(toVariant) };
  const toTab = ({ id, title, icon, urls }: SiteSection): SectionTab => ({
    ...{ title, icon, to: toSitePath(urls), isCurrent: id === siteSection, children: [] },
  });
  const all = structure.structure.flatMap((each) =>
    each.object === 'site-section' ? [each] : each.object === 'site-section-group' ? each.sections : [],
  );
  const sections = structure.structure.map((each): SectionTab => {
    if (each.object === 'site-section') return toTab(each);
    const { title, icon } = each;
    if (each.object === 'site-external-link') return { title, icon, to: each.url, children: [] };
    const children = each.children.map((child) =>
      child.object === 'site-section' ? toTab(child) : { title: child.title, to: child.url, children: [] },
    );
    return { title, icon, children };
  });
  return { sections, variants: (all.find(({ id }) => id === siteSection)?.siteSpaces ?? []).map(toVariant) };
}

/** Returns the interface language of a site space. */
const getLocale = ({ customizations }: PublishedSite, siteSpace: string): string =>
  (customizations.siteSpaces[siteSpace] ?? customizations.site).internationalization.locale;

interface AlternatesInput {
  published: PublishedSite;
  content: PublishedContent;
  links: PageMetaLinks;
  /** The language of the page itself. */
  language: string;
}

/**
 * Returns the URLs of the page in all languages of the site, and `x-default` for the default site space. Variants in
 * the same language are not alternates. Empty if there is only one language.
 */
function getAlternates({ published, content, links, language }: AlternatesInput): PageView['alternates'] {
  const spaces = getSiteSpaces(published);
  const own = findSiteSpace(published, content);
  if (own === undefined) return [];
  const isInSameSection = ({ section, id }: SiteSpace) => section === own.section && id !== own.id;
  const others = links.alternates.flatMap((link) => {
    const linkedSpace =
      link.kind === 'page' ? spaces.find((each) => each.space.id === link.space && isInSameSection(each)) : undefined;
    return link.kind !== 'page' || linkedSpace === undefined || link.href === undefined
      ? []
      : [{ of: linkedSpace, to: link.href }];
  });
  const byLanguage = new Map([[language, { of: own, to: content.canonicalUrl }]]);
  for (const each of others) {
    const locale = getLocale(published, each.of.id);
    if (!byLanguage.has(locale)) byLanguage.set(locale, each);
  }
  if (byLanguage.size < 2) return [];
  const all = [...byLanguage].map(([name, { to }]) => ({ language: name, to }));
  const usual = [...byLanguage.values()].find(({ of }) => of.default === true);
  return usual === undefined ? all : [...all, { language: 'x-default', to: usual.to }];
}

/** Number of titles from which the script of a space is detected. */
const maxTitles = 200;

/** Letters that identify right-to-left languages, the most specific first. */
const rightToLeft: [language: string, letters: RegExp][] = [
  ['he', /\p{Script=Hebrew}/u],
  ['ur', /[\u0679\u0688\u0691\u06ba\u06d2]/u],
  ['fa', /[\u067e\u0686\u0698\u06af\u06cc]/u],
  ['ar', /\p{Script=Arabic}/u],
];

function* getTitles(pages: Page[]): Generator<string> {
  for (const page of pages) {
    yield page.title;
    if ('pages' in page) yield* getTitles(page.pages);
  }
}

/**
 * Detects the language and direction of a space. All interface languages are left-to-right, so a right-to-left language
 * is detected from the titles, if most of their letters belong to one.
 */
function detectLanguage(locale: string, pages: Page[]): Pick<SiteView, 'language' | 'direction'> {
  const text = [...getTitles(pages).take(maxTitles)].join(' ');
  if (!/[\u0590-\u08ff\ufb1d-\ufefc]/.test(text)) return { language: locale, direction: 'ltr' };
  const all = text.match(/\p{L}/gu)?.length ?? 0;
  const rightToLeftCount = text.match(/[\p{Script=Hebrew}\p{Script=Arabic}]/gu)?.length ?? 0;
  if (rightToLeftCount * 2 <= all) return { language: locale, direction: 'ltr' };
  const [language] = rightToLeft.find(([, letters]) => letters.test(text)) ?? [locale];
  return { language, direction: 'rtl' };
}

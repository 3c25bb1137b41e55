import type {
  PageView,
  RenderedDocument,
  ResolveReference,
  SectionTab,
  ShownDocument,
  SiteView,
  TitledLink,
} from '@octavo/reader';
import { findReferences, getSiteTitle } from '@octavo/reader';
import { hasHostPerOrganization } from '@octavo/runtime';
import type {
  DocumentPage,
  Page,
  PageMetaLinks,
  PublishedContent,
  PublishedSite,
  SiteSection,
  SiteSpace,
  VersionedRevision,
} from '@octavo/schema';
import { defaultPageLayout, getGitRepositoryUrls } from '@octavo/schema';
import type { PageTree } from './navigation.ts';
import { createResolver, getSiteSpaces, getTree, readForeignTitles, toContentPath } from './navigation.ts';
import { createPreviewView, isPreview, readPreviewChanges } from './preview.ts';
import { readAssetUrls } from './reader-files.ts';
import type { DocumentCache } from './rendered-documents.ts';
import type { SiteVisit } from './site-visit.ts';
import {
  createInlineView,
  createListing,
  createListView,
  createPartView,
  createSpecificationReader,
  loadSpecifications,
} from './specifications.ts';

type LoadContext = Pick<SiteVisit, 'url' | 'content' | 'api' | 'loaded' | 'usedPages' | 'env' | 'background'>;

export const documentQuery = 'evaluated=deterministic-only&dereferenced=reusable-contents';

/** Returns the API path of the space's live content, or of the previewed version. */
function getApiPath({ space, changeRequest, revision }: PublishedContent): string {
  if (changeRequest !== undefined) return `/v1/spaces/${space}/change-requests/${changeRequest}`;
  return revision === undefined ? `/v1/spaces/${space}` : `/v1/spaces/${space}/revisions/${revision}`;
}

/** The layout around the pages of a space, as one visitor sees it, with its revision and page tree. */
export interface SiteShell extends ShownSite {
  view: Omit<PageView, 'address' | 'breadcrumbs' | 'navigation' | 'previous' | 'next' | 'page'>;
  revision: VersionedRevision;
  tree: PageTree;
  /** Creates a function that resolves references. `titles` are those of pages of other spaces. */
  createResolver: (titles: ReadonlyMap<string, string>) => ResolveReference;
}

const toShareKeyQuery = ({ shareKey }: Pick<PublishedContent, 'shareKey'>): string =>
  shareKey === undefined ? '' : `?shareKey=${encodeURIComponent(shareKey)}`;

/** A site as a visitor sees it, without the pages of its spaces. */
export interface ShownSite {
  published: PublishedSite;
  /** With a trailing slash. */
  siteUrl: string;
}

/** Returns the API path of the site as visitors see it. */
export const toSitePath = (content: Pick<PublishedContent, 'organization' | 'site' | 'shareKey'>): string =>
  `/v1/orgs/${content.organization}/sites/${content.site}/published${toShareKeyQuery(content)}`;

export async function loadSite({
  content,
  api,
  loaded,
}: Pick<LoadContext, 'content' | 'api' | 'loaded'>): Promise<ShownSite | undefined> {
  const published = (await loaded.readSite?.()) ?? (await api.getCached<PublishedSite>(toSitePath(content)));
  if (published === undefined) return undefined;
  return { published, siteUrl: `${(published.site.urls.published ?? content.canonicalUrl).replace(/\/$/, '')}/` };
}

/** Returns undefined if the visitor cannot see the space. */
export async function loadShell(loading: LoadContext): Promise<SiteShell | undefined> {
  const { url, content, api, loaded, env } = loading;
  const apiPath = getApiPath(content);
  const [assetUrls, shown, revision] = await Promise.all([
    readAssetUrls(env),
    loadSite(loading),
    loaded.revision ??
      api.getCached<VersionedRevision>(
        content.revision === undefined ? toContentPath(apiPath) : `${apiPath}?metadata=true`,
      ),
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
  const { usedPages } = loading;
  const resolverInput = { space: content.space, tree, files: revision.files, siteUrl, spaces, usedPages };
  const createTitleResolver = (titles: ReadonlyMap<string, string>) => createResolver({ ...resolverInput, titles });
  const view = {
    site: {
      ...{ title: getSiteTitle(customization, site.title), url: siteUrl, customization },
      ...detectLanguage(customization.internationalization.locale, revision.pages),
      isIndexed: site.visibility === 'public' && !isPreview(content),
      isForAgents: site.agentsContext !== 'excluded',
      isRatable: customization.feedback.enabled && !content.isPreviewPass,
    },
    assets:
      site.proxy === undefined && (site.hostname === url.hostname || hasHostPerOrganization(env))
        ? assetUrls.ofHost
        : assetUrls.ofSite,
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

const noDocument: ShownDocument = { object: 'document', data: {}, nodes: [] };

/** Creates a page without content, for example for the search page. */
export function createEmptyView({ view, tree }: SiteShell, address: string, title: string): PageView {
  const page = { id: '', title, layout: { ...defaultPageLayout, outline: false, pagination: false, metadata: false } };
  return {
    ...view,
    ...{ address, breadcrumbs: [], navigation: tree.getNavigation(undefined) },
    page: { ...page, isIndexed: false, document: noDocument },
  };
}

/** A page as a visitor sees it. */
export interface LoadedView {
  view: PageView;
  /** The cached rendered document, if nothing that it depends on has changed. Then `view` may contain no document. */
  rendered?: RenderedDocument | undefined;
  /** Undefined if the rendered document depends on more than these versions and on the targets of its references. */
  textVersions?: VersionedRevision['textVersions'];
}

/** Loads a page with its document; undefined if it does not exist or is hidden. */
export const loadView = async (loading: LoadContext): Promise<PageView | undefined> => (await loadPage(loading))?.view;

/** Loads a page as the visitor sees it; undefined if it does not exist or is hidden. */
export async function loadPage(loading: LoadContext, documents?: DocumentCache): Promise<LoadedView | undefined> {
  const { content, api, env, background } = loading;
  const shell = await loadShell(loading);
  const name = decodeURIComponent(content.pathname.slice(1));
  const currentPage = shell?.tree.findPage(name);
  const part = currentPage === undefined ? shell?.tree.findPart(name) : undefined;
  const page = currentPage ?? part?.page;
  if (shell === undefined || page === undefined) return undefined;
  const { view, published, revision, tree } = shell;
  const { textVersions } = revision;
  const rendered = page.computed === undefined ? documents?.find(page.id, { view, textVersions }) : undefined;
  const [document, links = { alternates: [] }] =
    rendered === undefined || view.variants.length > 1 ? await loadDocument(loading, shell, page) : [noDocument];
  if (document === undefined) return undefined;
  const { page: readPage } = loading.loaded;
  const isTraceable = readPage?.id === page.id && readPage.isTraceable;
  const readSpecification = createSpecificationReader(content.organization, api, {
    ...{ site: content.site, space: content.space, revision: revision.id, files: revision.files, env, background },
  });
  const [listing, titles] = await Promise.all([
    page.computed === undefined ? undefined : createListing(document, readSpecification),
    // A traceable document has no references to other spaces.
    isTraceable ? new Map<string, string>() : readForeignTitles(api, document),
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
    page: { ...createContent(page, document), source: findSource(page, published, content) },
  };
  const versions = isTraceable && !hasReferences(document) ? { textVersions } : {};
  if (page.computed === undefined) return { view: fullView, rendered, ...versions };
  if (listing === undefined) return { view: createInlineView({ view: fullView, tree, page }) };
  const listedPage = { view: fullView, tree, page, listing };
  const listedView = await (part === undefined ? createListView(listedPage) : createPartView(listedPage, part.slug));
  return listedView && { view: listedView };
}

/** Whether a document shows parts of specifications. */
const hasReferences = ({ nodes }: ShownDocument): boolean => findReferences(nodes).length > 0;

const createContent = (page: DocumentPage, document: ShownDocument): PageView['page'] => ({
  ...{ id: page.id, title: page.title, description: page.description, emoji: page.emoji, icon: page.icon },
  ...{ cover: page.cover, layout: page.layout, updatedAt: page.updatedAt },
  ...{ document, isGenerated: page.computed !== undefined },
  isIndexed: page.noIndex !== true && page.noRobotsIndex !== true,
});

const findSource = (
  { git }: DocumentPage,
  published: PublishedSite,
  content: PublishedContent,
): PageView['page']['source'] => git && { path: git.path, editUrl: getRepositoryEditUrl(published, content) };

/** Returns the document and the alternates of a page, unless they were read with the address. */
async function loadDocument(
  { content, api, loaded }: LoadContext,
  { view, revision }: SiteShell,
  { id }: DocumentPage,
): Promise<[ShownDocument | undefined, Pick<PageMetaLinks, 'alternates'> | undefined]> {
  loaded.page ??= await loaded.readPage?.();
  // Another page was read if the first page of the space is hidden.
  const page = loaded.page?.id === id ? loaded.page : undefined;
  const path = `/v1/spaces/${content.space}/revisions/${revision.id}/page/${id}`;
  return Promise.all([
    page?.document ?? api.get<ShownDocument>(`${path}/document?${documentQuery}`),
    view.variants.length < 2 ? undefined : (page ?? api.get<PageMetaLinks>(`${path}/meta-links`)),
  ]);
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

/** Number of titles that are used to detect the script of a space. */
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
  if (!rightToLeftLanguages.has(pages)) rightToLeftLanguages.set(pages, detectRightToLeft(pages));
  const language = rightToLeftLanguages.get(pages);
  return language === undefined ? { language: locale, direction: 'ltr' } : { language, direction: 'rtl' };
}

/** The detected right-to-left languages of cached page trees. */
const rightToLeftLanguages = new WeakMap<Page[], string | undefined>();

function detectRightToLeft(pages: Page[]): string | undefined {
  const text = [...getTitles(pages).take(maxTitles)].join(' ');
  if (!/[\u0590-\u08ff\ufb1d-\ufefc]/.test(text)) return undefined;
  const all = text.match(/\p{L}/gu)?.length ?? 0;
  const rightToLeftCount = text.match(/[\p{Script=Hebrew}\p{Script=Arabic}]/gu)?.length ?? 0;
  return rightToLeftCount * 2 <= all ? undefined : rightToLeft.find(([, letters]) => letters.test(text))?.[0];
}

import { mayRunCode, removeAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { getRecordedLink } from '@octavo/merge';
import { hashLinks } from '@octavo/outline';
import type { Steps, Urls } from '@octavo/runtime';
import { runInSlices } from '@octavo/runtime';
import type {
  ComputedPage,
  DocumentPage,
  GitSource,
  GroupPage,
  LinkPage,
  Page,
  PageContentQuery,
  ReusableContent,
  TextGitMetadata,
} from '@octavo/schema';
import { defaultPageLayout, formatTimestamp } from '@octavo/schema';
import { getSourceId } from '../computed/sources.ts';
import { isId } from '../links/targets.ts';
import type { ForeignLocations } from '../sites/foreign-locations.ts';
import { toForeignTarget } from '../sites/foreign-locations.ts';
import type { PageFields } from '../store/nodes.ts';
import { getPageFields } from '../store/nodes.ts';
import type { FoundPage } from './find-content.ts';
import { readReferences } from './find-content.ts';
import type { PointReading, TextForm } from './page-text.ts';
import { getLinkedNode, renderTextAsMarkdown, toPublishedText } from './page-text.ts';
import type { ShownPages } from './visibility.ts';

/** Presents a page with its text and the pages below it. */
export async function presentFoundPage(
  foundPage: FoundPage,
  query: PageContentQuery,
  reading: PointReading,
): Promise<Page> {
  const { page, ancestors, descendants, shownPages } = foundPage;
  const form = toTextForm(query);
  const { references, text } = await readReferences(foundPage, reading, {
    pages: [page, ...descendants],
    form: query.format === 'document' ? 'typed' : form.references,
    isDereferenced: form.dereferenced || shownPages !== undefined,
  });
  const inherited = ancestors.reduceRight<InheritedState>(
    (outer, node) => inheritState(outer, getPageFields(node), node.slug),
    rootState,
  );
  const { urls, space } = reading;
  const to = {
    urls,
    base: `/spaces/${space}`,
    metadata: query.metadata,
    shownPages,
    foreignLocations: references.foreignLocations,
  };
  const depth = query.depth === undefined ? undefined : query.depth - 1;
  const inside = { parent: page.id, inherited: inheritState(inherited, getPageFields(page), page.slug), depth };
  const children = await presentTree(
    descendants.map((node) => getLinkedNode(node, references)),
    inside,
    to,
  );
  const presented = presentPage(getLinkedNode(page, references), inherited, { children, to });
  if (presented.type !== 'document') return presented;
  const isMember = query.metadata && shownPages === undefined;
  const hasLinks = isMember && page.links !== undefined;
  const presentedPage = {
    ...presented,
    ...(isMember ? presentWholeGit(page) : {}),
    ...(hasLinks ? { links: page.links } : {}),
  };
  if (query.format === 'document') {
    const document = await toPublishedText(text, form, { reading: references, isKept: true });
    return { ...presentedPage, document } satisfies DocumentPage;
  }
  return { ...presentedPage, markdown: await renderTextAsMarkdown(text, form, references) } satisfies DocumentPage;
}

/**
 * Returns the form in which a text is rendered. Evaluating a text also replaces its includes with the included
 * contents.
 */
function toTextForm({ evaluated, dereferenced, format, 'format.markdown.refs': refs }: PageContentQuery): TextForm {
  const isStable = format === 'markdown' && refs === 'stable';
  return { evaluated, dereferenced: dereferenced || evaluated, references: isStable ? 'stable' : 'written' };
}

/** The page at which a tree starts, and the number of levels to return (all if `depth` is absent). */
interface TreeStart {
  parent: string;
  inherited: InheritedState;
  depth?: number | undefined;
}

/**
 * Presents the pages below `parent`, in order, each with its descendants. Runs in slices, and takes time in proportion
 * to the number of pages. In the tree of a whole space, pages without a path to the root come last: an update removed
 * their parent, or made a cycle.
 */
export const presentTree = (nodes: Node[], at: TreeStart, to: Presentation): Promise<Page[]> =>
  runInSlices(presentPages(nodes, at, to));

function* presentPages(nodes: Node[], at: TreeStart, to: Presentation): Steps<Page[]> {
  const children = Map.groupBy(nodes, (node) => node.parent);
  const presentedNodes = new Set<Node>();
  function* present(
    siblings: Node[],
    above: InheritedState,
    depth = at.depth ?? Number.POSITIVE_INFINITY,
  ): Steps<Page[]> {
    const presentedPages: Page[] = [];
    for (const node of siblings.sort(comparePosition)) {
      if (presentedNodes.has(node) || to.shownPages?.isShown(node) === false) continue;
      yield;
      presentedNodes.add(node);
      const inside = inheritState(above, getPageFields(node), node.slug);
      const pages = yield* present(children.get(node.id) ?? [], inside, depth - 1);
      if (depth >= 0) presentedPages.push(presentPage(node, above, { children: pages, to }));
    }
    return presentedPages;
  }
  const pages = yield* present(children.get(at.parent) ?? [], at.inherited);
  if (at.parent !== '' || presentedNodes.size === nodes.length || to.shownPages !== undefined) return pages;
  const ids = new Set(nodes.map((node) => node.id));
  const unplacedNodes = nodes.filter((node) => !presentedNodes.has(node));
  const orphans = unplacedNodes.filter((node) => !ids.has(node.parent));
  return [...pages, ...(yield* present(orphans, at.inherited)), ...(yield* present(unplacedNodes, at.inherited))];
}

const comparePosition = (one: Node, other: Node): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;

/** The state that a page inherits from its ancestors: its path and the flags that apply to all descendants. */
export interface InheritedState {
  path: string[];
  hidden: boolean;
  noIndex: boolean;
  noRobotsIndex: boolean;
}

export const rootState: InheritedState = { path: [], hidden: false, noIndex: false, noRobotsIndex: false };

export interface Presentation {
  urls: Urls;
  /** The API path of the space. */
  base: string;
  /** Whether to include git metadata. */
  metadata: boolean;
  /** The visible pages of a visitor. Only these pages are listed, without their conditions. Undefined for members. */
  shownPages?: ShownPages | undefined;
  /** The pages of other spaces that a visitor may see; undefined if nothing refers to them. */
  foreignLocations?: ForeignLocations | undefined;
  /** Whether a visitor sees the source files of pages. */
  hasEditLinks?: boolean;
}

/** Returns the state that the children of a page inherit. */
export function inheritState(inherited: InheritedState, fields: PageFields, slug: string): InheritedState {
  return {
    path: [...inherited.path, slug],
    hidden: inherited.hidden || fields.hidden === true,
    noIndex: inherited.noIndex || fields.noIndex === true,
    noRobotsIndex: inherited.noRobotsIndex || fields.noRobotsIndex === true,
  };
}

/** Presents a page with its already presented children. */
export function presentPage(
  node: Node,
  inherited: InheritedState,
  { children, to }: { children: Page[]; to: Presentation },
): Page {
  const fields = getPageFields(node);
  const isMember = to.shownPages === undefined;
  const common = {
    id: node.id,
    title: fields.title,
    ...pickFields(fields, isMember ? ['emoji', 'icon', 'condition', 'importedFrom'] : ['emoji', 'icon']),
    createdAt: formatTimestamp(node.createdAt),
    updatedAt: formatTimestamp(node.updatedAt),
  };
  if (fields.type === 'link')
    return { ...common, ...presentLink(fields, inherited, to), type: 'link', kind: 'link' } satisfies LinkPage;
  if (fields.type === 'computed') {
    const computed = fields.computed ?? { type: 'builtin:openapi' };
    const hidden = inherited.hidden || fields.hidden === true;
    return { ...common, computed, ...(hidden ? { hidden } : {}), type: 'computed' } satisfies ComputedPage;
  }
  const here = inheritState(inherited, fields, node.slug);
  const commonFields = {
    ...common,
    slug: node.slug,
    path: here.path.join('/'),
    ...pickFields({ hidden: here.hidden, noIndex: here.noIndex, noRobotsIndex: here.noRobotsIndex }, [
      'hidden',
      'noIndex',
      'noRobotsIndex',
    ]),
    pages: children as DocumentPage['pages'],
  };
  if (fields.type === 'group') return { ...commonFields, type: 'group', kind: 'group' } satisfies GroupPage;
  return {
    ...commonFields,
    type: 'document',
    kind: 'sheet',
    urls: { app: to.urls.app(`${to.base}/content/page/${node.id}`) },
    ...pickFields(
      { ...fields, cover: presentCover(node, fields) },
      isMember ? ['description', 'cover', 'variables'] : ['description', 'cover'],
    ),
    ...(node.document === null || !isMember ? {} : { documentId: node.document }),
    ...(fields.computed === undefined ? {} : { computed: fields.computed, computedSeed: getSourceId(node.id) }),
    ...((to.metadata && isMember) || to.hasEditLinks === true ? presentGit(node) : {}),
    layout: Object.assign({}, defaultPageLayout, fields.layout),
    tags: [],
  } satisfies DocumentPage;
}

type Cover = NonNullable<PageFields['cover']>;

/** Returns a cover with the file that its path refers to. A path without a file is presented as a URL. */
function presentCover(node: Node, { cover }: Pick<PageFields, 'cover'>): Cover | undefined {
  if (cover?.ref.kind !== 'file') return cover;
  const { file } = cover.ref;
  const recordedLink = getRecordedLink(node, removeAnchor(file));
  if (recordedLink?.startsWith('file_') === true) return { ...cover, ref: { kind: 'file', file: recordedLink } };
  if (isId(file)) return cover;
  return mayRunCode(file) ? undefined : { ...cover, ref: { kind: 'url', url: file } };
}

const noTarget = { kind: 'url' as const, url: '' };

function presentLink(
  fields: PageFields,
  inherited: InheritedState,
  { shownPages, foreignLocations }: Presentation,
): Pick<LinkPage, 'target' | 'href' | 'hidden'> {
  const hidden = inherited.hidden || fields.hidden === true ? { hidden: true } : {};
  const elsewhere = shownPages && toForeignTarget(fields.target);
  const address = elsewhere && foreignLocations?.getAddress(elsewhere);
  if (fields.target !== undefined && address !== undefined) return { target: fields.target, href: address, ...hidden };
  const target =
    fields.target === undefined || shownPages?.mayShowTarget(fields.target) === false ? noTarget : fields.target;
  return { target, ...(target.kind === 'url' ? { href: target.url } : {}), ...hidden };
}

/** Returns the named fields that have a value; a flag that is false counts as absent. */
function pickFields<Source extends object, Key extends keyof Source>(
  source: Source,
  keys: Key[],
): { [Name in Key]?: NonNullable<Source[Name]> } {
  return Object.fromEntries(
    keys.map((key) => [key, source[key]]).filter(([, value]) => value !== undefined && value !== false),
  ) as {
    [Name in Key]?: NonNullable<Source[Name]>;
  };
}

/** Presents the git source of a text as listings show it; empty if there is none. */
function presentGit({ oid, fields }: Node): { git?: TextGitMetadata } {
  const { gitPath: path, gitLinks } = fields as { gitPath?: string; gitLinks?: GitSource['links'] };
  if (oid === undefined || path === undefined) return {};
  return { git: { oid, path, ...(gitLinks === undefined ? {} : { linksId: hashLinks(gitLinks) }) } };
}

/** Presents the git source of a text with its link targets. */
export function presentWholeGit(node: Node): { git?: TextGitMetadata } {
  const { git } = presentGit(node);
  const { gitLinks: links } = node.fields as { gitLinks?: GitSource['links'] };
  if (git === undefined) return {};
  return { git: { ...git, ...(links === undefined ? {} : { links }) } };
}

/** Presents a reusable content as listings show it: without its text, and for a visitor without its source. */
export const presentReusableContent = (node: Node, { isVisited = false } = {}): ReusableContent => ({
  object: 'reusable-content',
  id: node.id,
  title: String(node.fields.title),
  ...(node.document === null || isVisited ? {} : { document: node.document }),
  ...(isVisited
    ? {}
    : { ...presentGit(node), ...pickFields(node.fields as { importedFrom?: string }, ['importedFrom']) }),
});

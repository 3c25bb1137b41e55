import { mayRunCode, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptLink } from '@octavo/merge';
import { idOfLinks } from '@octavo/outline';
import type { Urls } from '@octavo/runtime';
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
import { defaultPageLayout, timestamp } from '@octavo/schema';
import { sourceOf } from '../computed/sources.ts';
import { isId } from '../links/targets.ts';
import type { ForeignPlaces } from '../sites/places.ts';
import { foreignTarget } from '../sites/places.ts';
import type { PageFields } from '../store/nodes.ts';
import { pageFields } from '../store/nodes.ts';
import type { FoundPage } from './find-content.ts';
import type { PointReading, TextForm } from './page-text.ts';
import { linkedNode, publishedText, readReferences, textAsMarkdown } from './page-text.ts';
import type { ShownPages } from './visibility.ts';

/** The API resource of a page, with its text and the pages below it. */
export async function presentFoundPage(
  found: FoundPage,
  query: PageContentQuery,
  reading: PointReading,
): Promise<Page> {
  const { page, ancestors, descendants, text, shown } = found;
  const asked = query.format === 'document' ? 'typed' : formOf(query).references;
  const references = await readReferences(found, reading, { pages: [page, ...descendants], form: asked });
  const above = ancestors.reduceRight<Above>((outer, node) => below(outer, pageFields(node), node.slug), root);
  const { urls, space } = reading;
  const to = { urls, base: `/spaces/${space}`, metadata: query.metadata, shown, foreign: references.foreign };
  const depth = query.depth === undefined ? undefined : query.depth - 1;
  const inside = { parent: page.id, above: below(above, pageFields(page), page.slug), depth };
  const children = presentTree(
    descendants.map((each) => linkedNode(each, references)),
    inside,
    to,
  );
  const presented = presentPage(linkedNode(page, references), above, { children, to });
  if (presented.type !== 'document') return presented;
  const isTold = query.metadata && shown === undefined;
  const hasLinks = isTold && page.links !== undefined;
  const whole = { ...presented, ...(isTold ? presentWholeGit(page) : {}), ...(hasLinks ? { links: page.links } : {}) };
  const form = formOf(query);
  if (query.format === 'document') {
    const document = publishedText(text, form, { reading: references, isKept: true });
    return { ...whole, document } satisfies DocumentPage;
  }
  return { ...whole, markdown: textAsMarkdown(text, form, references) } satisfies DocumentPage;
}

/** An evaluated page has the contents that it includes in place. */
function formOf({ evaluated, dereferenced, format, 'format.markdown.refs': refs }: PageContentQuery): TextForm {
  const isStable = format === 'markdown' && refs === 'stable';
  return { evaluated, dereferenced: dereferenced || evaluated, references: isStable ? 'stable' : 'written' };
}

/** Where a tree begins, and how many levels below that are wanted: all where it is left out. */
interface Top {
  parent: string;
  above: Above;
  depth?: number | undefined;
}

/**
 * The pages below `parent`, in order, each with those below it. Linear in the number of pages. In the tree of a whole
 * space, pages that an update left without a way to the root (their parent is gone, or below them) stand at its end.
 */
export function presentTree(nodes: Node[], at: Top, to: Presentation): Page[] {
  const children = Map.groupBy(nodes, (node) => node.parent);
  const placed = new Set<Node>();
  const present = (siblings: Node[], above: Above, depth = at.depth ?? Number.POSITIVE_INFINITY): Page[] =>
    siblings.sort(byPlace).flatMap((node) => {
      if (placed.has(node) || to.shown?.isShown(node) === false) return [];
      placed.add(node);
      const inside = below(above, pageFields(node), node.slug);
      const pages = present(children.get(node.id) ?? [], inside, depth - 1);
      return depth < 0 ? [] : presentPage(node, above, { children: pages, to });
    });
  const pages = present(children.get(at.parent) ?? [], at.above);
  if (at.parent !== '' || placed.size === nodes.length || to.shown !== undefined) return pages;
  const ids = new Set(nodes.map((node) => node.id));
  const lost = nodes.filter((node) => !placed.has(node));
  const orphans = lost.filter((node) => !ids.has(node.parent));
  return [...pages, ...present(orphans, at.above), ...present(lost, at.above)];
}

const byPlace = (one: Node, other: Node): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;

/** Where a page stands, as far as what is above it decides: its path and the flags that cover all below. */
export interface Above {
  path: string[];
  hidden: boolean;
  noIndex: boolean;
  noRobotsIndex: boolean;
}

export const root: Above = { path: [], hidden: false, noIndex: false, noRobotsIndex: false };

export interface Presentation {
  urls: Urls;
  /** The API path of the space. */
  base: string;
  /** False leaves out the git objects. */
  metadata: boolean;
  /** For a visitor, who is told of nothing else, and of no conditions; undefined for members. */
  shown?: ShownPages | undefined;
  /** What a visitor is shown of other spaces; undefined where nothing refers to them. */
  foreign?: ForeignPlaces | undefined;
}

/** What a page hands on to those below it. */
export function below(above: Above, fields: PageFields, slug: string): Above {
  return {
    path: [...above.path, slug],
    hidden: above.hidden || fields.hidden === true,
    noIndex: above.noIndex || fields.noIndex === true,
    noRobotsIndex: above.noRobotsIndex || fields.noRobotsIndex === true,
  };
}

/** A page with the presented pages below it. */
export function presentPage(node: Node, above: Above, { children, to }: { children: Page[]; to: Presentation }): Page {
  const fields = pageFields(node);
  const isTold = to.shown === undefined;
  const common = {
    id: node.id,
    title: fields.title,
    ...pick(fields, isTold ? ['emoji', 'icon', 'condition'] : ['emoji', 'icon']),
    createdAt: timestamp(node.createdAt),
    updatedAt: timestamp(node.updatedAt),
  };
  if (fields.type === 'link')
    return { ...common, ...linkPart(fields, above, to), type: 'link', kind: 'link' } satisfies LinkPage;
  if (fields.type === 'computed') {
    const computed = fields.computed ?? { type: 'builtin:openapi' };
    const hidden = above.hidden || fields.hidden === true;
    return { ...common, computed, ...(hidden ? { hidden } : {}), type: 'computed' } satisfies ComputedPage;
  }
  const here = below(above, fields, node.slug);
  const placed = {
    ...common,
    slug: node.slug,
    path: here.path.join('/'),
    ...pick({ hidden: here.hidden, noIndex: here.noIndex, noRobotsIndex: here.noRobotsIndex }, [
      'hidden',
      'noIndex',
      'noRobotsIndex',
    ]),
    pages: children as DocumentPage['pages'],
  };
  if (fields.type === 'group') return { ...placed, type: 'group', kind: 'group' } satisfies GroupPage;
  return {
    ...placed,
    type: 'document',
    kind: 'sheet',
    urls: { app: to.urls.app(`${to.base}/content/page/${node.id}`) },
    ...pick(
      { ...fields, cover: coverOf(node, fields) },
      isTold ? ['description', 'cover', 'variables'] : ['description', 'cover'],
    ),
    ...(node.document === null || !isTold ? {} : { documentId: node.document }),
    ...(fields.computed === undefined ? {} : { computed: fields.computed, computedSeed: sourceOf(node.id) }),
    ...(to.metadata && isTold ? presentGit(node) : {}),
    layout: Object.assign({}, defaultPageLayout, fields.layout),
    tags: [],
  } satisfies DocumentPage;
}

type Cover = NonNullable<PageFields['cover']>;

/** A cover with the file that its text means; what leads to no file is told as the address that it is written as. */
function coverOf(node: Node, { cover }: Pick<PageFields, 'cover'>): Cover | undefined {
  if (cover?.ref.kind !== 'file') return cover;
  const { file } = cover.ref;
  const kept = keptLink(node, withoutAnchor(file));
  if (kept?.startsWith('file_') === true) return { ...cover, ref: { kind: 'file', file: kept } };
  if (isId(file)) return cover;
  return mayRunCode(file) ? undefined : { ...cover, ref: { kind: 'url', url: file } };
}

const noTarget = { kind: 'url' as const, url: '' };

function linkPart(
  fields: PageFields,
  above: Above,
  { shown, foreign }: Presentation,
): Pick<LinkPage, 'target' | 'href' | 'hidden'> {
  const hidden = above.hidden || fields.hidden === true ? { hidden: true } : {};
  const elsewhere = shown && foreignTarget(fields.target);
  const address = elsewhere && foreign?.addressOf(elsewhere);
  if (fields.target !== undefined && address !== undefined) return { target: fields.target, href: address, ...hidden };
  const target = fields.target === undefined || shown?.tellsOf(fields.target) === false ? noTarget : fields.target;
  return { target, ...(target.kind === 'url' ? { href: target.url } : {}), ...hidden };
}

/** The named fields that have a value; a flag that is false counts as none. */
function pick<Source extends object, Key extends keyof Source>(
  source: Source,
  keys: Key[],
): { [Name in Key]?: NonNullable<Source[Name]> } {
  return Object.fromEntries(
    keys.map((key) => [key, source[key]]).filter(([, value]) => value !== undefined && value !== false),
  ) as {
    [Name in Key]?: NonNullable<Source[Name]>;
  };
}

/** Where a text comes from, as listings tell it; nothing where that is not known. */
function presentGit({ oid, fields }: Node): { git?: TextGitMetadata } {
  const { gitPath: path, gitLinks } = fields as { gitPath?: string; gitLinks?: GitSource['links'] };
  if (oid === undefined || path === undefined) return {};
  return { git: { oid, path, ...(gitLinks === undefined ? {} : { linksId: idOfLinks(gitLinks) }) } };
}

/** The same, with what was told of its addresses. */
export function presentWholeGit(node: Node): { git?: TextGitMetadata } {
  const { git } = presentGit(node);
  const { gitLinks: links } = node.fields as { gitLinks?: GitSource['links'] };
  if (git === undefined) return {};
  return { git: { ...git, ...(links === undefined ? {} : { links }) } };
}

/** A reusable content as trees list it: without its text. To a visitor nothing is told of what it is made from. */
export const presentReusableContent = (node: Node, { isVisited = false } = {}): ReusableContent => ({
  object: 'reusable-content',
  id: node.id,
  title: String(node.fields.title),
  ...(node.document === null || isVisited ? {} : { document: node.document }),
  ...(isVisited ? {} : presentGit(node)),
});

import type { Database, RevisionPoint } from '@octavo/db';
import { readRows } from '@octavo/db';
import type { EvaluationScope } from '@octavo/expression';
import type { Block, DocumentTree, ParseOptions, PublishedDocument, ReferenceOf, TreeData } from '@octavo/markdown';
import {
  block,
  evaluateTree,
  findFrontmatterBlock,
  mapReferences,
  mayBeEvaluated,
  mayRunCode,
  parseTree,
  publishedTree,
  renderTree,
  rewriteTargets,
  textAt,
  urlReference,
  withoutAnchor,
} from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptAnchor, keptLink } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { SpaceId, Visitor } from '@octavo/schema';
import type { MadeParts } from '../computed/computed-pages.ts';
import { madeText, madeTree } from '../computed/computed-pages.ts';
import type { LinkedNodes } from '../links/late-links.ts';
import { LinkingText, namedAsCover, readLateLinks } from '../links/late-links.ts';
import type { Lookup, ReadTarget } from '../links/targets.ts';
import { basesOf, decoded, leadsInside, lookupId, readTarget } from '../links/targets.ts';
import type { ForeignPlaces, SiteReading } from '../sites/places.ts';
import { readForeign } from '../sites/places.ts';
import type { IncludedContent } from '../store/content.ts';
import { getAnchors, includeTarget } from '../store/content.ts';
import type { ShownPages } from './visibility.ts';

/** Where content is read, and by whom. */
export interface PointReading extends Omit<SiteReading, 'visitor'> {
  point: RevisionPoint;
  space: SpaceId;
  visitor?: Visitor | undefined;
  /** Adds to the ETag what a response depends on besides its revision. */
  alsoFollowsFrom: (what: string | undefined) => void;
}

/** The reading of an operation. */
export const pointReading = ({
  env,
  db,
  point,
  space: { id },
  urls,
  visitor,
  alsoFollowsFrom,
}: Omit<PointReading, 'space'> & { space: { id: SpaceId } }): PointReading => ({
  ...{ env, db, point, space: id, urls, visitor, alsoFollowsFrom },
});

/** How a text is given. A visitor's is evaluated whatever is asked for. */
export interface TextForm {
  evaluated: boolean;
  /** Whether reusable contents stand in the places where they are included. */
  dereferenced: boolean;
  references: ReferenceForm;
}

type TreeForm = TextForm & ParseOptions;

/** The text of a node and what it is read with. */
export interface ReadText {
  node: Node;
  markdown: string;
  scope: EvaluationScope;
  contents: ReadonlyMap<string, IncludedContent>;
  /** What stands on a page that nobody wrote, in the place of its text. */
  made?: MadeParts | undefined;
}

/** A text as markdown: as it is written wherever nothing of it is to be told otherwise. */
export function textAsMarkdown(text: ReadText, form: TextForm, reading: ReferenceReading): string {
  const { markdown, node, made } = text;
  if (made !== undefined) return renderTree(ofSpecification(madeText(made), (url) => isUntold(url, reading)));
  const { evaluated, dereferenced, references } = form;
  if (isPlain(markdown, reading)) return stableIn(withoutFrontmatter(markdown));
  if (reading.shown !== undefined || evaluated || dereferenced) return renderTree(textAsTree(text, form, reading));
  return stableIn(markdown);

  function stableIn(written: string): string {
    if (references !== 'stable') return written;
    const to = referencesOf(node, references, reading);
    return rewriteTargets(written, (target) => textAt(to(target), 'url'));
  }
}

/** A text as a tree of blocks. */
function textAsTree(text: ReadText, form: TreeForm, reading: ReferenceReading): DocumentTree {
  const { shown } = reading;
  const { node, markdown, made } = text;
  if (made !== undefined) return ofSpecification(madeTree(made), (url) => mayRunCode(url) || isUntold(url, reading));
  if (isPlain(markdown, reading)) return withoutSource(mapped(parseTree(markdown, form), node, { form, reading }));
  const evaluates = form.evaluated || shown !== undefined;
  const isWhole = !evaluates && !form.dereferenced;
  // What is evaluated is given its keys then.
  const tree = parseTree(markdown, { ...form, hasKeys: isWhole });
  const isMapped = shown !== undefined || form.references !== 'written';
  const referred = isMapped ? mapped(tree, node, { form, reading }) : tree;
  if (isWhole) return referred;
  const placed = (content: IncludedContent): IncludedContent => ({
    ...content,
    placed: (nodes) => mapReferences(nodes, referencesOf(content.node, form.references, reading)),
  });
  return evaluateTree(referred, {
    scope: text.scope,
    targetOf: (address) => includeTarget(node, address),
    contents: isMapped ? new Map([...text.contents].map(([id, content]) => [id, placed(content)])) : text.contents,
    ...(evaluates && form.dereferenced ? {} : { only: evaluates ? 'expressions' : 'includes' }),
    isStrict: shown !== undefined,
  });
}

/**
 * A text as clients of the API family draw it. A content that stays a reference is named by its id, to a visitor where there
 * is one. `isKept` keeps the text beside it where that is the text as it is written and the reader is a member.
 */
export function publishedText(
  text: ReadText,
  form: Omit<TextForm, 'references'>,
  { reading, isKept }: { reading: ReferenceReading; isKept: boolean },
): PublishedDocument {
  const keeps =
    isKept && reading.shown === undefined && !form.evaluated && !form.dereferenced && text.made === undefined;
  const tree = textAsTree(text, { ...form, references: 'typed', sources: keeps ? 'all' : 'none' }, reading);
  const includes = (address: string): string | undefined => {
    const id = includeTarget(linkedNode(text.node, reading), address);
    return id !== undefined && (reading.shown === undefined || text.contents.has(id)) ? id : undefined;
  };
  const isAlone = !form.dereferenced || text.contents.size === 0;
  const references =
    text.made === undefined && isAlone ? { references: referencesOf(text.node, 'typed', reading) } : {};
  const tellsMissing = reading.shown === undefined;
  return publishedTree(tree, { includes, title: titleOn(text.node), tellsMissing, isKept: keeps, ...references });
}

/** The title that is drawn above a text. */
function titleOn({ kind, fields }: Node): string | undefined {
  const { title, layout } = fields as { title?: unknown; layout?: { title?: boolean } };
  return kind === 'page' && typeof title === 'string' && layout?.title !== false ? title : undefined;
}

/** Visitors are given what the frontmatter shows, and never itself. */
const withoutSource = ({ data: { frontmatter: _, ...data }, ...tree }: DocumentTree): DocumentTree => ({
  ...tree,
  data,
});

/** What a specification says leads nowhere in the space. */
const ofSpecification = (tree: DocumentTree, isLeftOut: (url: string) => boolean): DocumentTree => ({
  ...tree,
  nodes: mapReferences(tree.nodes, (url) => (isLeftOut(url) ? undefined : urlReference(url))),
});

/** Visitors are given no address of the application. */
const isUntold = (url: string, { shown, urls }: ReferenceReading): boolean =>
  shown !== undefined && leadsInside(url, urls);

const mapped = (
  tree: DocumentTree,
  node: Node,
  { form, reading }: { form: TreeForm; reading: ReferenceReading },
): DocumentTree => ({
  ...tree,
  nodes: tree.nodes.flatMap((each) => {
    const nodes = mapReferences([each], referencesOf(node, form.references, reading));
    return nodes.length === 0 && form.sources === 'all' ? [silent(each)] : nodes;
  }),
});

/** What shows nothing, but keeps the text of a block. */
const silent = ({ data }: Block): Block => block('html', { html: '', ...(data.markup && { markup: data.markup }) });

/** Whether a visitor may see a text as it is written, but for its frontmatter. */
const isPlain = (markdown: string, reading: ReferenceReading): boolean =>
  reading.shown?.hasConditions === false &&
  !mayBeEvaluated(markdown) &&
  !['/spaces/', ...basesOf(reading.urls)].some((address) => markdown.includes(address));

const withoutFrontmatter = (markdown: string): string =>
  markdown.slice(findFrontmatterBlock(markdown)?.bodyOffset ?? 0);

/** How references are given: as they are written, by ids in an address, or as objects that name what they lead to. */
type ReferenceForm = 'written' | 'stable' | 'typed';

/** Where references stand and who reads them. */
interface ReferenceReading {
  space: SpaceId;
  urls: Urls;
  /** The pages that a visitor is shown; undefined for members, who may know of all. */
  shown?: ShownPages | undefined;
  /** What a visitor is shown of other spaces; undefined where nothing refers to them. */
  foreign?: ForeignPlaces | undefined;
  /** What headings of pages that are linked to were called before; undefined where references stay as they are. */
  anchors?: KeptAnchors | undefined;
  /** The nodes of texts of which a target came later; undefined where references stay as they are. */
  late?: LinkedNodes | undefined;
}

/** A node with all that is known of what the targets of its text lead to. */
export const linkedNode = (node: Node, { late }: Pick<ReferenceReading, 'late'>): Node => late?.get(node.id) ?? node;

/** Gives what becomes of the addresses in the text of a node. What runs code is told to no renderer and no visitor. */
const referencesOf = (written: Node, form: ReferenceForm, reading: ReferenceReading): ReferenceOf => {
  const node = linkedNode(written, reading);
  return (url) => {
    if ((form === 'typed' || reading.shown !== undefined) && mayRunCode(url)) return undefined;
    const read = readTarget(url, { ...reading, node });
    if (read.kind === 'node') return ofNode(url, read, { node, form, ...reading });
    if (read.kind === 'app')
      return reading.shown === undefined ? ofApp(url, read, form) : ofForeign(read, form, reading);
    if (read.kind === 'self' && form === 'typed' && read.anchor !== '')
      return {
        kind: 'anchor',
        anchor: anchorNow(node, read.anchor),
        ...(node.kind === 'page' ? { page: node.id } : {}),
      };
    return urlReference(url);
  };
};

type OfKind<Kind> = Extract<ReadTarget, { kind: Kind }>;

function ofApp(url: string, { space, page }: OfKind<'app'>, form: ReferenceForm): TreeData {
  if (space === undefined || form !== 'typed') return urlReference(url);
  return page === undefined ? { kind: 'space', space } : { kind: 'page', page, space };
}

/** Visitors follow no addresses of the application: what their site shows of a space has one there. */
function ofForeign(
  { foreign: target }: OfKind<'app'>,
  form: ReferenceForm,
  { foreign }: Pick<ReferenceReading, 'foreign'>,
): TreeData | undefined {
  if (target === undefined) return undefined;
  if (form === 'typed') return foreign?.referenceTo(target);
  const address = foreign?.addressOf(target);
  return address === undefined ? undefined : urlReference(address);
}

interface OfNode {
  node: Node;
  form: ReferenceForm;
  shown?: ShownPages | undefined;
  anchors?: KeptAnchors | undefined;
}

/** What cannot be told to lead to something that is shown is not told, where some pages are not shown. */
function ofNode(url: string, { lookups, anchor, inApp }: OfKind<'node'>, to: OfNode): TreeData | undefined {
  const { node, form, shown, anchors } = to;
  const kept = keptLink(node, withoutAnchor(url));
  const found = kept === undefined ? lookups.find((lookup) => lookup.by === 'id') : lookupId(kept);
  const target = found?.by === 'id' ? found : undefined;
  if (shown !== undefined && !mayBeTold(target, shown)) return undefined;
  if (target === undefined || (kept === undefined && form === 'typed'))
    return inApp && shown ? undefined : urlReference(url);
  const now = anchorNow({ anchors: target.id === node.id ? node.anchors : anchors?.get(target.id) }, anchor);
  if (form === 'typed') return typed(target, now);
  return form === 'stable' || (inApp && shown) ? urlReference(stable(target, now)) : urlReference(url);
}

/** A heading that was given another title since has the anchor of that, as far as its page is known. */
const anchorNow = (page: Pick<Node, 'anchors'>, anchor: string): string => keptAnchor(page, decoded(anchor)) ?? anchor;

type ById = Extract<Lookup, { by: 'id' }>;

function mayBeTold(target: ById | undefined, shown: ShownPages): boolean {
  if (target === undefined) return !shown.hasConditions;
  if (target.kind === 'reusable-content') return false;
  return target.kind === 'file' || shown.has(target.id);
}

const words = { page: 'pages', file: 'files', 'reusable-content': 'reusable-contents' };

const stable = ({ kind, id }: ById, anchor: string): string =>
  `/${words[kind]}/${id}${anchor === '' ? '' : `#${anchor}`}`;

function typed({ kind, id }: ById, anchor: string): TreeData {
  if (kind === 'file') return { kind, file: id };
  if (kind === 'reusable-content') return { kind, reusableContent: id };
  return anchor === '' ? { kind, page: id } : { kind: 'anchor', anchor, page: id };
}

/** Reads what decides on how the references of a text, and of the pages listed with it, are written. */
export async function readReferences(
  { text, shown }: { text: ReadText; shown: ShownPages | undefined },
  reading: PointReading,
  { pages = [], form = 'typed' }: { pages?: Node[]; form?: ReferenceForm } = {},
): Promise<ReferenceReading> {
  const { space, urls, visitor } = reading;
  const told = pages.filter(({ id }) => shown?.has(id) !== false);
  const referring = { texts: [text, ...text.contents.values()].map((each) => new LinkingText(each)), pages: told };
  const foreign = visitor && (await readForeign(referring, { ...reading, visitor }));
  const isLate = form !== 'written' || shown?.hasConditions === true;
  const naming = isLate ? [...referring.texts, ...told.map(namedAsCover)] : [];
  const found = isLate ? await readLateLinks(naming, { ...reading, shown }) : { late: undefined, shown };
  const linked = referring.texts.map((each) => each.of(linkedNode(each.node, found)));
  const anchors = form === 'written' && visitor === undefined ? undefined : await readKeptAnchors(linked, reading);
  return { space, urls, foreign, anchors, ...found };
}

/** The current ids of headings by their former anchors, by the page that they are on. */
type KeptAnchors = ReadonlyMap<string, NonNullable<Node['anchors']>>;

const mayHaveAnchor = /[^\s#(]#[^\s#]/;

/**
 * The former anchors of the pages that texts link to with an anchor. One round trip, and none if no text has such a link;
 * rows follow the links.
 */
async function readKeptAnchors(
  texts: LinkingText[],
  { db, point }: { db: Database; point: RevisionPoint },
): Promise<KeptAnchors> {
  const pages = new Set(texts.flatMap(anchoredPages));
  if (pages.size === 0) return new Map();
  const rows = await readRows(db, getAnchors(point, pages));
  return new Map(rows.map(({ id, anchors }) => [id, JSON.parse(anchors) as NonNullable<Node['anchors']>]));
}

function anchoredPages(text: LinkingText): string[] {
  const { node, markdown } = text;
  if (node.links === undefined || !mayHaveAnchor.test(markdown)) return [];
  return text.targets
    .filter((target) => target.includes('#'))
    .flatMap((target) => keptLink(node, withoutAnchor(target)) ?? [])
    .filter((id) => !/^(?:file|rc)_/.test(id));
}

import type { RevisionPoint } from '@octavo/db';
import type { EvaluationScope } from '@octavo/expression';
import type { Block, DocumentTree, ParseOptions, PublishedDocument, ReferenceOf, TreeData } from '@octavo/markdown';
import {
  createBlock,
  createUrlReference,
  decodeAnchor,
  evaluateTreeInSteps,
  findFrontmatterBlock,
  getTextAt,
  mapReferences,
  mayBeEvaluated,
  mayRunCode,
  parseTreeInSteps,
  publishTreeInSteps,
  removeAnchor,
  renderTreeInSteps,
  rewriteTargets,
} from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { getRecordedLink, getRenamedAnchor } from '@octavo/merge';
import type { Steps, Urls } from '@octavo/runtime';
import { runInSlices } from '@octavo/runtime';
import type { SpaceId, Visitor } from '@octavo/schema';
import type { GeneratedContent } from '../computed/computed-pages.ts';
import { buildGeneratedText, buildGeneratedTree } from '../computed/computed-pages.ts';
import type { LinkedNodes } from '../links/late-links.ts';
import { expandText } from '../links/late-links.ts';
import type { Lookup, ParsedTarget } from '../links/targets.ts';
import { getBaseUrls, isInternalUrl, readTarget, toIdLookup } from '../links/targets.ts';
import type { ForeignLocations } from '../sites/foreign-locations.ts';
import type { SiteReading } from '../sites/site-locations.ts';
import type { IncludedContent } from '../store/content.ts';
import { findIncludeTarget } from '../store/content.ts';
import type { ShownPages } from './visibility.ts';

/** The point at which content is read, and the reader. */
export interface PointReading extends Omit<SiteReading, 'visitor'> {
  point: RevisionPoint;
  space: SpaceId;
  visitor?: Visitor | undefined;
  /** Adds to the ETag something that the response depends on besides its revision. */
  addToEtag: (part: string | undefined) => void;
}

export const toPointReading = ({
  env,
  db,
  point,
  space: { id },
  urls,
  visitor,
  addToEtag,
}: Omit<PointReading, 'space'> & { space: { id: SpaceId } }): PointReading => ({
  ...{ env, db, point, space: id, urls, visitor, addToEtag },
});

/** The form in which a text is rendered. A visitor's text is always evaluated. */
export interface TextForm {
  evaluated: boolean;
  /** Whether reusable contents replace their includes. */
  dereferenced: boolean;
  references: ReferenceForm;
}

interface TreeForm extends TextForm, Pick<ParseOptions, 'sources'> {
  /** `written` are the keys of the blocks in the unchanged text. By default, keys are those of the resulting blocks. */
  keys?: 'written' | 'none';
}

/** The text of a node with the data needed to render it. */
export interface ReadText {
  node: Node;
  markdown: string;
  scope: EvaluationScope;
  contents: ReadonlyMap<string, IncludedContent>;
  /** The content of a generated page, which replaces its text. */
  generated?: GeneratedContent | undefined;
  /** The recorded link targets of the text and its included contents that no longer exist. */
  missing?: ReadonlySet<string> | undefined;
}

/** Renders a text as markdown. Parts in which nothing has to be evaluated, hidden or rewritten stay unchanged. */
export const renderTextAsMarkdown = (text: ReadText, form: TextForm, reading: ReferenceReading): Promise<string> =>
  runInSlices(renderText(text, form, reading));

function* renderText(written: ReadText, form: TextForm, given: ReferenceReading): Steps<string> {
  const { text, reading } = addIncludedFiles(written, form, given);
  const { markdown, node, generated } = text;
  if (generated !== undefined)
    return yield* renderTreeInSteps(
      mapSpecificationLinks(buildGeneratedText(generated), (url) => isHiddenUrl(url, reading)),
    );
  const { evaluated, dereferenced, references } = form;
  if (isPlain(markdown, reading)) return toStableReferences(removeFrontmatter(markdown));
  if (reading.shownPages !== undefined || evaluated || dereferenced)
    return yield* renderTreeInSteps(yield* buildTextTree(text, form, reading));
  return toStableReferences(markdown);

  function toStableReferences(text: string): string {
    if (references !== 'stable') return text;
    const to = createReferenceMapper(node, references, reading);
    return rewriteTargets(text, (target) => getTextAt(to(target), 'url'));
  }
}

/** If the text is dereferenced, adds the files that it includes, with the targets of the links in these files. */
function addIncludedFiles(
  text: ReadText,
  { dereferenced }: Pick<TextForm, 'dereferenced'>,
  reading: ReferenceReading,
): { text: ReadText; reading: ReferenceReading } {
  if (!dereferenced || text.generated !== undefined) return { text, reading };
  const contents = [...text.contents].map(
    ([id, content]) => [id, { ...content, node: getLinkedNode(content.node, reading) }] as const,
  );
  const { markdown, node } = expandText({ ...text, node: getLinkedNode(text.node, reading) }, new Map(contents));
  if (markdown === text.markdown) return { text, reading };
  const linkedNodes = new Map(reading.linkedNodes).set(node.id, node);
  return { text: { ...text, markdown }, reading: { ...reading, linkedNodes } };
}

/** Parses a text into a tree of blocks. */
function* buildTextTree(text: ReadText, form: TreeForm, reading: ReferenceReading): Steps<DocumentTree> {
  const { shownPages } = reading;
  const { node, markdown, generated } = text;
  if (generated !== undefined)
    return mapSpecificationLinks(buildGeneratedTree(generated), (url) => mayRunCode(url) || isHiddenUrl(url, reading));
  if (isPlain(markdown, reading))
    return removeSource(
      yield* mapTree(yield* parseTreeInSteps(markdown, { ...form, hasKeys: form.keys !== 'none' }), node, {
        form,
        reading,
      }),
    );
  const evaluates = form.evaluated || shownPages !== undefined;
  const isUnchanged = !evaluates && !form.dereferenced;
  // Visitors get keys of the blocks that they see, because a key is a hash and could disclose hidden parts.
  const keepsKeys = form.keys === 'none' || (form.keys === 'written' && shownPages === undefined);
  const hasKeys = form.keys !== 'none' && (isUnchanged || keepsKeys);
  const tree = yield* parseTreeInSteps(markdown, { ...form, hasKeys });
  const isMapped = shownPages !== undefined || form.references !== 'written';
  const referred = isMapped ? yield* mapTree(tree, node, { form, reading }) : tree;
  if (isUnchanged) return referred;
  const placeContent = (content: IncludedContent): IncludedContent => ({
    ...content,
    placeBlocks: (nodes) => mapReferences(nodes, createReferenceMapper(content.node, form.references, reading)),
  });
  return yield* evaluateTreeInSteps(referred, {
    scope: text.scope,
    findTarget: (address) => findIncludeTarget(node, address),
    contents: isMapped
      ? new Map([...text.contents].map(([id, content]) => [id, placeContent(content)]))
      : text.contents,
    keys: keepsKeys ? 'kept' : 'assigned',
    ...(evaluates && form.dereferenced ? {} : { filter: evaluates ? 'expressions' : 'includes' }),
    isStrict: shownPages !== undefined,
  });
}

/**
 * Renders a text as a published document. An include that stays a reference is named by its id; a visitor gets the id
 * only if the content exists.
 */
export const toPublishedText = (
  text: ReadText,
  form: Omit<TextForm, 'references'>,
  options: PublishOptions,
): Promise<PublishedDocument> => runInSlices(publishText(text, form, options));

interface PublishOptions {
  reading: ReferenceReading;
  /** Whether to keep the markdown source, if the text is unchanged and the reader is a member. */
  isKept: boolean;
  /** Whether blocks get keys. By default they do. */
  hasKeys?: boolean;
}

function* publishText(
  written: ReadText,
  form: Omit<TextForm, 'references'>,
  { reading: given, isKept, hasKeys = true }: PublishOptions,
): Steps<PublishedDocument> {
  const { text, reading } = addIncludedFiles(written, form, given);
  const keeps =
    isKept && reading.shownPages === undefined && !form.evaluated && !form.dereferenced && text.generated === undefined;
  const sources = keeps ? 'all' : 'none';
  const keys = hasKeys ? 'written' : 'none';
  const tree = yield* buildTextTree(text, { ...form, references: 'typed', sources, keys }, reading);
  if (keys === 'written' && text.markdown !== written.markdown) yield* removeAddedKeys(tree, written.markdown);
  const findIncluded = (address: string): string | undefined => {
    const id = findIncludeTarget(getLinkedNode(text.node, reading), address);
    return id !== undefined && (reading.shownPages === undefined || text.contents.has(id)) ? id : undefined;
  };
  const hasNoIncludes = !form.dereferenced || text.contents.size === 0;
  const references =
    text.generated === undefined && hasNoIncludes
      ? { references: createReferenceMapper(text.node, 'typed', reading) }
      : {};
  const reportsMissing = reading.shownPages === undefined;
  return yield* publishTreeInSteps(tree, {
    includes: findIncluded,
    title: getVisibleTitle(text.node),
    tellsMissing: reportsMissing,
    isKept: keeps,
    ...references,
  });
}

/** Removes the keys of blocks that a text does not contain as written, such as those of included files. */
function* removeAddedKeys(tree: DocumentTree, markdown: string): Steps<void> {
  const written = yield* parseTreeInSteps(markdown, { sources: 'none' });
  const keys = new Set([...listBlocks(written.nodes)].map(({ key }) => key));
  for (const block of listBlocks(tree.nodes)) if (!keys.has(block.key)) delete block.key;
}

function* listBlocks(nodes: Block['nodes']): Generator<Block> {
  for (const node of nodes) {
    if (node.object !== 'block') continue;
    yield node;
    yield* listBlocks(node.nodes);
  }
}

/** Returns the title shown above a text. */
function getVisibleTitle({ kind, fields }: Node): string | undefined {
  const { title, layout } = fields as { title?: unknown; layout?: { title?: boolean } };
  return kind === 'page' && typeof title === 'string' && layout?.title !== false ? title : undefined;
}

/** Removes the frontmatter: visitors only get the fields that it sets. */
const removeSource = ({ data: { frontmatter: _, ...data }, ...tree }: DocumentTree): DocumentTree => ({
  ...tree,
  data,
});

/** Links in a specification never refer to pages of the space. */
const mapSpecificationLinks = (tree: DocumentTree, isLeftOut: (url: string) => boolean): DocumentTree => ({
  ...tree,
  nodes: mapReferences(tree.nodes, (url) => (isLeftOut(url) ? undefined : createUrlReference(url))),
});

/** Visitors never get URLs of the application. */
const isHiddenUrl = (url: string, { shownPages, urls }: ReferenceReading): boolean =>
  shownPages !== undefined && isInternalUrl(url, urls);

function* mapTree(
  tree: DocumentTree,
  node: Node,
  { form, reading }: { form: TreeForm; reading: ReferenceReading },
): Steps<DocumentTree> {
  const toReference = createReferenceMapper(node, form.references, reading);
  const mapped: Block[] = [];
  for (const each of tree.nodes) {
    const nodes = mapReferences([each], toReference);
    mapped.push(...(nodes.length === 0 && form.sources === 'all' ? [toEmptyBlock(each)] : nodes));
    yield;
  }
  return { ...tree, nodes: mapped };
}

/** Returns an empty block with the source markup of a hidden block. */
const toEmptyBlock = ({ data }: Block): Block =>
  createBlock('html', { html: '', ...(data.markup && { markup: data.markup }) });

/** Whether a visitor may see a text as written, except for its frontmatter. */
const isPlain = (markdown: string, reading: ReferenceReading): boolean =>
  reading.shownPages?.hasConditions === false &&
  !mayBeEvaluated(markdown) &&
  !['/spaces/', ...getBaseUrls(reading.urls)].some((address) => markdown.includes(address));

const removeFrontmatter = (markdown: string): string => markdown.slice(findFrontmatterBlock(markdown)?.bodyOffset ?? 0);

/** The former anchors of headings, by page, each mapped to the current anchor. */
export type FormerAnchors = ReadonlyMap<string, NonNullable<Node['anchors']>>;

/** The form of references: as written, as addresses with ids, or as objects that name their target. */
export type ReferenceForm = 'written' | 'stable' | 'typed';

/** The context in which references are rendered. */
export interface ReferenceReading {
  space: SpaceId;
  urls: Urls;
  /** The pages that a visitor may see; undefined for members, who may see all. */
  shownPages?: ShownPages | undefined;
  /** The pages of other spaces that a visitor may see; undefined if nothing refers to them. */
  foreignLocations?: ForeignLocations | undefined;
  /** Former anchors of headings of linked pages; undefined if references stay as written. */
  anchors?: FormerAnchors | undefined;
  /** Nodes whose texts link to targets created later; undefined if references stay as written. */
  linkedNodes?: LinkedNodes | undefined;
  /** Is called for each reference to content that names no page, file or reusable content of this space. */
  onUnresolved?: (() => void) | undefined;
}

/** Returns the node with all known targets of its links. */
export const getLinkedNode = (node: Node, { linkedNodes }: Pick<ReferenceReading, 'linkedNodes'>): Node =>
  linkedNodes?.get(node.id) ?? node;

/**
 * Creates the function that maps the addresses in a node's text. Addresses that run code are dropped for renderers and
 * visitors.
 */
const createReferenceMapper = (referringNode: Node, form: ReferenceForm, reading: ReferenceReading): ReferenceOf => {
  const node = getLinkedNode(referringNode, reading);
  return (url) => {
    if ((form === 'typed' || reading.shownPages !== undefined) && mayRunCode(url)) return undefined;
    const parsed = readTarget(url, { ...reading, node });
    if (parsed.kind === 'node') {
      const reference = toNodeReference(url, parsed, { node, form, ...reading });
      if (reference === undefined || reference.kind === 'url') reading.onUnresolved?.();
      return reference;
    }
    if (parsed.kind === 'app') {
      reading.onUnresolved?.();
      return reading.shownPages === undefined
        ? toAppReference(url, parsed, form)
        : toForeignReference(parsed, form, reading);
    }
    if (parsed.kind === 'self' && form === 'typed' && parsed.anchor !== '')
      return {
        kind: 'anchor',
        anchor: getCurrentAnchor(node, parsed.anchor),
        ...(node.kind === 'page' ? { page: node.id } : {}),
      };
    return createUrlReference(url);
  };
};

type TargetOfKind<Kind> = Extract<ParsedTarget, { kind: Kind }>;

function toAppReference(url: string, { space, page }: TargetOfKind<'app'>, form: ReferenceForm): TreeData {
  if (space === undefined || form !== 'typed') return createUrlReference(url);
  return page === undefined ? { kind: 'space', space } : { kind: 'page', page, space };
}

/** Visitors do not get URLs of the application. A space that their site shows has an address on the site. */
function toForeignReference(
  { foreign: target }: TargetOfKind<'app'>,
  form: ReferenceForm,
  { foreignLocations }: Pick<ReferenceReading, 'foreignLocations'>,
): TreeData | undefined {
  if (target === undefined) return undefined;
  if (form === 'typed') return foreignLocations?.toReference(target);
  const address = foreignLocations?.getAddress(target);
  return address === undefined ? undefined : createUrlReference(address);
}

interface NodeReferenceOptions {
  node: Node;
  form: ReferenceForm;
  shownPages?: ShownPages | undefined;
  anchors?: FormerAnchors | undefined;
}

/** If some pages are hidden, a link whose target is not known to be visible is dropped. */
function toNodeReference(
  url: string,
  { lookups, anchor, inApp }: TargetOfKind<'node'>,
  to: NodeReferenceOptions,
): TreeData | undefined {
  const { node, form, shownPages, anchors } = to;
  const recordedLink = getRecordedLink(node, removeAnchor(url));
  const idLookup = recordedLink === undefined ? lookups.find((lookup) => lookup.by === 'id') : toIdLookup(recordedLink);
  const target = idLookup?.by === 'id' ? idLookup : undefined;
  if (shownPages !== undefined && !isTargetShown(target, shownPages)) return undefined;
  if (target === undefined || (recordedLink === undefined && form === 'typed'))
    return inApp && shownPages ? undefined : createUrlReference(url);
  const now = getCurrentAnchor({ anchors: target.id === node.id ? node.anchors : anchors?.get(target.id) }, anchor);
  if (form === 'typed') return toTypedReference(target, now);
  return form === 'stable' || (inApp && shownPages)
    ? createUrlReference(toStableUrl(target, now))
    : createUrlReference(url);
}

/** Returns the current anchor of a heading that was renamed, as far as its page is loaded. */
const getCurrentAnchor = (page: Pick<Node, 'anchors'>, anchor: string): string =>
  getRenamedAnchor(page, decodeAnchor(anchor)) ?? anchor;

type ById = Extract<Lookup, { by: 'id' }>;

function isTargetShown(target: ById | undefined, shownPages: ShownPages): boolean {
  if (target === undefined) return !shownPages.hasConditions;
  if (target.kind === 'reusable-content') return false;
  return target.kind === 'file' || shownPages.has(target.id);
}

const pathPrefixes = { page: 'pages', file: 'files', 'reusable-content': 'reusable-contents' };

const toStableUrl = ({ kind, id }: ById, anchor: string): string =>
  `/${pathPrefixes[kind]}/${id}${anchor === '' ? '' : `#${anchor}`}`;

function toTypedReference({ kind, id }: ById, anchor: string): TreeData {
  if (kind === 'file') return { kind, file: id };
  if (kind === 'reusable-content') return { kind, reusableContent: id };
  return anchor === '' ? { kind, page: id } : { kind: 'anchor', anchor, page: id };
}

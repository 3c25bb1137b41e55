import type { EvaluationScope } from '@octavo/expression';
import type { Block, DocumentTree, ParseOptions, PublishedDocument } from '@octavo/markdown';
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
} from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { MadeParts } from '../computed/made-parts.ts';
import { madeText, madeTree } from '../computed/made-text.ts';
import { basesOf, leadsInside } from '../links/read-target.ts';
import type { IncludedContent } from './included-contents.ts';
import { includeTarget } from './included-contents.ts';
import type { ReferenceForm, ReferenceReading } from './references.ts';
import { linkedNode, referencesOf } from './references.ts';

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

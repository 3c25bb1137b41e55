import type { EvaluationScope } from '@octavo/expression';
import type { DocumentTree } from '@octavo/markdown';
import {
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
import { referencesOf } from './references.ts';

/** How a text is given. A visitor's is evaluated whatever is asked for. */
export interface TextForm {
  evaluated: boolean;
  /** Whether reusable contents stand in the places where they are included. */
  dereferenced: boolean;
  references: ReferenceForm;
}

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
export function textAsTree(text: ReadText, form: TextForm, reading: ReferenceReading): DocumentTree {
  const { shown } = reading;
  const { node, markdown, made } = text;
  if (made !== undefined) return ofSpecification(madeTree(made), (url) => mayRunCode(url) || isUntold(url, reading));
  if (isPlain(markdown, reading)) return mapped(parseTree(withoutFrontmatter(markdown)), node, { form, reading });
  const tree = parseTree(markdown);
  const isMapped = shown !== undefined || form.references !== 'written';
  const referred = isMapped ? mapped(tree, node, { form, reading }) : tree;
  const evaluates = form.evaluated || shown !== undefined;
  if (!evaluates && !form.dereferenced) return referred;
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

/** A text as renderers take it. A content that stays a reference is named by its id, to a visitor where there is one. */
export function publishedText(
  text: ReadText,
  form: Omit<TextForm, 'references'>,
  reading: ReferenceReading,
): ReturnType<typeof publishedTree> {
  const tree = textAsTree(text, { ...form, references: 'typed' }, reading);
  return publishedTree(tree, (address) => {
    const id = includeTarget(text.node, address);
    return id !== undefined && (reading.shown === undefined || text.contents.has(id)) ? id : undefined;
  });
}

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
  { form, reading }: { form: TextForm; reading: ReferenceReading },
): DocumentTree => ({
  ...tree,
  nodes: mapReferences(tree.nodes, referencesOf(node, form.references, reading)),
});

/** Whether a visitor may see a text as it is written, but for its frontmatter. */
const isPlain = (markdown: string, reading: ReferenceReading): boolean =>
  reading.shown?.hasConditions === false &&
  !mayBeEvaluated(markdown) &&
  !['/spaces/', ...basesOf(reading.urls)].some((address) => markdown.includes(address));

const withoutFrontmatter = (markdown: string): string =>
  markdown.slice(findFrontmatterBlock(markdown)?.bodyOffset ?? 0);

import type { EvaluationScope, Json } from '@octavo/expression';
import { evaluate } from '@octavo/expression';
import { mayBeConditional, removeExpressions } from './conditions.ts';
import type { Block, DocumentTree, Inline, Leaf, TextNode, TreeData } from './document-tree.ts';
import { assignKeys, getText, getTextAt, isBlock } from './document-tree.ts';
import { getMarks } from './markup.ts';
import { parseInPieces, parseTree } from './parse-tree.ts';
import { getResult, type TreeSteps } from './steps.ts';

/** Resolves the address of an include to a content id. */
type TargetOf = (address: string) => string | undefined;

/** A reusable content: `findTarget` resolves its own addresses, `placeBlocks` transforms its blocks. */
export type Includable = {
  markdown: string;
  findTarget: TargetOf;
  placeBlocks?: ((nodes: Block[]) => Block[]) | undefined;
};

/** `contents` are reusable contents by id; `findTarget` resolves the document's own addresses. */
export type Evaluation = {
  scope: EvaluationScope;
  findTarget: TargetOf;
  contents: ReadonlyMap<string, Includable>;
  /** Evaluates only the includes or only the expressions. Default: both. */
  filter?: 'includes' | 'expressions';
  /** Whether everything that cannot be evaluated or was not found is omitted, together with all source syntax. */
  isStrict?: boolean;
  /**
   * `assigned` (the default) sets the key of each block of the result. With `kept`, blocks have the keys that they have
   * in the document, and included blocks have no keys.
   */
  keys?: 'assigned' | 'kept' | undefined;
};

/** Maximum length of the included texts and values in a document. */
export const maxAdded = 1024 * 1024;
/** Maximum length of an included content. Longer contents are not included, because a worker's memory is small. */
const MAX_INCLUDED = 40_000;
/** Maximum nesting of includes. Deeper includes are not replaced. */
export const maxIncludeDepth = 5;

/**
 * Replaces the expressions, conditions and includes of a document. Values are inserted as text, never as markup.
 * Invalid expressions are left unchanged, and invalid conditions are not met. An include is left unchanged if it is
 * recursive or unknown, or if it would add more than 1 MiB to the document.
 */
export const evaluateTree = (tree: DocumentTree, evaluation: Evaluation): DocumentTree =>
  getResult(evaluateTreeInSteps(tree, evaluation));

/** Like `evaluateTree`, but works in steps. */
export function* evaluateTreeInSteps(tree: DocumentTree, evaluation: Evaluation): TreeSteps<DocumentTree> {
  const evaluator = new Evaluator(evaluation, (markdown) => [parseTree(markdown, { hasKeys: false }).nodes]);
  const nodes = yield* evaluator.evaluateBlocks(tree.nodes, []);
  const { schemaVersion = null } = tree.data;
  const steps: DocumentTree = evaluation.isStrict
    ? { ...tree, data: { schemaVersion }, nodes: yield* omitSources(nodes) }
    : { ...tree, nodes };
  if (evaluation.keys !== 'kept') yield* assignKeys(steps);
  return steps;
}

/**
 * Like `evaluateTreeInSteps`, for blocks that are parsed in pieces. Each step yields the evaluated blocks, which may be
 * none.
 */
export function* evaluateInPieces(pieces: Iterable<Block[]>, evaluation: Evaluation): Generator<Block[]> {
  const evaluator = new Evaluator(evaluation, parseInPieces);
  for (const piece of pieces) {
    const steps = evaluator.evaluateBlocks(piece, []);
    let step = steps.next();
    for (; !step.done; step = steps.next()) yield [];
    yield step.value;
  }
}

class Evaluator {
  readonly #evaluation: Evaluation;
  readonly #parse: (markdown: string) => Iterable<Block[]>;
  #added = 0;

  constructor(evaluation: Evaluation, parse: (markdown: string) => Iterable<Block[]>) {
    this.#evaluation = evaluation;
    this.#parse = parse;
  }

  /** `within` are the contents that include these blocks, innermost last. */
  *evaluateBlocks(nodes: Block[], within: string[]): TreeSteps<Block[]> {
    const blocks: Block[] = [];
    for (const node of nodes) {
      for (const each of yield* this.#evaluateBlock(node, within)) blocks.push(each);
      yield;
    }
    return blocks;
  }

  *#evaluateBlock(node: Block, within: string[]): TreeSteps<Block[]> {
    const { filter } = this.#evaluation;
    if (node.type === 'conditional' && filter !== 'includes') return yield* this.#evaluateConditional(node, within);
    if (node.type === 'reusable-content' && filter !== 'expressions') return yield* this.#include(node, within);
    const nodes: Block['nodes'] = [];
    for (const child of node.nodes)
      for (const each of isBlock(child) ? yield* this.#evaluateBlock(child, within) : this.#evaluateInline(child))
        nodes.push(each);
    const isUnchanged = nodes.length === node.nodes.length && nodes.every((each, index) => each === node.nodes[index]);
    return isUnchanged ? [node] : [{ ...node, nodes, data: removeSource(node.data) }];
  }

  *#evaluateConditional(node: Block, within: string[]): TreeSteps<Block[]> {
    const branch = node.nodes.filter(isBlock).find(({ data }) => {
      const condition = getTextAt(data, 'condition');
      return condition === undefined || Boolean(evaluate(condition, this.#evaluation.scope).value);
    });
    return branch === undefined ? [] : yield* this.evaluateBlocks(branch.nodes.filter(isBlock), within);
  }

  *#include(node: Block, within: string[]): TreeSteps<Block[]> {
    const { contents } = this.#evaluation;
    const { findTarget } = contents.get(within.at(-1) ?? '') ?? this.#evaluation;
    const id = findTarget(getTextAt(node.data.ref, 'url') ?? '');
    const content = id === undefined ? undefined : contents.get(id);
    const fallback = this.#evaluation.isStrict ? [] : [node];
    if (id === undefined || content === undefined) return fallback;
    if (within.includes(id) || within.length >= maxIncludeDepth || !this.#add(content.markdown.length)) return fallback;
    const result: Block[] = [];
    for (const nodes of this.#parse(content.markdown)) {
      const copies = nodes.map((block) => ({ ...block, data: { ...block.data } }));
      const placedBlocks = content.placeBlocks?.(copies) ?? copies;
      for (const block of yield* this.evaluateBlocks(placedBlocks, [...within, id])) result.push(block);
      if (result.length > MAX_INCLUDED) return fallback;
      yield;
    }
    return result;
  }

  #evaluateInline(node: Inline | TextNode): (Inline | TextNode)[] {
    if (node.object === 'text') return [node];
    if (node.type === 'expression' && this.#evaluation.filter !== 'includes') return this.#evaluateExpression(node);
    const nodes = node.nodes.flatMap((child) => this.#evaluateInline(child));
    return nodes.every((each, index) => each === node.nodes[index]) ? [node] : [{ ...node, nodes }];
  }

  #evaluateExpression(node: Inline): (Inline | TextNode)[] {
    const { readable, value } = evaluate(getTextAt(node.data, 'expression') ?? '', this.#evaluation.scope);
    const fallback = this.#evaluation.isStrict ? [] : [node];
    if (!readable || (typeof value === 'object' && value !== null)) return fallback;
    const text = value === undefined || value === null ? '' : String(value);
    if (!this.#add(text.length)) return fallback;
    return text === '' ? [] : [getText(text, getMarks(node.data))];
  }

  #add(length: number): boolean {
    if (this.#added + length > maxAdded) return false;
    this.#added += length;
    return true;
  }
}

/** Removes the source of a changed block. Its other markup, such as its position, is kept. */
function removeSource(data: Block['data']): Block['data'] {
  const { markup, ...rest } = data;
  if (typeof markup !== 'object' || markup === null || Array.isArray(markup)) return rest;
  const { source: _, ...keptMarkup } = markup;
  return Object.keys(keptMarkup).length === 0 ? rest : { ...rest, markup: keptMarkup };
}

const EXPRESSION = /<code class="expression">[^<]*<\/code>/g;
/** Keys of source markup whose values contain text. */
const TEXT_KEYS = new Set(['source', 'before', 'open', 'close', 'of', 'prefix', 'suffix', 'text']);
/** Types of blocks whose text is not evaluated. */
const CODE = new Set(['code', 'code-line', 'math', 'inline-math']);

/** Whether a text may contain conditions, expressions or includes. */
export const mayBeEvaluated = (markdown: string): boolean => /\{[{%]|class="expression"/.test(markdown);

/** Whether evaluated blocks still contain malformed conditions. */
export const hasMalformedConditions = (nodes: Block['nodes']): boolean =>
  nodes.some(
    (node) => isUnread(node) || (node.object !== 'text' && !CODE.has(node.type) && hasMalformedConditions(node.nodes)),
  );

/**
 * Returns evaluated blocks for readers who may not see sources. The result ends before the first malformed condition,
 * and has no expressions and no source markup that contains text.
 */
function* omitSources(blocks: Block[]): TreeSteps<Block[]> {
  const strict = new StrictEvaluator();
  const keptBlocks: Block[] = [];
  for (const block of blocks) {
    keptBlocks.push(...strict.evaluateNodes([block]).filter(isBlock));
    yield;
  }
  return keptBlocks;
}

class StrictEvaluator {
  #isCut = false;

  evaluateNodes(nodes: Block['nodes']): Block['nodes'] {
    const keptNodes: Block['nodes'] = [];
    for (const node of nodes) {
      this.#isCut ||= isUnread(node);
      if (this.#isCut) break;
      if (node.object !== 'text' && node.type === 'markdown') continue;
      keptNodes.push(this.#evaluateNode(node));
    }
    return keptNodes;
  }

  #evaluateNode(node: Block['nodes'][number]): Block['nodes'][number] {
    if (node.object === 'text') return { ...node, leaves: node.leaves.map(toPlainLeaf) };
    if (CODE.has(node.type)) return { ...node, data: cleanMarkup(node.data) };
    return { ...node, data: toPlainData(node.data), nodes: this.evaluateNodes(node.nodes) } as Block | Inline;
  }
}

const isCode = ({ marks }: Leaf): boolean => marks.some(({ type }) => type === 'code');

function isUnread(node: Block | Inline | TextNode): boolean {
  if (node.object === 'text')
    return mayBeConditional(node.leaves.map((leaf) => (isCode(leaf) ? '' : leaf.text)).join(''));
  return !CODE.has(node.type) && node.type !== 'markdown' && hasTag(cleanMarkup(node.data));
}

function hasTag(value: Json): boolean {
  if (typeof value === 'string') return mayBeConditional(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasTag);
}

const getVisibleText = (text: string): string => removeExpressions(text.replace(EXPRESSION, ''));

const toPlainLeaf = (leaf: Leaf): Leaf => (isCode(leaf) ? leaf : { ...leaf, text: getVisibleText(leaf.text) });

const toPlainData = (data: TreeData): TreeData => toPlainValue(cleanMarkup(data)) as TreeData;

function toPlainValue(value: Json): Json {
  if (typeof value === 'string') return getVisibleText(value);
  if (Array.isArray(value)) return value.map(toPlainValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toPlainValue(each)]));
}

/** Removes the markup that can contain text or targets. */
function cleanMarkup({ markup, ...data }: TreeData): TreeData {
  if (typeof markup !== 'object' || markup === null || Array.isArray(markup)) return data;
  const keptEntries = Object.fromEntries(Object.entries(markup).filter(([key]) => !TEXT_KEYS.has(key)));
  return Object.keys(keptEntries).length === 0 ? data : { ...data, markup: keptEntries };
}

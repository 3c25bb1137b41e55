import { assignKeys } from './content-key.ts';
import { type Block, type DocumentTree, type Inline, isBlock, type TextNode, textAt, textOf } from './document-tree.ts';
import { evaluate, type Scope } from './expression.ts';
import { marksOf } from './marks.ts';
import { parseTree } from './parse-tree.ts';

/** What the addresses of a text lead to, by which it includes: ids of contents. */
type TargetOf = (address: string) => string | undefined;

/** A reusable content, with what its own addresses lead to. */
export type Includable = { markdown: string; targetOf: TargetOf };

/** `contents` are reusable contents by their ids, `targetOf` is for the document's own addresses. */
export type Evaluation = { scope: Scope; targetOf: TargetOf; contents: ReadonlyMap<string, Includable> };

const MAX_ADDED = 1024 * 1024;
/** How deep contents include each other; what is deeper stays as it is written. */
export const maxIncludeDepth = 5;

/** The addresses that a document includes. */
export function includesOf(tree: DocumentTree): string[] {
  const found = new Set<string>();
  const visit = (node: Block): void => {
    const url = node.type === 'reusable-content' ? textAt(node.data.ref, 'url') : undefined;
    if (url !== undefined) found.add(url);
    for (const child of node.nodes) if (isBlock(child)) visit(child);
  };
  for (const node of tree.nodes) visit(node);
  return [...found];
}

/**
 * A document with its expressions, conditions and includes replaced by what they stand for. Values are text and never
 * markup. What cannot be read stays as it is written, but for a condition, which is not met; so does an include
 * of itself, of what is not given, and all that would make the document more than 1 MiB longer.
 */
export function evaluateTree(tree: DocumentTree, evaluation: Evaluation): DocumentTree {
  const nodes = new Evaluator(evaluation).blocks(tree.nodes, []);
  const evaluated = { ...tree, nodes };
  assignKeys(evaluated);
  return evaluated;
}

class Evaluator {
  readonly #evaluation: Evaluation;
  #added = 0;

  constructor(evaluation: Evaluation) {
    this.#evaluation = evaluation;
  }

  /** `within` are the contents that these blocks were included by, the innermost last. */
  blocks(nodes: Block[], within: string[]): Block[] {
    return nodes.flatMap((node) => this.#block(node, within));
  }

  #block(node: Block, within: string[]): Block[] {
    if (node.type === 'conditional') return this.#conditional(node, within);
    if (node.type === 'reusable-content') return this.#include(node, within);
    const nodes = node.nodes.flatMap((child): Block['nodes'] =>
      isBlock(child) ? this.#block(child, within) : this.#inline(child),
    );
    const isSame = nodes.length === node.nodes.length && nodes.every((each, index) => each === node.nodes[index]);
    return isSame ? [node] : [{ ...node, nodes, data: withoutSource(node.data) }];
  }

  #conditional(node: Block, within: string[]): Block[] {
    const branch = node.nodes.filter(isBlock).find(({ data }) => {
      const condition = textAt(data, 'condition');
      return condition === undefined || Boolean(evaluate(condition, this.#evaluation.scope).value);
    });
    return branch === undefined ? [] : this.blocks(branch.nodes.filter(isBlock), within);
  }

  #include(node: Block, within: string[]): Block[] {
    const { contents } = this.#evaluation;
    const { targetOf } = contents.get(within.at(-1) ?? '') ?? this.#evaluation;
    const id = targetOf(textAt(node.data.ref, 'url') ?? '');
    const content = id === undefined ? undefined : contents.get(id);
    if (id === undefined || content === undefined) return [node];
    if (within.includes(id) || within.length >= maxIncludeDepth || !this.#add(content.markdown.length)) return [node];
    const { nodes } = parseTree(content.markdown);
    return this.blocks(
      nodes.map((each) => ({ ...each, data: { ...each.data } })),
      [...within, id],
    );
  }

  #inline(node: Inline | TextNode): (Inline | TextNode)[] {
    if (node.object === 'text') return [node];
    if (node.type === 'expression') return this.#expression(node);
    const nodes = node.nodes.flatMap((child) => this.#inline(child));
    return nodes.every((each, index) => each === node.nodes[index]) ? [node] : [{ ...node, nodes }];
  }

  #expression(node: Inline): (Inline | TextNode)[] {
    const { readable, value } = evaluate(textAt(node.data, 'expression') ?? '', this.#evaluation.scope);
    if (!readable || (typeof value === 'object' && value !== null)) return [node];
    const text = value === undefined || value === null ? '' : String(value);
    if (!this.#add(text.length)) return [node];
    return text === '' ? [] : [textOf(text, marksOf(node.data))];
  }

  #add(length: number): boolean {
    if (this.#added + length > MAX_ADDED) return false;
    this.#added += length;
    return true;
  }
}

/** A block that changed has no source; where it stood stays. */
function withoutSource(data: Block['data']): Block['data'] {
  const { markup, ...rest } = data;
  if (typeof markup !== 'object' || markup === null || Array.isArray(markup)) return rest;
  const { source: _, ...kept } = markup;
  return Object.keys(kept).length === 0 ? rest : { ...rest, markup: kept };
}

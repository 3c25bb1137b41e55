import type { Labels, SourceBlock } from './blocks.ts';
import { getBlocksInSteps } from './blocks.ts';
import { readFrontmatter } from './frontmatter.ts';
import { removeCaptions } from './links/target-names.ts';
import { findPieceEnd } from './plain-text.ts';
import { never, splitByConditions } from './split-conditions.ts';
import { isConditional } from './tree/conditions.ts';
import type { Evaluation } from './tree/evaluate-tree.ts';
import { maxIncludeDepth } from './tree/evaluate-tree.ts';
import type { TreeSteps } from './tree/steps.ts';

/**
 * Only this much of a document is split at headings; the rest belongs to the last section. Bounds the cost of hostile
 * input.
 */
const MAX_CUT_LENGTH = 256 * 1024;

/**
 * Maximum length of the texts that a document includes. Search stores these texts for each document, so the limit is
 * lower than the limit for readers.
 */
const maxAdded = 128 * 1024;

/** The texts that a document includes, as `evaluateTree` finds them. */
export type Includes = Pick<Evaluation, 'findTarget' | 'contents'>;

export const noIncludes: Includes = { findTarget: () => undefined, contents: new Map() };

/** Blocks under the same conditions, and the labels of their document. */
export type DocumentPart = { blocks: SourceBlock[]; labels: Labels; conditions: string[] };

/** Returns the parts of a document, without its frontmatter. */
function* getParts(markdown: string): TreeSteps<DocumentPart[]> {
  const { bodyOffset } = readFrontmatter(markdown);
  const body = removeCaptions(markdown.slice(bodyOffset));
  const end = findPieceEnd(body, MAX_CUT_LENGTH);
  const read: DocumentPart[] = [];
  for (const { text, conditions } of splitByConditions(body.slice(0, end)))
    read.push({ ...(yield* getBlocksInSteps(text)), conditions });
  const labels = new Map(read.flatMap((part) => [...part.labels]));
  const parts = read.map((part) => ({ ...part, labels }));
  if (body.length <= end) return parts;
  const rest: SourceBlock = { kind: 'text', source: body.slice(end), lines: undefined, ids: [] };
  return [...parts, { blocks: [rest], labels, conditions: isConditional(body) ? [never] : [] }];
}

/** Whether a document has a malformed condition. Its content after that condition is never shown. */
const isCut = (parts: DocumentPart[]): boolean => parts.at(-1)?.conditions.join() === never;

/** The reusable contents that include a part, innermost last, and the conditions of the include. */
interface IncludeContext {
  within: string[];
  conditions: string[];
  /** Whether headings of the part are headings of the document. */
  isTop: boolean;
}

/** Returns the parts of a document, and the parts of the texts that the document includes. */
export function* getPartsWithIncludes(markdown: string, includes: Includes): TreeSteps<DocumentPart[]> {
  const includer = new Includer(includes);
  yield* includer.expand(yield* getParts(markdown), { within: [], conditions: [], isTop: true });
  return includer.parts;
}

/** Replaces includes with the parts of the included texts, as `evaluateTree` does. */
class Includer {
  readonly parts: DocumentPart[] = [];
  readonly #includes: Includes;
  #added = 0;
  #isCut = false;

  constructor(includes: Includes) {
    this.#includes = includes;
  }

  *expand(parts: DocumentPart[], { within, conditions: outer, isTop }: IncludeContext): TreeSteps<void> {
    for (const { blocks, labels, conditions: inner } of parts) {
      const conditions = [...new Set([...outer, ...inner])];
      let from = 0;
      for (const [index, block] of blocks.entries()) {
        if (block.kind !== 'include') continue;
        this.#add({ blocks: blocks.slice(from, index), labels, conditions }, isTop);
        from = index + 1;
        const included = yield* this.#include(block.source, within);
        if (included === undefined) continue;
        const place = { within: [...within, included.id], conditions, isTop: isTop && block.isTop };
        yield* this.expand(included.parts, place);
        // Visitors see nothing after a malformed condition, not even of the text that includes it.
        this.#isCut ||= isCut(included.parts);
      }
      this.#add({ blocks: blocks.slice(from), labels, conditions }, isTop);
    }
  }

  #add({ blocks, labels, conditions }: DocumentPart, isTop: boolean): void {
    this.parts.push({
      blocks: isTop ? blocks : blocks.map(toText),
      labels,
      conditions: this.#isCut ? [...new Set([...conditions, never])] : conditions,
    });
  }

  *#include(address: string, within: string[]): TreeSteps<{ id: string; parts: DocumentPart[] } | undefined> {
    const { contents, findTarget } = this.#includes;
    const id = (contents.get(within.at(-1) ?? '')?.findTarget ?? findTarget)(address);
    const content = id === undefined ? undefined : contents.get(id);
    if (id === undefined || content === undefined || within.includes(id) || within.length >= maxIncludeDepth)
      return undefined;
    if (this.#added + content.markdown.length > maxAdded) return undefined;
    this.#added += content.markdown.length;
    return { id, parts: yield* getParts(content.markdown) };
  }
}

const toText = (block: SourceBlock): SourceBlock =>
  block.kind === 'heading'
    ? { kind: block.isHtml ? 'html' : 'text', source: block.source, lines: block.lines, ids: [] }
    : block;

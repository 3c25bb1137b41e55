import { type Block, type Inline, isBlock, type TextNode, textAt } from '@octavo/markdown';
import { matchLines } from './lines.ts';

/** Two blocks; the second is the successor of the first. */
type Pair = [was: Block, is: Block];

/** The differing blocks between two pairs of equal blocks, and the pair that follows. The last region has no pair. */
export interface Region {
  was: Block[];
  is: Block[];
  kept: Pair | undefined;
}

/**
 * Maximum number of block pairs whose words one comparison compares, and maximum length of the compared text of a
 * block. Other blocks are paired only by position.
 */
const MAX_COMPARED = 20_000;
const MAX_TEXT = 4_000;

export const getContent = ({ key = '' }: Block): string => key.split('-')[0] ?? '';

/** Aligns the blocks of two lists by their content. */
export function findRegions(then: Block[], now: Block[]): Region[] {
  const number = createNumbering();
  const matches = matchLines(number(then), number(now)) ?? new Int32Array(then.length).fill(-1);
  const regions: Region[] = [];
  let [from, to] = [0, 0];
  matches.forEach((match, index) => {
    const [was, is] = [then[index], now[match]];
    if (was === undefined || is === undefined) return;
    regions.push({ was: then.slice(from, index), is: now.slice(to, match), kept: [was, is] });
    [from, to] = [index + 1, match + 1];
  });
  return [...regions, { was: then.slice(from), is: now.slice(to), kept: undefined }];
}

/** Returns the kind of a block without its level or variant. */
const getKind = ({ type }: Block): string => type.split('-')[0] ?? '';

/**
 * Returns a function that numbers blocks. Blocks with equal content get equal numbers, regardless of the index of a
 * repeated block.
 */
function createNumbering(): (nodes: Block[]) => Int32Array {
  const numbers = new Map<string, number>();
  return (nodes) =>
    Int32Array.from(nodes, (node) => {
      const content = getContent(node);
      const number = numbers.get(content) ?? numbers.size;
      numbers.set(content, number);
      return number;
    });
}

/** Cached words of blocks, for comparing one text with several others. */
export type BlockWords = WeakMap<Block, Set<string>>;

/** Pairs blocks with the blocks that they became. */
export class BlockPairing {
  readonly #words: BlockWords;
  #compared = 0;

  constructor(words: BlockWords) {
    this.#words = words;
  }

  /** Pairs blocks that share half of their words, the most similar first, and the remaining ones by position. */
  pairsOf(was: Block[], is: Block[]): Pair[] {
    const pairs = was.length === 1 && is.length === 1 ? [] : this.#alike(was, is);
    const paired = new Set(pairs.flat());
    const [left, right] = [was, is].map((list) => list.filter((node) => !paired.has(node)));
    if (left === undefined || right === undefined || left.length !== right.length) return pairs;
    return [...pairs, ...zip(left, right).filter(([one, other]) => getKind(one) === getKind(other))];
  }

  #alike(was: Block[], is: Block[]): Pair[] {
    if (was.length * is.length > MAX_COMPARED - this.#compared) return [];
    this.#compared += was.length * is.length;
    const found = was.flatMap((one, from) =>
      is.flatMap((other, to) => {
        const share = this.#share(one, other);
        return share < 0.5 ? [] : [{ pair: [one, other] as Pair, share, distance: Math.abs(from - to) }];
      }),
    );
    const taken = new Set<Block>();
    return found
      .sort((one, other) => other.share - one.share || one.distance - other.distance)
      .flatMap(({ pair }) => {
        if (pair.some((node) => taken.has(node))) return [];
        for (const node of pair) taken.add(node);
        return [pair];
      });
  }

  #share(one: Block, other: Block): number {
    const [words, others] = [this.#wordsOf(one), this.#wordsOf(other)];
    let common = 0;
    for (const word of words) if (others.has(word)) common += 1;
    return (2 * common) / Math.max(1, words.size + others.size);
  }

  #wordsOf(node: Block): Set<string> {
    const words = this.#words.get(node) ?? new Set(getBlockText(node, MAX_TEXT).match(/[\p{L}\p{N}]+/gu) ?? []);
    this.#words.set(node, words);
    return words;
  }
}

export const zip = (was: Block[], is: Block[]): Pair[] =>
  was.flatMap((one, index): Pair[] => {
    const other = is[index];
    return other === undefined ? [] : [[one, other]];
  });

const MAX_LENGTH = 200;
/** Attributes of a block or inline whose values are visible text. */
const visibleAttributes = [
  'title',
  'caption',
  'alt',
  'formula',
  'expression',
  'html',
  'markdown',
  'user',
  'url',
] as const;
/** Only this much of a text is read, because it can consist of white space. */
const maxReadLength = 10_000;

/** Returns the plain text of a block on one line: at most 200 characters, the last an ellipsis if there are more. */
export function getPreview(node: Block): string {
  const text = getBlockText(node, maxReadLength).replace(/\s+/gu, ' ').trim();
  if (text.length <= MAX_LENGTH) return text;
  const cut = text.slice(0, MAX_LENGTH - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

/** Returns the text of a block and its descendants, up to about `limit` characters. */
function getBlockText(node: Block, limit: number): string {
  const parts: string[] = [];
  let length = 0;
  const put = (text: string): void => {
    parts.push(text.slice(0, limit - length));
    length += text.length;
  };
  const visit = (each: Block | Inline | TextNode): void => {
    if (length >= limit) return;
    if (each.object === 'text') {
      for (const { text } of each.leaves) put(text);
      return;
    }
    put(getAttributeText(each));
    for (const child of each.nodes) visit(child);
    if (isBlock(each)) put(' ');
  };
  visit(node);
  return parts.join('').toWellFormed();
}

function getAttributeText({ type, data, nodes }: Block | Inline): string {
  if (type === 'emoji') return `:${textAt(data, 'name') ?? ''}:`;
  if (type === 'hard-break') return ' ';
  const values = visibleAttributes.map(
    (key) => textAt(data, key) ?? (nodes.length === 0 ? textAt(data.ref, key) : undefined),
  );
  const text = values.find((each) => each !== undefined && each !== '') ?? '';
  return type === 'mention' && text !== '' ? `@${text}` : text;
}

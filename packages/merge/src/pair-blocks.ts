import { type Block, getTextAt, type Inline, isBlock, type TextNode, type TreeSteps } from '@octavo/markdown';
import { matchLinesInSteps } from './lines.ts';

/** Two blocks; the second is the successor of the first. */
type Pair = [was: Block, is: Block];

/** The differing blocks between two pairs of equal blocks, and the pair that follows. The last region has no pair. */
export interface Region {
  former: Block[];
  current: Block[];
  keptPair: Pair | undefined;
}

/**
 * Maximum number of block pairs whose words one comparison compares, and maximum length of the compared text of a
 * block. Other blocks are paired only by position.
 */
const MAX_COMPARED = 20_000;
const MAX_TEXT = 4_000;

/** Estimated durations: of reading the content of a block, of comparing the words of two blocks, and of finding them. */
export const microsecondsPerBlock = 1;
const microsecondsPerPair = 2;
const microsecondsPerNewPair = 100;

export const getContent = ({ key = '' }: Pick<Block, 'key'>): string => key.split('-')[0] ?? '';

/** Aligns the blocks of two lists by their content. */
export function* findRegions(former: Block[], now: Block[]): TreeSteps<Region[]> {
  const number = createNumbering();
  const [formerNumbers, currentNumbers] = [yield* number(former), yield* number(now)];
  const matches = (yield* matchLinesInSteps(formerNumbers, currentNumbers)) ?? new Int32Array(former.length).fill(-1);
  const regions: Region[] = [];
  let [from, to] = [0, 0];
  for (const [index, match] of matches.entries()) {
    const [formerBlock, currentBlock] = [former[index], now[match]];
    if (formerBlock === undefined || currentBlock === undefined) continue;
    regions.push({
      former: former.slice(from, index),
      current: now.slice(to, match),
      keptPair: [formerBlock, currentBlock],
    });
    [from, to] = [index + 1, match + 1];
    yield microsecondsPerBlock;
  }
  regions.push({ former: former.slice(from), current: now.slice(to), keptPair: undefined });
  return regions;
}

/** Returns the kind of a block without its level or variant. */
const getKind = ({ type }: Block): string => type.split('-')[0] ?? '';

/**
 * Returns a function that numbers blocks. Blocks with equal content get equal numbers, regardless of the index of a
 * repeated block.
 */
function createNumbering(): (nodes: Block[]) => TreeSteps<Int32Array> {
  const numbers = new Map<string, number>();
  return function* (nodes) {
    const result = new Int32Array(nodes.length);
    for (const [index, node] of nodes.entries()) {
      const content = getContent(node);
      const number = numbers.get(content) ?? numbers.size;
      numbers.set(content, number);
      result[index] = number;
      yield microsecondsPerBlock;
    }
    return result;
  };
}

/** Cached words of blocks, for comparing one text with several others. */
export type BlockWords = WeakMap<Block, Set<string>>;

/** Pairs earlier blocks with their current versions. */
export class BlockPairing {
  readonly #words: BlockWords;
  #compared = 0;

  constructor(words: BlockWords) {
    this.#words = words;
  }

  /** Pairs blocks that share half of their words, the most similar first, and the remaining ones by position. */
  *pairBlocks(former: Block[], current: Block[]): TreeSteps<Pair[]> {
    const pairs = former.length === 1 && current.length === 1 ? [] : yield* this.#pairAlike(former, current);
    const paired = new Set(pairs.flat());
    const [unpairedFormer, right] = [former, current].map((list) => list.filter((node) => !paired.has(node)));
    if (unpairedFormer === undefined || right === undefined || unpairedFormer.length !== right.length) return pairs;
    return [...pairs, ...pairByIndex(unpairedFormer, right).filter(([one, other]) => getKind(one) === getKind(other))];
  }

  *#pairAlike(former: Block[], current: Block[]): TreeSteps<Pair[]> {
    if (former.length * current.length > MAX_COMPARED - this.#compared) return [];
    this.#compared += former.length * current.length;
    const candidates: { pair: Pair; share: number; distance: number }[] = [];
    for (const [from, one] of former.entries())
      for (const [to, other] of current.entries()) {
        const isNew = [one, other].some((node) => !this.#words.has(node));
        const share = this.#getSimilarity(one, other);
        if (share >= 0.5) candidates.push({ pair: [one, other], share, distance: Math.abs(from - to) });
        yield isNew ? microsecondsPerNewPair : microsecondsPerPair;
      }
    const pairedBlocks = new Set<Block>();
    return candidates
      .sort((one, other) => other.share - one.share || one.distance - other.distance)
      .flatMap(({ pair }) => {
        if (pair.some((node) => pairedBlocks.has(node))) return [];
        for (const node of pair) pairedBlocks.add(node);
        return [pair];
      });
  }

  #getSimilarity(one: Block, other: Block): number {
    const [words, others] = [this.#getWords(one), this.#getWords(other)];
    let common = 0;
    for (const word of words) if (others.has(word)) common += 1;
    return (2 * common) / Math.max(1, words.size + others.size);
  }

  #getWords(node: Block): Set<string> {
    const words = this.#words.get(node) ?? new Set(getBlockText(node, MAX_TEXT).match(/[\p{L}\p{N}]+/gu) ?? []);
    this.#words.set(node, words);
    return words;
  }
}

export const pairByIndex = (former: Block[], current: Block[]): Pair[] =>
  former.flatMap((one, index): Pair[] => {
    const other = current[index];
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
/**
 * Maximum number of characters of a text that are read for a preview, because a text can consist of white space only.
 */
const maxReadLength = 10_000;

/** Returns the plain text of a block on one line: at most 200 characters, the last an ellipsis if there are more. */
export function getPreview(node: Block): string {
  const text = getBlockText(node, maxReadLength).replace(/\s+/gu, ' ').trim();
  if (text.length <= MAX_LENGTH) return text;
  const cut = text.slice(0, MAX_LENGTH - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

/** Returns the text of a block and its descendants, up to about `limit` characters. */
export function getBlockText(node: Block, limit: number): string {
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
  if (type === 'emoji') return `:${getTextAt(data, 'name') ?? ''}:`;
  if (type === 'hard-break') return ' ';
  const values = visibleAttributes.map(
    (key) => getTextAt(data, key) ?? (nodes.length === 0 ? getTextAt(data.ref, key) : undefined),
  );
  const text = values.find((each) => each !== undefined && each !== '') ?? '';
  return type === 'mention' && text !== '' ? `@${text}` : text;
}

import { type FrontmatterBlock, findFrontmatterBlock } from '@octavo/markdown';
import { isScalar, visit, type YAMLMap } from 'yaml';
import type { MergedPiece, TextVersions } from './merge-lines.ts';

/** The source of a frontmatter block: its entries by key, and its fences. */
interface Block {
  open: string;
  entries: Map<string, string>;
  close: string;
  body: string;
  reading: FrontmatterBlock['reading'];
}

/**
 * Merges the frontmatter of three texts entry by entry, regardless of the order of entries. Returns the bodies
 * unmerged. Returns undefined if a side has no frontmatter, or entries that do not consist of whole lines.
 */
export function mergeFrontmatter(texts: TextVersions): { pieces: MergedPiece[]; bodies: TextVersions } | undefined {
  const [main, incoming] = [readBlock(texts.main), readBlock(texts.incoming)];
  const isNone = !/^\ufeff?(?:---|\+\+\+)/.test(texts.base);
  const base = isNone ? { ...noBlock, body: texts.base, reading: main?.reading ?? 'yaml' } : readBlock(texts.base);
  if (base === undefined || main === undefined || incoming === undefined) return undefined;
  if ([base, main, incoming].some(({ reading }) => (reading === 'toml') !== (main.reading === 'toml')))
    return undefined;
  const bodies = { base: base.body, main: main.body, incoming: incoming.body };
  if (isSameBlock(base, incoming) || isSameBlock(main, incoming)) return { pieces: [readHead(main)], bodies };
  if (isSameBlock(base, main)) return { pieces: [readHead(incoming)], bodies };
  const merged = mergeEntries(base.entries, main.entries, incoming.entries);
  const pieces = [main.open, ...merged, main.close];
  const modes = new Set([base, main, incoming].map(({ reading }) => reading));
  const block = isWithoutConflicts(pieces) ? findFrontmatterBlock(pieces.join('')) : main;
  if (block === undefined || !modes.has(block.reading)) return undefined;
  return { pieces, bodies };
}

const isWithoutConflicts = (pieces: MergedPiece[]): pieces is string[] =>
  pieces.every((piece) => typeof piece === 'string');

const noBlock = { open: '', entries: new Map<string, string>(), close: '' };

function readBlock(text: string): Block | undefined {
  const block = findFrontmatterBlock(text);
  if (block === undefined || block.map.flow === true || hasAlias(block.map)) return undefined;
  const { sourceOffset, bodyOffset, map, reading } = block;
  const closeAt = text.lastIndexOf('\n', bodyOffset - 2) + 1;
  const source = text.slice(sourceOffset, closeAt);
  const starts = new Map<string, number>();
  for (const { key } of map.items) {
    const offset = isScalar(key) ? key.range?.[0] : undefined;
    if (offset === undefined || !isScalar(key) || starts.has(String(key.value))) return undefined;
    if (offset > 0 && source[offset - 1] !== '\n') return undefined;
    starts.set(String(key.value), includeComments(source, offset));
  }
  const [first = 0, ...ends] = [...starts.values(), source.length];
  if (first !== 0) return undefined;
  const entries = [...starts].map(([key, start], index): [string, string] => [key, source.slice(start, ends[index])]);
  return {
    open: text.slice(0, sourceOffset),
    entries: new Map(entries),
    close: text.slice(closeAt, bodyOffset),
    body: text.slice(bodyOffset),
    reading,
  };
}

/** Whether the map contains a YAML alias, whose value is in another entry. */
function hasAlias(map: YAMLMap): boolean {
  let isFound = false;
  visit(map, {
    Alias: () => {
      isFound = true;
      return visit.BREAK;
    },
  });
  return isFound;
}

/** Comments directly above an entry belong to it. */
function includeComments(source: string, start: number): number {
  const findLineStart = (offset: number): number => source.lastIndexOf('\n', offset - 2) + 1;
  let first = start;
  while (first > 0 && source[findLineStart(first)] === '#') first = findLineStart(first);
  return first;
}

const readHead = ({ open, entries, close }: Block): string => open + [...entries.values()].join('') + close;

const isSameBlock = (one: Block, other: Block): boolean => readHead(one) === readHead(other);

type Entries = ReadonlyMap<string, string>;

function mergeEntries(base: Entries, main: Entries, incoming: Entries): MergedPiece[] {
  return orderKeys(main, incoming).map((key) => {
    const [baseEntry, ours, theirs] = [base.get(key), main.get(key), incoming.get(key)];
    if (theirs === baseEntry || theirs === ours) return ours ?? '';
    if (ours === baseEntry) return theirs ?? '';
    return { base: baseEntry ?? '', main: ours ?? '', incoming: theirs ?? '' };
  });
}

/**
 * Returns the keys in the order of main. A key that only the incoming side has is placed after the key that it follows
 * there.
 */
function orderKeys(main: Entries, incoming: Entries): string[] {
  const after = new Map<string | undefined, string[]>();
  let previous: string | undefined;
  for (const key of incoming.keys()) {
    if (main.has(key)) previous = key;
    else after.set(previous, [...(after.get(previous) ?? []), key]);
  }
  return [...(after.get(undefined) ?? []), ...[...main.keys()].flatMap((key) => [key, ...(after.get(key) ?? [])])];
}

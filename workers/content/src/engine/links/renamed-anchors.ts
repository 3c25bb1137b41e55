import { type Anchor, type AnchoredText, anchoredTexts } from '@octavo/markdown';
import type { Node } from '@octavo/merge';

/** What is kept of the former names of a page's headings at most. */
const maxKept = 200;
const maxKeptLength = 20_000;

/** How much of texts that are replaced one batch compares by their headings, in characters. */
const maxCompared = 500_000;

type Kept = Record<string, string>;
const none: Kept = {};

/** What is known of the pages that a batch writes: their states, and texts by their hashes. */
interface FormerTexts {
  loaded: (node: Node) => Node | undefined;
  content: { texts: ReadonlyMap<string, string> };
}

/**
 * Gives the anchors that headings of a page had before a text, as far as the text before is known. What one batch reads
 * for it is bounded: pages beyond keep what they had.
 */
export function anchorsBefore(tree: FormerTexts): (node: Node, now: string | undefined) => Node['anchors'] {
  let length = 0;
  return (node, now) => {
    const former = tree.loaded(node)?.document;
    if (node.kind !== 'page' || former == null) return undefined;
    if (former === node.document) return node.anchors;
    const before = tree.content.texts.get(former);
    length += (before?.length ?? 0) + (now?.length ?? 0);
    const isKnown = before !== undefined && now !== undefined && length <= maxCompared;
    return isKnown ? renamedAnchors(before, now, node.anchors) : node.anchors;
  };
}

/**
 * The former anchors of a page's headings, to the ids that these have now: those that were kept before, and those of
 * headings that a new text gives another title in the same place. Undefined where there are none.
 */
export function renamedAnchors(former: string, now: string, kept: Kept = none): Kept | undefined {
  if (headingLines(former) === headingLines(now)) return kept === none ? undefined : kept;
  const [before, after] = [anchoredTexts(former), anchoredTexts(now)];
  const renamed = new Map(
    pairsOf(before, after, isSameBelow(former, now)).flatMap(([old, { id }]) => namesOf(old).map((name) => [name, id])),
  );
  const there = new Set(after.flatMap(namesOf));
  const all = new Map([
    ...Object.entries(kept).map(([name, id]) => [name, renamed.get(id) ?? id] as const),
    ...renamed,
  ]);
  const left = [...all].filter(([name, id]) => !there.has(name) && there.has(id)).slice(-maxKept);
  let length = 0;
  const some = left.toReversed().filter(([name, id]) => {
    length += name.length + id.length;
    return length <= maxKeptLength;
  });
  return some.length === 0 ? undefined : Object.fromEntries(some.reverse());
}

/** All lines that may make headings or ids: where they are the same, nothing is read further. */
const headingLines = (text: string): string =>
  text
    .split('\n')
    .filter((line, index, lines) => mayName.test(line) || isUnderline.test(lines[index + 1] ?? ''))
    .join('\n');

const mayName = /^[ \t>]{0,9}(?:#|```|~~~)|<[a-z/!]|\{[%:#]|[{\s]#\S/i;
const isUnderline = /^[ \t]{0,3}(?:=+|-+)[ \t]*$/;

const namesOf = ({ id, aliases }: Anchor): string[] => [id, ...aliases];

/** Whether the texts differ in nothing but lines of headings. */
function isSameBelow(former: string, now: string): boolean {
  const below = (text: string): string => text.replace(/^ {0,3}#{1,6}[ \t].*$/gm, '#');
  return below(former) === below(now);
}

/**
 * Headings with another title in the same place: between headings that are in both texts, as many as before and of the
 * same levels, and with mostly the same text below. Where much else has changed, a heading in the same place is no
 * longer the same.
 */
function pairsOf(former: AnchoredText[], now: AnchoredText[], isSure: boolean): [Anchor, Anchor][] {
  const [before, after] = [former, now].map((all) => all.filter(({ level }) => level > 0)) as [
    AnchoredText[],
    AnchoredText[],
  ];
  const gaps = gapsOf(before, after);
  const changed = gaps.reduce((sum, gap) => sum + gap.before.length, 0);
  if (!isSure && changed > before.length - changed) return [];
  return gaps
    .filter((gap) => levelsOf(gap.before) === levelsOf(gap.after))
    .flatMap((gap) => gap.before.map((each, index): [AnchoredText, AnchoredText] => [each, gap.after[index] ?? each]))
    .filter(([old, { below }]) => isMostly(old.below, below));
}

const levelsOf = (headings: Anchor[]): string => headings.map(({ level }) => level).join(' ');

/** Whether at least half of the lines of each of two texts are in the other. */
function isMostly(former: string, now: string): boolean {
  if (former === now) return true;
  const [before, after] = [former, now].map((text) => text.split('\n').filter((line) => line.trim() !== '')) as [
    string[],
    string[],
  ];
  const left = new Map<string, number>();
  for (const line of before) left.set(line, (left.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of after) {
    const count = left.get(line) ?? 0;
    if (count > 0) shared += 1;
    left.set(line, count - 1);
  }
  return shared * 2 >= Math.max(before.length, after.length);
}

interface Gap {
  before: AnchoredText[];
  after: AnchoredText[];
}

/** What stands between headings that are in both, in the order of both. */
function gapsOf(before: AnchoredText[], after: AnchoredText[]): Gap[] {
  const places = new Map(after.map(({ id }, index) => [id, index]));
  const gaps: Gap[] = [];
  let open: Gap = { before: [], after: [] };
  let next = 0;
  for (const heading of before) {
    const place = places.get(heading.id) ?? -1;
    if (place < next) open.before.push(heading);
    else {
      gaps.push({ ...open, after: after.slice(next, place) });
      open = { before: [], after: [] };
      next = place + 1;
    }
  }
  gaps.push({ ...open, after: after.slice(next) });
  return gaps.filter((gap) => gap.before.length > 0);
}

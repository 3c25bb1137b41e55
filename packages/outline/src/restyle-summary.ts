import { readSummary } from './parse-summary.ts';
import { anchorIn, type SummaryEntry, type SummaryItem, writeSummary } from './summary.ts';
import {
  getUnits,
  Keys,
  type RestyledEntry,
  type RestyledItem,
  SummaryWriter,
  type Unit,
  walkItems,
} from './summary-writer.ts';

/**
 * Pairs items with the former lines of the same thing. If there are several, such as links, the one with the same title
 * is preferred. A part also pairs by its first entry.
 */
function pairUnits(items: RestyledItem[], units: Unit[], keys: Keys): Map<RestyledItem, Unit> {
  const pairs = new Map<RestyledItem, Unit>();
  const used = new Set<Unit>();
  const take = (item: RestyledItem, unit: Unit | undefined) => {
    if (unit === undefined) return;
    pairs.set(item, unit);
    used.add(unit);
  };
  const titled = (key: string, title: string | undefined) => `${key}\n${title}`;
  const byTitle = queues(units, (unit) => titled(unit.key, unit.item?.title));
  const byKey = queues(units, (unit) => unit.key);
  for (const item of items) take(item, getNext(byTitle.get(titled(keys.of(item), item.title)), used));
  for (const item of items) if (!pairs.has(item)) take(item, getNext(byKey.get(keys.of(item)), used));
  const groups = new Map(units.map((unit) => [unit.item, unit]));
  for (const item of items) {
    const [first] = item.items;
    const unit = item.type === 'group' && first && !pairs.has(item) ? groups.get(pairs.get(first)?.group) : undefined;
    if (unit?.item?.type === 'group' && !used.has(unit)) take(item, unit);
  }
  return pairs;
}

function queues(units: Unit[], keyOf: (unit: Unit) => string): Map<string, Unit[]> {
  const found = new Map<string, Unit[]>();
  for (const unit of units.toReversed()) {
    const queue = found.get(keyOf(unit)) ?? [];
    queue.push(unit);
    found.set(keyOf(unit), queue);
  }
  return found;
}

function getNext(queue: Unit[] | undefined, used: ReadonlySet<Unit>): Unit | undefined {
  for (let unit = queue?.pop(); unit !== undefined; unit = queue?.pop()) if (!used.has(unit)) return unit;
  return undefined;
}

interface RestyleOptions {
  /** The folder of the summary. Destinations are relative to it. */
  folder?: string;
  /** The paths of the files that destinations can name. */
  files?: ReadonlySet<string>;
}

/**
 * Writes items as a minimal change of a former summary. Lines that still apply are kept as they are, with comments,
 * bullets and anchors. New lines follow the same style. If the result would parse differently, the whole summary is
 * written again.
 */
export function restyleSummary(
  former: string,
  items: RestyledItem[],
  { folder = '', files = new Set() }: RestyleOptions = {},
): string {
  const keys = new Keys(folder, files);
  const wanted = getRows(items, keys);
  const says = (text: string) => isSame(getRows(readSummary(text).items, keys), wanted);
  if (former !== '' && says(former)) return former;
  const { preamble, units, tail, style, end } = getUnits(former, keys);
  const lean = withoutNeedlessMarks(items, keys);
  const lines = [
    ...preamble,
    ...new SummaryWriter(style, pairUnits([...walkItems(lean)], units, keys), units).write(lean),
    ...tail,
  ];
  while (former === '' && lines.at(-1) === '') lines.pop();
  const text = lines.join(end);
  const written = former === '' || /[\r\n]$/.test(former) ? `${text}${end}` : text;
  return says(written) ? written : writeSummary(lean, style);
}

/** Removes link marks from entries whose page is listed before. */
function withoutNeedlessMarks(items: RestyledItem[], keys: Keys): RestyledItem[] {
  const named = new Set<string>();
  const lean = <Item extends RestyledItem>(item: Item): Item => {
    if (item.type === 'group') return { ...item, items: item.items.map(lean) };
    const key = keys.of(item);
    const isNamed = item.marks.includes('link') && named.has(key);
    if (!item.marks.includes('link')) named.add(key);
    const kept = item.marks.filter((mark) => mark !== 'link' || !isNamed);
    return { ...item, marks: kept, items: item.items.map(lean) };
  };
  return items.map(lean);
}

/** The properties of an item that must survive: its position, its target, and whatever no other file defines. */
interface Row {
  place: string;
  title: string | undefined;
  hidden: boolean | undefined;
  /** The anchor that a link leads to. Ignored if the wanted entry has none. */
  anchor: string | undefined;
}

function getRows(items: readonly SummaryItem[] | readonly RestyledItem[], keys: Keys): Row[] {
  const named = new Set<string>();
  const whole = wholeFiles(items, keys);
  const rows: Row[] = [];
  const add = (item: SummaryItem | RestyledItem, depth: number) => {
    const key = keys.of(item);
    const isAgain = (entry: SummaryEntry) =>
      entry.marks.includes('link') || named.has(key) || (whole.has(key) && keys.isPlace(entry));
    const isLink = item.type === 'entry' && key.startsWith('file:') && isAgain(item);
    if (item.type === 'entry' && !isLink) named.add(key);
    const isHidden = item.type === 'entry' && item.marks.includes('hidden');
    const { titleIsElsewhere, hiddenIsElsewhere } = item as Partial<RestyledEntry>;
    rows.push({
      place: `${depth} ${isLink} ${key}`,
      title: titleIsElsewhere ? undefined : item.title,
      hidden: hiddenIsElsewhere ? undefined : isHidden,
      anchor: isLink ? anchorIn(item.destination ?? '') : undefined,
    });
    for (const child of item.items) add(child, depth + 1);
  };
  for (const item of items) add(item, 0);
  return rows;
}

/**
 * Returns the files that an entry names without an anchor. Entries with an anchor of such a file are links to its page.
 */
function wholeFiles(items: readonly SummaryItem[], keys: Keys): Set<string> {
  const entries = [...walkItems(items)].filter((item) => item.type === 'entry');
  const whole = entries.filter((entry) => !entry.marks.includes('link') && !keys.isPlace(entry));
  return new Set(whole.map((entry) => keys.of(entry)));
}

const isSame = (read: Row[], wanted: Row[]): boolean =>
  read.length === wanted.length &&
  read.every(({ place, title, hidden, anchor }, index) => {
    const other = wanted[index];
    const isFine = other?.place === place && (other.title === undefined || other.title === title);
    return (
      isFine &&
      (other.anchor === undefined || other.anchor === anchor) &&
      (other.hidden === undefined || other.hidden === hidden)
    );
  });

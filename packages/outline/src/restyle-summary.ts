import { readSummary } from './parse-summary.ts';
import { getAnchor, type SummaryEntry, type SummaryItem, writeSummary } from './summary.ts';
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
 * Pairs items with the former lines of the same page, link or group. If several lines match, as for links, the one with
 * the same title is preferred. A group also matches by its first entry.
 */
function pairUnits(items: RestyledItem[], units: Unit[], keys: Keys): Map<RestyledItem, Unit> {
  const pairs = new Map<RestyledItem, Unit>();
  const used = new Set<Unit>();
  const assignUnit = (item: RestyledItem, unit: Unit | undefined) => {
    if (unit === undefined) return;
    pairs.set(item, unit);
    used.add(unit);
  };
  const getUnitKey = (key: string, title: string | undefined) => `${key}\n${title}`;
  const byTitle = groupIntoQueues(units, (unit) => getUnitKey(unit.key, unit.item?.title));
  const byKey = groupIntoQueues(units, (unit) => unit.key);
  for (const item of items)
    assignUnit(item, getNextUnused(byTitle.get(getUnitKey(keys.getKey(item), item.title)), used));
  for (const item of items) if (!pairs.has(item)) assignUnit(item, getNextUnused(byKey.get(keys.getKey(item)), used));
  const groups = new Map(units.map((unit) => [unit.item, unit]));
  for (const item of items) {
    const [first] = item.items;
    const unit = item.type === 'group' && first && !pairs.has(item) ? groups.get(pairs.get(first)?.group) : undefined;
    if (unit?.item?.type === 'group' && !used.has(unit)) assignUnit(item, unit);
  }
  return pairs;
}

function groupIntoQueues(units: Unit[], getKey: (unit: Unit) => string): Map<string, Unit[]> {
  const unitsByKey = new Map<string, Unit[]>();
  for (const unit of units.toReversed()) {
    const queue = unitsByKey.get(getKey(unit)) ?? [];
    queue.push(unit);
    unitsByKey.set(getKey(unit), queue);
  }
  return unitsByKey;
}

function getNextUnused(queue: Unit[] | undefined, used: ReadonlySet<Unit>): Unit | undefined {
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
  formerText: string,
  items: RestyledItem[],
  { folder = '', files = new Set() }: RestyleOptions = {},
): string {
  const keys = new Keys(folder, files);
  const wantedRows = getRows(items, keys);
  const isEquivalent = (text: string) => isSameRows(getRows(readSummary(text).items, keys), wantedRows);
  if (formerText !== '' && isEquivalent(formerText)) return formerText;
  const { preamble, units, tail, style, end } = getUnits(formerText, keys);
  const minimalItems = removeNeedlessMarks(items, keys);
  const lines = [
    ...preamble,
    ...new SummaryWriter(style, pairUnits([...walkItems(minimalItems)], units, keys), units).write(minimalItems),
    ...tail,
  ];
  while (formerText === '' && lines.at(-1) === '') lines.pop();
  const text = lines.join(end);
  const result = formerText === '' || /[\r\n]$/.test(formerText) ? `${text}${end}` : text;
  return isEquivalent(result) ? result : writeSummary(minimalItems, style);
}

/** Removes the `link` mark from entries whose page an earlier entry already lists. */
function removeNeedlessMarks(items: RestyledItem[], keys: Keys): RestyledItem[] {
  const namedFiles = new Set<string>();
  const minimize = <Item extends RestyledItem>(item: Item): Item => {
    if (item.type === 'group') return { ...item, items: item.items.map(minimize) };
    const key = keys.getKey(item);
    const isNamed = item.marks.includes('link') && namedFiles.has(key);
    if (!item.marks.includes('link')) namedFiles.add(key);
    const keptMarks = item.marks.filter((mark) => mark !== 'link' || !isNamed);
    return { ...item, marks: keptMarks, items: item.items.map(minimize) };
  };
  return items.map(minimize);
}

/**
 * The properties of an item that a rewritten summary must preserve: its position, its target, and everything that no
 * other file defines.
 */
interface Row {
  place: string;
  title: string | undefined;
  hidden: boolean | undefined;
  /** The anchor that a link points to; ignored if the requested entry has no anchor. */
  anchor: string | undefined;
}

function getRows(items: readonly SummaryItem[] | readonly RestyledItem[], keys: Keys): Row[] {
  const namedFiles = new Set<string>();
  const wholeFilePaths = findWholeFiles(items, keys);
  const rows: Row[] = [];
  const add = (item: SummaryItem | RestyledItem, depth: number) => {
    const key = keys.getKey(item);
    const isRepeated = (entry: SummaryEntry) =>
      entry.marks.includes('link') || namedFiles.has(key) || (wholeFilePaths.has(key) && keys.isFragment(entry));
    const isLink = item.type === 'entry' && key.startsWith('file:') && isRepeated(item);
    if (item.type === 'entry' && !isLink) namedFiles.add(key);
    const isHidden = item.type === 'entry' && item.marks.includes('hidden');
    const { titleIsElsewhere, hiddenIsElsewhere } = item as Partial<RestyledEntry>;
    rows.push({
      place: `${depth} ${isLink} ${key}`,
      title: titleIsElsewhere ? undefined : item.title,
      hidden: hiddenIsElsewhere ? undefined : isHidden,
      anchor: isLink ? getAnchor(item.destination ?? '') : undefined,
    });
    for (const child of item.items) add(child, depth + 1);
  };
  for (const item of items) add(item, 0);
  return rows;
}

/**
 * Returns the files that at least one entry names without an anchor. Entries that name such a file with an anchor are
 * links to its page.
 */
function findWholeFiles(items: readonly SummaryItem[], keys: Keys): Set<string> {
  const entries = [...walkItems(items)].filter((item) => item.type === 'entry');
  const candidates = entries.filter((entry) => !entry.marks.includes('link') && !keys.isFragment(entry));
  return new Set(candidates.map((entry) => keys.getKey(entry)));
}

const isSameRows = (actual: Row[], expected: Row[]): boolean =>
  actual.length === expected.length &&
  actual.every(({ place, title, hidden, anchor }, index) => {
    const other = expected[index];
    const isFine = other?.place === place && (other.title === undefined || other.title === title);
    return (
      isFine &&
      (other.anchor === undefined || other.anchor === anchor) &&
      (other.hidden === undefined || other.hidden === hidden)
    );
  });

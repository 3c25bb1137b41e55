import { isMarkdown } from './frontmatter-fields.ts';
import { readSummary, type SummaryLine } from './parse-summary.ts';
import { decodeAddress, normalizePath } from './paths.ts';
import {
  getAnchor,
  gitBookStyle,
  groupEnd,
  marks,
  readTarget,
  type SummaryEntry,
  type SummaryGroup,
  type SummaryItem,
  type SummaryMark,
  type SummaryStyle,
  writeEntry,
  writeGroup,
  writeMarks,
  writeTitle,
} from './summary.ts';

/**
 * Returns the indices of a longest increasing subsequence: these entries keep their positions while the others move.
 */
export function findLongestIncreasing(values: readonly number[]): Set<number> {
  const tails: number[] = [];
  const before: number[] = [];
  values.forEach((value, index) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    before[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  });
  const keptIndexes = new Set<number>();
  for (let index = tails.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) keptIndexes.add(index);
  return keptIndexes;
}

/**
 * A requested entry. If its title or hidden flag is defined elsewhere, such as in frontmatter, the former text of the
 * entry may stay in the summary.
 */
export interface RestyledEntry extends SummaryEntry {
  items: RestyledEntry[];
  titleIsElsewhere?: boolean;
  hiddenIsElsewhere?: boolean;
}

export interface RestyledGroup extends SummaryGroup {
  items: RestyledEntry[];
}

export type RestyledItem = RestyledEntry | RestyledGroup;
/** An entry or heading of the former summary, with the lines before it that belong to it. */
export interface Unit extends SummaryLine {
  leadingLines: string[];
  ownLines: string[];
  /** Blank lines below a heading. */
  trail: string[];
  key: string;
  /** Whether the entry has an anchor. The entry is a link if another entry names the same file. */
  isFragment: boolean;
  /** The index among the units. */
  index: number;
  /** The part that contains the entry. */
  group: SummaryGroup | undefined;
}

/** Creates the keys of items. Items with the same key name the same page, link or group. */
export class Keys {
  readonly #folder: string;
  readonly #files: ReadonlySet<string>;

  constructor(folder: string, files: ReadonlySet<string>) {
    this.#folder = folder;
    this.#files = files;
  }

  getKey(item: SummaryItem): string {
    if (item.type === 'group') return `group:${item.title}`;
    const { destination, title } = item;
    if (destination === undefined) return `empty:${title}`;
    const target = readTarget(destination);
    const file = target === undefined ? this.#find(destination) : undefined;
    if (file !== undefined) return `file:${file}`;
    if (target === undefined && isMarkdown(decodeAddress(destination))) return `empty:${title}`;
    return `address:${JSON.stringify(target ?? { kind: 'url', url: destination })}`;
  }

  /** Whether a destination has an anchor. */
  isFragment({ destination }: SummaryEntry): boolean {
    return destination?.includes('#') === true && !this.#files.has(normalizePath(`${this.#folder}/${destination}`));
  }

  #find(destination: string): string | undefined {
    for (const candidate of [decodeAddress(destination.replace(/#.*$/s, '')), destination]) {
      const requestedPath = normalizePath(`${this.#folder}/${candidate}`);
      const names = ['README.md', 'index.md', 'readme.md'].map((name) => normalizePath(`${requestedPath}/${name}`));
      const path = [requestedPath, ...names].find((name) => this.#files.has(name));
      if (path !== undefined) return path;
    }
    return undefined;
  }
}

interface Units {
  preamble: string[];
  units: Unit[];
  tail: string[];
  style: SummaryStyle;
  end: string;
}

export function getUnits(text: string, keys: Keys): Units {
  const end = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  const raw = text === '' ? [gitBookStyle.title, ''] : text.split(/\r\n|\n|\r/);
  if (text !== '' && raw.at(-1) === '') raw.pop();
  const linesByIndex = new Map(
    readSummary(text === '' ? `${gitBookStyle.title}\n` : text).lines.map((each) => [each.line, each]),
  );
  const units: Unit[] = [];
  let pending: string[] = [];
  let group: SummaryGroup | undefined;
  for (let index = 0; index < raw.length; index += 1) {
    const line = raw[index] ?? '';
    const summaryLine = linesByIndex.get(index);
    const last = units.at(-1);
    if (summaryLine) {
      if (summaryLine.item?.type === 'group') group = summaryLine.item;
      else if (summaryLine.kind === 'close' || (summaryLine.kind === 'entry' && !summaryLine.isListed))
        group = undefined;
      const ownLines = summaryLine.isUnderlined ? [line, raw[index + 1] ?? ''] : [line];
      const key = summaryLine.item ? keys.getKey(summaryLine.item) : summaryLine.kind;
      units.push({
        ...summaryLine,
        leadingLines: pending,
        ownLines,
        trail: [],
        group,
        key,
        isFragment: summaryLine.item?.type === 'entry' && keys.isFragment(summaryLine.item),
        index: units.length - (units[0]?.kind === 'title' ? 1 : 0),
      });
      index += ownLines.length - 1;
      pending = [];
    } else if (last && last.kind !== 'entry' && pending.length === 0 && line.trim() === '') last.trail.push(line);
    else pending.push(line);
  }
  const title = units[0]?.kind === 'title' ? units[0] : undefined;
  const preamble = title ? [...title.leadingLines, ...title.ownLines, ...title.trail] : [];
  return { preamble, units: units.slice(title ? 1 : 0), tail: pending, style: detectSummaryStyle(title, units), end };
}

const getBullet = (line: string) => /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]/.exec(line);

function detectSummaryStyle(title: Unit | undefined, units: Unit[]): SummaryStyle {
  const lists = units.flatMap(({ kind, ownLines }) => (kind === 'entry' ? (getBullet(ownLines[0] ?? '') ?? []) : []));
  const indents = units.flatMap(({ kind, ownLines }) =>
    kind === 'entry' ? (getBullet(ownLines[0] ?? '')?.[1] ?? []) : [],
  );
  const first = indents.find((indent, index) => indent.length > (indents[index - 1]?.length ?? indent.length));
  const before = first === undefined ? '' : (indents[indents.indexOf(first) - 1] ?? '');
  const bullet = lists[2];
  return {
    title: title?.ownLines.join('\n') ?? gitBookStyle.title,
    bullet: bullet === undefined || /^\d/.test(bullet) ? gitBookStyle.bullet : bullet,
    step: first?.startsWith(before) ? first.slice(before.length) : gitBookStyle.step,
  };
}

export function* walkItems<Item extends SummaryItem>(items: readonly Item[]): Generator<Item | Item['items'][number]> {
  for (const item of items) {
    yield item;
    yield* walkItems(item.items);
  }
}

const mayKeepTitle = ({ title }: SummaryItem, entry: RestyledEntry): boolean =>
  title === entry.title || (entry.titleIsElsewhere ?? false);

export class SummaryWriter {
  readonly #style: SummaryStyle;
  readonly #lines: string[] = [];
  /** The former unit of each requested item. `#remaining` holds the former units that keep their order. */
  readonly #formerUnits: Map<RestyledItem, Unit>;
  readonly #units: Unit[];
  readonly #wantedUnits: Set<Unit>;
  #remaining = new Set<Unit>();
  /** The number of units already passed. */
  #passedIndex = 0;
  #inGroup = false;

  constructor(style: SummaryStyle, formerUnits: Map<RestyledItem, Unit>, units: Unit[]) {
    this.#style = style;
    this.#formerUnits = formerUnits;
    this.#units = units;
    this.#wantedUnits = new Set(formerUnits.values());
  }

  write(items: RestyledItem[]): string[] {
    const order = [...walkItems(items)].flatMap((item) => this.#formerUnits.get(item) ?? []);
    const keptIndexes = findLongestIncreasing(order.map(({ index }) => index));
    this.#remaining = new Set(order.filter((_, index) => keptIndexes.has(index)));
    for (const item of items) this.#writeItem(item);
    this.#skipUnwantedLines(undefined);
    return this.#lines;
  }

  #writeItem(item: RestyledItem): void {
    const unit = this.#formerUnits.get(item);
    if (item.type === 'group') this.#writeGroup(item, unit);
    else {
      if (this.#inGroup && (unit === undefined || unit.isListed)) this.#writeEnd(unit);
      this.#writeEntry(item, '');
    }
    this.#inGroup = item.type === 'group';
    if (item.type === 'group') for (const entry of item.items) this.#writeEntry(entry, '');
  }

  #writeGroup(item: SummaryGroup, unit: Unit | undefined): void {
    if (unit) {
      this.#skipUnwantedLines(unit);
      const level = /^ {0,3}(#{1,6})/.exec(unit.ownLines[0] ?? '')?.[1];
      const ownLines = unit.item?.title === item.title ? unit.ownLines : [`${level ?? '##'} ${writeTitle(item.title)}`];
      this.#push([...unit.leadingLines, ...ownLines, ...unit.trail]);
    } else {
      if (this.#lines.length > 0 && this.#lines.at(-1)?.trim() !== '') this.#lines.push('');
      this.#push([writeGroup(item.title), '']);
    }
  }

  /**
   * Writes the rule or comment that ends a part. If the former summary has a rule or comment before this entry, that
   * one is written.
   */
  #writeEnd(next: Unit | undefined): void {
    const end = next && this.#remaining.has(next) ? next.index : this.#passedIndex + 1;
    const close = this.#units.slice(this.#passedIndex, end).findLast(({ kind }) => kind === 'close');
    if (close) {
      this.#remaining.add(close);
      this.#wantedUnits.add(close);
      this.#skipUnwantedLines(close);
      this.#push([...close.leadingLines, ...close.ownLines, ...close.trail]);
    } else {
      if (this.#lines.at(-1)?.trim() !== '') this.#lines.push('');
      this.#push([groupEnd, '']);
    }
  }

  #writeEntry(entry: RestyledEntry, indent: string): void {
    const unit = this.#formerUnits.get(entry);
    if (unit) this.#skipUnwantedLines(unit);
    const line = this.#writeLine(entry, unit, indent);
    this.#push([...(unit?.leadingLines ?? []), line]);
    const bullet = getBullet(line)?.[1] ?? '';
    for (const item of entry.items) this.#writeEntry(item, bullet + this.#getChildIndent(entry, bullet));
  }

  /**
   * Returns the indent of a child relative to its parent: the indent in the former summary, otherwise the step of the
   * summary's style.
   */
  #getChildIndent(entry: RestyledEntry, indent: string): string {
    const remaining = entry.items.flatMap((item) => this.#formerUnits.get(item) ?? []);
    const child = remaining
      .map(({ ownLines }) => getBullet(ownLines[0] ?? '')?.[1] ?? '')
      .find((each) => each.startsWith(indent) && each.length >= indent.length + 1);
    return child?.slice(indent.length) ?? this.#style.step;
  }

  #writeLine(entry: RestyledEntry, unit: Unit | undefined, indent: string): string {
    if (unit?.item?.type !== 'entry') return `${indent}${this.#style.bullet} ${writeEntry(entry)}`;
    const [formerLine = ''] = unit.ownLines;
    const isBare = !unit.isListed && indent === '';
    const [start = '', , bullet = this.#style.bullet] = getBullet(formerLine) ?? [];
    const content = formerLine.slice(start.length).trimStart();
    const text = replaceMarks(replaceTitle(replaceAnchor(content, unit.item, entry), unit.item, entry), unit, entry);
    if (isBare) return text === content ? formerLine : text;
    return text === content && getBullet(formerLine)?.[1] === indent ? formerLine : `${indent}${bullet} ${text}`;
  }

  /** Skips the units before `next`. Comments before units that no item reuses are still written. */
  #skipUnwantedLines(next: Unit | undefined): void {
    if (next && !this.#remaining.has(next)) return;
    const end = next?.index ?? this.#units.length;
    for (const unit of this.#units.slice(this.#passedIndex, end)) {
      if (!this.#wantedUnits.has(unit)) this.#push(unit.leadingLines.filter((line) => line.trim() !== ''));
    }
    this.#passedIndex = end + 1;
  }

  #push(lines: string[]): void {
    for (const line of lines) this.#lines.push(line);
  }
}

/** Replaces the anchor of a link to the same page. */
function replaceAnchor(content: string, formerEntry: SummaryEntry, entry: RestyledEntry): string {
  const anchor = getAnchor(entry.destination ?? '');
  if (anchor === undefined || anchor === getAnchor(formerEntry.destination ?? '')) return content;
  return writeEntry({ ...entry, title: formerEntry.title, marks: formerEntry.marks });
}

function replaceTitle(content: string, formerEntry: SummaryEntry, entry: RestyledEntry): string {
  if (mayKeepTitle(formerEntry, entry)) return content;
  const offset = content.lastIndexOf('](');
  return content.startsWith('[') && offset > 0
    ? `[${writeTitle(entry.title)}${content.slice(offset)}`
    : writeEntry(entry);
}

function replaceMarks(content: string, { item, isFragment }: Unit, entry: RestyledEntry): string {
  const isMarked = (mark: SummaryMark) => item?.type === 'entry' && item.marks.includes(mark);
  const hasMark = (mark: SummaryMark) => entry.marks.includes(mark);
  const isHiddenFine = isMarked('hidden') === hasMark('hidden') || entry.hiddenIsElsewhere === true;
  if (isHiddenFine && (isMarked('link') || !hasMark('link') || isFragment)) return content;
  const plain = marks.reduce((text, mark) => text.replaceAll(`<!-- ${mark} -->`, ''), content).trimEnd();
  return plain + writeMarks(entry.marks);
}

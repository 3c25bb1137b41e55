import { isMarkdown } from './frontmatter-fields.ts';
import { readSummary, type SummaryLine } from './parse-summary.ts';
import { decodeAddress, normalizePath } from './paths.ts';
import {
  anchorIn,
  familyStyle,
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

/** Returns the indices of a longest increasing subsequence: the entries that can stay while the others move. */
export function longestIncreasing(values: readonly number[]): Set<number> {
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
  const kept = new Set<number>();
  for (let index = tails.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) kept.add(index);
  return kept;
}

/**
 * A wanted entry. If its title or hidden flag is defined elsewhere, such as in frontmatter, the text in the summary may
 * stay.
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
/** A meaningful line of the former summary, with the other lines before it that belong to it. */
export interface Unit extends SummaryLine {
  lead: string[];
  own: string[];
  /** Blank lines below a heading. */
  trail: string[];
  key: string;
  /** Whether the entry has an anchor. Such an entry is a link if another entry names the file. */
  isPlace: boolean;
  /** The index among the units. */
  index: number;
  /** The part that contains the entry. */
  group: SummaryGroup | undefined;
}

/** Decides whether two entries mean the same thing. */
export class Keys {
  readonly #folder: string;
  readonly #files: ReadonlySet<string>;

  constructor(folder: string, files: ReadonlySet<string>) {
    this.#folder = folder;
    this.#files = files;
  }

  of(item: SummaryItem): string {
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
  isPlace({ destination }: SummaryEntry): boolean {
    return destination?.includes('#') === true && !this.#files.has(normalizePath(`${this.#folder}/${destination}`));
  }

  #find(destination: string): string | undefined {
    for (const written of [decodeAddress(destination.replace(/#.*$/s, '')), destination]) {
      const asked = normalizePath(`${this.#folder}/${written}`);
      const names = ['README.md', 'index.md', 'readme.md'].map((name) => normalizePath(`${asked}/${name}`));
      const found = [asked, ...names].find((name) => this.#files.has(name));
      if (found !== undefined) return found;
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
  const raw = text === '' ? [familyStyle.title, ''] : text.split(/\r\n|\n|\r/);
  if (text !== '' && raw.at(-1) === '') raw.pop();
  const said = new Map(
    readSummary(text === '' ? `${familyStyle.title}\n` : text).lines.map((each) => [each.line, each]),
  );
  const units: Unit[] = [];
  let pending: string[] = [];
  let group: SummaryGroup | undefined;
  for (let index = 0; index < raw.length; index += 1) {
    const line = raw[index] ?? '';
    const found = said.get(index);
    const last = units.at(-1);
    if (found) {
      if (found.item?.type === 'group') group = found.item;
      else if (found.kind === 'close' || (found.kind === 'entry' && !found.isListed)) group = undefined;
      const own = found.isUnderlined ? [line, raw[index + 1] ?? ''] : [line];
      const key = found.item ? keys.of(found.item) : found.kind;
      units.push({
        ...found,
        lead: pending,
        own,
        trail: [],
        group,
        key,
        isPlace: found.item?.type === 'entry' && keys.isPlace(found.item),
        index: units.length - (units[0]?.kind === 'title' ? 1 : 0),
      });
      index += own.length - 1;
      pending = [];
    } else if (last && last.kind !== 'entry' && pending.length === 0 && line.trim() === '') last.trail.push(line);
    else pending.push(line);
  }
  const title = units[0]?.kind === 'title' ? units[0] : undefined;
  const preamble = title ? [...title.lead, ...title.own, ...title.trail] : [];
  return { preamble, units: units.slice(title ? 1 : 0), tail: pending, style: detectSummaryStyle(title, units), end };
}

const getBullet = (line: string) => /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]/.exec(line);

function detectSummaryStyle(title: Unit | undefined, units: Unit[]): SummaryStyle {
  const lists = units.flatMap(({ kind, own }) => (kind === 'entry' ? (getBullet(own[0] ?? '') ?? []) : []));
  const indents = units.flatMap(({ kind, own }) => (kind === 'entry' ? (getBullet(own[0] ?? '')?.[1] ?? []) : []));
  const first = indents.find((indent, index) => indent.length > (indents[index - 1]?.length ?? indent.length));
  const before = first === undefined ? '' : (indents[indents.indexOf(first) - 1] ?? '');
  const bullet = lists[2];
  return {
    title: title?.own.join('\n') ?? familyStyle.title,
    bullet: bullet === undefined || /^\d/.test(bullet) ? familyStyle.bullet : bullet,
    step: first?.startsWith(before) ? first.slice(before.length) : familyStyle.step,
  };
}

export function* walkItems<Item extends SummaryItem>(items: readonly Item[]): Generator<Item | Item['items'][number]> {
  for (const item of items) {
    yield item;
    yield* walkItems(item.items);
  }
}

const isTitleFine = ({ title }: SummaryItem, wanted: RestyledEntry): boolean =>
  title === wanted.title || (wanted.titleIsElsewhere ?? false);

export class SummaryWriter {
  readonly #style: SummaryStyle;
  readonly #lines: string[] = [];
  /** The former lines of the wanted items, and those of them that keep their order. */
  readonly #former: Map<RestyledItem, Unit>;
  readonly #units: Unit[];
  readonly #wanted: Set<Unit>;
  #staying = new Set<Unit>();
  /** The number of units already passed. */
  #passed = 0;
  #inGroup = false;

  constructor(style: SummaryStyle, former: Map<RestyledItem, Unit>, units: Unit[]) {
    this.#style = style;
    this.#former = former;
    this.#units = units;
    this.#wanted = new Set(former.values());
  }

  write(items: RestyledItem[]): string[] {
    const order = [...walkItems(items)].flatMap((item) => this.#former.get(item) ?? []);
    const kept = longestIncreasing(order.map(({ index }) => index));
    this.#staying = new Set(order.filter((_, index) => kept.has(index)));
    for (const item of items) this.#writeItem(item);
    this.#passOver(undefined);
    return this.#lines;
  }

  #writeItem(item: RestyledItem): void {
    const unit = this.#former.get(item);
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
      this.#passOver(unit);
      const level = /^ {0,3}(#{1,6})/.exec(unit.own[0] ?? '')?.[1];
      const own = unit.item?.title === item.title ? unit.own : [`${level ?? '##'} ${writeTitle(item.title)}`];
      this.#push([...unit.lead, ...own, ...unit.trail]);
    } else {
      if (this.#lines.length > 0 && this.#lines.at(-1)?.trim() !== '') this.#lines.push('');
      this.#push([writeGroup(item.title), '']);
    }
  }

  /** Writes the rule or comment that ends a part, as in the former summary if it was before this entry. */
  #writeEnd(next: Unit | undefined): void {
    const until = next && this.#staying.has(next) ? next.index : this.#passed + 1;
    const close = this.#units.slice(this.#passed, until).findLast(({ kind }) => kind === 'close');
    if (close) {
      this.#staying.add(close);
      this.#wanted.add(close);
      this.#passOver(close);
      this.#push([...close.lead, ...close.own, ...close.trail]);
    } else {
      if (this.#lines.at(-1)?.trim() !== '') this.#lines.push('');
      this.#push([groupEnd, '']);
    }
  }

  #writeEntry(entry: RestyledEntry, indent: string): void {
    const unit = this.#former.get(entry);
    if (unit) this.#passOver(unit);
    const line = this.#lineOf(entry, unit, indent);
    this.#push([...(unit?.lead ?? []), line]);
    const own = getBullet(line)?.[1] ?? '';
    for (const item of entry.items) this.#writeEntry(item, own + this.#stepBelow(entry, own));
  }

  /**
   * Returns the indent of a child relative to its parent: as in the former summary, otherwise the summary's own step.
   */
  #stepBelow(entry: RestyledEntry, indent: string): string {
    const staying = entry.items.flatMap((item) => this.#former.get(item) ?? []);
    const child = staying
      .map(({ own }) => getBullet(own[0] ?? '')?.[1] ?? '')
      .find((each) => each.startsWith(indent) && each.length >= indent.length + 1);
    return child?.slice(indent.length) ?? this.#style.step;
  }

  #lineOf(entry: RestyledEntry, unit: Unit | undefined, indent: string): string {
    if (unit?.item?.type !== 'entry') return `${indent}${this.#style.bullet} ${writeEntry(entry)}`;
    const [written = ''] = unit.own;
    const bare = !unit.isListed && indent === '';
    const [start = '', , bullet = this.#style.bullet] = getBullet(written) ?? [];
    const content = written.slice(start.length).trimStart();
    const said = withMarks(withTitle(withAnchor(content, unit.item, entry), unit.item, entry), unit, entry);
    if (bare) return said === content ? written : said;
    return said === content && getBullet(written)?.[1] === indent ? written : `${indent}${bullet} ${said}`;
  }

  /** Skips the unwanted lines before a unit, except comments. */
  #passOver(next: Unit | undefined): void {
    if (next && !this.#staying.has(next)) return;
    const until = next?.index ?? this.#units.length;
    for (const unit of this.#units.slice(this.#passed, until)) {
      if (!this.#wanted.has(unit)) this.#push(unit.lead.filter((line) => line.trim() !== ''));
    }
    this.#passed = until + 1;
  }

  #push(lines: string[]): void {
    for (const line of lines) this.#lines.push(line);
  }
}

/** Replaces the anchor of a link to the same page. */
function withAnchor(content: string, former: SummaryEntry, wanted: RestyledEntry): string {
  const anchor = anchorIn(wanted.destination ?? '');
  if (anchor === undefined || anchor === anchorIn(former.destination ?? '')) return content;
  return writeEntry({ ...wanted, title: former.title, marks: former.marks });
}

function withTitle(content: string, former: SummaryEntry, wanted: RestyledEntry): string {
  if (isTitleFine(former, wanted)) return content;
  const at = content.lastIndexOf('](');
  return content.startsWith('[') && at > 0 ? `[${writeTitle(wanted.title)}${content.slice(at)}` : writeEntry(wanted);
}

function withMarks(content: string, { item, isPlace }: Unit, wanted: RestyledEntry): string {
  const isMarked = (mark: SummaryMark) => item?.type === 'entry' && item.marks.includes(mark);
  const wants = (mark: SummaryMark) => wanted.marks.includes(mark);
  const isHiddenFine = isMarked('hidden') === wants('hidden') || wanted.hiddenIsElsewhere === true;
  if (isHiddenFine && (isMarked('link') || !wants('link') || isPlace)) return content;
  const plain = marks.reduce((text, mark) => text.replaceAll(`<!-- ${mark} -->`, ''), content).trimEnd();
  return plain + writeMarks(wanted.marks);
}

import { longestIncreasing } from './increasing.ts';
import {
  anchorIn,
  groupEnd,
  marks,
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
import { bulletOf, type RestyledEntry, type RestyledItem, type Unit, walkItems } from './summary-units.ts';

const isTitleFine = ({ title }: SummaryItem, wanted: RestyledEntry): boolean =>
  title === wanted.title || (wanted.titleIsElsewhere ?? false);

export class SummaryWriter {
  readonly #style: SummaryStyle;
  readonly #lines: string[] = [];
  /** The lines that the wanted items have in the former summary, and those of them that keep their order. */
  readonly #former: Map<RestyledItem, Unit>;
  readonly #units: Unit[];
  readonly #wanted: Set<Unit>;
  #staying = new Set<Unit>();
  /** How many units have been passed. */
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

  /** The rule or the comment that ends a part, as it was before the entry where it was there. */
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
    const own = bulletOf(line)?.[1] ?? '';
    for (const item of entry.items) this.#writeEntry(item, own + this.#stepBelow(entry, own));
  }

  /** How much deeper the first child stands that was below the entry before, else the summary's own step. */
  #stepBelow(entry: RestyledEntry, indent: string): string {
    const staying = entry.items.flatMap((item) => this.#former.get(item) ?? []);
    const child = staying
      .map(({ own }) => bulletOf(own[0] ?? '')?.[1] ?? '')
      .find((each) => each.startsWith(indent) && each.length >= indent.length + 1);
    return child?.slice(indent.length) ?? this.#style.step;
  }

  #lineOf(entry: RestyledEntry, unit: Unit | undefined, indent: string): string {
    if (unit?.item?.type !== 'entry') return `${indent}${this.#style.bullet} ${writeEntry(entry)}`;
    const [written = ''] = unit.own;
    const bare = !unit.isListed && indent === '';
    const [start = '', , bullet = this.#style.bullet] = bulletOf(written) ?? [];
    const content = written.slice(start.length).trimStart();
    const said = withMarks(withTitle(withPlace(content, unit.item, entry), unit.item, entry), unit, entry);
    if (bare) return said === content ? written : said;
    return said === content && bulletOf(written)?.[1] === indent ? written : `${indent}${bullet} ${said}`;
  }

  /** Leaves out what stood before a unit and is wanted no more, but for comments. */
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

/** A link to another place of the same page is written anew. */
function withPlace(content: string, former: SummaryEntry, wanted: RestyledEntry): string {
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

import { readSummary, type SummaryLine } from './parse-summary.ts';
import { decodeAddress, normalizePath } from './paths.ts';
import {
  familyStyle,
  readTarget,
  type SummaryEntry,
  type SummaryGroup,
  type SummaryItem,
  type SummaryStyle,
} from './summary.ts';
import { isMarkdown } from './wanted.ts';

/** An entry as it is wanted; where its title, or whether it is hidden, is said elsewhere, as in frontmatter, what is written may stay. */
export interface RestyledEntry extends SummaryEntry {
  items: RestyledEntry[];
  titleIsElsewhere?: boolean;
  hiddenIsElsewhere?: boolean;
}

export interface RestyledGroup extends SummaryGroup {
  items: RestyledEntry[];
}

export type RestyledItem = RestyledEntry | RestyledGroup;
/** A line of the former summary that says something, with the lines before it that say nothing and belong to it. */
export interface Unit extends SummaryLine {
  lead: string[];
  own: string[];
  /** Blank lines below a heading. */
  trail: string[];
  key: string;
  /** Whether it is an entry that names a place of a file, which is a link where another names the file. */
  isPlace: boolean;
  /** Its place among the units. */
  index: number;
  /** The part that an entry stands in. */
  group: SummaryGroup | undefined;
}

/** What tells whether two entries are of the same thing. */
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

  /** Whether a destination leads to a place of a file. */
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

export function unitsOf(text: string, keys: Keys): Units {
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
  return { preamble, units: units.slice(title ? 1 : 0), tail: pending, style: styleOf(title, units), end };
}

export const bulletOf = (line: string) => /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]/.exec(line);

function styleOf(title: Unit | undefined, units: Unit[]): SummaryStyle {
  const lists = units.flatMap(({ kind, own }) => (kind === 'entry' ? (bulletOf(own[0] ?? '') ?? []) : []));
  const indents = units.flatMap(({ kind, own }) => (kind === 'entry' ? (bulletOf(own[0] ?? '')?.[1] ?? []) : []));
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

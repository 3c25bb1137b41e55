import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { findFrontmatterBlock } from './frontmatter-block.ts';
import type { Occurrence } from './links/destination.ts';
import { plainHtml } from './plain-text.ts';
import { mayBeConditional } from './tree/conditions.ts';

/** What the frontmatter of a home page shows above its text, as VitePress, Starlight and VuePress have it. */
export interface Hero {
  title?: string;
  /** The lines below the title. */
  lines: string[];
  image?: string;
  dark?: string;
  actions: { text: string; address: string; isFirst: boolean }[];
  features: { title: string; details: string; address?: string }[];
}

type WrittenLink = Pick<Occurrence, 'start' | 'end' | 'target' | 'kind'>;

/** Parts of a list, and characters of a text, that are shown at most. */
const MAX_PARTS = 100;
const MAX_TEXT = 2_000;

/** The hero of a text; undefined where its frontmatter has none. */
export const heroOf = (markdown: string): Hero | undefined =>
  mayHaveHero(markdown) ? read(markdown)?.hero : undefined;

/** Where the addresses of a hero stand, in offsets of the whole text. */
export const heroLinks = (markdown: string): WrittenLink[] =>
  mayHaveHero(markdown) ? (read(markdown)?.places ?? []) : [];

const mayHaveHero = (markdown: string): boolean => /^\ufeff?---/.test(markdown) && /^(?:hero|home):/m.test(markdown);

function read(markdown: string): { hero: Hero; places: WrittenLink[] } | undefined {
  const block = findFrontmatterBlock(markdown);
  if (block === undefined || mayBeConditional(markdown.slice(0, block.bodyOffset))) return undefined;
  const reader = new Reader(block.sourceOffset);
  const hero = reader.heroIn(block.map);
  return hero && { hero, places: reader.places };
}

class Reader {
  readonly places: WrittenLink[] = [];
  readonly #offset: number;

  constructor(offset: number) {
    this.#offset = offset;
  }

  heroIn(map: Node): Hero | undefined {
    const own = entryOf(map, 'hero');
    if (isMap(own)) return this.#hero(own, map);
    const home = entryOf(map, 'home');
    return isScalar(home) && home.value === true ? this.#older(map) : undefined;
  }

  #hero(own: Node, map: Node): Hero {
    const [title, ...lines] = [textOf(own, 'name', 'title'), textOf(own, 'text'), textOf(own, 'tagline')];
    return {
      ...(title !== '' && { title }),
      lines: lines.filter((line) => line !== ''),
      ...this.#image(entryOf(own, 'image')),
      actions: partsOf(entryOf(own, 'actions')).flatMap((each) => this.#action(each)),
      features: this.#features(map),
    };
  }

  /** As VuePress has it. */
  #older(map: Node): Hero {
    const title = textOf(map, 'heroText');
    const link = this.#address(entryOf(map, 'actionLink'), 'link');
    const own = link === undefined ? [] : [{ text: textOf(map, 'actionText') || link, address: link, isFirst: true }];
    return {
      ...(title !== '' && title !== 'null' && { title }),
      lines: [textOf(map, 'tagline')].filter((line) => line !== ''),
      ...this.#image(entryOf(map, 'heroImage')),
      actions: [...own, ...partsOf(entryOf(map, 'actions')).flatMap((each) => this.#action(each))],
      features: this.#features(map),
    };
  }

  #image(image: unknown): Pick<Hero, 'image' | 'dark'> {
    const shown = this.#address(image, 'image') ?? this.#address(firstOf(image, 'src', 'file', 'light'), 'image');
    const dark = this.#address(entryOf(image, 'dark'), 'image');
    const both = { image: shown ?? dark, dark: shown === undefined ? undefined : dark };
    return { ...(both.image && { image: both.image }), ...(both.dark && { dark: both.dark }) };
  }

  #action(action: unknown): Hero['actions'] {
    const address = this.#address(entryOf(action, 'link'), 'link');
    const kind = textOf(action, 'theme', 'variant', 'type');
    const text = textOf(action, 'text');
    return address === undefined || text === ''
      ? []
      : [{ text, address, isFirst: !/^(?:alt|secondary|minimal)$/.test(kind) }];
  }

  #features(map: Node): Hero['features'] {
    return partsOf(entryOf(map, 'features')).flatMap((each) => {
      const [icon, name, details] = [textOf(each, 'icon'), textOf(each, 'title'), textOf(each, 'details')];
      const address = this.#address(entryOf(each, 'link'), 'link');
      const title = /\p{Extended_Pictographic}/u.test(icon) ? `${icon} ${name}` : name;
      return title === '' && details === '' ? [] : [{ title, details, ...(address !== undefined && { address }) }];
    });
  }

  #address(node: unknown, kind: WrittenLink['kind']): string | undefined {
    if (!isScalar(node) || typeof node.value !== 'string' || node.value === '' || !node.range) return undefined;
    const { value: target } = node;
    if (target.length > MAX_TEXT || /[\r\n]/.test(target)) return undefined;
    const [start, end] = node.range;
    this.places.push({ start: this.#offset + start, end: this.#offset + end, target, kind });
    return target;
  }
}

function entryOf(map: unknown, key: string): unknown {
  if (!isMap(map)) return undefined;
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key)?.value;
}

const firstOf = (map: unknown, ...keys: string[]): unknown =>
  keys.map((key) => entryOf(map, key)).find((each) => each !== undefined);

/** The first of some texts, without tags. */
function textOf(map: unknown, ...keys: string[]): string {
  const node = firstOf(map, ...keys);
  return isScalar(node) && typeof node.value === 'string' ? plainHtml(node.value.slice(0, MAX_TEXT)) : '';
}

const partsOf = (list: unknown): unknown[] => (isSeq(list) ? list.items.slice(0, MAX_PARTS) : []);

import type { Node } from 'yaml';
import { isMap, isScalar, isSeq } from 'yaml';
import { findFrontmatterBlock } from './frontmatter-block.ts';
import type { Occurrence } from './links/destinations.ts';
import { htmlToPlainText } from './plain-text.ts';
import { createCardTable, getRow } from './tree/compose.ts';
import { mayBeConditional } from './tree/conditions.ts';
import type { Block } from './tree/document-tree.ts';
import { createBlock, createUrlReference, getText, inline } from './tree/document-tree.ts';
import { mark } from './tree/markup.ts';

/** The hero section of a home page in the frontmatter of VitePress, Starlight and VuePress. */
interface Hero {
  title?: string;
  /** Lines below the title. */
  lines: string[];
  image?: string;
  dark?: string;
  actions: { text: string; address: string; isFirst: boolean }[];
  features: { title: string; details: string; address?: string }[];
}

type WrittenLink = Pick<Occurrence, 'start' | 'end' | 'target' | 'kind'>;

/** Limits of a hero: list items, and characters of one text. */
const MAX_PARTS = 100;
const MAX_TEXT = 2_000;

/** Returns the hero of a text, or undefined if its frontmatter has none. */
export const getHero = (markdown: string): Hero | undefined =>
  mayHaveHero(markdown) ? parseHero(markdown)?.hero : undefined;

/** Returns the addresses in a hero, with their offsets in the text. */
export const findHeroLinks = (markdown: string): WrittenLink[] =>
  mayHaveHero(markdown) ? (parseHero(markdown)?.links ?? []) : [];

const mayHaveHero = (markdown: string): boolean => /^\ufeff?---/.test(markdown) && /^(?:hero|home):/m.test(markdown);

function parseHero(markdown: string): { hero: Hero; links: WrittenLink[] } | undefined {
  const block = findFrontmatterBlock(markdown);
  if (block === undefined || mayBeConditional(markdown.slice(0, block.bodyOffset))) return undefined;
  const reader = new Reader(block.sourceOffset);
  const hero = reader.findHero(block.map);
  return hero && { hero, links: reader.links };
}

class Reader {
  readonly links: WrittenLink[] = [];
  readonly #offset: number;

  constructor(offset: number) {
    this.#offset = offset;
  }

  findHero(map: Node): Hero | undefined {
    const heroNode = getEntry(map, 'hero');
    if (isMap(heroNode)) return this.#readHero(heroNode, map);
    const home = getEntry(map, 'home');
    return isScalar(home) && home.value === true ? this.#readVuePressHero(map) : undefined;
  }

  #readHero(heroNode: Node, map: Node): Hero {
    const [title, ...lines] = [
      findText(heroNode, 'name', 'title'),
      findText(heroNode, 'text'),
      findText(heroNode, 'tagline'),
    ];
    return {
      ...(title !== '' && { title }),
      lines: lines.filter((line) => line !== ''),
      ...this.#readImage(getEntry(heroNode, 'image')),
      actions: getParts(getEntry(heroNode, 'actions')).flatMap((each) => this.#readAction(each)),
      features: this.#readFeatures(map),
    };
  }

  /** Reads a hero in the format of VuePress. */
  #readVuePressHero(map: Node): Hero {
    const title = findText(map, 'heroText');
    const link = this.#readAddress(getEntry(map, 'actionLink'), 'link');
    const heroNode =
      link === undefined ? [] : [{ text: findText(map, 'actionText') || link, address: link, isFirst: true }];
    return {
      ...(title !== '' && title !== 'null' && { title }),
      lines: [findText(map, 'tagline')].filter((line) => line !== ''),
      ...this.#readImage(getEntry(map, 'heroImage')),
      actions: [...heroNode, ...getParts(getEntry(map, 'actions')).flatMap((each) => this.#readAction(each))],
      features: this.#readFeatures(map),
    };
  }

  #readImage(image: unknown): Pick<Hero, 'image' | 'dark'> {
    const visibleAddress =
      this.#readAddress(image, 'image') ?? this.#readAddress(getFirst(image, 'src', 'file', 'light'), 'image');
    const dark = this.#readAddress(getEntry(image, 'dark'), 'image');
    const both = { image: visibleAddress ?? dark, dark: visibleAddress === undefined ? undefined : dark };
    return { ...(both.image && { image: both.image }), ...(both.dark && { dark: both.dark }) };
  }

  #readAction(action: unknown): Hero['actions'] {
    const address = this.#readAddress(getEntry(action, 'link'), 'link');
    const kind = findText(action, 'theme', 'variant', 'type');
    const text = findText(action, 'text');
    return address === undefined || text === ''
      ? []
      : [{ text, address, isFirst: !/^(?:alt|secondary|minimal)$/.test(kind) }];
  }

  #readFeatures(map: Node): Hero['features'] {
    return getParts(getEntry(map, 'features')).flatMap((each) => {
      const [icon, name, details] = [findText(each, 'icon'), findText(each, 'title'), findText(each, 'details')];
      const address = this.#readAddress(getEntry(each, 'link'), 'link');
      const title = /\p{Extended_Pictographic}/u.test(icon) ? `${icon} ${name}` : name;
      return title === '' && details === '' ? [] : [{ title, details, ...(address !== undefined && { address }) }];
    });
  }

  #readAddress(node: unknown, kind: WrittenLink['kind']): string | undefined {
    if (!isScalar(node) || typeof node.value !== 'string' || node.value === '' || !node.range) return undefined;
    const { value: target } = node;
    if (target.length > MAX_TEXT || /[\r\n]/.test(target)) return undefined;
    const [start, end] = node.range;
    this.links.push({ start: this.#offset + start, end: this.#offset + end, target, kind });
    return target;
  }
}

function getEntry(map: unknown, key: string): unknown {
  if (!isMap(map)) return undefined;
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key)?.value;
}

const getFirst = (map: unknown, ...keys: string[]): unknown =>
  keys.map((key) => getEntry(map, key)).find((each) => each !== undefined);

/** Returns the text of the first of these keys that exists, without HTML tags. */
function findText(map: unknown, ...keys: string[]): string {
  const node = getFirst(map, ...keys);
  return isScalar(node) && typeof node.value === 'string' ? htmlToPlainText(node.value.slice(0, MAX_TEXT)) : '';
}

const getParts = (list: unknown): unknown[] => (isSeq(list) ? list.items.slice(0, MAX_PARTS) : []);

/** Returns the blocks that show a hero. They have no source in the body. */
export function createHeroBlocks({ title, lines, image, dark, actions, features }: Hero): Block[] {
  const createParagraph = (text: string, ...marks: string[]) =>
    createBlock('paragraph', {}, [
      getText(
        text,
        marks.map((type) => mark(type)),
      ),
    ]);
  const buttons = actions.map(({ text, address, isFirst }) =>
    inline('button', { ref: createUrlReference(address), kind: isFirst ? 'primary' : 'secondary' }, [getText(text)]),
  );
  const blocks = [
    ...(title === undefined ? [] : [createParagraph(title, 'bold')]),
    ...lines.map((line) => createParagraph(line)),
    ...(image === undefined ? [] : [getImage(image, dark)]),
    ...(buttons.length === 0 ? [] : [createBlock('paragraph', {}, buttons)]),
    ...(features.length === 0 ? [] : [getCards(features)]),
  ];
  return blocks.map((block) => ({ ...block, data: { ...block.data, markup: { before: '', source: '', hero: true } } }));
}

const getImage = (address: string, dark: string | undefined): Block =>
  createBlock('images', {}, [
    createBlock('image', {
      ref: createUrlReference(address),
      alt: '',
      ...(dark !== undefined && { refDark: createUrlReference(dark) }),
    }),
  ]);

function getCards(features: Hero['features']): Block {
  const rows = features.map(({ title, details, address }) =>
    getRow(
      title === '' ? [] : [getText(title, [mark('bold')])],
      details === '' ? [] : [getText(details)],
      address === undefined ? undefined : createUrlReference(address),
    ),
  );
  return { ...createBlock('table'), ...createCardTable(rows) };
}

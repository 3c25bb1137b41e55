import { htmlTag, themedSources } from '../links/tags.ts';
import type { BlockReading } from './block-state.ts';
import { mayBeConditional } from './conditions.ts';
import { type Block, block, type Inline, inline, type TreeData, urlReference } from './document-tree.ts';
import { attributeIn, type JsxTag, jsxTagAt } from './jsx.ts';

/** Whether a tag draws an image, by its name: Astro and Next have components of their own for that. */
export const drawsImage = (name: string): boolean => /^(?:img|Image|Img|Picture|ThemedImage)$/.test(name);

/** `{logo}`, `{logo.src}`. */
const NAME = /^\{\s*([\w$]{1,100})(?:\.src)?\s*\}$/;

/** The image of a tag whose attributes may be scripts; undefined where its address is not known. */
export function imageOfTag(source: string, reading: BlockReading): Inline | undefined {
  const data = dataOf(source, reading);
  return data && inline('inline-image', { ...data, markup: { text: source } });
}

/** The same, of a tag that stands alone. */
export function imageBlockOfTag(source: string, reading: BlockReading): Block | undefined {
  const tag = /^<[^<>]*>$/.test(source) ? jsxTagAt(source, 0) : undefined;
  const data = tag && drawsImage(tag.name) ? dataOf(source, reading) : undefined;
  if (tag === undefined || data === undefined) return undefined;
  const sizes: TreeData = {};
  for (const name of ['width', 'height']) {
    const size = attributeIn(tag, name) ?? numberIn(tag, name);
    if (size !== undefined) sizes[name] = size;
  }
  return block('images', {}, [block('image', { ...data, ...sizes })]);
}

const numberIn = ({ attributes }: JsxTag, name: string): string | undefined =>
  /^\{\s*(\d{1,9})\s*\}$/.exec(attributes.find((each) => each.name === name)?.value ?? '')?.[1];

function dataOf(source: string, reading: BlockReading): TreeData | undefined {
  const tag = jsxTagAt(source, 0);
  if (tag === undefined || mayBeConditional(source)) return undefined;
  if (tag.name === 'ThemedImage') return themed(tag, reading);
  const { value = '' } = tag.attributes.find(({ name }) => name === 'src') ?? {};
  const imported = reading.imports?.get(NAME.exec(value)?.[1] ?? '');
  const url = imported ?? htmlTag(source, 0)?.found?.target;
  return url === undefined ? undefined : { ref: urlReference(url), alt: attributeIn(tag, 'alt') ?? '' };
}

const IMPORTED = /\b(light|dark)\s{0,9}:\s{0,9}([\w$]{1,100})(?:\.(?:default|src))?\s{0,9}[,}]/g;

/** An image for light pages, and one for dark ones. */
function themed(tag: JsxTag, { imports }: BlockReading): TreeData | undefined {
  const script = tag.attributes.find(({ name }) => name === 'sources')?.value ?? '';
  const named = [...script.matchAll(IMPORTED)].map(([, theme = '', name = '']) => [theme, imports?.get(name)] as const);
  const written = themedSources(script).map(({ theme, target }) => [theme, target] as const);
  const sources = new Map([...named.filter(([, address]) => address !== undefined), ...written]);
  const [light, dark] = [sources.get('light') ?? sources.get('dark'), sources.get('dark')];
  if (light === undefined) return undefined;
  const refDark = dark === undefined || dark === light ? {} : { refDark: urlReference(dark) };
  return { ref: urlReference(light), ...refDark, alt: attributeIn(tag, 'alt') ?? '' };
}

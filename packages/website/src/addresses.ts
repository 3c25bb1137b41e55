import { type Element, findElement, getAttribute, getElements, isElement, type Root } from './html-tree.ts';

/** The absolute address of what a page links to; undefined for anything but http(s), so also for javascript: and data:. */
export type ResolveAddress = (written: string | undefined) => string | undefined;

const maxAddressLength = 4096;

/** Resolves against the base element of a page, else against its own address. */
export function getResolver(tree: Root, url: string): ResolveAddress {
  const written = findElement(tree, (node) => node.tagName === 'base' && getAttribute(node, 'href') !== undefined);
  const base = URL.parse((written && getAttribute(written, 'href')) ?? '', url);
  const from = base && isWeb(base) ? base.href : url;
  return (address) => {
    if (address === undefined || address.length > maxAddressLength) return undefined;
    const resolved = URL.parse(address.trim(), from);
    return resolved && isWeb(resolved) ? resolved.href : undefined;
  };
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';

/** The addresses that a page links to, without fragments, each once, in order. */
export function getLinks(tree: Root, resolve: ResolveAddress): string[] {
  const found = new Set<string>();
  for (const node of getElements(tree)) {
    if (node.tagName !== 'a' && node.tagName !== 'area') continue;
    const address = resolve(getAttribute(node, 'href'));
    if (address !== undefined) found.add(withoutFragment(address));
  }
  return [...found];
}

export const withoutFragment = (address: string): string => address.replace(/#.*$/s, '');

/** The address of an image: the largest of a srcset, else the one that is loaded later, else its own. */
export function imageAddress(image: Element, resolve: ResolveAddress): string | undefined {
  const lazy = ['dataSrc', 'dataLazySrc', 'dataOriginal', 'src'].map((name) => resolve(getAttribute(image, name)));
  const sets = ['srcSet', 'dataSrcSet', 'dataSrcset'].map((name) => getLargest(getAttribute(image, name)));
  return sets.map(resolve).find(Boolean) ?? lazy.find(Boolean);
}

/** The address of a picture: of its image, else of its first source. */
export function pictureAddress(picture: Element, resolve: ResolveAddress): string | undefined {
  const images = picture.children.filter(isElement).filter(({ tagName }) => tagName === 'img' || tagName === 'source');
  return images
    .toSorted((a, b) => Number(b.tagName === 'img') - Number(a.tagName === 'img'))
    .map((image) => imageAddress(image, resolve))
    .find(Boolean);
}

function getLargest(set: string | undefined): string | undefined {
  let best: { address: string; size: number } | undefined;
  for (const candidate of set?.slice(0, 20_000).split(/,\s+|,(?=https?:|\/)/) ?? []) {
    const [address = '', size = '1x'] = candidate.trim().split(/\s+/);
    const number = Number.parseFloat(size) || 0;
    if (address !== '' && (!best || number > best.size)) best = { address, size: number };
  }
  return best?.address;
}

import { type Element, findElement, getAttribute, getElements, isElement, type Root } from './html-tree.ts';

/**
 * Resolves a link to an absolute address. Returns undefined for schemes other than http(s), such as javascript: and
 * data:.
 */
export type ResolveAddress = (address: string | undefined) => string | undefined;

const maxAddressLength = 4096;

/** Returns a function that resolves links against the page's base element, or its own address. */
export function getResolver(tree: Root, url: string): ResolveAddress {
  const baseElement = findElement(tree, (node) => node.tagName === 'base' && getAttribute(node, 'href') !== undefined);
  const base = URL.parse((baseElement && getAttribute(baseElement, 'href')) ?? '', url);
  const from = base && isWeb(base) ? base.href : url;
  return (address) => {
    if (address === undefined || address.length > maxAddressLength) return undefined;
    const resolvedUrl = URL.parse(address.trim(), from);
    return resolvedUrl && isWeb(resolvedUrl) ? resolvedUrl.href : undefined;
  };
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';

/** Returns the unique addresses that a page links to, without fragments, in order. */
export function getLinks(tree: Root, resolve: ResolveAddress): string[] {
  const links = new Set<string>();
  for (const node of getElements(tree)) {
    if (node.tagName !== 'a' && node.tagName !== 'area') continue;
    const address = resolve(getAttribute(node, 'href'));
    if (address !== undefined) links.add(removeFragment(address));
  }
  return [...links];
}

export const removeFragment = (address: string): string => address.replace(/#.*$/s, '');

/** Returns the address of an image: the largest in its srcset, its lazy-loading source, or its src. */
export function getImageAddress(image: Element, resolve: ResolveAddress): string | undefined {
  const lazy = ['dataSrc', 'dataLazySrc', 'dataOriginal', 'src'].map((name) => resolve(getAttribute(image, name)));
  const sets = ['srcSet', 'dataSrcSet', 'dataSrcset'].map((name) => getLargest(getAttribute(image, name)));
  return sets.map(resolve).find(Boolean) ?? lazy.find(Boolean);
}

/** Returns the address of a picture: of its image, or of its first source. */
export function getPictureAddress(picture: Element, resolve: ResolveAddress): string | undefined {
  const images = picture.children.filter(isElement).filter(({ tagName }) => tagName === 'img' || tagName === 'source');
  return images
    .toSorted((a, b) => Number(b.tagName === 'img') - Number(a.tagName === 'img'))
    .map((image) => getImageAddress(image, resolve))
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

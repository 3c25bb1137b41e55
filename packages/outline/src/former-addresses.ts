import type { Layout } from './conventions/layout.ts';
import { isFolderPage } from './frontmatter-fields.ts';

/**
 * Maps the addresses that pages had on the site of their generator, without the site's base path, to the paths of their
 * files. If a page has several addresses, all but the first and the root are ignored: they occur only in links.
 */
export function getFormerAddresses({ addresses }: Layout): Map<string, string> {
  const former = new Map<string, string>();
  if (addresses === undefined) return former;
  const seen = new Set<string>();
  for (const [key, path] of addresses.pages) {
    if (seen.has(path) && key !== '') continue;
    seen.add(path);
    for (const address of getForms(key, path, addresses.style)) if (!former.has(address)) former.set(address, path);
  }
  return former;
}

function getForms(key: string, path: string, style: NonNullable<Layout['addresses']>['style']): string[] {
  const isFolder = key === '' || isFolderPage(path);
  const html = isFolder ? `${key === '' ? '' : `${key}/`}index.html` : `${key}.html`;
  const plain = key === '' ? [] : [key];
  if (style === 'plain') return plain;
  return style === 'html' && !isFolder ? [html] : [...plain, html];
}

import type { Layout } from './conventions/layout.ts';
import { isFolderPage } from './frontmatter-fields.ts';

/**
 * Returns the pages by the addresses that they had on the site of their generator, without its base. If the layout has
 * several addresses for a page, the page was served at the first. The other addresses occur only in links and are
 * ignored.
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

import { maxPageDepth } from '@octavo/document';
import { addressKey } from './addresses.ts';

/** A link of a site's navigation with those below it; one without an address is a heading. */
export interface NavigationItem {
  title: string;
  url?: string;
  children: NavigationItem[];
}

/** A page of a site by its address, or a heading of its navigation, with what is below it. */
export interface SiteItem {
  title: string;
  address?: string;
  children: SiteItem[];
}

/** The tree of a site's pages: as its navigation has them, and what that leaves out as the addresses nest. */
export function treeOfSite(
  pages: { address: string; title: string }[],
  { navigation, folder }: { navigation: NavigationItem[]; folder: string },
): SiteItem[] {
  const left = new Map(pages.map((page) => [page.address, page]));
  const items = new Map<string, SiteItem>();
  const take = (address: string): SiteItem | undefined => {
    const page = left.get(address);
    if (page === undefined) return undefined;
    left.delete(address);
    const item = { ...page, children: [] };
    items.set(address, item);
    return item;
  };
  const first = take(addressKey(folder));
  const read = (item: NavigationItem, depth: number): SiteItem[] => {
    const page = item.url === undefined || !URL.canParse(item.url) ? undefined : take(addressKey(item.url));
    const below = item.children.flatMap((child) => read(child, depth + 1));
    if (page !== undefined && depth < maxPageDepth) page.children.push(...below);
    if (page !== undefined) return depth < maxPageDepth ? [page] : [page, ...below];
    return below.length > 0 && item.title !== '' && depth < maxPageDepth
      ? [{ title: item.title, children: below }]
      : below;
  };
  const roots = [...(first ? [first] : []), ...navigation.flatMap((item) => read(item, 1))];
  nestRest({ roots, items, left, folder });
  return roots;
}

interface Rest {
  roots: SiteItem[];
  items: Map<string, SiteItem>;
  left: Map<string, { address: string; title: string }>;
  folder: string;
}

/** A page goes below the page of its folder; a folder without a page is a heading. */
function nestRest({ roots, items, left, folder }: Rest): void {
  const top = addressKey(folder);
  const headings = new Map<string, SiteItem>();
  const holderOf = (address: string, depth: number): SiteItem[] => {
    const parent = address.replace(/[?#].*$/s, '').replace(/\/[^/]*$/, '');
    if (parent.length <= top.replace(/\/$/, '').length || depth >= maxPageDepth - 1) return roots;
    const known = items.get(parent) ?? headings.get(parent);
    if (known !== undefined) return known.children;
    const heading = { title: titleOfFolder(parent), children: [] };
    const holder = holderOf(parent, depth + 1);
    headings.set(parent, heading);
    holder.push(heading);
    return heading.children;
  };
  const rest = [...left.values()].sort((one, other) => one.address.length - other.address.length);
  const made = rest.map((page) => ({ ...page, children: [] as SiteItem[] }));
  for (const page of made) items.set(page.address, page);
  for (const page of made) holderOf(page.address, 0).push(page);
}

function titleOfFolder(address: string): string {
  const name = address.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name).replace(/[-_]+/g, ' ') || name;
  } catch {
    return name;
  }
}

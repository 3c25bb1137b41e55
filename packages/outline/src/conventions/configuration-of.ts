import { LinkTarget } from '@octavo/schema';
import type { LinkedItem } from '../items.ts';
import type { SourceReader } from '../reader.ts';

const deepest = 3;
const maxFound = 50;
const usual = /^(?:website|site|www|docs?|documentation)\/$/;

/**
 * The configuration that is nearest to the root, by the end of its path: there, or in a folder that is called as those of
 * docs are or has most of the pages, so that an example below does not speak for all. Of several beside each other none
 * is the one, which is told.
 */
export function configurationOf(reader: SourceReader, name: string): string | undefined {
  const pattern = new RegExp(`^((?:[^/]+/){0,${deepest - 1}}?)(?:${name})$`);
  const named = reader.source.paths.flatMap((path) => {
    const [, root] = pattern.exec(path) ?? [];
    return root === undefined ? [] : [{ path, root, depth: root.split('/').length }];
  });
  const found = named.slice(0, maxFound).filter(({ root }) => mayHoldDocs(reader, root));
  const least = Math.min(...found.map(({ depth }) => depth));
  const [first, ...others] = found.filter(({ depth }) => depth === least).map(({ path }) => path);
  if (first === undefined || others.length === 0) return first;
  const all = [first, ...others].slice(0, 5).join(', ');
  reader.warn(first, `There are several configurations (${all}): none is gone by. Import one of the folders alone.`);
  return undefined;
}

function mayHoldDocs({ pages }: SourceReader, root: string): boolean {
  if (root === '' || usual.test(root)) return true;
  return pages.filter((path) => path.startsWith(root)).length * 2 >= pages.length;
}

/** A link to an address; nothing where it is none that may be followed. */
export function linkItem(address: string, title: string | undefined): LinkedItem[] {
  const target = LinkTarget.safeParse({ kind: 'url', url: address });
  return target.success && address !== ''
    ? [{ type: 'link', title: title ?? address, target: target.data, items: [] }]
    : [];
}

/** A folder of a site: its own page, if it has one, and what is below it in the order that it was found. */
export interface Folder {
  key?: string;
  folders: Map<string, Folder>;
}

const extension = /\.(?:html?|xhtml|php|aspx?|jsp|md|markdown)$/i;
const index = /^(?:index|readme|default)$/i;
const maxSegments = 50;

/**
 * What tells the page of an address from others: host and path, without a final slash, index.html and the extension
 * of a page; undefined for what is no address.
 */
export function addressKey(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url) return undefined;
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const last = parts.pop()?.replace(extension, '') ?? '';
  if (last !== '' && !index.test(last)) parts.push(last);
  return `${[url.host, ...parts].join('/')}${url.search}`;
}

/** The last name in the path of a key, readable; empty for the root of a site. */
export function lastName(key: string): string {
  const [path = '', ...query] = key.split('?');
  const name = path.split('/').slice(1).at(-1) ?? '';
  return decode([name, ...query].filter((part) => part !== '').join('-'));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The folders of some keys, from the first folder that does not hold everything. */
export function folderTree(keys: Iterable<string>): Folder {
  const root: Folder = { folders: new Map() };
  for (const key of keys) {
    let folder = root;
    for (const name of namesOf(key)) {
      const next = folder.folders.get(name) ?? { folders: new Map() };
      folder.folders.set(name, next);
      folder = next;
    }
    folder.key = key;
  }
  let top = root;
  for (;;) {
    const [only, ...others] = top.folders.values();
    if (!only || others.length > 0 || top.key !== undefined) return top;
    top = only;
  }
}

function namesOf(key: string): string[] {
  const [path = '', ...query] = key.split('?');
  const all = path.split('/').map(decode);
  const names = all.slice(0, maxSegments);
  if (all.length > maxSegments) names.push(all.slice(maxSegments).join('/'));
  if (query.length > 0) names.push(`${names.pop() ?? ''}?${query.join('?')}`);
  return names;
}

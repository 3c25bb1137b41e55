import { withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { maxPageDepth } from '@octavo/merge';
import { candidatesAt, withoutMarkdownEnding } from '@octavo/outline';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import { Id } from '@octavo/schema';
import type { LinkedKind, Lookup } from './lookup.ts';

/** What the text of a target says, before anything is looked up. */
export type ReadTarget =
  | { kind: 'url'; url: string }
  /**
   * Into this installation, but not to what this space holds; `space` where it names one, `page` where it names one of
   * that. `foreign` is what of a space visitors of a site may be led to.
   */
  | { kind: 'app'; space?: SpaceId; page?: string; foreign?: ForeignTarget }
  | { kind: 'self'; anchor: string }
  /** In this space: the ways to find it, best first. `inApp` is an address of the application. */
  | { kind: 'node'; lookups: Lookup[]; anchor: string; inApp: boolean };

/** A page of a space by its id or its path, a place on one, or without either the space itself. */
export interface ForeignTarget {
  space: SpaceId;
  page?: string;
  slugs?: string[];
  anchor: string;
}

/** Where a link stands. */
export interface Origin {
  space: SpaceId;
  urls: Urls;
  node: Node;
}

const absolute = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;
const ofSpace = /^\/spaces\/([\w-]{1,64})(?:\/(?:change-requests|revisions)\/[\w-]{1,64})?(?:\/content)?(?:\/|$)/;
const kinds: Record<string, LinkedKind> = {
  page: 'page',
  pages: 'page',
  file: 'file',
  files: 'file',
  'reusable-contents': 'reusable-content',
};

/** What addresses of this installation begin with: those of the application, and of the API. */
export const basesOf = (urls: Urls): string[] => [urls.app(''), urls.location('')];

const isBelow = (address: string, base: string): boolean =>
  address === base || (/^[/?]/.test(address.slice(base.length)) && address.startsWith(base));

/** Whether an address is one of this installation. */
export const leadsInside = (address: string, urls: Urls): boolean =>
  basesOf(urls).some((base) => isBelow(withoutAnchor(address), base));

/** What a target says. What was told of it with its text, by the import that brought it, comes before its own words. */
export function readTarget(text: string, origin: Origin): ReadTarget {
  const read = readWritten(text, origin);
  const { gitLinks } = origin.node.fields as { gitLinks?: Record<string, string> };
  const address = withoutAnchor(text);
  const path = gitLinks !== undefined && Object.hasOwn(gitLinks, address) ? gitLinks[address] : undefined;
  if (path === undefined) return read;
  const lookups: Lookup[] = [{ by: 'git', path }, ...(read.kind === 'node' ? read.lookups : [])];
  return { kind: 'node', lookups, anchor: text.slice(address.length + 1), inApp: false };
}

function readWritten(text: string, origin: Origin): ReadTarget {
  const [address = '', ...rest] = text.split('#');
  const anchor = rest.join('#');
  const { urls } = origin;
  const base = basesOf(urls).find((each) => isBelow(address, each));
  if (base !== undefined)
    return ownAddress(address.slice(base.length), anchor, { origin, inApp: base === urls.app('') });
  if (absolute.test(text)) return { kind: 'url', url: text };
  const path = address.split('?', 1)[0] ?? '';
  if (path === '') return { kind: 'self', anchor };
  return { kind: 'node', lookups: pathLookups(decode(path), origin.node), anchor, inApp: false };
}

/** An address of this installation, after its base. */
function ownAddress(
  address: string,
  anchor: string,
  { origin, inApp }: { origin: Origin; inApp: boolean },
): ReadTarget {
  const path = address.split('?', 1)[0] ?? '';
  const [start = '', space] = ofSpace.exec(path) ?? [];
  if (space === undefined) return { kind: 'app' };
  const foreignOf = (rest: string) => foreignTo(rest, { space, anchor });
  if (space !== origin.space) {
    const page = /^pages?\/([\w-]{1,64})$/.exec(path.slice(start.length))?.[1];
    return { kind: 'app', space, ...(page === undefined ? {} : { page }), ...foreignOf(path.slice(start.length)) };
  }
  if (path.length <= start.length) return { kind: 'app', space, ...foreignOf('') };
  const [word = '', ...rest] = decode(path.slice(start.length)).split('/');
  if (word === 'path') return { kind: 'node', lookups: [walk('', 0, rest)], anchor, inApp };
  const kind = Object.hasOwn(kinds, word) ? kinds[word] : undefined;
  const id = rest.join('/');
  if (kind === undefined || !isId(id)) return { kind: 'app', space };
  return { kind: 'node', lookups: [{ by: 'id', kind, id }], anchor, inApp };
}

/** What the rest of an address of a space names, but files and what members see alone. */
function foreignTo(rest: string, at: Pick<ForeignTarget, 'space' | 'anchor'>): { foreign?: ForeignTarget } {
  const [word, ...names] = rest
    .split('/')
    .filter((name) => name !== '')
    .map(decode);
  if (word === undefined || rest === 'path/') return { foreign: { ...at, anchor: '' } };
  if (word === 'path') return names.length > maxPageDepth ? {} : { foreign: { ...at, slugs: names } };
  const [page = ''] = names;
  return kinds[word] === 'page' && names.length === 1 && isId(page) ? { foreign: { ...at, page } } : {};
}

export const isId = (text: string): boolean => Id.safeParse(text).success;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const walk = (from: string, up: number, slugs: string[]): Lookup => ({ by: 'slug', from, up, slugs });

function pathLookups(path: string, node: Node): Lookup[] {
  const [, word = '', rest = ''] = /^\/(pages|files|reusable-contents)\/(.+)$/.exec(path) ?? [];
  const kind = Object.hasOwn(kinds, word) ? kinds[word] : undefined;
  const gitPath = node.fields.gitPath;
  if (kind !== undefined) {
    const byId: Lookup[] = isId(rest) ? [{ by: 'id', kind, id: rest }] : [];
    const asPage = kind === 'page' ? atPath(rest, [], '') : [];
    return [...byId, ...asPage, ...atPath(path.slice(1), [], '').filter(({ by }) => by === 'git')];
  }
  if (path.startsWith('/')) return atPath(path.slice(1), [], '');
  const byId: Lookup[] = /^(?:file|rc)_[a-zA-Z\d]+$/.test(path)
    ? [{ by: 'id', kind: path.startsWith('file') ? 'file' : 'reusable-content', id: path }]
    : [];
  if (typeof gitPath === 'string') return [...byId, ...atPath(path, gitPath.split('/').slice(0, -1), '')];
  return [...byId, ...atPath(path, [], node.parent)];
}

/** The ways to find what stands at a path: as a file from `folder`, as a page below `from`. */
function atPath(path: string, folder: string[], from: string): Lookup[] {
  const { up, names } = normalized([...folder, ...path.split('/')]);
  if (names.length > maxPageDepth + 1 || up > maxPageDepth) return [];
  const file = names.join('/');
  const { files, sources } = candidatesAt(file);
  const isOfFile = from === '' && up === 0;
  if (from === '' && up > 0) return [];
  const last = names.at(-1) ?? '';
  const stem = withoutMarkdownEnding(last);
  const isFolderPage = stem !== last && /^(?:README|_?index)$/i.test(stem);
  const slugs = isFolderPage ? names.slice(0, -1) : [...names.slice(0, -1), stem];
  return [
    ...(isOfFile ? files : []).map((each): Lookup => ({ by: 'git', path: each })),
    walk(from, up, slugs.filter(Boolean)),
    ...(isOfFile ? sources : []).map((each): Lookup => ({ by: 'git', path: each })),
  ];
}

function normalized(parts: string[]): { up: number; names: string[] } {
  const names: string[] = [];
  let up = 0;
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part !== '..') names.push(part);
    else if (names.pop() === undefined) up += 1;
  }
  return { up, names };
}

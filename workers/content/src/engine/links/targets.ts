import type { Query, RecordOf } from '@octavo/db';
import { fromQuery, selection, splitIntoJson } from '@octavo/db';
import { findIncludes, removeAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { getNodeKey, maxPageDepth } from '@octavo/merge';
import { getCandidates, removeMarkdownEnding } from '@octavo/outline';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import { Id } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { createLineageCte, isNearest, nodeRow, selectState } from '../store/lineage.ts';
import { toNode } from '../store/nodes.ts';

/** The parsed target of a link, before any lookup. */
export type ParsedTarget =
  | { kind: 'url'; url: string }
  /**
   * A URL of this installation that is not content of the space. `space` and `page` are set if the URL names them.
   * `foreign` is set if it can be resolved for visitors of a site.
   */
  | { kind: 'app'; space?: SpaceId; page?: string; foreign?: ForeignTarget }
  | { kind: 'self'; anchor: string }
  /** A target in this space: the lookups that find it, best first. `inApp` marks a URL of the application. */
  | { kind: 'node'; lookups: Lookup[]; anchor: string; inApp: boolean };

/** A page of a space by id or path, optionally with an anchor; without id and path, the space itself. */
export interface ForeignTarget {
  space: SpaceId;
  page?: string;
  slugs?: string[];
  anchor: string;
}

/** The node that contains a link. */
export interface Origin {
  space: SpaceId;
  urls: Urls;
  node: Node;
}

const absoluteUrl = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;
const spacePath = /^\/spaces\/([\w-]{1,64})(?:\/(?:change-requests|revisions)\/[\w-]{1,64})?(?:\/content)?(?:\/|$)/;
const kinds: Record<string, LinkedKind> = {
  page: 'page',
  pages: 'page',
  file: 'file',
  files: 'file',
  'reusable-contents': 'reusable-content',
};

/** Returns the base URLs of this installation: of the application and of the API. */
export const getBaseUrls = (urls: Urls): string[] => [urls.app(''), urls.location('')];

const isBelow = (address: string, base: string): boolean =>
  address === base || (/^[/?]/.test(address.slice(base.length)) && address.startsWith(base));

/** Whether an address is a URL of this installation. */
export const isInternalUrl = (address: string, urls: Urls): boolean =>
  getBaseUrls(urls).some((base) => isBelow(removeAnchor(address), base));

/**
 * Parses a target. A file path that an import stored for the address takes precedence over the address itself. The
 * import of a site with several spaces stores the path of a page's URL instead, if the page is in another space.
 */
export function readTarget(text: string, origin: Origin): ParsedTarget {
  const parsed = parseTarget(text, origin);
  const { gitLinks } = origin.node.fields as { gitLinks?: Record<string, string> };
  const address = removeAnchor(text);
  const path = gitLinks !== undefined && Object.hasOwn(gitLinks, address) ? gitLinks[address] : undefined;
  if (path === undefined) return parsed;
  const anchor = text.slice(address.length + 1);
  if (spacePath.test(path)) return parseInternalUrl(path, anchor, { origin, inApp: true });
  const lookups: Lookup[] = [{ by: 'git', path }, ...(parsed.kind === 'node' ? parsed.lookups : [])];
  return { kind: 'node', lookups, anchor, inApp: false };
}

/** Whether an import stored links of the node to pages of other spaces. */
export const hasForeignLinks = ({ fields }: Node): boolean =>
  Object.values((fields as { gitLinks?: Record<string, string> }).gitLinks ?? {}).some((path) => spacePath.test(path));

function parseTarget(text: string, origin: Origin): ParsedTarget {
  const [address = '', ...rest] = text.split('#');
  const anchor = rest.join('#');
  const { urls } = origin;
  const base = getBaseUrls(urls).find((each) => isBelow(address, each));
  if (base !== undefined)
    return parseInternalUrl(address.slice(base.length), anchor, { origin, inApp: base === urls.app('') });
  if (absoluteUrl.test(text)) return { kind: 'url', url: text };
  const path = address.split('?', 1)[0] ?? '';
  if (path === '') return { kind: 'self', anchor };
  return { kind: 'node', lookups: getPathLookups(decodePath(path), origin.node), anchor, inApp: false };
}

/** Parses the part of a URL of this installation that follows the base URL. */
function parseInternalUrl(
  address: string,
  anchor: string,
  { origin, inApp }: { origin: Origin; inApp: boolean },
): ParsedTarget {
  const path = address.split('?', 1)[0] ?? '';
  const [start = '', space] = spacePath.exec(path) ?? [];
  if (space === undefined) return { kind: 'app' };
  const toForeignTarget = (rest: string) => parseForeignTarget(rest, { space, anchor });
  if (space !== origin.space) {
    const page = /^pages?\/([\w-]{1,64})$/.exec(path.slice(start.length))?.[1];
    return {
      kind: 'app',
      space,
      ...(page === undefined ? {} : { page }),
      ...toForeignTarget(path.slice(start.length)),
    };
  }
  if (path.length <= start.length) return { kind: 'app', space, ...toForeignTarget('') };
  const [word = '', ...rest] = decodePath(path.slice(start.length)).split('/');
  if (word === 'path') return { kind: 'node', lookups: [createSlugLookup('', 0, rest)], anchor, inApp };
  const kind = Object.hasOwn(kinds, word) ? kinds[word] : undefined;
  const id = rest.join('/');
  if (kind === undefined || !isId(id)) return { kind: 'app', space };
  return { kind: 'node', lookups: [{ by: 'id', kind, id }], anchor, inApp };
}

/** Parses the rest of a space's URL, unless it names a file or something that only members see. */
function parseForeignTarget(
  rest: string,
  location: Pick<ForeignTarget, 'space' | 'anchor'>,
): { foreign?: ForeignTarget } {
  const [word, ...names] = rest
    .split('/')
    .filter((name) => name !== '')
    .map(decodePath);
  if (word === undefined || rest === 'path/') return { foreign: { ...location, anchor: '' } };
  if (word === 'path') return names.length > maxPageDepth ? {} : { foreign: { ...location, slugs: names } };
  const [page = ''] = names;
  return kinds[word] === 'page' && names.length === 1 && isId(page) ? { foreign: { ...location, page } } : {};
}

export const isId = (text: string): boolean => Id.safeParse(text).success;

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const createSlugLookup = (from: string, upCount: number, slugs: string[]): Lookup => ({
  by: 'slug',
  from,
  upCount,
  slugs,
});

function getPathLookups(path: string, node: Node): Lookup[] {
  const [, word = '', rest = ''] = /^\/(pages|files|reusable-contents)\/(.+)$/.exec(path) ?? [];
  const kind = Object.hasOwn(kinds, word) ? kinds[word] : undefined;
  const gitPath = node.fields.gitPath;
  if (kind !== undefined) {
    const byId: Lookup[] = isId(rest) ? [{ by: 'id', kind, id: rest }] : [];
    const asPage = kind === 'page' ? getLookupsAtPath(rest, [], '') : [];
    return [...byId, ...asPage, ...getLookupsAtPath(path.slice(1), [], '').filter(({ by }) => by === 'git')];
  }
  if (path.startsWith('/')) return getLookupsAtPath(path.slice(1), [], '');
  const byId: Lookup[] = /^(?:file|rc)_[a-zA-Z\d]+$/.test(path)
    ? [{ by: 'id', kind: path.startsWith('file') ? 'file' : 'reusable-content', id: path }]
    : [];
  if (typeof gitPath === 'string') return [...byId, ...getLookupsAtPath(path, gitPath.split('/').slice(0, -1), '')];
  return [...byId, ...getLookupsAtPath(path, [], node.parent)];
}

/** Returns the lookups for a path: as a file relative to `folder`, and as a page below `from`. */
function getLookupsAtPath(path: string, folder: string[], from: string): Lookup[] {
  const { upCount, names } = normalizePath([...folder, ...path.split('/')]);
  if (names.length > maxPageDepth + 1 || upCount > maxPageDepth) return [];
  const file = names.join('/');
  const { files, sources } = getCandidates(file);
  const isOfFile = from === '' && upCount === 0;
  if (from === '' && upCount > 0) return [];
  const last = names.at(-1) ?? '';
  const stem = removeMarkdownEnding(last);
  const isFolderPage = stem !== last && /^(?:README|_?index)$/i.test(stem);
  const slugs = isFolderPage ? names.slice(0, -1) : [...names.slice(0, -1), stem];
  return [
    ...(isOfFile ? files : []).map((each): Lookup => ({ by: 'git', path: each })),
    createSlugLookup(from, upCount, slugs.filter(Boolean)),
    ...(isOfFile ? sources : []).map((each): Lookup => ({ by: 'git', path: each })),
  ];
}

function normalizePath(parts: string[]): { upCount: number; names: string[] } {
  const names: string[] = [];
  let upCount = 0;
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part !== '..') names.push(part);
    else if (names.pop() === undefined) upCount += 1;
  }
  return { upCount, names };
}

/**
 * One way to find the target of a link. `slug` starts at the page `from` ('' is the root), goes up `upCount` levels
 * and then down by slugs. Without slugs it finds that page itself; at the root, the first page.
 */
export type Lookup =
  | { by: 'id'; kind: LinkedKind; id: string }
  | { by: 'git'; path: string }
  | { by: 'slug'; from: string; upCount: number; slugs: string[] };

/** The kinds of nodes that links can refer to. */
type LinkedKind = Exclude<Node['kind'], 'variable'>;

export const toLookupKey = (lookup: Lookup): string => JSON.stringify(Object.values(lookup));

/** Returns the lookup for a node id that was stored when the text was written. */
export const toIdLookup = (id: string): Lookup => ({ by: 'id', kind: getKind(id), id });

function getKind(id: string): LinkedKind {
  if (id.startsWith('file_')) return 'file';
  return id.startsWith('rc_') ? 'reusable-content' : 'page';
}

/** Returns the node that links refer to if several nodes come from one file: a page first, then the smallest id. */
export const pickFirst = (nodes: Node[]): Node | undefined =>
  nodes.toSorted((one, other) => getRank(one) - getRank(other) || (one.id < other.id ? -1 : 1))[0];

const getRank = (node: Node): number => (node.kind === 'page' ? 0 : 1);

/** An index of live nodes in memory, for link lookups. */
export class NodeIndex {
  readonly #byKey: Map<string, Node>;
  readonly #bySource: Map<unknown, Node | undefined>;
  readonly #byPlace: Map<string, Node>;
  readonly #firstPage: Node | undefined;

  /** @param isComplete Whether `nodes` includes all pages: otherwise the first page of the space is unknown. */
  constructor(nodes: Node[], isComplete: boolean) {
    const pages = nodes.filter(({ kind }) => kind === 'page');
    this.#byKey = new Map(nodes.map((node) => [getNodeKey(node), node]));
    const sources = Map.groupBy(nodes, ({ fields }) => fields.gitPath);
    this.#bySource = new Map([...sources].map(([path, from]) => [path, pickFirst(from)]));
    this.#byPlace = new Map(
      pages.filter(({ slug }) => slug !== '').map((page) => [toSlugKey(page.parent, page.slug), page]),
    );
    const top = isComplete ? pages.filter(({ parent }) => parent === '') : [];
    this.#firstPage = top.sort(comparePosition)[0];
  }

  find(lookup: Lookup): Node | undefined {
    if (lookup.by === 'id') return this.#byKey.get(getNodeKey(lookup));
    if (lookup.by === 'git') return this.#bySource.get(lookup.path);
    const { from, upCount, slugs } = this.shorten(lookup);
    if (upCount > 0 || slugs.length > 0) return undefined;
    return from === '' ? this.#firstPage : this.#byKey.get(getNodeKey({ kind: 'page', id: from }));
  }

  /** Follows a slug lookup through the indexed nodes and returns the rest of it that is still to be looked up. */
  shorten(lookup: Extract<Lookup, { by: 'slug' }>): Extract<Lookup, { by: 'slug' }> {
    let { from, upCount, slugs } = lookup;
    for (; upCount > 0; upCount -= 1) {
      const page = this.#byKey.get(getNodeKey({ kind: 'page', id: from }));
      if (page === undefined) break;
      from = page.parent;
    }
    for (; upCount === 0 && slugs.length > 0; slugs = slugs.slice(1)) {
      const child = this.#byPlace.get(toSlugKey(from, slugs[0] ?? ''));
      if (child === undefined) break;
      from = child.id;
    }
    return { by: 'slug', from, upCount, slugs };
  }
}

const toSlugKey = (parent: string, slug: string): string => `${parent}/${slug}`;

const comparePosition = (one: Node, other: Node): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;

const foundRow = selection({ ...nodeRow.fields, lookup: fromQuery(String) });
type FoundRow = RecordOf<typeof foundRow>;

/** The live nodes that lookups found, by lookup key. */
export type Targets = ReadonlyMap<string, Node>;

/**
 * Returns the queries that look up targets in a lineage; `toTargets` parses their rows. Rows read are proportional to
 * the lookups.
 */
export function createTargetQueries(lineage: SQL | string, lookups: Lookup[]): Query<FoundRow>[] {
  const distinct = [...new Map(lookups.map((lookup) => [toLookupKey(lookup), lookup])).entries()].map(
    ([key, lookup]) => ({ key, ...lookup }),
  );
  return (['id', 'git', 'slug'] as const).flatMap((by) =>
    splitIntoJson(distinct.filter((each) => each.by === by)).map((json) => foundRow.query(queries[by](lineage, json))),
  );
}

export function toTargets(rows: FoundRow[]): Targets {
  const nodesByLookup = Map.groupBy(
    rows.flatMap((row) => {
      const node = toNode(row);
      return node === undefined ? [] : [{ key: row.lookup, node }];
    }),
    ({ key }) => key,
  );
  const targets = new Map<string, Node>();
  for (const [key, entries] of nodesByLookup) {
    const node = pickFirst(entries.map((entry) => entry.node));
    if (node !== undefined) targets.set(key, node);
  }
  return targets;
}

const queries = {
  id: (lineage: SQL | string, json: string) => sql`
    WITH ${createLineageCte(lineage)}, wanted(key, kind, id) AS MATERIALIZED (
      SELECT value->>'key', value->>'kind', value->>'id' FROM json_each(${json}))
    SELECT ${foundRow.with({ lookup: sql`w.key` })}, MIN(l.depth) AS depth
    FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`w.kind`, sql`w.id`)}
    GROUP BY w.key`,
  git: (lineage: SQL | string, json: string) => sql`
    WITH ${createLineageCte(lineage)}, wanted(key, path) AS MATERIALIZED (
      SELECT value->>'key', value->>'path' FROM json_each(${json})), kinds(kind) AS MATERIALIZED (VALUES ('page'), ('file'), ('reusable-content'))
    SELECT ${foundRow.with({ lookup: sql`w.key` })}
    FROM wanted w CROSS JOIN lineage l CROSS JOIN kinds k CROSS JOIN versions v INDEXED BY versions_sources
      ON v.branch = l.branch AND v.kind = k.kind AND v.data->>'$.fields.gitPath' = w.path
      AND v.data->>'$.fields.gitPath' IS NOT NULL AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${isNearest}`,
  slug: (lineage: SQL | string, json: string) => sql`
    WITH RECURSIVE ${createLineageCte(lineage)}, climb(key, id, up, slugs) AS (
      SELECT value->>'key', value->>'from', value->>'upCount', value->'slugs' FROM json_each(${json})
      UNION ALL
      SELECT key, (SELECT v.parent FROM lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`climb.id`)}
        ORDER BY l.depth LIMIT 1), up - 1, slugs
      FROM climb WHERE up > 0 AND id <> ''
    ), walk(key, id, level, slugs) AS (
      SELECT key, id, 0, slugs FROM climb WHERE up = 0 AND id IS NOT NULL
      UNION ALL
      SELECT walk.key, v.id, level + 1, slugs FROM walk CROSS JOIN lineage l CROSS JOIN versions v
        ON v.branch = l.branch AND v.kind = 'page' AND v.parent = walk.id
        AND v.slug = json_extract(slugs, '$[' || level || ']') AND v.until > l.seq AND v.since <= l.seq
      WHERE v.deleted = 0 AND ${isNearest} AND level < json_array_length(slugs)
    ), ends(key, id) AS MATERIALIZED (
      SELECT key, CASE WHEN id <> '' THEN id ELSE (
        SELECT v.id FROM lineage l CROSS JOIN versions v ON v.branch = l.branch AND v.kind = 'page' AND v.parent = ''
          AND v.until > l.seq AND v.since <= l.seq
        WHERE v.deleted = 0 AND ${isNearest} ORDER BY v.position, v.id LIMIT 1) END
      FROM walk WHERE level = json_array_length(slugs)
    )
    SELECT ${foundRow.with({ lookup: sql`e.key` })}, MIN(l.depth) AS depth
    FROM ends e CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`e.id`)}
    GROUP BY e.key`,
};

/**
 * Returns the addresses of the files that a text includes, if an import has stored their targets. Other texts only look
 * like includes.
 */
export function getIncludedAddresses({ fields }: Node, markdown: string): string[] {
  const { gitLinks } = fields as { gitLinks?: Record<string, string> };
  if (gitLinks === undefined) return [];
  const addresses = new Set(findIncludes(markdown).map(({ address }) => address));
  return [...addresses].filter((address) => Object.hasOwn(gitLinks, address));
}

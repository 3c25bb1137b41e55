import type { Query, RecordOf } from '@octavo/db';
import { fromQuery, selection, splitIntoJson } from '@octavo/db';
import { getAnchors, maxAnchoredLength, slugify, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { maxPageDepth, nodeKey } from '@octavo/merge';
import { candidatesAt, withoutMarkdownEnding } from '@octavo/outline';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import { Id } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { isNearest, lineageCte, nodeRow, stateAt } from '../store/lineage.ts';
import { toNode } from '../store/nodes.ts';

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

/**
 * One way to find the node that a link leads to. `slug` begins at the page `from` ('' is the root), goes `up` some
 * levels and then down by slugs; without slugs it is that page itself, at the root the first page of all.
 */
export type Lookup =
  | { by: 'id'; kind: LinkedKind; id: string }
  | { by: 'git'; path: string }
  | { by: 'slug'; from: string; up: number; slugs: string[] };

/** The kinds of nodes that links lead to. */
type LinkedKind = Exclude<Node['kind'], 'variable'>;

export const lookupKey = (lookup: Lookup): string => JSON.stringify(Object.values(lookup));

/** A node by an id that a link was resolved to when it was written. */
export const lookupId = (id: string): Lookup => ({ by: 'id', kind: kindOf(id), id });

function kindOf(id: string): LinkedKind {
  if (id.startsWith('file_')) return 'file';
  return id.startsWith('rc_') ? 'reusable-content' : 'page';
}

/** Of the nodes that come from one file the one that links mean: a page first, then the one with the least id. */
export const firstOf = (nodes: Node[]): Node | undefined =>
  nodes.toSorted((one, other) => rank(one) - rank(other) || (one.id < other.id ? -1 : 1))[0];

const rank = (node: Node): number => (node.kind === 'page' ? 0 : 1);

/** Live nodes in memory, as links find them. */
export class NodeIndex {
  readonly #byKey: Map<string, Node>;
  readonly #bySource: Map<unknown, Node | undefined>;
  readonly #byPlace: Map<string, Node>;
  readonly #firstPage: Node | undefined;

  /** @param isWhole Whether these are all pages: only then is it known which one comes first. */
  constructor(nodes: Node[], isWhole: boolean) {
    const pages = nodes.filter(({ kind }) => kind === 'page');
    this.#byKey = new Map(nodes.map((node) => [nodeKey(node), node]));
    const sources = Map.groupBy(nodes, ({ fields }) => fields.gitPath);
    this.#bySource = new Map([...sources].map(([path, from]) => [path, firstOf(from)]));
    this.#byPlace = new Map(
      pages.filter(({ slug }) => slug !== '').map((page) => [placeKey(page.parent, page.slug), page]),
    );
    const top = isWhole ? pages.filter(({ parent }) => parent === '') : [];
    this.#firstPage = top.sort(byPlace)[0];
  }

  find(lookup: Lookup): Node | undefined {
    if (lookup.by === 'id') return this.#byKey.get(nodeKey(lookup));
    if (lookup.by === 'git') return this.#bySource.get(lookup.path);
    const { from, up, slugs } = this.shorten(lookup);
    if (up > 0 || slugs.length > 0) return undefined;
    return from === '' ? this.#firstPage : this.#byKey.get(nodeKey({ kind: 'page', id: from }));
  }

  /** The walk from where the nodes here end. */
  shorten(lookup: Extract<Lookup, { by: 'slug' }>): Extract<Lookup, { by: 'slug' }> {
    let { from, up, slugs } = lookup;
    for (; up > 0; up -= 1) {
      const page = this.#byKey.get(nodeKey({ kind: 'page', id: from }));
      if (page === undefined) break;
      from = page.parent;
    }
    for (; up === 0 && slugs.length > 0; slugs = slugs.slice(1)) {
      const child = this.#byPlace.get(placeKey(from, slugs[0] ?? ''));
      if (child === undefined) break;
      from = child.id;
    }
    return { by: 'slug', from, up, slugs };
  }
}

const placeKey = (parent: string, slug: string): string => `${parent}/${slug}`;

const byPlace = (one: Node, other: Node): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;

const foundRow = selection({ ...nodeRow.fields, lookup: fromQuery(String) });
type FoundRow = RecordOf<typeof foundRow>;

/** The live nodes that lookups find, by their keys. Rows read follow the lookups. */
export type Targets = ReadonlyMap<string, Node>;

/** The statements that look targets up at a lineage; `readTargets` reads their rows. */
export function targetReads(lineage: SQL | string, lookups: Lookup[]): Query<FoundRow>[] {
  const distinct = [...new Map(lookups.map((lookup) => [lookupKey(lookup), lookup])).entries()].map(
    ([key, lookup]) => ({ key, ...lookup }),
  );
  return (['id', 'git', 'slug'] as const).flatMap((by) =>
    splitIntoJson(distinct.filter((each) => each.by === by)).map((json) => foundRow.query(queries[by](lineage, json))),
  );
}

export function readTargets(rows: FoundRow[]): Targets {
  const found = Map.groupBy(
    rows.flatMap((row) => {
      const node = toNode(row);
      return node === undefined ? [] : [{ key: row.lookup, node }];
    }),
    ({ key }) => key,
  );
  const targets = new Map<string, Node>();
  for (const [key, entries] of found) {
    const node = firstOf(entries.map((entry) => entry.node));
    if (node !== undefined) targets.set(key, node);
  }
  return targets;
}

const queries = {
  id: (lineage: SQL | string, json: string) => sql`
    WITH ${lineageCte(lineage)}, wanted(key, kind, id) AS MATERIALIZED (
      SELECT value->>'key', value->>'kind', value->>'id' FROM json_each(${json}))
    SELECT ${foundRow.with({ lookup: sql`w.key` })}, MIN(l.depth) AS depth
    FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`w.kind`, sql`w.id`)}
    GROUP BY w.key`,
  git: (lineage: SQL | string, json: string) => sql`
    WITH ${lineageCte(lineage)}, wanted(key, path) AS MATERIALIZED (
      SELECT value->>'key', value->>'path' FROM json_each(${json})), kinds(kind) AS MATERIALIZED (VALUES ('page'), ('file'), ('reusable-content'))
    SELECT ${foundRow.with({ lookup: sql`w.key` })}
    FROM wanted w CROSS JOIN lineage l CROSS JOIN kinds k CROSS JOIN versions v INDEXED BY versions_sources
      ON v.branch = l.branch AND v.kind = k.kind AND v.data->>'$.fields.gitPath' = w.path
      AND v.data->>'$.fields.gitPath' IS NOT NULL AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${isNearest}`,
  slug: (lineage: SQL | string, json: string) => sql`
    WITH RECURSIVE ${lineageCte(lineage)}, climb(key, id, up, slugs) AS (
      SELECT value->>'key', value->>'from', value->>'up', value->'slugs' FROM json_each(${json})
      UNION ALL
      SELECT key, (SELECT v.parent FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`climb.id`)}
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
    FROM ends e CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`e.id`)}
    GROUP BY e.key`,
};

/** What is stored of a document's anchors at most, in characters; of one that has more, none are known. */
const maxStoredLength = 16_384;

/** What brings headings and ids that do not stand in the text, by the families that write it so. */
const bringsOthers = new RegExp(
  [
    // Blocks of GitBook and tags of Jekyll; expressions, mdBook and shortcodes of Hugo; markdown-include; MkDocs snippets.
    /\{%-?[ \t]{0,9}(?:include|openapi|swagger)|\{\{|\{!|--8<--/,
    // VitePress and other comments; DocFX; directives of MyST; mkdocstrings; notes in notes.
    /<!--[ \t]{0,9}[@#]?(?:include|snippet)|\[!(?:INCLUDE|include)|\{(?:include|eval-rst|auto\w{1,20})\}|^:::[ \t]{1,9}\w{1,99}\.\w|!\[\[/,
    // Components that are not written out: `<Part />`, `<Part></Part>`, `<a-part/>`; and imported pages.
    /<(?:[A-Z][\w.]{0,99}|[a-z]\w{0,99}-[\w-]{0,99})(?=[\s/>])(?:[^<]{0,999}\/>|[^<]{0,999}>\s{0,99}<\/[A-Za-z])/,
    /^(?:import[ \t]|\}[ \t]{0,9}from[ \t]).{0,500}\.mdx?['"]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'm',
);
const ids = /[\s"'{](?:id|name)[ \t]{0,9}=[ \t]{0,9}["'{]{0,2}([^\s"'<>{}]{1,200})/g;
const marks = /[{\s]#([^\s{}#"'<>]{1,200})(?=[\s}])/g;
const labels = /^\(([^()\s]{1,200})\)=/gm;
const dates = /\{%-?[ \t]{0,9}update[ \t][^%]{0,200}?date="([^"\s]{1,40})"/g;

/**
 * The anchors of a text as they are stored: each between line ends, with all that looks like an id; '' where its text
 * does not tell them all, so that no link is told to be broken that is not.
 */
export function storedAnchors(markdown: string): string {
  if (markdown.length > maxAnchoredLength || bringsOthers.test(markdown)) return '';
  const found = new Set(getAnchors(markdown).flatMap(({ id, aliases }) => [id, ...aliases]));
  for (const pattern of [ids, marks, labels, dates])
    for (const [, id = ''] of markdown.matchAll(pattern)) found.add(id);
  const stored = `\n${[...found].filter((id) => !/\s/.test(id)).join('\n')}\n`;
  return stored.length <= maxStoredLength && stored.isWellFormed() ? stored : '';
}

/** How much of an anchor is sought. */
export const maxAnchorLength = 1000;

/** The names by which an anchor of a link may be stored; none where browsers and applications decide what it means. */
export function namesOfAnchor(anchor: string): string[] {
  const written = decoded(anchor.slice(0, maxAnchorLength)).replace(/:~:.*$/s, '');
  if (written === '' || written === 'top' || /[/!?=&]/.test(written)) return [];
  return [...new Set([written, written.toLowerCase(), slugify(written)])].filter((name) => !/\s/.test(name));
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text).toWellFormed();
  } catch {
    return text;
  }
}

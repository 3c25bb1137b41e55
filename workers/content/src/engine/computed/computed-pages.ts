import type { Database, OpenAPIEntryRecord } from '@octavo/db';
import { computedEntries, fromQuery, openapiEntryRow, prepareStatement, runBatch, selection } from '@octavo/db';
import type { Block, DocumentTree, Section } from '@octavo/markdown';
import {
  block,
  blocksOfOthers,
  escapeTags,
  getSections,
  getTree,
  nextFreeSlug,
  parseTree,
  plainBlocks,
  textKey,
} from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { ComputedSource } from '@octavo/schema';
import { integratedBy, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { NodeRow } from '../store/nodes.ts';
import { getPageFields, toNodeFields, toNodes } from '../store/nodes.ts';
import type { ComputedSourceRow, MadePartRow, MadeVersionId, PageEntry, PageKey } from './sources.ts';
import { isShort, readMadeRows } from './sources.ts';

/** A page that is made of a computed page: it has that one's id in front of its own. */
export interface MadePage extends Node {
  madeOf: { source: string; version: MadeVersionId; slug: string; entry: PageEntry };
}

/** What an answer with pages of these follows from beside its revision. */
export const versionsOf = (rows: ComputedSourceRow[]): string | undefined =>
  rows.length === 0 ? undefined : rows.map(({ page, version }) => `${page}:${version?.id ?? ''}`).join();

export const isMadePage = (node: Node): node is MadePage => 'madeOf' in node;

/** Whether a page is a computed one that an integration makes pages of. */
const isIntegrated = (node: Node): boolean => {
  const { computed } = getPageFields(node);
  return computed !== undefined && integratedBy(computed) !== undefined;
};

/** Whether a page is a computed one that pages are made of. */
export const isSource = (node: Node): boolean => {
  const { type, computed } = getPageFields(node);
  return type === 'computed' && (computed?.type === 'builtin:openapi' || isIntegrated(node));
};

/**
 * Pages with those that are made of the computed ones in their places. A slug that a page has which somebody wrote is
 * not theirs; of computed pages beside each other the first has it. `others` are pages that are not among the nodes.
 * One that its integration has made nothing of stays what it is.
 */
export function withMadePages(
  nodes: Node[],
  rows: ComputedSourceRow[],
  others: Pick<Node, 'parent' | 'slug'>[] = [],
): Node[] {
  const sources = nodes.filter(isSource).sort(byPlace);
  if (sources.length === 0) return nodes;
  const found = new Map(rows.map((row) => [row.page, row]));
  const isWaiting = (node: Node) => isIntegrated(node) && !found.get(node.id)?.version;
  const written = nodes.filter((node) => !isSource(node) || isWaiting(node));
  const taken = new Map(sources.map(({ parent }) => [parent, new Set<string>()]));
  for (const { parent, slug } of [...written, ...others]) taken.get(parent)?.add(slug);
  const made = sources.flatMap((source) => {
    const row = found.get(source.id);
    return row === undefined ? [] : pagesOf(source, row, taken.get(source.parent) ?? new Set());
  });
  return [...written, ...made];
}

const byPlace = (one: Node, other: Node): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;

/** A page, with its path among the pages of its specification, which no page beside them changes. */
interface Named {
  node: MadePage;
  name: string;
}

function pagesOf(source: Node, { version, entries }: ComputedSourceRow, taken: Set<string>): MadePage[] {
  if (version === null) return [];
  const made = new Map<number, Named>();
  const [names, ids] = [new Set<string>(), new Set<string>()];
  for (const entry of entries) {
    const above = entry[2] === null ? undefined : made.get(entry[2]);
    const own = slugOf(entry);
    const called = own === '' ? `~${entry[3]}` : own;
    const name = above === undefined ? nextFreeSlug(called, names) : `${above.name}/${called}`;
    const slug = above === undefined && own !== '' ? nextFreeSlug(own, taken) : own;
    if (above === undefined) taken.add(slug);
    const id = nextFreeSlug(`${source.id}-${textKey(name)}`, ids);
    names.add(name);
    ids.add(id);
    const node = pageOf(entry, { source, version, id, slug, name, above: above?.node });
    made.set(entry[0], { node, name });
  }
  return [...made.values()].map(({ node }) => node);
}

const titles = { webhook: 'Webhooks', model: 'Models' };

/** Whether a page is a link, which has neither a path nor a text. */
export const isLink = ({ madeOf: { entry } }: Pick<MadePage, 'madeOf'>): boolean => isLinkEntry(entry);

const isLinkEntry = ({ 9: target }: PageEntry): boolean => Boolean(target);

/** The slug that a page has unless one beside it has that. */
export function slugOf(entry: PageEntry): string {
  const [, kind, , slug] = entry;
  if (isLinkEntry(entry)) return '';
  return kind === 'webhook' || kind === 'model' ? titles[kind].toLowerCase() : slug;
}

interface Making {
  source: Node;
  version: NonNullable<ComputedSourceRow['version']>;
  id: string;
  slug: string;
  name: string;
  above: Node | undefined;
}

function pageOf(entry: PageEntry, { source, version, id, slug, name, above }: Making): MadePage {
  const { hidden, noIndex, noRobotsIndex, condition } = getPageFields(source);
  const { 8: emoji, 9: target } = entry;
  return {
    kind: 'page',
    id,
    parent: above?.id ?? source.parent,
    position: `${source.position}\0${String(entry[0]).padStart(6, '0')}`,
    slug,
    fields: toNodeFields({
      ...said(entry),
      emoji: emoji ?? undefined,
      ...(target ? { type: 'link', target } : { type: 'document', computed: documentSource(entry, version, name) }),
      ...(above === undefined ? { hidden, noIndex, noRobotsIndex, condition } : {}),
    }),
    document: null,
    createdAt: source.createdAt,
    updatedAt: Math.max(source.updatedAt, version.createdAt),
    madeOf: { source: source.id, version: version.id, slug: version.slug, entry },
  };
}

function said([, kind, , , title, description, icon]: PageEntry) {
  if (kind === 'webhook' || kind === 'model') return { title: titles[kind] };
  const isOwn = isShort(description) || (kind === 'page' && description !== '');
  return { title, description: isOwn ? description : undefined, icon: icon ?? undefined };
}

/** What the document of a page is made of, as clients may ask for it. */
function documentSource(
  [, kind, , , , , , filled]: PageEntry,
  { id, spec, slug }: Making['version'],
  page: string,
): ComputedSource {
  if (spec === null) return { type: slug };
  const isInfo = kind === 'tag' && filled === 0;
  return {
    type: 'builtin:openapi',
    props: kind === 'model' ? { doc: 'models' } : { doc: isInfo ? 'info' : 'operations', page },
    dependencies: {
      spec: {
        ref: { kind: 'openapi', spec: slug },
        value: { object: 'openapi-spec', id: spec, slug, lastVersion: id },
      },
    },
  };
}

/** A page with its ancestors, nearest first, and its descendants. */
export interface PlacedPage {
  page: Node;
  ancestors: Node[];
  descendants: Node[];
  /** The computed pages that it is generated from, or that are below it. */
  sources: ComputedSourceRow[];
}

/** The rows of a page that are read to place it, of `getPage` in the content store. */
interface PlacedRows {
  chain: (NodeRow & { level: number })[];
  descendants: NodeRow[];
  below: ComputedSourceRow[];
  made: MadePartRow[];
}

/**
 * Places a page that was read: a stored page with the pages that are generated below it, else a generated one.
 * @throws ApiError not_found
 */
export function placePage(rows: PlacedRows, key: PageKey, isComputed: boolean): PlacedPage {
  const [page, ...ancestors] = toNodes(rows.chain.toSorted((one, other) => one.level - other.level));
  if (page === undefined) {
    const generated = soughtMadePage(rows.made, key.value, key.length);
    if (generated === undefined) throw notFound('page');
    return generated;
  }
  const nodes = toNodes(rows.descendants);
  const descendants = isComputed ? withMadePages(nodes, rows.below) : nodes;
  return { page, ancestors, descendants, sources: rows.below };
}

/** The generated page with a key, if there is one. */
export function soughtMadePage(rows: MadePartRow[], key: string, length: number) {
  const { beside, siblings, taken, above } = readMadeRows(rows);
  const ancestors = toNodes(above.toSorted((one, other) => one.level - other.level));
  const made = withMadePages(toNodes(siblings), beside, taken).filter(isMadePage);
  const last =
    length === 0
      ? made.find(({ id }) => id === key)
      : pageAt(made, (JSON.parse(key) as string[]).slice(ancestors.length));
  const [page, ...between] = chainTo(last, made);
  if (page === undefined) return undefined;
  const { source } = page.madeOf;
  return {
    page,
    ancestors: [...between, ...ancestors],
    descendants: made,
    sources: beside.filter((row) => row.page === source),
  } satisfies PlacedPage;
}

/** A page and those above it that are made with it. */
function chainTo(page: MadePage | undefined, made: MadePage[]): MadePage[] {
  if (page === undefined) return [];
  return [
    page,
    ...chainTo(
      made.find(({ id }) => id === page.parent),
      made,
    ),
  ];
}

function pageAt(made: MadePage[], slugs: string[]): MadePage | undefined {
  const ids = new Set(made.map(({ id }) => id));
  const isBelow = (page: MadePage, parent: string | undefined) =>
    parent === undefined ? !ids.has(page.parent) : page.parent === parent;
  let found: MadePage | undefined;
  for (const slug of slugs) {
    const parent = found?.id;
    found = made.find((each) => each.slug === slug && isBelow(each, parent));
    if (found === undefined) return undefined;
  }
  return found;
}

/** How many operations, webhooks or models stand on one page. */
const maxShown = 1000;

/** What a page that nobody wrote holds. */
export interface MadeParts {
  slug: string;
  /** The text of one that an integration made, in Markdown, in the place of all else. */
  text?: string;
  /** What stands at the top of the text. */
  introduction: string;
  /** Operations, webhooks or models. */
  shown: OpenAPIEntryRecord[];
}

const partRow = selection({ ...openapiEntryRow.fields, page: fromQuery(Number) });

/** What stands on each of some pages: the entry itself, and those of its operations, all webhooks or all models. */
const readParts = prepareStatement((pages: SQL<string>) => {
  const columns = partRow.with({ page: sql`w.key` });
  return partRow.query(sql`
    SELECT ${columns} FROM json_each(${pages}) w CROSS JOIN openapi_entries e
      ON e.version = w.value->>0 AND e.ordinal = w.value->>1
    UNION ALL SELECT ${columns} FROM json_each(${pages}) w CROSS JOIN openapi_entries e INDEXED BY openapi_entries_of_kind
      ON e.version = w.value->>0 AND e.kind = w.value->>2 AND e.parent IS w.value->>3 AND e.ordinal > w.value->>1
    ORDER BY ${partRow.names.page}, ordinal LIMIT ${sql.raw(String(maxShown + 1))}`);
});

const e = aliasedTable(computedEntries, 'e');
const textRow = selection({ page: fromQuery(Number), text: e.text });

const readTexts = prepareStatement((pages: SQL<string>) =>
  textRow.query(sql`
    SELECT ${textRow.with({ page: sql`w.key` })} FROM json_each(${pages}) w CROSS JOIN computed_entries e
      ON e.version = w.value->>0 AND e.ordinal = w.value->>1 AND w.value->>2 = 'page'`),
);

/** A page, as far as what it is made of tells what it holds. */
export type Made = Pick<MadePage, 'madeOf'>;

/** Where the entries of a page are: its own, and which others of a kind and below a tag stand on it. */
function placeOf({ madeOf: { version, entry } }: Made) {
  const [ordinal, kind] = entry;
  const isTag = kind === 'tag';
  return [version, ordinal, isTag ? 'operation' : kind === 'operation' ? '' : kind, isTag ? ordinal : null];
}

/** What pages hold: of the first, and of as many after it as hold a page's worth together. */
export async function readMadeParts(db: Database, pages: Made[]): Promise<MadeParts[]> {
  if (pages.length === 0) return [];
  const places = JSON.stringify(pages.map(placeOf));
  const isWritten = pages.some(({ madeOf: { entry } }) => entry[1] === 'page');
  const { rows, texts } = await runBatch(db, { rows: readParts(places), texts: isWritten ? readTexts(places) : [] });
  const written = new Map(texts.map(({ page, text }) => [page, text]));
  const last = rows.length > maxShown ? rows.reduce((most, { page }) => Math.max(most, page), 1) : pages.length;
  const byPage = Map.groupBy(rows, (row) => row.page);
  return pages.slice(0, last).map((page, index) => {
    const text = written.get(index);
    const parts = partsOf(page, byPage.get(index) ?? []);
    return text === undefined ? parts : { ...parts, text };
  });
}

function partsOf({ madeOf: { slug, entry } }: Made, [own, ...others]: OpenAPIEntryRecord[]): MadeParts {
  if (own === undefined) return { slug, introduction: '', shown: [] };
  const [, kind] = entry;
  const hasText = kind === 'tag' || kind === 'operation';
  const introduction = hasText && !isShort(own.description) ? own.description : '';
  return { slug, introduction, shown: kind === 'tag' ? others : [own, ...others] };
}

/** The document of a page: blocks that name their parts of the specification, each by its anchor. */
export function madeTree({ slug, text, introduction, shown }: MadeParts): DocumentTree {
  if (text !== undefined) return getTree(plainBlocks(parseTree(text).nodes));
  return getTree([...blocksOfOthers(introduction), ...shown.map((entry) => blockOf(slug, entry))]);
}

/** The same as it is written as markdown, where each part has a heading and says what it is. */
export function madeText({ slug, text, introduction, shown }: MadeParts): DocumentTree {
  if (text !== undefined) return madeTree({ slug, text, introduction, shown });
  const isSaid = isIntroduced({ slug, introduction, shown });
  return getTree([
    ...blocksOfOthers(introduction),
    ...shown.flatMap((entry) => [
      headingOf(entry.title),
      ...(isSaid ? [] : blocksOfOthers(entry.description)),
      blockOf(slug, entry),
    ]),
  ]);
}

/** Whether the one part of a page is described at the top of it. */
const isIntroduced = ({ introduction, shown: [first, ...others] }: MadeParts): boolean =>
  others.length === 0 && introduction !== '' && first?.description === introduction;

/** The same as sections for the search: the text of the page, and each part at its anchor. */
export function madeSections(parts: MadeParts, description = ''): Section[] {
  if (parts.text !== undefined) return getSections(parts.text || description);
  const isSaid = isIntroduced(parts);
  return [
    { anchor: '', level: 0, title: '', text: plainTextOf(parts.introduction || description) },
    ...parts.shown.map(({ slug, title, name, method, path, description: said }): Section => {
      const call = [method?.toUpperCase(), path, name === title ? null : name];
      const text = [...call, isSaid ? '' : plainTextOf(said)].filter(Boolean).join(' ');
      return { anchor: slug, level: 2, title, text };
    }),
  ];
}

const plainTextOf = (text: string): string =>
  getSections(escapeTags(text))
    .flatMap(({ title, text }) => [title, text])
    .filter(Boolean)
    .join(' ');

const headingOf = (title: string): Block =>
  block('heading-2', {}, [{ object: 'text', leaves: [{ object: 'leaf', text: title, marks: [] }] }]);

function blockOf(spec: string, { kind, slug, name, method, path }: OpenAPIEntryRecord): Block {
  const ref = { kind: 'openapi', spec };
  const made =
    kind === 'model'
      ? block('openapi-schemas', { ref, schemas: [name ?? ''], grouped: false })
      : kind === 'webhook'
        ? block('openapi-webhook', { ref, name: name ?? '', method: method ?? '' })
        : block('openapi-operation', { ref, path: path ?? '', method: method ?? '' });
  return { ...made, isVoid: true, meta: { id: slug } };
}

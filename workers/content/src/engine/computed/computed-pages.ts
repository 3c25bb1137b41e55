import type { Database, OpenAPIEntryRecord } from '@octavo/db';
import { computedEntries, fromQuery, openapiEntryRow, prepareStatement, runBatch, selection } from '@octavo/db';
import type { Block, DocumentTree, Section } from '@octavo/markdown';
import {
  createBlock,
  escapeTags,
  findFreeSlug,
  getSections,
  getTree,
  hashText,
  parseForeignBlocks,
  parseTree,
  toPlainBlocks,
} from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { ComputedSource } from '@octavo/schema';
import { getContentSource, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { NodeRow } from '../store/nodes.ts';
import { getPageFields, toNodeFields, toNodes } from '../store/nodes.ts';
import type { ComputedSourceRow, GeneratedPageRow, GeneratedVersionId, PageEntry, PageKey } from './sources.ts';
import { getEntryFields, getEntrySlug, isLinkEntry, isShortDescription, splitGeneratedRows } from './sources.ts';

/** A page generated from a computed page; its id starts with that page's id. */
export interface GeneratedPage extends Node {
  origin: { source: string; version: GeneratedVersionId; slug: string; entry: PageEntry };
}

/**
 * Returns the versions of the generated pages in a response. They are part of the ETag, in addition to the revision.
 */
export const toVersionsKey = (rows: ComputedSourceRow[]): string | undefined =>
  rows.length === 0 ? undefined : rows.map(({ page, version }) => `${page}:${version?.id ?? ''}`).join();

export const isGeneratedPage = (node: Node): node is GeneratedPage => 'origin' in node;

/** Whether an integration generates the pages of a computed page. */
const hasIntegration = (node: Node): boolean => {
  const { computed } = getPageFields(node);
  return computed !== undefined && getContentSource(computed) !== undefined;
};

/** Whether pages are generated from a page. */
export const isSource = (node: Node): boolean => {
  const { type, computed } = getPageFields(node);
  return type === 'computed' && (computed?.type === 'builtin:openapi' || hasIntegration(node));
};

/**
 * Replaces computed pages with the pages generated from them. If a written page has the slug of a generated page, the
 * generated page gets another slug. Among sibling computed pages, the first one gets the slug. `others` are written
 * pages that are not in `nodes`. A computed page whose integration has not generated any pages yet stays unchanged.
 */
export function addGeneratedPages(
  nodes: Node[],
  rows: ComputedSourceRow[],
  others: Pick<Node, 'parent' | 'slug'>[] = [],
): Node[] {
  const sources = nodes.filter(isSource).sort(comparePosition);
  if (sources.length === 0) return nodes;
  const rowsByPage = new Map(rows.map((row) => [row.page, row]));
  const isWaiting = (node: Node) => hasIntegration(node) && !rowsByPage.get(node.id)?.version;
  const writtenNodes = nodes.filter((node) => !isSource(node) || isWaiting(node));
  const takenSlugs = new Map(sources.map(({ parent }) => [parent, new Set<string>()]));
  for (const { parent, slug } of [...writtenNodes, ...others]) takenSlugs.get(parent)?.add(slug);
  const generatedPages = sources.flatMap((source) => {
    const row = rowsByPage.get(source.id);
    return row === undefined ? [] : generatePages(source, row, takenSlugs.get(source.parent) ?? new Set());
  });
  return [...writtenNodes, ...generatedPages];
}

const comparePosition = (one: Node, other: Node): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;

/** A page with its path among the generated pages; written siblings do not change this path. */
interface NamedPage {
  node: GeneratedPage;
  name: string;
}

function generatePages(
  source: Node,
  { version, entries }: ComputedSourceRow,
  takenSlugs: Set<string>,
): GeneratedPage[] {
  if (version === null) return [];
  const pagesByOrdinal = new Map<number, NamedPage>();
  const [names, ids] = [new Set<string>(), new Set<string>()];
  for (const entry of entries) {
    const parent = entry[2] === null ? undefined : pagesByOrdinal.get(entry[2]);
    const entrySlug = getEntrySlug(entry);
    const baseName = entrySlug === '' ? `~${entry[3]}` : entrySlug;
    const name = parent === undefined ? findFreeSlug(baseName, names) : `${parent.name}/${baseName}`;
    const slug = parent === undefined && entrySlug !== '' ? findFreeSlug(entrySlug, takenSlugs) : entrySlug;
    if (parent === undefined) takenSlugs.add(slug);
    const id = findFreeSlug(`${source.id}-${hashText(name)}`, ids);
    names.add(name);
    ids.add(id);
    const node = toGeneratedPage(entry, { source, version, id, slug, name, ancestor: parent?.node });
    pagesByOrdinal.set(entry[0], { node, name });
  }
  return [...pagesByOrdinal.values()].map(({ node }) => node);
}

/** Whether a generated page is a link, which has neither path nor text. */
export const isLink = ({ origin: { entry } }: Pick<GeneratedPage, 'origin'>): boolean => isLinkEntry(entry);

interface PageOrigin {
  source: Node;
  version: NonNullable<ComputedSourceRow['version']>;
  id: string;
  slug: string;
  name: string;
  ancestor: Node | undefined;
}

function toGeneratedPage(entry: PageEntry, { source, version, id, slug, name, ancestor }: PageOrigin): GeneratedPage {
  const { hidden, noIndex, noRobotsIndex, condition } = getPageFields(source);
  const { 8: emoji, 9: target } = entry;
  return {
    kind: 'page',
    id,
    parent: ancestor?.id ?? source.parent,
    position: `${source.position}\0${String(entry[0]).padStart(6, '0')}`,
    slug,
    fields: toNodeFields({
      ...getEntryFields(entry),
      emoji: emoji ?? undefined,
      ...(target ? { type: 'link', target } : { type: 'document', computed: toDocumentSource(entry, version, name) }),
      ...(ancestor === undefined ? { hidden, noIndex, noRobotsIndex, condition } : {}),
    }),
    document: null,
    createdAt: source.createdAt,
    updatedAt: Math.max(source.updatedAt, version.createdAt),
    origin: { source: source.id, version: version.id, slug: version.slug, entry },
  };
}

/** Returns the source of a page's document, as clients may request it. */
function toDocumentSource(
  [, kind, , , , , , filled]: PageEntry,
  { id, spec, slug }: PageOrigin['version'],
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
  /** The computed page that the page is generated from, or the computed pages below it. */
  sources: ComputedSourceRow[];
}

/** The rows of `getPage` in the content store that determine the position of a page in the tree. */
interface PlacedRows {
  chain: (NodeRow & { level: number })[];
  descendants: NodeRow[];
  below: ComputedSourceRow[];
  made: GeneratedPageRow[];
}

/**
 * Returns a page with its surroundings: a stored page with the pages generated below it, else a generated page.
 * @throws ApiError not_found
 */
export function placePage(rows: PlacedRows, key: PageKey, isComputed: boolean): PlacedPage {
  const [page, ...ancestors] = toNodes(rows.chain.toSorted((one, other) => one.level - other.level));
  if (page === undefined) {
    const generated = findGeneratedPage(rows.made, key.value, key.length);
    if (generated === undefined) throw notFound('page');
    return generated;
  }
  const nodes = toNodes(rows.descendants);
  const descendants = isComputed ? addGeneratedPages(nodes, rows.below) : nodes;
  return { page, ancestors, descendants, sources: rows.below };
}

/** Returns the generated page with a key, if there is one. */
export function findGeneratedPage(rows: GeneratedPageRow[], key: string, length: number) {
  const { beside, siblings, taken, above } = splitGeneratedRows(rows);
  const ancestors = toNodes(above.toSorted((one, other) => one.level - other.level));
  const generatedPages = addGeneratedPages(toNodes(siblings), beside, taken).filter(isGeneratedPage);
  const last =
    length === 0
      ? generatedPages.find(({ id }) => id === key)
      : findByPath(generatedPages, (JSON.parse(key) as string[]).slice(ancestors.length));
  const [page, ...between] = getChain(last, generatedPages);
  if (page === undefined) return undefined;
  const { source } = page.origin;
  return {
    page,
    ancestors: [...between, ...ancestors],
    descendants: generatedPages,
    sources: beside.filter((row) => row.page === source),
  } satisfies PlacedPage;
}

/** Returns a page and its generated ancestors. */
function getChain(page: GeneratedPage | undefined, pages: GeneratedPage[]): GeneratedPage[] {
  if (page === undefined) return [];
  return [
    page,
    ...getChain(
      pages.find(({ id }) => id === page.parent),
      pages,
    ),
  ];
}

function findByPath(pages: GeneratedPage[], slugs: string[]): GeneratedPage | undefined {
  const ids = new Set(pages.map(({ id }) => id));
  const isBelow = (page: GeneratedPage, parent: string | undefined) =>
    parent === undefined ? !ids.has(page.parent) : page.parent === parent;
  let matchingPage: GeneratedPage | undefined;
  for (const slug of slugs) {
    const parent = matchingPage?.id;
    matchingPage = pages.find((page) => page.slug === slug && isBelow(page, parent));
    if (matchingPage === undefined) return undefined;
  }
  return matchingPage;
}

/** Maximum number of operations, webhooks or models on one page. */
const maxEntriesPerPage = 1000;

/** The content of a generated page. */
export interface GeneratedContent {
  slug: string;
  /** The text of a page from an integration, in Markdown. It replaces all other content. */
  text?: string;
  /** The text at the top of the page. */
  introduction: string;
  /** Operations, webhooks or models. */
  entries: OpenAPIEntryRecord[];
}

const partRow = selection({ ...openapiEntryRow.fields, page: fromQuery(Number) });

/**
 * Reads the entries shown on pages: for each page, its own entry and the entries of its operations, or all webhooks, or
 * all models.
 */
const readEntries = prepareStatement((pages: SQL<string>) => {
  const columns = partRow.with({ page: sql`w.key` });
  return partRow.query(sql`
    SELECT ${columns} FROM json_each(${pages}) w CROSS JOIN openapi_entries e
      ON e.version = w.value->>0 AND e.ordinal = w.value->>1
    UNION ALL SELECT ${columns} FROM json_each(${pages}) w CROSS JOIN openapi_entries e INDEXED BY openapi_entries_of_kind
      ON e.version = w.value->>0 AND e.kind = w.value->>2 AND e.parent IS w.value->>3 AND e.ordinal > w.value->>1
    ORDER BY ${partRow.names.page}, ordinal LIMIT ${sql.raw(String(maxEntriesPerPage + 1))}`);
});

const e = aliasedTable(computedEntries, 'e');
const textRow = selection({ page: fromQuery(Number), text: e.text });

const readTexts = prepareStatement((pages: SQL<string>) =>
  textRow.query(sql`
    SELECT ${textRow.with({ page: sql`w.key` })} FROM json_each(${pages}) w CROSS JOIN computed_entries e
      ON e.version = w.value->>0 AND e.ordinal = w.value->>1 AND w.value->>2 = 'page'`),
);

/** A page with the origin that determines its content. */
export type WithOrigin = Pick<GeneratedPage, 'origin'>;

/**
 * Returns the keys under which the entries of a page are stored: its own entry, and the other entries on it by kind and
 * parent tag.
 */
function toEntryLocation({ origin: { version, entry } }: WithOrigin) {
  const [ordinal, kind] = entry;
  const isTag = kind === 'tag';
  return [version, ordinal, isTag ? 'operation' : kind === 'operation' ? '' : kind, isTag ? ordinal : null];
}

/**
 * Reads the contents of pages. The first page is always read; the following pages are read while their entries fit the
 * limit of one page.
 */
export async function readGeneratedContents(db: Database, pages: WithOrigin[]): Promise<GeneratedContent[]> {
  if (pages.length === 0) return [];
  const locations = JSON.stringify(pages.map(toEntryLocation));
  const isWritten = pages.some(({ origin: { entry } }) => entry[1] === 'page');
  const { rows, texts } = await runBatch(db, {
    rows: readEntries(locations),
    texts: isWritten ? readTexts(locations) : [],
  });
  const textsByPage = new Map(texts.map(({ page, text }) => [page, text]));
  const last =
    rows.length > maxEntriesPerPage ? rows.reduce((most, { page }) => Math.max(most, page), 1) : pages.length;
  const entriesByPage = Map.groupBy(rows, (row) => row.page);
  return pages.slice(0, last).map((page, index) => {
    const text = textsByPage.get(index);
    const parts = toGeneratedContent(page, entriesByPage.get(index) ?? []);
    return text === undefined ? parts : { ...parts, text };
  });
}

function toGeneratedContent(
  { origin: { slug, entry } }: WithOrigin,
  [ownEntry, ...others]: OpenAPIEntryRecord[],
): GeneratedContent {
  if (ownEntry === undefined) return { slug, introduction: '', entries: [] };
  const [, kind] = entry;
  const hasText = kind === 'tag' || kind === 'operation';
  const introduction = hasText && !isShortDescription(ownEntry.description) ? ownEntry.description : '';
  return { slug, introduction, entries: kind === 'tag' ? others : [ownEntry, ...others] };
}

/** Builds the document of a page: one block for each entry, with its anchor. */
export function buildGeneratedTree({
  slug,
  text,
  introduction,
  entries: shownEntries,
}: GeneratedContent): DocumentTree {
  if (text !== undefined) return getTree(toPlainBlocks(parseTree(text).nodes));
  return getTree([...parseForeignBlocks(introduction), ...shownEntries.map((entry) => createEntryBlock(slug, entry))]);
}

/**
 * Builds the document of a page for markdown: like `buildGeneratedTree`, but each entry also has a heading and a
 * description.
 */
export function buildGeneratedText({
  slug,
  text,
  introduction,
  entries: shownEntries,
}: GeneratedContent): DocumentTree {
  if (text !== undefined) return buildGeneratedTree({ slug, text, introduction, entries: shownEntries });
  const hasIntroduction = isIntroduced({ slug, introduction, entries: shownEntries });
  return getTree([
    ...parseForeignBlocks(introduction),
    ...shownEntries.flatMap((entry) => [
      createHeading(entry.title),
      ...(hasIntroduction ? [] : parseForeignBlocks(entry.description)),
      createEntryBlock(slug, entry),
    ]),
  ]);
}

/** Whether the introduction already describes the only entry of the page. */
const isIntroduced = ({ introduction, entries: [first, ...others] }: GeneratedContent): boolean =>
  others.length === 0 && introduction !== '' && first?.description === introduction;

/** Builds the search sections of a page: its text, and one section for each entry at its anchor. */
export function buildGeneratedSections(parts: GeneratedContent, description = ''): Section[] {
  if (parts.text !== undefined) return getSections(parts.text || description);
  const hasIntroduction = isIntroduced(parts);
  return [
    { anchor: '', level: 0, title: '', text: toPlainText(parts.introduction || description) },
    ...parts.entries.map(({ slug, title, name, method, path, description: entryDescription }): Section => {
      const call = [method?.toUpperCase(), path, name === title ? null : name];
      const text = [...call, hasIntroduction ? '' : toPlainText(entryDescription)].filter(Boolean).join(' ');
      return { anchor: slug, level: 2, title, text };
    }),
  ];
}

const toPlainText = (text: string): string =>
  getSections(escapeTags(text))
    .flatMap(({ title, text }) => [title, text])
    .filter(Boolean)
    .join(' ');

const createHeading = (title: string): Block =>
  createBlock('heading-2', {}, [{ object: 'text', leaves: [{ object: 'leaf', text: title, marks: [] }] }]);

function createEntryBlock(spec: string, { kind, slug, name, method, path }: OpenAPIEntryRecord): Block {
  const ref = { kind: 'openapi', spec };
  const entryBlock =
    kind === 'model'
      ? createBlock('openapi-schemas', { ref, schemas: [name ?? ''], grouped: false })
      : kind === 'webhook'
        ? createBlock('openapi-webhook', { ref, name: name ?? '', method: method ?? '' })
        : createBlock('openapi-operation', { ref, path: path ?? '', method: method ?? '' });
  return { ...entryBlock, isVoid: true, meta: { id: slug } };
}

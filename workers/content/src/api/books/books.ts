import type { Connection, Database, RecordOf } from '@octavo/db';
import { readRow, runBatch } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { ServiceContext, Urls } from '@octavo/runtime';
import type {
  BookFile,
  BookPageText,
  BookPart,
  BookReading,
  BookText,
  OutlineEntry,
  Page,
  RevisionId,
  SpaceId,
  Variables,
} from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { LinkRow, NodeLink, ResolvedLink } from '../../engine/links/document-links.ts';
import { getLookups, getNodeLinks, resolveLink } from '../../engine/links/document-links.ts';
import { expandText, hasIncludes, LinkingText, readLateTexts } from '../../engine/links/late-links.ts';
import type { Targets } from '../../engine/links/targets.ts';
import { createTargetQueries, toLookupKey, toTargets } from '../../engine/links/targets.ts';
import { presentPage, presentTree, rootState } from '../../engine/reading/page-presenter.ts';
import type { IncludedContent } from '../../engine/store/content.ts';
import {
  findIncludeTarget,
  queryMissingTargets,
  readIncludedContents,
  toNodesInSlices,
} from '../../engine/store/content.ts';
import { selectIds, selectRevisionLineage } from '../../engine/store/lineage.ts';
import { getFileFields, getPageFields, toNode, toNodes } from '../../engine/store/nodes.ts';
import type { ContentEnvironment } from '../../environment.ts';
import {
  findRevision,
  queryDocumentLinks,
  readBookDescendants,
  readBookNode,
  readBookNodes,
  readUploadedBytes,
  selectPagesWithTexts,
  textRow,
} from './queries.ts';

/** Returns the pages of a book in reading order, including pages that are hidden in the tree. One round trip. */
export async function readBookOutline(
  request: BookReading,
  { db, urls }: Pick<ServiceContext<unknown>, 'db' | 'urls'>,
): Promise<OutlineEntry[] | null> {
  const { page, only } = request;
  const { known, pages, first, below } = await runBatch(db, {
    known: findRevision(request.space, request.revision),
    pages: page === undefined ? readBookNodes(request, 'page') : [],
    first: page === undefined ? [] : readBookNode(request, 'page', page),
    below: page === undefined || only ? [] : readBookDescendants(request, page),
  });
  if (known.length === 0) return null;
  const to = { urls, base: '', metadata: false };
  if (page === undefined)
    return toOutline(await presentTree(await toNodesInSlices(pages), { parent: '', inherited: rootState }, to), 0);
  const [node] = toNodes(first);
  if (node === undefined) return null;
  const children = await presentTree(await toNodesInSlices(below), { parent: node.id, inherited: rootState }, to);
  return toOutline([presentPage(node, rootState, { children, to })], 0);
}

const toOutline = (pages: Page[], depth: number): OutlineEntry[] =>
  pages.flatMap((page) => [
    { id: page.id, title: page.title, type: page.type, depth },
    ...('pages' in page ? toOutline(page.pages, depth + 1) : []),
  ]);

const maxPages = 20;

interface Texts {
  nodes: Node[];
  markdown: Map<string, string>;
}

/**
 * Reads some pages of a book. At most four round trips; rows are proportional to the pages' links and the space's
 * variables.
 */
export async function readBookPart(
  request: BookReading & { pages: string[] },
  { db, urls }: Pick<ServiceContext<unknown>, 'db' | 'urls'>,
): Promise<BookPart> {
  const lineage = selectRevisionLineage(request);
  const pageIds = JSON.stringify(request.pages.slice(0, maxPages));
  const { pageRows, variableRows, linkRows } = await runBatch(db, {
    pageRows: textRow.query(sql`${selectPagesWithTexts(lineage, pageIds)} SELECT * FROM texts ORDER BY ordinal`),
    variableRows: readBookNodes(request, 'variable'),
    linkRows: queryDocumentLinks(sql`${selectPagesWithTexts(lineage, pageIds)} SELECT document FROM texts`),
  });
  const pages = toTexts(pageRows);
  const links = groupByDocument(linkRows);
  const reading = { db, lineage, space: request.space, urls };
  const { pages: nodesOfPages, ...contents } = await readContents(pages, links, reading);
  const nodes = [...nodesOfPages, ...contents.found.values().map(({ node }) => node)];
  const linksById = new Map([...links, ...contents.links]);
  const linksByNode = await resolveBookLinks(nodes, linksById, reading);
  const toBookText = (node: Node, markdown: string): BookText => ({
    id: node.id,
    markdown,
    ...(linksByNode.get(node) ?? ({ links: {}, files: {} } satisfies BookLinks)),
    includes: getIncludes(node, linksById),
  });
  const toExpandedText = (node: Node, markdown: string): BookText => {
    const expanded = expandText({ node, markdown }, contents.found);
    const text = toBookText(node, expanded.markdown);
    const added = Object.entries(expanded.node === node ? {} : (expanded.node.links ?? {}));
    const files = Object.fromEntries(added.filter(([, id]) => id.startsWith('file_')));
    const links = Object.fromEntries(added.filter(([, id]) => !/^(?:file|rc)_/.test(id)));
    return { ...text, links: { ...links, ...text.links }, files: { ...files, ...text.files } };
  };
  return {
    pages: nodesOfPages.map((node) => toPageText(node, toExpandedText(node, pages.markdown.get(node.id) ?? ''))),
    contents: [...contents.found.values()].map(({ node, markdown }) => toBookText(node, markdown)),
    variables: Object.fromEntries(
      toNodes(variableRows).map(({ id, fields }) => [id, fields.value as Variables[string]]),
    ),
  };
}

function toTexts(rows: RecordOf<typeof textRow>[]): Texts {
  const texts = rows.flatMap((row) => {
    const node = toNode(row);
    return node === undefined ? [] : [{ node, markdown: row.markdown ?? '' }];
  });
  return {
    nodes: texts.map(({ node }) => node),
    markdown: new Map(texts.map(({ node, markdown }) => [node.id, markdown])),
  };
}

interface BookContents {
  /** The pages with their links, including links to targets that were created after the texts. */
  pages: Node[];
  found: ReadonlyMap<string, IncludedContent>;
  links: LinkRows;
}

/** Reads the contents that pages include, at every level, with their links. */
async function readContents({ nodes, markdown }: Texts, rows: LinkRows, reading: LinkReading): Promise<BookContents> {
  const { db, lineage } = reading;
  const recorded = getRecordedContents(nodes);
  const included = nodes.flatMap((page) => Object.values(getIncludes(page, rows)));
  const contents = await readIncludedContents(db, lineage, [...recorded, ...included]);
  const targets = [...recorded, ...getRecordedContents([...contents.values()].map(({ node }) => node))];
  const { missing, links } = await runBatch(db, {
    missing: targets.length === 0 ? [] : queryMissingTargets(lineage, selectIds(new Set(targets))),
    links: readContentLinks(contents),
  });
  const texts = nodes.map((node) => ({ node, markdown: markdown.get(node.id) ?? '' })).filter(hasIncludes);
  const linking = { texts: texts.map((text) => new LinkingText(text)), contents };
  const missingIds = new Set(missing.map(({ id }) => id));
  const late = await readLateTexts(linking, { ...reading, shownPages: undefined, missing: missingIds });
  const added = new Map([...late.contents].filter(([id]) => !contents.has(id)));
  const addedLinks = added.size === 0 ? [] : await runBatch(db, readContentLinks(added));
  return {
    pages: nodes.map((node) => late.linkedNodes.get(node.id) ?? node),
    found: late.contents,
    links: groupByDocument([...links, ...addedLinks]),
  };
}

const getRecordedContents = (nodes: Node[]): string[] =>
  nodes.flatMap(({ links = {} }) => Object.values(links)).filter((id) => id.startsWith('rc_'));

function readContentLinks(contents: ReadonlyMap<string, IncludedContent>) {
  const hashes = [...contents.values()].flatMap(({ node }) => node.document ?? []);
  return hashes.length === 0 ? [] : queryDocumentLinks(sql`SELECT value FROM json_each(${JSON.stringify(hashes)})`);
}

const getIncludes = (node: Node, rows: LinkRows): Record<string, string> =>
  Object.fromEntries(
    getIncludeAddresses(node, rows).flatMap((address) => {
      const id = findIncludeTarget(node, address);
      return id === undefined ? [] : [[address, id] as const];
    }),
  );

function toPageText(node: Node, text: BookText): BookPageText {
  const { description, emoji, type, variables } = getPageFields(node);
  // A link page has no text: its only address is its target.
  const href = type === 'link' ? Object.values(text.links)[0] : undefined;
  return {
    ...text,
    ...(description === undefined ? {} : { description }),
    ...(emoji === undefined ? {} : { emoji }),
    ...(href === undefined ? {} : { href }),
    variables: variables ?? {},
  };
}

const maxFileBytes = 10 * 1024 * 1024;

interface FileReading {
  space: SpaceId;
  revision: RevisionId;
  file: string;
}

/** Reads a file of a revision; null if it does not exist or is too large for a book. */
export async function readBookFile(
  { file, ...location }: FileReading,
  { db, env }: Pick<ServiceContext<ContentEnvironment>, 'db' | 'env'>,
): Promise<BookFile | null> {
  const row = await readRow(db, readBookNode(location, 'file', file));
  const node = row && toNode(row);
  if (node === undefined) return null;
  const { blob, size, contentType } = getFileFields(node);
  if (size > maxFileBytes) return null;
  const object = (await env.FILES.get(blob)) ?? (await readUploadedBytes(db, blob, env.FILES));
  return object === null ? null : { bytes: new Uint8Array(await object.arrayBuffer()), contentType };
}

interface TitleReading {
  space: SpaceId;
  revision: RevisionId;
  page: string;
}

/** Returns the title of a page in a revision, or null. One round trip. */
export async function findPageTitle(
  { page, ...location }: TitleReading,
  { db }: Pick<Connection, 'db'>,
): Promise<string | null> {
  const row = await readRow(db, readBookNode(location, 'page', page));
  const node = row && toNode(row);
  return node === undefined ? null : getPageFields(node).title;
}

/** Maximum number of links resolved for one part of a book; links beyond it are broken. */
const maxLookups = 5_000;

interface LinkReading {
  db: Database;
  lineage: SQL;
  space: SpaceId;
  urls: Urls;
}

/** Maps each address in a text, as written, to its target. */
interface BookLinks {
  links: Record<string, string>;
  files: Record<string, string>;
}

type LinkRows = ReadonlyMap<string, LinkRow[]>;

const groupByDocument = (rows: LinkRow[]): LinkRows => Map.groupBy(rows, ({ hash }) => hash);

/** Returns the addresses that a node's text includes. */
const getIncludeAddresses = (node: Node, rows: LinkRows): string[] =>
  (rows.get(node.document ?? '') ?? []).filter(({ relation }) => relation === 'dependsOn').map(({ target }) => target);

/** Resolves the links of nodes. One round trip, or none if no link points into the space. */
async function resolveBookLinks(
  nodes: Node[],
  rows: LinkRows,
  { db, lineage, space, urls }: LinkReading,
): Promise<Map<Node, BookLinks>> {
  const pages = nodes.map((node) => ({
    node,
    links: getNodeLinks({ space, urls, node }, rows.get(node.document ?? '') ?? []),
  }));
  const lookups = pages.flatMap(({ node, links }) => links.flatMap((link) => getLookups(link, node)));
  const reads = createTargetQueries(lineage, lookups.slice(0, maxLookups));
  const targets = toTargets(await runBatch(db, reads));
  return new Map(pages.map(({ node, links }) => [node, sortLinks(node, links, { targets, urls })]));
}

function sortLinks(node: Node, links: NodeLink[], { targets, urls }: { targets: Targets; urls: Urls }): BookLinks {
  const resolvedLinks = links.map((link) => ({
    link,
    resolved: resolveLink(link, node, (lookup) => targets.get(toLookupKey(lookup))),
  }));
  const files = resolvedLinks.flatMap(({ link, resolved }) =>
    resolved.node?.kind === 'file' ? [[link.target, resolved.node.id] as const] : [],
  );
  const targetPairs = resolvedLinks.flatMap(({ link, resolved }) => {
    const to = getLinkTarget(link, resolved, urls);
    return to === undefined ? [] : [[link.target, to] as const];
  });
  return { links: Object.fromEntries(targetPairs), files: Object.fromEntries(files) };
}

/** Returns a page of the space, or an address that readers of the book can open. */
function getLinkTarget(link: NodeLink, { url, space, node, anchor }: ResolvedLink, urls: Urls): string | undefined {
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (node?.kind === 'page') return `${node.id}${hash}`;
  if (node !== undefined) return undefined;
  const address = url ?? (/^https?:/i.test(link.target) ? link.target : undefined);
  if (address !== undefined) return /^(?:https?|mailto|tel):/i.test(address) ? address : undefined;
  return space === undefined ? undefined : urls.app(`/spaces/${space}`);
}

import type { ReadPoint, RowsOf } from '@octavo/db';
import {
  changeRequestJoins,
  changeRequestRow,
  nullable,
  prepareStatement,
  revisions,
  runBatch,
  selection,
  toLineageValue,
} from '@octavo/db';
import { hashText } from '@octavo/markdown';
import type { Handler, ServiceContext } from '@octavo/runtime';
import { mapInSlices, presentChangeRequest, toJsonBytes } from '@octavo/runtime';
import type {
  content,
  OperationEndpoint,
  Revision,
  SitePage,
  SitePageReading,
  Variables,
  VersionedRevision,
  Visitor,
} from '@octavo/schema';
import { formatTimestamp, isApiError, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { addGeneratedPages, toVersionsKey } from '../../engine/computed/computed-pages.ts';
import type { PageKey } from '../../engine/computed/sources.ts';
import { readSources } from '../../engine/computed/sources.ts';
import { addLateCovers } from '../../engine/links/late-links.ts';
import type { FileLocation } from '../../engine/reading/file-presenter.ts';
import {
  compareNewestFirst,
  getFileLocation,
  getVisitedLocation,
  presentFiles,
} from '../../engine/reading/file-presenter.ts';
import { findPage, firstPageKey, readReferences, toIdKey, toPathKey } from '../../engine/reading/find-content.ts';
import { presentReusableContent, presentTree, rootState } from '../../engine/reading/page-presenter.ts';
import type { PointReading } from '../../engine/reading/page-text.ts';
import { toPointReading, toPublishedText } from '../../engine/reading/page-text.ts';
import { queryShownTargets, ShownContent } from '../../engine/reading/visibility.ts';
import { readForeignLocations } from '../../engine/sites/foreign-locations.ts';
import { readAlternates, toAlternates } from '../../engine/sites/site-locations.ts';
import { queryNodesOfKind, queryTree, toNodesInSlices } from '../../engine/store/content.ts';
import type { NodeRow } from '../../engine/store/nodes.ts';
import { getPageFields, toNodes } from '../../engine/store/nodes.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { handler } from '../../handler.ts';

const r = aliasedTable(revisions, 'r');
const headRow = selection({
  type: r.type,
  parents: r.parents,
  createdAt: r.createdAt,
  mergedFrom: nullable(changeRequestRow.fields),
});

/** The first branch in the lineage of a revision is its own. */
const readHead = prepareStatement((lineage: SQL<string>) =>
  headRow.query(sql`
    SELECT ${headRow} FROM (SELECT ${lineage} AS lineage) own
    CROSS JOIN revisions r ON r.branch = own.lineage->>'$[0][0]' AND r.seq = own.lineage->>'$[0][1]'
    LEFT JOIN change_requests cr ON cr.id = r.change_request ${changeRequestJoins}`),
);

/**
 * Returns the queries for a revision with its content. For a visitor, they read the data that decides which content is
 * visible.
 */
function queryRevision(
  { depth, computed }: Pick<Input['query'], 'depth' | 'computed'>,
  { point, space, visitor }: Pick<PointReading, 'space'> & { point: ReadPoint; visitor?: object | undefined },
) {
  const lineage = toLineageValue(point);
  const shown = visitor && queryShownTargets(lineage);
  const pages = shown === undefined ? queryTree(point, { space, depth }) : [];
  return (
    pages && {
      heads: readHead(lineage),
      sources: computed ? readSources(lineage, space) : [],
      files: queryNodesOfKind(point, 'file'),
      variables: queryNodesOfKind(point, 'variable'),
      pages,
      contents: shown === undefined ? queryNodesOfKind(point, 'reusable-content') : [],
      shownPages: shown?.pages ?? [],
      shownContents: shown?.contents ?? [],
    }
  );
}

type Rows = RowsOf<NonNullable<ReturnType<typeof queryRevision>>>;
type Get = Handler<OperationEndpoint<typeof content, 'getRevision'>, ContentEnvironment>;
type Input = Parameters<Get>[0];
type Context = Parameters<Get>[1];

/** Returns a revision with its content. Takes one more round trip if a cover was created after its page. */
export const getRevision = handler('getRevision', {
  reads: ({ query }, scope) => queryRevision(query, scope),
  handle: (input, context, rows) =>
    context.visitor === undefined
      ? presentForMember(rows, input, context)
      : presentForVisitor(
          rows,
          { ...toPointReading(context), visitor: context.visitor },
          { ...input.query, files: getFileLocation(input.params, context) },
        ),
});

async function presentForMember(rows: Rows, { params, query }: Input, context: Context): Promise<Revision> {
  const { env, db, point, space, urls } = context;
  const { heads, pages, sources, files, contents, variables } = rows;
  const { depth, metadata, computed } = query;
  const head = heads[0];
  if (head === undefined) throw notFound('revision');
  const { mergedFrom, parents, ...fields } = head;
  const base = `/spaces/${space.id}`;
  const location = getFileLocation(params, context);
  const written = await toNodesInSlices(pages);
  const nodes = computed ? addGeneratedPages(written, sources) : written;
  return {
    ...presentRevision(point.id, fields),
    parents,
    pages: await presentTree(
      await addLateCovers(nodes, {
        db,
        lineage: JSON.stringify(point.lineage),
        urls,
        space: space.id,
        shownPages: undefined,
      }),
      { parent: '', inherited: rootState, depth },
      { urls, base, metadata },
    ),
    files: await presentFiles((await toNodesInSlices(files)).sort(compareNewestFirst), {
      env,
      urls,
      location,
      metadata,
    }),
    reusableContents: toNodes(contents).map((node) => presentReusableContent(node)),
    variables: Object.fromEntries(toNodes(variables).map((node) => [node.id, node.fields.value])) as Variables,
    urls: { app: urls.app(`${base}/revisions/${point.id}`) },
    ...(mergedFrom === null ? {} : { mergedFrom: presentChangeRequest(mergedFrom, urls) }),
  };
}

interface VisitedParts {
  depth?: number | undefined;
  computed: boolean;
  /** The location of the files. */
  files: FileLocation;
}

/**
 * Returns the part of a revision that a visitor may see: no variables, which are evaluated in texts, and nothing about
 * its history. One more round trip if link pages refer to other spaces.
 */
async function readVisitedRevision(
  reading: PointReading,
  visitor: Visitor,
  parts: VisitedParts,
): Promise<VersionedRevision> {
  const statements = queryRevision(parts, { ...reading, visitor });
  if (statements === undefined) throw new TypeError('The query for the tree that the visitor sees is missing.');
  const rows = await runBatch(reading.db, statements);
  const revision = await presentForVisitor(rows, { ...reading, visitor }, parts);
  return { ...revision, textVersions: await hashPages(rows) };
}

const toState = ({ id, document, data }: NodeRow): string => `${id} ${document} ${data}`;

/**
 * Returns a hash for each page. It covers the text, reusable contents and variables of the page, but not the targets of
 * its references. Undefined if a page has a condition, because conditions determine which references are left out.
 */
async function hashPages({
  shownPages,
  shownContents,
  variables,
}: Rows): Promise<VersionedRevision['textVersions'] | undefined> {
  if (shownPages.some(({ data }) => data.includes('"condition":'))) return undefined;
  const shared = hashText([...shownContents, ...variables].map(toState).join('\n'));
  const hashes = await mapInSlices(shownPages, (row) => [row.id, hashText(`${shared} ${toState(row)}`)] as const);
  return Object.fromEntries(hashes);
}

async function presentForVisitor(
  { heads, files, sources, variables, shownPages: pages, shownContents: contents }: Rows,
  reading: PointReading & { visitor: Visitor },
  { depth, computed, files: fileLocation }: VisitedParts,
): Promise<Revision> {
  const { env, db, point, space, urls, visitor } = reading;
  const lineage = JSON.stringify(point.lineage);
  const head = heads[0];
  if (head === undefined) throw notFound('revision');
  reading.addToEtag(toVersionsKey(sources));
  const content = new ShownContent(visitor.claims, { pages, contents, variables });
  const base = `/spaces/${space}`;
  const written = await toNodesInSlices(pages);
  const nodes = computed ? addGeneratedPages(written, sources) : written;
  const visibleNodes = nodes.filter((node) => content.pages.has(node.id));
  const foreignLocations = await readForeignLocations({ texts: [], pages: visibleNodes }, reading);
  const { hasEditLinks } = visitor;
  reading.addToEtag(hasEditLinks ? 'edit links' : undefined);
  const to = { urls, base, metadata: false, shownPages: content.pages, foreignLocations, hasEditLinks };
  const shownFiles = (await toNodesInSlices(files)).filter((file) => content.isUsed(file));
  const location = await getVisitedLocation(fileLocation, visitor, content.isOpen);
  return {
    ...presentRevision(point.id, head),
    parents: [],
    pages: await presentTree(
      await addLateCovers(nodes, { db, lineage, urls, space, shownPages: content.pages }),
      { parent: '', inherited: rootState, depth },
      to,
    ),
    files: await presentFiles(shownFiles.sort(compareNewestFirst), { env, urls, location, metadata: false }),
    reusableContents: toNodes(contents)
      .filter((node) => content.isUsed(node))
      .map((node) => presentReusableContent(node, { isVisited: true })),
    variables: {},
    urls: { app: urls.app(`${base}/revisions/${point.id}`) },
  };
}

const presentRevision = (
  id: string,
  { type, createdAt }: { type: Revision['type']; createdAt: number },
): Pick<Revision, 'object' | 'id' | 'type' | 'tags' | 'createdAt'> => ({
  object: 'revision',
  id,
  type,
  tags: [],
  createdAt: formatTimestamp(createdAt),
});

/**
 * Reads a page of a site, and the tree of its space. This takes one round trip if the database batches reads. It takes
 * one or two more if the text links to other spaces, to former headings, or to targets that were created later, or if
 * there is no page at the path.
 */
export async function readSitePage(
  { visitor, space, point, path, page, hasTree, hasAlternates }: Omit<SitePageReading, 'addresses'>,
  { db, env, urls }: Pick<ServiceContext<ContentEnvironment>, 'db' | 'env' | 'urls'>,
): Promise<Omit<SitePage, 'addresses'>> {
  const reading = { env, db, point, space, urls, visitor, addToEtag: () => undefined };
  const files = { space, branch: space };
  const [revision, foundPage] = await Promise.all([
    hasTree ? readVisitedRevision(reading, visitor, { computed: true, files }).then(toJsonBytes) : undefined,
    path === undefined ? undefined : readPageAround({ path, page }, hasAlternates, reading),
  ]);
  return { revision, page: foundPage };
}

type VisitedReading = PointReading & Pick<SitePageReading, 'visitor'>;

/**
 * Reads the page at a path. If no page has the path, reads the parent page: the last segment of the path can name a
 * part of a generated page.
 */
async function readPageAround(
  { path, page }: { path: string; page: string | undefined },
  ...rest: [boolean, VisitedReading]
): Promise<SitePage['page']> {
  if (page !== undefined) return readPage(() => toIdKey(page), ...rest);
  const sitePage = await readPage(() => (path === '' ? firstPageKey : toPathKey(path)), ...rest);
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return sitePage === undefined && parent !== '' ? readPage(() => toPathKey(parent), ...rest) : sitePage;
}

async function readPage(
  createKey: () => PageKey,
  hasAlternates: boolean,
  reading: VisitedReading,
): Promise<SitePage['page']> {
  try {
    const key = createKey();
    const alternateReads = hasAlternates ? readAlternates(key, reading) : undefined;
    const [foundPage, rows] = await Promise.all([
      findPage(key, { depth: 0, isEvaluated: true, computed: true }, reading),
      alternateReads && runBatch(reading.db, alternateReads),
    ]);
    const { id } = foundPage.page;
    if (getPageFields(foundPage.page).type !== 'document') return undefined;
    const { references, text } = await readReferences(foundPage, reading);
    const form = { evaluated: true, dereferenced: true };
    const { linkedNodes, foreignLocations } = references;
    let isTraceable = text.generated === undefined && !linkedNodes?.size && foreignLocations === undefined;
    const onUnresolved = () => {
      isTraceable = false;
    };
    // Published pages do not need the keys of blocks.
    const document = await toPublishedText(text, form, {
      reading: { ...references, onUnresolved },
      isKept: false,
      hasKeys: false,
    });
    const alternates = rows ? await toAlternates(id, rows, reading) : [];
    return { id, document: await toJsonBytes(document), alternates, isTraceable };
  } catch (error) {
    if (isApiError(error) && error.type === 'not_found') return undefined;
    throw error;
  }
}

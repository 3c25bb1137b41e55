import type { Database } from '@octavo/db';
import { batchReads, decodeCursor, paginate, readRows, toLineageValue } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { authorizeVisitor, createUrls, readVisitorToken } from '@octavo/runtime';
import type {
  ComputedPageState,
  PageContentQuery,
  SpaceId,
  VisitedDocuments,
  VisitedTexts,
  VisitorToken,
} from '@octavo/schema';
import { content, formatTimestamp, isApiError } from '@octavo/schema';
import { addGeneratedPages, toVersionsKey } from '../../engine/computed/computed-pages.ts';
import type { PageKey } from '../../engine/computed/sources.ts';
import { readSources } from '../../engine/computed/sources.ts';
import { addLateCovers } from '../../engine/links/late-links.ts';
import { findPage, toFindOptions, toFoundPage, toIdKey, toPathKey } from '../../engine/reading/find-content.ts';
import { presentFoundPage, presentTree, rootState } from '../../engine/reading/page-presenter.ts';
import type { PointReading } from '../../engine/reading/page-text.ts';
import { toPointReading } from '../../engine/reading/page-text.ts';
import { createSpaceScope, ShownPages } from '../../engine/reading/visibility.ts';
import { readForeignLocations } from '../../engine/sites/foreign-locations.ts';
import type { PageRows } from '../../engine/store/content.ts';
import { getPage, queryNodesOfKind, queryTree, toNodesInSlices } from '../../engine/store/content.ts';
import { getPageFields, toNodes } from '../../engine/store/nodes.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { handler } from '../../handler.ts';
import type { ComputedStateRecord } from './queries.ts';
import { findComputedStates } from './queries.ts';

export const getPageById = handler('getPageById', {
  reads: ({ params, query }, scope) => getPage(scope, toIdKey(params.pageId), toFindOptions(query)),
  handle: ({ params, query }, context, rows) => presentPageRows(rows, toIdKey(params.pageId), query, context),
});

export const getPageByPath = handler('getPageByPath', {
  reads: ({ params, query }, scope) => getPage(scope, toPathKey(params.pagePath), toFindOptions(query)),
  handle: ({ params, query }, context, rows) => presentPageRows(rows, toPathKey(params.pagePath), query, context),
});

async function presentPageRows(
  rows: PageRows,
  key: PageKey,
  query: PageContentQuery,
  context: Parameters<typeof toPointReading>[0],
) {
  const reading = toPointReading(context);
  return presentFoundPage(await toFoundPage(rows, { key, ...toFindOptions(query) }, reading), query, reading);
}

/**
 * Returns the page tree at a point, completely or down to a depth. Takes up to two more round trips if covers are paths
 * of files. A visitor's tree is always read completely, because targets of link pages may be hidden anywhere; targets
 * in other spaces take one more round trip.
 */
export const listPages = handler('listPages', {
  reads({ query: { depth, computed } }, { point, space, visitor }) {
    const pages = queryTree(point, { space, depth: visitor === undefined ? depth : undefined });
    return (
      pages && {
        pages,
        variables: visitor === undefined ? [] : queryNodesOfKind(point, 'variable'),
        sources: computed ? readSources(toLineageValue(point), space) : [],
      }
    );
  },
  handle: async ({ query: { depth, metadata, computed } }, context, rows) => {
    const { db, point, space, urls, visitor, addToEtag } = context;
    const start = { parent: '', inherited: rootState, depth };
    const to = { urls, base: `/spaces/${space.id}`, metadata };
    addToEtag(toVersionsKey(rows.sources));
    const written = await toNodesInSlices(rows.pages);
    const pages = computed ? addGeneratedPages(written, rows.sources) : written;
    const presentation = { db, lineage: JSON.stringify(point.lineage), urls, space: space.id };
    if (visitor === undefined)
      return {
        pages: await presentTree(await addLateCovers(pages, { ...presentation, shownPages: undefined }), start, to),
      };
    const hasConditions = pages.some((page) => Boolean(getPageFields(page).condition));
    const shownPages = new ShownPages(createSpaceScope(toNodes(rows.variables), visitor.claims), pages, hasConditions);
    const visible = pages.filter(({ id }) => shownPages.has(id));
    const foreignLocations = await readForeignLocations(
      { texts: [], pages: visible },
      { ...context, space: space.id, visitor },
    );
    return {
      pages: await presentTree(await addLateCovers(pages, { ...presentation, shownPages }), start, {
        ...to,
        shownPages,
        foreignLocations,
      }),
    };
  },
});

/** The error of a run that was interrupted: such a run only stored that it started. */
const interruptedMessage = 'The last run was interrupted.';

function presentState(row: ComputedStateRecord, now: number, location: (page: string) => string): ComputedPageState {
  const isUnderWay = row.leasedUntil > now;
  // A run in progress is stored as a failure until it ends.
  const failed = isUnderWay ? Math.max(0, row.failures - 1) : row.failures;
  const message = row.error ?? (failed > 0 ? interruptedMessage : null);
  return {
    object: 'computed-page',
    id: row.page,
    title: row.title,
    type: row.source.type,
    processingState: isUnderWay ? 'progress' : row.takenAt === 0 ? 'pending' : 'complete',
    ...(row.version === null ? {} : { lastVersion: row.version }),
    ...(row.takenAt === 0 ? {} : { lastProcessedAt: formatTimestamp(row.takenAt) }),
    nextProcessAt: formatTimestamp(row.dueAt),
    failures: failed,
    ...(message === null ? {} : { lastProcessErrorMessage: message }),
    urls: { location: location(row.page) },
  };
}

const createLocationBuilder = (space: SpaceId, urls: Urls) => (id: string) =>
  urls.location(`/spaces/${space}/content/page/${id}`);

/** Lists the computed pages of the live content that use an integration, ordered by id. */
export const listComputedPages = handler(
  'listComputedPages',
  async ({ query: { page: cursor, limit } }, { db, space, urls }) => {
    const [after = ''] = decodeCursor(cursor, ['string']) ?? [];
    const rows = await readRows(db, findComputedStates(space.id, String(after), limit + 1));
    const [now, location] = [Date.now(), createLocationBuilder(space.id, urls)];
    return paginate(rows, limit, {
      item: (row) => presentState(row, now, location),
      getCursor: (row) => [row.page],
    });
  },
);

const maxPages = 20;

interface Context {
  db: Database;
  env: ContentEnvironment;
}

/**
 * Returns the texts of pages as `getPageInRevisionById` returns them to the visitor; null for pages that the visitor
 * may not see.
 */
export const readShownTexts = ({ references, ...texts }: VisitedTexts, context: Context): Promise<(string | null)[]> =>
  readVisiblePages(texts, { format: 'markdown', 'format.markdown.refs': references }, context);

/** Returns the documents of pages as JSON. */
export const readShownDocuments = (documents: VisitedDocuments, context: Context): Promise<(string | null)[]> =>
  readVisiblePages(documents, { format: 'document' }, context);

/** Reads pages in a format, authorizing the visitor once. */
async function readVisiblePages(
  { token, space, revision, pages }: VisitedDocuments,
  form: object,
  { db, env }: Context,
): Promise<(string | null)[]> {
  const visitor = await readVisitorToken(env, `Bearer ${token}`);
  const reading = visitor && (await authorizeReading(visitor, { space, revision }, { db, env }));
  if (!reading) return pages.map(() => null);
  const { query: Query } = content.getPageInRevisionById;
  const query = Query.parse({ ...form, evaluated: 'deterministic-only', depth: '0' });
  return Promise.all(
    pages.slice(0, maxPages).map((page) =>
      ignoreNotFound(async () => {
        const presentedPage = await presentFoundPage(
          await findPage(toIdKey(page), toFindOptions(query), reading),
          query,
          reading,
        );
        if (presentedPage.type !== 'document') return null;
        return (
          presentedPage.markdown ??
          (presentedPage.document === undefined ? null : JSON.stringify(presentedPage.document))
        );
      }),
    ),
  );
}

/** Authorizes the visitor for the site and the space, like the endpoint of one page. */
const authorizeReading = (
  token: VisitorToken,
  { space, revision }: Pick<VisitedTexts, 'space' | 'revision'>,
  { db, env }: Context,
): Promise<PointReading | null> =>
  ignoreNotFound(async () => {
    const params = { spaceId: space, revisionId: revision };
    const { visitor, point } = await authorizeVisitor(content.getPageInRevisionById, params, { db, token });
    if (visitor === undefined || point === undefined) return null;
    const context = { point, space: { id: space }, urls: createUrls(env), visitor, addToEtag: () => undefined };
    return toPointReading({ env, db: batchReads(db), ...context });
  });

async function ignoreNotFound<Value>(load: () => Promise<Value | null>): Promise<Value | null> {
  try {
    return await load();
  } catch (error) {
    if (isApiError(error) && error.type === 'not_found') return null;
    throw error;
  }
}

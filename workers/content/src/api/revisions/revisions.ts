import { changeRequestJoins, changeRequestRow, nullable, revisions, runBatch, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { content, OperationEndpoint, Revision, Variables, Visitor } from '@octavo/schema';
import { formatTimestamp, notFound } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { addGeneratedPages, toVersionsKey } from '../../engine/computed/computed-pages.ts';
import { readSources } from '../../engine/computed/sources.ts';
import { addLateCovers } from '../../engine/links/late-links.ts';
import {
  compareNewestFirst,
  getFileLocation,
  getVisitedLocation,
  presentFiles,
} from '../../engine/reading/file-presenter.ts';
import { presentReusableContent, presentTree, rootState } from '../../engine/reading/page-presenter.ts';
import { readShownTargets, ShownContent } from '../../engine/reading/visibility.ts';
import { readForeignLocations } from '../../engine/sites/foreign-locations.ts';
import { getNodes, getTree, toManyNodes } from '../../engine/store/content.ts';
import { toNodes } from '../../engine/store/nodes.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { handler } from '../../handler.ts';

const r = aliasedTable(revisions, 'r');
const headRow = selection({
  type: r.type,
  parents: r.parents,
  createdAt: r.createdAt,
  mergedFrom: nullable(changeRequestRow.fields),
});

const readHead = (id: string) =>
  headRow.query(sql`
    SELECT ${headRow} FROM revisions r
    LEFT JOIN change_requests cr ON cr.id = r.change_request ${changeRequestJoins} WHERE r.id = ${id}`);

type Get = Handler<OperationEndpoint<typeof content, 'getRevision'>, ContentEnvironment>;

/** Returns a revision with its content. One round trip, and one more if a cover was created after its page. */
export const getRevision = handler('getRevision', (input, context) =>
  context.visitor === undefined ? readForMember(input, context) : readForVisitor(input, context, context.visitor),
);

const readForMember: Get = async ({ params, query }, context) => {
  const { env, db, point, space, urls } = context;
  const { depth, metadata, computed } = query;
  const lineage = JSON.stringify(point.lineage);
  const { heads, pages, sources, files, contents, variables } = await runBatch(db, {
    heads: readHead(point.id),
    pages: getTree(point, { space: space.id, depth }),
    sources: computed ? readSources(lineage, space.id) : [],
    files: getNodes(point, 'file'),
    contents: getNodes(point, 'reusable-content'),
    variables: getNodes(point, 'variable'),
  });
  const head = heads[0];
  if (head === undefined) throw notFound('revision');
  const { mergedFrom, parents, ...fields } = head;
  const base = `/spaces/${space.id}`;
  const location = getFileLocation(params, context);
  const written = await toManyNodes(pages);
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
    files: await presentFiles((await toManyNodes(files)).sort(compareNewestFirst), {
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
};

/**
 * Returns the part of a revision that a visitor may see: no variables, which are evaluated in texts, and nothing about
 * its history. One more round trip if link pages refer to other spaces.
 */
async function readForVisitor(
  ...[{ params, query }, context, visitor]: [...Parameters<Get>, Visitor]
): Promise<Revision> {
  const { env, db, point, space, urls } = context;
  const { depth, computed } = query;
  const lineage = JSON.stringify(point.lineage);
  const { heads, files, sources, ...rows } = await runBatch(db, {
    heads: readHead(point.id),
    sources: computed ? readSources(lineage, space.id) : [],
    files: getNodes(point, 'file'),
    ...readShownTargets(lineage),
  });
  const head = heads[0];
  if (head === undefined) throw notFound('revision');
  context.addToEtag(toVersionsKey(sources));
  const content = new ShownContent(visitor.claims, rows);
  const base = `/spaces/${space.id}`;
  const written = await toManyNodes(rows.pages);
  const nodes = computed ? addGeneratedPages(written, sources) : written;
  const visibleNodes = nodes.filter((node) => content.pages.has(node.id));
  const foreignLocations = await readForeignLocations(
    { texts: [], pages: visibleNodes },
    { ...context, space: space.id, visitor },
  );
  const { hasEditLinks } = visitor;
  context.addToEtag(hasEditLinks ? 'edit links' : undefined);
  const to = { urls, base, metadata: false, shownPages: content.pages, foreignLocations, hasEditLinks };
  const shownFiles = (await toManyNodes(files)).filter((file) => content.isUsed(file));
  const location = await getVisitedLocation(getFileLocation(params, context), visitor, content.isOpen);
  return {
    ...presentRevision(point.id, head),
    parents: [],
    pages: await presentTree(
      await addLateCovers(nodes, { db, lineage, urls, space: space.id, shownPages: content.pages }),
      { parent: '', inherited: rootState, depth },
      to,
    ),
    files: await presentFiles(shownFiles.sort(compareNewestFirst), { env, urls, location, metadata: false }),
    reusableContents: toNodes(rows.contents)
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

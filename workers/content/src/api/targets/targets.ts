import type { Connection, Database } from '@octavo/db';
import { documents, given, maybe, readRows, selection } from '@octavo/db';
import type { FoundBlock, Node } from '@octavo/merge';
import { followerTo } from '@octavo/merge';
import type { ContentTarget, SoughtTarget, TargetPage, TargetReading, TargetState, Visitor } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { SiteReading } from '../../engine/sites/places.ts';
import { findPlaces, madeIdsOf, soughtByName } from '../../engine/sites/places.ts';
import { findAncestors, lineageCte, selectIds } from '../../engine/store/lineage.ts';
import { nodesOf, pageFields } from '../../engine/store/nodes.ts';

/** What pages and blocks that something was said about are now: two round trips for any number of them. */
export async function readTargets(reading: TargetReading, { db }: Pick<Connection, 'db'>): Promise<TargetState[]> {
  const { targets } = reading;
  const lineage = checkedLineage(reading);
  const ids = selectIds(new Set(targets.map(({ page }) => page)));
  const nodes = nodesOf(await readRows(db, findAncestors(lineage, ids)));
  const pages = new Map(nodes.map((node) => [node.id, node]));
  const wanted = targets.map((target) => wantedNode(target, pages.get(target.page)?.document));
  const follow = await followNodes(
    db,
    lineage,
    wanted.filter((node) => node !== undefined),
  );
  return targets.map((target, index) => {
    const page = pages.get(target.page);
    if (page === undefined) return { outdated: true };
    const state = { page: presentTarget(page, pages), ...(page.document === null ? {} : { document: page.document }) };
    if (target.node === undefined) return { ...state, outdated: false };
    const node = wanted[index];
    const found = node === undefined ? unread(page) : follow(node);
    if (found === undefined) return { ...state, outdated: true };
    return { ...state, node: found === 'unread' ? { id: target.node } : presentNode(found), outdated: false };
  });
}

/** A block of a page whose document is as it was. */
const unread = (page: Node): 'unread' | undefined => (page.document === null ? undefined : 'unread');

const presentNode = ({ key, preview }: FoundBlock): TargetState['node'] => ({ id: key, preview });

/** The lineage, if it is that of a revision of the space. */
function checkedLineage({ space, lineage }: TargetReading): SQL {
  const [branch, seq] = lineage[0] ?? ['', 0];
  return sql`(SELECT ${JSON.stringify(lineage)} WHERE EXISTS (
    SELECT 1 FROM revisions WHERE space = ${space} AND branch = ${branch} AND seq = ${seq}))`;
}

function presentTarget(page: Node, pages: ReadonlyMap<string, Node>): TargetPage {
  const { title, emoji, icon } = pageFields(page);
  return {
    id: page.id,
    title,
    ...(emoji !== undefined && { emoji }),
    ...(icon !== undefined && { icon }),
    createdAt: timestamp(page.createdAt),
    updatedAt: timestamp(page.updatedAt),
    path: pathOf(page, pages),
  };
}

function pathOf(page: Node, pages: ReadonlyMap<string, Node>): string {
  const above = new Set<Node>();
  for (let node: Node | undefined = page; node !== undefined && !above.has(node); node = pages.get(node.parent))
    above.add(node);
  return [...above]
    .map(({ slug }) => slug)
    .reverse()
    .join('/');
}

/** A block that was asked for, and the document that its page has now. */
export interface WantedNode {
  node: string;
  page: string;
  current: string;
  before: string | undefined;
}

/** So many bytes of documents are read for one call. */
const maxBytes = 8 * 1024 * 1024;

/** A text is gone through again for each that it is compared with: so many characters in all. */
const maxCompared = 16 * 1024 * 1024;

/** The block that a wanted one is now; undefined when it is gone, 'unread' when its documents are beyond the share. */
export type FollowedNode = FoundBlock | 'unread' | undefined;

/** The blocks of documents that have changed, or of which it is not known whether they have. */
export const wantedNode = (
  { node, page, document: before }: ContentTarget,
  current: string | null | undefined,
): WantedNode | undefined =>
  node === undefined || current === null || current === undefined || current === before
    ? undefined
    : { node, page, current, before };

/** Where the wanted blocks are now: one round trip, and each text is read once. */
export async function followNodes(
  db: Database,
  lineage: SQL,
  wanted: WantedNode[],
): Promise<(node: WantedNode) => FollowedNode> {
  const texts = await readTexts(db, lineage, wanted);
  const found = new Map<string, Map<string, FoundBlock> | 'unread'>();
  let compared = 0;
  for (const [current, nodes] of Map.groupBy(wanted, (node) => node.current)) {
    const after = texts.get(current);
    const follow = typeof after === 'string' ? followerTo(after) : undefined;
    for (const [before, same] of Map.groupBy(nodes, (node) => node.before)) {
      const was = before === undefined ? undefined : texts.get(before);
      const keys = new Set(same.map(({ node }) => node));
      if (typeof was === 'string') compared += was.length + (after?.length ?? 0);
      const isRead = follow !== undefined && was !== null && compared <= maxCompared;
      found.set(pairOf(current, before), isRead ? follow(was, keys) : 'unread');
    }
  }
  return ({ current, before, node }) => {
    const blocks = found.get(pairOf(current, before));
    return typeof blocks === 'string' ? blocks : blocks?.get(node);
  };
}

const pairOf = (current: string, before: string | undefined): string => `${current} ${before ?? ''}`;

const d = aliasedTable(documents, 'd');
const textRow = selection({ hash: d.hash, markdown: maybe(given(d.markdown)) });

/** The texts that pages of the lineage have or had, by their hashes; null is one beyond the share. */
async function readTexts(db: Database, lineage: SQL, wanted: WantedNode[]): Promise<Map<string, string | null>> {
  if (wanted.length === 0) return new Map();
  const pairs = wanted.flatMap(({ page, current, before }) => [
    { page, hash: current },
    ...(before === undefined ? [] : [{ page, hash: before }]),
  ]);
  const distinct = [...new Map(pairs.map((pair) => [`${pair.page} ${pair.hash}`, pair])).values()];
  const texts = textRow.query(sql`
    WITH ${lineageCte(lineage)}, wanted(ordinal, page, hash) AS MATERIALIZED (
      SELECT key, value->>'page', value->>'hash' FROM json_each(${JSON.stringify(distinct)})
    ), sized(hash, total) AS MATERIALIZED (
      SELECT w.hash, SUM(octet_length(d.markdown)) OVER (ORDER BY w.ordinal) FROM wanted w CROSS JOIN documents d ON d.hash = w.hash
      WHERE EXISTS (SELECT 1 FROM lineage l CROSS JOIN versions x INDEXED BY versions_documents
        ON x.document = w.hash AND x.branch = l.branch AND x.kind = 'page' AND x.id = w.page AND x.since <= l.seq)
    )
    SELECT ${textRow.with({ markdown: sql`CASE WHEN s.total <= ${maxBytes} THEN d.markdown END` })}
    FROM (SELECT hash, MIN(total) AS total FROM sized GROUP BY hash) s CROSS JOIN documents d ON d.hash = s.hash`);
  return new Map((await readRows(db, texts)).map(({ hash, markdown }) => [hash, markdown]));
}

/** Whether a visitor is shown each of the targets: one round trip, and one more for pages that nobody wrote. */
export async function areShown(
  { visitor, targets }: { visitor: Visitor; targets: SoughtTarget[] },
  context: Omit<SiteReading, 'visitor'>,
): Promise<boolean[]> {
  const named = JSON.stringify(targets.map(({ space, page }) => [space, page ?? null, null]));
  const found = await findPlaces(
    { ...context, visitor },
    {
      sought: soughtByName(visitor.site, visitor.user ?? null, named),
      isOfPage: (ordinal) => targets[ordinal]?.page !== undefined,
      madeIds: madeIdsOf(targets.map(({ page }) => page)),
    },
  );
  const shown = new Set(found.map(({ ordinal }) => ordinal));
  return targets.map((_, ordinal) => shown.has(ordinal));
}

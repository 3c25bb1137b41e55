import type { Database } from '@octavo/db';
import { given, maybe, readRow, selection, sites } from '@octavo/db';
import type { PageContext, ServedPage } from '@octavo/runtime';
import { decodeName, serveObject, signingKey } from '@octavo/runtime';
import type { BranchId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { lineageCte, lineageOfBranch, stateAt } from '../../engine/nodes/find-nodes.ts';
import { hasPageConditions, hasTextConditions } from '../../engine/reading/conditions-sql.ts';
import { gateOf, readFileAddress } from '../../engine/reading/file-address.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** How long caches keep what anybody may see, in seconds. */
const openSeconds = 3600;

/** Gives the bytes of a file to whoever has a signed address, as long as the file is where it was read. */
async function serveFile(request: Request, context: PageContext<ContentEnvironment>): Promise<Response> {
  const { env, params, db } = context;
  const file = await readFileAddress(request, await signingKey(env));
  const name = decodeName(params.name ?? '');
  if (name === undefined || !(await isThere(db, file))) throw notFound('file');
  const key = `${params.organization}/${params.hash}`;
  const isOpen = file.expires === null;
  const expires = file.expires ?? Math.ceil(Date.now() / 1000) + openSeconds;
  const answer = await serveObject(request, env.FILES, {
    ...file,
    name,
    key,
    etag: `"${params.hash}"`,
    expires,
    isOpen,
  });
  if (answer === undefined) throw notFound('file');
  return answer;
}

type Said = Awaited<ReturnType<typeof readFileAddress>>;

const st = aliasedTable(sites, 'st');
const placeRow = selection({
  isThere: given(Number),
  site: maybe({ published: st.published, visibility: st.visibility, stamp: st.stamp }),
  isLinked: given(Number),
  isOpen: given(Number),
});

/** Whether the file is where the address says, and its site still shows it to whoever has the address. One round trip. */
async function isThere(db: Database, { id, space, branch, site, gate, link }: Said): Promise<boolean> {
  const columns = placeRow.with({
    isThere: branch === null ? sql`1` : isAtHeadOf(branch, id),
    isLinked: sql`EXISTS (SELECT 1 FROM site_share_links k WHERE k.id = ${link} AND k.site = st.id AND k.active)`,
    isOpen: gate === null ? sql`${isShownToAll} AND NOT ${hasConditions(sql`s.id`)}` : sql`0`,
  });
  const row = await readRow(
    db,
    placeRow.query(sql`
      SELECT ${columns} FROM spaces s
      LEFT JOIN sites st ON st.id = ${site} AND EXISTS (SELECT 1 FROM site_spaces ss WHERE ss.space = s.id AND ss.site = st.id)
      WHERE s.id = ${space} AND s.deleted_at IS NULL`),
  );
  if (row?.isThere !== 1) return false;
  if (site === null) return true;
  const { site: found, isLinked, isOpen } = row;
  if (found === null || !found.published) return false;
  if (gate === null) return isOpen === 1 && (found.visibility === 'public' || found.visibility === 'unlisted');
  return gate === (await gateOf(found)) && (found.visibility !== 'share-link' || isLinked === 1);
}

/** `sites st` shows `spaces s` at a place that has no condition, nor its section. */
const isShownToAll = sql`EXISTS (SELECT 1 FROM site_spaces ss LEFT JOIN site_sections sec ON sec.id = ss.section
  WHERE ss.space = s.id AND ss.site = st.id AND ss.condition IS NULL AND sec.condition IS NULL)`;

/** Whether anything of the live content is shown under a condition. */
const hasConditions = (space: SQL): SQL => sql`(WITH ${lineageCte(lineageOfBranch(space))}
  SELECT ${hasPageConditions} OR ${hasTextConditions})`;

const isAtHeadOf = (branch: BranchId, file: string): SQL => sql`COALESCE((WITH ${lineageCte(lineageOfBranch(branch))}
  SELECT v.deleted FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'file'`, sql`${file}`)} ORDER BY l.depth LIMIT 1) = 0, 0)`;

export const filePages: ServedPage<ContentEnvironment>[] = [
  { method: 'GET', path: '/files/:organization/:hash/:name+', handler: serveFile },
];

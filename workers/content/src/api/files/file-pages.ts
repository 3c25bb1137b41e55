import type { Database, RecordOf } from '@octavo/db';
import { given, maybe, readRow, selection, sites } from '@octavo/db';
import type { PageContext, ServedPage } from '@octavo/runtime';
import { decodeName, serveObject, signingKey } from '@octavo/runtime';
import type { BranchId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { gateOf, readFileAddress } from '../../engine/reading/file-presenter.ts';
import {
  hasPageConditions,
  hasTextConditions,
  lineageCte,
  lineageOfBranch,
  stateAt,
} from '../../engine/store/lineage.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** How long caches keep what anybody may see, in seconds. */
const openSeconds = 3600;

/** Gives the bytes of a file to whoever has a signed address, as long as the file is where it was read. */
async function serveFile(request: Request, context: PageContext<ContentEnvironment>): Promise<Response> {
  const { env, params, db } = context;
  const file = await readFileAddress(request, await signingKey(env));
  const name = decodeName(params.name ?? '');
  const blob = `${params.organization}/${params.hash}`;
  const found = name === undefined ? undefined : await findThere(db, file, blob);
  if (name === undefined || found === undefined) throw notFound('file');
  const isOpen = file.expires === null;
  const expires = file.expires ?? Math.ceil(Date.now() / 1000) + openSeconds;
  const answer = await serveObject(request, env.FILES, {
    ...file,
    name,
    key: found.object ?? blob,
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
  object: maybe(given(String)),
});

/**
 * Where the bytes of a file are, if the file is where the address says, and its site still shows it to whoever has the
 * address. One round trip.
 */
async function findThere(db: Database, said: Said, blob: string): Promise<{ object: string | null } | undefined> {
  const { id, space, branch, site, gate, link } = said;
  const columns = placeRow.with({
    isThere: branch === null ? sql`1` : isAtHeadOf(branch, id),
    isLinked: sql`EXISTS (SELECT 1 FROM site_share_links k WHERE k.id = ${link} AND k.site = st.id AND k.active)`,
    isOpen: gate === null ? sql`${isShownToAll} AND NOT ${hasConditions(sql`s.id`)}` : sql`0`,
    object: sql`(SELECT b.object FROM blobs b WHERE b.key = ${blob})`,
  });
  const row = await readRow(
    db,
    placeRow.query(sql`
      SELECT ${columns} FROM spaces s
      LEFT JOIN sites st ON st.id = ${site} AND EXISTS (SELECT 1 FROM site_spaces ss WHERE ss.space = s.id AND ss.site = st.id)
      WHERE s.id = ${space} AND s.deleted_at IS NULL`),
  );
  return row?.isThere === 1 && (site === null || (await isShown(row, gate))) ? row : undefined;
}

async function isShown({ site, isLinked, isOpen }: RecordOf<typeof placeRow>, gate: string | null): Promise<boolean> {
  if (site === null || !site.published) return false;
  if (gate === null) return isOpen === 1 && (site.visibility === 'public' || site.visibility === 'unlisted');
  return gate === (await gateOf(site)) && (site.visibility !== 'share-link' || isLinked === 1);
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

import type { Database, RecordOf } from '@octavo/db';
import { fromQuery, nullable, readRow, selectBranchLineage, selection, sites, uploads } from '@octavo/db';
import type { BranchId, OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { getAccessStamp, type readFileUrl } from '../../engine/reading/file-presenter.ts';
import { createLineageCte, hasPageConditions, hasTextConditions, selectState } from '../../engine/store/lineage.ts';

type FileUrl = Awaited<ReturnType<typeof readFileUrl>>;

const st = aliasedTable(sites, 'st');

const placeRow = selection({
  isThere: fromQuery(Number),
  site: nullable({ published: st.published, visibility: st.visibility, stamp: st.stamp }),
  isLinked: fromQuery(Number),
  isOpen: fromQuery(Number),
  object: nullable(fromQuery(String)),
});

/**
 * Returns the object with a file's bytes, if the file is in the location that the URL names and its site still shows it
 * to the holder of the URL. One round trip.
 */
export async function findFileObject(
  db: Database,
  fileUrl: FileUrl,
  blob: string,
): Promise<{ object: string | null } | undefined> {
  const { id, space, branch, site, gate, link } = fileUrl;
  const columns = placeRow.with({
    isThere: branch === null ? sql`1` : existsAtHead(branch, id),
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

const u = aliasedTable(uploads, 'u');

const uploadRow = selection({
  name: u.name,
  contentType: u.contentType,
  blob: u.blob,
  object: nullable(fromQuery(String)),
});

/** Returns an upload that has not expired, with the object of its bytes. */
export const findUploadObject = (db: Database, { id, organization }: { id: string; organization: OrganizationId }) =>
  readRow(
    db,
    uploadRow.query(sql`SELECT ${uploadRow.with({ object: sql`b.object` })} FROM uploads u
      LEFT JOIN blobs b ON b.key = u.blob
      WHERE u.id = ${id} AND u.organization = ${organization} AND u.expires_at > ${Date.now()}`),
  );

async function isShown(
  { site, isLinked, isOpen }: RecordOf<typeof placeRow>,
  stampHash: string | null,
): Promise<boolean> {
  if (site === null || !site.published) return false;
  if (stampHash === null) return isOpen === 1 && (site.visibility === 'public' || site.visibility === 'unlisted');
  return stampHash === (await getAccessStamp(site)) && (site.visibility !== 'share-link' || isLinked === 1);
}

/** The SQL condition that `sites st` shows `spaces s` in a location without visibility conditions. */
const isShownToAll = sql`EXISTS (SELECT 1 FROM site_spaces ss LEFT JOIN site_sections sec ON sec.id = ss.section
  WHERE ss.space = s.id AND ss.site = st.id AND ss.condition IS NULL AND sec.condition IS NULL)`;

/** Returns the SQL condition that a page or a text in the live content has a visibility condition. */
const hasConditions = (space: SQL): SQL => sql`(WITH ${createLineageCte(selectBranchLineage(space))}
  SELECT ${hasPageConditions} OR ${hasTextConditions})`;

const existsAtHead = (
  branch: BranchId,
  file: string,
): SQL => sql`COALESCE((WITH ${createLineageCte(selectBranchLineage(branch))}
  SELECT v.deleted FROM lineage l CROSS JOIN versions v ON ${selectState(sql`'file'`, sql`${file}`)} ORDER BY l.depth LIMIT 1) = 0, 0)`;

import type { Check, Database, PdfRecord } from '@octavo/db';
import { commit, pdfs, selection } from '@octavo/db';
import type { Caller, OrganizationId } from '@octavo/schema';
import { rateLimited } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/**
 * Maximum number of waiting PDFs of an organization. The limit for visitors is lower, so that there is always room for
 * PDFs of members.
 */
const maxWaiting = { member: 100, visitor: 80 };
const retrySeconds = 60;

/** Whether an organization has fewer waiting PDFs than the limit. The number of rows read is at most the limit. */
export const hasRoom = (organization: OrganizationId, whose: keyof typeof maxWaiting): SQL => sql`
  (SELECT COUNT(*) FROM (SELECT 1 FROM pdfs WHERE organization = ${organization} AND state = 'waiting'
    LIMIT ${maxWaiting[whose]})) < ${maxWaiting[whose]}`;

/** Creates the check that an organization may have another waiting PDF. */
export const createRoomCheck = (organization: OrganizationId): Check => ({
  condition: hasRoom(organization, 'member'),
  createError: () =>
    rateLimited(
      `${maxWaiting.member} PDFs of this organization are waiting to be generated. Try again when some are ready.`,
      retrySeconds,
    ),
});

/** The pages that a PDF contains, their reader, and the current version of each page. */
type RequestedVersion = Pick<
  PdfRecord,
  'organization' | 'space' | 'page' | 'only' | 'revision' | 'title' | 'subtitle'
> &
  Partial<Pick<PdfRecord, 'changeRequest' | 'site' | 'viewer' | 'visit' | 'visitor'>>;

const waitingRow = selection({ id: pdfs.id, missing: pdfs.missing });

/**
 * Changes a waiting PDF of an older version to the requested version, if its job has not started. Returns undefined if
 * there is no such PDF. Fails with a conflict if another request has queued the requested version meanwhile.
 */
export async function advanceWaitingPdf(
  db: Database,
  caller: Caller,
  requested: RequestedVersion,
): Promise<Pick<PdfRecord, 'id' | 'missing'> | undefined> {
  const { organization, space, page, only, revision, title, subtitle } = requested;
  const { changeRequest = null, site = null, viewer = '', visit = '', visitor = null } = requested;
  const advanced = waitingRow.query(sql`
    UPDATE pdfs SET revision = ${revision}, title = ${title}, subtitle = ${subtitle}, visit = ${visit},
      visitor = ${visitor === null ? null : sql.param(visitor, pdfs.visitor)}, asked_at = ${Date.now()}
    WHERE id = (
      SELECT id FROM pdfs WHERE organization = ${organization} AND space = ${space} AND state = 'waiting'
        AND started_at IS NULL AND change_request IS ${changeRequest} AND page = ${page} AND only = ${only ? 1 : 0}
        AND site IS ${site} AND viewer = ${viewer} LIMIT 1)
    RETURNING ${waitingRow}`);
  const { rows } = await commit(db, caller, { advanced }, []);
  return rows.advanced[0];
}

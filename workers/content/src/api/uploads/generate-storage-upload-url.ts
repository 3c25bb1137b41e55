import type { Check } from '@octavo/db';
import { commitChecked, uploads } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { signingKey } from '@octavo/runtime';
import type { content, OrganizationId, UserId } from '@octavo/schema';
import { conflict, maxWaitingUploadBytes, maxWaitingUploads, newId, uploadSeconds } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { uploadAddress } from '../../engine/uploads/upload-address.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** Whoever belongs to the organization may upload: where the bytes may go is decided where they are used. */
export const generateStorageUploadURL: Handler<typeof content.generateStorageUploadURL, ContentEnvironment> = async (
  { body: { file, kind } },
  { env, db, urls, organization, actor, commit },
) => {
  const createdAt = Date.now();
  const upload = {
    id: newId('upload'),
    organization: organization.id,
    createdBy: actor.id,
    name: file.name,
    contentType: file.type,
    size: file.size,
    kind,
    createdAt,
    expiresAt: createdAt + uploadSeconds * 1000,
  };
  await commitChecked(db, fewWait(organization.id, actor.id, file.size), (guards) =>
    commit([...guards, db.insert(uploads).values(upload)], []),
  );
  const url = urls.page(await uploadAddress(await signingKey(env), upload));
  return { object: 'storage-signed-url', url, key: upload.id, urls: { location: url } };
};

/** Of one person and of the whole organization only so much waits to be used at a time. */
const fewWait = (organization: OrganizationId, user: UserId, size: number): Check[] =>
  (['person', 'organization'] as const).map((whose) => {
    const [most, bytes] = [maxWaitingUploads[whose], maxWaitingUploadBytes[whose]];
    const theirs = whose === 'person' ? sql` AND created_by = ${user}` : sql``;
    return {
      holds: sql`(SELECT COUNT(*) < ${most} AND COALESCE(SUM(size), 0) + ${size} <= ${bytes} FROM uploads
        WHERE organization = ${organization}${theirs} AND settled = 0)`,
      otherwise: () =>
        conflict(
          `${whose === 'person' ? 'You have' : 'The organization has'} as many uploads as may wait to be used: ${most}, of ${bytes} bytes. Each ends a day after it began.`,
        ),
    };
  });

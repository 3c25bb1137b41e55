import type { Check, Database, Statement } from '@octavo/db';
import { commitChecked, type uploads } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { signingKey } from '@octavo/runtime';
import type { content, OrganizationId, UserId } from '@octavo/schema';
import { conflict, maxWaitingUploadBytes, maxWaitingUploads, newId, uploadSeconds } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { uploadAddress } from '../../engine/uploads/upload-address.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** Whoever belongs to the organization may upload: where the bytes may go is decided where they are used. */
export const generateStorageUploadURL: Handler<typeof content.generateStorageUploadURL, ContentEnvironment> = async (
  { body: { file, files, kind } },
  { env, db, urls, organization, actor, commit },
) => {
  const createdAt = Date.now();
  const expiresAt = createdAt + uploadSeconds * 1000;
  const bundle = files === undefined ? null : newId('upload');
  const own = { organization: organization.id, createdBy: actor.id, kind, createdAt, expiresAt, bundle };
  const begun = (files ?? [file]).flatMap((each, ordinal) =>
    each === undefined
      ? []
      : [{ ...own, id: newId('upload'), name: each.name, contentType: each.type, size: each.size, ordinal }],
  );
  await commitChecked(db, fewWait(organization.id, actor.id, begun), (guards) =>
    commit([...guards, insertUploads(db, begun)], []),
  );
  const keys = begun.map(({ id }) => id);
  const key = keys[0] ?? '';
  const address = { id: bundle ?? key, isBundle: bundle !== null, organization: organization.id, expiresAt };
  const url = urls.page(await uploadAddress(await signingKey(env), address));
  return {
    object: 'storage-signed-url',
    url,
    key,
    ...(bundle === null ? {} : { keys }),
    urls: { location: url },
  };
};

type Begun = Pick<
  typeof uploads.$inferInsert,
  'id' | 'organization' | 'createdBy' | 'kind' | 'createdAt' | 'expiresAt' | 'bundle' | 'name' | 'contentType' | 'size'
> & { ordinal: number };

const insertUploads = (db: Database, begun: Begun[]): Statement =>
  db.run(sql`INSERT INTO uploads (id, organization, created_by, kind, created_at, expires_at, bundle, ordinal, name, content_type, size)
    SELECT value->>'id', value->>'organization', value->>'createdBy', value->>'kind', value->>'createdAt',
      value->>'expiresAt', value->>'bundle', value->>'ordinal', value->>'name', value->>'contentType', value->>'size'
    FROM json_each(${JSON.stringify(begun)})`);

/** Of one person and of the whole organization only so much waits to be used at a time; the share of a person always may. */
function fewWait(organization: OrganizationId, user: UserId, begun: Begun[]): Check[] {
  const size = begun.reduce((sum, each) => sum + each.size, 0);
  const fits = (whose: keyof typeof maxWaitingUploads, those: SQL) =>
    sql`(SELECT COUNT(*) + ${begun.length} <= ${maxWaitingUploads[whose]} AND COALESCE(SUM(size), 0) + ${size} <= ${maxWaitingUploadBytes[whose]}
      FROM uploads WHERE organization = ${organization} AND expires_at > ${Date.now()} AND settled = 0${those})`;
  const theirs = sql` AND created_by = ${user}`;
  return [
    { holds: fits('person', theirs), otherwise: () => tooMany('You have', 'person') },
    {
      holds: sql`(${fits('organization', sql``)} OR ${fits('share', theirs)})`,
      otherwise: () => tooMany('The organization has', 'organization'),
    },
  ];
}

const tooMany = (who: string, whose: 'person' | 'organization') =>
  conflict(
    `${who} as many uploads as may wait to be used: ${maxWaitingUploads[whose]}, of ${maxWaitingUploadBytes[whose]} bytes. Each ends a day after it began.`,
  );

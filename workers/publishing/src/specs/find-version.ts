import type { Database } from '@octavo/db';
import { openapiSpecs, openapiVersions, readRow, selection } from '@octavo/db';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { SpecPath } from './find-spec.ts';

const [s, v] = [aliasedTable(openapiSpecs, 's'), aliasedTable(openapiVersions, 'v')];

/** Of `openapi_versions v`. */
export const versionFields = {
  id: v.id,
  number: v.number,
  sourceUrl: v.sourceUrl,
  format: v.format,
  raw: v.raw,
  content: v.content,
  createdAt: v.createdAt,
};

const foundRow = selection({
  spec: { id: s.id, organization: s.organization, slug: s.slug, visibility: s.visibility },
  version: versionFields,
});

const read = (where: SQL, version: SQL) =>
  foundRow.query(
    sql`SELECT ${foundRow} FROM openapi_specs s CROSS JOIN openapi_versions v ON v.id = ${version} AND v.spec = s.id WHERE ${where}`,
  );

const at = ({ organizationId, specSlug }: SpecPath) => sql`s.organization = ${organizationId} AND s.slug = ${specSlug}`;

/** @throws ApiError not_found, also while nothing could be read yet */
export async function getLatestVersion(db: Database, path: SpecPath) {
  const found = await readRow(db, read(at(path), sql`s.version`));
  if (found === undefined) throw notFound('version of an OpenAPI specification');
  return found;
}

/** @throws ApiError not_found */
export async function getVersion(db: Database, path: SpecPath & { versionId: string }) {
  const found = await readRow(db, read(at(path), sql`${path.versionId}`));
  if (found === undefined) throw notFound('version of an OpenAPI specification');
  return found;
}

/** The newest version of a specification that anybody may read. */
export const findPublicVersion = (db: Database, id: string) =>
  readRow(db, read(sql`s.id = ${id} AND s.visibility = 'public'`, sql`s.version`));

export type FoundVersion = Awaited<ReturnType<typeof getVersion>>;

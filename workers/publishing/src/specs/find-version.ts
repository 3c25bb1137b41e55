import type { Database, SpecUse } from '@octavo/db';
import { openapiSpecs, openapiVersions, readRow, runBatch, selection, specUses } from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type { Claims, Visitor } from '@octavo/schema';
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

/** The same for a visitor of a site, who knows of it where one of its pages is shown. One round trip. @throws ApiError not_found */
export async function getVisitedVersion(db: Database, path: SpecPath, { site, claims }: Visitor) {
  const { uses, found } = await runBatch(db, {
    uses: specUses(site, path.organizationId, path.specSlug),
    found: read(at(path), sql`s.version`),
  });
  const [version] = found;
  if (version === undefined || !uses.some((use) => isShownBy(use, claims)))
    throw notFound('version of an OpenAPI specification');
  return version;
}

function isShownBy({ places, pages, vars }: SpecUse, claims: Claims): boolean {
  const space = { vars };
  return (
    places.every((condition) => isShownTo(condition, claims)) &&
    pages.every(([condition, own]) => isShownTo(condition || null, claims, { space, page: { vars: own ?? {} } }))
  );
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

import type { Database, SpecUse } from '@octavo/db';
import { openapiSpecs, openapiVersions, readRow, readRows, runBatch, selection, specUses } from '@octavo/db';
import { isShownTo, visitorScope } from '@octavo/expression';
import { holdIn, maxIncludeDepth } from '@octavo/markdown';
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

/** So many uses are looked at first, and if none of them is shown, so many: most are. */
const fewUses = 10;
const maxUses = 1000;

/**
 * The same for a visitor of a site, who knows of it where one of its pages is shown, or a block that refers to it. One
 * round trip, and another where the first pages are not shown. @throws ApiError not_found
 */
export async function getVisitedVersion(db: Database, path: SpecPath, visitor: Visitor) {
  const usesOf = (most: number) =>
    specUses(
      visitor.site,
      path.organizationId,
      path.specSlug,
      visitor.user ?? null,
      visitor.changeRequest ?? null,
      visitor.revision ?? null,
      maxIncludeDepth,
      most,
    );
  const { uses, found } = await runBatch(db, { uses: usesOf(fewUses), found: read(at(path), sql`s.version`) });
  const [version] = found;
  const { claims } = visitor;
  if (version === undefined) throw notFound('version of an OpenAPI specification');
  if (isAnyShown(uses, claims)) return version;
  const more = uses.length < fewUses ? [] : await readRows(db, usesOf(maxUses));
  if (!isAnyShown(more, claims)) throw notFound('version of an OpenAPI specification');
  return version;
}

function isAnyShown(uses: SpecUse[], claims: Claims): boolean {
  const vars = new Map(uses.flatMap((use) => (use.vars === null ? [] : [[use.scope, use.vars] as const])));
  return uses.some((use) => isShownBy({ ...use, vars: vars.get(use.scope) ?? {} }, claims));
}

function isShownBy({ isPage, places, pages, texts, vars }: SpecUse, claims: Claims): boolean {
  const space = { vars };
  const scopeOf = (own: SpecUse['vars'] = null) => ({ space, page: { vars: own ?? {} } });
  const ofText = { ...scopeOf(pages[0]?.[1]), ...visitorScope(claims) };
  return (
    isPage &&
    places.every((condition) => isShownTo(condition, claims)) &&
    pages.every(([condition, own]) => isShownTo(condition || null, claims, scopeOf(own))) &&
    texts.every((ways) => ways.some((conditions) => conditions === null || holdIn(conditions, ofText)))
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

import type { Database, OpenAPISpecRecord } from '@octavo/db';
import { openapiSpecs, readRow, selection, statement } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, getTableColumns, sql } from 'drizzle-orm';

const { id, organization, slug, visibility, ...rest } = getTableColumns(aliasedTable(openapiSpecs, 's'));

/** Of `openapi_specs s`. */
export const specRow = selection({ id, organization, slug, visibility, ...rest });

/** The specification that a path names. */
export interface SpecPath {
  organizationId: OrganizationId;
  specSlug: string;
}

const specBySlug = statement((organizationId: SQL<string>, specSlug: SQL<string>) =>
  specRow.query(
    sql`SELECT ${specRow} FROM openapi_specs s WHERE s.organization = ${organizationId} AND s.slug = ${specSlug}`,
  ),
);

export const findSpec = (
  db: Database,
  { organizationId, specSlug }: SpecPath,
): Promise<OpenAPISpecRecord | undefined> => readRow(db, specBySlug(organizationId, specSlug));

/** @throws ApiError not_found */
export async function getSpec(db: Database, path: SpecPath): Promise<OpenAPISpecRecord> {
  const spec = await findSpec(db, path);
  if (spec === undefined) throw notFound('OpenAPI specification');
  return spec;
}

import type { Database, OpenAPISpecRecord, Parameter, Statement } from '@octavo/db';
import { openapiVersions, prepareQuery, readRow, selection } from '@octavo/db';
import { toHex } from '@octavo/runtime';
import type { OpenAPIVersionId } from '@octavo/schema';
import { createId } from '@octavo/schema';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { markReferenced, markUnreferenced, uploadObject } from './objects.ts';
import { readText } from './read-text.ts';

const keptVersions = 20;

interface Context {
  db: Database;
  env: PublishingEnvironment;
}

interface NewVersion {
  changes: { version?: OpenAPIVersionId };
  statements: Statement[];
}

const v = aliasedTable(openapiVersions, 'v');
const versionById = prepareQuery(
  selection({ id: v.id, number: v.number, hash: v.hash }),
  (select, id: Parameter<OpenAPIVersionId | null>) => select.from(v).where(eq(v.id, id)),
);

/**
 * Uploads the objects of a new version and returns the statements that insert it. Creates no version if the text is
 * equal to the newest one. @throws SpecificationFault
 */
export async function createVersion(spec: OpenAPISpecRecord, bytes: Uint8Array, context: Context): Promise<NewVersion> {
  const { db } = context;
  const hash = toHex(await crypto.subtle.digest('SHA-256', bytes));
  const newest = await readRow(db, versionById(spec.version));
  const dropText = markUnreferenced(db, sql`${spec.sourceObject}`);
  if (newest?.hash === hash) return { changes: {}, statements: [dropText] };
  const { format, document, entryLists } = await readText(bytes, context.env);
  const raw = spec.sourceObject ?? (await uploadObject(context, bytes));
  const content = document === undefined ? raw : await uploadObject(context, document);
  const [id, number] = [createId('openapiVersion'), (newest?.number ?? 0) + 1];
  const row = {
    id,
    spec: spec.id,
    number,
    hash,
    format,
    sourceUrl: spec.sourceUrl,
    raw,
    content,
    createdAt: Date.now(),
  };
  return {
    changes: { version: id },
    statements: [
      db.insert(openapiVersions).values(row),
      markReferenced(db, [raw, content]),
      ...insertEntries(db, id, entryLists),
      ...deleteOldVersions(db, spec, number),
    ],
  };
}

const insertEntries = (db: Database, version: OpenAPIVersionId, entryLists: string[]): Statement[] =>
  entryLists.map((rows) =>
    db.run(sql`
      INSERT INTO openapi_entries (version, ordinal, kind, parent, slug, title, description, icon, name, method, path,
        deprecated)
      SELECT ${version}, value->>'ordinal', value->>'kind', value->>'parent', value->>'slug', value->>'title',
        value->>'description', value->>'icon', value->>'name', value->>'method', value->>'path', value->>'isDeprecated'
      FROM json_each(${rows})`),
  );

/** Deletes the entries of the previous version, and old versions. */
function deleteOldVersions(db: Database, { id, version }: OpenAPISpecRecord, newest: number): Statement[] {
  const isOutdated = sql`spec = ${id} AND number <= ${newest - keptVersions}`;
  const objects = sql`SELECT raw FROM openapi_versions WHERE ${isOutdated} UNION SELECT content FROM openapi_versions WHERE ${isOutdated}`;
  return [
    db.run(sql`DELETE FROM openapi_entries WHERE version = ${version}`),
    markUnreferenced(db, objects),
    db.run(sql`DELETE FROM openapi_versions WHERE ${isOutdated}`),
  ];
}

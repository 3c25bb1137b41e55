import type { Database, OpenAPISpecRecord, Statement } from '@octavo/db';
import { openapiSpecs, specChanged } from '@octavo/db';
import { newId } from '@octavo/schema';
import type { SpecPath } from './find-spec.ts';
import { keepObjects } from './keep-object.ts';
import type { KeptSource } from './source.ts';

/** A new specification, which is to be read. */
export function newSpec({ organizationId, specSlug }: SpecPath, source: KeptSource): OpenAPISpecRecord {
  const now = Date.now();
  return {
    id: newId('openapiSpec'),
    organization: organizationId,
    slug: specSlug,
    visibility: 'private',
    ...source,
    state: 'pending',
    version: null,
    errorCode: null,
    errorMessage: null,
    etag: null,
    lastModified: null,
    createdAt: now,
    updatedAt: now,
    processedAt: null,
  };
}

export const insertSpec = (db: Database, spec: OpenAPISpecRecord): Statement[] => [
  db.insert(openapiSpecs).values(spec),
  keepObjects(db, spec.sourceObject === null ? [] : [spec.sourceObject]),
  specChanged(db, spec),
];

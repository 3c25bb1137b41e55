import type { Database, OpenAPISpecRecord, Parameter, Statement } from '@octavo/db';
import {
  abortUnless,
  commitChecked,
  decodeCursor,
  isAfterCursor,
  openapiSpecs,
  paginate,
  prepareQuery,
  readRow,
  readRows,
  retryOnConflict,
  scheduleForSpecification,
  selection,
} from '@octavo/db';
import type { ActorContext, Context } from '@octavo/runtime';
import type { NewEvent, OpenAPISource, OpenAPISpecId, OrganizationId, publishing } from '@octavo/schema';
import { conflict, createId, describeBytes, invalid, maxOpenAPITextLength, notFound } from '@octavo/schema';
import { aliasedTable, and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { markReferenced, markUnreferenced, uploadObject } from './objects.ts';
import { presentSpec } from './presenter.ts';

/** Lists the newest specifications first. */
export const listOpenAPISpecs = handler('listOpenAPISpecs', async ({ query: { page, limit } }, context) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const selectSpecs = specRow.query(sql`
    SELECT ${specRow} FROM openapi_specs s INDEXED BY openapi_specs_by_age
    WHERE s.organization = ${context.organization.id} AND ${isAfterCursor(cursor, sql`s.created_at`, sql`s.id`)}
    ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit + 1}`);
  return paginate(await readRows(context.db, selectSpecs), limit, {
    item: (spec) => presentSpec(spec, context),
    getCursor: ({ createdAt, id }) => [createdAt, id],
  });
});

export const getOpenAPISpecBySlug = handler('getOpenAPISpecBySlug', async ({ params }, context) =>
  presentSpec(await getSpec(context.db, params), context),
);

export const createOpenAPISpec = handler('createOpenAPISpec', async ({ params: { organizationId }, body }, context) => {
  const { db, commit } = context;
  const spec = createSpecRecord({ organizationId, specSlug: body.slug }, await storeSource(body.source, context));
  const slugCheck = {
    condition: sql`NOT EXISTS (SELECT 1 FROM openapi_specs WHERE organization = ${organizationId} AND slug = ${body.slug})`,
    createError: () => conflict(`Another OpenAPI specification already has the slug "${body.slug}".`),
    enforcedBy: 'constraint' as const,
  };
  await commitChecked(db, [slugCheck], () =>
    commit(insertSpec(db, spec), createSourceEvents('openapi_spec.created', spec)),
  );
  return presentSpec(spec, context);
});

type PutSpec = typeof publishing.createOrUpdateOpenAPISpecBySlug;

export const createOrUpdateOpenAPISpecBySlug = handler(
  'createOrUpdateOpenAPISpecBySlug',
  async ({ params, body }, context) => {
    const source = await storeSource(body.source, context);
    const saved = await retryOnConflict(async () => {
      const spec = await findSpec(context.db, params);
      return spec === undefined
        ? addSpec(createSpecRecord(params, source), context)
        : replaceSource(spec, source, context);
    });
    return presentSpec(saved, context);
  },
);

type SpecWriteContext = Pick<Context<PutSpec, PublishingEnvironment>, 'db' | 'commit'>;

async function addSpec(spec: OpenAPISpecRecord, { db, commit }: SpecWriteContext): Promise<OpenAPISpecRecord> {
  await commit(insertSpec(db, spec), createSourceEvents('openapi_spec.created', spec));
  return spec;
}

/** The previous version stays until the new source has been read. */
async function replaceSource(
  spec: OpenAPISpecRecord,
  source: StoredSource,
  { db, commit }: SpecWriteContext,
): Promise<OpenAPISpecRecord> {
  const changed = {
    ...source,
    state: 'pending' as const,
    errorCode: null,
    errorMessage: null,
    updatedAt: Date.now(),
  };
  const isThis = sql`id = ${spec.id}`;
  const isSameAddress = sql`source_url IS ${source.sourceUrl}`;
  const validators = {
    etag: sql`CASE WHEN ${isSameAddress} THEN etag END`,
    lastModified: sql`CASE WHEN ${isSameAddress} THEN last_modified END`,
  };
  const statements: Statement[] = [
    abortUnless(db, sql`EXISTS (SELECT 1 FROM openapi_specs WHERE ${isThis})`),
    markUnreferenced(db, sql`SELECT source_object FROM openapi_specs WHERE ${isThis}`),
    db
      .update(openapiSpecs)
      .set({ ...changed, ...validators })
      .where(isThis),
    markReferenced(db, source.sourceObject === null ? [] : [source.sourceObject]),
  ];
  const saved = { ...spec, ...changed };
  await commit(statements, createSourceEvents('openapi_spec.updated', saved));
  return saved;
}

export const updateOpenAPISpecBySlug = handler(
  'updateOpenAPISpecBySlug',
  async ({ params, body: { visibility } }, context) => {
    const { db } = context;
    const spec = await getSpec(db, params);
    if (spec.visibility === visibility) return presentSpec(spec, context);
    const changed = { visibility, updatedAt: Date.now() };
    const update = db.update(openapiSpecs).set(changed).where(sql`id = ${spec.id}`);
    await writeSpec(spec, 'openapi_spec.updated', [update], context);
    return presentSpec({ ...spec, ...changed }, context);
  },
);

export const deleteOpenAPISpecBySlug = handler('deleteOpenAPISpecBySlug', async ({ params }, context) => {
  const { db } = context;
  const spec = await getSpec(db, params);
  const { id } = spec;
  const statements = [
    markUnreferenced(
      db,
      sql`SELECT source_object FROM openapi_specs WHERE id = ${id}
        UNION SELECT raw FROM openapi_versions WHERE spec = ${id}
        UNION SELECT content FROM openapi_versions WHERE spec = ${id}`,
    ),
    db.run(sql`DELETE FROM openapi_entries WHERE version IN (SELECT id FROM openapi_versions WHERE spec = ${id})`),
    db.run(sql`DELETE FROM openapi_versions WHERE spec = ${id}`),
    db.run(sql`DELETE FROM openapi_specs WHERE id = ${id}`),
  ];
  await writeSpec(spec, 'openapi_spec.deleted', statements, context);
  return undefined;
});

const s = aliasedTable(openapiSpecs, 's');
const { id, organization, slug, visibility, ...rest } = getTableColumns(s);

/** Fields of `openapi_specs s`. */
const specRow = selection({ id, organization, slug, visibility, ...rest });

export interface SpecPath {
  organizationId: OrganizationId;
  specSlug: string;
}

const specBySlug = prepareQuery(
  specRow,
  (select, ofOrganization: Parameter<OrganizationId>, specSlug: Parameter<string>) =>
    select.from(s).where(and(eq(s.organization, ofOrganization), eq(s.slug, specSlug))),
);

/** Finds a specification, if `source` is still its source. */
export const specWithSource = prepareQuery(
  specRow,
  (select, spec: Parameter<OpenAPISpecId>, source: Parameter<number>) =>
    select.from(s).where(and(eq(s.id, spec), eq(s.source, source))),
);

const findSpec = (db: Database, { organizationId, specSlug }: SpecPath): Promise<OpenAPISpecRecord | undefined> =>
  readRow(db, specBySlug(organizationId, specSlug));

/** @throws ApiError not_found */
export async function getSpec(db: Database, path: SpecPath): Promise<OpenAPISpecRecord> {
  const spec = await findSpec(db, path);
  if (spec === undefined) throw notFound('OpenAPI specification');
  return spec;
}

/** Creates a record of a specification whose source has not been read yet. */
function createSpecRecord({ organizationId, specSlug }: SpecPath, source: StoredSource): OpenAPISpecRecord {
  const now = Date.now();
  return {
    id: createId('openapiSpec'),
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

const insertSpec = (db: Database, spec: OpenAPISpecRecord): Statement[] => [
  db.insert(openapiSpecs).values(spec),
  markReferenced(db, spec.sourceObject === null ? [] : [spec.sourceObject]),
  scheduleForSpecification(db, spec),
];

/** Interval at which the source URL is read again. */
export const rereadMilliseconds = 6 * 3_600_000;

type StoredSource = Pick<OpenAPISpecRecord, 'source' | 'sourceUrl' | 'sourceObject' | 'readAt'>;

/** Returns a random number. Numbers in sequence would require concurrent writers to coordinate. */
const createSourceNumber = (): number =>
  Number(crypto.getRandomValues(new BigUint64Array(1))[0]) % Number.MAX_SAFE_INTEGER;

/** Uploads a text. A URL is fetched later by the job. @throws ApiError invalid */
async function storeSource(
  source: OpenAPISource,
  context: { db: Database; env: Pick<PublishingEnvironment, 'RENDERED'> },
): Promise<StoredSource> {
  if ('url' in source) {
    const readAt = Date.now() + rereadMilliseconds;
    return { source: createSourceNumber(), sourceUrl: source.url, sourceObject: null, readAt };
  }
  const bytes = new TextEncoder().encode(source.text);
  if (bytes.length > maxOpenAPITextLength)
    throw invalid([{ path: 'body.source.text', message: `must have at most ${describeBytes(maxOpenAPITextLength)}` }]);
  const sourceObject = await uploadObject(context, bytes);
  return { source: createSourceNumber(), sourceUrl: null, sourceObject, readAt: null };
}

/** Returns the event of a change, and the job that reads the source. */
const createSourceEvents = (
  type: 'openapi_spec.created' | 'openapi_spec.updated',
  { id: spec, organization, source }: Pick<OpenAPISpecRecord, 'id' | 'organization' | 'source'>,
): NewEvent[] => [
  { type, organization, data: { spec } },
  { type: 'process_openapi', organization, data: { spec, source, again: false } },
];

/** Commits a change of an existing specification with its event. @throws ApiError not_found */
async function writeSpec(
  { id, organization, slug }: Pick<OpenAPISpecRecord, 'id' | 'organization' | 'slug'>,
  type: 'openapi_spec.updated' | 'openapi_spec.deleted',
  statements: Statement[],
  { db, commit }: { db: Database } & Pick<ActorContext, 'commit'>,
): Promise<void> {
  const existsCheck = {
    condition: sql`EXISTS (SELECT 1 FROM openapi_specs WHERE id = ${id})`,
    createError: () => notFound('OpenAPI specification'),
  };
  await commitChecked(db, [existsCheck], (guards) =>
    commit({ guards, statements: [...statements, scheduleForSpecification(db, { organization, slug })] }, [
      { type, organization, data: { spec: id } },
      ...(type === 'openapi_spec.deleted'
        ? [{ type: 'index_computed' as const, organization, data: { spec: slug } }]
        : []),
    ]),
  );
}

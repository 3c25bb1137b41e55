import type { Database, Parameter, SpecUse } from '@octavo/db';
import {
  decodeCursor,
  openapiSpecs,
  openapiVersions,
  paginate,
  prepareQuery,
  readRow,
  readRows,
  runBatch,
  selection,
  selectSpecUses,
} from '@octavo/db';
import { createVisitorScope, isShownTo } from '@octavo/expression';
import { areConditionsMet, maxIncludeDepth } from '@octavo/markdown';
import type { PageContext, ServedPage, Urls } from '@octavo/runtime';
import { extendEtag, hasTag, StreamedJson } from '@octavo/runtime';
import type { Claims, OpenAPISpecId, Visitor } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, desc, eq, lt, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { getPublicUrl, getSourceUrl, presentVersion } from './presenter.ts';
import type { SpecPath } from './specs.ts';
import { getSpec } from './specs.ts';

/** Lists the newest versions first. */
export const listOpenAPISpecVersions = handler(
  'listOpenAPISpecVersions',
  async ({ params, query: { page, limit } }, { db, urls }) => {
    const cursor = decodeCursor(page, ['number']);
    const spec = await getSpec(db, params);
    const before = Number(cursor?.[0] ?? Number.MAX_SAFE_INTEGER);
    return paginate(await readRows(db, versionsBefore(spec.id, before, limit + 1)), limit, {
      item: (version) => presentVersion(spec, version, urls),
      getCursor: ({ number }) => [number],
    });
  },
);

export const getLatestOpenAPISpecVersion = handler('getLatestOpenAPISpecVersion', async ({ params }, { db, urls }) => {
  const { spec, version } = await getLatestVersion(db, params);
  return presentVersion(spec, version, urls);
});

/** A visitor can read it if the site shows the specification. */
export const getLatestOpenAPISpecVersionContent = handler(
  'getLatestOpenAPISpecVersionContent',
  async ({ params }, { db, env, urls, visitor }) => {
    const version = visitor === undefined ? getLatestVersion(db, params) : getVisitedVersion(db, params, visitor);
    return streamContent(await version, env, urls);
  },
);

export const getLatestOpenAPISpecVersionContentRaw = handler(
  'getLatestOpenAPISpecVersionContentRaw',
  async ({ params }, { db, env }) => streamRaw(await getLatestVersion(db, params), env),
);

export const getOpenAPISpecVersionById = handler('getOpenAPISpecVersionById', async ({ params }, { db, urls }) => {
  const { spec, version } = await getVersion(db, params);
  return presentVersion(spec, version, urls);
});

export const getOpenAPISpecVersionContentById = handler(
  'getOpenAPISpecVersionContentById',
  async ({ params }, { db, env, urls }) => streamContent(await getVersion(db, params), env, urls),
);

const [s, v] = [aliasedTable(openapiSpecs, 's'), aliasedTable(openapiVersions, 'v')];

/** Fields of `openapi_versions v`. */
const versionFields = {
  id: v.id,
  number: v.number,
  sourceUrl: v.sourceUrl,
  format: v.format,
  raw: v.raw,
  content: v.content,
  createdAt: v.createdAt,
};

const versionsBefore = prepareQuery(
  selection(versionFields),
  (select, spec: Parameter<OpenAPISpecId>, number: Parameter<number>, limit: Parameter<number>) =>
    select
      .from(v)
      .where(and(eq(v.spec, spec), lt(v.number, number)))
      .orderBy(desc(v.number))
      .limit(limit),
);

const foundRow = selection({
  spec: { id: s.id, organization: s.organization, slug: s.slug, visibility: s.visibility },
  version: versionFields,
});

const selectVersion = (condition: SQL, version: SQL) =>
  foundRow.query(
    sql`SELECT ${foundRow} FROM openapi_specs s CROSS JOIN openapi_versions v ON v.id = ${version} AND v.spec = s.id WHERE ${condition}`,
  );

const hasSlug = ({ organizationId, specSlug }: SpecPath) =>
  sql`s.organization = ${organizationId} AND s.slug = ${specSlug}`;

/** @throws ApiError not_found, also before the first version */
async function getLatestVersion(db: Database, path: SpecPath) {
  const version = await readRow(db, selectVersion(hasSlug(path), sql`s.version`));
  if (version === undefined) throw notFound('version of an OpenAPI specification');
  return version;
}

/** Number of uses in the first query. If none of them is visible, up to `maxUses` are read. */
const fewUses = 10;
const maxUses = 1000;

/**
 * Returns the latest version for a visitor who can see a generated page of the specification or a block that refers to
 * it. One round trip, and another if none of the first uses is visible. @throws ApiError not_found
 */
async function getVisitedVersion(db: Database, path: SpecPath, visitor: Visitor) {
  const selectUses = (limit: number) =>
    selectSpecUses(
      visitor.site,
      path.organizationId,
      path.specSlug,
      visitor.user ?? null,
      visitor.changeRequest ?? null,
      visitor.revision ?? null,
      maxIncludeDepth,
      limit,
    );
  const { uses, found } = await runBatch(db, {
    uses: selectUses(fewUses),
    found: selectVersion(hasSlug(path), sql`s.version`),
  });
  const [version] = found;
  const { claims } = visitor;
  if (version === undefined) throw notFound('version of an OpenAPI specification');
  if (isAnyUseVisible(uses, claims)) return version;
  const moreUses = uses.length < fewUses ? [] : await readRows(db, selectUses(maxUses));
  if (!isAnyUseVisible(moreUses, claims)) throw notFound('version of an OpenAPI specification');
  return version;
}

function isAnyUseVisible(uses: SpecUse[], claims: Claims): boolean {
  const vars = new Map(uses.flatMap((use) => (use.vars === null ? [] : [[use.scope, use.vars] as const])));
  return uses.some((use) => isUseVisible({ ...use, vars: vars.get(use.scope) ?? {} }, claims));
}

function isUseVisible({ isPage, places, pages, texts, vars }: SpecUse, claims: Claims): boolean {
  const space = { vars };
  const createScope = (pageVariables: SpecUse['vars'] = null) => ({ space, page: { vars: pageVariables ?? {} } });
  const ofText = { ...createScope(pages[0]?.[1]), ...createVisitorScope(claims) };
  return (
    isPage &&
    places.every((condition) => isShownTo(condition, claims)) &&
    pages.every(([condition, pageVariables]) => isShownTo(condition || null, claims, createScope(pageVariables))) &&
    texts.every((alternatives) =>
      alternatives.some((conditions) => conditions === null || areConditionsMet(conditions, ofText)),
    )
  );
}

/** @throws ApiError not_found */
async function getVersion(db: Database, path: SpecPath & { versionId: string }) {
  const version = await readRow(db, selectVersion(hasSlug(path), sql`${path.versionId}`));
  if (version === undefined) throw notFound('version of an OpenAPI specification');
  return version;
}

/** Finds the newest version of a public specification. */
const findPublicVersion = (db: Database, id: string) =>
  readRow(db, selectVersion(sql`s.id = ${id} AND s.visibility = 'public'`, sql`s.version`));

type FoundVersion = Awaited<ReturnType<typeof getVersion>>;

type Bucket = Pick<PublishingEnvironment, 'RENDERED' | 'OCTAVO_BUILD'>;

/** Streams the specification as a file system with one file. */
async function streamContent({ spec, version }: FoundVersion, env: Bucket, urls: Urls): Promise<StreamedJson> {
  const source = getSourceUrl(spec, version, urls);
  const after = { url: source, urls: { source, public: getPublicUrl(spec, urls) } };
  const tag = await extendEtag(`"${version.id}"`, [env.OCTAVO_BUILD ?? '', JSON.stringify(after)]);
  return wrapStream(await openObject(env, version.content), {
    tag,
    before: '{"filesystem":[{"isEntrypoint":true,"filename":"openapi.json","dir":"./","references":[],"specification":',
    after: `}],${JSON.stringify(after).slice(1)}`,
  });
}

/** Streams the text exactly as it was uploaded. */
async function streamRaw({ version }: FoundVersion, env: Bucket): Promise<StreamedJson> {
  return wrapStream(await openObject(env, version.raw), {
    tag: await extendEtag(`"${version.id}.raw"`, [env.OCTAVO_BUILD ?? '']),
    before: `{"format":"${version.format}","text":"`,
    piece: createJsonTextEncoder(),
    after: '"}',
  });
}

/** @throws ApiError not_found if the version was deleted meanwhile */
async function openObject({ RENDERED }: Bucket, key: string): Promise<ReadableStream<Uint8Array>> {
  const object = await RENDERED.get(key);
  if (object === null) throw notFound('version of an OpenAPI specification');
  return object.body;
}

interface ResponseWrapping {
  tag?: string;
  before: string;
  piece?: (bytes: Uint8Array) => Uint8Array;
  after: string;
}

const encoder = new TextEncoder();

const wrapStream = (
  body: ReadableStream<Uint8Array>,
  { tag, before, piece = (bytes) => bytes, after }: ResponseWrapping,
): StreamedJson =>
  new StreamedJson(
    body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        start: (controller) => controller.enqueue(encoder.encode(before)),
        transform: (bytes, controller) => controller.enqueue(piece(bytes)),
        flush: (controller) => controller.enqueue(encoder.encode(after)),
      }),
    ),
    tag,
  );

/** Creates a function that converts chunks of UTF-8 into chunks of a JSON string, without splitting characters. */
function createJsonTextEncoder(): (bytes: Uint8Array) => Uint8Array {
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  return (bytes) => encoder.encode(JSON.stringify(decoder.decode(bytes, { stream: true })).slice(1, -1));
}

/** Serves the newest version of a public specification as OpenAPI 3 in JSON. */
async function servePublicSpec(request: Request, context: PageContext<PublishingEnvironment>): Promise<Response> {
  const { db, env, params } = context;
  const version = await findPublicVersion(db, params.id ?? '');
  if (version === undefined) throw notFound('OpenAPI specification');
  const headers = { etag: `"${version.version.id}"`, 'cache-control': 'no-cache' };
  if (hasTag(request, headers.etag)) return new Response(null, { status: 304, headers });
  return new Response(await openObject(env, version.version.content), {
    headers: { ...headers, 'content-type': 'application/json' },
  });
}

export const specPages: ServedPage<PublishingEnvironment>[] = [
  { method: 'GET', path: '/openapi/:id/openapi.json', handler: servePublicSpec },
];

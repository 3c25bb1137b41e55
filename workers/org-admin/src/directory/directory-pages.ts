import { fromQuery, nullable, readRow, selection } from '@octavo/db';
import { decodeName, type PageContext, requireSettingToken, type ServedPage } from '@octavo/runtime';
import { type DirectoryKind, type DirectoryResponse, directoryPath, notFound } from '@octavo/schema';
import { type SQL, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

const responseRow = selection({
  claim: fromQuery((value) => value as DirectoryResponse['claim']),
  address: nullable(fromQuery(String)),
});

const selectIf = (condition: SQL): SQL => sql`SELECT 'current' AS claim, NULL AS address WHERE ${condition}`;

const selectFrom = (table: string, column: string) => (value: string) =>
  selectIf(sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE ${sql.raw(column)} = ${value})`);

/** Maximum number of segments of a site's address: the host, and a proxy's path with up to 8 segments. */
const maxSegments = 9;

/**
 * Selects the longest address of a site that is a prefix of a value. A former address redirects until another site uses
 * it.
 */
function selectAddress(value: string): SQL {
  const segments = value.split('/', maxSegments);
  const addresses = JSON.stringify(segments.map((_, index) => segments.slice(0, index + 1).join('/')));
  return sql`SELECT claim, address FROM (
      SELECT 'current' AS claim, a.value AS address FROM json_each(${addresses}) a
        CROSS JOIN sites s ON s.hostname = a.value
      UNION ALL SELECT 'current', a.value FROM json_each(${addresses}) a CROSS JOIN sites s ON s.proxy = a.value
      UNION ALL SELECT 'former', a.value FROM json_each(${addresses}) a
        CROSS JOIN site_former_addresses f ON f.kind IN ('hostname', 'proxy') AND f.value = a.value)
    ORDER BY claim, length(address) DESC LIMIT 1`;
}

/** Selects the objects of this installation that a key names. */
const selections: Record<DirectoryKind, (value: string) => SQL> = {
  // Ids in hosts are lower case.
  organization: (name) =>
    selectIf(sql`EXISTS (SELECT 1 FROM organizations WHERE hostname = ${name})
    OR EXISTS (SELECT 1 FROM organizations WHERE id = ${name} COLLATE NOCASE)`),
  space: selectFrom('spaces', 'id'),
  collection: selectFrom('collections', 'id'),
  token: selectFrom('tokens', 'hash'),
  'sign-in-link': (hash) =>
    selectIf(sql`EXISTS (SELECT 1 FROM sign_in_links WHERE hash = ${hash})
    OR EXISTS (SELECT 1 FROM login_links WHERE hash = ${hash})`),
  'saml-provider': selectFrom('saml_providers', 'id'),
  integration: selectFrom('integrations', 'name'),
  installation: selectFrom('installations', 'id'),
  'openapi-spec': selectFrom('openapi_specs', 'id'),
  pdf: selectFrom('pdfs', 'id'),
  site: selectAddress,
};

/** Reports to the directory whether this installation contains the object of a key. Reads the primary database. */
async function serveKey(request: Request, { env, db, params }: PageContext<OrgAdminEnvironment>): Promise<Response> {
  await requireSettingToken(request, env, 'OCTAVO_DIRECTORY_KEY');
  const { kind = '', value = '' } = params;
  if (!Object.hasOwn(selections, kind)) throw notFound('page');
  const found = selections[kind as DirectoryKind](decodeName(value) ?? '');
  const row = await readRow(
    db,
    responseRow.query(
      sql`SELECT ${responseRow.with({ claim: sql`found.claim`, address: sql`found.address` })} FROM (${found}) found`,
    ),
  );
  const { claim = null, address } = row ?? {};
  const response: DirectoryResponse = { claim, ...(address == null ? {} : { address }) };
  return Response.json(response, { headers: { 'cache-control': 'no-store' } });
}

export const directoryPages: ServedPage<OrgAdminEnvironment>[] = [
  { method: 'GET', path: `${directoryPath}/:kind/:value+`, errors: 'json', handler: serveKey },
];

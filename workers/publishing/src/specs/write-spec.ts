import type { Database, OpenAPISpecRecord, Statement } from '@octavo/db';
import { commitChecked, specChanged } from '@octavo/db';
import type { ActorContext } from '@octavo/runtime';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';

/** Commits what happens to a specification that is still there, with its event. @throws ApiError not_found */
export async function writeSpec(
  { id, organization, slug }: Pick<OpenAPISpecRecord, 'id' | 'organization' | 'slug'>,
  type: 'openapi_spec.updated' | 'openapi_spec.deleted',
  statements: Statement[],
  { db, commit }: { db: Database } & Pick<ActorContext, 'commit'>,
): Promise<void> {
  const isThere = {
    holds: sql`EXISTS (SELECT 1 FROM openapi_specs WHERE id = ${id})`,
    otherwise: () => notFound('OpenAPI specification'),
  };
  await commitChecked(db, [isThere], (guards) =>
    commit({ guards, statements: [...statements, specChanged(db, { organization, slug })] }, [
      { type, organization, data: { spec: id } },
      ...(type === 'openapi_spec.deleted'
        ? [{ type: 'index_computed' as const, organization, data: { spec: slug } }]
        : []),
    ]),
  );
}

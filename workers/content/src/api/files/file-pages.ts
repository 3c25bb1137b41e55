import type { Database } from '@octavo/db';
import { holds } from '@octavo/db';
import type { PageContext, ServedPage } from '@octavo/runtime';
import { decodeName, serveObject, signingKey } from '@octavo/runtime';
import type { BranchId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageCte, lineageOfBranch, stateAt } from '../../engine/nodes/find-nodes.ts';
import type { SignedFile } from '../../engine/reading/present-file.ts';
import { readFileAddress } from '../../engine/reading/present-file.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** Gives the bytes of a file to whoever has a signed address, as long as the file is where it was read. */
async function serveFile(request: Request, context: PageContext<ContentEnvironment>): Promise<Response> {
  const { env, params, db } = context;
  const file = await readFileAddress(request, await signingKey(env));
  const name = decodeName(params.name ?? '');
  if (name === undefined || !(await isThere(db, file))) throw notFound('file');
  const key = `${params.organization}/${params.hash}`;
  const answer = await serveObject(request, env.FILES, { ...file, name, key, etag: `"${params.hash}"` });
  if (answer === undefined) throw notFound('file');
  return answer;
}

type Placed = Pick<SignedFile, 'id' | 'space' | 'branch'>;

async function isThere(db: Database, { id, space, branch }: Placed): Promise<boolean> {
  return holds(
    db,
    sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND deleted_at IS NULL
      AND ${branch === null ? sql`1` : isAtHeadOf(branch, id)})`,
  );
}

const isAtHeadOf = (branch: BranchId, file: string): SQL => sql`(WITH ${lineageCte(lineageOfBranch(branch))}
  SELECT v.deleted FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'file'`, sql`${file}`)} ORDER BY l.depth LIMIT 1) = 0`;

export const filePages: ServedPage<ContentEnvironment>[] = [
  { method: 'GET', path: '/files/:organization/:hash/:name+', handler: serveFile },
];

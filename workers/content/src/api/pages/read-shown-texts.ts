import { type Database, gatherReads } from '@octavo/db';
import { authorizeVisitor, readVisitorToken, urlsOf } from '@octavo/runtime';
import { content, isApiError, type ShownTexts, type VisitorToken } from '@octavo/schema';
import { findPageById, type PointReading, partsOf, pointReading, presentRead } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

const maxPages = 20;

interface Context {
  db: Database;
  env: ContentEnvironment;
}

/** Pages as `getPageInRevisionById` gives each of them to the visitor, whose rights are looked at once; null where it gives none. */
export async function readShownTexts(
  { token, space, revision, pages, references }: ShownTexts,
  { db, env }: Context,
): Promise<(string | null)[]> {
  const visitor = await readVisitorToken(env, `Bearer ${token}`);
  const reading = visitor && (await openReading(visitor, { space, revision }, { db, env }));
  if (!reading) return pages.map(() => null);
  const { query: Query } = content.getPageInRevisionById;
  const form = { format: 'markdown', evaluated: 'deterministic-only', 'format.markdown.refs': references };
  const query = Query.parse({ ...form, depth: '0' });
  return Promise.all(
    pages.slice(0, maxPages).map((page) =>
      orNothing(async () => {
        const read = await presentRead(await findPageById(page, partsOf(query), reading), query, reading);
        return (read.type === 'document' ? read.markdown : undefined) ?? null;
      }),
    ),
  );
}

/** Lets the visitor in, by the site and by the space, as at the endpoint of one page. */
const openReading = (
  token: VisitorToken,
  { space, revision }: Pick<ShownTexts, 'space' | 'revision'>,
  { db, env }: Context,
): Promise<PointReading | null> =>
  orNothing(async () => {
    const params = { spaceId: space, revisionId: revision };
    const { visitor, point } = await authorizeVisitor(content.getPageInRevisionById, params, { db, token });
    if (visitor === undefined || point === undefined) return null;
    const at = { point, space: { id: space }, urls: urlsOf(env), visitor, alsoFollowsFrom: () => undefined };
    return pointReading({ env, db: gatherReads(db), ...at });
  });

async function orNothing<Value>(read: () => Promise<Value | null>): Promise<Value | null> {
  try {
    return await read();
  } catch (error) {
    if (isApiError(error) && error.type === 'not_found') return null;
    throw error;
  }
}

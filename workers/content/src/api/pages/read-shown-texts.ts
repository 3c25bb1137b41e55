import { type Database, gatherReads } from '@octavo/db';
import { authorizeVisitor, readVisitorToken, urlsOf } from '@octavo/runtime';
import { content, isApiError, type ShownDocuments, type ShownTexts, type VisitorToken } from '@octavo/schema';
import { findPageById, type PointReading, partsOf, pointReading, presentRead } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

const maxPages = 20;

interface Context {
  db: Database;
  env: ContentEnvironment;
}

/** The texts of pages as `getPageInRevisionById` gives each of them to the visitor; null where it gives none. */
export const readShownTexts = ({ references, ...texts }: ShownTexts, context: Context): Promise<(string | null)[]> =>
  readShown(texts, { format: 'markdown', 'format.markdown.refs': references }, context);

/** Their documents as JSON. */
export const readShownDocuments = (documents: ShownDocuments, context: Context): Promise<(string | null)[]> =>
  readShown(documents, { format: 'document' }, context);

/** What pages hold in a form, for a visitor whose rights are looked at once. */
async function readShown(
  { token, space, revision, pages }: ShownDocuments,
  form: object,
  { db, env }: Context,
): Promise<(string | null)[]> {
  const visitor = await readVisitorToken(env, `Bearer ${token}`);
  const reading = visitor && (await openReading(visitor, { space, revision }, { db, env }));
  if (!reading) return pages.map(() => null);
  const { query: Query } = content.getPageInRevisionById;
  const query = Query.parse({ ...form, evaluated: 'deterministic-only', depth: '0' });
  return Promise.all(
    pages.slice(0, maxPages).map((page) =>
      orNothing(async () => {
        const read = await presentRead(await findPageById(page, partsOf(query), reading), query, reading);
        if (read.type !== 'document') return null;
        return read.markdown ?? (read.document === undefined ? null : JSON.stringify(read.document));
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

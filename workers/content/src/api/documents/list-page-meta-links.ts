import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { findPageById, pointReading } from '../../engine/reading/read-page.ts';
import { alternatesOf, readAlternates } from '../../engine/sites/find-alternates.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** Where else a visitor finds a page in the site; who reads a space without a site is told of no other place. */
export const listPageMetaLinks: Handler<Served<typeof content, 'listPageMetaLinks'>, ContentEnvironment> = async (
  { params: { pageId } },
  context,
) => {
  const { visitor } = context;
  const read = visitor && readAlternates(pageId, { ...context, visitor });
  const parts = { depth: 0, isEvaluated: false, computed: true, beside: read };
  const { beside } = await findPageById(pageId, parts, pointReading(context));
  return { alternates: visitor === undefined ? [] : await alternatesOf(pageId, beside, { ...context, visitor }) };
};

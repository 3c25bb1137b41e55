import { createHash } from 'node:crypto';
import { mapConcurrently } from '@octavo/client';
import type { Page } from '@octavo/schema';
import type { Api } from '../api.ts';

const readsAtATime = 8;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The first path, in order, whose text is not the expected one. */
export async function findDifference(
  api: Api,
  spaceId: string,
  end: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const { pages } = await api.listPages({ params: { spaceId } });
  const found = new Map<string, string>();
  await mapConcurrently(pages, readsAtATime, async (listed: Page) => {
    const page = await api.getPageById({ params: { spaceId, pageId: listed.id } });
    if (page.type !== 'document') return;
    const path = page.git?.path ?? `(page ${page.id} without a path)`;
    found.set(found.has(path) ? `${path} (a second page)` : path, sha256(page.markdown ?? ''));
  });
  const path = [...new Set([...end.keys(), ...found.keys()])].sort().find((each) => end.get(each) !== found.get(each));
  if (path === undefined) return undefined;
  return `${path}: expected ${end.get(path) ?? 'no page'}, found ${found.get(path) ?? 'no page'}`;
}

import type { Database } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { EvaluationScope } from '@octavo/expression';
import type { PageReading, ResolvedPage } from '@octavo/schema';
import { madeToldById, madeToldByPath } from '../../engine/computed/find-computed.ts';
import { readMade, soughtMadePage } from '../../engine/computed/find-made-page.ts';
import { pageFields } from '../../engine/nodes/stored-node.ts';
import { isPageShown } from '../../engine/reading/shown-pages.ts';

/** The page that is made of a computed one and that a visitor finds at a path of a lineage, or by its id. */
export async function resolveMadePage(
  db: Database,
  { lineage, scope }: { lineage: string; scope: EvaluationScope | null },
  { space, path, page }: PageReading,
): Promise<ResolvedPage | undefined> {
  const slugs = path.split('/').filter((slug) => slug !== '');
  const [by, key, length] =
    page === undefined
      ? ([madeToldByPath, JSON.stringify(slugs), slugs.length] as const)
      : ([madeToldById, page, 0] as const);
  const { beside, siblings, above } = readMade(by, { lineage, key, length, space }, true);
  const found = soughtMadePage(await runBatch(db, { beside, siblings, above }), key, length);
  if (found === undefined) return undefined;
  const upwards = [found.page, ...found.ancestors];
  const isShown = upwards.every((node) => scope === null || isPageShown(pageFields(node), scope));
  if (!isShown) return undefined;
  const whole = upwards.map(({ slug }) => slug).reverse();
  return { page: found.page.id, path: whole.join('/'), isOld: false };
}

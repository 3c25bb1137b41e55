import type { EvaluationScope } from '@octavo/expression';
import type { ResolvedPage } from '@octavo/schema';
import type { MadePartRow } from '../../engine/computed/find-computed.ts';
import { soughtMadePage } from '../../engine/computed/find-made-page.ts';
import { isLink } from '../../engine/computed/make-pages.ts';
import { pageFields } from '../../engine/nodes/stored-node.ts';
import { isPageShown } from '../../engine/reading/shown-pages.ts';

/** The page that is made of a computed one and that a visitor finds at a path of so many slugs, or of none by its id. */
export function madePageOf(
  rows: MadePartRow[],
  { key, length, scope }: { key: string; length: number; scope: EvaluationScope | null },
): ResolvedPage | undefined {
  const found = soughtMadePage(rows, key, length);
  if (found === undefined || isLink(found.page)) return undefined;
  const upwards = [found.page, ...found.ancestors];
  const isShown = upwards.every((node) => scope === null || isPageShown(pageFields(node), scope));
  if (!isShown) return undefined;
  const whole = upwards.map(({ slug }) => slug).reverse();
  return { page: found.page.id, path: whole.join('/'), isOld: false };
}

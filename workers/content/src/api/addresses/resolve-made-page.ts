import type { EvaluationScope } from '@octavo/expression';
import type { ResolvedPage } from '@octavo/schema';
import { isLink, soughtMadePage } from '../../engine/computed/computed-pages.ts';
import type { MadePartRow } from '../../engine/computed/sources.ts';
import { isPageShown } from '../../engine/reading/visibility.ts';
import { pageFields } from '../../engine/store/nodes.ts';

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

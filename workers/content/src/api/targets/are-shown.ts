import type { SoughtTarget, Visitor } from '@octavo/schema';
import type { SiteReading } from '../../engine/sites/places.ts';
import { findPlaces, madeIdsOf, soughtByName } from '../../engine/sites/places.ts';

/** Whether a visitor is shown each of the targets: one round trip, and one more for pages that nobody wrote. */
export async function areShown(
  { visitor, targets }: { visitor: Visitor; targets: SoughtTarget[] },
  context: Omit<SiteReading, 'visitor'>,
): Promise<boolean[]> {
  const named = JSON.stringify(targets.map(({ space, page }) => [space, page ?? null, null]));
  const found = await findPlaces(
    { ...context, visitor },
    {
      sought: soughtByName(visitor.site, visitor.user ?? null, named),
      isOfPage: (ordinal) => targets[ordinal]?.page !== undefined,
      madeIds: madeIdsOf(targets.map(({ page }) => page)),
    },
  );
  const shown = new Set(found.map(({ ordinal }) => ordinal));
  return targets.map((_, ordinal) => shown.has(ordinal));
}

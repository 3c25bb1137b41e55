import type { Connection } from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type { SiteCustomization, SiteLink, SoughtTarget, SpaceId, Visitor } from '@octavo/schema';
import { linkedFrom, shownCustomization } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';

/** A customization with the space that is meant where a link names none. */
export interface Look {
  settings: SiteCustomization;
  space: SpaceId | undefined;
}

interface Showing {
  env: PublishingEnvironment;
  absorb: Connection['absorb'];
  visitor: Visitor | undefined;
}

/** So many places are looked up for the links of a site; links to others lead nowhere. */
const maxSought = 500;

/** What must be shown so that a link leads somewhere: of a file, the space that has it. Collections and specifications have no address in a site. */
function soughtBy(to: SiteLink, home: SpaceId | undefined): SoughtTarget | undefined {
  if (to.kind === 'url' || to.kind === 'collection' || to.kind === 'openapi') return undefined;
  const space = (to.space as SpaceId | undefined) ?? home;
  if (space === undefined) return undefined;
  return to.kind === 'page' || to.kind === 'anchor' ? { space, page: to.page } : { space };
}

const keyOf = ({ space, page }: SoughtTarget): string => `${space} ${page ?? ''}`;

/** The customizations as the caller is shown them: a member whole. A call of the content worker, and none where no link names a place. */
export async function shownCustomizations(
  looks: Look[],
  { env, absorb, visitor }: Showing,
): Promise<SiteCustomization[]> {
  if (visitor === undefined) return looks.map(({ settings }) => settings);
  const holds = (condition: string | undefined) => isShownTo(condition, visitor.claims);
  const sought = new Map(
    looks.flatMap(({ settings, space }) =>
      linkedFrom(settings, holds).flatMap((to) => {
        const target = soughtBy(to, space);
        return target === undefined ? [] : [[keyOf(target), target] as const];
      }),
    ),
  );
  const targets = [...sought.values()].slice(0, maxSought);
  const found = targets.length === 0 ? [] : absorb(await env.CONTENT.areShown({ visitor, targets }));
  const shown = new Set(targets.filter((_, index) => found[index]).map(keyOf));
  return looks.map(({ settings, space }) =>
    shownCustomization(settings, {
      holds,
      leads: (to) => {
        const target = soughtBy(to, space);
        return to.kind === 'url' || (target !== undefined && shown.has(keyOf(target)));
      },
    }),
  );
}

import { isPerson } from '../installations/configured-by.ts';
import type { PlaceKind } from './content-installation.ts';
import { findPlaced } from './find-placed.ts';
import type { PlacedContext } from './install-on.ts';
import type { PlacedShapes } from './present-placed.ts';
import { presentPlaced } from './present-placed.ts';
import { readPlaces } from './read-places.ts';

/** An installation on a space or a site. */
export async function getOn<Kind extends PlaceKind>(
  kind: Kind,
  { place, extended }: { place: string; extended: boolean },
  context: PlacedContext,
): Promise<PlacedShapes[Kind]> {
  const { env, db, urls, actor, installation } = context;
  const record = await findPlaced(db, kind, { installation: installation.id, place });
  const places = extended ? await readPlaces(kind, [record], context) : new Map();
  return presentPlaced(kind, record, { env, urls, toPeople: isPerson(actor), whole: places.get(place) });
}

import type { TreeData } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { LinkTarget, SpaceId } from '@octavo/schema';
import type { LinkingText } from '../links/late-links.ts';
import type { ForeignTarget } from '../links/read-target.ts';
import { readTarget } from '../links/read-target.ts';
import { pageFields } from '../nodes/stored-node.ts';
import type { ShownPlace, SiteReading } from './find-places.ts';
import { findPlaces } from './find-places.ts';
import { madeIdsOf } from './made-pages.ts';
import { soughtByName } from './sought-pages.ts';

/** So many places in other spaces are looked up for one answer; links to others lead nowhere. */
const maxForeign = 500;

/** What an answer holds that may refer to other spaces: texts with their nodes, and pages, which may be links. */
export interface Referring {
  texts: LinkingText[];
  pages: Node[];
}

/** The places in other spaces that texts and pages refer to. */
function targetsIn({ texts, pages }: Referring, origin: { space: SpaceId; urls: Urls }): ForeignTarget[] {
  const ofTexts = texts.flatMap((text) =>
    text.markdown.includes('/spaces/')
      ? text.targets.flatMap((target) => {
          const read = readTarget(target, { ...origin, node: text.node });
          return read.kind === 'app' && read.foreign !== undefined ? [read.foreign] : [];
        })
      : [],
  );
  return [...ofTexts, ...pages.flatMap((page) => foreignTarget(pageFields(page).target) ?? [])];
}

/** What a link page leads to outside of its space. */
export function foreignTarget(target: LinkTarget | undefined): ForeignTarget | undefined {
  if (target?.kind === 'space') return { space: target.space, anchor: '' };
  if ((target?.kind !== 'page' && target?.kind !== 'anchor') || target.space === undefined) return undefined;
  return { space: target.space, page: target.page, anchor: target.kind === 'anchor' ? target.anchor : '' };
}

const keyOf = ({ space, page, slugs }: ForeignTarget): string => JSON.stringify([space, page ?? null, slugs ?? null]);

/** Places in other spaces of the site that a visitor is shown; others are not there. */
export class ForeignPlaces {
  readonly #places: ReadonlyMap<string, ShownPlace>;

  constructor(places: ReadonlyMap<string, ShownPlace>) {
    this.#places = places;
  }

  /** The address of what is shown. */
  addressOf(target: ForeignTarget): string | undefined {
    const address = this.#places.get(keyOf(target))?.address;
    return address === undefined || target.anchor === '' ? address : `${address}#${target.anchor}`;
  }

  /** A reference to what is shown, by its ids and with its address. */
  referenceTo(target: ForeignTarget): TreeData | undefined {
    const { space, page } = this.#places.get(keyOf(target)) ?? {};
    const href = this.addressOf(target);
    if (space === undefined || href === undefined) return undefined;
    if (page === undefined) return { kind: 'space', space, href };
    return target.anchor === ''
      ? { kind: 'page', page, space, href }
      : { kind: 'anchor', anchor: target.anchor, page, space, href };
  }
}

interface ForeignReading extends SiteReading {
  space: SpaceId;
  /** As operations have it: what is told of other spaces changes without the revision. */
  alsoFollowsFrom: (what: string | undefined) => void;
}

/** The places in other spaces that an answer may tell of: one round trip, and none where it refers to none. */
export async function readForeign(referring: Referring, reading: ForeignReading): Promise<ForeignPlaces | undefined> {
  const distinct = new Map(targetsIn(referring, reading).map((target) => [keyOf(target), target]));
  const keys = [...distinct.keys()].slice(0, maxForeign);
  if (keys.length === 0) return undefined;
  const { visitor } = reading;
  const sought = soughtByName(visitor.site, visitor.user ?? null, `[${keys.join()}]`);
  const wanted = keys.map((key) => distinct.get(key));
  const isOfPage = (ordinal: number) => (wanted[ordinal]?.page ?? wanted[ordinal]?.slugs) !== undefined;
  const madeIds = madeIdsOf(wanted.map((target) => target?.page));
  const found = await findPlaces(reading, { sought, isOfPage, madeIds });
  const places = new Map(found.map((place) => [keys[place.ordinal] ?? '', place]));
  reading.alsoFollowsFrom(JSON.stringify([...places].map(([key, { page, address }]) => [key, page, address])));
  return new ForeignPlaces(places);
}

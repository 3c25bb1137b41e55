import type { TreeData } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { runInSlices, type Steps, type Urls } from '@octavo/runtime';
import type { LinkTarget, SpaceId } from '@octavo/schema';
import type { LinkingText } from '../links/late-links.ts';
import type { ForeignTarget } from '../links/targets.ts';
import { hasForeignLinks, readTarget } from '../links/targets.ts';
import { getPageFields } from '../store/nodes.ts';
import type { SiteReading, SpaceSiteLocation } from './site-locations.ts';
import { findLocations, getGeneratedIds, readNamedLocations } from './site-locations.ts';

/** Maximum number of targets in other spaces looked up for one response; links beyond it are broken. */
const maxForeign = 500;

/** The content of a response that may link to other spaces: texts with their nodes, and pages, which may be links. */
interface ReferringContent {
  texts: LinkingText[];
  pages: Node[];
}

function* findForeignTargets(
  { texts, pages }: ReferringContent,
  origin: { space: SpaceId; urls: Urls },
): Steps<Map<string, ForeignTarget>> {
  const distinct = new Map<string, ForeignTarget>();
  for (const text of texts) {
    if (!text.markdown.includes('/spaces/') && !hasForeignLinks(text.node)) continue;
    for (const target of yield* text.findTargets()) {
      const parsed = readTarget(target, { ...origin, node: text.node });
      if (parsed.kind === 'app' && parsed.foreign !== undefined)
        distinct.set(toTargetKey(parsed.foreign), parsed.foreign);
      yield;
    }
  }
  for (const page of pages) {
    const target = toForeignTarget(getPageFields(page).target);
    if (target !== undefined) distinct.set(toTargetKey(target), target);
    yield;
  }
  return distinct;
}

/** Returns the target of a link page if it is in another space. */
export function toForeignTarget(target: LinkTarget | undefined): ForeignTarget | undefined {
  if (target?.kind === 'space') return { space: target.space, anchor: '' };
  if ((target?.kind !== 'page' && target?.kind !== 'anchor') || target.space === undefined) return undefined;
  return { space: target.space, page: target.page, anchor: target.kind === 'anchor' ? target.anchor : '' };
}

const toTargetKey = ({ space, page, slugs }: ForeignTarget): string =>
  JSON.stringify([space, page ?? null, slugs ?? null]);

/** Targets in other spaces of the site that a visitor may see; others are treated as missing. */
export class ForeignLocations {
  readonly #locationsByKey: ReadonlyMap<string, SpaceSiteLocation>;

  constructor(locationsByKey: ReadonlyMap<string, SpaceSiteLocation>) {
    this.#locationsByKey = locationsByKey;
  }

  /** Returns the address of a visible target. */
  getAddress(target: ForeignTarget): string | undefined {
    const address = this.#locationsByKey.get(toTargetKey(target))?.address;
    return address === undefined || target.anchor === '' ? address : `${address}#${target.anchor}`;
  }

  /** Returns a reference to a visible target, with its ids and address. */
  toReference(target: ForeignTarget): TreeData | undefined {
    const { space, page } = this.#locationsByKey.get(toTargetKey(target)) ?? {};
    const href = this.getAddress(target);
    if (space === undefined || href === undefined) return undefined;
    if (page === undefined) return { kind: 'space', space, href };
    return target.anchor === ''
      ? { kind: 'page', page, space, href }
      : { kind: 'anchor', anchor: target.anchor, page, space, href };
  }
}

interface ForeignReading extends SiteReading {
  space: SpaceId;
  /** Adds a part to the ETag, because other spaces change without a new revision of this one. */
  addToEtag: (part: string | undefined) => void;
}

/** Reads the targets in other spaces that a response may link to. One round trip, none if it has no such link. */
export async function readForeignLocations(
  referring: ReferringContent,
  reading: ForeignReading,
): Promise<ForeignLocations | undefined> {
  const distinct = await runInSlices(findForeignTargets(referring, reading));
  const keys = [...distinct.keys()].slice(0, maxForeign);
  if (keys.length === 0) return undefined;
  const { visitor } = reading;
  const findNamed = readNamedLocations(visitor.site, visitor.user ?? null, `[${keys.join()}]`);
  const targets = keys.map((key) => distinct.get(key));
  const isOfPage = (ordinal: number) => (targets[ordinal]?.page ?? targets[ordinal]?.slugs) !== undefined;
  const generatedIds = getGeneratedIds(targets.map((target) => target?.page));
  const locations = await findLocations(reading, { locationQuery: findNamed, isOfPage, generatedIds });
  const locationsByKey = new Map(locations.map((location) => [keys[location.ordinal] ?? '', location]));
  reading.addToEtag(JSON.stringify([...locationsByKey].map(([key, { page, address }]) => [key, page, address])));
  return new ForeignLocations(locationsByKey);
}

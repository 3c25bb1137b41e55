import { paginate } from '@octavo/client';
import { withoutAnchor } from '@octavo/markdown';
import { idOfLinks, keptLinks, leadsTo, type OutlineSource, type Repository } from '@octavo/outline';
import type { ContentReference, GitSource, LinkItem } from '@octavo/schema';
import type { Api } from '../api.ts';
import type { ImportProblem } from './source.ts';

type Links = Readonly<Record<string, string>>;

/** What the addresses of the texts mean, as far as a space keeps it, by the paths of the texts. */
export class SourceLinks {
  readonly problems: ImportProblem[] = [];
  readonly #links = new Map<string, Links>();

  constructor(meanings: Repository['meanings']) {
    for (const [path, links] of meanings) {
      const kept = keptLinks(links);
      const lost = Object.keys(links).length - Object.keys(kept).length;
      if (lost > 0)
        this.problems.push({
          path,
          kind: 'warning',
          message: `${lost} of its addresses are too many or too long: what they mean is not kept.`,
        });
      this.#links.set(path, kept);
    }
  }

  of(path: string | undefined): Links {
    return this.#links.get(path ?? '') ?? {};
  }

  /** Whether a space tells the same of a text. */
  isKept(path: string | undefined, git: { linksId?: string | undefined } | undefined): boolean {
    const links = this.of(path);
    return Object.keys(links).length === 0 ? git?.linksId === undefined : git?.linksId === idOfLinks(links);
  }

  /** Where a text comes from, as changes say it. */
  gitOf(path: string): GitSource {
    const links = this.of(path);
    return Object.keys(links).length === 0 ? { path } : { path, links };
  }
}

/** Why a link leads nowhere. */
export const brokenReasons = {
  'no-file': 'there is no such file in what was imported',
  'not-taken': 'the file is there, and was not taken',
  failed: 'the file is there, and could not be brought in',
  'no-anchor': 'the page is there, and has no such place',
  'not-imported': 'stands in a page that comes from elsewhere',
} as const;

export type BrokenReason = keyof typeof brokenReasons;

/** A target that leads nowhere, and the first of the places where it stands. */
interface BrokenLink {
  /** As it is written. */
  target: string;
  reason: BrokenReason;
  /** The paths of files in the source; titles of pages that come from none. */
  places: string[];
  /** How many places there are. */
  locations: number;
}

export interface BrokenLinks {
  /** Targets in the whole space. */
  total: number;
  reasons: Partial<Record<BrokenReason, number>>;
  /** The first of them. */
  links: BrokenLink[];
  /** Where the site may be served (`/docs/`): without that beginning most of the links lead to files. */
  prefix?: string;
  /** How many targets of `links` that mends. */
  mended?: number;
}

/** Fewer links that a prefix mends say nothing. */
const fewest = 3;
const deepest = 5;
const mostTold = 5_000;
const perRequest = '1000';

interface Imported {
  source: OutlineSource;
  links: SourceLinks;
  problems: readonly ImportProblem[];
  find: Repository['find'];
  /** Whether it was said where the site is served: what begins otherwise is not of the site. */
  isBaseGiven: boolean;
}

/** What in a space leads nowhere, and why, as far as the source of its pages tells. */
export async function findBrokenLinks(api: Api, spaceId: string, imported: Imported): Promise<BrokenLinks> {
  const judge = new Judge(imported);
  const bases = new Bases(imported.find);
  let total = 0;
  const links: BrokenLink[] = [];
  const items = paginate(async (page) => {
    const query = { status: 'broken' as const, limit: perRequest, page };
    const answer = await api.listSpaceLinks({ params: { spaceId }, query });
    total = answer.stats.broken.total;
    return answer;
  });
  for await (const item of items) {
    const link = judge.linkOf(item);
    links.push(link);
    bases.see(link);
    if (links.length === mostTold) break;
  }
  const reasons: BrokenLinks['reasons'] = {};
  for (const { reason } of links) reasons[reason] = (reasons[reason] ?? 0) + 1;
  return { total, reasons, links, ...(imported.isBaseGiven ? {} : bases.best()) };
}

/** Counts what absolute addresses would lead to, were the site served at one of the folders that they begin with. */
class Bases {
  readonly #find: Repository['find'];
  readonly #mended = new Map<string, number>();

  constructor(find: Repository['find']) {
    this.#find = find;
  }

  see({ target, reason, places: [place] }: BrokenLink): void {
    const address = withoutAnchor(target);
    if (reason !== 'no-file' || place === undefined || !/^\/(?!\/)/.test(address)) return;
    let end = 0;
    for (let depth = 0; depth < deepest; depth += 1) {
      end = address.indexOf('/', end + 1);
      if (end === -1) return;
      const rest = address.slice(end);
      if (rest === '/' || this.#find(rest, place) === undefined) continue;
      const prefix = address.slice(0, end + 1);
      this.#mended.set(prefix, (this.#mended.get(prefix) ?? 0) + 1);
    }
  }

  /** The one that mends most. */
  best(): Pick<BrokenLinks, 'prefix' | 'mended'> {
    const [most] = [...this.#mended].sort(([, one], [, other]) => other - one);
    return most !== undefined && most[1] >= fewest ? { prefix: most[0], mended: most[1] } : {};
  }
}

class Judge {
  readonly #paths: ReadonlySet<string>;
  readonly #failed: ReadonlySet<string>;
  readonly #links: SourceLinks;

  constructor({ source, links, problems }: Imported) {
    this.#paths = new Set(source.paths);
    this.#failed = new Set(problems.flatMap(({ kind, path }) => (kind === 'failed' ? [path] : [])));
    this.#links = links;
  }

  linkOf({ target, reason, locations, locationReferences }: LinkItem): BrokenLink {
    const places = locationReferences.flatMap((place) => placeOf(place) ?? []);
    const why = reason === 'no-anchor' ? reason : this.#reasonOf(target, places[0]);
    return { target, reason: why, places: places.map(({ name }) => name), locations };
  }

  #reasonOf(target: string, place: LinkPlace | undefined): BrokenReason {
    if (place?.path === undefined || !this.#paths.has(place.path)) return 'not-imported';
    const address = withoutAnchor(target);
    const told = this.#links.of(place.path);
    const path = (Object.hasOwn(told, address) && told[address]) || leadsTo(address, place.path, this.#paths);
    if (path === undefined) return 'no-file';
    return this.#failed.has(path) ? 'failed' : 'not-taken';
  }
}

interface LinkPlace {
  name: string;
  path?: string;
}

function placeOf(reference: ContentReference): LinkPlace | undefined {
  if (reference.kind === 'page') {
    const { page } = reference;
    const path = page.type === 'document' ? page.git?.path : undefined;
    return { name: path ?? page.title, ...(path !== undefined && { path }) };
  }
  if (reference.kind !== 'reusable-content') return undefined;
  const { title, git } = reference.reusableContent;
  return { name: git?.path ?? title, ...(git && { path: git.path }) };
}

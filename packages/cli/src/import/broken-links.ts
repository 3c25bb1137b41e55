import { paginate } from '@octavo/client';
import { removeAnchor } from '@octavo/markdown';
import { hashLinks, limitLinks, type OutlineSource, type Repository, resolveLink } from '@octavo/outline';
import type { ContentReference, GitSource, LinkItem } from '@octavo/schema';
import type { Api } from '../api.ts';
import type { ImportProblem } from './source.ts';

type Links = Readonly<Record<string, string>>;

/**
 * The files that the addresses in each text refer to, by the path of the text. Contains only files that a space stores.
 */
export class SourceLinks {
  readonly problems: ImportProblem[] = [];
  readonly #links = new Map<string, Links>();

  constructor(resolvedTargets: Repository['resolvedTargets']) {
    for (const [path, links] of resolvedTargets) {
      const remainingLinks = limitLinks(links);
      const lostCount = Object.keys(links).length - Object.keys(remainingLinks).length;
      if (lostCount > 0)
        this.problems.push({
          path,
          kind: 'warning',
          message: `${lostCount} of its links were dropped because they are too many or too long.`,
        });
      this.#links.set(path, remainingLinks);
    }
  }

  getLinks(path: string | undefined): Links {
    return this.#links.get(path ?? '') ?? {};
  }

  /** Whether the links that the space has stored for a text are up to date. */
  isKept(path: string | undefined, git: { linksId?: string | undefined } | undefined): boolean {
    const links = this.getLinks(path);
    return Object.keys(links).length === 0 ? git?.linksId === undefined : git?.linksId === hashLinks(links);
  }

  /** Returns the Git source of a text, as a change contains it: the path and the files that its links refer to. */
  getGitSource(path: string): GitSource {
    const links = this.getLinks(path);
    return Object.keys(links).length === 0 ? { path } : { path, links };
  }
}

/** Descriptions of the reasons why a link is broken. */
export const brokenReasons = {
  'no-file': 'the file is not in the import',
  'not-taken': 'the file was skipped',
  failed: 'the file could not be imported',
  'no-anchor': 'the page has no such heading or anchor',
  'not-imported': 'the page with the link is not in the folder',
} as const;

export type BrokenReason = keyof typeof brokenReasons;

/** A broken link target, with the first locations where it is used. */
interface BrokenLink {
  /** The target as written. */
  target: string;
  reason: BrokenReason;
  /** Paths of files in the source, or titles of pages that have no source file. */
  places: string[];
  /** Total number of locations. */
  locations: number;
}

export interface BrokenLinks {
  /** Number of broken targets in the whole space. */
  total: number;
  reasons: Partial<Record<BrokenReason, number>>;
  /** The first broken targets. */
  links: BrokenLink[];
  /**
   * Path at which the site may be served (`/docs/`). If this prefix is removed from the broken links, most of them
   * resolve to files.
   */
  prefix?: string;
  /** Number of targets in `links` that resolve without the prefix. */
  mended?: number;
}

/**
 * Limits of the search for broken links: a prefix that fixes fewer than `fewest` links is not reported, `deepest` is
 * the maximum number of segments of a prefix, and `maxReportedLinks` the maximum number of reported links.
 */
const fewest = 3;
const deepest = 5;
const maxReportedLinks = 5_000;
const perRequest = '1000';

export interface ImportedLinks {
  source: OutlineSource;
  links: SourceLinks;
  problems: readonly ImportProblem[];
  find: Repository['find'];
  /** Whether the base path of the site is known. If it is, addresses with another prefix are not part of the site. */
  isBaseGiven: boolean;
}

/** A broken target, before the reason is known. */
export interface BrokenTarget {
  target: string;
  /** Whether the page exists, but not the anchor. */
  hasNoAnchor: boolean;
  /** The first locations. */
  places: LinkLocation[];
  locations: number;
}

interface BrokenTargets {
  targets: AsyncIterable<BrokenTarget> | Iterable<BrokenTarget>;
  /** Returns the total number of broken targets. Available after the first target has been read. */
  getTotal: () => number;
}

/** Reads the broken targets in a space. */
export function listBrokenLinks(api: Api, spaceId: string): BrokenTargets {
  let total = 0;
  const items = paginate(async (page) => {
    const query = { status: 'broken' as const, limit: perRequest, page };
    const response = await api.listSpaceLinks({ params: { spaceId }, query });
    total = response.stats.broken.total;
    return { ...response, items: response.items.map(toBrokenTarget) };
  });
  return { targets: items, getTotal: () => total };
}

const toBrokenTarget = ({ target, reason, locations, locationReferences }: LinkItem): BrokenTarget => ({
  target,
  hasNoAnchor: reason === 'no-anchor',
  places: locationReferences.flatMap((location) => getLocation(location) ?? []),
  locations,
});

/** Returns broken links with the reasons that can be determined from the source of the pages. */
export async function findBrokenLinks(broken: BrokenTargets, imported: ImportedLinks): Promise<BrokenLinks> {
  const judge = new LinkChecker(imported);
  const bases = new Bases(imported.find);
  const links: BrokenLink[] = [];
  for await (const target of broken.targets) {
    const link = judge.toBrokenLink(target);
    links.push(link);
    bases.addLink(link);
    if (links.length === maxReportedLinks) break;
  }
  const total = broken.getTotal();
  const reasons: BrokenLinks['reasons'] = {};
  for (const { reason } of links) reasons[reason] = (reasons[reason] ?? 0) + 1;
  return { total, reasons, links, ...(imported.isBaseGiven ? {} : bases.findBestPrefix()) };
}

/**
 * Counts, for each leading folder of broken absolute addresses, how many of these addresses would resolve if the site
 * were served at that folder.
 */
class Bases {
  readonly #find: Repository['find'];
  readonly #repaired = new Map<string, number>();

  constructor(find: Repository['find']) {
    this.#find = find;
  }

  addLink({ target, reason, places: [location] }: BrokenLink): void {
    const address = removeAnchor(target);
    if (reason !== 'no-file' || location === undefined || !/^\/(?!\/)/.test(address)) return;
    let end = 0;
    for (let depth = 0; depth < deepest; depth += 1) {
      end = address.indexOf('/', end + 1);
      if (end === -1) return;
      const rest = address.slice(end);
      if (rest === '/' || this.#find(rest, location) === undefined) continue;
      const prefix = address.slice(0, end + 1);
      this.#repaired.set(prefix, (this.#repaired.get(prefix) ?? 0) + 1);
    }
  }

  /** Returns the prefix that fixes the most links. */
  findBestPrefix(): Pick<BrokenLinks, 'prefix' | 'mended'> {
    const [most] = [...this.#repaired].sort(([, one], [, other]) => other - one);
    return most !== undefined && most[1] >= fewest ? { prefix: most[0], mended: most[1] } : {};
  }
}

class LinkChecker {
  readonly #paths: ReadonlySet<string>;
  readonly #failed: ReadonlySet<string>;
  readonly #links: SourceLinks;

  constructor({ source, links, problems }: ImportedLinks) {
    this.#paths = new Set(source.paths);
    this.#failed = new Set(problems.flatMap(({ kind, path }) => (kind === 'failed' ? [path] : [])));
    this.#links = links;
  }

  toBrokenLink({ target, hasNoAnchor, places, locations }: BrokenTarget): BrokenLink {
    const reason = hasNoAnchor ? 'no-anchor' : this.#getReason(target, places[0]);
    return { target, reason, places: places.map(({ name }) => name), locations };
  }

  #getReason(target: string, location: LinkLocation | undefined): BrokenReason {
    if (location?.path === undefined || !this.#paths.has(location.path)) return 'not-imported';
    const address = removeAnchor(target);
    const links = this.#links.getLinks(location.path);
    const path = (Object.hasOwn(links, address) && links[address]) || resolveLink(address, location.path, this.#paths);
    if (path === undefined) return 'no-file';
    return this.#failed.has(path) ? 'failed' : 'not-taken';
  }
}

interface LinkLocation {
  name: string;
  path?: string;
}

function getLocation(reference: ContentReference): LinkLocation | undefined {
  if (reference.kind === 'page') {
    const { page } = reference;
    const path = page.type === 'document' ? page.git?.path : undefined;
    return { name: path ?? page.title, ...(path !== undefined && { path }) };
  }
  if (reference.kind !== 'reusable-content') return undefined;
  const { title, git } = reference.reusableContent;
  return { name: git?.path ?? title, ...(git && { path: git.path }) };
}

import { getAnchorNames, getLinks, getTitle, removeAnchor, slugify, toStoredAnchors } from '@octavo/markdown';
import { normalizePath, type Repository, removeMarkdownEnding, resolveLink, walkOutlineEntries } from '@octavo/outline';
import type { Revision } from '@octavo/schema';
import { walkPresent } from '@octavo/space-files';
import type { Api } from '../api.ts';
import {
  type BrokenLinks,
  type BrokenTarget,
  findBrokenLinks,
  type ImportedLinks,
  listBrokenLinks,
} from './broken-links.ts';
import type { ContentPlan } from './plan.ts';
import type { Removals } from './removals.ts';

interface PlannedImport {
  api: Api;
  /** The id of the space; undefined if the import would create the space. */
  spaceId: string | undefined;
  repository: Repository;
  revision: Pick<Revision, 'files'>;
  plan: ContentPlan;
  removals: Removals;
}

/** Maximum number of locations that are listed for one target. */
const maxPlaces = 5;

/**
 * For a dry run: returns the links that would be broken after the import, both in the imported folder and in content
 * that the import does not change.
 */
export async function predictBrokenLinks(planned: PlannedImport, imported: ImportedLinks): Promise<BrokenLinks> {
  const targets = [...new PlannedLinks(planned, imported).listBroken()];
  targets.push(...(await listRemainingBroken(planned)));
  return findBrokenLinks({ targets, getTotal: () => targets.length }, imported);
}

/** Lists the broken links of the pages that the import does not change. */
async function listRemainingBroken({ api, spaceId, repository, removals }: PlannedImport): Promise<BrokenTarget[]> {
  if (spaceId === undefined) return [];
  const texts = new Set(getTexts(repository).map(({ path }) => path));
  const removed = new Set(removals.items.map(({ path }) => path));
  const isUnchangedByImport = (path: string | undefined) =>
    path === undefined || !(texts.has(path) || removed.has(path));
  const staying: BrokenTarget[] = [];
  for await (const target of listBrokenLinks(api, spaceId).targets) {
    const places = target.places.filter(({ path }) => isUnchangedByImport(path));
    if (places.length > 0) staying.push({ ...target, places, locations: places.length });
  }
  return staying;
}

interface PlannedText {
  path: string;
  text: string;
  /** The titles of a page that links can use as anchors. */
  titles: string[];
}

const getTexts = ({ roots, reusableContents }: Repository): PlannedText[] => [
  ...[...walkOutlineEntries(roots)].flatMap((entry) => {
    if (entry.kind !== 'page' || entry.file === undefined || entry.path === undefined) return [];
    const { text } = entry.file;
    const titles = [entry.title, getTitle(text), entry.fallbackTitle].filter((title) => title !== undefined);
    return [{ path: entry.path, text, titles }];
  }),
  ...reusableContents.flatMap(({ path, file }) => (file === undefined ? [] : [{ path, text: file.text, titles: [] }])),
];

/** The links of a folder, resolved as the server does after an import. */
class PlannedLinks {
  readonly #texts: Map<string, PlannedText>;
  /** The paths of all files that the space will contain. */
  readonly #paths: ReadonlySet<string>;
  /** The paths of all pages that the space will contain. */
  readonly #pagePaths: ReadonlySet<string>;
  readonly #imported: ImportedLinks;
  readonly #anchors = new Map<string, string>();

  constructor({ repository, revision, plan, removals }: PlannedImport, imported: ImportedLinks) {
    const removed = new Set(removals.items.map(({ id }) => id));
    const staying = [...walkPresent(plan.pages)].filter(({ id }) => !removed.has(id));
    const files = revision.files.filter(({ id }) => !removed.has(id));
    this.#imported = imported;
    this.#texts = new Map(getTexts(repository).map((text) => [text.path, text]));
    this.#paths = new Set([
      ...[...this.#texts.keys(), ...repository.files],
      ...[...staying, ...files].flatMap(({ git }) => git?.path ?? []),
    ]);
    const slugs = [...walkOutlineEntries(repository.roots)].map((entry) => {
      const names: string[] = [];
      for (let each: typeof entry | undefined = entry; each !== undefined; each = each.parent)
        if (each.kind !== 'link') names.unshift(each.slug);
      return names.join('/');
    });
    this.#pagePaths = new Set(['', ...slugs, ...staying.map(({ path }) => path)]);
  }

  /** Lists the broken targets, each with its first locations. */
  listBroken(): Iterable<BrokenTarget> {
    const brokenTargets = new Map<string, BrokenTarget>();
    for (const { path, text } of this.#texts.values())
      for (const target of new Set(getLinks(text).map((link) => link.target))) {
        const key = this.#findFault(target, path);
        if (key === undefined) continue;
        const place = { name: path, path };
        const known = brokenTargets.get(key);
        if (known === undefined)
          brokenTargets.set(key, { target, hasNoAnchor: key.startsWith('#'), places: [place], locations: 1 });
        else if (known.places.at(-1)?.path !== path) {
          known.locations += 1;
          if (known.places.length < maxPlaces) known.places.push(place);
        }
      }
    return brokenTargets.values();
  }

  /** Returns a key that identifies a broken target, or undefined if the link works. */
  #findFault(target: string, from: string): string | undefined {
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target) && this.#getNamedPath(removeAnchor(target), from) === undefined)
      return undefined;
    const address = removeAnchor(target);
    const anchor = target.slice(address.length + 1);
    // The page is in another space of the site.
    if (this.#getNamedPath(address, from)?.startsWith('/spaces/')) return undefined;
    const path = address === '' || address.startsWith('?') ? from : this.#findFile(address, from);
    if (path === undefined)
      return this.#isIdOrPagePath(address, from)
        ? undefined
        : `/${address.startsWith('/') ? '' : getFolder(from)} ${address}`;
    return this.#hasAnchor(path, anchor) ? undefined : `#${path} ${anchor}`;
  }

  /** Returns the path that the import stores for an address. */
  #getNamedPath(address: string, from: string): string | undefined {
    const links = this.#imported.links.getLinks(from);
    return Object.hasOwn(links, address) ? links[address] : undefined;
  }

  #findFile(address: string, from: string): string | undefined {
    return [
      this.#getNamedPath(address, from),
      resolveLink(address, from, this.#paths),
      this.#imported.find(address, from),
    ].find((path) => path !== undefined && this.#paths.has(path));
  }

  /** Whether an address is not a file path but a valid item ID or page path. */
  #isIdOrPagePath(address: string, from: string): boolean {
    const path = decode(address.split('?', 1)[0] ?? '');
    if (/^\/(?:pages|files|reusable-contents)\/|^(?:file|rc)_\w+$/.test(path)) return true;
    const normalized = normalizePath(path.startsWith('/') ? path : `${getFolder(from)}${path}`).replace(/\/$/, '');
    const page = removeMarkdownEnding(normalized);
    const isFolderPage = page !== normalized && /(?:^|\/)(?:README|_?index)$/i.test(page);
    return this.#pagePaths.has(isFolderPage ? getFolder(page).replace(/\/$/, '') : page);
  }

  #hasAnchor(path: string, anchor: string): boolean {
    const page = this.#texts.get(path);
    const names = getAnchorNames(anchor);
    if (page === undefined || names.length === 0) return true;
    const anchors = this.#anchors.get(path) ?? toStoredAnchors(page.text);
    this.#anchors.set(path, anchors);
    const isTitle = page.titles.some((title) => names.includes(slugify(title)));
    return anchors === '' || isTitle || names.some((name) => anchors.includes(`\n${name}\n`));
  }
}

const getFolder = (path: string): string => path.replace(/[^/]*$/, '');

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

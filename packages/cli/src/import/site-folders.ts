import { getLinks, removeAnchor } from '@octavo/markdown';
import {
  type GitbookSite,
  isMarkdown,
  type OutlineSource,
  type Repository,
  resolveLink,
  type SiteFolder,
  walkOutlineEntries,
} from '@octavo/outline';
import { presentTree, toStoredName, walkPresent } from '@octavo/space-files';
import type { Api } from '../api.ts';

/** Returns the name under which the pages of a folder are stored. It identifies the space, even if its folder moves. */
export const getFolderName = (source: OutlineSource, { key }: SiteFolder): string =>
  toStoredName(`${source.name}/${key}`);

/** Returns the files of one space of a site, with paths relative to its folder. */
export function createFolderSource(source: OutlineSource, site: GitbookSite, space: SiteFolder): OutlineSource {
  const { folder } = space;
  return {
    name: getFolderName(source, space),
    paths: source.paths.flatMap((path) => (findFolder(site, path) === space ? path.slice(folder.length) : [])),
    unreadablePaths: (source.unreadablePaths ?? []).flatMap((path) =>
      findFolder(site, path) === space ? path.slice(folder.length) : [],
    ),
    getSize: (path) => source.getSize(`${folder}${path}`),
    read: (path) => source.read(`${folder}${path}`),
  };
}

/**
 * Returns the space of a file. If the folder of a space is inside that of another space, its files belong only to the
 * inner one.
 */
export const findFolder = ({ spaces }: GitbookSite, path: string): SiteFolder | undefined =>
  spaces
    .filter(({ folder }) => path.startsWith(folder))
    .reduce<SiteFolder | undefined>(
      (longest, each) => (longest === undefined || each.folder.length > longest.folder.length ? each : longest),
      undefined,
    );

/** Links from the pages of one space of a site to pages of the others. */
export class SiteLinks {
  readonly #api: Api;
  readonly #site: GitbookSite;
  /** The IDs of the spaces that exist. */
  readonly #spaceIds: ReadonlyMap<SiteFolder, string>;
  readonly #files: ReadonlySet<string>;
  readonly #pages = new Map<SiteFolder, Promise<Map<string, string>>>();
  /** The spaces with links to pages that do not exist yet. */
  readonly incomplete = new Set<SiteFolder>();

  constructor(api: Api, source: OutlineSource, to: { site: GitbookSite; spaceIds: ReadonlyMap<SiteFolder, string> }) {
    this.#api = api;
    this.#site = to.site;
    this.#spaceIds = to.spaceIds;
    this.#files = new Set(source.paths);
  }

  /**
   * Adds the targets in other spaces to the links of a repository, so that the server finds them.
   * @param isPlanned Whether to add pages that do not exist yet, for a dry run
   */
  async addLinks(repository: Repository, from: SiteFolder, isPlanned: boolean): Promise<void> {
    const pages = [...walkOutlineEntries(repository.roots)].flatMap((each) =>
      each.kind === 'page' && each.file !== undefined ? [each.file] : [],
    );
    const texts = [...pages, ...repository.reusableContents.flatMap(({ file }) => file ?? [])];
    for (const { path, text } of texts) {
      const links: Record<string, string> = Object.create(null);
      for (const address of new Set(getLinks(text).map(({ target }) => removeAnchor(target)))) {
        const url = await this.#findUrl(address, `${from.folder}${path}`, { from, isPlanned });
        if (url !== undefined) links[address] = url;
      }
      if (Object.keys(links).length > 0)
        repository.resolvedTargets.set(path, { ...repository.resolvedTargets.get(path), ...links });
    }
  }

  /** Returns the URL of the page that an address refers to, if the page is in another space. */
  async #findUrl(
    address: string,
    path: string,
    { from, isPlanned }: { from: SiteFolder; isPlanned: boolean },
  ): Promise<string | undefined> {
    if (address === '' || address.startsWith('/')) return undefined;
    const target = resolveLink(address, path, this.#files) ?? '';
    const space = isMarkdown(target) ? findFolder(this.#site, target) : undefined;
    if (space === undefined || space === from) return undefined;
    const pages = await this.#getPages(space);
    const page = pages.get(target.slice(space.folder.length));
    if (page === undefined) this.incomplete.add(from);
    const id = page ?? (isPlanned ? 'new' : undefined);
    return id === undefined ? undefined : `/spaces/${this.#spaceIds.get(space) ?? 'new'}/pages/${id}`;
  }

  /** Returns the IDs of the pages of a space by the paths of their files. */
  #getPages(space: SiteFolder): Promise<Map<string, string>> {
    const known = this.#pages.get(space) ?? this.#readPages(this.#spaceIds.get(space));
    this.#pages.set(space, known);
    return known;
  }

  async #readPages(spaceId: string | undefined): Promise<Map<string, string>> {
    if (spaceId === undefined) return new Map();
    const { pages } = await this.#api.listPages({ params: { spaceId }, query: { computed: 'false' } });
    return new Map([...walkPresent(presentTree(pages))].flatMap(({ id, git }) => (git ? [[git.path, id]] : [])));
  }
}

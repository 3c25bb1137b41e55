import { getCandidates, removeMarkdownEnding, resolvePath } from './candidates.ts';
import type { SiteLayout } from './conventions/layout.ts';
import { decodeAddress, getFolder, normalizePath } from './paths.ts';

const maxFolders = 20;

type Files = ReadonlySet<string>;

/**
 * Returns the key of a page's address: the address without slashes at its ends, without `index`, and without the
 * extension of a page file.
 */
export const toAddressKey = (address: string): string =>
  normalizePath(address)
    .replace(/\.html?$/i, '')
    .replace(/(^|\/)index$/i, '$1')
    .replace(/\/$/, '');

/** Resolves addresses as the site that is built from the repository would. */
export class Addresses {
  readonly #site: SiteLayout;
  readonly #files: Files;
  readonly #addressesByPage: Map<string, string>;

  constructor(site: SiteLayout, files: Files) {
    this.#site = site;
    this.#files = files;
    this.#addressesByPage = new Map(
      [...site.pages].map(([address, path]) => [path, address]).reverse() as [string, string][],
    );
  }

  /** Returns the file that an address in a file links to. `address` is as written, without its anchor. */
  findTarget(address: string, from: string): string | undefined {
    const normalized = this.#resolveAlias(address);
    if (normalized.file !== undefined) return this.#findFile(normalized.file);
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(normalized.address)) return undefined;
    const plain = normalized.address.split('?', 1)[0] ?? '';
    if (plain === '') return undefined;
    for (const each of new Set([decodeAddress(plain), plain])) {
      const path = each.startsWith('/') ? this.#resolveAbsolute(each, from) : this.#findRelative(each, from);
      if (path !== undefined) return path;
    }
    return undefined;
  }

  /** Returns the file that a page includes: relative to the page, or to a folder that the generator resolves from. */
  findIncludedFile(address: string, from: string): string | undefined {
    const { root, content } = this.#site;
    const fromRoot = /^@\/+/.test(address);
    const plain = address.replace(/^@\/+/, '');
    const folders = [...(fromRoot ? [] : [getFolder(from)]), ...content, root, ''];
    return [...new Set(folders)].map((each) => normalizePath(`${each}${plain}`)).find((path) => this.#files.has(path));
  }

  #resolveAlias(address: string): { address: string; file?: string } {
    const alias = this.#site.aliases.find(([prefix]) => address.startsWith(prefix));
    if (alias) return { address, file: `${alias[1]}${decodeAddress(address.slice(alias[0].length))}` };
    return { address: address.replace(/^pathname:\/\/(?=\/)/, '') };
  }

  #findFile(path: string): string | undefined {
    const { files, sources } = getCandidates(normalizePath(path));
    return [...files, ...sources].find((each) => this.#files.has(each));
  }

  #resolveAbsolute(address: string, from: string): string | undefined {
    const { base } = this.#site;
    const inBase = base !== '/' && `${address}/`.startsWith(base) ? address.slice(base.length - 1) : undefined;
    for (const each of inBase === undefined ? [address] : [inBase, address]) {
      const sitePath = this.#findOnSite(each.slice(1));
      if (sitePath !== undefined) return sitePath;
    }
    return this.#findInFolders(address, from);
  }

  /** If the root of the site is unknown, tries each folder above the file as the root, the outermost first. */
  #findInFolders(address: string, from: string): string | undefined {
    const folders = [''];
    for (const name of getFolder(from).split('/').slice(0, -1)) folders.push(`${folders.at(-1)}${name}/`);
    for (const folder of folders.slice(0, maxFolders)) {
      const candidates = ['', 'static', 'public'].map((each) => this.#findFile(`${folder}${each}${address}`));
      const [path] = candidates.filter((each) => each !== undefined);
      if (path !== undefined) return path;
    }
    return undefined;
  }

  /** Returns the file at an address of the site, without the leading slash. */
  #findOnSite(address: string): string | undefined {
    const { assets, pages, content } = this.#site;
    const asset = assets.map((folder) => normalizePath(`${folder}${address}`)).find((path) => this.#files.has(path));
    return (
      asset ??
      pages.get(toAddressKey(removeMarkdownEnding(address))) ??
      content.map((folder) => this.#findFile(`${folder}${address}`)).find((path) => path !== undefined)
    );
  }

  /**
   * Tries a file relative to this file first. Then tries the addresses that a browser would resolve from the page's own
   * URL, with and without a trailing slash.
   */
  #findRelative(address: string, from: string): string | undefined {
    const relativePath = resolvePath(address, from, this.#files);
    if (relativePath !== undefined) return relativePath;
    const pageAddress = this.#addressesByPage.get(from);
    for (const start of pageAddress === undefined ? [] : [`${pageAddress}/`, getFolder(pageAddress)]) {
      const sitePath = this.#findOnSite(normalizePath(`${start}${address}`));
      if (sitePath !== undefined) return sitePath;
    }
    return this.#findKept(address, from);
  }

  /** Finds a file in GitBook's `.gitbook` folder from any folder, even if the relative path to it is wrong. */
  #findKept(address: string, from: string): string | undefined {
    const inside = /(?:^|\/)(\.gitbook\/.*)$/s.exec(address)?.[1];
    if (inside === undefined) return undefined;
    for (let folder = getFolder(from); ; folder = getFolder(folder.slice(0, -1))) {
      const path = normalizePath(`${folder}${inside}`);
      if (this.#files.has(path)) return path;
      if (folder === '') return undefined;
    }
  }
}

import { addressKey } from '../addresses.ts';
import { withoutMarkdownEnding } from '../candidates.ts';
import { textAt } from '../data/plain.ts';
import { numberedName } from '../fields.ts';
import { folderOf, nameOf, normalizePath } from '../paths.ts';
import type { SourceReader } from '../reader.ts';

interface DocsRoot {
  pages: string[];
  /** The folder of the documents, with a slash at its end. */
  root: string;
  /** What the addresses of the documents begin with. */
  route: string;
}

/** The documents of Docusaurus by their ids, and by their addresses on the site. */
export class DocIds {
  readonly addresses = new Map<string, string>();
  readonly #paths = new Map<string, string>();

  static async of(reader: SourceReader, { pages, root, route }: DocsRoot): Promise<DocIds> {
    const ids = new DocIds();
    for (const path of pages) {
      const fields = await reader.fields(path);
      const written = path.slice(root.length);
      const folder = withoutNumbers(folderOf(written));
      const name = textAt(fields, 'id') ?? numberedName(withoutMarkdownEnding(nameOf(path))).rest;
      ids.#add(`${folder}${name}`, path);
      ids.#add(withoutMarkdownEnding(written), path);
      const slug = textAt(fields, 'slug') ?? ownSlug(folder, name, path);
      const address = slug.startsWith('/') ? slug : `${folder}${slug}`;
      ids.addresses.set(addressKey(normalizePath(`${route}/${address}`)), path);
    }
    return ids;
  }

  /** The file of the document of an id. */
  find(id: string): string | undefined {
    return this.#paths.get(id);
  }

  #add(id: string, path: string): void {
    if (!this.#paths.has(id)) this.#paths.set(id, path);
  }
}

const withoutNumbers = (folder: string): string =>
  folder
    .split('/')
    .map((name) => numberedName(name).rest)
    .join('/');

/** The page of a folder has the folder's address, by its name or by that of the folder. */
function ownSlug(folder: string, name: string, path: string): string {
  const isIndex = /^(?:index|readme)\.\w+$/i.test(nameOf(path));
  return isIndex || (folder !== '' && name.toLowerCase() === nameOf(folder.slice(0, -1)).toLowerCase()) ? '' : name;
}

import { type DataValue, getList, getTextAt, getValueAt } from '../data/read-data.ts';
import type { Item } from '../items.ts';
import { getFolder, normalizePath, toShownName } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import { readBookIn } from './books.ts';
import type { Layout } from './layout.ts';
import { getConfiguration } from './load-configuration.ts';

/** A space of a site, with the titles and paths of the sections that contain it. */
interface SiteSpace {
  titles: string[];
  slug: string | undefined;
  isDefault: boolean;
  directory: string;
}

const maxDepth = 10;
const maxSpaces = 200;

/**
 * Reads a GitBook site with several spaces. Each space becomes a group with the tree of its folder, in the order of the
 * site. The default language of a section comes first.
 */
export async function readGitbookSite(reader: SourceReader): Promise<Layout | undefined> {
  const file = getConfiguration(reader, ['gitbook-docs\\.ya?ml', 'docs\\.ya?ml']);
  if (file === undefined) return undefined;
  const structure = getValueAt(await reader.readData(file), 'site', 'structure');
  if (!Array.isArray(structure)) {
    reader.configuration.delete(file);
    return undefined;
  }
  const spaces = structure.flatMap((each) => getSpaces(each, []));
  const layouts: Layout[] = [];
  const items: Item[] = [];
  const used = new Set<string>();
  for (const space of spaces.slice(0, maxSpaces)) {
    const root = normalizePath(`${getFolder(file)}${space.directory}`);
    const folder = root === '' ? '' : `${root}/`;
    if (used.has(folder)) continue;
    used.add(folder);
    const title = space.titles.join(': ');
    if (!reader.pages.some((path) => path.startsWith(folder))) {
      reader.warn(file, `The folder ${toShownName(space.directory)} of ${toShownName(title)} has no pages.`);
      continue;
    }
    const layout = await readBookIn(reader, folder);
    layouts.push(layout);
    items.push({ type: 'group', title, ...(space.slug !== undefined && { slug: space.slug }), items: layout.items });
  }
  const [first] = layouts;
  if (first === undefined) return undefined;
  const redirects = layouts.flatMap((layout) => layout.redirects);
  return { ...first, path: file, items, redirects, outputLocations: { ...first.outputLocations, summary: undefined } };
}

/** Returns the spaces with a folder in an entry of the structure. */
function getSpaces(given: DataValue, above: string[]): SiteSpace[] {
  const title = getTextAt(given, 'title') ?? getTextAt(given, 'key') ?? 'Untitled';
  const directory = getTextAt(given, 'content', 'directory');
  const titles = [...above, title];
  if (getTextAt(given, 'type') === 'space')
    return directory === undefined
      ? []
      : [{ titles, slug: getTextAt(given, 'path'), isDefault: getValueAt(given, 'default') === true, directory }];
  if (above.length >= maxDepth) return [];
  const children = getList(getValueAt(given, 'children'));
  const spaces = children.flatMap((each) => getSpaces(each, titles));
  if (getTextAt(given, 'type') !== 'section') return spaces;
  // The default space of a section has the section's title and path.
  const main = spaces.find(({ isDefault }) => isDefault) ?? spaces[0];
  return spaces
    .map((each) => (each === main ? { ...each, titles, slug: getTextAt(given, 'path') ?? each.slug } : each))
    .sort((one, other) => Number(other.titles === titles) - Number(one.titles === titles));
}

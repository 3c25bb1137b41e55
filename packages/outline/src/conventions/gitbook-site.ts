import { type DataValue, getList, getTextAt, getValueAt } from '../data/read-data.ts';
import type { OutlineSource } from '../frontmatter-fields.ts';
import type { Item } from '../items.ts';
import { getFolder, normalizePath, toDisplayName } from '../paths.ts';
import { SourceReader } from '../reader.ts';
import type { RepositoryProblem } from '../repository.ts';
import { readBookIn } from './books.ts';
import type { Layout } from './layout.ts';
import { getConfiguration } from './load-configuration.ts';

/** A section or a group of sections of a GitBook site. */
export interface SiteEntry {
  key: string;
  title: string;
  path?: string;
  icon?: string;
  description?: string;
}

/** A space of a GitBook site, with the section and the group of sections that contain it. */
export interface SiteFolder extends SiteEntry {
  section?: SiteEntry;
  group?: SiteEntry;
  /** Whether it is the default space of its section. */
  isDefault: boolean;
  /** The folder of its pages, with a trailing slash. Empty for the root of the source. */
  folder: string;
  /** Whether the folder has pages. */
  hasPages: boolean;
}

/** A GitBook site with several spaces, in the order of the site. */
export interface GitbookSite {
  /** The configuration file. */
  file: string;
  title?: string;
  spaces: SiteFolder[];
}

const maxDepth = 10;
const maxSpaces = 200;

/**
 * Reads the structure of a GitBook site from its configuration, including folders without pages. Returns undefined if the
 * source has no such configuration.
 */
export async function readSiteStructure(
  source: OutlineSource,
): Promise<(GitbookSite & { problems: RepositoryProblem[] }) | undefined> {
  const reader = new SourceReader({ ...source, unreadablePaths: [] });
  const site = await findSite(reader);
  return site === undefined || site.spaces.length === 0 ? undefined : { ...site, problems: reader.problems };
}

/**
 * Reads a GitBook site with several spaces as one tree. Each space becomes a group with the tree of its folder, in the
 * order of the site.
 */
export async function readGitbookSite(reader: SourceReader): Promise<Layout | undefined> {
  const site = await findSite(reader);
  if (site === undefined) return undefined;
  const layouts: Layout[] = [];
  const items: Item[] = [];
  // The default space of a section comes first.
  const spaces = site.spaces.filter(({ hasPages }) => hasPages);
  const bySection = [...Map.groupBy(spaces, (space) => space.section ?? space).values()];
  const getOrder = ({ isDefault }: SiteFolder): number => (isDefault ? 0 : 1);
  for (const space of bySection.flatMap((some) => some.sort((one, other) => getOrder(one) - getOrder(other)))) {
    const layout = await readBookIn(reader, space.folder);
    const slug = (space.isDefault && space.section?.path) || space.path;
    layouts.push(layout);
    items.push({ type: 'group', title: getFullTitle(space), ...(slug && { slug }), items: layout.items });
  }
  const [first] = layouts;
  if (first === undefined) return undefined;
  const redirects = layouts.flatMap((layout) => layout.redirects);
  const outputLocations = { ...first.outputLocations, summary: undefined };
  return { ...first, path: site.file, items, redirects, outputLocations };
}

/** Returns the title of a space with the titles of its group and section. A default space has the title of its section. */
const getFullTitle = ({ group, section, title, isDefault }: Omit<SiteFolder, 'folder' | 'hasPages'>): string =>
  [group?.title, section?.title, section !== undefined && isDefault ? undefined : title]
    .filter((each) => each !== undefined)
    .join(': ');

async function findSite(reader: SourceReader): Promise<GitbookSite | undefined> {
  const file = getConfiguration(reader, ['gitbook-docs\\.ya?ml', 'docs\\.ya?ml']);
  if (file === undefined) return undefined;
  const data = await reader.readData(file);
  const structure = getValueAt(data, 'site', 'structure');
  if (!Array.isArray(structure)) {
    reader.configuration.delete(file);
    return undefined;
  }
  const title = getTextAt(data, 'site', 'title');
  const spaces: SiteFolder[] = [];
  for (const { directory, ...space } of structure.flatMap((each) => getSpaces(each, {}))) {
    const root = normalizePath(directory.startsWith('/') ? directory : `${getFolder(file)}${directory}`);
    const folder = root === '' ? '' : `${root}/`;
    if (spaces.some((other) => other.folder === folder)) continue;
    const hasPages = reader.pages.some((path) => path.startsWith(folder));
    spaces.push({ ...space, folder, hasPages });
    if (!hasPages) {
      const fullTitle = toDisplayName(getFullTitle({ ...space, isDefault: false }));
      reader.warn(file, `The folder ${toDisplayName(directory)} of ${fullTitle} has no pages.`);
    }
  }
  if (spaces.length > maxSpaces)
    reader.problems.push({
      kind: 'failed',
      path: file,
      message: `The file has ${spaces.length} spaces, but a site can have at most ${maxSpaces}.`,
    });
  return { file, ...(title !== undefined && { title }), spaces: spaces.slice(0, maxSpaces) };
}

interface Parents {
  group?: SiteEntry;
  section?: SiteEntry;
}

/** Returns the spaces in an entry of the structure that have a folder. */
function getSpaces(
  value: DataValue,
  parents: Parents,
  depth = 0,
): (Omit<SiteFolder, 'folder' | 'hasPages'> & { directory: string })[] {
  const type = getTextAt(value, 'type');
  const entry = getEntry(value);
  const directory = getTextAt(value, 'content', 'directory');
  if (type === 'space')
    return directory === undefined
      ? []
      : [{ ...entry, ...parents, isDefault: getValueAt(value, 'default') === true, directory }];
  if (depth >= maxDepth) return [];
  const inner = type === 'section' ? { ...parents, section: entry } : { ...parents, group: entry };
  const spaces = getList(getValueAt(value, 'children')).flatMap((each) => getSpaces(each, inner, depth + 1));
  if (type !== 'section') return spaces;
  const main = spaces.find(({ isDefault }) => isDefault) ?? spaces[0];
  return spaces.map((each) => ({ ...each, isDefault: each === main }));
}

function getEntry(value: DataValue): SiteEntry {
  const [path, icon, description] = ['path', 'icon', 'description'].map((key) => getTextAt(value, key));
  const title = getTextAt(value, 'title') ?? getTextAt(value, 'key') ?? 'Untitled';
  return {
    key: getTextAt(value, 'key') ?? path ?? title,
    title,
    ...(path !== undefined && { path }),
    ...(icon !== undefined && { icon }),
    ...(description !== undefined && { description }),
  };
}

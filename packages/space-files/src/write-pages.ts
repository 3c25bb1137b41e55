import {
  type FrontmatterValue,
  findFrontmatterBlock,
  getTitle,
  mayRunCode,
  prependHeading,
  readFrontmatter,
  replaceTitleHeading,
  setFrontmatter,
  slugify,
} from '@octavo/markdown';
import {
  type OutlineSource,
  type OutputLocations,
  readRepository,
  resolveLink,
  type WantedPage,
  walkOutlineEntries,
} from '@octavo/outline';
import { defaultPageLayout, type PageLayout } from '@octavo/schema';
import { isSummary } from './file-names.ts';
import { type Present, walkPresent } from './present.ts';
import { downloadFile, type Exported, type NodeText, type SpaceContent } from './read-space.ts';
import { getRelativePath } from './relative-path.ts';
import type { Unwritable } from './shared-files.ts';

type FrontmatterValues = ReturnType<typeof readFrontmatter>['values'];

/**
 * A field of a page that differs from the frontmatter, with the path of the field in the frontmatter and the value to
 * write.
 */
interface FieldDifference {
  keys: string[];
  value: FrontmatterValue;
}

/** The location of a page's file, needed for the relative path of its cover. */
interface WrittenAt {
  path: string;
  /** Paths of all files, by item ID. */
  paths: ReadonlyMap<string, string>;
  /** IDs that the targets of the text were resolved to, by address. */
  links?: Record<string, string> | undefined;
}

/**
 * Returns the text of a page with frontmatter fields updated to the values of the page. Unchanged parts are preserved
 * byte for byte. `unwrittenFields` has the names of the fields that cannot be written to this frontmatter.
 */
function addFields(page: Present, text: string, location: WrittenAt): { text: string; unwrittenFields: string[] } {
  let markdown = text;
  let frontmatter = readFrontmatter(text).values;
  const unwrittenFields: string[] = [];
  const getRemaining = (values: FrontmatterValues) => findDifferences(page, values, location);
  // Remove fields last: removing the last field of a mapping removes the mapping, so add new fields to it first.
  const ranked = getRemaining(frontmatter).toSorted(
    (one, other) => Number(isDeletedField(one)) - Number(isDeletedField(other)),
  );
  for (const { keys, value } of ranked) {
    const name = keys.join('.');
    const next = setFrontmatter(markdown, keys, value);
    const now = next === undefined ? undefined : readFrontmatter(next).values;
    const isWritten =
      now &&
      isSameExcept(keys[0], now, frontmatter) &&
      getRemaining(now).every((difference) => difference.keys.join('.') !== name);
    if (next === undefined || now === undefined || !isWritten) unwrittenFields.push(name);
    else [markdown, frontmatter] = [next, now];
  }
  return { text: markdown, unwrittenFields };
}

const isDeletedField = ({ value }: FieldDifference): boolean => value === undefined;

/** Whether all fields except `field` are equal. The fields of a cover count as one field. */
function isSameExcept(field: string | undefined, one: FrontmatterValues, other: FrontmatterValues): boolean {
  const serializeOtherFields = ({ cover, coverY, ...values }: FrontmatterValues) =>
    JSON.stringify({ ...values, ...(!field?.startsWith('cover') && { cover, coverY }), [field ?? '']: undefined });
  const serializeSorted = (values: FrontmatterValues) =>
    serializeOtherFields(Object.fromEntries(Object.entries(values).sort()));
  return serializeSorted(one) === serializeSorted(other);
}

const texts = ['emoji', 'icon', 'description', 'condition'] as const;

function findDifferences(page: Present, frontmatter: FrontmatterValues, location: WrittenAt): FieldDifference[] {
  const { fields = {}, parent } = page;
  return [
    ...texts.flatMap((key) =>
      (frontmatter[key] || undefined) === fields[key] ? [] : [{ keys: [key], value: fields[key] as FrontmatterValue }],
    ),
    ...(frontmatter.hidden === undefined
      ? []
      : compareFlag('hidden', frontmatter.hidden, { isSet: page.hidden, isSetAbove: parent?.hidden })),
    ...(['noIndex', 'noRobotsIndex'] as const).flatMap((key) =>
      compareFlag(key, frontmatter[key], { isSet: fields[key], isSetAbove: parent?.fields?.[key] }),
    ),
    ...compareSlug(page, frontmatter),
    ...compareLayout(fields.layout, frontmatter),
    ...compareVariables(fields.variables, frontmatter),
    ...compareCover(fields.cover, frontmatter, location),
  ];
}

/**
 * Compares a flag. If a page only inherits the flag from a page above it, the flag is not written to its own
 * frontmatter.
 */
function compareFlag(
  key: string,
  value: boolean | undefined,
  { isSet = false, isSetAbove = false }: { isSet?: boolean | undefined; isSetAbove?: boolean | undefined },
): FieldDifference[] {
  return isSetAbove || isSet === (value ?? false) ? [] : [{ keys: [key], value: isSet || undefined }];
}

/**
 * Compares the slugs, ignoring a numeric suffix that avoids duplicates. A frontmatter slug with slashes is a site URL
 * and is ignored.
 */
function compareSlug({ slug }: Present, { slug: frontmatterSlug }: FrontmatterValues): FieldDifference[] {
  if (!frontmatterSlug || frontmatterSlug.includes('/')) return [];
  const normalizedSlug = slugify(frontmatterSlug);
  const isSameSlug =
    slug === normalizedSlug ||
    (slug.startsWith(`${normalizedSlug}-`) && /^\d+$/.test(slug.slice(normalizedSlug.length + 1)));
  return isSameSlug ? [] : [{ keys: ['slug'], value: slug }];
}

function compareLayout(
  layout: PageLayout | undefined,
  { layout: frontmatterLayout = {} }: FrontmatterValues,
): FieldDifference[] {
  const keys = layout === undefined ? [] : (Object.keys(defaultPageLayout) as (keyof PageLayout)[]);
  return keys.flatMap((key) => {
    const value = layout?.[key];
    if (value === (frontmatterLayout[key] ?? defaultPageLayout[key])) return [];
    return [{ keys: ['layout', key], value: value === defaultPageLayout[key] ? undefined : value }];
  });
}

function compareVariables(
  variables: FrontmatterValues['variables'] = {},
  { variables: frontmatterVariables = {} }: FrontmatterValues,
): FieldDifference[] {
  const names = new Set([...Object.keys(frontmatterVariables), ...Object.keys(variables)]);
  const getValue = (values: NonNullable<FrontmatterValues['variables']>, name: string) =>
    Object.hasOwn(values, name) ? values[name] : undefined;
  return [...names].flatMap((name) => {
    const value = getValue(variables, name);
    return value === getValue(frontmatterVariables, name) ? [] : [{ keys: ['variables', name], value }];
  });
}

type Cover = NonNullable<NonNullable<Present['fields']>['cover']>;

function compareCover(
  cover: Cover | undefined,
  { cover: frontmatterCover, coverY = 0 }: FrontmatterValues,
  location: WrittenAt,
): FieldDifference[] {
  if (cover === undefined) {
    if (frontmatterCover === undefined || mayRunCode(frontmatterCover)) return [];
    return ['cover', 'coverY'].map((key) => ({ keys: [key], value: undefined }));
  }
  const { ref, yPos } = cover;
  const coverPath = ref.kind === 'file' ? location.paths.get(ref.file) : undefined;
  const address = ref.kind === 'url' ? ref.url : coverPath && getRelativePath(location.path, coverPath);
  const isSameCover =
    frontmatterCover !== undefined &&
    (frontmatterCover === address || linksToPage(frontmatterCover, { ref, at: coverPath }, location));
  return [
    ...(isSameCover || address === undefined ? [] : [{ keys: ['cover'], value: address }]),
    ...(yPos === coverY ? [] : [{ keys: ['coverY'], value: yPos === 0 ? undefined : yPos }]),
  ];
}

/**
 * Whether an address refers to the file of a cover. An address that only the site can resolve is compared by file name.
 */
function linksToPage(
  address: string,
  { ref, at: path }: { ref: Cover['ref']; at: string | undefined },
  { path: from, paths, links = {} }: WrittenAt,
): boolean {
  if (ref.kind !== 'file' || address === ref.file) return ref.kind === 'file';
  if (Object.hasOwn(links, address)) return links[address] === ref.file;
  const targetPath = resolveLink(address, from, new Set(paths.values()));
  return targetPath === undefined ? address.split('/').at(-1) === path?.split('/').at(-1) : targetPath === path;
}

/** A page whose own title differs from the title in its text, with the functions that read that title. */
interface ListedFile {
  /** Returns the page that an import reads from the files, before the summary is changed. */
  readEntry: () => Promise<WantedPage | undefined>;
  /** Returns the text that is currently in the folder. */
  readText: () => Promise<string | undefined>;
}

/** Frontmatter fields that set the title of a page in a sidebar. */
const labels = [['sidebar_label'], ['nav_title'], ['linkTitle'], ['sidebar', 'label']];

/**
 * Returns the text of a page, edited so that an import reads the title of the page from it. Edits the element that sets
 * the title, and also a heading with the same text. Undefined if the title cannot be written.
 */
async function addTitle(
  { title, git }: Present,
  text: string,
  { titles, listedFile }: { titles: OutputLocations['titles']; listedFile: ListedFile },
): Promise<string | undefined> {
  const frontmatterTitle = readFrontmatter(text).values.title;
  const heading = getTitle(text);
  if (frontmatterTitle === title) return text;
  if (frontmatterTitle !== undefined)
    return replaceTitle(setFrontmatter(text, ['title'], title), heading === frontmatterTitle ? title : undefined);
  if (git === undefined && titles === 'frontmatter') return setFrontmatter(text, ['title'], title);
  const hasTitle = async () => readFrontmatter((await listedFile.readText()) ?? '').values.title === title;
  if (titles === 'frontmatter' && (await hasTitle())) return setFrontmatter(text, ['title'], title);
  if (heading === title) return text;
  const addTitle = () =>
    (titles === 'heading' ? prependHeading(text, title) : undefined) ?? setFrontmatter(text, ['title'], title);
  if (git === undefined) return addTitle();
  const [entry, currentTitle] = [await listedFile.readEntry(), getTitle((await listedFile.readText()) ?? '')];
  const label = entry?.title;
  if (label !== undefined) {
    const titleKeys = labels.find((keys) => findFrontmatterBlock(text)?.map.getIn(keys) === label);
    const relabelled = titleKeys && label !== title ? setFrontmatter(text, titleKeys, title) : text;
    if (heading === undefined) return currentTitle === title ? addTitle() : relabelled;
    return replaceTitle(relabelled, heading === label || currentTitle === title ? title : undefined);
  }
  if (entry === undefined || (heading === undefined && entry.fallbackTitle === title)) return text;
  return heading === undefined
    ? addTitle()
    : (replaceTitleHeading(text, title) ?? setFrontmatter(text, ['title'], title));
}

const replaceTitle = (text: string | undefined, heading: string | undefined): string | undefined =>
  text === undefined || heading === undefined ? text : (replaceTitleHeading(text, heading) ?? text);

interface Texts {
  /** Texts as stored in the space, by node ID. */
  texts: ReadonlyMap<string, NodeText>;
  /** Paths of all written files, by node ID. */
  present: ReadonlyMap<string, string>;
  target: OutlineSource;
}

/** Writes the titles and fields of pages to their files. Returns the content that the files cannot express. */
export async function writePages(
  { pages, outputLocations }: SpaceContent,
  files: Map<string, Exported>,
  { texts, present, target }: Texts,
): Promise<Unwritable[]> {
  const order = new Order(target, files);
  const unwrittenPages: Unwritable[] = [];
  const changed = new Map<string, string>();
  for (const page of walkPresent(pages)) {
    const path = present.get(page.id);
    const file = path === undefined ? undefined : files.get(path);
    if (path === undefined || file === undefined || !('text' in file)) continue;
    const { text, unwrittenFields } = addFields(page, file.text, {
      path,
      paths: present,
      links: texts.get(page.id)?.links,
    });
    const listedFile = { readEntry: () => order.findPage(path), readText: () => order.readText(path) };
    const titledText = await addTitle(page, text, { titles: outputLocations.titles, listedFile });
    if (titledText === undefined) unwrittenFields.push('title');
    const isHidden = page.hidden && page.parent?.hidden !== true && outputLocations.summary === undefined;
    const entry =
      isHidden && readFrontmatter(text).values.hidden === undefined ? await order.findPage(path) : undefined;
    const isShown = entry !== undefined && entry.hidden !== true;
    const finalText = (isShown ? setFrontmatter(titledText ?? text, ['hidden'], true) : titledText) ?? text;
    if (finalText !== file.text) changed.set(path, finalText);
    if (unwrittenFields.length > 0) unwrittenPages.push({ path, message: formatFields(unwrittenFields) });
  }
  for (const [path, text] of changed) files.set(path, { text });
  return unwrittenPages;
}

const formatFields = (fields: string[]): string =>
  `The frontmatter could not be updated for: ${fields.join(', ')}. Update it by hand.`;

/** Finds the pages that an import would read from the files. The pages are loaded on first use. */
class Order {
  readonly #target: OutlineSource;
  readonly #files: Map<string, Exported>;
  readonly #existingPaths: ReadonlySet<string>;
  #pages: Promise<Map<string, WantedPage>> | undefined;

  constructor(target: OutlineSource, files: Map<string, Exported>) {
    this.#target = target;
    this.#files = files;
    this.#existingPaths = new Set(target.paths);
  }

  async findPage(path: string): Promise<WantedPage | undefined> {
    this.#pages ??= this.#read();
    return (await this.#pages).get(path);
  }

  /** Returns the text of a file in the folder. Invalid UTF-8 is replaced. */
  async readText(path: string): Promise<string | undefined> {
    return this.#existingPaths.has(path) ? new TextDecoder().decode(await this.#target.read(path)) : undefined;
  }

  async #read(): Promise<Map<string, WantedPage>> {
    const { roots } = await readRepository(overlayFiles(this.#target, new Map(this.#files)));
    const pages = [...walkOutlineEntries(roots)].filter((entry) => entry.kind === 'page');
    return new Map(pages.flatMap((page) => (page.path === undefined ? [] : [[page.path, page]])));
  }
}

const encoder = new TextEncoder();

/**
 * Returns a folder in which the exported files replace existing ones. Summaries of the folder are not replaced, and are
 * removed from `files`.
 */
export function overlayFiles(target: OutlineSource, files: Map<string, Exported>): OutlineSource {
  const targetPaths = new Set(target.paths);
  for (const path of targetPaths) if (isSummary(path)) files.delete(path);
  const getBytes = async (path: string): Promise<Uint8Array> => {
    const exported = files.get(path);
    if (exported === undefined) return target.read(path);
    return 'text' in exported ? encoder.encode(exported.text) : downloadFile(exported.file);
  };
  const getSize = (path: string): number => {
    const exported = files.get(path);
    if (exported === undefined) return target.getSize(path);
    return 'text' in exported ? encoder.encode(exported.text).length : exported.file.size;
  };
  return {
    name: target.name,
    paths: [...new Set([...targetPaths, ...files.keys()])],
    getSize,
    read: getBytes,
  };
}

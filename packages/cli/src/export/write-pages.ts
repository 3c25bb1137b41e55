import path from 'node:path';
import {
  type FrontmatterValue,
  findFrontmatterBlock,
  getTitle,
  mayRunCode,
  readFrontmatter,
  setFrontmatter,
  slugify,
  withFirstHeading,
  withHeading,
} from '@octavo/markdown';
import {
  type OutlineSource,
  type OutputLocations,
  readRepository,
  resolveLink,
  type WantedPage,
  walkWanted,
} from '@octavo/outline';
import { defaultPageLayout, type PageLayout } from '@octavo/schema';
import { type Present, walkPresent } from '../import/present.ts';
import { isSummary } from './file-names.ts';
import { download, type Exported, type NodeText, type SpaceContent } from './read-space.ts';
import type { Unwritable } from './shared-files.ts';

type FrontmatterValues = ReturnType<typeof readFrontmatter>['values'];

/** A field of a page that differs from its frontmatter: its path in the frontmatter, and the value to write. */
interface Difference {
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
 * byte for byte. `unsaid` has the names of the fields that cannot be written to this frontmatter.
 */
function withFields(page: Present, text: string, place: WrittenAt): { text: string; unsaid: string[] } {
  let written = text;
  let said = readFrontmatter(text).values;
  const unsaid: string[] = [];
  const left = (values: FrontmatterValues) => differences(page, values, place);
  // Remove fields last: removing the last field of a mapping removes the mapping, so add new fields to it first.
  const ranked = left(said).toSorted((one, other) => Number(isGone(one)) - Number(isGone(other)));
  for (const { keys, value } of ranked) {
    const name = keys.join('.');
    const next = setFrontmatter(written, keys, value);
    const now = next === undefined ? undefined : readFrontmatter(next).values;
    const isSaid = now && sameBut(keys[0], now, said) && left(now).every((each) => each.keys.join('.') !== name);
    if (next === undefined || now === undefined || !isSaid) unsaid.push(name);
    else [written, said] = [next, now];
  }
  return { text: written, unsaid };
}

const isGone = ({ value }: Difference): boolean => value === undefined;

/** Whether no other field differs. The fields of a cover count as one. */
function sameBut(field: string | undefined, one: FrontmatterValues, other: FrontmatterValues): boolean {
  const rest = ({ cover, coverY, ...values }: FrontmatterValues) =>
    JSON.stringify({ ...values, ...(!field?.startsWith('cover') && { cover, coverY }), [field ?? '']: undefined });
  const sorted = (values: FrontmatterValues) => rest(Object.fromEntries(Object.entries(values).sort()));
  return sorted(one) === sorted(other);
}

const texts = ['emoji', 'icon', 'description', 'condition'] as const;

function differences(page: Present, said: FrontmatterValues, place: WrittenAt): Difference[] {
  const { fields = {}, parent } = page;
  return [
    ...texts.flatMap((key) =>
      (said[key] || undefined) === fields[key] ? [] : [{ keys: [key], value: fields[key] as FrontmatterValue }],
    ),
    ...(said.hidden === undefined ? [] : flag('hidden', said.hidden, { own: page.hidden, above: parent?.hidden })),
    ...(['noIndex', 'noRobotsIndex'] as const).flatMap((key) =>
      flag(key, said[key], { own: fields[key], above: parent?.fields?.[key] }),
    ),
    ...ofSlug(page, said),
    ...ofLayout(fields.layout, said),
    ...ofVariables(fields.variables, said),
    ...ofCover(fields.cover, said, place),
  ];
}

/**
 * Compares a flag. Pages inherit a flag that is set on a page above them, so it is not written to their own
 * frontmatter.
 */
function flag(
  key: string,
  said: boolean | undefined,
  { own = false, above = false }: { own?: boolean | undefined; above?: boolean | undefined },
): Difference[] {
  return above || own === (said ?? false) ? [] : [{ keys: [key], value: own || undefined }];
}

/**
 * Compares the slug, except for the number that is added to a slug in use. A slug with slashes is a URL of the site.
 */
function ofSlug({ slug }: Present, { slug: said }: FrontmatterValues): Difference[] {
  if (!said || said.includes('/')) return [];
  const own = slugify(said);
  const isOwn = slug === own || (slug.startsWith(`${own}-`) && /^\d+$/.test(slug.slice(own.length + 1)));
  return isOwn ? [] : [{ keys: ['slug'], value: slug }];
}

function ofLayout(layout: PageLayout | undefined, { layout: said = {} }: FrontmatterValues): Difference[] {
  const keys = layout === undefined ? [] : (Object.keys(defaultPageLayout) as (keyof PageLayout)[]);
  return keys.flatMap((key) => {
    const value = layout?.[key];
    if (value === (said[key] ?? defaultPageLayout[key])) return [];
    return [{ keys: ['layout', key], value: value === defaultPageLayout[key] ? undefined : value }];
  });
}

function ofVariables(
  variables: FrontmatterValues['variables'] = {},
  { variables: said = {} }: FrontmatterValues,
): Difference[] {
  const names = new Set([...Object.keys(said), ...Object.keys(variables)]);
  const valueIn = (values: NonNullable<FrontmatterValues['variables']>, name: string) =>
    Object.hasOwn(values, name) ? values[name] : undefined;
  return [...names].flatMap((name) => {
    const value = valueIn(variables, name);
    return value === valueIn(said, name) ? [] : [{ keys: ['variables', name], value }];
  });
}

type Cover = NonNullable<NonNullable<Present['fields']>['cover']>;

function ofCover(
  cover: Cover | undefined,
  { cover: said, coverY = 0 }: FrontmatterValues,
  place: WrittenAt,
): Difference[] {
  if (cover === undefined) {
    if (said === undefined || mayRunCode(said)) return [];
    return ['cover', 'coverY'].map((key) => ({ keys: [key], value: undefined }));
  }
  const { ref, yPos } = cover;
  const at = ref.kind === 'file' ? place.paths.get(ref.file) : undefined;
  const address = ref.kind === 'url' ? ref.url : at && path.posix.relative(path.posix.dirname(place.path), at);
  const isSame = said !== undefined && (said === address || linksToPage(said, { ref, at }, place));
  return [
    ...(isSame || address === undefined ? [] : [{ keys: ['cover'], value: address }]),
    ...(yPos === coverY ? [] : [{ keys: ['coverY'], value: yPos === 0 ? undefined : yPos }]),
  ];
}

/**
 * Whether an address refers to the file of a cover. An address that only the site can resolve is compared by file name.
 */
function linksToPage(
  said: string,
  { ref, at }: { ref: Cover['ref']; at: string | undefined },
  { path: from, paths, links = {} }: WrittenAt,
): boolean {
  if (ref.kind !== 'file' || said === ref.file) return ref.kind === 'file';
  if (Object.hasOwn(links, said)) return links[said] === ref.file;
  const found = resolveLink(said, from, new Set(paths.values()));
  return found === undefined ? said.split('/').at(-1) === at?.split('/').at(-1) : found === at;
}

/** Lookups for a page whose text has another title than the page. */
interface ListedFile {
  /** Returns the page that an import reads from the files, before the summary is changed. */
  wanted: () => Promise<WantedPage | undefined>;
  /** Returns the text that is currently in the folder. */
  there: () => Promise<string | undefined>;
}

/** Frontmatter fields that set the title of a page in a sidebar. */
const labels = [['sidebar_label'], ['nav_title'], ['linkTitle'], ['sidebar', 'label']];

/**
 * Returns the text of a page, edited so that an import reads the title of the page from it. Edits the element that sets
 * the title, and a heading that had the same text. Undefined if the title cannot be written.
 */
async function withTitle(
  { title, git }: Present,
  text: string,
  { titles, listed }: { titles: OutputLocations['titles']; listed: ListedFile },
): Promise<string | undefined> {
  const said = readFrontmatter(text).values.title;
  const heading = getTitle(text);
  if (said === title) return text;
  if (said !== undefined) return renamed(setFrontmatter(text, ['title'], title), heading === said ? title : undefined);
  if (git === undefined && titles === 'frontmatter') return setFrontmatter(text, ['title'], title);
  const isThere = async () => readFrontmatter((await listed.there()) ?? '').values.title === title;
  if (titles === 'frontmatter' && (await isThere())) return setFrontmatter(text, ['title'], title);
  if (heading === title) return text;
  const added = () =>
    (titles === 'heading' ? withFirstHeading(text, title) : undefined) ?? setFrontmatter(text, ['title'], title);
  if (git === undefined) return added();
  const [wanted, there] = [await listed.wanted(), getTitle((await listed.there()) ?? '')];
  const label = wanted?.title;
  if (label !== undefined) {
    const own = labels.find((keys) => findFrontmatterBlock(text)?.map.getIn(keys) === label);
    const relabelled = own && label !== title ? setFrontmatter(text, own, title) : text;
    if (heading === undefined) return there === title ? added() : relabelled;
    return renamed(relabelled, heading === label || there === title ? title : undefined);
  }
  if (wanted === undefined || (heading === undefined && wanted.fallbackTitle === title)) return text;
  return heading === undefined ? added() : (withHeading(text, title) ?? setFrontmatter(text, ['title'], title));
}

const renamed = (text: string | undefined, heading: string | undefined): string | undefined =>
  text === undefined || heading === undefined ? text : (withHeading(text, heading) ?? text);

interface Texts {
  /** Texts as stored in the space, by node ID. */
  texts: ReadonlyMap<string, NodeText>;
  /** Paths of all written files, by node ID. */
  present: ReadonlyMap<string, string>;
  target: OutlineSource;
}

/** Writes the titles and fields of pages to their files. Returns what a file cannot express. */
export async function writePages(
  { pages, places }: SpaceContent,
  files: Map<string, Exported>,
  { texts, present, target }: Texts,
): Promise<Unwritable[]> {
  const order = new Order(target, files);
  const untold: Unwritable[] = [];
  const changed = new Map<string, string>();
  for (const page of walkPresent(pages)) {
    const path = present.get(page.id);
    const file = path === undefined ? undefined : files.get(path);
    if (path === undefined || file === undefined || !('text' in file)) continue;
    const { text, unsaid } = withFields(page, file.text, { path, paths: present, links: texts.get(page.id)?.links });
    const listed = { wanted: () => order.pageOf(path), there: () => order.textAt(path) };
    const titled = await withTitle(page, text, { titles: places.titles, listed });
    if (titled === undefined) unsaid.push('title');
    const isHidden = page.hidden && page.parent?.hidden !== true && places.summary === undefined;
    const wanted = isHidden && readFrontmatter(text).values.hidden === undefined ? await order.pageOf(path) : undefined;
    const isShown = wanted !== undefined && wanted.hidden !== true;
    const written = (isShown ? setFrontmatter(titled ?? text, ['hidden'], true) : titled) ?? text;
    if (written !== file.text) changed.set(path, written);
    if (unsaid.length > 0) untold.push({ path, message: formatFields(unsaid) });
  }
  for (const [path, text] of changed) files.set(path, { text });
  return untold;
}

const formatFields = (fields: string[]): string =>
  `The frontmatter could not be updated for: ${fields.join(', ')}. Update it by hand.`;

/** The pages as an import reads them from the files, loaded on first use. */
class Order {
  readonly #target: OutlineSource;
  readonly #files: Map<string, Exported>;
  readonly #there: ReadonlySet<string>;
  #pages: Promise<Map<string, WantedPage>> | undefined;

  constructor(target: OutlineSource, files: Map<string, Exported>) {
    this.#target = target;
    this.#files = files;
    this.#there = new Set(target.paths);
  }

  async pageOf(path: string): Promise<WantedPage | undefined> {
    this.#pages ??= this.#read();
    return (await this.#pages).get(path);
  }

  /** Returns the text of a file in the folder. Invalid UTF-8 is replaced. */
  async textAt(path: string): Promise<string | undefined> {
    return this.#there.has(path) ? new TextDecoder().decode(await this.#target.read(path)) : undefined;
  }

  async #read(): Promise<Map<string, WantedPage>> {
    const { roots } = await readRepository(overlayFiles(this.#target, new Map(this.#files)));
    const pages = [...walkWanted(roots)].filter((each) => each.kind === 'page');
    return new Map(pages.flatMap((page) => (page.path === undefined ? [] : [[page.path, page]])));
  }
}

const encoder = new TextEncoder();

/**
 * Returns a folder with the exported files written over it. Summaries of the folder are not overwritten, and are
 * removed from `files`.
 */
export function overlayFiles(target: OutlineSource, files: Map<string, Exported>): OutlineSource {
  const own = new Set(target.paths);
  for (const path of own) if (isSummary(path)) files.delete(path);
  const getBytes = async (path: string): Promise<Uint8Array> => {
    const exported = files.get(path);
    if (exported === undefined) return target.read(path);
    return 'text' in exported ? encoder.encode(exported.text) : download(exported.file);
  };
  const getSize = (path: string): number => {
    const exported = files.get(path);
    if (exported === undefined) return target.sizeOf(path);
    return 'text' in exported ? encoder.encode(exported.text).length : exported.file.size;
  };
  return { name: target.name, paths: [...new Set([...own, ...files.keys()])], sizeOf: getSize, read: getBytes };
}

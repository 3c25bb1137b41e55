import path from 'node:path';
import { type FrontmatterValue, mayRunCode, readFrontmatter, setFrontmatter, slugify } from '@octavo/markdown';
import { leadsTo } from '@octavo/outline';
import { defaultPageLayout, type PageLayout } from '@octavo/schema';
import type { Present } from '../import/present.ts';

type Said = ReturnType<typeof readFrontmatter>['values'];

/** A field that a page has otherwise than its text says: its path in the frontmatter, and what it is to say. */
interface Difference {
  keys: string[];
  value: FrontmatterValue;
}

/** Where a page is written, to tell a cover by its path. */
export interface WrittenAt {
  path: string;
  /** The paths of all files, by the ids of what they hold. */
  paths: ReadonlyMap<string, string>;
  /** What the targets of the text were resolved to. */
  links?: Record<string, string> | undefined;
}

/**
 * The text of a page with the fields in its frontmatter that were set elsewhere since: what says the same stays byte for
 * byte. `unsaid` are the names of those that the frontmatter cannot say as it is written.
 */
export function withFields(page: Present, text: string, place: WrittenAt): { text: string; unsaid: string[] } {
  let written = text;
  let said = readFrontmatter(text).values;
  const unsaid: string[] = [];
  const left = (values: Said) => differences(page, values, place);
  // A mapping that holds nothing goes: what is new comes into it before.
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

/** Whether nothing but one field is otherwise; a cover has two. */
function sameBut(field: string | undefined, one: Said, other: Said): boolean {
  const rest = ({ cover, coverY, ...values }: Said) =>
    JSON.stringify({ ...values, ...(!field?.startsWith('cover') && { cover, coverY }), [field ?? '']: undefined });
  const sorted = (values: Said) => rest(Object.fromEntries(Object.entries(values).sort()));
  return sorted(one) === sorted(other);
}

const texts = ['emoji', 'icon', 'description', 'condition'] as const;

function differences(page: Present, said: Said, place: WrittenAt): Difference[] {
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

/** A page is told to have what a page above it has. */
function flag(
  key: string,
  said: boolean | undefined,
  { own = false, above = false }: { own?: boolean | undefined; above?: boolean | undefined },
): Difference[] {
  return above || own === (said ?? false) ? [] : [{ keys: [key], value: own || undefined }];
}

/** A slug that was taken has a number; one with slashes says an address of the site. */
function ofSlug({ slug }: Present, { slug: said }: Said): Difference[] {
  if (!said || said.includes('/')) return [];
  const own = slugify(said);
  const isOwn = slug === own || (slug.startsWith(`${own}-`) && /^\d+$/.test(slug.slice(own.length + 1)));
  return isOwn ? [] : [{ keys: ['slug'], value: slug }];
}

function ofLayout(layout: PageLayout | undefined, { layout: said = {} }: Said): Difference[] {
  const keys = layout === undefined ? [] : (Object.keys(defaultPageLayout) as (keyof PageLayout)[]);
  return keys.flatMap((key) => {
    const value = layout?.[key];
    if (value === (said[key] ?? defaultPageLayout[key])) return [];
    return [{ keys: ['layout', key], value: value === defaultPageLayout[key] ? undefined : value }];
  });
}

function ofVariables(variables: Said['variables'] = {}, { variables: said = {} }: Said): Difference[] {
  const names = new Set([...Object.keys(said), ...Object.keys(variables)]);
  const valueIn = (values: NonNullable<Said['variables']>, name: string) =>
    Object.hasOwn(values, name) ? values[name] : undefined;
  return [...names].flatMap((name) => {
    const value = valueIn(variables, name);
    return value === valueIn(said, name) ? [] : [{ keys: ['variables', name], value }];
  });
}

type Cover = NonNullable<NonNullable<Present['fields']>['cover']>;

function ofCover(cover: Cover | undefined, { cover: said, coverY = 0 }: Said, place: WrittenAt): Difference[] {
  if (cover === undefined) {
    if (said === undefined || mayRunCode(said)) return [];
    return ['cover', 'coverY'].map((key) => ({ keys: [key], value: undefined }));
  }
  const { ref, yPos } = cover;
  const at = ref.kind === 'file' ? place.paths.get(ref.file) : undefined;
  const address = ref.kind === 'url' ? ref.url : at && path.posix.relative(path.posix.dirname(place.path), at);
  const isSame = said !== undefined && (said === address || leadsThere(said, { ref, at }, place));
  return [
    ...(isSame || address === undefined ? [] : [{ keys: ['cover'], value: address }]),
    ...(yPos === coverY ? [] : [{ keys: ['coverY'], value: yPos === 0 ? undefined : yPos }]),
  ];
}

/** Whether an address means the file of a cover, also one that only its site understands. */
function leadsThere(
  said: string,
  { ref, at }: { ref: Cover['ref']; at: string | undefined },
  { path: from, paths, links = {} }: WrittenAt,
): boolean {
  if (ref.kind !== 'file' || said === ref.file) return ref.kind === 'file';
  if (Object.hasOwn(links, said)) return links[said] === ref.file;
  const found = leadsTo(said, from, new Set(paths.values()));
  return found === undefined ? said.split('/').at(-1) === at?.split('/').at(-1) : found === at;
}

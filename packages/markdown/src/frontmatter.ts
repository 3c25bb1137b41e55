import type { PageLayout } from '@octavo/schema';
import { coverMasks, coverSizes, Emoji, maxVariables, PageTitle, pageWidths, validate } from '@octavo/schema';
import type { YAMLMap } from 'yaml';
import { isAlias, isMap, isScalar } from 'yaml';
import { findFrontmatterBlock } from './frontmatter-block.ts';

/** The layout of a page. Missing fields are not set. */
type FrontmatterLayout = Partial<PageLayout>;

/** Page fields that a document can set; `cover` is an address or a file reference. */
type Frontmatter = {
  title?: string;
  slug?: string;
  emoji?: string;
  icon?: string;
  description?: string;
  hidden?: boolean;
  noIndex?: boolean;
  noRobotsIndex?: boolean;
  condition?: string;
  layout?: FrontmatterLayout;
  cover?: string;
  coverY?: number;
  variables?: Record<string, string | number | boolean>;
};

/**
 * Parses a YAML or TOML block of at most 64 KiB; `bodyOffset` (UTF-16 units) is the start of the body, 0 without
 * frontmatter. Never throws: known keys with unusable values are omitted and reported in `problems`. An unusable
 * condition is never met.
 */
export function readFrontmatter(markdown: string): {
  values: Frontmatter;
  bodyOffset: number;
  problems: FrontmatterProblem[];
} {
  const block = findFrontmatterBlock(markdown);
  if (!block) return { values: {}, bodyOffset: 0, problems: [] };
  const problems: FrontmatterProblem[] = [];
  if (block.reading === 'lines')
    problems.push({
      path: 'frontmatter',
      message: 'is not valid YAML, so only its lines of the form `key: value` were read',
    });
  const values: Frontmatter = readFields(block.map, 'frontmatter', { problems, readers }) ?? {};
  const isRefused = problems.some(({ path }) => path === 'frontmatter.condition');
  if (isRefused && values.condition === undefined) values.condition = 'false';
  return { values, bodyOffset: block.bodyOffset, problems };
}

/** A value that cannot be used. `path` is like 'frontmatter.title', and `message` is shown to users. */
type FrontmatterProblem = { path: string; message: string };

const NAME = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/;
const MAX_VARIABLE_LENGTH = 256;

type Scalar = string | number | boolean;
type Problems = FrontmatterProblem[];

/** Reads a value; reports a problem and returns undefined if it is unusable. */
type FrontmatterReader<T> = (node: unknown, path: string, problems: Problems) => T | undefined;

export function readFields<T extends object>(
  node: unknown,
  path: string,
  { problems, readers }: { problems: Problems; readers: { [Key in keyof T]: FrontmatterReader<T[Key]> } },
): Partial<T> | undefined {
  if (!isMap(node)) return refuse(problems, path, 'must be an object');
  const values: Partial<T> = {};
  for (const [key, value] of readEntries(node, path, problems)) {
    if (!isKeyOf(readers, key)) continue;
    const result = readers[key](value, `${path}.${key}`, problems);
    if (result !== undefined) values[key] = result;
  }
  return values;
}

function isKeyOf<T extends object>(object: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(object, key);
}

/** Returns the first entry of each key. Empty values are ignored. */
function readEntries(map: YAMLMap, path: string, problems: Problems): Map<string, unknown> {
  const entriesByKey = new Map<string, unknown>();
  for (const { key, value } of map.items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    if (entriesByKey.has(name)) refuse(problems, `${path}.${name}`, 'must not be repeated');
    else entriesByKey.set(name, value);
  }
  for (const [name, value] of entriesByKey) if (isEmpty(value)) entriesByKey.delete(name);
  return entriesByKey;
}

function isEmpty(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

function refuse(problems: Problems, path: string, message: string): undefined {
  problems.push({ path, message });
}

function getScalar(node: unknown): unknown {
  return isScalar(node) ? node.value : undefined;
}

export function createTextReader(limit = Number.POSITIVE_INFINITY): FrontmatterReader<string> {
  return (node, path, problems) => {
    if (isAlias(node)) return refuse(problems, path, 'must not be a YAML alias');
    if (!isScalar(node)) return refuse(problems, path, 'must be a string');
    const value = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
    const fault = findFault(value, limit);
    return fault === undefined ? value : refuse(problems, path, fault);
  };
}

/** Escapes in YAML can produce lone surrogates, which the check of the markdown cannot find. */
function findFault(value: string, limit: number): string | undefined {
  if (value.length > limit) return `must have at most ${limit} characters`;
  return value.isWellFormed() ? undefined : 'must be valid Unicode';
}

/** Reads a single emoji; a blank value removes it. */
export function readEmoji(node: unknown, path: string, problems: Problems): string | undefined {
  const value = createTextReader()(node, path, problems);
  if (value === undefined) return undefined;
  const result = validate(Emoji, value);
  return result.success ? result.data : refuse(problems, path, result.issues[0]?.message ?? '');
}

/** Reads a title. A blank title is ignored, and the line end of a YAML block scalar is removed. */
export function readTitle(node: unknown, path: string, problems: Problems): string | undefined {
  const value = createTextReader()(node, path, problems)?.replace(/\n$/, '');
  if (value === undefined || value.trim() === '') return undefined;
  const result = validate(PageTitle, value);
  return result.success ? result.data : refuse(problems, path, result.issues[0]?.message ?? '');
}

export function readBoolean(node: unknown, path: string, problems: Problems): boolean | undefined {
  const value = getScalar(node);
  return typeof value === 'boolean' ? value : refuse(problems, path, 'must be true or false');
}

export function readNumber(node: unknown, path: string, problems: Problems): number | undefined {
  const value = getScalar(node);
  return Number.isFinite(value) ? Number(value) : refuse(problems, path, 'must be a number');
}

export function readVisible(node: unknown, path: string, problems: Problems): boolean | undefined {
  if (!isMap(node)) return readBoolean(node, path, problems);
  const value = readEntries(node, path, problems).get('visible');
  return value === undefined ? undefined : readBoolean(value, `${path}.visible`, problems);
}

const createChoiceReader =
  <const Values extends readonly string[]>(values: Values): FrontmatterReader<Values[number]> =>
  (node, path, problems) => {
    const value = getScalar(node);
    const match = values.find((each) => each === value);
    return match ?? refuse(problems, path, `must be ${values.map((each) => `'${each}'`).join(' or ')}`);
  };

/** Reads a cover that is a flag or a mapping: whether it is visible, and for a mapping also its size and mask. */
export function readCover(node: unknown, path: string, problems: Problems): CoverLayout | undefined {
  if (!isMap(node)) return { cover: readBoolean(node, path, problems) };
  const { visible: isVisible, size, mask } = readFields(node, path, { problems, readers: coverReaders }) ?? {};
  return { cover: isVisible, coverSize: size, coverMask: mask };
}

type CoverLayout = { [Key in 'cover' | 'coverSize' | 'coverMask']?: PageLayout[Key] | undefined };

const coverReaders = {
  visible: readBoolean,
  size: createChoiceReader(coverSizes),
  mask: createChoiceReader(coverMasks),
};

export function readVariables(node: unknown, path: string, problems: Problems): Record<string, Scalar> | undefined {
  if (!isMap(node)) return refuse(problems, path, 'must be an object');
  const values: [string, Scalar][] = [];
  const variableEntries = readEntries(node, path, problems);
  if (variableEntries.size > maxVariables) return refuse(problems, path, `must have at most ${maxVariables} variables`);
  for (const [name, entry] of variableEntries) {
    const value = getScalar(entry);
    if (!NAME.test(name))
      refuse(
        problems,
        `${path}.${name.slice(0, 64)}`,
        'must start with a letter and contain only letters, digits and underscores',
      );
    else if (typeof value === 'string') {
      const fault = findFault(value, MAX_VARIABLE_LENGTH);
      if (fault === undefined) values.push([name, value]);
      else refuse(problems, `${path}.${name}`, fault);
    } else if (typeof value === 'boolean' || Number.isFinite(value)) values.push([name, value as Scalar]);
    else refuse(problems, `${path}.${name}`, 'must be a string, a number, true or false');
  }
  return Object.fromEntries(values);
}

const readers: { [Key in keyof Required<Frontmatter>]: FrontmatterReader<Required<Frontmatter>[Key]> } = {
  title: readTitle,
  slug: createTextReader(100),
  emoji: readEmoji,
  icon: createTextReader(50),
  description: createTextReader(2048),
  hidden: readBoolean,
  noIndex: readBoolean,
  noRobotsIndex: readBoolean,
  condition: createTextReader(1024),
  layout: readLayout,
  cover: createTextReader(2048),
  coverY: readNumber,
  variables: readVariables,
};

const layoutReaders = {
  width: createChoiceReader(pageWidths),
  cover: readCover,
  coverSize: createChoiceReader(coverSizes),
  coverMask: createChoiceReader(coverMasks),
  title: readVisible,
  description: readVisible,
  tableOfContents: readVisible,
  outline: readVisible,
  pagination: readVisible,
  metadata: readVisible,
  tags: readVisible,
  actions: readVisible,
  anchors: readVisible,
} satisfies Record<keyof PageLayout, FrontmatterReader<unknown>>;

function readLayout(node: unknown, path: string, problems: FrontmatterProblem[]): FrontmatterLayout | undefined {
  const layoutFields = readFields(node, path, { problems, readers: layoutReaders });
  if (layoutFields === undefined) return undefined;
  const { cover: coverFields, ...rest } = layoutFields;
  const definedFields = Object.entries({ ...coverFields, ...rest }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(definedFields);
}

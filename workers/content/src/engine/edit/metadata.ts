import type { GitSource, PageMetadata, Variables } from '@octavo/schema';
import { maxVariables } from '@octavo/schema';
import type { PageFields } from '../store/nodes.ts';
import { fault } from './change.ts';
import type { PreparedDocument } from './documents.ts';

type Metadata = { [Key in keyof PageMetadata]?: PageMetadata[Key] | undefined } & {
  git?: GitSource | undefined;
};

/** The fields of a page after a change; an empty text removes, and what the document's frontmatter says wins. */
export function mergeMetadata(
  fields: PageFields,
  change: Metadata,
  document: PreparedDocument | undefined,
): PageFields {
  const merged: Record<string, unknown> = { ...withGit(fields, change.git) };
  for (const key of ['title', 'emoji', 'icon', 'description', 'condition'] as const) {
    const value = change[key];
    if (value === '') delete merged[key];
    else if (value !== undefined) merged[key] = value;
  }
  for (const key of ['hidden', 'noIndex', 'noRobotsIndex'] as const) {
    if (change[key] === true) merged[key] = true;
    else if (change[key] === false) delete merged[key];
  }
  if (change.cover === null) delete merged.cover;
  else if (change.cover !== undefined) merged.cover = change.cover;
  if (change.layout !== undefined) merged.layout = { ...fields.layout, ...change.layout };
  if (change.variables !== undefined) merged.variables = mergeVariables(fields.variables, change.variables);
  for (const key of document?.removed ?? []) delete merged[key];
  Object.assign(merged, document?.fields, document?.title === undefined ? {} : { title: document.title });
  return merged as PageFields;
}

/** The fields of a node whose text is told to come from this source, in place of all that was told of one before. */
export function withGit<Fields extends object>(fields: Fields, git: GitSource | undefined) {
  const { gitPath: path, gitLinks: links, ...others } = fields as Fields & SourceFields;
  if (git !== undefined) return { ...others, ...sourceFields(git) };
  return {
    ...others,
    ...(path === undefined ? {} : { gitPath: path }),
    ...(links === undefined ? {} : { gitLinks: links }),
  };
}

type SourceFields = { gitPath?: string; gitLinks?: Record<string, string> };

const sourceFields = ({ path, links = {} }: GitSource): SourceFields => ({
  gitPath: path,
  ...(Object.keys(links).length === 0 ? {} : { gitLinks: links }),
});

const fieldsOfKey: Record<string, string[]> = {
  into: ['place', 'parent'],
  at: ['place', 'parent'],
  git: ['gitPath', 'gitLinks'],
  // Whether a text decides its conflicts depends on what it holds.
  document: [],
  // A change sets parts of these: it says nothing of what the other side set.
  layout: [],
  variables: [],
};

/** The fields that a change of a page sets, in itself or in the frontmatter of its document. */
export function fieldsNamedBy(change: object, document: PreparedDocument | undefined): string[] {
  const keys = Object.entries(change).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  const { title, slug, fields = {}, removed = [] } = document ?? {};
  return [
    ...keys.flatMap((key) => fieldsOfKey[key] ?? [key]),
    ...(title === undefined ? [] : ['title']),
    ...(slug === undefined ? [] : ['slug']),
    ...Object.keys(fields),
    ...removed,
  ];
}

/** The variables of a page after a change; null removes one, and a page without any has no field for them. */
function mergeVariables(before: Variables = {}, change: NonNullable<Metadata['variables']>): Variables | undefined {
  const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  if (merged.length > maxVariables) throw fault('variables', `would be more than ${maxVariables} on one page`);
  return merged.length === 0 ? undefined : (Object.fromEntries(merged) as Variables);
}

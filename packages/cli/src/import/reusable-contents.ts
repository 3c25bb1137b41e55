import { mapConcurrently } from '@octavo/client';
import { getLinks, removeAnchor } from '@octavo/markdown';
import { type Repository, resolveLink } from '@octavo/outline';
import {
  type ContentChange,
  findProblem,
  maxVariables,
  type ReusableContent as Present,
  VariableName,
  VariableValue,
} from '@octavo/schema';
import type { Api } from '../api.ts';
import type { SourceLinks } from './broken-links.ts';
import type { NamedChange } from './send-changes.ts';
import { hashBlob, type ImportProblem } from './source.ts';

export interface VariablesPlan {
  changes: NamedChange[];
  unchanged: number;
  problems: ImportProblem[];
}

/** Returns the changes that set the variables of a space to the values of the repository. Never deletes a variable. */
export function planVariables(
  variables: Repository['variables'],
  present: Readonly<Record<string, unknown>>,
): VariablesPlan {
  const all = Object.entries(variables);
  const problems = all.flatMap(([name, value]): ImportProblem[] => {
    const message = describeVariableProblem(name, value);
    return message === undefined ? [] : [{ path: getPath(name), kind: 'failed', message }];
  });
  const refusedPaths = new Set(problems.map(({ path }) => path));
  const accepted = all.filter(([name]) => !refusedPaths.has(getPath(name)));
  const changed = accepted.filter(([name, value]) => !Object.hasOwn(present, name) || present[name] !== value);
  const changes: NamedChange[] = [];
  for (let start = 0; start < changed.length; start += maxVariables) {
    const batch = changed.slice(start, start + maxVariables);
    const updated = batch.filter(([name]) => Object.hasOwn(present, name)).length;
    const path = batch.map(([name]) => getPath(name)).join(', ');
    const change = { operation: 'set_variables' as const, variables: Object.fromEntries(batch) };
    changes.push({ path, change, created: batch.length - updated, updated });
  }
  return { changes, unchanged: accepted.length - changed.length, problems };
}

const getPath = (name: string): string => `variable ${name}`;

function describeVariableProblem(name: string, value: unknown): string | undefined {
  const nameProblem = findProblem(VariableName, name);
  if (nameProblem !== undefined) return `The name ${nameProblem}.`;
  const valueProblem = findProblem(VariableValue, value);
  return valueProblem === undefined ? undefined : `The value ${valueProblem}.`;
}

const concurrency = 8;

type WantedContent = Repository['reusableContents'][number];
type Readable = Required<WantedContent>;

export interface ContentsPlan {
  changes: NamedChange[];
  unchanged: number;
}

interface Space {
  api: Api;
  spaceId: string;
  present: readonly Present[];
  importedFrom?: string | undefined;
}

/**
 * Returns the changes that make a space contain the reusable contents. Included contents precede those that include
 * them. Existing contents are matched by Git path, or by title if they have no source path.
 */
export async function planContents(
  repositoryTexts: readonly WantedContent[],
  links: SourceLinks,
  space: Space,
): Promise<ContentsPlan> {
  const readable = repositoryTexts.filter((each): each is Readable => each.file !== undefined);
  const matches = matchContents(readable, space.present);
  const texts = await readTextsWithoutIds([...matches.values()], space);
  const plan: ContentsPlan = { changes: [], unchanged: 0 };
  for (const each of sortIncludedFirst(readable, links)) {
    const present = matches.get(each);
    const change =
      present === undefined ? getInsert(each, links, space.importedFrom) : getUpdate(each, { present, links, texts });
    if (change === undefined) plan.unchanged += 1;
    else {
      const created = present === undefined ? 1 : 0;
      plan.changes.push({ path: each.path, change, created, updated: 1 - created });
    }
  }
  return plan;
}

function matchContents(texts: Readable[], present: readonly Present[]): Map<Readable, Present> {
  const byPath = new Map(present.flatMap((each) => (each.git ? [[each.git.path, each] as const] : [])));
  const loose = Map.groupBy(
    present.filter(({ git }) => git === undefined),
    ({ title }) => title,
  );
  const pairs = texts.map((each) => [each, byPath.get(each.path) ?? loose.get(each.title)?.shift()] as const);
  return new Map(pairs.flatMap(([each, match]) => (match === undefined ? [] : [[each, match] as const])));
}

/** Reads the texts of the contents that have no Git blob ID. */
async function readTextsWithoutIds(matched: Present[], { api, spaceId }: Space): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const unreadContents = matched.filter(({ git }) => git === undefined);
  await mapConcurrently(unreadContents, concurrency, async ({ id }) => {
    const { markdown = '' } = await api.getReusableContentById({ params: { spaceId, reusableContentId: id } });
    texts.set(id, markdown);
  });
  return texts;
}

const getInsert = (
  { path, title, file }: Readable,
  links: SourceLinks,
  importedFrom: string | undefined,
): ContentChange => ({
  operation: 'insert_reusable_content',
  title,
  document: { markdown: file.text },
  git: links.getGitSource(path),
  ...(importedFrom !== undefined && { importedFrom }),
});

interface ComparedContent {
  present: Present;
  links: SourceLinks;
  texts: ReadonlyMap<string, string>;
}

function getUpdate(
  { path, title, file }: Readable,
  { present, links, texts }: ComparedContent,
): ContentChange | undefined {
  const { id, git } = present;
  const isUnchanged = git === undefined ? texts.get(id) === file.text : git.oid === hashBlob(file.bytes);
  if (isUnchanged && git?.path === path && links.isKept(path, git)) return undefined;
  return {
    operation: 'update_reusable_content',
    reusableContent: id,
    title,
    document: { markdown: file.text },
    git: links.getGitSource(path),
  };
}

/**
 * Sorts contents so that each content comes after the contents that it includes, because these must exist when it is
 * written.
 */
function sortIncludedFirst(contents: Readable[], links: SourceLinks): Readable[] {
  const byPath = new Map(contents.map((each) => [each.path, each]));
  const ordered = new Set<Readable>();
  const open = new Set<Readable>();
  const stack = contents.toReversed();
  for (let each = stack.at(-1); each !== undefined; each = stack.at(-1)) {
    const includedContents = open.has(each)
      ? []
      : getIncludedFiles(each, links, byPath).flatMap((path) => byPath.get(path) ?? []);
    const before = includedContents.filter((content) => !ordered.has(content) && !open.has(content));
    open.add(each);
    if (before.length === 0) {
      stack.pop();
      ordered.add(each);
    } else stack.push(...before);
  }
  return [...ordered];
}

/** Returns the paths of the contents that a content includes, from its stored links or the addresses in its text. */
function getIncludedFiles({ path, file }: Readable, links: SourceLinks, paths: ReadonlyMap<string, unknown>): string[] {
  const resolvedLinks = links.getLinks(path);
  const includes = getLinks(file.text).filter(({ relation }) => relation === 'dependsOn');
  return includes.flatMap(({ target }) => {
    const address = removeAnchor(target);
    return (
      (Object.hasOwn(resolvedLinks, address) && resolvedLinks[address]) || (resolveLink(address, path, paths) ?? [])
    );
  });
}

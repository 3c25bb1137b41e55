import { mapConcurrently } from '@octavo/client';
import { getLinks, withoutAnchor } from '@octavo/markdown';
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
import { blobId, type ImportProblem } from './source.ts';

export interface VariablesPlan {
  changes: NamedChange[];
  unchanged: number;
  problems: ImportProblem[];
}

/** Returns the changes that set the variables of a space to the values of the repository. Never deletes a variable. */
export function planVariables(
  wanted: Repository['variables'],
  present: Readonly<Record<string, unknown>>,
): VariablesPlan {
  const all = Object.entries(wanted);
  const problems = all.flatMap(([name, value]): ImportProblem[] => {
    const message = describeVariableProblem(name, value);
    return message === undefined ? [] : [{ path: getPath(name), kind: 'failed', message }];
  });
  const refused = new Set(problems.map(({ path }) => path));
  const fit = all.filter(([name]) => !refused.has(getPath(name)));
  const changed = fit.filter(([name, value]) => !Object.hasOwn(present, name) || present[name] !== value);
  const changes: NamedChange[] = [];
  for (let start = 0; start < changed.length; start += maxVariables) {
    const some = changed.slice(start, start + maxVariables);
    const updated = some.filter(([name]) => Object.hasOwn(present, name)).length;
    const path = some.map(([name]) => getPath(name)).join(', ');
    const change = { operation: 'set_variables' as const, variables: Object.fromEntries(some) };
    changes.push({ path, change, created: some.length - updated, updated });
  }
  return { changes, unchanged: fit.length - changed.length, problems };
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
  wanted: readonly WantedContent[],
  links: SourceLinks,
  space: Space,
): Promise<ContentsPlan> {
  const readable = wanted.filter((each): each is Readable => each.file !== undefined);
  const matches = matchContents(readable, space.present);
  const texts = await readUntold([...matches.values()], space);
  const plan: ContentsPlan = { changes: [], unchanged: 0 };
  for (const each of includedFirst(readable, links)) {
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

function matchContents(wanted: Readable[], present: readonly Present[]): Map<Readable, Present> {
  const byPath = new Map(present.flatMap((each) => (each.git ? [[each.git.path, each] as const] : [])));
  const loose = Map.groupBy(
    present.filter(({ git }) => git === undefined),
    ({ title }) => title,
  );
  const found = wanted.map((each) => [each, byPath.get(each.path) ?? loose.get(each.title)?.shift()] as const);
  return new Map(found.flatMap(([each, there]) => (there === undefined ? [] : [[each, there] as const])));
}

/** Reads the texts of the contents that have no Git blob ID. */
async function readUntold(matched: Present[], { api, spaceId }: Space): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const untold = matched.filter(({ git }) => git === undefined);
  await mapConcurrently(untold, concurrency, async ({ id }) => {
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
  git: links.gitOf(path),
  ...(importedFrom !== undefined && { importedFrom }),
});

interface Compared {
  present: Present;
  links: SourceLinks;
  texts: ReadonlyMap<string, string>;
}

function getUpdate({ path, title, file }: Readable, { present, links, texts }: Compared): ContentChange | undefined {
  const { id, git } = present;
  const isSame = git === undefined ? texts.get(id) === file.text : git.oid === blobId(file.bytes);
  if (isSame && git?.path === path && links.isKept(path, git)) return undefined;
  return {
    operation: 'update_reusable_content',
    reusableContent: id,
    title,
    document: { markdown: file.text },
    git: links.gitOf(path),
  };
}

/** Sorts contents so that each one precedes those that include it: it must exist when they are written. */
function includedFirst(contents: Readable[], links: SourceLinks): Readable[] {
  const byPath = new Map(contents.map((each) => [each.path, each]));
  const ordered = new Set<Readable>();
  const open = new Set<Readable>();
  const stack = contents.toReversed();
  for (let each = stack.at(-1); each !== undefined; each = stack.at(-1)) {
    const waiting = open.has(each) ? [] : included(each, links, byPath).flatMap((path) => byPath.get(path) ?? []);
    const before = waiting.filter((content) => !ordered.has(content) && !open.has(content));
    open.add(each);
    if (before.length === 0) {
      stack.pop();
      ordered.add(each);
    } else stack.push(...before);
  }
  return [...ordered];
}

/** Returns the paths of the contents that a content includes, from its stored links or the addresses in its text. */
function included({ path, file }: Readable, links: SourceLinks, paths: ReadonlyMap<string, unknown>): string[] {
  const told = links.of(path);
  const includes = getLinks(file.text).filter(({ relation }) => relation === 'dependsOn');
  return includes.flatMap(({ target }) => {
    const address = withoutAnchor(target);
    return (Object.hasOwn(told, address) && told[address]) || (resolveLink(address, path, paths) ?? []);
  });
}

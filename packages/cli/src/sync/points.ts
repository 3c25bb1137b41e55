import { isMarkdown } from '@octavo/outline';
import type { ChangeRequest, Revision, User } from '@octavo/schema';
import type { Api } from '../api.ts';
import { gitText, runGit } from './git.ts';
import type { SyncState } from './remote.ts';

interface Author {
  name: string;
  email: string;
}

/** What a commit does with a tree: what it writes, whose bytes are read one after the other, and the paths that it takes away. */
export interface TreeChange {
  written: Map<string, { read: () => Promise<Buffer>; mode: string }>;
  removed: string[];
}

export const isNothing = ({ written, removed }: TreeChange): boolean => written.size + removed.length === 0;

export interface NewCommit {
  folder: string;
  parent: string | undefined;
  root: string;
  author: Author;
  message: string;
}

/** Writes a commit and gives it; no work tree and no branch is touched. */
export async function writeCommit(change: TreeChange, commit: NewCommit): Promise<string> {
  const { folder } = commit;
  const committer = await committerOf(folder);
  return gitText(folder, ['fast-import', '--quiet', '--force'], commands(change, commit, committer));
}

async function* commands(
  { written, removed }: TreeChange,
  { parent, root, author, message }: NewCommit,
  committer: Author,
): AsyncGenerator<string | Buffer> {
  const now = `${Math.floor(Date.now() / 1000)} +0000`;
  yield `commit refs/sync/written\nmark :1\nauthor ${signed(author)} ${now}\ncommitter ${signed(committer)} ${now}\n`;
  yield* data(Buffer.from(message));
  if (parent !== undefined) yield `from ${parent}\n`;
  for (const path of removed) yield `D ${quoted(root + path)}\n`;
  for (const [path, { read, mode }] of written) {
    yield `M ${mode} inline ${quoted(root + path)}\n`;
    yield* data(await read());
  }
  yield 'get-mark :1\n';
}

const data = (bytes: Buffer): (string | Buffer)[] => [`data ${bytes.length}\n`, bytes, '\n'];

const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;

const signed = ({ name, email }: Author): string => `${plain(name)} <${plain(email)}>`;
const plain = (text: string): string => text.replace(/[<>\p{Cc}]/gu, '').trim();

const nobody: Author = { name: 'Octavo', email: 'octavo@localhost' };

/** Who git says that commits here. */
export async function committerOf(folder: string): Promise<Author> {
  const { stdout } = await runGit(folder, ['config', '-z', '--get-regexp', '^user\\.(name|email)$']);
  const told = new Map(
    stdout
      .toString()
      .split('\0')
      .map((line) => [line.split('\n')[0], line.split('\n')[1]?.trim()]),
  );
  const [name, email] = [told.get('user.name'), told.get('user.email')];
  return name && email ? { name, email } : nobody;
}

const authorOf = ({ displayName, email, id }: User): Author => ({
  name: displayName || id,
  email: email ?? `${id}@octavo.localhost`,
});

/** As many revisions have a commit each; of more, all are one. */
const commitsAtMost = 20;
const stepsAtMost = 100;

/** What one commit brings: the revision, and what is said of it. */
export interface Point {
  id: string;
  /** Left out where nothing but what is written tells of it. */
  message: string | undefined;
  author: ReturnType<typeof authorOf> | undefined;
}

/** The revisions after a former one, the oldest first; edits between merges are one. Undefined where they are too many. */
export async function revisionsSince(
  api: Api,
  { space, revision }: { space: string; revision: string },
  head: string,
): Promise<Point[] | undefined> {
  const found: Revision[] = [];
  const query = { computed: 'false', depth: '0' } as const;
  for (let id: string | undefined = head; id !== revision; id = found.at(-1)?.parents[0]) {
    if (id === undefined || found.length === stepsAtMost) return undefined;
    found.push(await api.getRevisionById({ params: { spaceId: space, revisionId: id }, query }));
  }
  const points = found
    .toReversed()
    .filter(
      ({ mergedFrom }, index, all) =>
        mergedFrom !== undefined || all[index + 1]?.mergedFrom !== undefined || index === all.length - 1,
    );
  return points.length > commitsAtMost ? undefined : points.map(pointOf);
}

const trailerOf = (revision: string): string => `Octavo-Revision: ${revision}`;

interface Since {
  head: string;
  last: SyncState | undefined;
  own: string | undefined;
}

/** All that came since the last state, as one: where one change request was merged it is named by that, else it names all. */
export async function wholePoint(api: Api, space: string, { head, last, own }: Since): Promise<Point> {
  const merged = last === undefined ? [] : await mergedSince(api, space, { head, last, own });
  const names = merged.map(({ subject, number }) => `${subject || 'Change request'} (${number})`);
  const [only = '', ...others] = names;
  const point = { id: head, author: undefined };
  if (only === '') return { ...point, message: undefined };
  if (others.length === 0) return { ...point, message: `${only}\n\n${trailerOf(head)}` };
  const listed = names.map((name) => `- ${name}\n`).join('');
  const subject = `Octavo: ${names.length} change requests merged`;
  return { ...point, message: `${subject}\n\n${listed}\n${trailerOf(head)}` };
}

/** What people have merged since a state, the oldest first; nothing where the way to that is too long. */
async function mergedSince(
  api: Api,
  space: string,
  { head, last, own }: Since & { last: SyncState },
): Promise<ChangeRequest[]> {
  const found: ChangeRequest[] = [];
  const query = { computed: 'false', depth: '0' } as const;
  let id: string | undefined = head;
  for (let steps = 0; steps < commitsAtMost; steps += 1) {
    if (id === undefined) return [];
    if (id === last.revision) return found;
    const { mergedFrom, parents }: Revision = await api.getRevisionById({
      params: { spaceId: space, revisionId: id },
      query,
    });
    if (mergedFrom !== undefined && mergedFrom.id === last.changeRequest) return found;
    if (mergedFrom !== undefined && mergedFrom.id !== own) found.unshift(mergedFrom);
    id = parents[0];
  }
  return [];
}

/** What is written tells of itself where nothing else does. */
export function wholeMessage({ written, removed }: TreeChange, revision: string): string {
  const paths = [...written.keys(), ...removed];
  const pages = paths.filter(isMarkdown).length;
  const [count, what] = pages > 0 ? [pages, 'page'] : [paths.length, 'file'];
  return `Octavo: ${count} ${what}${count === 1 ? '' : 's'} changed\n\n${trailerOf(revision)}`;
}

function pointOf({ id, mergedFrom }: Revision): Point {
  const trailer = trailerOf(id);
  if (mergedFrom === undefined) return { id, message: `Live edits\n\n${trailer}`, author: undefined };
  const { subject, number, description, mergedBy } = mergedFrom;
  const said = description ? `${description}\n\n` : '';
  return {
    id,
    message: `${subject || `Change request ${number}`}\n\n${said}${trailer}`,
    author: mergedBy && authorOf(mergedBy),
  };
}

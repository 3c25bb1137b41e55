import { isMarkdown } from '@octavo/outline';
import type { ChangeRequest, Revision, User } from '@octavo/schema';
import type { Api } from '../api.ts';
import { runGit, runGitForText } from './git.ts';
import type { SyncState } from './remote.ts';

interface Author {
  name: string;
  email: string;
}

/** The changes of a commit: files to write, which are read one at a time, and paths to delete. */
export interface TreeChange {
  files: Map<string, { readBytes: () => Promise<Buffer>; mode: string }>;
  removed: string[];
}

export const isEmpty = ({ files, removed }: TreeChange): boolean => files.size + removed.length === 0;

export interface NewCommit {
  folder: string;
  parent: string | undefined;
  root: string;
  author: Author;
  message: string;
}

/** Writes a commit and returns its ID. Does not change any work tree or branch. */
export async function writeCommit(change: TreeChange, commit: NewCommit): Promise<string> {
  const { folder } = commit;
  const committer = await getCommitter(folder);
  return runGitForText(folder, ['fast-import', '--quiet', '--force'], createCommands(change, commit, committer));
}

async function* createCommands(
  { files, removed }: TreeChange,
  { parent, root, author, message }: NewCommit,
  committer: Author,
): AsyncGenerator<string | Buffer> {
  const now = `${Math.floor(Date.now() / 1000)} +0000`;
  yield `commit refs/sync/written\nmark :1\nauthor ${formatSignature(author)} ${now}\ncommitter ${formatSignature(committer)} ${now}\n`;
  yield* createDataCommand(Buffer.from(message));
  if (parent !== undefined) yield `from ${parent}\n`;
  for (const path of removed) yield `D ${quotePath(root + path)}\n`;
  for (const [path, { readBytes, mode }] of files) {
    yield `M ${mode} inline ${quotePath(root + path)}\n`;
    yield* createDataCommand(await readBytes());
  }
  yield 'get-mark :1\n';
}

const createDataCommand = (bytes: Buffer): (string | Buffer)[] => [`data ${bytes.length}\n`, bytes, '\n'];

const quotePath = (path: string): string => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;

const formatSignature = ({ name, email }: Author): string => `${toPlainName(name)} <${toPlainName(email)}>`;
const toPlainName = (text: string): string => text.replace(/[<>\p{Cc}]/gu, '').trim();

const nobody: Author = { name: 'Octavo', email: 'octavo@localhost' };

/** Returns the user that Git is configured to commit with in this folder, or a default. */
export async function getCommitter(folder: string): Promise<Author> {
  const { stdout } = await runGit(folder, ['config', '-z', '--get-regexp', '^user\\.(name|email)$']);
  const usersById = new Map(
    stdout
      .toString()
      .split('\0')
      .map((line) => [line.split('\n')[0], line.split('\n')[1]?.trim()]),
  );
  const [name, email] = [usersById.get('user.name'), usersById.get('user.email')];
  return name && email ? { name, email } : nobody;
}

const getAuthor = ({ displayName, email, id }: User): Author => ({
  name: displayName || id,
  email: email ?? `${id}@octavo.localhost`,
});

/**
 * `commitsAtMost` is the maximum number of commits of one sync; more changes become a single commit. `stepsAtMost` is
 * the maximum number of revisions that a sync walks back.
 */
const commitsAtMost = 20;
const stepsAtMost = 100;

/** The revision that a commit contains, with the commit's message and author. */
export interface Point {
  id: string;
  /** The message of the commit; undefined if it has to be derived from the written files. */
  message: string | undefined;
  author: ReturnType<typeof getAuthor> | undefined;
}

/**
 * Returns the revisions that follow a given revision, the oldest first. Edits between merges count as one revision.
 * Undefined if there are too many.
 */
export async function findRevisionsSince(
  api: Api,
  { space, revision }: { space: string; revision: string },
  head: string,
): Promise<Point[] | undefined> {
  const revisions: Revision[] = [];
  const query = { computed: 'false', depth: '0' } as const;
  for (let id: string | undefined = head; id !== revision; id = revisions.at(-1)?.parents[0]) {
    if (id === undefined || revisions.length === stepsAtMost) return undefined;
    revisions.push(await api.getRevisionById({ params: { spaceId: space, revisionId: id }, query }));
  }
  const points = revisions
    .toReversed()
    .filter(
      ({ mergedFrom }, index, all) =>
        mergedFrom !== undefined || all[index + 1]?.mergedFrom !== undefined || index === all.length - 1,
    );
  return points.length > commitsAtMost ? undefined : points.map(getPoint);
}

const getTrailer = (revision: string): string => `Octavo-Revision: ${revision}`;

interface RevisionRange {
  head: string;
  last: SyncState | undefined;
  ownRequest: string | undefined;
}

/**
 * Returns everything since the last state as one commit. Its subject names the merged change request; if there are
 * several, its body lists them.
 */
export async function createRangePoint(
  api: Api,
  space: string,
  { head, last, ownRequest }: RevisionRange,
): Promise<Point> {
  const merged = last === undefined ? [] : await findMergedSince(api, space, { head, last, ownRequest });
  const names = merged.map(({ subject, number }) => `${subject || 'Change request'} (${number})`);
  const [first = '', ...others] = names;
  const point = { id: head, author: undefined };
  if (first === '') return { ...point, message: undefined };
  if (others.length === 0) return { ...point, message: `${first}\n\n${getTrailer(head)}` };
  const list = names.map((name) => `- ${name}\n`).join('');
  const subject = `Octavo: ${names.length} change requests merged`;
  return { ...point, message: `${subject}\n\n${list}\n${getTrailer(head)}` };
}

/**
 * Returns the change requests that users have merged since a state, the oldest first. Empty if too many revisions
 * follow it.
 */
async function findMergedSince(
  api: Api,
  space: string,
  { head, last, ownRequest }: RevisionRange & { last: SyncState },
): Promise<ChangeRequest[]> {
  const mergedRequests: ChangeRequest[] = [];
  const query = { computed: 'false', depth: '0' } as const;
  let id: string | undefined = head;
  for (let steps = 0; steps < commitsAtMost; steps += 1) {
    if (id === undefined) return [];
    if (id === last.revision) return mergedRequests;
    const { mergedFrom, parents }: Revision = await api.getRevisionById({
      params: { spaceId: space, revisionId: id },
      query,
    });
    if (mergedFrom !== undefined && mergedFrom.id === last.changeRequest) return mergedRequests;
    if (mergedFrom !== undefined && mergedFrom.id !== ownRequest) mergedRequests.unshift(mergedFrom);
    id = parents[0];
  }
  return [];
}

/** Derives a commit message from the written files, for a commit without another message. */
export function createTreeMessage({ files, removed }: TreeChange, revision: string): string {
  const paths = [...files.keys(), ...removed];
  const pages = paths.filter(isMarkdown).length;
  const [count, noun] = pages > 0 ? [pages, 'page'] : [paths.length, 'file'];
  return `Octavo: ${count} ${noun}${count === 1 ? '' : 's'} changed\n\n${getTrailer(revision)}`;
}

function getPoint({ id, mergedFrom }: Revision): Point {
  const trailer = getTrailer(id);
  if (mergedFrom === undefined) return { id, message: `Live edits\n\n${trailer}`, author: undefined };
  const { subject, number, description, mergedBy } = mergedFrom;
  const prefix = description ? `${description}\n\n` : '';
  return {
    id,
    message: `${subject || `Change request ${number}`}\n\n${prefix}${trailer}`,
    author: mergedBy && getAuthor(mergedBy),
  };
}

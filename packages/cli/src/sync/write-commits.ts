import type { User } from '@octavo/schema';
import { gitText, runGit } from './git.ts';

export interface Author {
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

export const authorOf = ({ displayName, email, id }: User): Author => ({
  name: displayName || id,
  email: email ?? `${id}@octavo.localhost`,
});

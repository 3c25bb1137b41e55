import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../failure.ts';
import { runGit } from './git.ts';
import { PlainFolder } from './plain-folder.ts';
import { requireCommitted } from './work-tree.ts';

/** Where a repository is, as git takes it; `top` where that is a work tree here, `plain` a folder here that is in none. */
export interface Address {
  address: string;
  top?: string;
  plain?: PlainFolder;
}

const isElsewhere = (given: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(given) || /^[\w.-]+@[\w.-]+:/.test(given);

/** An address of another machine as it is, and of a folder here its whole path. @throws Failure, also where a work tree has changes that are not committed */
export async function addressOf(given: string): Promise<Address> {
  if (isElsewhere(given)) return { address: given };
  if (given.startsWith('-')) throw new Failure(`${given} is no repository.`);
  const folder = path.resolve(given);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw new Failure(`There is no folder ${given}.`);
  const { code, stdout } = await runGit(folder, ['rev-parse', '--show-toplevel']);
  if (code !== 0) {
    if ((await runGit(folder, ['rev-parse', '--is-bare-repository'])).code === 0) return { address: folder };
    const plain = await PlainFolder.of(await realpath(folder));
    return { address: plain.address, plain };
  }
  const top = stdout.toString().trim();
  if (top === '') return { address: folder };
  const inside = path.relative(top, await realpath(folder));
  if (inside !== '')
    throw new Failure(
      `${given} is a folder of the repository ${top}: name that, and the folder with --root ${inside}.`,
    );
  await requireCommitted(top, given);
  return { address: top, top };
}

/** A folder of a repository with a slash at its end, empty for all of it. @throws Failure */
export function rootOf(root = ''): string {
  const parts = root.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new Failure(`The folder ${root} is outside of the repository.`);
  return parts.map((part) => `${part}/`).join('');
}

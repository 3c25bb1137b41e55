import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './octavo.ts';

const run = promisify(execFile);

/** The bytes that lie at each path of a tree. */
export type Files = Map<string, Buffer>;

/** A bare repository that is written and read without a work tree: two processes for each. */
export class GitSide {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(files: Files): Promise<GitSide> {
    const side = new GitSide(path.join(await temporaryFolder(), 'bare.git'));
    await run('git', ['init', '-q', '--bare', '-b', 'main', side.folder]);
    await side.commit(files, 'first');
    return side;
  }

  async #git(args: string[], input: Buffer = Buffer.alloc(0)): Promise<Buffer> {
    const running = run('git', ['-C', this.folder, ...args], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
    // What git does not read is not needed: its exit says what was wrong.
    running.child.stdin?.on('error', () => {}).end(input);
    return (await running).stdout;
  }

  /** Writes the branch anew: all of its files are those given. */
  async commit(files: Files, message: string): Promise<void> {
    const quoted = (name: string) => `"${name.replace(/["\\]/g, '\\$&')}"`;
    const data = (bytes: Buffer) => [Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')];
    const parts = [
      Buffer.from('commit refs/heads/main\ncommitter Ann <ann@example.com> 0 +0000\n'),
      ...data(Buffer.from(message)),
      Buffer.from(message === 'first' ? '' : 'from refs/heads/main^0\ndeleteall\n'),
    ];
    for (const [name, bytes] of files) parts.push(Buffer.from(`M 100644 inline ${quoted(name)}\n`), ...data(bytes));
    await this.#git(['fast-import', '--quiet', '--date-format=raw'], Buffer.concat(parts));
  }

  async read(): Promise<Files> {
    const listed = (await this.#git(['ls-tree', '-r', '-z', 'main'])).toString().split('\0').filter(Boolean);
    const entries = listed.map((line) => /^\d+ \w+ (\w+)\t(.*)$/s.exec(line)?.slice(1) ?? []);
    const all = await this.#git(['cat-file', '--batch'], Buffer.from(entries.map(([oid]) => `${oid}\n`).join('')));
    const files: Files = new Map();
    let at = 0;
    for (const [, name = ''] of entries) {
      const start = all.indexOf(10, at) + 1;
      const size = Number(all.subarray(at, start).toString().split(' ')[2]);
      files.set(name, all.subarray(start, start + size));
      at = start + size + 1;
    }
    return files;
  }
}

import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryFolder } from './octavo.ts';

const run = promisify(execFile);

/** File contents by path. */
export type Files = Map<string, Buffer>;

/** A bare repository that is read and written without a work tree, which takes fewer git processes. */
export class GitSide {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(files: Files): Promise<GitSide> {
    const side = new GitSide(path.join(await createTemporaryFolder(), 'bare.git'));
    await run('git', ['init', '-q', '--bare', '-b', 'main', side.folder]);
    await side.commit(files, 'first');
    return side;
  }

  async #git(args: string[], input: Buffer = Buffer.alloc(0)): Promise<Buffer> {
    const running = run('git', ['-C', this.folder, ...args], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
    // Ignore errors when git stops reading its input. The exit code reports the failure.
    running.child.stdin?.on('error', () => {}).end(input);
    return (await running).stdout;
  }

  /** Replaces all files of the branch with the given ones in one commit. */
  async commit(files: Files, message: string): Promise<void> {
    const quoteName = (name: string) => `"${name.replace(/["\\]/g, '\\$&')}"`;
    const data = (bytes: Buffer) => [Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')];
    const parts = [
      Buffer.from('commit refs/heads/main\ncommitter Ann <ann@example.com> 0 +0000\n'),
      ...data(Buffer.from(message)),
      Buffer.from(message === 'first' ? '' : 'from refs/heads/main^0\ndeleteall\n'),
    ];
    for (const [name, bytes] of files) parts.push(Buffer.from(`M 100644 inline ${quoteName(name)}\n`), ...data(bytes));
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

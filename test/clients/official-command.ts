import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createTemporaryFolder } from '../cli/octavo.ts';
import { platform } from '../support/platform.ts';

const program = path.join(path.dirname(createRequire(import.meta.url).resolve('@gitbook/cli/package.json')), 'cli.js');

interface Run {
  /** The working directory. */
  folder?: string;
  env?: Record<string, string>;
  /** Text to type once the output contains a question mark. */
  answer?: string;
  /** The command gets SIGINT once its output contains this text. */
  interruptAt?: string;
}

interface Printed {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Prepares the official command line as after its installation: a separate home directory and no signed-in user. */
export async function installOfficialCommand() {
  const home = await createTemporaryFolder();
  const own = { HOME: home, XDG_CONFIG_HOME: path.join(home, '.config'), TMPDIR: home };

  async function runGitbook(
    args: string[],
    { folder = home, env, answer: input, interruptAt }: Run = {},
  ): Promise<Printed> {
    const child = spawn(process.execPath, ['--no-warnings', program, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...own, ...env },
    });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        printed[name] += chunk;
        if (input !== undefined && printed.stdout.includes('?')) child.stdin.end(input);
        if (interruptAt !== undefined && printed.stdout.includes(interruptAt)) child.kill('SIGINT');
      });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...printed };
  }

  const signIn = (token: string) => runGitbook(['auth', '--token', token, '--endpoint', platform().url]);
  return { gitbook: runGitbook, signIn };
}

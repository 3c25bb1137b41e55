import { execFile } from 'node:child_process';
import { Failure } from '../failure.ts';

const longestMilliseconds = 10_000;
const needed = 'The platform calls the fetch of what a script exports by default, as defineIntegration makes it.';

/** Loads what it is given and says what it exports by default. What cannot be loaded outside the platform says nothing. */
const probe = `
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) text += part;
  const has = (value) => typeof (typeof value === 'function' ? value.prototype : value)?.fetch === 'function';
  const found = await import('data:text/javascript;base64,' + Buffer.from(text).toString('base64')).then(
    (module) => (!('default' in module) ? 'no default' : has(module.default) ? 'fetch' : 'no fetch'),
    () => 'unknown');
  process.stdout.write('\\n' + found, () => process.exit());`;

/** In a process that has neither files, nor programs, nor our environment: the script may be anybody's. */
const look = (script: string): Promise<string> =>
  new Promise((resolve) => {
    const args = ['--permission', '--no-warnings', '--input-type=module', '--eval', probe];
    const options = { env: {}, timeout: longestMilliseconds };
    const child = execFile(process.execPath, args, options, (error, stdout) =>
      resolve(error ? 'unknown' : (stdout.split('\n').at(-1) ?? '')),
    );
    // It may end before it has read all.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(script);
  });

/** That a script exports what the platform calls. @throws Failure */
export async function requireFetch(script: string, file: string): Promise<void> {
  const found = await look(script);
  if (found === 'no default') throw new Failure(`The script ${file} has no default export. ${needed}`);
  if (found === 'no fetch') throw new Failure(`The default export of the script ${file} has no fetch. ${needed}`);
}

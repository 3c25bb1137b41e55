import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { listUsages, octavo, writeTree } from './octavo.ts';

async function getScript(shell: string): Promise<string> {
  const { code, stdout, stderr } = await octavo({}, 'completion', shell);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Loads the script in bash, and returns its suggestions for the last word of each line. */
async function completeInBash(lines: string[]): Promise<string[]> {
  const driver = `source "$(dirname "$0")/octavo.bash"
while IFS= read -r line; do
  IFS=' ' read -r -a COMP_WORDS <<< "$line"
  if [[ $line == *' ' ]]; then COMP_WORDS+=(''); fi
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _octavo
  echo "\${COMPREPLY[*]}"
done
complete -p octavo`;
  const folder = await writeTree({ 'octavo.bash': await getScript('bash'), 'driver.bash': driver });
  const started = promisify(execFile)('bash', ['--norc', path.join(folder, 'driver.bash')]);
  started.child.stdin?.end(`${lines.join('\n')}\n`);
  const { stdout, stderr } = await started;
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

test('bash completes commands, subcommands, options and their values', async () => {
  const cases = {
    'octavo sy': 'sync',
    'octavo --v': '--version',
    'octavo change-request ': 'create list show diff merge',
    'octavo change-request me': 'merge',
    'octavo jobs ': '--deployment --env --json --help replay',
    'octavo sync . --f': '--from',
    'octavo sync . --from ': 'repository space',
    'octavo change-request list --status m': 'merged',
    'octavo webhook test x --o': '--organization',
    // No suggestions, so that bash completes file names.
    'octavo import ': '',
    'octavo import docs --assets ': '',
    'octavo unknown ': '',
  };
  const suggestions = await completeInBash(Object.keys(cases));
  expect(suggestions).toEqual([...Object.values(cases), 'complete -o default -F _octavo octavo']);
});

test('bash suggests every option of every command', async () => {
  const usages = [...(await listUsages())];
  const suggestions = await completeInBash(usages.map(([name]) => `octavo ${name} --`));
  for (const [index, [, usage]] of usages.entries()) {
    const options = [...[...usage.matchAll(/--[a-z-]+/g)].map(([option]) => option), '--help'];
    expect(suggestions[index]?.split(' ')).toEqual(options);
  }
});

test('the scripts for zsh and fish contain every command and option', async () => {
  const [zsh, fish] = [await getScript('zsh'), await getScript('fish')];
  expect(zsh).toMatch(/^#compdef octavo\n/);
  for (const [name, usage] of await listUsages()) {
    const line = zsh.split('\n').find((each) => each.startsWith(`    '${name}') `)) ?? '';
    for (const [option] of usage.matchAll(/--[a-z-]+/g)) {
      expect(line).toContain(`${option}[`);
      expect(fish).toContain(`-n '__octavo_command ${name}' -l ${option.slice(2)} `);
    }
  }
});

test('lists the supported shells for an unknown one', async () => {
  expect(await octavo({}, 'completion', 'tcsh')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'octavo: The shell tcsh is not supported. Use one of: bash, zsh, fish.\n',
  });
});

import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { platform } from '../support/platform.ts';
import { createTemporaryFolder, octavo } from './octavo.ts';

const commands = [
  ['token', '--email', `user-${randomUUID()}@example.test`],
  ['jobs'],
  ['jobs', 'replay', '--all'],
  ['search', 'rebuild', 'spc_none'],
];

describe.each(commands.map((command) => [command.join(' '), command] as const))('octavo %s', (_, command) => {
  test('prints the data folder that it uses', async () => {
    const { dataDir } = platform();
    const { stdout, stderr } = await octavo({ OCTAVO_DATA: dataDir }, ...command);

    expect(stderr.split('\n')[0]).toBe(`Data: ${dataDir}`);
    expect(stdout).not.toContain('Data:');
  });

  test('does not create a data folder, not even inside another one', async () => {
    const folder = await createTemporaryFolder();
    await mkdir(path.join(folder, 'nested', 'state'), { recursive: true });
    const { code, stdout, stderr } = await octavo({ OCTAVO_DATA: folder }, ...command);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `octavo: ${folder} contains no Octavo data. Set OCTAVO_DATA to your data folder, or start Octavo with npm ` +
        'start.\n',
    );
    expect(await readdir(folder)).toEqual(['nested']);
  });
});

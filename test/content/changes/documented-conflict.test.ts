import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { clientOf } from '../space-client.ts';

const page = path.resolve(import.meta.dirname, '../../../docs/guides/change-requests.md');
const call = `octavo_api() { curl -sS -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; echo; }`;

test('the documented example of resolving a conflict works', async () => {
  const example = /\n```sh\n([\s\S]*?)```\n/.exec(await readFile(page, 'utf8'))?.[1] ?? '';
  const server = platform();
  const space = await server.makeSpace();
  const { stdout } = await promisify(execFile)('bash', ['-euc', `${call}\n${example}`], {
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      API: `${server.url}/v1`,
      SPACE: space.id,
      TOKEN: space.token,
    },
  });
  const answers = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

  const title = expect.objectContaining({ kind: 'page', field: 'title' });
  expect(answers.slice(-5)).toMatchObject([
    { result: 'conflicts', conflicts: [title] },
    { error: { code: 409, conflicts: [title] } },
    { conflicts: [title] },
    {},
    { result: 'merge' },
  ]);
  expect((await clientOf(server, space).pages()).map((each) => each.title)).toEqual(['My names']);
});

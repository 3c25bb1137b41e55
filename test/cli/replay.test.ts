import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commandLine, temporaryFolder } from './octavo.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const history = [
  { start: { 'a.md': '# A\n', 'A.md': '# Other A\r\n', 'src/x y.txt': '' } },
  {
    commit: '1',
    changes: [
      { path: 'a.md', content: 'lost' },
      { path: 'a.md', content: '# A\nmore' },
    ],
  },
  { commit: '2', changes: [] },
  {
    commit: '3',
    changes: [
      { path: 'A.md', content: null },
      { path: 'none.md', content: null },
      { path: 'b/é.md', content: 'é' },
    ],
  },
  { commit: '4', changes: [{ path: 'A.md', content: '# Back\n' }] },
];
const end = { 'a.md': '# A\nmore', 'A.md': '# Back\n', 'src/x y.txt': '', 'b/é.md': 'é' };

async function fileOf(lines: unknown[]): Promise<string> {
  const file = path.join(await temporaryFolder(), 'history.jsonl');
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const commitsOf = (texts: Record<string, string>) => [
  { start: {} },
  { commit: '1', changes: Object.entries(texts).map(([path, content]) => ({ path, content })) },
];

const endLine = (texts: Record<string, string>) => ({
  end: Object.fromEntries(Object.entries(texts).map(([file, text]) => [file, sha256(text)])),
});

test('a history ends as its last line says', async () => {
  const { replay } = await commandLine();
  const { code, stdout } = await replay(await fileOf([...history, endLine(end)]));
  expect(stdout).toContain('4 change requests merged, 1 skipped, 4 files');
  expect(stdout).toContain('The end matches.');
  expect(code).toBe(0);
});

test('a path with control characters or of nothing but white space is a page too', async () => {
  const { replay } = await commandLine();
  const texts = { 'a\tb.md': 'a', ' ': 'b', '\u0001': 'c' };
  const { code, stdout } = await replay(await fileOf([...commitsOf(texts), endLine(texts)]));
  expect(stdout).toContain('The end matches.');
  expect(code).toBe(0);
});

test('an end that differs is exit code 1 and the first difference', async () => {
  const { replay } = await commandLine();
  const { code, stdout } = await replay(await fileOf([...history, endLine({ ...end, 'a.md': 'else' })]));
  expect(stdout).toContain(`a.md: expected ${sha256('else')}, found ${sha256(end['a.md'])}`);
  expect(code).toBe(1);
});

test('a file without an end is refused in one sentence', async () => {
  const { replay } = await commandLine();
  const { code, stderr } = await replay(await fileOf(history));
  expect(stderr).toMatch(/^The last line of .* has no end, so the file is not whole\.\n$/);
  expect(code).toBe(1);
});

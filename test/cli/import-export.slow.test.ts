import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createCommandLine, createTemporaryFolder, findSpaceId, readMarkdown, writeTree } from './octavo.ts';

/** A large book if it is on this machine, otherwise the product's documentation. */
const books = ['../../../shared/data/rust-book/src', '../../docs'].map((at) => path.resolve(import.meta.dirname, at));
const book = books.find((folder) => existsSync(folder)) ?? '';
const summary = `# Summary

- [Welcome](README.md)
  - [Été \\[1\\]](guide/%C3%A9t%C3%A9.md)
    - [Draft]()

## Reference

- [Windows](guide/crlf.md)
- [Site](https://example.com/a?b=1#c)
- [Welcome again](README.md#top)
`;
const files = {
  'SUMMARY.md': summary,
  'README.md': '---\ntitle: From the frontmatter\n---\n# Hello\n',
  'guide/été.md': '\ufeff# No final newline',
  'guide/crlf.md': '# Windows\r\n\r\ntext\r\n',
  'guide/unlisted.md': 'no heading\n',
};

test('imports and exports a tree byte for byte, and importing it again changes nothing', async () => {
  const { octavo } = await createCommandLine();
  const folder = await writeTree(files);
  const imported = await octavo('import', folder, '--space', 'new');
  expect(imported).toMatchObject({ code: 0, stderr: expect.stringContaining('Importing') });
  expect(imported.stdout).toContain('8 created, 0 updated, 0 unchanged, 0 failed');
  const space = findSpaceId(imported.stdout);

  const out = path.join(await createTemporaryFolder(), 'out');
  expect(await octavo('export', space, out)).toMatchObject({ code: 0 });
  const { 'SUMMARY.md': _, ...before } = await readMarkdown(folder);
  const { 'SUMMARY.md': written, ...after } = await readMarkdown(out);
  expect(after).toEqual(before);
  expect(written).toBe(Buffer.from(summary).toString('latin1'));

  for (const again of [folder, out]) {
    expect((await octavo('import', again, '--space', space)).stdout).toContain('No changes');
  }
  await writeFile(path.join(out, 'guide/crlf.md'), '# Windows\n');
  expect((await octavo('import', out, '--space', space)).stdout).toContain(
    '0 created, 1 updated, 7 unchanged, 0 failed',
  );
});

test('reports a file that is not text and a rejected page, and imports all others', async () => {
  const { octavo } = await createCommandLine();
  const refused = `${`${'long'.repeat(52)}/`.repeat(5)}bad.md`;
  const folder = await writeTree({ 'good.md': '# Good\n', [refused]: '# Bad\n' });
  await writeFile(path.join(folder, 'binary.md'), Uint8Array.of(0xff, 0xfe, 0x00));
  const { code, stdout, stderr } = await octavo('import', folder, '--space', 'new');
  expect(stderr).toContain('binary.md: The file is not valid UTF-8.');
  expect(stderr).toContain('bad.md: git.path');
  expect(stdout).toContain('6 created, 0 updated, 0 unchanged, 2 failed');
  expect(code).toBe(1);
});

test('reports an unknown option with exit code 2', async () => {
  const { octavo } = await createCommandLine();
  const { code, stderr } = await octavo('import', '--nope');
  expect(code).toBe(2);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('imports a real book completely and exports it byte for byte', async () => {
  const { octavo } = await createCommandLine();
  const { 'SUMMARY.md': source = '', ...before } = await readMarkdown(book);
  const imported = await octavo('import', book, '--space', 'new');
  expect(imported.stdout).toContain(' created, 0 updated, 0 unchanged, 0 failed');
  const out = await createTemporaryFolder();
  const exported = await octavo('export', findSpaceId(imported.stdout), out);
  const pages = Object.keys(before).length;
  expect(exported.stdout).toMatch(new RegExp(`^Wrote ${pages} pages(, [1-9]\\d* files)? and SUMMARY\\.md to `));
  const { 'SUMMARY.md': written = '', ...after } = await readMarkdown(out);
  expect(after).toEqual(before);
  const listSummaryEntries = (text: string) =>
    [...text.matchAll(/^( *)(?:- )?\[.*\]\((.*)\)$/gm)].map(([, indent, file]) => `${indent}${file}`);
  expect(listSummaryEntries(written)).toEqual(listSummaryEntries(source));
});

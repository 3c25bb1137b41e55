import { expect, test } from 'vitest';
import { createCommandLine, findSpaceId, getOutline, writeTree } from './octavo.ts';

const names = ['intro', 'a', 'b', 'c', 'd', 'e'];
const pages = Object.fromEntries(names.map((name) => [`${name}.md`, `# Heading of ${name}\n`]));

/** Imports a SUMMARY.md with these lines and the files that it lists. Returns the outline of the space. */
async function importSummary(...lines: string[]): Promise<string[]> {
  const { octavo, token } = await createCommandLine();
  const written = lines.join('\n');
  const files = Object.fromEntries(Object.entries(pages).filter(([file]) => written.includes(file)));
  const folder = await writeTree({ ...files, 'SUMMARY.md': written });
  const { code, stdout, stderr } = await octavo('import', folder, '--space', 'new');
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expect.stringContaining(' 0 failed') });
  expect((await octavo('import', folder, '--space', findSpaceId(stdout))).stdout).toContain('No changes');
  return getOutline({ token }, findSpaceId(stdout));
}

test('mdBook: prefix chapters, parts with #, drafts, separators and suffix chapters', async () => {
  const outline = await importSummary(
    ...['# Summary', '', '[Preface](intro.md)', '', '# Part one', '', '- [A](a.md)', '    - [Draft]()'],
    ...['        - [B](b.md)', '- [C](c.md)', '', '---', '', '# Part two', '- [D](d.md)', '---', '[E](e.md)', ''],
  );
  expect(outline).toEqual(['Preface', '# Part one', '  A', '    Draft', '      B', '  C', '# Part two', '  D', 'E']);
});

test('GitBook: parts with ##, * bullets, links to other sites and to a listed page', async () => {
  const outline = await importSummary(
    ...['# Table of contents', '', '* [Preface](intro.md)', '', '## Use it', '', '* [A](a.md)', '  * [B](b.md)'],
    ...['* [Site](https://example.com/?a=b)', '* [A again](a.md#section)', '', '## Empty part', ''],
  );
  expect(outline).toEqual(['Preface', '# Use it', '  A', '    B', '  > Site', '  > A again', '# Empty part']);
});

test('lists nest by tabs, by four spaces and by the width of a number', async () => {
  const outline = await importSummary(
    ...['# Summary', '1. [A](a.md)', '\t1. [B](b.md)', '\t\t- [C](c.md)', '10) [D](d.md)', '    + [E](e.md)'],
    '    + [Preface](intro.md)',
  );
  expect(outline).toEqual(['A', '  B', '    C', 'D', '  E', '  Preface']);
});

test('ignores CRLF, a byte order mark and a missing final newline', async () => {
  expect(
    await importSummary('\ufeff# Summary\r\n\r\n* [A](a.md)\r\n    * [B](b.md)\r\n\r\n## Part\r\n\r\n* [C](c.md)'),
  ).toEqual(['A', '  B', '# Part', '  C']);
});

test('titles with brackets, backticks, emphasis and escapes become plain text', async () => {
  const outline = await importSummary(
    ...['# Summary', '- [`Vec<T>` and [slices]](a.md)', '- [Escaped \\[x\\] \\*y\\*](b.md "A title")'],
    ...['- [**Bold** and _italic_ snake_case](<c.md>)', '- [`` a`b ``](./d.md)', '- [A &amp; B](e.md)'],
  );
  const plain = ['Vec<T> and [slices]', 'Escaped [x] *y*', 'Bold and italic snake_case', 'a`b', 'A & B'];
  expect(outline).toEqual(plain);
});

test('cleans titles with control characters', async () => {
  const outline = await importSummary(
    ...['# Summary', '## A&#9;part', '- [&#32;&#1;](a.md)', '- [B&#9;b](b.md)', '- [&#9;](https://example.com/)'],
    ...['- [&#1;](a.md)', '- [&#9;]()', '## &#1;', '- [C](c.md)'],
  );
  expect(outline).toEqual([
    ...['# A part', '  Heading of a', '  B b', '  > https://example.com/', '  > a', '  Untitled', '# Untitled', '  C'],
  ]);
});

test('adds unlisted pages as hidden pages at the end', async () => {
  const outline = await importSummary('- [A](a.md)', '<!-- b.md c.md -->');
  expect(outline).toEqual(['A', '- Heading of b', '- Heading of c']);
});

test('reports a missing file in the summary, and creates a group if the entry has children', async () => {
  const { octavo, token } = await createCommandLine();
  const folder = await writeTree({
    'SUMMARY.md': '- [Gone](gone.md)\n  - [A](a.md)\n- [Lost](lost.md)\n',
    'a.md': 'a',
  });
  const { code, stdout, stderr } = await octavo('import', folder, '--space', 'new');
  expect(stderr).toContain(
    'warning: SUMMARY.md: The entry Gone names gone.md, which does not exist. It was imported as a group.',
  );
  expect(code).toBe(0);
  expect(await getOutline({ token }, findSpaceId(stdout))).toEqual(['# Gone', '  A']);
});

test('reports a summary that is not text', async () => {
  const { octavo } = await createCommandLine();
  const folder = await writeTree({ 'SUMMARY.md': Uint8Array.of(0x23, 0x20, 0xe9), 'a.md': 'a' });
  const { code, stdout, stderr } = await octavo('import', folder, '--space', 'new');
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'octavo: SUMMARY.md: The file is not valid UTF-8.\n',
  });
});

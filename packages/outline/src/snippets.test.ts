import { expect, test } from 'vitest';
import { readFiles } from './read-texts.ts';

test('imports included files as reusable content, reports missing ones, and reads nothing outside the folder', async () => {
  const outline = await readFiles({
    'mkdocs.yml': 'site_name: x\n',
    'docs/index.md': '--8<-- "docs/code/a.py:2:3"\n--8<-- "b.rs"\n--8<-- "../../etc/passwd"\n--8<-- "c.rs"\n[c](c.rs)',
    'docs/code/a.py': '# --8<-- "d.txt"',
    'docs/code/d.txt': 'd',
    'docs/b.rs': 'b',
    'docs/c.rs': 'c',
    'docs/e.rs': 'e',
  });

  expect(outline.reusableContents.map(({ path, title }) => [path, title])).toEqual([
    ['docs/code/a.py', 'a.py'],
    ['docs/b.rs', 'b.rs'],
  ]);
  expect(outline.files).toEqual(['mkdocs.yml', 'docs/c.rs']);
  expect(Object.fromEntries(outline.resolvedTargets)).toEqual({
    'docs/index.md': { 'docs/code/a.py': 'docs/code/a.py', 'b.rs': 'docs/b.rs', 'c.rs': 'docs/c.rs' },
  });
  expect(outline.messages).toEqual([
    'warning docs/index.md: It includes a part of docs/code/a.py, which the file does not have.',
    'warning docs/index.md: It includes ../../etc/passwd, which does not exist.',
    'warning docs/index.md: It includes docs/c.rs, which is a file of its own. The include is shown as it is written.',
    'skipped docs/code/d.txt: Skipped, because it is not a page or an image and no page links to it.',
    'skipped docs/e.rs: Skipped, because it is not a page or an image and no page links to it.',
  ]);
});

test('markdown files that other files include, at any level, are not pages', async () => {
  const outline = await readFiles({
    'book.toml': '[book]\ntitle = "x"\n',
    'src/SUMMARY.md': '- [A](a.md)\n- [B](b.md)\n',
    'src/a.md': '{{#include part.md}} {{#include b.md}}\n```\n{{#include ../code/x.rs:one}}\n```',
    'src/b.md': 'B',
    'src/part.md': '[b](b.md) {{#include inner.md}}',
    'src/inner.md': 'Inner {{#include part.md}}',
    'code/x.rs': '// ANCHOR: one\n1\n// ANCHOR_END: one',
  });

  expect(outline.tree).toEqual(['A src/a.md', 'B src/b.md']);
  expect(outline.reusableContents.map(({ path }) => path)).toEqual(['src/part.md', 'code/x.rs', 'src/inner.md']);
  expect(outline.messages).toEqual([
    'warning src/a.md: It includes src/b.md, which is a page of its own. The include is shown as it is written.',
  ]);
});

test('imports a markdown file that a page imports as reusable content, and reports a missing one', async () => {
  const outline = await readFiles({
    'docusaurus.config.js': 'module.exports = { presets: [["classic", {}]] };',
    'docs/a.mdx':
      "import Note from './_note.mdx'\nimport Chart from './chart.jsx'\nimport Gone from '@site/docs/_gone.md'\n\n<Note />\n<Gone />\n<Chart a=\"1\">x</Chart> <Tabs></Tabs> `<Code2 />`\n```jsx\n<Other />\n```",
    'docs/_note.mdx': 'Text.',
  });

  expect(outline.reusableContents.map(({ path }) => path)).toEqual(['docs/_note.mdx']);
  expect(Object.fromEntries(outline.resolvedTargets)).toEqual({ 'docs/a.mdx': { './_note.mdx': 'docs/_note.mdx' } });
  expect(outline.messages).toEqual([
    'warning docs/a.mdx: Only the text in these components is shown: Chart.',
    'warning docs/a.mdx: It includes @site/docs/_gone.md, which does not exist.',
  ]);
});

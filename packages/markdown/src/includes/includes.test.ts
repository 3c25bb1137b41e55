import { expect, test } from 'vitest';
import { expandIncludes, type FindIncluded } from './expand-includes.ts';

const files: Record<string, string> = {
  'a.rs':
    'fn a() {}\n// ANCHOR: b\nfn b() {}\n// ANCHOR: c\nfn c() {}\n// ANCHOR_END: c\n// ANCHOR_END: b\nfn d() {}\n',
  'b.py': '# --8<-- [start:one]\none = 1\n# --8<-- [end:one]\ntwo = 2\nthree = 3\n',
  'x.ts': 'const x = 1\n  // #region part\n  const y = 2\n  // #endregion part\nconst z = 3\n',
  'p.md': '---\ntitle: P\n---\n\n# P\n\nText.\n\n## Use it\n\nUse.\n\n### Deep\n\nDeep.\n\n## Next\n\nNext.\n',
  '_note.mdx': 'Hello {props.name}, **shared** {props.unknown}text.\n\n{props.children}\n',
  'outer.md': 'Outer.\n\n--8<-- "p.md:5:7"\n',
  '_includes/box.html': '<b>Hello {{ include.name | markdownify }}</b> {{ include.unknown }}.\n',
  'self.md': 'Self {{#include self.md}}',
  'fence.md': '```js\n1\n```',
};
const find: FindIncluded = (path) => {
  const name = path.replace(/^(?:\.\/|@\/)/, '');
  const text = files[name];
  return text === undefined ? undefined : { path: name, text, find };
};

test.each([
  ['a line', '{{#include a.rs:1}}', 'fn a() {}'],
  [
    'no mention in code',
    '`{{#include a.rs:1}}` {{#include a.rs:8}} `` `{!b.py!} ``',
    '`{{#include a.rs:1}}` fn d() {} `` `{!b.py!} ``',
  ],
  ['an anchor without inner marks', '```rust\n{{#rustdoc_include a.rs:b}}\n```', '```rust\nfn b() {}\nfn c() {}\n```'],
  ['open ranges', '{{#include a.rs:8:}} {{#include a.rs::1}}', 'fn d() {} fn a() {}'],
  ['a playground', '{{#playground a.rs:c}}', '```rust\nfn c() {}\n```'],
  ['a section of a snippet', '    --8<-- "b.py:one"', '    one = 1'],
  ['ranges of a snippet', '--8<-- "b.py:2:2,4:4"', 'one = 1\ntwo = 2'],
  ['a list of snippets', '--8<--\nb.py:4:4\n\nb.py:5\n--8<--', '\ntwo = 2\n\nthree = 3\n'],
  ['markdown-include', '{!b.py!}', files['b.py']?.trimEnd()],
  [
    'code',
    '<<< @/x.ts',
    '```ts\nconst x = 1\n  // #region part\n  const y = 2\n  // #endregion part\nconst z = 3\n```',
  ],
  [
    'a region with lines',
    '  <<< ./x.ts#part{1 js:line-numbers} [T]',
    '  ```js:line-numbers{1} [T]\n  const y = 2\n  ```',
  ],
  ['a page without frontmatter', '<!--@include: ./outer.md-->', 'Outer.\n\n# P\n\nText.'],
  ['lines of a page', '<!-- @include: ./p.md{5,7} -->', '# P\n\nText.'],
  ['a section of a page', '<!--@include: ./p.md#use-it-->', '## Use it\n\nUse.\n\n### Deep\n\nDeep.'],
  ['a fence in code', '<<< fence.md', '````md\n```js\n1\n```\n````'],
  [
    'a component',
    "import Note from './_note.mdx'\n\nBefore.\n\n  <Note name=\"you\" n={1}/>\n\nIn <Note name={'me'}>`it` is</Note>.",
    "import Note from './_note.mdx'\n\nBefore.\n\n\n  Hello you, **shared** text.\n\n\nIn Hello me, **shared** text.\n\n`it` is.",
  ],
  [
    'a file of Jekyll',
    'Before.\n\n  {% include box.html name="you" a=\'b\' -%}\n',
    'Before.\n\n\n  <b>Hello you</b> .\n\n',
  ],
  [
    'a file of Jekyll in a line',
    'In {% include_relative p.md %}.',
    'In # P\n\nText.\n\n## Use it\n\nUse.\n\n### Deep\n\nDeep.\n\n## Next\n\nNext..',
  ],
  ['a file of Docsy', '{{% readfile "outer.md" %}}', '\nOuter.\n\n# P\n\nText.\n'],
  [
    'code of Docsy',
    '{{< readfile file="x.ts" code="true" lang="tsx" >}}',
    `\`\`\`tsx\n${files['x.ts']?.trimEnd()}\n\`\`\``,
  ],
  [
    'code that a page imports as text',
    'import x from \'!!raw-loader!./x.ts\'\nimport y from \'./p.md?raw\'\n\n<CodeBlock language="tsx" title="X">{x}</CodeBlock>\n<Code code={y} />',
    "import x from '!!raw-loader!./x.ts'\nimport y from './p.md?raw'\n\n```tsx title=\"X\"\nconst x = 1\n  // #region part\n  const y = 2\n  // #endregion part\nconst z = 3\n```\n```md\n---\ntitle: P\n---\n\n# P\n\nText.\n\n## Use it\n\nUse.\n\n### Deep\n\nDeep.\n\n## Next\n\nNext.\n```",
  ],
  ['code as it is in its file', '<<< outer.md', '```md\nOuter.\n\n--8<-- "p.md:5:7"\n```'],
  ['itself once', '{{#include self.md}}', 'Self {{#include self.md}}'],
])('includes %s', (_name, text, expanded) => {
  expect(expandIncludes(text, find)).toBe(expanded);
  expect(expandIncludes(text.replaceAll('\n', '\r\n'), find).replaceAll('\r', '')).toBe(expanded);
});

test.each([
  '{{#include gone.rs}}',
  '{{#include a.rs:gone}} {{#include a.rs:90:}}',
  '\\{{#include a.rs}} \\{!b.py!}',
  ';--8<-- "b.py"\n\n--8<--\ngone.py\n--8<--',
  '```\n<<< x.ts\n```',
  "import Note from './_note.mdx'\n\n`<Note />`\n\n```jsx\n<Note />\n```",
  'import Note from "./note.js"\n\n<Note />',
  '<<<<<<< change request',
  '{% include gone.html %} {% include "p.md" %} {% raw %}{% include box.html %}{% endraw %} `{% include box.html %}`',
  '{% raw %}\n{% include box.html %}\n{% endraw %}',
  "import x from './x.ts?raw'\n\n<CodeBlock>{y}</CodeBlock>\n\n`<Code code={x} />`",
])('%s is not included and stays unchanged', (text) => {
  expect(expandIncludes(text, find)).toBe(text);
});

test('limits the total size of includes that repeat other includes', () => {
  const createNestedIncludes = (level: number): ReturnType<FindIncluded> => ({
    path: `${level}`,
    text: `${'x'.repeat(20_000)}{{#include a}}`.repeat(20),
    find: () => createNestedIncludes(level + 1),
  });
  expect(expandIncludes('{{#include a}}', () => createNestedIncludes(0)).length).toBeLessThan(2_000_000);
});

test.each([
  ['{{#include x', 'a'.repeat(700)],
  ['<!--@include: ', ' '.repeat(490)],
  ['<<< ', 'a[ '.repeat(160)],
  ['\n--8<-- "', "'".repeat(400)],
  ["import A from 'a.md'\n", '<A a="<A a='],
  ["import A from 'a.md'\n", '\n```\n`a'],
  ["import A from 'a.md'\n", '<A>'],
  ["import a from 'a.js?raw'\n", '<CodeBlock'],
  ['{% include a.b', ' a="b"'],
])('including %s repeatedly takes linear time', (start, rest) => {
  const getCost = (length: number) => {
    const text = start + rest.repeat(Math.ceil(length / rest.length));
    const { user } = process.threadCpuUsage();
    expandIncludes(text, find);
    return (process.threadCpuUsage().user - user) / 1_000;
  };
  const length = 32 * 1024;
  getCost(length);
  expect(getCost(8 * length)).toBeLessThan(8 * 3 * getCost(length) + 100);
});

import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  addTitleHeading,
  findTitleHeading,
  type OpenedPage,
  openPage,
  removeFirstBlock,
  writePage,
} from '@octavo/editor/model';
import fc from 'fast-check';
import { Fragment, type Node } from 'prosemirror-model';
import { describe, expect, test } from 'vitest';
import { hostileTexts } from '../browser/hostile-texts.ts';
import { getSample, holds } from '../support/random.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folders = ['../shared/data/rust-book/src', '../shared/data/cases', 'docs'].map((name) => path.join(root, name));
const pages = folders
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => globSync('**/*.{md,mdx}', { cwd: folder }).map((name) => path.join(folder, name)))
  .toSorted()
  .map((file) => ({ file, markdown: readFileSync(file, 'utf8') }));

/** Texts with syntax that is easily lost: separators, line ends, frontmatter, references, nesting and HTML. */
const texts = [
  ...[
    '',
    '\n',
    '\n\n',
    ' ',
    '\ufeff# A\n',
    'a',
    'a\n\n\n\nb',
    '\n\na\n',
    'a  \nb\\\nc\n',
    '# A\nb\n# C',
    'A\n=\nb\n\nC\n-\n',
  ],
  ...[
    '---\ntitle: A\n---\n',
    '---\ntitle: A\n---\n\n# A\n',
    '+++\ntitle = "A"\n+++\nb',
    '---\r\na: b\r\n---\r\nc\r\n\r\nd\r\n',
  ],
  ...['a\r\n\r\nb\n\nc\r\n', 'a\r\rb', '- a\n\n\n- b\n+ c\n', '1) a\n2) b\n', '- [ ] a\n- [x] *b*\n- [link](c)\n'],
  ...[
    '[a][b] and [c]\n\n[b]: d "e"\n[c]: <f g>\n',
    'a[^1]\n\n[^1]: b\n\n    c\n',
    '> a\nb\n\n> c\n',
    '```js {1}\na\n',
    '~~~\n```\n~~~\n',
  ],
  ...[
    '    code\n\n\n    code\n',
    '***a* b**\n\n__c__ *d*_e_',
    '|a|b|\n|:-|-:|\n|c\\|d|`e\\|f`\n|g|\n',
    '<div>\n\na\n\n</div>\n',
    'a <!-- b --> c\n',
  ],
  ...[
    '{% hint style="info" %}\na\n\n{% hint style="danger" %}\nb\n{% endhint %}\n{% endhint %}\n',
    '{% hint style="info" %}\na\n',
  ],
  ...[
    '{% tabs %}\n{% tab title="a" %}\nb\n{% endtab %}\n\n{% tab title="c" %}\n{% endtab %}\n{% endtabs %}\n',
    '$$\na\n$$\nb $$c$$ $d_1$\n',
  ],
  ...[
    '<details>\n<summary>a *b*</summary>\n\nc\n\n</details>\n',
    ':::tip[A *b*]\nc\n:::\n',
    '!!! note "A"\n    b\n',
    '> [!NOTE]\n> a\n',
  ],
  ...[
    '{% if visitor.claims.a %}\nb\n{% endif %}\n',
    'a {{ space.vars.b }} :smile: <kbd>c</kbd> @usr_a ![d](e "f")\n',
    '\0a\u2028b\n',
  ],
].map((markdown) => ({ file: JSON.stringify(markdown), markdown }));

const hostile = hostileTexts.map((markdown) => ({ file: markdown, markdown }));

describe('a page that is written without a change', () => {
  test.each([...getSample([...pages, ...texts], 2), ...hostile])('has the same bytes: $file', ({ markdown }) => {
    const page = openPage(markdown);

    expect(joinParts(page)).toBe(markdown);
    expect(writePage(page, page.doc)).toBe(markdown);
  });

  const titled = [...pages, ...texts].flatMap(({ file, markdown }) => {
    const title = openPage(markdown).doc.firstChild?.textContent ?? '';
    return title === '' ? [] : [{ file, markdown, title }];
  });

  test.each(getSample(titled, 4))('has the same bytes if its title is not shown: $file', ({ markdown, title }) => {
    const page = openPage(markdown);
    const heading = findTitleHeading(page.doc, title);
    if (heading === undefined) return;

    expect(writePage(page, addTitleHeading(removeFirstBlock(page.doc), heading, title))).toBe(markdown);
  });

  test('has the same bytes for random texts', () => {
    holds(
      fc.property(fc.array(fc.constantFrom(...getSnippets()), { maxLength: 12 }), (parts) => {
        const page = openPage(parts.join(''));
        expect(joinParts(page)).toBe(parts.join(''));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Restores the Markdown from the parts of a page. */
function joinParts({ frontmatter, blocks, after, lineEnd }: OpenedPage): string {
  const body = [...blocks.values()].map(({ before, source }) => before + source).join('') + after;
  return frontmatter + (lineEnd === '\n' ? body : body.replaceAll('\n', lineEnd));
}

const getSnippets = (): string[] => [
  ...[
    'a',
    ' ',
    '\n',
    '\n\n',
    '\r\n',
    '\t',
    '# ',
    '- ',
    '1. ',
    '> ',
    '```\n',
    '    ',
    '| a | b |\n|---|---|\n',
    '***',
    '---\n',
  ],
  ...[
    '[a]',
    '[a]: b\n',
    '*b*',
    '<div>',
    '</div>\n',
    '{% hint %}\n',
    '{% endhint %}\n',
    '{% tabs %}\n',
    '$$\n',
    ':::note\n',
    ':::\n',
  ],
];

/** Replaces one word of the block at this index. Returns undefined if the block has no words. */
function changeWord(node: Node, random: number): Node | undefined {
  const words: { text: Node; at: number; length: number }[] = [];
  node.descendants((text) => {
    if (!text.isText) return;
    for (const word of (text.text ?? '').matchAll(/[\p{L}\p{N}]{2,}/gu))
      words.push({ text, at: word.index, length: word[0].length });
  });
  const chosen = words[random % Math.max(1, words.length)];
  return chosen && replaceText(node, chosen.text, chosen.at, chosen.length);
}

function replaceText(node: Node, target: Node, at: number, length: number): Node {
  const { text = '' } = target;
  if (node === target) return node.type.schema.text(`${text.slice(0, at)}zebra${text.slice(at + length)}`, node.marks);
  const children: Node[] = [];
  node.forEach((child) => {
    children.push(replaceText(child, target, at, length));
  });
  return node.isText ? node : node.copy(Fragment.from(children));
}

describe('a page with one changed word', () => {
  test.each(getSample([...pages, ...texts], 8))('differs only in the block of the word: $file', ({ markdown }) => {
    const page = openPage(markdown);
    holds(
      fc.property(fc.nat(), fc.nat(), (first, second) => {
        const index = first % Math.max(1, page.blocks.size);
        const block = page.doc.child(index);
        const changed = changeWord(block, second);
        if (changed === undefined) return;

        const doc = page.doc.copy(page.doc.content.replaceChild(index, changed));
        const written = writePage(page, doc);

        expectOthersUnchanged(page, index, written);
        if (block.type.name !== 'source') expect(openPage(written).doc.toJSON()).toEqual(doc.toJSON());
      }),
      { numRuns: 30 },
    );
  });
});

/** Expects that the parts of a page before and after a block have the same bytes in another version. */
function expectOthersUnchanged(
  { blocks: all, frontmatter, after, lineEnd }: OpenedPage,
  index: number,
  written: string,
): void {
  const blocks = [...all.values()];
  const join = (parts: typeof blocks) => parts.map(({ before, source }) => before + source).join('');
  const toLineEnds = (text: string) => (lineEnd === '\n' ? text : text.replaceAll('\n', lineEnd));
  const start = frontmatter + toLineEnds(join(blocks.slice(0, index)) + (blocks[index]?.before ?? ''));
  const end = toLineEnds(join(blocks.slice(index + 1)) + after);

  expect(written.slice(0, start.length)).toBe(start);
  expect(written.slice(written.length - end.length)).toBe(end);
  expect(written.length).toBeGreaterThanOrEqual(start.length + end.length);
}

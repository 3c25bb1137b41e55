import type { Node } from 'prosemirror-model';
import { describe, expect, test } from 'vitest';
import { openPage, writePage } from './page.ts';
import { schema } from './schema.ts';

const createText = (value: string) => schema.text(value);
const createParagraph = (...nodes: Node[]) => schema.node('paragraph', null, nodes);

/** Writes a page after adding a block at its end. */
function append(markdown: string, ...nodes: Node[]): string {
  const page = openPage(markdown);
  return writePage(page, page.doc.copy(page.doc.content.append(schema.node('doc', null, nodes).content)));
}

/** Writes a page after replacing a word. */
function replaceWord(markdown: string, from: string, to: string): string {
  const page = openPage(markdown);
  const replace = (node: Node): Node => {
    if (node.isText) return schema.text((node.text ?? '').replace(from, to), node.marks);
    const children: Node[] = [];
    node.forEach((child) => {
      children.push(replace(child));
    });
    return node.type.create(node.attrs, children, node.marks);
  };
  return writePage(page, replace(page.doc));
}

const list = (type: string) =>
  schema.node(type, null, [
    schema.node('list_item', null, [createParagraph(createText('new'))]),
    schema.node('list_item', null, [createParagraph()]),
  ]);

describe('a changed block', () => {
  test.each([
    ['+ one\n+ two *three*\n', '+ one\n+ zwei *three*\n'],
    [
      'Two __lines__\nof other_words [link][a].\n\n[a]: b "c"\n',
      'zwei __lines__\nof other_words [link][a].\n\n[a]: b "c"\n',
    ],
    ['| a   | two |\n|:----|----:|\n| b   | c   |\n', '| a   | zwei |\n|:----|----:|\n| b   | c   |\n'],
    ['Two\n===\nx\n', 'zwei\n====\nx\n'],
    ['two  \r\nlines\r\n\r\n* * *\r\n', 'zwei  \r\nlines\r\n\r\n* * *\r\n'],
    [':::tip[Title]\ntwo *words*\n:::\n', ':::tip[Title]\nzwei *words*\n:::\n'],
    [
      '<table data-view="cards">\n<thead><tr><th></th><th data-hidden data-card-target></th></tr></thead>\n<tbody>\n<tr><td><b>two</b></td><td><a href="b.md">b.md</a></td></tr>\n</tbody></table>\n',
      '<table data-view="cards">\n<thead><tr><th></th><th data-hidden data-card-target></th></tr></thead>\n<tbody>\n<tr><td><b>zwei</b></td><td><a href="b.md">b.md</a></td></tr>\n</tbody></table>\n',
    ],
    [
      '{% embed url="https://a.example" %}\ntwo __words__\n{% endembed %}\n',
      '{% embed url="https://a.example" %}\nzwei __words__\n{% endembed %}\n',
    ],
    [
      '<a href="a.md" class="button primary" data-icon="rocket">two **now**</a> <a href="b" class="button">B</a>\n',
      '<a href="a.md" class="button primary" data-icon="rocket">zwei **now**</a> <a href="b" class="button">B</a>\n',
    ],
  ])('keeps its syntax: %j', (before, after) => {
    expect(replaceWord(replaceWord(before, 'two', 'zwei'), 'Two', 'zwei')).toBe(after);
  });

  test('keeps escapes that are still needed and adds new ones', () => {
    expect(replaceWord('a \\* b\n', 'b', '*c*')).toBe('a \\* \\*c\\*\n');
  });
});

describe('a new block', () => {
  test('uses the markers of the page', () => {
    const italic = schema.text('b', [schema.mark('italic')]);
    const bold = schema.text('c', [schema.mark('bold')]);

    expect(append('+ a\n', createParagraph(italic, createText(' '), bold), list('list_unordered'))).toBe(
      '+ a\n\n_b_ **c**\n\n+ new\n+\n',
    );
    expect(append('*a* __b__\n', createParagraph(italic, createText(' '), bold))).toBe('*a* __b__\n\n*b* __c__\n');
    expect(append('1) a\n\nb\n', list('list_ordered'))).toBe('1) a\n\nb\n\n1) new\n2)\n');
    expect(append('A\n===\n', schema.node('heading', { level: 2 }, [createText('New')]))).toBe('A\n===\n\nNew\n---\n');
    expect(append('~~~\na\n~~~\n', schema.node('code_block', null, [createText('b')]))).toBe(
      '~~~\na\n~~~\n\n~~~\nb\n~~~\n',
    );
  });

  test('is written without the spaces at its ends, for example while it is typed', () => {
    expect(append('a\n', createParagraph(createText(' b ')))).toBe('a\n\nb\n');
  });

  test('uses the line ends of the page', () => {
    expect(append('a\r\n', createParagraph(createText('b')))).toBe('a\r\n\r\nb\r\n');
  });

  test('does not join a list that precedes it', () => {
    expect(openPage(append('* a\n', list('list_unordered'))).blocks.size).toBe(2);
  });

  test('is separated from an unclosed block', () => {
    const { blocks } = openPage(append('```\na', createParagraph(createText('b'))));

    expect([...blocks.values()].map(({ source }) => source)).toEqual(['```\na\n```', 'b']);
  });
});

describe('the blocks of a page', () => {
  test.each([
    ['paragraph', 'a *b* **c** ~~d~~ `e` [f](g) <kbd>h</kbd>\\\ni'],
    ['heading', '## a `b`'],
    ['list_tasks', '- [ ] a\n- [x] b'],
    ['hint', '{% hint style="warning" %}\na\n{% endhint %}'],
    ['tabs', '{% tabs %}\n{% tab title="a" %}\nb\n{% endtab %}\n{% endtabs %}'],
    ['stepper', '{% stepper %}\n{% step %}\n## a\n\nb\n{% endstep %}\n{% endstepper %}'],
    ['columns', '{% columns %}\n{% column %}\na\n{% endcolumn %}\n{% endcolumns %}'],
    ['expandable', '<details>\n\n<summary>a</summary>\n\nb\n\n</details>'],
    ['table', '| a |\n|---|\n| b |'],
    [
      'table',
      '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td><strong>a</strong></td><td><a href="b.md">b.md</a></td></tr></tbody></table>',
    ],
    [
      'table',
      '<table><thead><tr><th>a</th><th data-type="checkbox">b</th></tr></thead><tbody><tr><td>c</td><td>true</td></tr></tbody></table>',
    ],
    ['embed', '{% embed url="https://a.example" %}'],
    ['embed', '{% embed url="https://a.example" %}\nb *c*\n{% endembed %}'],
    ['file', '{% file src="a.pdf" %}'],
    ['file', '{% file src="a.pdf" %}\nb\n{% endfile %}'],
    ['reusable_content', '{% include "a.md" %}'],
    ['content_ref', '{% content-ref url="a.md" %}\n[A \\_b\\_](a.md)\n{% endcontent-ref %}'],
    ['content_ref', '{% content-ref url="a.md" %}\n{% endcontent-ref %}'],
    ['source', '{% content-ref url="a.md" %}\n[b](c.md) and more\n{% endcontent-ref %}'],
    ['images', '<figure><img src="a.png" alt="b"><figcaption><p>c</p></figcaption></figure>'],
    ['images', '<figure><img src="a.png" alt="" width="200"><figcaption></figcaption></figure>'],
    ['math', '$$\na\n$$'],
    ['code_block', '```js\na\n```'],
    ['source', '{% if visitor.claims.a %}\nb\n{% endif %}'],
    ['source', '<script>alert(1)</script>'],
  ])('include a %s', (kind, markdown) => {
    expect(openPage(markdown).doc.child(0).type.name).toBe(kind);
  });
});

describe('lists between which a block is deleted', () => {
  test.each([
    ['- a\n\ntext\n\n- b\n', '- a\n\n* b\n'],
    ['* a\n\ntext\n\n* b\n- c\n', '* a\n\n- b\n\n* c\n'],
    ['1. a\n\ntext\n\n1. b\n', '1. a\n\n1) b\n'],
    ['- [ ] a\n\ntext\n\n- [x] b\n', '- [ ] a\n\n* [x] b\n'],
    ['- a\n\ntext\n\n- b\n\ntext\n\n- c\n', '- a\n\n* b\n\n- c\n'],
  ])('stay apart and open as lists again: %j', (before, expected) => {
    const page = openPage(before);
    const lists: Node[] = [];
    page.doc.forEach((node) => {
      if (node.type.name !== 'paragraph') lists.push(node);
    });
    const written = writePage(page, page.doc.copy(schema.node('doc', null, lists).content));
    expect(written).toBe(expected);
    const reopened: string[] = [];
    openPage(written).doc.forEach(({ type }) => {
      reopened.push(type.name);
    });
    expect(reopened).toEqual(lists.map(({ type }) => type.name));
  });
});

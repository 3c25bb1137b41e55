import { getResult, getTextAt, parseTree, readFrontmatter } from '@octavo/markdown';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { findUnchangedBlock, getBlockSource, parseSourcesInSteps, replaceBlock } from './replace-block.ts';

const getKey = (markdown: string, index: number) => parseTree(markdown).nodes[index]?.key ?? '';
const parse = (markdown: string) => getResult(parseSourcesInSteps(markdown));
const replace = (markdown: string, index: number, replacement: string) =>
  getResult(replaceBlock(parse(markdown), getKey(markdown, index), replacement));

describe('replacing a block', () => {
  test('keeps the bytes of the other blocks', () => {
    const text = '---\ntitle: A\n---\n# A\n\n* one\n*  two\n\n\nOld text.\n\n| a |\n|-|\n| b |\n';
    expect(replace(text, 2, 'New *text*.\n')).toBe(text.replace('Old text.', 'New *text*.'));
  });

  test('can insert several blocks, or remove the block', () => {
    expect(replace('One.\n\nTwo.\n\nThree.\n', 1, '\n\n- a\n- b\n\nC\n\n')).toBe('One.\n\n- a\n- b\n\nC\n\nThree.\n');
    expect(replace('One.\n\nTwo.\n\nThree.\n', 1, ' \n')).toBe('One.\n\nThree.\n');
    expect(replace('One.\n\nTwo.\n', 0, '')).toBe('Two.\n');
  });

  test('adds blank lines where the new text could join its neighbors', () => {
    expect(replace('# One\nTwo.\n# Three\n', 1, 'New.')).toBe('# One\n\nNew.\n\n# Three\n');
    expect(replace('# One\nTwo.\n', 0, 'New.')).toBe('New.\n\nTwo.\n');
  });

  test('keeps the line ends of the text', () => {
    expect(replace('One.\r\n\r\nTwo.\r\n', 1, 'Three\nfour.')).toBe('One.\r\n\r\nThree\r\nfour.\r\n');
  });

  test('by its own source changes nothing but blank lines', () => {
    const blocks = fc.array(fc.constantFrom('One.', '# Two', '- a\n- b', '* c', '> d', '```\ne\n\n```'), {
      minLength: 1,
    });
    holds(
      fc.property(blocks, fc.nat(), (parts, number) => {
        const text = `${parts.join('\n\n')}\n`;
        const index = number % parseTree(text).nodes.length;
        expect(replace(text, index, getBlockSource(text, getKey(text, index)) ?? '')).toBe(text);
      }),
    );
  });
});

describe('a text that would change more than its block', () => {
  const page = '---\ntitle: A\n---\n\nFirst.\n\n- a\n- b\n\nSee [more].\n\n```\ncode\n```\n\n---\n\nLast <b>one</b>.\n';
  const body = page.slice(page.indexOf('First'));

  test.each([
    ['frontmatter', body, 0, '---\ntitle: Hacked\nhidden: true\n---\n\nFirst.'],
    ['the start of frontmatter that ends at a divider', 'One.\n\na: b\n\n---\n\nTwo.\n', 0, '---\ntitle: Hacked'],
    ['the removal of a block before a divider that would start frontmatter', 'One.\n\n---\na: b\n\n---\n', 0, ''],
    ['an open comment', page, 0, 'First. <!--\n\n<!--'],
    ['an open fence', page, 0, '```'],
    ['an open fence in a list', page, 0, '- a\n\n- b\n\n````'],
    ['an open script', page, 0, '<script>'],
    ['an open tag', `${page}\n</details>\n`, 0, '<details>\n\n<summary>A</summary>'],
    ['an open formula', `${page}\n$$\n`, 0, '$$'],
    ['open tabs', `${page}\n{% endtab %}\n{% endtabs %}\n`, 0, '{% tabs %}\n{% tab title="A" %}'],
    ['an open hint', `${page}\n{% endhint %}\n`, 0, '{% hint style="info" %}'],
    ['the definition of a link', page, 0, 'First.\n\n[more]: https://example.com'],
    ['a list that joins the next one', page, 0, '- zero'],
    ['an indented text after a list', page, 2, '  more of b'],
  ])('is refused: %s', (_, markdown, index, replacement) => {
    expect(replace(markdown, index, replacement)).toBeUndefined();
  });

  test.each(['{% tabs %}\n{% tab title="A" %}', '<details>', '$$', 'A setext heading\n===', '    indented'])(
    'is not a text that ends before the next block: %s',
    (replacement) => {
      expect(replace(page, 0, replacement)).toBe(page.split('First.').join(replacement));
    },
  );

  test('is never the result of hostile texts', () => {
    const line = fc.constantFrom(
      ...['---', 'title: Hacked', 'hidden: true', '===', '```', '~~~', '$$', '<!--', '-->', '<script>', '</script>'],
      ...['<details>', '</details>', '<table>', '<td>', '</div>', '<b>', '`', '\\', '[more]: https://example.com'],
      ...[
        '{% tabs %}',
        '{% tab title="A" %}',
        '{% endtab %}',
        '{% hint style="info" %}',
        '{% endhint %}',
        '{% if a %}',
      ],
      ...['{% code %}', '{% endcode %}', '{% columns %}', '{% raw %}', '- item', '1. item', '> quote', '  indented'],
      ...['    more indented', '\tafter a tab', '| a | b |', '|---|---|', '# Title', '[^1]: note', '[^1]', 'text', ''],
      ...['\ufeff---', '\r', "import A from './a.mdx'", '<A>', '+++', ':::note', ':::'],
    );
    const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'));
    const pages = fc.array(
      fc.constantFrom(...['First.', '- a\n- b', 'See [more][^1].', '```\ncode\n```', '---', '# A', 'Last.', '-->']),
      { minLength: 1, maxLength: 6 },
    );
    holds(
      fc.property(pages, fc.boolean(), fc.nat(), text, (blocks, hasFrontmatter, number, replacement) => {
        const markdown = `${hasFrontmatter ? '---\ntitle: A\n---\n\n' : ''}${blocks.join('\n\n')}\n`;
        const before = parse(markdown);
        const index = number % before.nodes.length;
        const changed = replace(markdown, index, replacement);
        if (changed === undefined) return;
        const after = parse(changed);
        const list = ({ nodes }: typeof after) =>
          nodes.map(({ key, data }) => [key?.split('-')[0], getTextAt(data.markup, 'source')]);
        const [former, current] = [list(before), list(after)];
        expect(after.data.frontmatter).toBe(before.data.frontmatter);
        expect(current.slice(0, index)).toEqual(former.slice(0, index));
        const rest = former.length - index - 1;
        expect(current.slice(current.length - rest)).toEqual(former.slice(index + 1));
        expect(readFrontmatter(changed)).toEqual(readFrontmatter(markdown));
      }),
    );
  });
});

test('only top-level blocks have a source', () => {
  const { nodes } = parseTree('- one\n- two\n');
  const [list, item] = [nodes[0], nodes[0]?.nodes[0]];
  expect(getBlockSource('- one\n- two\n', list?.key ?? '')).toBe('- one\n- two');
  expect(item?.object === 'block' && getBlockSource('- one\n- two\n', item.key ?? '')).toBeUndefined();
});

test('finds a block that was only moved, and none that was changed, deleted or moved into another block', () => {
  const former = 'One.\n\nTwo words.\n\nThree.\n';
  const key = getKey(former, 1);
  const find = (current: string) => getResult(findUnchangedBlock(parse(former), parse(current), key));
  expect(find(former)).toBe(key);
  expect(find('Two words.\n\nOne!\n')).toBe(key);
  expect(find('One.\n\nTwo new words.\n\nThree.\n')).toBeUndefined();
  expect(find('One.\n\nThree.\n')).toBeUndefined();
  expect(find('One.\n\n> Two words.\n\nThree.\n')).toBeUndefined();
});

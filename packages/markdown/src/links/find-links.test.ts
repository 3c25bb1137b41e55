import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../../test/support/random.ts';
import { getLinks, rewriteTargets } from './find-links.ts';

const getTargets = (markdown: string) => getLinks(markdown).map(({ target }) => target);

describe('getLinks', () => {
  test.each<[string, string, string[]]>([
    ['inline links', '[a](b.md) and [c](<d e.md> "title")', ['b.md', 'd e.md']],
    ['each target once', '[a](b) [c](b) ![d](b)', ['b']],
    ['escapes and entities', '[a](b\\_c&amp;d) [x](a\\(b)', ['b_c&d', 'a(b']],
    ['parentheses', '[a](b(c)d)', ['b(c)d']],
    ['an image in a link', '[![a](b.png)](c.md)', ['b.png', 'c.md']],
    ['no link in a link', '[a [b](c) d](e)', ['c']],
    [
      'definitions that are used',
      '[a][b] ![c]\n\n[b]: one.md "t"\n[c]: <two.png>\n[d]: three.md',
      ['one.md', 'two.png'],
    ],
    ['a definition with its target on the next line', '[a]\n\n[a]:\n  b.md', ['b.md']],
    ['no footnotes', 'a[^1]\n\n[^1]: b', []],
    ['autolinks', '<https://example.com/a>', ['https://example.com/a']],
    ['no code', '`[a](b)` ``[c](d)\n``\n\n```\n[e](f)\n```\n\n    [g](h)\n\n- x\n\n  ```\n  [i](j)\n  ```', []],
    ['no comments', 'a <!-- [a](b) --> c\n\n<!-- [d](e)\n\n[f](g) -->', []],
    ['no escaped brackets', '\\[a](b) !\\[c](d)', []],
    [
      'HTML',
      '<p><a class="x" href="a.md?b&amp;c">x</a></p>\n\ny <img alt="src=q" src=\'b.png\'>',
      ['a.md?b&c', 'b.png'],
    ],
    [
      'figures',
      '<figure><img src="../.gitbook/assets/a%20b.png" alt=""><figcaption></figcaption></figure>',
      ['../.gitbook/assets/a%20b.png'],
    ],
    [
      'block tags',
      '{% content-ref url="a.md" %}\n[b.md](b.md)\n{% endcontent-ref %}\n\n{% embed url="https://x.test/%20a" %}\n\n{% file src="f%20g.pdf" %}',
      ['a.md', 'b.md', 'https://x.test/%20a', 'f%20g.pdf'],
    ],
    ['the cover', '---\ncover: ../a.png\n---\n[b](c)', ['../a.png', 'c']],
    ['a folded cover', '---\ncover: >-\n  https://x.test/a\ncoverY: 1\n---\n', ['https://x.test/a']],
    ['a tag with text after its HTML', '{% if a %}\n<p>x</p>\n{% else %}\n![a](b)\n{% endif %}', ['b']],
    ['text after the summary of details', '<details>\n<summary>x</summary>\n[a](b)\n</details>\n[c](d)', ['b', 'd']],
    ['tables', '| a | b |\n|---|---|\n| [c](d) | ` | \n| ` [e](f) |', ['d', 'f']],
    ['quotations and lists', '> [a](b)\n> - [c](d\n> "t")', ['b', 'd']],
    ['lines that end in CR LF', 'a\r\n\r\n```\r\n[a](b)\r\n```\r\n\r\n[c](d)\r\n', ['d']],
    [
      'a part beyond the parsed length',
      `${'x '.repeat(140_000)}\n\n\`\`\`\n[a](b)\n\`\`\`\n[c](d) [e]\n\n[e]: f\n`,
      ['d', 'f'],
    ],
    ['a fence across the parsed length', `\`\`\`\n${'[a](b)\n'.repeat(40_000)}\`\`\`\n[c](d)`, ['d']],
  ])('%s', (_name, markdown, targets) => {
    expect(getTargets(markdown)).toEqual(targets);
  });

  test('reports a file that a page both links to and includes as a dependency', () => {
    expect(getLinks('[a](x.md) {% include "x.md" %}')).toEqual([
      { target: 'x.md', relation: 'dependsOn', kind: 'link' },
    ]);
  });
});

describe('rewriteTargets', () => {
  test('changes only the targets', () => {
    const markdown =
      '---\r\ncover: a\r\ntitle: a\r\n---\r\n[a](a "a") ![a](<a>) [a]\r\n<a href=a>a</a> {% include "a" %} `[a](a)`\r\n\r\n[a]: a  "a"\r\n';
    expect(rewriteTargets(markdown, (target) => `${target}/b.md`)).toBe(
      '---\r\ncover: a/b.md\r\ntitle: a\r\n---\r\n[a](a/b.md "a") ![a](<a/b.md>) [a]\r\n<a href=a/b.md>a</a> {% include "a/b.md" %} `[a](a)`\r\n\r\n[a]: a/b.md  "a"\r\n',
    );
  });

  test('leaves a link unchanged if the callback returns no new target', () => {
    expect(rewriteTargets('[a](b\\_c) [d](e)', (target) => (target === 'e' ? 'f' : undefined))).toBe(
      '[a](b\\_c) [d](f)',
    );
  });

  const pieces = [
    ...[
      '[',
      ']',
      '(',
      ')',
      '![',
      '<',
      '>',
      '`',
      '```\n',
      '\n',
      '\n\n',
      ' ',
      '    ',
      '- ',
      '> ',
      '\\',
      '&amp;',
      '"',
      "'",
    ],
    ...[
      '[a](b.md)',
      '![x](<y z>)',
      '[a]',
      '[a]: c.md\n',
      '<a href="d">',
      '<img src=e>',
      '<!--',
      '-->',
      '| a |\n|---|\n',
    ],
    ...[
      '{% include "f" %}',
      '{% file src="g" %}',
      '<https://h.test>',
      '# ',
      '~~~\n',
      'text',
      '\r\n',
      '<div>\n',
      '*',
      '_',
    ],
  ];
  const documents = fc
    .tuple(
      fc.constantFrom('', '---\ncover: i\n---\n', '---\ncover: "i j"\ntitle: a\n---\n', '\ufeff'),
      fc.array(fc.constantFrom(...pieces), { maxLength: 40 }),
    )
    .map(([head, parts]) => head + parts.join(''));
  const targets = fc.stringMatching(/^[a-z0-9./#?=&;%_~-]{1,12}$/);

  test('returns the same bytes for the same targets', () => {
    holds(
      fc.property(documents, (markdown) => {
        expect(rewriteTargets(markdown, (target) => target)).toBe(markdown);
      }),
      { numRuns: 500 },
    );
  });

  test('finds exactly the new targets in the output of rewriteTargets', () => {
    holds(
      fc.property(documents, targets, (markdown, suffix) => {
        const toTarget = (target: string) => `https://n.test/${suffix}${target.replaceAll(/[^\w.]/g, '_')}`;
        const rewritten = rewriteTargets(markdown, toTarget);
        expect(getTargets(rewritten)).toEqual([...new Set(getTargets(markdown).map(toTarget))]);
      }),
      { numRuns: 500 },
    );
  });

  test('writes any text as a target of markdown links and HTML', () => {
    holds(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (target) => {
        fc.pre(!/[\p{Cc}\ufffd]/u.test(target));
        const markdown = '| [a](b) ![c](<d>) <a href="e"> |\n|---|\n\n[f]\n\n[f]: g\n';
        expect(getTargets(rewriteTargets(markdown, () => target))).toEqual([target]);
      }),
    );
  });
});

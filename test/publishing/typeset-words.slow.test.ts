import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawValues, getSample, holds } from '../support/random.ts';
import { readPdf, typesetPages } from './printed.ts';
import { findMissingWords, getMissing, readCorpora, readPdfText, renderPageText, renderSearchText } from './words.ts';

const tables = [
  '<table>\n<tr><th>Aa</th><th>Bb</th></tr>\n<tr><td>Cc</td><td>\n\nDd **ee**\n\n</td></tr>\n<tr><td>Ff</td><td>Gg</td></tr>\n</table>\n\nHh',
  '<table>\n  <tr>\n    <td>Aa</td>\n\n    <td>Bb</td>\n  </tr>\n  <tr><td>Cc</td><td>Dd</td></tr>\n</table>',
  '<ul>\n<li>Aa</li>\n\n<li>Bb **cc**</li>\n</ul>\n\n<dl>\n<dt>Dd</dt>\n\n<dd>\n\nEe *ff*\n\n</dd>\n</dl>',
  '<table><tr><td>Aa\n\n```js\nbb\n```\n\n- cc\n- dd\n\n</td><td>Ee</td></tr>\n\n<tr><td>Ff</td></tr></table>',
  '| Aa | Bb |\n|---|---|\n| cc | <ul><li>dd</li><li>ee</li></ul> |\n| <p>ff</p><p>gg</p> | <details><summary>hh</summary>ii</details> |',
  '<tr><td>Aa</td><td>Bb</td></tr>\n\n<li>Cc</li>\n\n<summary>Dd</summary>\n\n</td></tr></table>\n\nEe',
  '<details class="x"><summary>Aa</summary>\n<p>\n\nBb\n\n</p>\n</details>\n\nCc <ul><li>dd</li></ul> ee',
  '> <ol>\n> <li>Aa\n>\n> Bb</li>\n>\n> </ol>\n\n- <table><tr><td>cc\n\n  dd</td></tr></table>',
];

test.each(tables)('page, search and PDF contain all words of %j', async (markdown) => {
  const words = markdown.replace(/<[^<>]*>/g, ' ').match(/\b(?!js)[A-Za-z]{2}\b/g) ?? [];
  const lower = words.map((word) => word.toLowerCase());
  const pdf = await readPdfText(markdown);

  expect(findMissingWords(renderPageText(markdown), lower)).toEqual([]);
  expect(findMissingWords(renderSearchText(markdown), lower)).toEqual([]);
  expect(lower.filter((word) => !pdf.includes(word))).toEqual([]);
});

test.each([
  ['the title of a code fence', '```js title="one.js"\ntwo\n```', 'one.js'],
  ['the text of a badge', '| a |\n|---|\n| <Badge type="tip" text="beta" /> |', 'beta'],
])('%s is on the page and in the PDF', async (_, markdown, words) => {
  expect(renderPageText(markdown)).toContain(words);
  expect(await readPdfText(markdown)).toContain(words.replace('.', ''));
});

test('indented markdown in elements of MDX is not code on the page, in the PDF and in search', async () => {
  const markdown =
    '<div className="x">\n\n    **one** and\n    - two\n\n    <section>\n        *three*\n    </section>\n\n</div>';
  const { text } = await readPdf((await typesetPages({ pages: [{ markdown }], hasContents: false })).bytes);
  for (const each of [renderPageText(markdown), text, renderSearchText(markdown)])
    expect(each.replace(/[^\w*-]/g, '')).toMatch(/(?:^|\d)oneandtwothree$/);
});

test('comments that highlight lines of code are neither on the page nor in the PDF', async () => {
  const markdown = '```js\none // [!code highlight]\n// highlight-next-line\ntwo\n```';
  expect(renderPageText(markdown)).not.toContain('highlight');
  expect(await readPdfText(markdown)).not.toContain('highlight');
  expect(await readPdfText(markdown)).toContain('onetwo');
});

/** Sources with a blank for each word. */
const elements = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      '_\n',
      '**_** `_`\n',
      '- _\n- _\n',
      '```\n_\n```\n',
      '| _ |\n|---|\n| <ul><li>_</li><li>_</li></ul> |\n',
    ),
    fc
      .tuple(
        fc.constantFrom(
          'table tr td',
          'table tr th',
          'ul li',
          'ol li',
          'dl dt',
          'dl dd',
          'blockquote',
          'div',
          'section p',
          'tr td',
          'li',
        ),
        fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
        fc.constantFrom('\n', '\n\n', ''),
        fc.constantFrom('', '  ', '    '),
        fc.boolean(),
      )
      .map(([names, parts, between, indent, isClosed]) => {
        const [outer = '', ...inner] = names.split(' ');
        const open = inner.map((name) => `<${name}>`).join('');
        const close = inner
          .toReversed()
          .map((name) => `</${name}>`)
          .join('');
        const cells = parts.map(
          (part) => `${indent}${open}${between}${part.trim()}${between}${isClosed ? `${indent}${close}` : ''}`,
        );
        return `\n\n<${outer}>\n${cells.join(between === '' ? '\n' : between)}\n</${outer}>\n\n`;
      }),
    fc.tuple(tie('node'), fc.constantFrom('> ', '- ', '1. ')).map(([part, sign]) => {
      const rest = sign === '> ' ? sign : ' '.repeat(sign.length);
      return part
        .trim()
        .split('\n')
        .map((line, index) => (index === 0 ? sign : rest) + line)
        .join('\n');
    }),
    fc.tuple(tie('node'), tie('node')).map(([one, other]) => `${one}\n\n${other}\n`),
  ),
}));

const withWords = elements.node.map((source) => {
  let count = 0;
  const markdown = source.replace(/_/g, () => `word${(count++).toString(36)}x`);
  return { markdown, words: Array.from({ length: count }, (_, index) => `word${index.toString(36)}x`) };
});

test('page and search contain all words in HTML elements with blank lines', () => {
  holds(
    fc.property(withWords, ({ markdown, words }) => {
      expect(findMissingWords(renderPageText(markdown), words), markdown).toEqual([]);
      expect(findMissingWords(renderSearchText(markdown), words), markdown).toEqual([]);
    }),
    { numRuns: 1_500 },
  );
});

/** The source around an include. */
const surroundings = fc.constantFrom(
  ...['_', '> _', '- a\n\n  _', '1. _', 'before\n_\nafter', 'in _ a line', '    _', '`_`', '| a |\n|---|\n| _ |'],
  ...['```\n_\n```', '<!--\n_\n-->', '<!-- _ -->', '<div>\n_\n</div>', '<div>\n\n_\n\n</div>'],
  ...['<table><tr><td>\n\n_\n\n</td></tr></table>', '<details>\n<summary>a</summary>\n\n_\n\n</details>'],
  ...['{% hint style="info" %}\n_\n{% endhint %}', '{% tabs %}\n{% tab title="a" %}\n_\n{% endtab %}\n{% endtabs %}'],
  ...['{% stepper %}\n{% step %}\n_\n{% endstep %}\n{% endstepper %}'],
);

/** Pages ignore a condition after unclosed HTML, so the page itself may have a condition, but no included text. */
const surroundingsOnPage = fc.oneof(
  surroundings,
  fc.constant('{% if visitor.claims.none %}\n{% else %}\n_\n{% endif %}'),
);

test('search contains the words of an included text if the page shows them', () => {
  const text = fc.tuple(withWords, surroundings);
  const sources = fc.tuple(surroundingsOnPage, fc.array(text, { minLength: 1, maxLength: 3 }));
  let wordCount = 0;
  holds(
    fc.property(sources, ([outer, drawnTexts]) => {
      const include = (address: string, around: string) => around.replace('_', `{% include "${address}" %}`);
      const texts = Object.fromEntries(
        drawnTexts.map(([{ markdown }, around], index) => [
          `text${index}`,
          `${markdown.replaceAll('word', `w${index}w`)}\n\n${include(`text${index + 1}`, around)}\n`,
        ]),
      );
      const page = `Before\n\n${include('text0', outer)}\n\nAfter\n`;
      const words = drawnTexts.flatMap(([{ words: each }], index) =>
        each.map((word) => word.replace('word', `w${index}w`)),
      );
      const missing = findMissingWords(renderPageText(page, texts), words);
      wordCount += words.length - missing.length;
      expect(findMissingWords(renderSearchText(page, texts), words), JSON.stringify([page, texts])).toEqual(missing);
    }),
    { numRuns: 1_500 },
  );
  expect(wordCount).toBeGreaterThan(1_000);
});

test('the PDF contains all words in HTML elements with blank lines', async () => {
  const samples = drawValues(withWords, 12);
  const whole = samples.map(({ markdown }, index) => markdown.replaceAll('word', `w${index}w`)).join('\n\n# Next\n\n');
  const pdf = await readPdfText(whole);

  const words = samples.flatMap(({ words: each }, index) => each.map((word) => word.replace('word', `w${index}w`)));
  expect(
    words.filter((word) => !pdf.includes(word)),
    whole,
  ).toEqual([]);
});

test('pages and search contain all words of the documentation and of other books', async () => {
  for (const file of getSample(await readCorpora(), 12))
    expect(await getMissing(file)).toEqual({ file, page: [], search: [] });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { isOfAll } from '../support/random.ts';
import { OPS } from './pdfjs.ts';
import { listColoredTexts, readPdf, typesetPages } from './printed.ts';

const read = async (markdown: string) => {
  const result = await typesetPages({ pages: [{ markdown }], hasContents: false });
  return { ...result, ...(await readPdf(result.bytes)) };
};

describe('a book', () => {
  const document = {
    language: 'en',
    pages: [
      {
        id: 'a',
        title: 'Alpha',
        markdown: '# Alpha\n\nSee [beta](b.md#details) and [out](https://out.example/).\n',
        links: { 'b.md#details': 'b#details' },
      },
      { id: 'g', title: 'Group', type: 'group' as const, markdown: '' },
      { id: 'b', title: 'Beta', depth: 1, markdown: 'Text.\n\n## Details\n\nMore of it.\n', links: {} },
      { id: 'l', title: 'Elsewhere', type: 'link' as const, markdown: '', href: 'https://else.example/' },
    ],
  };

  test('has a title page, a table of contents, and its pages in order, without repeating titles', async () => {
    const { texts, labels } = await readPdf((await typesetPages(document)).bytes);

    expect(labels).toEqual(['i', 'ii', '1', '2']);
    expect(texts[0]).toMatch(/The space[\s\S]*Change request #7[\s\S]*22 November 2026/);
    expect(texts[1]).toMatch(/Contents[\s\S]*Alpha\s*1[\s\S]*Group\s*2[\s\S]*Beta\s*2[\s\S]*Elsewhere/);
    expect(texts[2]?.replace(/^Alpha/, '').match(/Alpha/g)).toHaveLength(1);
    expect(texts[3]).toMatch(/Beta[\s\S]*Text\.[\s\S]*Details[\s\S]*More of it\./);
  });

  test('has nested bookmarks for its pages and their headings', async () => {
    const { pdf } = await readPdf((await typesetPages(document)).bytes);
    const getOutlineShape = (items: Awaited<ReturnType<typeof pdf.getOutline>>): unknown[] =>
      items.map(({ title, items: below }) => (below.length === 0 ? title : [title, getOutlineShape(below)]));

    expect(getOutlineShape(await pdf.getOutline())).toEqual(['Alpha', ['Group', [['Beta', ['Details']]]], 'Elsewhere']);
  });

  test('has internal and external links', async () => {
    const { links } = await readPdf((await typesetPages(document)).bytes);

    expect(links).toEqual([
      { from: 2, to: 3 },
      { from: 2, to: 4 },
      { from: 2, to: 4 },
      { from: 2, url: 'https://else.example/' },
      { from: 3, to: 4 },
      { from: 3, url: 'https://out.example/' },
    ]);
  });

  test('has a title, a language and a creator', async () => {
    const { pdf } = await readPdf((await typesetPages(document)).bytes);

    expect((await pdf.getMetadata()).info).toMatchObject({ Title: 'The space', Language: 'en', Producer: 'Octavo' });
  });

  test('without pages is only a title page', async () => {
    const { texts } = await readPdf((await typesetPages({ pages: [] })).bytes);

    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('The space');
  });
});

describe('blocks of a page', () => {
  const short: [name: string, markdown: string, expected: RegExp][] = [
    ['lists', '1. one\n2. two\n   - inner\n', /1\.\s*one[\s\S]*2\.\s*two[\s\S]*inner/],
    ['a hint', '{% hint style="danger" %}\nTake **care**\n{% endhint %}\n', /Take care/],
    ['tabs', '{% tabs %}\n{% tab title="First" %}\nin it\n{% endtab %}\n{% endtabs %}\n', /First[\s\S]*in it/],
    ['a table', '| Name | Size |\n|---|---|\n| x | `12` |\n', /Name[\s\S]*Size[\s\S]*x[\s\S]*12/],
    ['code', '```js\nconst a = "b  c";\n```\n', /const a = "b\s+c";/],
    ['a footnote', 'Text[^1].\n\n[^1]: The note.\n', /Text1[\s\S]*The note\./],
    [
      'a footnote with blocks',
      'Text[^1].\n\n[^1]:\n    The note.\n\n    ```\n    code\n    ```\n\n    - item\n',
      /Text1[\s\S]*1\s+The note\.[\s\S]*code[\s\S]*•?\s*item/,
    ],
    ['a list in a cell', '| A |\n|---|\n| <ul><li>one</li><li>two</li></ul> |\n', /• one\s+• two/],
    ['raw HTML', '<div><script>steal()</script><p>said &amp; done</p></div>\n', /^(?![\s\S]*steal)[\s\S]*said & done/],
    [
      'who is mentioned',
      'Ask @usr_abc123 and\n\n| Who |\n|---|\n| @usr_def456 |\n',
      /Ask @usr_abc123 and[\s\S]*@usr_def456/,
    ],
    ['a heading that mentions', '## For @usr_abc123\n', /For @usr_abc123/],
    [
      'a diagram, whose directives are code',
      "```mermaid\n%%{init: {'securityLevel': 'loose'}}%%\ngraph TD\n```\n",
      /%%\{init: \{'securityLevel': 'loose'\}\}%%[\s\S]*graph TD/,
    ],
    ['mathematics', '$$\nE = mc^2\n$$\n', /E = mc²/],
    ['mathematics in a text', 'So $$\\alpha \\in \\Omega$$ is.\n', /So α ∈ Ω is/],
    ['icons', 'a <i class="fa-github">:github:</i> b <i class="fa-check">:check:</i> c\n', /a \[github\] b ✓ c/],
    ['what is included and not given', '{% include "part.md" %}\n', /part\.md/],
  ];
  let sheets: string[];
  beforeAll(async () => {
    const { bytes } = await typesetPages({ pages: short.map(([, markdown]) => ({ markdown })), hasContents: false });
    sheets = (await readPdf(bytes)).texts;
  });

  test('each short page has its own sheet', () => {
    expect(sheets).toHaveLength(short.length);
  });

  test.each(short.map(([name, , expected], index) => ({ name, expected, index })))(
    'typesets $name',
    ({ expected, index }) => {
      expect(sheets[index]).toMatch(expected);
    },
  );

  test('highlighted text has its color, and an unknown color is ignored', async () => {
    const { pdf } = await read(
      'plain <mark style="color:red;">red</mark> <mark style="color:#123456;">own</mark> <mark style="color:nocolor;">none</mark> <mark style="background-color:yellow;">ground</mark>\n',
    );
    const ink = new Map((await listColoredTexts(pdf, 1)).map(({ text, color }) => [text.trim(), color]));

    expect(ink.get('red')).toBe('#c72121');
    expect(ink.get('own')).toBe('#123456');
    expect(ink.get('none')).toBe(ink.get('plain'));
    const { fnArray, argsArray } = await (await pdf.getPage(1)).getOperatorList();
    const fills = argsArray.flatMap((args, index) => (fnArray[index] === OPS.setFillRGBColor ? [String(args[0])] : []));
    expect(fills).toContain('#eae3c8');
  });

  test.each([
    ['short ones are side by side', 'Words of the second.', true],
    ['long ones are stacked', 'Words of the second. '.repeat(200), false],
  ])('columns: %s', async (_name, second, isBeside) => {
    const { pdf } = await read(
      `Before.\n\n{% columns %}\n{% column %}\n### First\n\n- one\n- two\n{% endcolumn %}\n{% column %}\n### Second\n\n${second}\n{% endcolumn %}\n{% endcolumns %}\n\nAfter.\n`,
    );
    const { items } = await (await pdf.getPage(1)).getTextContent();
    const getPosition = (word: string) => {
      const textItem = items.find((item) => 'str' in item && item.str.startsWith(word));
      return textItem && 'str' in textItem ? textItem.transform.slice(4) : [];
    };
    const [first = [], other = []] = [getPosition('First'), getPosition('Second')];

    expect(other[1] === first[1]).toBe(isBeside);
    expect(other[0] > first[0]).toBe(isBeside);
    if (isBeside) expect(getPosition('After')[1]).toBeLessThan(getPosition('Words')[1]);
  });

  test('code is highlighted, even where lines wrap', async () => {
    const code = `const a = "${'b'.repeat(90)}";`;
    const { pdf } = await read(`\`\`\`js\n${code}\n\`\`\`\n`);
    const ink = (await listColoredTexts(pdf, 1)).filter(({ text }) => /const|bb/.test(text));

    expect(ink.map(({ color }) => color)).toEqual(['#872999', '#1a6b33', '#1a6b33']);
  });

  test('a heading is on the same sheet as the following text', async () => {
    for (let lines = 30; lines < 48; lines += isOfAll ? 2 : 4) {
      const { texts } = await read(`${'A line.\n\n'.repeat(lines)}## The heading\n\nWhat follows.\n`);
      const sheet = texts.findIndex((text) => text.includes('The heading'));
      expect(texts[sheet]).toContain('What follows.');
    }
  });

  test('a table header repeats on every sheet', async () => {
    const { texts } = await read(`| Name | Size |\n|---|---|\n${'| x | 12 |\n'.repeat(120)}`);

    expect(texts.length).toBeGreaterThan(2);
    expect(texts.every((text) => text.includes('Name'))).toBe(true);
  });

  test('a table of a thousand columns is printed as a list', async () => {
    const createRow = (of: (index: number) => string) =>
      `|${Array.from({ length: 1000 }, (_, index) => of(index)).join('|')}|\n`;
    const { text } = await read(
      createRow((index) => `name${index}`) + createRow(() => '-') + createRow((index) => `value${index}`),
    );

    expect(text).toContain('name999: value999');
  });
});

test('only web and mail addresses are links', async () => {
  const markdown =
    '[a](javascript:alert(1)) [b](file:///etc/passwd) [c](mailto:a@b.example) <b onclick="x()">bold</b> (\\) endstream';
  const { links, text } = await read(markdown);

  expect(links).toEqual([{ from: 1, url: 'mailto:a@b.example' }]);
  expect(text).toMatch(/a b c bold \(\) endstream/);
});

test('an embed of any host is a link, and an iframe is dropped', async () => {
  const { links, images, text } = await read(
    '{% embed url="https://video.example/v" %}\n\n<iframe src="https://frame.example/"></iframe>\n\nafter it\n',
  );

  expect(links).toEqual([{ from: 1, url: 'https://video.example/v' }]);
  expect(images).toEqual([]);
  expect(text).not.toContain('frame.example');
});

const scale = isOfAll ? 1 / 5 : 1 / 10;

describe('a hostile page is typeset in limited time, and its text can be extracted', () => {
  test.each([
    ['a line without spaces', 'x'.repeat(1_000_000 * scale), /x{60}/],
    ['code without spaces', `\`\`\`\n${'y'.repeat(300_000 * scale)}\n\`\`\`\n`, /y{60}/],
    ['many marks', `a${'\u0301'.repeat(100_000 * scale)} end`, /end/],
    ['deep hints', `${'{% hint %}\n'.repeat(60)}deep\n${'{% endhint %}\n'.repeat(60)}`, /deep/],
    ['tags that never end', `<div>${'<a'.repeat(400_000 * scale)}\n\nafter it\n`, /after it/],
    ['declarations that never end', `<div>${'<!x'.repeat(300_000 * scale)}\n\nafter it\n`, /after it/],
    ['images that never end', `<div>${'<img '.repeat(200_000 * scale)}\n\nafter it\n`, /after it/],
    ['a long cell', `| a |\n|---|\n| ${'long text '.repeat(20_000 * scale)} |\n`, /long text/],
    [
      'nested lists',
      Array.from({ length: 20_000 * scale }, (_, index) => `${'  '.repeat(index % 60)}- item`).join('\n'),
      /item/,
    ],
  ])('%s', async (_name, markdown, expected) => {
    expect(
      (await typesetPages({ pages: [{ markdown }], hasContents: false }).then(({ bytes }) => readPdf(bytes))).text,
    ).toMatch(expected);
  });
});

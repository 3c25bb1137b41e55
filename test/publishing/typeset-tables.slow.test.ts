import { describe, expect, test } from 'vitest';
import { createPng, getSizes, listDrawnBoxes, readPdf, typesetPages } from './printed.ts';

const read = async (markdown: string, images: Record<string, Uint8Array> = {}) => {
  const { bytes } = await typesetPages({ pages: [{ markdown }], images, hasContents: false });
  return readPdf(bytes);
};

const createTable = (words: string[], rows = 1) =>
  `| ${words.join(' | ')} |\n|${'---|'.repeat(words.length)}\n${`| ${words.join(' | ')} |\n`.repeat(rows)}`;
const createHtml = (attributes: string, heads: string[], ...rows: string[][]) =>
  `<table${attributes}><thead><tr>${heads.map((head) => `<th${head}`).join('</th>')}</th></tr></thead><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</tbody></table>\n`;

describe('a wide table', () => {
  const long = ['internationalization', 'configuration_option', 'code_identifier_long', 'another_long_word'];

  test('gets a smaller but readable font, without breaking words', async () => {
    const [usual, smaller] = [
      await read(createTable(long)),
      await read(createTable([...long, 'authentication', 'shortish'])),
    ];
    const getHeight = async ({ pdf }: typeof usual) => {
      const { items } = await (await pdf.getPage(1)).getTextContent();
      return items.flatMap((item) => ('str' in item && item.str === 'internationalization' ? [item.height] : []));
    };

    expect((await getHeight(usual))[0]).toBeCloseTo(8.8, 1);
    const [, height = 0] = await getHeight(smaller);
    expect(height).toBeGreaterThanOrEqual(6.4);
    expect(height).toBeLessThan(8.7);
    expect(await getSizes(smaller.pdf)).toEqual([[595, 842]]);
  });

  test('gets a landscape sheet with its headings, and the following text is in portrait again', async () => {
    const words = [...long, 'authentication', 'authorization', 'representative', 'another_word'];
    const { pdf, texts } = await read(`before\n\n## Above\n\n### Heading\n\n${createTable(words)}\nafter\n`);

    expect(await getSizes(pdf)).toEqual([
      [595, 842],
      [842, 595],
      [595, 842],
    ]);
    expect(texts[1]).toMatch(/Above[\s\S]*Heading[\s\S]*internationalization\s*configuration_option/);
    expect([texts[0], texts[2]]).toEqual([expect.stringContaining('before'), expect.stringContaining('after')]);
    const { items } = await (await pdf.getPage(2)).getTextContent();
    for (const item of items) if ('str' in item) expect(item.transform[4] + item.width).toBeLessThanOrEqual(842 - 72);
  });

  test('in a hint or a list only gets a smaller font, and is not cut off', async () => {
    const words = [...long, 'authentication', 'authorization'];
    const { pdf, text } = await read(`{% hint style="info" %}\n${createTable(words)}{% endhint %}\n`);

    expect(await getSizes(pdf)).toEqual([[595, 842]]);
    for (const word of words) expect(text.replace(/\s/g, '')).toContain(word);
  });

  test('at the end of a page leaves no empty sheet', async () => {
    const words = [...long, 'authentication', 'authorization', 'representative', 'another_word'];
    const { bytes } = await typesetPages({
      pages: [{ markdown: createTable(words) }, { markdown: 'next\n' }],
      hasContents: false,
    });
    const { pdf, texts } = await readPdf(bytes);

    expect(await getSizes(pdf)).toEqual([
      [595, 842],
      [842, 595],
      [595, 842],
    ]);
    expect(texts[2]).toContain('next');
  });
});

test('omits hidden columns and hidden headers', async () => {
  const { text } = await read(
    createHtml(' data-header-hidden', ['>HeadA', ' data-hidden>HeadB', '>HeadC'], ['one', 'secret', 'three']),
  );

  expect(text).toMatch(/one\s*three/);
  expect(text).not.toMatch(/secret|Head/);
});

describe('cards', () => {
  const createCard = (name: string, address: string, cover = '') => [
    `<strong>${name}</strong>`,
    `says ${name}`,
    `<a href="${address}">hidden ${name}</a>`,
    cover && `<a href="${cover}">${cover}</a>`,
  ];
  const heads = ['>', '>', ' data-hidden data-card-target data-type="content-ref">', ' data-hidden data-card-cover>'];
  const createCards = (...rows: string[][]) => createHtml(' data-view="cards"', heads, ...rows);

  test('are side by side with their covers, each one link, without hidden columns', async () => {
    const { pdf, text, links } = await read(
      createCards(
        createCard('One', 'https://one.example/', 'a.png'),
        createCard('Two', 'https://two.example/'),
        createCard('Three', ''),
      ),
      { 'a.png': createPng(40, 20) },
    );
    const { items } = await (await pdf.getPage(1)).getTextContent();
    const getPosition = (word: string) =>
      items.flatMap((item) => ('str' in item && item.str === word ? [item.transform.slice(4)] : []))[0];

    expect(text).not.toMatch(/hidden|a\.png/);
    const [one, two, three] = ['says One', 'says Two', 'says Three'].map(getPosition);
    expect(two?.[0]).toBeGreaterThan(one?.[0] + 100);
    expect(three?.[0]).toBeGreaterThan(two?.[0] + 100);
    expect(two?.[1]).toBe(three?.[1]);
    expect(links.map(({ url }) => url)).toEqual(['https://one.example/', 'https://two.example/']);
    expect(await listDrawnBoxes(pdf, 1)).toHaveLength(1);
  });

  test('become a list if one is longer than a sheet', async () => {
    expect((await read(createCards([`${'word '.repeat(5_000)}last`, '', '', ''], createCard('Two', '')))).text).toMatch(
      /last[\s\S]*says Two/,
    );
  });
});

describe('images in paragraphs and tables', () => {
  const images = { 'icon.png': createPng(16, 16), 'wide.png': createPng(600, 300) };

  test('with the height of an icon stay in their line', async () => {
    const { pdf, text } = await read('before ![icon](icon.png) after\n', images);
    const { items } = await (await pdf.getPage(1)).getTextContent();
    const words = items.flatMap((item) => ('str' in item && /before|after/.test(item.str) ? [item] : []));
    const [image] = await listDrawnBoxes(pdf, 1);

    expect(text).not.toContain('icon');
    expect(words.map(({ transform }) => transform[5])).toEqual([words[0]?.transform[5], words[0]?.transform[5]]);
    expect(image).toMatchObject({ width: 12, height: 12 });
    expect(image?.x).toBeGreaterThanOrEqual((words[0]?.transform[4] ?? 0) + (words[0]?.width ?? 0) - 1);
    expect((image?.x ?? 0) + 12).toBeLessThanOrEqual((words[1]?.transform[4] ?? 0) + 1);
    expect(Math.abs((image?.y ?? 0) - words[0]?.transform[5])).toBeLessThan(4);
  });

  test('are as high as the line if their size is `line`, and are figures if they are large', async () => {
    const { pdf } = await read('a <img src="wide.png" alt="" data-size="line"> b ![](wide.png) c\n', images);
    const [inLine, own] = await listDrawnBoxes(pdf, 1);

    expect(inLine?.height).toBeCloseTo(12.5, 1);
    expect(own?.width).toBeCloseTo(450, 0);
  });

  test('in a table fit into their column, and missing images are replaced by their text', async () => {
    const { pdf, text } = await read(
      '| ![a](wide.png) | ![b](icon.png) |\n|---|---|\n| ![lost](x.png) | y |\n',
      images,
    );
    const [wide, icon] = await listDrawnBoxes(pdf, 1);

    expect(wide?.width).toBeGreaterThan(100);
    expect(wide?.width).toBeLessThan(430);
    expect(icon).toMatchObject({ width: 12, height: 12 });
    expect(text).toContain('[lost]');
  });

  test('at the start of a row longer than a sheet are drawn even with little space left', async () => {
    const row = `| ![a](tall.png) ${'word '.repeat(4_000)}| y |\n`;
    const markdown = [17, 20, 23].map(
      (count) => `${'before\n\n'.repeat(count)}| A | B |\n|---|---|\n| x | y |\n${row}`,
    );
    const pages = markdown.map((each) => ({ markdown: each }));
    const { bytes } = await typesetPages({ pages, images: { 'tall.png': createPng(200, 400) }, hasContents: false });
    const { pdf } = await readPdf(bytes);
    const sheets = Array.from({ length: pdf.numPages }, (_, index) => listDrawnBoxes(pdf, index + 1));
    const drawn = (await Promise.all(sheets)).flat();

    expect(drawn).toHaveLength(3);
    for (const { y } of drawn) expect(y).toBeGreaterThan(70);
  });

  test('are links if they are linked', async () => {
    const { links } = await read('[![a](icon.png)](https://one.example/) and ![](icon.png)\n', images);

    expect(links).toEqual([{ from: 1, url: 'https://one.example/' }]);
  });
});

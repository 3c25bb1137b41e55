import { describe, expect, test } from 'vitest';
import { createPng, listDrawnBoxes, readPdf, typesetPages } from './printed.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const read = async (markdown: string, images: Record<string, Uint8Array> = {}) => {
  const result = await typesetPages({ pages: [{ markdown }], images, hasContents: false });
  return { ...result, ...(await readPdf(result.bytes)) };
};

const createSvg = (inside: string, before = '') =>
  encode(
    `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="60">${inside}</svg>`,
  );
const bomb = Array.from(
  { length: 20 },
  (_, index) => `<g id="g${index + 1}">${`<use xlink:href="#g${index}"/>`.repeat(10)}</g>`,
);

/** Builds a GIF of two frames with alternating pixels in two colors. The second color is transparent. */
function createGif(width: number, height: number): Uint8Array {
  const toBytes = (value: number) => [value & 255, value >> 8];
  const size = [...toBytes(width), ...toBytes(height)];
  const control = [0x21, 0xf9, 4, 1, 0, 0, 1, 0];
  // LZW codes of three bits: clear, 0, 1, three times, then the end code.
  const codes = [4, 0, 1, 4, 0, 1, 4, 0, 1, 5];
  const bits = codes.reduce((sum, code, index) => sum | (BigInt(code) << BigInt(3 * index)), 0n);
  const packed = Array.from({ length: 4 }, (_, index) => Number((bits >> BigInt(8 * index)) & 255n));
  const frame = [...control, 0x2c, 0, 0, 0, 0, ...size, 0, 2, packed.length, ...packed, 0];
  const header = [...Buffer.from('GIF89a'), ...size, 0x80, 0, 0, 255, 0, 0, 0, 0, 255];
  return new Uint8Array([...header, ...frame, ...frame, 0x3b]);
}

describe('images', () => {
  const count = (bytes: Uint8Array, what: RegExp) => (Buffer.from(bytes).toString('latin1').match(what) ?? []).length;

  test('are embedded once, however often they are used', async () => {
    const { bytes } = await read('![One](a.png)\n\n![Two](b.png)\n', {
      'a.png': createPng(4, 4),
      'b.png': createPng(4, 4),
    });

    expect(count(bytes, /\/Subtype \/Image/g)).toBe(2);
    expect(count(bytes, /\/SMask \d/g)).toBe(1);
  });

  test('in GIF show their first frame with transparency', async () => {
    const { bytes, pdf } = await read('![One](a.gif)\n', { 'a.gif': createGif(3, 2) });

    expect(await listDrawnBoxes(pdf, 1)).toEqual([expect.objectContaining({ width: 3 * 0.75, height: 2 * 0.75 })]);
    expect(count(bytes, /\/SMask \d/g)).toBe(1);
  });

  test.each([
    ['is missing', undefined],
    ['has another format', encode('GIF89a')],
    ['is a GIF that ends too early', createGif(3, 2).slice(0, 36)],
    ['is a GIF with too many pixels', createGif(60_000, 60_000)],
    ['is too large to be shown', createPng(20_000, 20_000, 1)],
    ['has fewer pixels than its header states', createPng(10, 10, 3)],
  ])('are replaced by their alternative text if the file %s', async (_name, file) => {
    const { text, bytes } = await read('![The words](a.png)\n', file === undefined ? {} : { 'a.png': file });

    expect(text).toContain('The words');
    expect(count(bytes, /\/Subtype \/(?:Image|Form)/g)).toBe(0);
  });

  test('in SVG format stay vector graphics, with their text', async () => {
    const { text, bytes } = await read('![The words](a.svg)\n', {
      'a.svg': createSvg('<rect width="9" height="9"/><text y="20">日 drawn</text>'),
    });

    expect(text).toContain('日 drawn');
    expect(count(bytes, /\/Subtype \/Form/g)).toBe(1);
  });

  test('in SVG format with a serif font keep their text within its shapes', async () => {
    const createSvgText = (family: string) => `<text y="20" font-size="14" font-family="${family}">capacity</text>`;
    const getSize = async (family: string) => {
      const { pdf } = await read('![](a.svg)\n', { 'a.svg': createSvg(createSvgText(family)) });
      const { items } = await (await pdf.getPage(1)).getTextContent();
      return items.find((item) => 'str' in item && item.str === 'capacity');
    };

    const [narrow, usual] = [await getSize('Times,serif'), await getSize('Arial')];
    expect(narrow).toMatchObject({ width: expect.closeTo(14 * 0.75 * 0.86 * 3.82, 0) });
    expect(usual).toMatchObject({ width: expect.closeTo(14 * 0.75 * 3.82, 0) });
  });

  test.each([
    ['declares entities', createSvg('<text>&x;</text>', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>')],
    ['uses itself without end', createSvg('<g id="a"><use xlink:href="#a"/></g>')],
    [
      'expands exponentially through uses',
      createSvg(`<g id="g0"><rect width="1" height="1"/></g>${bomb.join('')}<use xlink:href="#g20"/>`),
    ],
    ['is too large', createSvg(`<path d="${'M0 0'.repeat(300_000)}"/>`)],
  ])('are omitted, except for their alternative text, if the SVG %s', async (_name, file) => {
    const { text, bytes } = await read('![The words](a.svg)\n', { 'a.svg': file });

    expect(text).toContain('The words');
    expect(count(bytes, /\/Subtype \/Form/g)).toBe(0);
  });

  test('are requested only if the text contains them', async () => {
    const inside = `<image xlink:href="file:///etc/passwd" width="9" height="9"/><style>@import url(http://a.example/);rect{fill:url(http://a.example/)}</style>
      <rect width="9" height="9" fill="url(http://a.example/#a)"/><use xlink:href="http://a.example/#a"/><foreignObject><iframe src="file:///etc/passwd"/></foreignObject>`;
    const markdown =
      '![The words](a.svg)\n\n<link rel="attachment" href="file:///etc/passwd">\n\n<iframe src="php://filter"></iframe>\n';
    const { images, bytes, links } = await read(markdown, { 'a.svg': createSvg(inside) });

    expect(images).toEqual(['a.svg']);
    expect(links).toEqual([]);
    expect(count(bytes, /\/Subtype \/Image|passwd|a\.example/g)).toBe(0);
  });

  test.each([
    ['comments that never end', createSvg(`<style>${'/* '.repeat(300_000)}</style><rect width="9" height="9"/>`)],
    [
      'a width of a million digits',
      encode(`<svg xmlns="http://www.w3.org/2000/svg" width="${'1'.repeat(1_000_000)}!"/>`),
    ],
  ])('in SVG format with %s take limited time', async (_name, file) => {
    expect((await read('![The words](a.svg)\n\nafter it\n', { 'a.svg': file })).text).toContain('after it');
  });
});

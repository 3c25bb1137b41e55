import { describe, expect, test } from 'vitest';
import { getFaults } from './pdf/sound-pdf.ts';
import { OPS } from './pdfjs.ts';
import { readPdf, typesetPages } from './printed.ts';

const read = async (markdown: string) => {
  const result = await typesetPages({ pages: [{ markdown }], hasContents: false });
  return { ...result, ...(await readPdf(result.bytes)) };
};

describe('characters in a PDF', () => {
  const samples = {
    Latin: 'Čeština Tiếng Việt Íslenska',
    Greek: 'Η γρήγορη αλεπού',
    Cyrillic: 'Съешь же ещё',
    Japanese: 'これは日本語の文章です。',
    Chinese: '汉字简体中文',
    Korean: '모든 국민은 법',
    Armenian: 'Բոլոր մարդիկ',
    Devanagari: 'सभी मनुष्य',
    Ethiopic: 'የሰው ልጅ',
    Georgian: 'ყველა ადამიანი',
    Lao: 'ມະນຸດທຸກຄົນ',
    signs: '→ ⇒ ≤ ∑ € ™ ✓ ★ ☑',
    boxes: '┌──┬──┐ │█░│',
    emoji: '🎉 👍🏽 🇯🇵 ❤️ 👩‍👩‍👧',
  };

  test.each(Object.entries(samples))('of %s can be extracted as text', async (_name, sample) => {
    const { text } = await read(`Start ${sample} end\n\n\`\`\`\n${sample}\n\`\`\`\n`);
    const removeInvisible = (value: string) => value.replace(/\s|\uFE0F|\u200D|\p{EMod}/gu, '');

    expect(removeInvisible(text).split(removeInvisible(sample))).toHaveLength(3);
    expect(text).not.toMatch(/\[U\+/);
  });

  test('of all scripts on one page have glyphs, in every style', async () => {
    const all = Object.values(samples).join(' ');
    const markdown = `# ${all}\n\n**${all}** *${all}* \`${all}\`\n\n| ${all} |\n|---|\n| x |\n\n\`\`\`\n${all}\n\`\`\`\n`;

    expect(await getFaults((await typesetPages({ pages: [{ title: all, markdown }] })).bytes)).toEqual({
      warnings: [],
      missingGlyphs: [],
    });
  });

  test.each([
    ['bengali', 'সমস্ত মানুষ ক্ষমতা'],
    ['gujarati', 'બધા મનુષ્યો'],
    ['gurmukhi', 'ਸਾਰੇ ਮਨੁੱਖ'],
    ['kannada', 'ಎಲ್ಲಾ ಮಾನವರು'],
    ['khmer', 'មនុស្សទាំងអស់'],
    ['malayalam', 'മനുഷ്യരെല്ലാവരും'],
    ['myanmar', 'လူတိုင်းသည်'],
    ['sinhala', 'සියලු මනුෂ්‍යයෝ'],
    ['tamil', 'மனிதப் பிறவியினர்'],
    ['telugu', 'మానవులందరు'],
    ['oriya', 'ସମସ୍ତ ମନୁଷ୍ୟ'],
  ])('of the script %s are shaped by its font', async (name, sample) => {
    const { bytes, fonts, missing } = await read(`${sample} **${sample}**\n`);

    expect([missing, fonts]).toEqual([[], expect.arrayContaining([name, `${name}-bold`])]);
    expect(await getFaults(bytes)).toEqual({ warnings: [], missingGlyphs: [] });
  });

  test.each([
    ['Hebrew', 'שלום עולם (אחת) 12 words', /words.*12.*\)/],
    ['Arabic', 'هذا نص (واحد) 12 words', /words.*12.*\)/],
  ])('of %s are right-to-left and right-aligned', async (_name, sample, visual) => {
    const { pdf, text } = await read(`${sample}\n`);
    const { items } = await (await pdf.getPage(1)).getTextContent();
    const line = items.flatMap((item) =>
      'str' in item && item.transform[5] < 720 && item.transform[5] > 100 && item.height > 9 ? [item] : [],
    );
    const byPlace = line.toSorted((one, other) => one.transform[4] - other.transform[4]);
    const last = byPlace.at(-1);

    expect(text).not.toMatch(/\[U\+/);
    expect(byPlace.map(({ str }) => str).join(' ')).toMatch(visual);
    expect(Math.abs(last?.transform[4] + last?.width - (595.28 - 72))).toBeLessThan(2);
  });

  test('of Thai wrap between words', async () => {
    const sentence = 'ภาษาไทยเป็นภาษาที่เขียนติดกัน';
    const { pdf, fonts } = await read(`${sentence.repeat(8)}\n`);
    const { items } = await (await pdf.getPage(1)).getTextContent();
    const lines = new Map<number, string>();
    for (const item of items)
      if ('str' in item && /[\u0E00-\u0E7F]/.test(item.str))
        lines.set(item.transform[5], (lines.get(item.transform[5]) ?? '') + item.str);
    const words = new Intl.Segmenter('th', { granularity: 'word' }).segment(sentence.repeat(8));
    const ends = new Set(Array.from(words, ({ index }) => index));
    let length = 0;
    const breaks = [...lines.values()].slice(0, -1).map((line) => {
      length += line.length;
      return ends.has(length);
    });

    expect(fonts).toContain('thai');
    expect(breaks).toEqual(breaks.map(() => true));
    expect(breaks.length).toBeGreaterThan(1);
  });

  test('without a font are set as code points; control characters are dropped', async () => {
    const { text, fonts, missing } = await read('a\u0001b \u0F40 c \u{16A0}\u13A0\u0F40\n');

    expect(text).toMatch(/ab \[U\+0F40\] c/);
    expect(missing).toEqual(['Cherokee', 'Tibetan', 'U+1600 to U+16FF']);
    expect((await read('Plain \u00E9 \u200B\uFE0F.\n')).missing).toEqual([]);
    expect(fonts).not.toContain('sc');
  });

  test('for TeX commands and icons all have a glyph', async () => {
    const signs =
      'Alpha Gamma Omega varphi times div pm cdot le ge ne approx equiv propto infty sum prod int partial nabla in ni subset supset subseteq supseteq cup cap forall exists to leftarrow Rightarrow Leftrightarrow ldots cdots land lor neg perp angle therefore because sqrt';
    const tex = signs.split(' ').map((sign) => `\\${sign}`);
    const icons = ['check', 'square-check', 'xmark', 'minus', 'star', 'circle', 'arrow-up', 'chevron-right'];
    const markdown = `$$\n${tex.join(' ')} x^{0123456789+-ni} x_{0123456789+-}\n$$\n\n${icons
      .map((name) => `<i class="fa-${name}">:${name}:</i>`)
      .join(' ')}\n`;

    expect((await read(markdown)).missing).toEqual([]);
  });

  test('that are symbols all have a glyph', async () => {
    const symbols = '→ ⇒ ↦ ≤ ∞ √ ✓ ✗ ✘ ★ ☐ ☑ ☒ ␣ ⌘ ⌥ ⏎ ⌫ ⇥ ① ½ € ₹ ₿ ➜ ❯ │ ▓ 𝑎 ℝ ⟨';
    const { missing, text } = await read(`${symbols} ⌃\n\n\`${symbols}\`\n`);

    expect(missing).toEqual([]);
    expect(text).not.toContain('[U+');
    expect(text).toContain('✗');
    expect(text).toContain('☐');
  });

  test('that are emoji are colored, and can be searched and copied', async () => {
    const { pdf, fonts, text } = await read('Done 🎉 now\n');
    const { fnArray, argsArray } = await (await pdf.getPage(1)).getOperatorList();
    const begin = fnArray.indexOf(OPS.paintFormXObjectBegin);
    const fills = argsArray.slice(begin).filter((_, index) => fnArray[begin + index] === OPS.setFillRGBColor);

    expect(fonts).toContain('emoji-color');
    expect(fonts).not.toContain('emoji');
    expect(begin).toBeGreaterThan(0);
    expect(new Set(fills.map(([color]: string[]) => color)).size).toBeGreaterThan(4);
    expect(text).toMatch(/Done 🎉 now/);
  });

  test('load only the fonts that they need', async () => {
    expect((await read('Plain text.\n')).fonts.toSorted()).toEqual(['sans', 'sans-bold']);
  });
});

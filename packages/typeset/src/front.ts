import type { Book } from './book.ts';
import { type Flow, margins } from './flow.ts';
import { removeUnsupported } from './fonts.ts';
import { getName } from './headings.ts';
import { colors, drawStroke } from './ink.ts';
import type { Line, Span } from './line.ts';
import { prepareSpans } from './lines.ts';
import { formatNumber, type LinkEnd, pageSize } from './paper.ts';

const LEADING = 17;
const INDENT = 15;
const MAX_INDENTS = 8;

/** Typesets the title page. */
export async function typesetTitlePage(flow: Flow, { title, subtitle, date }: Book): Promise<void> {
  flow.footer = [];
  flow.setOrientation(false);
  flow.startSheet();
  flow.y = pageSize.height * 0.3;
  const put = async (text: string, leading: number, style: Span['style']) => {
    const lines = await flow.compose(await prepareSpans(flow.fonts, [{ text, style }]));
    for (const line of lines.slice(0, 8)) flow.drawLine(line, leading);
  };
  await put(title, 40, { size: 32, bold: true, color: colors.text });
  if (subtitle !== undefined && subtitle !== '') {
    flow.moveDown(8);
    await put(subtitle, 22, { size: 15, color: colors.soft });
  }
  flow.moveDown(18);
  flow.paper.mark(
    drawStroke(colors.link, 2, [
      [flow.left, flow.y],
      [flow.left + 64, flow.y],
    ]),
  );
  flow.moveDown(16);
  await put(date, 16, { size: 10.5, color: colors.soft });
}

export interface ContentsEntry {
  title: string;
  depth: number;
  number: number | undefined;
  target: LinkEnd | undefined;
}

const CONTENTS: Record<string, string> = {
  ja: '目次',
  zh: '目录',
  ko: '목차',
  de: 'Inhalt',
  fr: 'Sommaire',
  es: 'Índice',
  it: 'Indice',
  pt: 'Índice',
  ru: 'Содержание',
  el: 'Περιεχόμενα',
};

/** Typesets the table of contents. Each entry is a link with a sheet number. */
export async function typesetContents(flow: Flow, book: Book, entries: ContentsEntry[]): Promise<void> {
  const heading = CONTENTS[(book.language ?? '').slice(0, 2).toLowerCase()] ?? 'Contents';
  flow.footer = await prepareSpans(flow.fonts, [{ text: book.title, style: { size: 8, color: colors.soft } }]);
  const first = flow.paper.sheets;
  flow.numberOf = (sheet) => toRomanNumeral(sheet - first + 1);
  flow.startSheet();
  const title = await prepareSpans(flow.fonts, [
    { text: heading, style: { size: 20, bold: true, color: colors.text } },
  ]);
  await flow.addLines(await flow.compose(title), 30);
  flow.addSpace(10);
  for (const entry of entries) {
    await typesetEntry(flow, entry);
    await flow.paper.flush();
  }
}

async function typesetEntry(flow: Flow, { title, depth, number: sheet, target }: ContentsEntry): Promise<void> {
  const isTop = depth === 0;
  const style = { size: 10, bold: isTop, color: colors.text };
  const indent = Math.min(depth, MAX_INDENTS) * INDENT;
  const text = removeUnsupported(title).trim() || '–';
  const spans = await prepareSpans(flow.fonts, [{ text, style }]);
  const lines = (await flow.compose(spans, flow.width - indent - 40)).slice(0, 4);
  if (isTop) flow.addSpace(4);
  flow.ensureRoom(lines.length * LEADING);
  const top = flow.y;
  for (const line of lines) flow.drawLine(line, LEADING, flow.left + indent);
  const right = pageSize.width - margins.right;
  const y = flow.y - LEADING * 0.28;
  if (sheet !== undefined) {
    await flow.fonts.prepare('0', style);
    const width = flow.drawText([{ text: String(sheet), style }], { x: right, y, align: 'right' });
    drawLeader(flow, { from: flow.left + indent + (lines.at(-1) as Line).width + 6, to: right - width - 6, y });
  }
  const box = { x: flow.left + indent, y: top, width: right - flow.left - indent, height: flow.y - top };
  if (target !== undefined) flow.paper.link(box, target);
}

/** Draws dots from the title to the number. */
function drawLeader({ paper }: Flow, { from, to, y }: { from: number; to: number; y: number }): void {
  if (to - from < 8) return;
  const start = Math.ceil(from / 4) * 4;
  const path = `${formatNumber(start)} ${formatNumber(y)} m ${formatNumber(to)} ${formatNumber(y)} l S`;
  paper.mark(`q 1 J ${colors.soft} RG 0.8 w [0 4] 0 d ${path} Q`);
}

const NUMERALS: [number, string][] = [
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function toRomanNumeral(value: number): string {
  let [remaining, text] = [value, ''];
  for (const [size, sign] of NUMERALS) for (; remaining >= size; remaining -= size) text += sign;
  return text;
}

export const createPageTarget = (page: number): LinkEnd => ({ name: getName(page), fallback: getName(page) });

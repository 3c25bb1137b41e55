import { isGutter } from './code-block.ts';
import { createElement, createTextNode, type Element, getAttribute, getElements, isElement } from './html-tree.ts';
import { WebPageError } from './measure-html.ts';

type Children = Element['children'];
type Simplify = (node: Element) => Children;

const maxColumns = 100;
const maxCells = 20_000;
const blocks = new Set(
  'p div ul ol li blockquote h1 h2 h3 h4 h5 h6 hr octavo-code octavo-hint octavo-details octavo-embed octavo-tabs octavo-tab octavo-stepper octavo-step octavo-cards table'.split(
    ' ',
  ),
);

/**
 * Simplifies a table to rows and cells. A table that only contains code, or is used for layout, is replaced by its
 * content.
 */
export function simplifyTable(table: Element, simplify: Simplify): Children {
  const rows = getRows(table);
  const cells = rows.flatMap(({ children }) => children.filter(isElement));
  const contentCells = cells.filter((cell) => !isGutter(cell));
  const hasHeader = cells.some(({ tagName }) => tagName === 'th');
  const isLayout =
    getAttribute(table, 'role') === 'presentation' || (!hasHeader && rows.length <= 1 && cells.length <= 1);
  const isCode = contentCells.length < cells.length && contentCells.every((cell) => hasCode(cell));
  if (isLayout || isCode || cells.length === 0) return contentCells.map((cell) => createElement('div', simplify(cell)));
  const caption = table.children.filter(isElement).find(({ tagName }) => tagName === 'caption');
  const captionNodes = caption ? simplify(caption) : [];
  const tableRows = getGrid(rows).map((row) =>
    createElement(
      'tr',
      row.map((cell) => (cell ? getCell(cell, simplify) : createElement('td', []))),
    ),
  );
  return [
    ...(captionNodes.length > 0 ? [createElement('p', captionNodes)] : []),
    createElement('table', [createElement('tbody', tableRows)]),
  ];
}

const hasCode = (cell: Element): boolean => [...getElements(cell)].some(({ tagName }) => tagName === 'pre');

function getRows(table: Element): Element[] {
  const rows: Element[] = [];
  for (const part of table.children.filter(isElement)) {
    if (part.tagName === 'tr') rows.push(part);
    if (!['thead', 'tbody', 'tfoot'].includes(part.tagName)) continue;
    rows.push(...part.children.filter(isElement).filter(({ tagName }) => tagName === 'tr'));
  }
  return rows.map((row) => ({
    ...row,
    children: row.children.filter((each) => isElement(each) && (each.tagName === 'td' || each.tagName === 'th')),
  }));
}

/** Returns the cells of each row. Positions that a cell spans into are undefined. */
function getGrid(rows: Element[]): (Element | undefined)[][] {
  /** For each column, the number of following rows into which a cell extends. */
  const spans: number[] = [];
  let count = 0;
  return rows.map((row) => {
    const line: (Element | undefined)[] = [];
    const skipSpannedCells = (): void => {
      for (let span = spans[line.length] ?? 0; span > 0; span = spans[line.length] ?? 0) {
        spans[line.length] = span - 1;
        line.push(undefined);
      }
    };
    for (const cell of row.children.filter(isElement)) {
      skipSpannedCells();
      if (line.length >= maxColumns) break;
      const rowsBelow = getSpan(cell, 'rowSpan') - 1;
      for (let span = getSpan(cell, 'colSpan'); span > 0 && line.length < maxColumns; span -= 1) {
        spans[line.length] = rowsBelow;
        line.push(span === getSpan(cell, 'colSpan') ? cell : undefined);
      }
    }
    skipSpannedCells();
    count += line.length;
    if (count > maxCells) throw new WebPageError(`The page has a table with more than ${maxCells} cells.`);
    return line;
  });
}

function getSpan(cell: Element, name: 'colSpan' | 'rowSpan'): number {
  const span = Number.parseInt(getAttribute(cell, name) ?? '1', 10);
  return span > 1 ? Math.min(span, maxColumns) : 1;
}

function getCell(cell: Element, simplify: Simplify): Element {
  const align =
    getAttribute(cell, 'align') ??
    /text-align:\s{0,9}(left|center|right)/.exec(getAttribute(cell, 'style')?.slice(0, 500) ?? '')?.[1];
  return createElement(cell.tagName, joinOnOneLine(simplify(cell)), {
    ...(align && { align }),
  });
}

/** Puts the content of a cell on one line: blocks are separated by line breaks, code is inline. */
function joinOnOneLine(children: Children): Children {
  const line: Children = [];
  const startLine = (): void => {
    const last = line.at(-1);
    if (last && !(last.type === 'element' && last.tagName === 'br')) line.push(createElement('br', []));
  };
  const add = (nodes: Children): void => {
    for (const node of nodes) {
      if (node.type !== 'element' || !blocks.has(node.tagName)) {
        if (node.type !== 'text' || node.value.trim() !== '' || line.length > 0) line.push(node);
        continue;
      }
      startLine();
      if (node.tagName === 'octavo-code') add(toCodeLines(String(node.properties.code)));
      else if (node.tagName === 'octavo-embed')
        line.push(
          createElement('a', [createTextNode(String(node.properties.url))], { href: String(node.properties.url) }),
        );
      else if (node.tagName === 'li') add([createTextNode('• '), ...node.children]);
      else add(node.children);
      startLine();
    }
  };
  add(children);
  while (isEmpty(line.at(-1))) line.pop();
  return line;
}

const toCodeLines = (code: string): Children =>
  code
    .split('\n')
    .flatMap((text) =>
      text.trim() === '' ? [] : [createElement('code', [createTextNode(text)]), createElement('br', [])],
    );

const isEmpty = (node: Children[number] | undefined): boolean =>
  node !== undefined &&
  ((node.type === 'text' && node.value.trim() === '') || (node.type === 'element' && node.tagName === 'br'));

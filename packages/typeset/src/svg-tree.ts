import { type SaxesAttribute, SaxesParser } from 'saxes';

export interface SvgElement {
  name: string;
  attributes: Map<string, string>;
  children: (SvgElement | string)[];
}

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;
const MAX_ELEMENTS = 20_000;
/** The maximum number of characters in paths and other values, counted each time they are drawn. */
const MAX_DRAWN = 4 * 1024 * 1024;

const ELEMENTS = new Set(
  `svg g a defs symbol use path rect circle ellipse line polyline polygon text tspan textPath title desc switch
   linearGradient radialGradient stop clipPath mask pattern marker style`.split(/\s+/),
);
/** Elements that are replaced by their content. */
const GROUPS = new Set(['a', 'switch']);

/**
 * Reads an SVG with only shapes and text, and only references within itself. Returns undefined if it is not an SVG,
 * declares entities, or would be too expensive to draw.
 */
export function readSvg(bytes: Uint8Array): SvgElement | undefined {
  if (bytes.length > MAX_BYTES) return undefined;
  try {
    const root = parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
    return root?.name === 'svg' && isBounded(root) ? root : undefined;
  } catch {
    return undefined;
  }
}

function parse(text: string): SvgElement | undefined {
  const parser = new SaxesParser({ xmlns: false });
  const open: SvgElement[] = [];
  let [root, skipped, count]: [SvgElement | undefined, number, number] = [undefined, 0, 0];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) throw new Error('The SVG declares entities.');
  });
  parser.on('opentag', ({ name, attributes }) => {
    count += 1;
    if (count > MAX_ELEMENTS || open.length > MAX_DEPTH) throw new Error('The SVG is too large.');
    const local = name.replace(/^svg:/, '');
    if (skipped > 0 || !ELEMENTS.has(local)) {
      skipped += 1;
      return;
    }
    const element = { name: GROUPS.has(local) ? 'g' : local, attributes: toOwnAttributes(attributes), children: [] };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => {
    if (skipped > 0) skipped -= 1;
    else open.pop();
  });
  const put = (content: string) => {
    if (skipped > 0) return;
    const parent = open.at(-1);
    parent?.children.push(parent.name === 'style' ? cleanStyle(content) : content);
  };
  parser.on('text', put);
  parser.on('cdata', put);
  parser.write(text).close();
  return root;
}

const cleanStyle = (css: string): string =>
  css
    .replaceAll('\\', '')
    .replace(/\/\*[\s\S]*?(?:\*\/|$)/g, '')
    .replace(/@[^{};]*;?/g, '')
    .replace(/url\s*\([^)]*\)?/gi, 'none');

function toOwnAttributes(attributes: Record<string, string | SaxesAttribute>): Map<string, string> {
  const ownAttributes = new Map<string, string>();
  for (const [name, rawValue] of Object.entries(attributes)) {
    const value = String(rawValue);
    if (/^on/i.test(name) || name === 'xml:base') continue;
    if (name === 'href' || name === 'xlink:href') {
      if (/^#[^\s"'()]+$/.test(value)) ownAttributes.set('xlink:href', value);
    } else ownAttributes.set(name, value.replace(/url\s*\(\s*(?!['"]?#)[^)]*\)?/gi, 'none'));
  }
  return ownAttributes;
}

interface Cost {
  elements: number;
  drawnCount: number;
}

/** Whether the drawing stays within the limits. Each element counts as often as it is drawn. */
function isBounded(root: SvgElement): boolean {
  const elementsById = new Map<string, SvgElement>();
  const collect = (element: SvgElement): void => {
    const id = element.attributes.get('id');
    if (id !== undefined && !elementsById.has(id)) elementsById.set(id, element);
    for (const child of element.children) if (typeof child !== 'string') collect(child);
  };
  collect(root);
  const costsByElement = new Map<SvgElement, Cost>();
  const openElements = new Set<SvgElement>();
  const getCost = (element: SvgElement): Cost => {
    const knownCost = costsByElement.get(element);
    if (knownCost !== undefined) return knownCost;
    if (openElements.has(element)) throw new Error('The SVG refers to itself.');
    openElements.add(element);
    const cost = { elements: 1, drawnCount: 0 };
    const add = ({ elements, drawnCount }: Cost, times = 1) => {
      cost.elements += elements * times;
      cost.drawnCount += drawnCount * times;
      if (cost.elements > MAX_ELEMENTS || cost.drawnCount > MAX_DRAWN) throw new Error('The SVG is too large.');
    };
    for (const child of element.children)
      add(typeof child === 'string' ? { elements: 0, drawnCount: child.length } : getCost(child));
    for (const [name, value] of element.attributes) {
      add({ elements: 0, drawnCount: value.length });
      const points = name.startsWith('marker') || value.includes('marker') ? getPoints(element) : 1;
      for (const id of getReferences(name, value)) {
        const target = elementsById.get(id);
        if (target !== undefined) add(getCost(target), points);
      }
    }
    openElements.delete(element);
    costsByElement.set(element, cost);
    return cost;
  };
  return getCost(root).elements <= MAX_ELEMENTS;
}

const getReferences = (name: string, value: string): string[] =>
  name === 'xlink:href'
    ? [value.slice(1)]
    : Array.from(value.matchAll(/url\s*\(\s*['"]?#([^'")\s]+)/gi), ([, id = '']) => id);

/** Returns the maximum number of markers on a shape. */
function getPoints(element: SvgElement): number {
  const shape = `${element.attributes.get('d') ?? ''} ${element.attributes.get('points') ?? ''}`;
  const inside = element.children.filter((child) => typeof child !== 'string').map(getPoints);
  return inside.reduce((sum, points) => sum + points, 2 + (shape.match(/-?[\d.]+/g)?.length ?? 0));
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');

/** Writes the drawing as XML, with each text replaced by the result of `toText`. */
export function writeSvg({ name, attributes, children }: SvgElement, toText: (text: string) => string): string {
  const attributeText = Array.from(attributes, ([key, value]) => ` ${key}="${escapeXml(value)}"`).join('');
  const inside = children.map((child) => {
    if (typeof child !== 'string') return writeSvg(child, toText);
    return name === 'style' ? escapeXml(child) : escapeXml(toText(child));
  });
  return `<${name}${attributeText}>${inside.join('')}</${name}>`;
}

/** Returns the texts of a drawing. */
export function getTexts({ name, children }: SvgElement): string {
  if (name === 'style' || name === 'title' || name === 'desc') return '';
  return children.map((child) => (typeof child === 'string' ? child : getTexts(child))).join('');
}

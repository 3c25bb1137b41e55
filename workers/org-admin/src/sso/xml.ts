/** An element of the subset of XML that SAML needs. */
export interface XmlElement {
  namespace: string;
  /** The local name, without a prefix. */
  name: string;
  /** The attributes by qualified name, without namespace declarations. */
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  /** The text directly inside the element. */
  text: string;
}

/** The reason for rejecting a document. */
export class XmlFault extends Error {
  override name = 'XmlFault';
}

const maxLength = 256 * 1024;
const maxDepth = 40;
const maxElements = 3000;
const maxNamespaces = 40;

const declaration =
  /^<\?xml version=(?:"1\.0"|'1\.0')(?: encoding=(?:"utf-8"|'utf-8'))?(?: standalone=\S{4,5})?\s*\?>/i;
const tag = /<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const attribute = /([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const reference = /&(?:(lt|gt|amp|quot|apos);|#(\d{1,7});|#x([0-9a-fA-F]{1,6});)?/g;
const notAllowed = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const predefined: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

interface OpenElement {
  element: XmlElement;
  /** The qualified name. */
  name: string;
  namespaces: ReadonlyMap<string, string>;
}

/**
 * Parses a document strictly: elements, attributes, text and character references only. Some constructs are parsed
 * differently by different parsers: comments, CDATA, processing instructions, document types and entities. Documents
 * with these are rejected before the library parses them with its own parser. Time and memory are linear in the length.
 * @throws XmlFault
 */
export function parseXml(source: string): XmlElement {
  if (source.length > maxLength) throw new XmlFault(`must have at most ${maxLength} characters`);
  if (notAllowed.test(source)) throw new XmlFault('must not contain characters that XML does not allow');
  const text = source.replace(declaration, '');
  if (/<[!?]/.test(text))
    throw new XmlFault('must not contain comments, CDATA, a document type or processing instructions');
  const root: OpenElement = {
    element: { namespace: '', name: '', attributes: new Map(), children: [], text: '' },
    name: '',
    namespaces: new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]),
  };
  const open = [root];
  let steps = 0;
  for (let offset = 0; offset < text.length; ) {
    const next = text.indexOf('<', offset);
    const end = next === -1 ? text.length : next;
    if (end > offset) getInnermost(open).element.text += decode(text.slice(offset, end));
    offset = end < text.length ? readTag(text, end, open) : end;
    steps += 1;
    if (steps > maxElements * 2 || open.length > maxDepth) throw new XmlFault('has too many elements');
  }
  const [top, ...others] = root.element.children;
  if (open.length > 1 || top === undefined || others.length > 0 || !/^[ \t\r\n]*$/.test(root.element.text)) {
    throw new XmlFault('must be one complete element');
  }
  return top;
}

function getInnermost(open: OpenElement[]): OpenElement {
  const last = open.at(-1);
  if (last === undefined) throw new XmlFault('closes more elements than it opens');
  return last;
}

/** Reads the tag at `offset` and returns its end. */
function readTag(text: string, offset: number, open: OpenElement[]): number {
  tag.lastIndex = offset;
  const [tagText, closing, name = '', attributes = '', empty] = tag.exec(text) ?? [];
  if (tagText === undefined) throw new XmlFault(`is not well-formed at character ${offset}`);
  if (closing === '/') {
    const closed = open.pop();
    if (closed?.name !== name || attributes !== '' || empty === '/')
      throw new XmlFault(`closes ${name} at the wrong position`);
    getInnermost(open);
  } else {
    const parent = getInnermost(open);
    const element = openElement(name, attributes, parent.namespaces);
    parent.element.children.push(element.element);
    if (empty !== '/') open.push(element);
  }
  return offset + tagText.length;
}

function openElement(tagName: string, source: string, outerNamespaces: ReadonlyMap<string, string>): OpenElement {
  const all = [...source.matchAll(attribute)].map(([, name = '', double, single]): [string, string] => [
    name,
    decode((double ?? single ?? '').replace(/[\t\n\r]/g, ' ')),
  ]);
  if (new Set(all.map(([name]) => name)).size < all.length) throw new XmlFault(`repeats the attribute ${tagName}`);
  const declared = all.flatMap(([name, value]): [string, string][] =>
    name === 'xmlns' || name.startsWith('xmlns:') ? [[name.slice('xmlns:'.length), value]] : [],
  );
  const namespaces = declared.length === 0 ? outerNamespaces : new Map([...outerNamespaces, ...declared]);
  if (namespaces.size > maxNamespaces) throw new XmlFault('has too many namespaces');
  const attributes = new Map(all.filter(([name]) => !/^xmlns(?::|$)/.test(name)));
  for (const name of attributes.keys()) if (name.includes(':')) resolve(name, namespaces);
  const element = { ...resolve(tagName, namespaces), attributes, children: [], text: '' };
  return { element, name: tagName, namespaces };
}

function resolve(qualifiedName: string, namespaces: ReadonlyMap<string, string>): { namespace: string; name: string } {
  const [name = '', prefix = '', ...extraParts] = qualifiedName.split(':').reverse();
  const namespace = prefix === '' ? (namespaces.get('') ?? '') : namespaces.get(prefix);
  if (namespace === undefined || name === '' || extraParts.length > 0)
    throw new XmlFault(`declares no namespace for ${qualifiedName}`);
  return { namespace, name };
}

const decode = (text: string): string =>
  text.replace(reference, (_, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return predefined[name] ?? '';
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    const char = Number.isNaN(code) || code > 0x10ffff ? '\u0000' : String.fromCodePoint(code);
    if (notAllowed.test(char)) throw new XmlFault('refers to an entity or character that is not allowed');
    return char;
  });

import { codeOf, isGutter } from './code-block.ts';
import { attributeOf, classesOf, type Element, isElement, lineUpTo } from './html-tree.ts';
import { isNoise } from './noise.ts';

/** A code block with what is drawn around it. */
export interface CodeFrame {
  pre: Element;
  /** The elements between the frame and the block, the nearest first, and the frame last. */
  holders: Element[];
  /** What stands over the code, as the name of a file; '' where nothing does. */
  title: string;
}

const frameClass =
  /^(?:language-|lang-|highlight|codeblock|code-?block|code_block|theme-code-block|expressive-code|literal-block-wrapper|nextra-code|hextra-code|shiki|rehype-|remark-code|gatsby-|codehilite|sourcecode|prism|group\/codeblock|listingblock|frame$|rouge|chroma|td-code|snippet|file-name|listing)/;
const inside = new Set('div span figure figcaption header section small strong em i b label code p a'.split(' '));
const ofTables = new Set(['table', 'tbody', 'thead', 'tr', 'td', 'th', 'colgroup']);
const labels = /^(?:lang|language|code-lang|lang-name|language-name|code-language|copy|copied|tooltip.*|sr-.*)$/;
const says =
  /^(?:copy|copied!?|copy code|copy to clipboard|terminal( window)?|wrap|expand|collapse|download|code|output|plain ?text|text|bash|shell|sh|zsh|powershell|console|javascript|js|jsx|typescript|ts|tsx|json|yaml|yml|toml|xml|html|css|scss|vue|svelte|astro|python|py|ruby|rust|go|golang|java|kotlin|swift|c|c\+\+|cpp|c#|csharp|php|perl|lua|sql|graphql|markdown|mdx?|dockerfile|diff|ini|http)$/i;
const maxSaid = 200;
const maxSaidPlain = 80;

/** The one code block that an element only frames: with its language, buttons, line numbers and a title. */
export function codeFrameOf(node: Element): CodeFrame | undefined {
  if (!['div', 'figure', 'section', 'table'].includes(node.tagName)) return undefined;
  const isNamed = node.tagName === 'figure' || classesOf(node).some((name) => frameClass.test(name));
  const reader = new FrameReader(isNamed);
  if (!reader.read(node, []) || reader.found === undefined) return undefined;
  const title = reader.said.filter((each) => !says.test(each)).join(' ');
  if (!isNamed && /[.:!?]$/.test(title)) return undefined;
  return { ...reader.found, title };
}

/** Whether an element leads out of its page, which no title of code can. */
const isLink = (node: Element): boolean =>
  !/^(?:#|javascript:|$)/i.test(attributeOf(node, 'href')?.trim() ?? '') && lineUpTo(node, 1) !== '';

class FrameReader {
  found: { pre: Element; holders: Element[] } | undefined;
  readonly said: string[] = [];
  readonly #isNamed: boolean;
  #length = 0;

  constructor(isNamed: boolean) {
    this.#isNamed = isNamed;
  }

  /** Whether all that stands in an element may stand in a frame. */
  read(parent: Element, above: Element[]): boolean {
    const holders = [parent, ...above];
    for (const child of parent.children) {
      if (child.type === 'text' && !this.#say(child.value, holders)) return false;
      if (!isElement(child) || isNoise(child) || isGutter(child)) continue;
      if (!this.#readElement(child, holders)) return false;
    }
    return true;
  }

  #readElement(node: Element, holders: Element[]): boolean {
    const { tagName } = node;
    if (tagName === 'pre') {
      if (codeOf(node).trim() === '') return true;
      if (this.found !== undefined) return false;
      this.found = { pre: node, holders };
      return true;
    }
    if (tagName === 'a' && isLink(node)) return false;
    if (tagName === 'br' || tagName === 'input') return attributeOf(node, 'type') !== 'checkbox';
    if (ofTables.has(tagName) ? !this.#isNamed : !inside.has(tagName)) return false;
    return holders.length < 20 && this.read(node, holders);
  }

  #say(value: string, holders: Element[]): boolean {
    if (/^\s*$/.test(value.slice(0, 1000)) && value.length < 1000) return true;
    const text = value.slice(0, 1000).replace(/\s+/g, ' ').trim();
    this.#length += value.length < 1000 ? text.length : value.length;
    if (this.#length > (this.#isNamed ? maxSaid : maxSaidPlain)) return false;
    if (!this.#isNamed && (holders.length < 2 || holders.some(({ tagName }) => tagName === 'p'))) return false;
    if (!holders.some((each) => classesOf(each).some((name) => labels.test(name)))) this.said.push(text);
    return true;
  }
}

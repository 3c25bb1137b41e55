import {
  type Content,
  type Element,
  findElement,
  getAttribute,
  getClasses,
  getLimitedLine,
  isElement,
} from './html-tree.ts';
import { isBoilerplate } from './main-content.ts';

/** A code block with its frame. */
export interface CodeFrame {
  pre: Element;
  /** The elements between the block and the frame, nearest first; the frame is last. */
  holders: Element[];
  /** The title above the code, such as a file name. Empty if there is none. */
  title: string;
}

const frameClass =
  /^(?:language-|lang-|highlight|codeblock|code-?block|code_block|theme-code-block|expressive-code|literal-block-wrapper|nextra-code|hextra-code|shiki|rehype-|remark-code|gatsby-|codehilite|sourcecode|prism|group\/codeblock|listingblock|frame$|rouge|chroma|td-code|snippet|file-name|listing)/;
const inside = new Set('div span figure figcaption header section small strong em i b label code p a'.split(' '));
const ofTables = new Set(['table', 'tbody', 'thead', 'tr', 'td', 'th', 'colgroup']);
const labels = /^(?:lang|language|code-lang|lang-name|language-name|code-language|copy|copied|tooltip.*|sr-.*)$/;
const labelPattern =
  /^(?:copy|copied!?|copy code|copy to clipboard|terminal( window)?|wrap|expand|collapse|download|code|output|plain ?text|text|bash|shell|sh|zsh|powershell|console|javascript|js|jsx|typescript|ts|tsx|json|yaml|yml|toml|xml|html|css|scss|vue|svelte|astro|python|py|ruby|rust|go|golang|java|kotlin|swift|c|c\+\+|cpp|c#|csharp|php|perl|lua|sql|graphql|markdown|mdx?|dockerfile|diff|ini|http)$/i;
const maxSaid = 200;
const maxSaidPlain = 80;

/**
 * Returns the frame of a code block (language label, buttons, line numbers and title) if the element is the frame of a
 * single block.
 */
export function getCodeFrame(node: Element): CodeFrame | undefined {
  if (!['div', 'figure', 'section', 'table'].includes(node.tagName)) return undefined;
  const isNamed = node.tagName === 'figure' || getClasses(node).some((name) => frameClass.test(name));
  const reader = new FrameReader(isNamed);
  if (!reader.readFrame(node, []) || reader.frame === undefined) return undefined;
  const title = reader.labels.filter((each) => !labelPattern.test(each)).join(' ');
  if (!isNamed && /[.:!?]$/.test(title)) return undefined;
  return { ...reader.frame, title };
}

/** Whether an element links to another page. A title of code never does. */
const isLink = (node: Element): boolean =>
  !/^(?:#|javascript:|$)/i.test(getAttribute(node, 'href')?.trim() ?? '') && getLimitedLine(node, 1) !== '';

class FrameReader {
  frame: { pre: Element; holders: Element[] } | undefined;
  readonly labels: string[] = [];
  readonly #isNamed: boolean;
  #length = 0;

  constructor(isNamed: boolean) {
    this.#isNamed = isNamed;
  }

  /** Whether everything in an element can be part of a frame. */
  readFrame(parent: Element, ancestors: Element[]): boolean {
    const holders = [parent, ...ancestors];
    for (const child of parent.children) {
      if (child.type === 'text' && !this.#addLabel(child.value, holders)) return false;
      if (!isElement(child) || isBoilerplate(child) || isGutter(child)) continue;
      if (!this.#readElement(child, holders)) return false;
    }
    return true;
  }

  #readElement(node: Element, holders: Element[]): boolean {
    const { tagName } = node;
    if (tagName === 'pre') {
      if (getCode(node).trim() === '') return true;
      if (this.frame !== undefined) return false;
      this.frame = { pre: node, holders };
      return true;
    }
    if (tagName === 'a' && isLink(node)) return false;
    if (tagName === 'br' || tagName === 'input') return getAttribute(node, 'type') !== 'checkbox';
    if (ofTables.has(tagName) ? !this.#isNamed : !inside.has(tagName)) return false;
    return holders.length < 20 && this.readFrame(node, holders);
  }

  #addLabel(value: string, holders: Element[]): boolean {
    if (/^\s*$/.test(value.slice(0, 1000)) && value.length < 1000) return true;
    const text = value.slice(0, 1000).replace(/\s+/g, ' ').trim();
    this.#length += value.length < 1000 ? text.length : value.length;
    if (this.#length > (this.#isNamed ? maxSaid : maxSaidPlain)) return false;
    if (!this.#isNamed && (holders.length < 2 || holders.some(({ tagName }) => tagName === 'p'))) return false;
    if (!holders.some((element) => getClasses(element).some((name) => labels.test(name)))) this.labels.push(text);
    return true;
  }
}

const gutters = new Set(
  `gutter gutter-line lineno linenos linenodiv line-number line-numbers line-numbers-rows line-numbers-wrapper linenumber line-num lnt ln blob-num rouge-gutter hljs-ln-numbers code-line-number react-code-line-number react-syntax-highlighter-line-number highlight-line-number
  blob-code-marker diff-marker diff-sign twoslash-popup-container twoslash-popup-code twoslash-popup-info tooltiptext
  buttons button-group sr-only visually-hidden md-annotation codelinenumber copy copy-button copybtn boring`.split(
    /\s+/,
  ),
);
/** Class names with a generated hash, such as `codeLineNumber_Tfdd`. */
const madeGutters = /^(?:codelinenumber|buttongroup|copybutton)_/;
const lineClasses = new Set(['line', 'code-line', 'token-line', 'view-line', 'highlight-line']);
const lineElements = new Set(['div', 'p', 'li', 'tr']);
const plain = new Set(['text', 'txt', 'plain', 'plaintext', 'none', 'nohighlight', 'default', 'raw', 'notranslate']);
const notLanguages = new Set(
  'hljs highlight sourcecode prettyprint prettyprinted linenums code pre codehilite notranslate literal-block chroma shiki block'.split(
    ' ',
  ),
);

export const isGutter = (node: Element): boolean =>
  getClasses(node).some((name) => gutters.has(name) || madeGutters.test(name));

/** Returns the exact text of a code block without line numbers. Elements that are lines end with a line break. */
export function getCode(pre: Element): string {
  const parts: string[] = [];
  let last = '';
  let isLineOpen = false;
  const write = (text: string): void => {
    if (text === '') return;
    parts.push(text);
    last = text.slice(-1);
    if (text.includes('\n')) isLineOpen = false;
  };
  const begin = (): void => {
    if (isLineOpen) write('\n');
    isLineOpen = true;
  };
  const stack: (Content | 'line end')[] = pre.children.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node === 'line end') {
      if (last !== '\n') write('\n');
    } else if (node.type === 'text') write(node.value);
    else if (isElement(node) && !isLeftOut(node)) {
      if (node.tagName === 'br') write('\n');
      if (node.tagName === 'span' && isLineElement(node)) begin();
      const isLine = lineElements.has(node.tagName);
      if (isLine && last !== '' && last !== '\n') write('\n');
      if (isLine) stack.push('line end');
      for (let index = node.children.length - 1; index >= 0; index -= 1) stack.push(node.children[index] ?? 'line end');
    }
  }
  return parts.join('').replace(/\r\n?/g, '\n').replace(/\n$/, '');
}

const isLineElement = (node: Element): boolean => getClasses(node).some((name) => lineClasses.has(name));

const isLeftOut = (node: Element): boolean =>
  isGutter(node) ||
  ['button', 'script', 'style', 'svg', 'template', 'summary'].includes(node.tagName) ||
  getAttribute(node, 'ariaHidden') === 'true';

/** Returns the language of a code block, from the attributes of the block, its code element or its holders. */
export function getLanguage(pre: Element, holders: readonly Element[]): string | undefined {
  const code = findElement(pre, (node) => node.tagName === 'code');
  const nodes = [...(code ? [code] : []), pre, ...holders];
  for (const node of nodes) {
    const languageNames = ['dataLang', 'dataLanguage', 'dataProgrammingLanguage'].map((name) =>
      getAttribute(node, name),
    );
    const language = languageNames.find(Boolean) ?? findLanguage(getClasses(node));
    const word =
      language
        ?.trim()
        .toLowerCase()
        .replace(/[{:,].*$/s, '') ?? '';
    if (/^[a-z\d][\w+#.-]{0,39}$/.test(word)) return plain.has(word) ? undefined : word;
  }
  return undefined;
}

function findLanguage(classes: readonly string[]): string | undefined {
  for (const name of classes) {
    const [, language] =
      /^(?:language|lang|highlight-source|highlight-text|highlight|brush|syntax)[-:](.+)$/.exec(name) ?? [];
    if (language !== undefined) return language.replace(/^html-basic$/, 'html');
  }
  if (classes.includes('mermaid')) return 'mermaid';
  const brush = classes.indexOf('brush:');
  if (brush !== -1) return classes[brush + 1]?.replace(/;$/, '');
  const isHighlighted = classes.includes('hljs') || classes.includes('sourcecode') || classes.includes('prettyprint');
  return isHighlighted ? classes.find((name) => !notLanguages.has(name) && !/^(?:hljs|lang)-?/.test(name)) : undefined;
}

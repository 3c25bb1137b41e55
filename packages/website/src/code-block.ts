import { attributeOf, type Content, classesOf, type Element, findElement, isElement } from './html-tree.ts';

const gutters = new Set(
  `gutter gutter-line lineno linenos linenodiv line-number line-numbers line-numbers-rows line-numbers-wrapper linenumber line-num lnt ln blob-num rouge-gutter hljs-ln-numbers code-line-number react-code-line-number react-syntax-highlighter-line-number highlight-line-number
  blob-code-marker diff-marker diff-sign twoslash-popup-container twoslash-popup-code twoslash-popup-info tooltiptext
  buttons button-group sr-only visually-hidden md-annotation codelinenumber copy copy-button copybtn boring`.split(
    /\s+/,
  ),
);
/** The names that are made of a part's name and a hash: `codeLineNumber_Tfdd`. */
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
  classesOf(node).some((name) => gutters.has(name) || madeGutters.test(name));

/** The text of a code block exactly, without line numbers; lines that are elements of their own end in a line end. */
export function codeOf(pre: Element): string {
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

const isLineElement = (node: Element): boolean => classesOf(node).some((name) => lineClasses.has(name));

const isLeftOut = (node: Element): boolean =>
  isGutter(node) ||
  ['button', 'script', 'style', 'svg', 'template', 'summary'].includes(node.tagName) ||
  attributeOf(node, 'ariaHidden') === 'true';

/** The language that a code block, its code element or what holds it names. */
export function languageOf(pre: Element, holders: readonly Element[]): string | undefined {
  const code = findElement(pre, (node) => node.tagName === 'code');
  const nodes = [...(code ? [code] : []), pre, ...holders];
  for (const node of nodes) {
    const named = ['dataLang', 'dataLanguage', 'dataProgrammingLanguage'].map((name) => attributeOf(node, name));
    const language = named.find(Boolean) ?? languageOfClasses(classesOf(node));
    const word =
      language
        ?.trim()
        .toLowerCase()
        .replace(/[{:,].*$/s, '') ?? '';
    if (/^[a-z\d][\w+#.-]{0,39}$/.test(word)) return plain.has(word) ? undefined : word;
  }
  return undefined;
}

function languageOfClasses(classes: readonly string[]): string | undefined {
  for (const name of classes) {
    const [, language] =
      /^(?:language|lang|highlight-source|highlight-text|highlight|brush|syntax)[-:](.+)$/.exec(name) ?? [];
    if (language !== undefined) return language.replace(/^html-basic$/, 'html');
  }
  if (classes.includes('mermaid')) return 'mermaid';
  const brush = classes.indexOf('brush:');
  if (brush !== -1) return classes[brush + 1]?.replace(/;$/, '');
  const marked = classes.includes('hljs') || classes.includes('sourcecode') || classes.includes('prettyprint');
  return marked ? classes.find((name) => !notLanguages.has(name) && !/^(?:hljs|lang)-?/.test(name)) : undefined;
}

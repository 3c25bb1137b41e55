import type { ComponentChildren } from 'preact';
import { getAnchor } from '../anchors.ts';
import type { NodeComponent, RenderContext } from '../context.ts';
import { toHref } from '../context.ts';
import type { NodeData, PageLeaf, PageNode } from '../document.ts';
import { getData, getNodes, getText, toClass, toPlainText } from '../document.ts';
import { Anchors, Icon } from '../elements.tsx';
import type { StyleSheetBuilder } from '../theme/styles.ts';

/** Returns the class for a text alignment other than the default. */
const getAlignment = (node: PageNode): { class?: string } => {
  const { align } = getData(node);
  return toClass((align === 'center' || align === 'end') && `to-${align}`);
};

export const Paragraph: NodeComponent = ({ node, context }) => {
  const code = node.meta?.code;
  if (code !== undefined) return <Code node={toCode(node, code)} context={context} />;
  return <p {...getAlignment(node)}>{context.inlines(getNodes(node))}</p>;
};

const toCode = (node: PageNode, data: NodeData): PageNode => ({
  object: 'block',
  type: 'code',
  data,
  nodes: toPlainText(getNodes(node))
    .split('\n')
    .map((text): PageNode => {
      const leaf: PageLeaf = { object: 'leaf', text, marks: [] };
      return { object: 'block', type: 'code-line', nodes: [{ object: 'text', leaves: [leaf] }] };
    }),
});

/** A heading that links to itself. The page's title is the only `h1`. */
export const Heading: NodeComponent = ({ node, context }) => {
  const { first, aliases } = context.headings;
  const level = Math.max(2, Number(/\d$/.exec(node.type ?? '')?.[0] ?? 1) - 1 + first);
  const anchor = getAnchor(node);
  const [id, ...aliasIds] = [...(anchor === undefined ? [] : [anchor]), ...(aliases.get(node) ?? [])];
  const inside = context.inlines(getNodes(node));
  const Tag = `h${level}` as 'h2';
  if (id === undefined) return <Tag {...getAlignment(node)}>{inside}</Tag>;
  return (
    <Tag id={id} {...getAlignment(node)}>
      <Anchors ids={aliasIds} />
      {inside}
      <a class="anchor" href={`#${encodeURIComponent(id)}`} aria-labelledby={id}>
        #
      </a>
    </Tag>
  );
};

export const UnorderedList: NodeComponent = ({ node, context }) => <ul>{context.blocks(getNodes(node))}</ul>;

export const OrderedList: NodeComponent = ({ node, context }) => {
  const { start } = getData(node);
  return <ol {...(typeof start === 'number' ? { start } : {})}>{context.blocks(getNodes(node))}</ol>;
};

export const TaskList: NodeComponent = ({ node, context }) => <ul class="tasks">{context.blocks(getNodes(node))}</ul>;

/** An icon for the state of a task, with a text for screen readers. */
export const Check = ({ context, isDone }: { context: RenderContext; isDone: boolean }): ComponentChildren => (
  <span
    role="img"
    aria-label={isDone ? context.texts.done : context.texts.open}
    {...toClass('check', isDone && 'done')}
  />
);

/** Whether an item starts with a paragraph. Such an item is drawn without paragraph spacing. */
const startsWithParagraph = ([first]: PageNode[]): boolean =>
  first?.type === 'paragraph' && first.meta?.code === undefined;

/** The content of a paragraph without its element. */
export const BlockText: NodeComponent = ({ node, context }) => (
  <>
    <Anchors ids={context.headings.aliases.get(node) ?? []} />
    {context.inlines(getNodes(node))}
  </>
);

export const ListItem: NodeComponent = ({ node, context }) => {
  const { checked } = getData(node);
  const nodes = getNodes(node);
  const [first, ...rest] = nodes;
  const inside =
    first !== undefined && startsWithParagraph(nodes)
      ? [<BlockText node={first} context={context} />, context.blocks(rest)]
      : context.blocks(nodes);
  if (typeof checked !== 'boolean') return <li>{inside}</li>;
  return (
    <li>
      <Check context={context} isDone={checked} />
      <div>{inside}</div>
    </li>
  );
};

const icons = {
  info: 'solid circle-info',
  success: 'solid circle-check',
  warning: 'solid circle-exclamation',
  danger: 'solid triangle-exclamation',
};

const isHintStyle = (style: string): style is keyof typeof icons => Object.hasOwn(icons, style);

/** A hint. Its style is shown by icon and color, and by a word for screen readers. */
export const Hint: NodeComponent = ({ node, context }) => {
  const data = getData(node);
  const hintStyle = getText(data, 'style') ?? '';
  const style = isHintStyle(hintStyle) ? hintStyle : 'info';
  return (
    <div class={`hint ${style}`}>
      <Icon context={context} name={getText(data, 'icon') ?? icons[style]} />
      <span class="hidden">{context.texts[style]}</span>
      <div>{context.blocks(getNodes(node))}</div>
    </div>
  );
};

export const Quotation: NodeComponent = ({ node, context }) => (
  <blockquote>{context.blocks(getNodes(node))}</blockquote>
);

export const Divider: NodeComponent = () => <hr />;

/** A diagram that the browser draws. Without scripts its source is shown. */
function Diagram({ context, source }: { context: RenderContext; source: string }): ComponentChildren {
  context.frames.add("'self'");
  return (
    <mermaid-diagram
      class="diagram"
      data-frame={toHref(context.view, context.view.assets.file('diagrams.html'))}
      data-label={context.texts.diagram}
      data-enlarge={context.texts.enlarge}
      data-close={context.texts.close}
    >
      <pre tabIndex={0}>
        <code>{source}</code>
      </pre>
    </mermaid-diagram>
  );
}

/** Visible lines of collapsed code if the author sets no number. */
const defaultCollapsed = 10;

/** Returns the number of visible lines of collapsed code; undefined if the code is not collapsed. */
function countVisibleLines({ expandable, collapsedLineCount }: NodeData, lines: PageNode[]): number | undefined {
  if (expandable !== true) return undefined;
  const visibleLines =
    typeof collapsedLineCount === 'number' ? Math.max(1, Math.round(collapsedLineCount)) : defaultCollapsed;
  return visibleLines < lines.length ? visibleLines : undefined;
}

/** The classes of diff lines, by the first character of the line. */
const changes: Record<string, string> = { '+': 'added', '-': 'removed' };

interface LinesProps {
  lines: PageNode[];
  syntax: string | undefined;
  context: RenderContext;
}

const Lines = ({ lines, syntax = '', context }: LinesProps): ComponentChildren => {
  const texts = lines.map((line) => toPlainText(getNodes(line)));
  const tokens = context.libraries.highlight(texts, syntax);
  return lines.map((line, index) => {
    const change = /^(?:diff|patch)$/i.test(syntax) ? changes[texts[index]?.[0] ?? ''] : undefined;
    return (
      <span {...toClass('line', getData(line).highlighted === true && 'marked', change)}>
        {(tokens[index] ?? []).map(({ text, kind }) =>
          kind === undefined ? text : <span class={`t-${kind}`}>{text}</span>,
        )}
        {'\n'}
      </span>
    );
  });
};

const languageNames: Record<string, string> = {
  ...{ bash: 'Shell', sh: 'Shell', shell: 'Shell', zsh: 'Shell', console: 'Shell', powershell: 'PowerShell' },
  ...{ js: 'JavaScript', javascript: 'JavaScript', mjs: 'JavaScript', jsx: 'JSX', ts: 'TypeScript', tsx: 'TSX' },
  ...{ typescript: 'TypeScript', json: 'JSON', jsonc: 'JSON', json5: 'JSON5', yaml: 'YAML', yml: 'YAML', toml: 'TOML' },
  ...{ html: 'HTML', xml: 'XML', svg: 'SVG', css: 'CSS', scss: 'SCSS', md: 'Markdown', markdown: 'Markdown' },
  ...{ py: 'Python', rb: 'Ruby', rs: 'Rust', go: 'Go', php: 'PHP', cs: 'C#', csharp: 'C#', cpp: 'C++', kt: 'Kotlin' },
  ...{ sql: 'SQL', graphql: 'GraphQL', http: 'HTTP', ini: 'INI', diff: 'Diff', hcl: 'HCL', tf: 'Terraform' },
  ...{
    objc: 'Objective-C',
    'objective-c': 'Objective-C',
    vb: 'Visual Basic',
    dotenv: '.env',
    proto: 'Protocol Buffers',
  },
};

const plainLanguages = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'none', 'output']);

/** Returns the name of a language that a code block shows, or undefined for plain text. */
function getLanguageName(syntax = ''): string | undefined {
  const key = syntax.toLowerCase();
  if (plainLanguages.has(key) || !/^[\w+#.-]{1,24}$/.test(key)) return undefined;
  return Object.hasOwn(languageNames, key) ? languageNames[key] : `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
}

/** Code by line, with syntax highlighting if its language is known. */
export const Code: NodeComponent = ({ node, context }) => {
  const data = getData(node);
  const [title, syntax] = [getText(data, 'title'), getText(data, 'syntax')];
  const lines = getNodes(node);
  if (syntax === 'mermaid')
    return <Diagram context={context} source={lines.map((line) => toPlainText(getNodes(line))).join('\n')} />;
  const language = getLanguageName(syntax);
  const visibleLines = countVisibleLines(data, lines);
  const looks = [data.lineNumbers === true && 'numbered', data.overflow === 'wrap' && 'wrapped'];
  const classNames = [
    data.fullWidth === true && 'full',
    visibleLines !== undefined && context.sheet.addClass(`--seen:${visibleLines}`),
  ];
  return (
    <figure {...toClass('code', ...looks, ...classNames)}>
      {(title !== undefined || language !== undefined) && (
        <figcaption>
          <span>{title}</span>
          {language !== undefined && <span class="language">{language}</span>}
        </figcaption>
      )}
      <code-block
        data-copy={context.texts.copy}
        data-copied={context.texts.copied}
        {...(visibleLines === undefined
          ? {}
          : { 'data-more': context.texts.allLines, 'data-fewer': context.texts.fewerLines })}
      >
        <pre tabIndex={0}>
          <code>
            <Lines lines={lines} syntax={syntax} context={context} />
          </code>
        </pre>
      </code-block>
    </figure>
  );
};

const declaration = /^[a-z-]{1,40}:[-+#.%\w\s()/]{1,80}$/;

/** Keeps only declarations that are safe in a stylesheet: numbers, lengths, names and colors. */
const keepSafeDeclarations = (style: string): string =>
  style
    .split(';')
    .map((each) => each.trim())
    .filter((each) => declaration.test(each) && !/url|expression|image|var\(/i.test(each))
    .join(';');

/** Replaces `style` attributes in MathML with classes, because the page's policy forbids inline styles. */
const replaceStyles = (math: string, sheet: StyleSheetBuilder): string =>
  math.replace(/<(\w+)((?:\s[^<>]*?)?)\sstyle="([^"<>]*)"([^<>]*)>/g, (_, tag, before, style, after) => {
    const declarations = keepSafeDeclarations(style);
    if (declarations === '') return `<${tag}${before}${after}>`;
    const name = sheet.addClass(declarations);
    const attributes = `${before}${after}`;
    return /\sclass="/.test(attributes)
      ? `<${tag}${attributes.replace(/\sclass="/, ` class="${name} `)}>`
      : `<${tag} class="${name}"${attributes}>`;
  });

const createMathComponent =
  (displayMode: boolean): NodeComponent =>
  ({ node, context }) => {
    const formula = getText(getData(node), 'formula') ?? '';
    const read = context.libraries.toMathMl(formula, displayMode);
    // Temml's output is MathML in which all text of the formula is escaped.
    if (read === undefined) return displayMode ? <pre class="math">{formula}</pre> : <code>{formula}</code>;
    const inside = { dangerouslySetInnerHTML: { __html: replaceStyles(read, context.sheet) } };
    return displayMode ? <div class="math" tabIndex={0} {...inside} /> : <span class="math" {...inside} />;
  };

export const MathBlock = createMathComponent(true);
export const InlineMath = createMathComponent(false);

import { getTokens } from '@octavo/highlight';
import type { ComponentChildren } from 'preact';
import temml from 'temml';
import { anchorOf } from '../anchors.ts';
import type { NodeData, ShownNode } from '../document.ts';
import { classesOf, dataOf, nodesOf, plainText, textOf } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { hrefOf } from '../drawing.ts';
import { Anchors, Icon } from '../elements.tsx';
import type { Sheet } from '../theme/styles.ts';

/** Returns the class for a text alignment other than the default. */
const alignmentOf = (node: ShownNode): { class?: string } => {
  const { align } = dataOf(node);
  return classesOf((align === 'center' || align === 'end') && `to-${align}`);
};

export const Paragraph: NodeComponent = ({ node, at }) => <p {...alignmentOf(node)}>{at.inlines(nodesOf(node))}</p>;

/** A heading that links to itself. The page's title is the only `h1`. */
export const Heading: NodeComponent = ({ node, at }) => {
  const { first, aliases } = at.headings;
  const level = Math.max(2, Number(/\d$/.exec(node.type ?? '')?.[0] ?? 1) - 1 + first);
  const own = anchorOf(node);
  const [id, ...more] = [...(own === undefined ? [] : [own]), ...(aliases.get(node) ?? [])];
  const inside = at.inlines(nodesOf(node));
  const Tag = `h${level}` as 'h2';
  if (id === undefined) return <Tag {...alignmentOf(node)}>{inside}</Tag>;
  return (
    <Tag id={id} {...alignmentOf(node)}>
      <Anchors ids={more} />
      {inside}
      <a class="anchor" href={`#${encodeURIComponent(id)}`} aria-labelledby={id}>
        #
      </a>
    </Tag>
  );
};

export const UnorderedList: NodeComponent = ({ node, at }) => <ul>{at.blocks(nodesOf(node))}</ul>;

export const OrderedList: NodeComponent = ({ node, at }) => {
  const { start } = dataOf(node);
  return <ol {...(typeof start === 'number' ? { start } : {})}>{at.blocks(nodesOf(node))}</ol>;
};

export const TaskList: NodeComponent = ({ node, at }) => <ul class="tasks">{at.blocks(nodesOf(node))}</ul>;

/** An icon for the state of a task, with a text for screen readers. */
export const Check = ({ at, isDone }: { at: PageDrawing; isDone: boolean }): ComponentChildren => (
  <span role="img" aria-label={isDone ? at.texts.done : at.texts.open} {...classesOf('check', isDone && 'done')} />
);

/** An item that starts with a paragraph is drawn without paragraph spacing. */
const isLine = (nodes: ShownNode[]): boolean => nodes[0]?.type === 'paragraph';

export const ListItem: NodeComponent = ({ node, at }) => {
  const { checked } = dataOf(node);
  const nodes = nodesOf(node);
  const [first, ...rest] = nodes;
  const inside =
    first !== undefined && isLine(nodes) ? [at.inlines(nodesOf(first)), at.blocks(rest)] : at.blocks(nodes);
  if (typeof checked !== 'boolean') return <li>{inside}</li>;
  return (
    <li>
      <Check at={at} isDone={checked} />
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

const isStyle = (style: string): style is keyof typeof icons => Object.hasOwn(icons, style);

/** A hint. Its style is shown by icon and color, and by a word for screen readers. */
export const Hint: NodeComponent = ({ node, at }) => {
  const data = dataOf(node);
  const given = textOf(data, 'style') ?? '';
  const style = isStyle(given) ? given : 'info';
  return (
    <div class={`hint ${style}`}>
      <Icon at={at} name={textOf(data, 'icon') ?? icons[style]} />
      <span class="hidden">{at.texts[style]}</span>
      <div>{at.blocks(nodesOf(node))}</div>
    </div>
  );
};

export const Quotation: NodeComponent = ({ node, at }) => <blockquote>{at.blocks(nodesOf(node))}</blockquote>;

export const Divider: NodeComponent = () => <hr />;

/** A diagram that the browser draws. Without scripts its source is shown. */
function Diagram({ at, source }: { at: PageDrawing; source: string }): ComponentChildren {
  at.frames.add("'self'");
  return (
    <mermaid-diagram
      class="diagram"
      data-frame={hrefOf(at.view, at.view.assets.file('diagrams.html'))}
      data-label={at.texts.diagram}
      data-enlarge={at.texts.enlarge}
      data-close={at.texts.close}
    >
      <pre tabIndex={0}>
        <code>{source}</code>
      </pre>
    </mermaid-diagram>
  );
}

/** Visible lines of collapsed code if the author sets no number. */
const defaultCollapsed = 10;

/** Returns the number of visible lines of collapsed code; undefined for other code. */
function collapsedLines({ expandable, collapsedLineCount }: NodeData, lines: ShownNode[]): number | undefined {
  if (expandable !== true) return undefined;
  const seen = typeof collapsedLineCount === 'number' ? Math.max(1, Math.round(collapsedLineCount)) : defaultCollapsed;
  return seen < lines.length ? seen : undefined;
}

/** The sign at the start of a diff line. */
const changes: Record<string, string> = { '+': 'added', '-': 'removed' };

const Lines = ({ lines, syntax = '' }: { lines: ShownNode[]; syntax: string | undefined }): ComponentChildren => {
  const texts = lines.map((line) => plainText(nodesOf(line)));
  const tokens = getTokens(texts, syntax);
  return lines.map((line, index) => {
    const change = /^(?:diff|patch)$/i.test(syntax) ? changes[texts[index]?.[0] ?? ''] : undefined;
    return (
      <span {...classesOf('line', dataOf(line).highlighted === true && 'marked', change)}>
        {(tokens[index] ?? []).map(({ text, kind }) =>
          kind === undefined ? text : <span class={`t-${kind}`}>{text}</span>,
        )}
        {'\n'}
      </span>
    );
  });
};

/** Code by line, with syntax highlighting if its language is known. */
export const Code: NodeComponent = ({ node, at }) => {
  const data = dataOf(node);
  const [title, syntax] = [textOf(data, 'title'), textOf(data, 'syntax')];
  const lines = nodesOf(node);
  if (syntax === 'mermaid')
    return <Diagram at={at} source={lines.map((line) => plainText(nodesOf(line))).join('\n')} />;
  const seen = collapsedLines(data, lines);
  const looks = [data.lineNumbers === true && 'numbered', data.overflow === 'wrap' && 'wrapped'];
  const more = [data.fullWidth === true && 'full', seen !== undefined && at.sheet.classOf(`--seen:${seen}`)];
  return (
    <figure {...classesOf('code', ...looks, ...more)}>
      {title !== undefined && <figcaption>{title}</figcaption>}
      <code-block
        data-copy={at.texts.copy}
        data-copied={at.texts.copied}
        {...(seen === undefined ? {} : { 'data-more': at.texts.allLines, 'data-fewer': at.texts.fewerLines })}
      >
        <pre tabIndex={0}>
          <code>
            <Lines lines={lines} syntax={syntax} />
          </code>
        </pre>
      </code-block>
    </figure>
  );
};

/** Longer formulas are shown as source text. */
const maxFormula = 4000;
const maxExpand = 200;

/** Converts a formula to MathML; undefined if it is invalid. */
function mathOf(formula: string, displayMode: boolean): string | undefined {
  if (formula.length > maxFormula) return undefined;
  try {
    // No command may set a URL, class or style, and unknown commands are errors.
    return temml.renderToString(formula, { displayMode, throwOnError: true, trust: false, maxExpand, strict: false });
  } catch {
    return undefined;
  }
}

const declaration = /^[a-z-]{1,40}:[-+#.%\w\s()/]{1,80}$/;

/** Keeps only declarations that are safe in a stylesheet: numbers, lengths, names and colors. */
const safeDeclarations = (style: string): string =>
  style
    .split(';')
    .map((each) => each.trim())
    .filter((each) => declaration.test(each) && !/url|expression|image|var\(/i.test(each))
    .join(';');

/** Replaces `style` attributes in MathML by classes, because the page's policy forbids inline styles. */
const withClasses = (math: string, sheet: Sheet): string =>
  math.replace(/<(\w+)((?:\s[^<>]*?)?)\sstyle="([^"<>]*)"([^<>]*)>/g, (_, tag, before, style, after) => {
    const declarations = safeDeclarations(style);
    if (declarations === '') return `<${tag}${before}${after}>`;
    const name = sheet.classOf(declarations);
    const attributes = `${before}${after}`;
    return /\sclass="/.test(attributes)
      ? `<${tag}${attributes.replace(/\sclass="/, ` class="${name} `)}>`
      : `<${tag} class="${name}"${attributes}>`;
  });

const math =
  (displayMode: boolean): NodeComponent =>
  ({ node, at }) => {
    const formula = textOf(dataOf(node), 'formula') ?? '';
    const read = mathOf(formula, displayMode);
    // Temml's output is MathML in which all text of the formula is escaped.
    if (read === undefined) return displayMode ? <pre class="math">{formula}</pre> : <code>{formula}</code>;
    const inside = { dangerouslySetInnerHTML: { __html: withClasses(read, at.sheet) } };
    return displayMode ? <div class="math" tabIndex={0} {...inside} /> : <span class="math" {...inside} />;
  };

export const MathBlock = math(true);
export const InlineMath = math(false);

import { tokensOf } from '@octavo/highlight';
import type { ComponentChildren } from 'preact';
import { classesOf, dataOf, type NodeData, nodesOf, plainText, type ShownNode, textOf } from '../document.ts';
import { hrefOf, type NodeComponent, type PageDrawing } from '../drawing.ts';

/** A diagram that a browser draws; its source is there without scripts. */
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

/** So many lines are seen of code that opens, where its author does not say how many. */
const defaultCollapsed = 10;

/** How many lines are seen of code that opens; undefined of other code. */
function collapsedLines({ expandable, collapsedLineCount }: NodeData, lines: ShownNode[]): number | undefined {
  if (expandable !== true) return undefined;
  const seen = typeof collapsedLineCount === 'number' ? Math.max(1, Math.round(collapsedLineCount)) : defaultCollapsed;
  return seen < lines.length ? seen : undefined;
}

/** What is drawn before a line of a comparison tells whether it is there no more, or only now. */
const changes: Record<string, string> = { '+': 'added', '-': 'removed' };

const Lines = ({ lines, syntax = '' }: { lines: ShownNode[]; syntax: string | undefined }): ComponentChildren => {
  const texts = lines.map((line) => plainText(nodesOf(line)));
  const tokens = tokensOf(texts, syntax);
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

/** Code in its lines, coloured where its language is known. */
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

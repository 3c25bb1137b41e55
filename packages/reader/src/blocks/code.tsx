import { tokensOf } from '@octavo/highlight';
import type { ComponentChildren } from 'preact';
import { dataOf, nodesOf, plainText, textOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';

/** A diagram that a browser draws; its source is there without scripts. */
const Diagram = ({ source }: { source: string }): ComponentChildren => (
  <mermaid-diagram class="diagram">
    <pre tabIndex={0}>
      <code>{source}</code>
    </pre>
  </mermaid-diagram>
);

/** Code in its lines, coloured where its language is known. */
export const Code: NodeComponent = ({ node, at }) => {
  const data = dataOf(node);
  const [title, syntax] = [textOf(data, 'title'), textOf(data, 'syntax')];
  const lines = nodesOf(node);
  const texts = lines.map((line) => plainText(nodesOf(line)));
  if (syntax === 'mermaid') return <Diagram source={texts.join('\n')} />;
  const tokens = tokensOf(texts, syntax ?? '');
  const isNumbered = data.lineNumbers === true;
  const classes = ['code', isNumbered ? 'numbered' : '', data.overflow === 'wrap' ? 'wrapped' : ''];
  return (
    <figure class={classes.filter((each) => each !== '').join(' ')}>
      {title !== undefined && <figcaption>{title}</figcaption>}
      <copy-code data-copy={at.texts.copy} data-copied={at.texts.copied}>
        <pre tabIndex={0}>
          <code>
            {lines.map((line, index) => (
              <span class={dataOf(line).highlighted === true ? 'line marked' : 'line'}>
                {(tokens[index] ?? []).map(({ text, kind }) =>
                  kind === undefined ? text : <span class={`t-${kind}`}>{text}</span>,
                )}
                {'\n'}
              </span>
            ))}
          </code>
        </pre>
      </copy-code>
    </figure>
  );
};

import type { ComponentChildren } from 'preact';
import type { ShownNode } from '../document.ts';
import type { PageDrawing } from '../drawing.ts';
import type { CodeSample } from './code-samples.ts';

const maxLength = 12_000;

/** A code as a document would have it. */
const codeNode = ({ syntax, text }: CodeSample): ShownNode => ({
  ...{ object: 'block', type: 'code', data: { syntax } },
  nodes: (text.length > maxLength ? `${text.slice(0, maxLength)}\n…` : text).split('\n').map((line) => ({
    ...{ object: 'block', type: 'code-line' },
    nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: line, marks: [] }] }],
  })),
});

/** Codes of which one is read at a time. */
export function CodeTabs({
  at,
  label,
  samples,
}: {
  at: PageDrawing;
  label: string;
  samples: CodeSample[];
}): ComponentChildren {
  if (samples.length === 0) return null;
  const tabs: ShownNode = {
    ...{ object: 'block', type: 'tabs' },
    nodes: samples.map((sample) => ({
      ...{ object: 'block', type: 'tabs-item', data: { title: sample.title } },
      nodes: [codeNode(sample)],
    })),
  };
  return (
    <div class="samples">
      <p class="label">{label}</p>
      {at.blocks([tabs])}
    </div>
  );
}

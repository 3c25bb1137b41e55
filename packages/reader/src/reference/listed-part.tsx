import { ownOf } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { Anchor } from '../frame/anchor.tsx';
import type { ShownAddress } from '../references.ts';
import type { ReferenceOfPage } from './read-parts.ts';
import { referenceTextsOf } from './texts/index.ts';

interface Props {
  at: PageDrawing;
  of: ReferenceOfPage;
  to: ShownAddress;
}

function Call({ at, of: { part, title } }: Pick<Props, 'at' | 'of'>): ComponentChildren {
  if (part.kind === 'models') return <strong>{title}</strong>;
  const isDeprecated = ownOf(part.operation, 'deprecated') === true;
  return (
    <>
      <span class={`method ${part.method}`}>{part.method}</span>
      <strong>{title}</strong>
      {isDeprecated && <small>{referenceTextsOf(at.locale).deprecated}</small>}
      {part.name !== title && <code>{part.name}</code>}
    </>
  );
}

/** A part of a specification that has a page of its own, in its place on the page that lists it. */
export const ListedPart = ({ at, of, to }: Props): ComponentChildren => (
  <p class="listed" id={of.id}>
    <Anchor at={at} to={to}>
      <Call at={at} of={of} />
    </Anchor>
  </p>
);

import type { ComponentChildren } from 'preact';
import type { ReferenceDrawing } from './drawn-reference.ts';

interface TitleProps {
  id: string;
  level: number;
  children: ComponentChildren;
}

/** A heading of a reference, which is a link to itself. */
export function Title({ id, level, children }: TitleProps): ComponentChildren {
  const Tag = `h${Math.min(6, level)}` as 'h2';
  return (
    <Tag id={id}>
      {children}
      <a class="anchor" href={`#${encodeURIComponent(id)}`} aria-labelledby={id}>
        #
      </a>
    </Tag>
  );
}

interface Props {
  from: ReferenceDrawing;
  /** What its place in the page is called after the operation's. */
  name: string;
  title: string;
  children: ComponentChildren;
}

/** A part of an operation under its heading. */
export const Section = ({ from, name, title, children }: Props): ComponentChildren => (
  <section class="reference-part">
    <Title id={`${from.of.id}~${name}`} level={from.level}>
      {title}
    </Title>
    {children}
  </section>
);

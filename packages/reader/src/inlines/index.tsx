import { InlineMath } from '../blocks/math.tsx';
import type { NodeComponent } from '../drawing.ts';
import { Button } from './button.tsx';
import { Link } from './link.tsx';
import { Annotation, Emoji, IconInline, InlineImage, Mention } from './small.tsx';

/** One component for each kind of inline, by its type. What is left of an expression is nothing. */
export const inlines: Record<string, NodeComponent> = {
  annotation: Annotation,
  button: Button,
  emoji: Emoji,
  expression: () => null,
  icon: IconInline,
  'inline-image': InlineImage,
  'inline-math': InlineMath,
  link: Link,
  mention: Mention,
};

import type { NodeComponent } from '../drawing.ts';
import { Link } from './link.tsx';

/** One component for each kind of inline, by its type. */
export const inlines: Record<string, NodeComponent> = {
  link: Link,
};

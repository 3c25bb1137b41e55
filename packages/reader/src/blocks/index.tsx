import type { NodeComponent } from '../drawing.ts';
import { Heading } from './heading.tsx';
import { ListItem, OrderedList, UnorderedList } from './list.tsx';
import { Paragraph } from './paragraph.tsx';

/** One component for each kind of block, by its type. */
export const blocks: Record<string, NodeComponent> = {
  paragraph: Paragraph,
  'heading-1': Heading,
  'heading-2': Heading,
  'heading-3': Heading,
  'list-unordered': UnorderedList,
  'list-ordered': OrderedList,
  'list-item': ListItem,
};

import { nodesOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';
import { Reference } from '../reference/reference.tsx';
import { ContentReference, Drawing, FileCard } from './cards.tsx';
import { Code } from './code.tsx';
import { Columns } from './columns.tsx';
import { Embed, Integration } from './embed.tsx';
import { Expandable, Prompt } from './expandable.tsx';
import { Heading } from './heading.tsx';
import { Divider, Hint, Quotation } from './hint.tsx';
import { Images } from './images.tsx';
import { ListItem, OrderedList, TaskList, UnorderedList } from './list.tsx';
import { MathBlock } from './math.tsx';
import { Paragraph } from './paragraph.tsx';
import { Table } from './table.tsx';
import { Stepper, Tabs } from './tabs.tsx';
import { Updates } from './updates.tsx';

const Inside: NodeComponent = ({ node, at }) => at.blocks(nodesOf(node));

/** One component for each kind of block, by its type. */
export const blocks: Record<string, NodeComponent> = {
  blockquote: Quotation,
  code: Code,
  columns: Columns,
  'content-ref': ContentReference,
  divider: Divider,
  drawing: Drawing,
  embed: Embed,
  expandable: Expandable,
  file: FileCard,
  'heading-1': Heading,
  'heading-2': Heading,
  'heading-3': Heading,
  hint: Hint,
  images: Images,
  integration: Integration,
  'list-item': ListItem,
  'list-ordered': OrderedList,
  'list-tasks': TaskList,
  'list-unordered': UnorderedList,
  math: MathBlock,
  'openapi-operation': Reference,
  'openapi-schemas': Reference,
  'openapi-webhook': Reference,
  paragraph: Paragraph,
  prompt: Prompt,
  'reusable-content': Inside,
  stepper: Stepper,
  swagger: ContentReference,
  table: Table,
  tabs: Tabs,
  updates: Updates,
};

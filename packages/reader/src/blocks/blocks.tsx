import type { NodeComponent } from '../context.ts';
import { getNodes } from '../document.ts';
import { Columns, Expandable, Prompt, Stepper, Tabs, Updates } from './layout.tsx';
import { ContentReference, Drawing, Embed, FileCard, Images, Integration } from './media.tsx';
import { Table } from './table.tsx';
import {
  Code,
  Divider,
  Heading,
  Hint,
  ListItem,
  MathBlock,
  OrderedList,
  Paragraph,
  Quotation,
  TaskList,
  UnorderedList,
} from './text.tsx';

const Reference: NodeComponent = (props) => <props.context.libraries.Reference {...props} />;

const Content: NodeComponent = ({ node, context }) => context.blocks(getNodes(node));

/**
 * Draws an operation of a specification file of the space. If the file is not a specification or does not contain the
 * operation, draws a card for the file.
 */
const FileOperation: NodeComponent = (props) =>
  props.context.references.blocks.has(props.node) ? <Reference {...props} /> : <ContentReference {...props} />;

/** The component of each block type. */
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
  'reusable-content': Content,
  stepper: Stepper,
  swagger: FileOperation,
  table: Table,
  tabs: Tabs,
  updates: Updates,
};

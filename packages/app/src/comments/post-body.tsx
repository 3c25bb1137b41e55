import type { PageNode } from '@octavo/reader/drawing';
import type { CommentBody } from '@octavo/schema';
import type { VNode } from 'preact';
import { useTextDrawing } from '../page/use-text-drawing.ts';
import { useNames } from './names.ts';

/** Returns the id of the user whom a node mentions. */
function getMentionedUser({ type, data = {} }: PageNode): string | undefined {
  const { kind, user } = (data.ref ?? {}) as Record<string, unknown>;
  return type === 'mention' && kind === 'user' && typeof user === 'string' ? user : undefined;
}

const findUsers = (nodes: PageNode[]): string[] =>
  nodes.flatMap((node) =>
    [getMentionedUser(node) ?? [], findUsers([...(node.nodes ?? []), ...(node.fragments ?? [])])].flat(),
  );

/** Replaces mentions of users with their names in bold. */
const replaceMentions = (nodes: PageNode[], names: ReadonlyMap<string, string>): PageNode[] =>
  nodes.map((node): PageNode => {
    const user = getMentionedUser(node);
    if (user === undefined)
      return node.nodes === undefined ? node : { ...node, nodes: replaceMentions(node.nodes, names) };
    const text = `@${names.get(user) ?? 'former member'}`;
    return { object: 'text', leaves: [{ object: 'leaf', text, marks: [{ object: 'mark', type: 'bold' }] }] };
  });

interface PostBodyProps {
  body: CommentBody;
  organization: string | undefined;
}

/** The text of a comment or a reply. */
export function PostBody({ body, organization }: PostBodyProps): VNode {
  const { nodes = [] } = (body.document ?? {}) as { nodes?: PageNode[] };
  const users = findUsers(nodes);
  const names = useNames(organization, users);
  const key = JSON.stringify([body.document, users.map((user) => names.get(user))]);
  const { className, blocks } = useTextDrawing(replaceMentions(nodes, names), key);
  return <div class={`post-body ${className}`}>{blocks}</div>;
}

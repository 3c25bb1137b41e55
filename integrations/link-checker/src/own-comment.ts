import type { IntegrationApi } from '@octavo/integration';
import type { Comment, User } from '@octavo/schema';
import type { CheckedLinks } from './broken-links.ts';

const checkedRevision = /\nChecked: `([^`]+)`$/;

/** The comment that the integration wrote on a change request before. */
export async function ownComment(api: IntegrationApi, path: string): Promise<Comment | undefined> {
  const { id } = await api.get<User>('/user');
  const query = { authors: id, format: 'markdown', limit: '10' };
  const { items } = await api.get<{ items: Comment[] }>(`${path}/comments`, query);
  return items.find(({ body }) => checkedRevision.test(body.markdown ?? ''));
}

/** Whether a comment is about this revision already. */
export const tellsOf = ({ body }: Comment, revision: string): boolean =>
  checkedRevision.exec(body.markdown ?? '')?.[1] === revision;

/** Code that holds the text, whatever marks of markdown are in it. */
function code(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** What the comment says. */
export function textOf({ broken, untried }: CheckedLinks, revision: string): string {
  const lines = broken.map(({ page, target, reason }) => `* ${code(target)} in ${code(page)}: ${reason}`);
  const first = lines.length === 0 ? 'All links work now.' : 'These links lead nowhere:';
  const rest = untried > 0 ? [`${untried} more links were not tried: there are too many.`] : [];
  return [first, ...(lines.length > 0 ? [lines.join('\n')] : []), ...rest, `Checked: \`${revision}\``].join('\n\n');
}

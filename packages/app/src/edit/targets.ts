/* Addresses with ids in Markdown, which stay valid when their targets are moved or renamed. */

export const getPageTarget = (page: string): string => `/pages/${page}`;
export const getFileTarget = (file: string): string => `/files/${file}`;
export const getReusableTarget = (content: string): string => `/reusable-contents/${content}`;

/** Returns an address with the id of the target, which is the same in all texts. `links` are the ids by target. */
export function toStableTarget(links: Record<string, string>, target: string): string {
  const [, path = '', anchor = ''] = /^([^#]*)(#.*)?$/s.exec(target) ?? [];
  const find = (address: string): string | undefined => (Object.hasOwn(links, address) ? links[address] : undefined);
  const id = find(target) ?? (path === '' ? undefined : find(path));
  if (id === undefined) return target;
  if (id.startsWith('file_')) return getFileTarget(id);
  return `${id.startsWith('rc_') ? getReusableTarget(id) : getPageTarget(id)}${anchor}`;
}

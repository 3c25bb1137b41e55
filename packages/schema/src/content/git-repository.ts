import * as z from 'zod';
import { webAddress } from '../web-address.ts';

const hasOnlyPath = (address: string): boolean => {
  const { username, password, search, hash } = new URL(address);
  return username === '' && password === '' && search === '' && hash === '';
};

/** Whether no segment of the path is empty, `.` or `..`. */
const isRelativePath = (path: string): boolean => path.split('/').every((part) => !/^\.{0,2}$/.test(part));

/** The branch of a git repository, and the folder in it, that a space is synced with. */
export const GitRepository = z.object({
  /** The address at which a browser opens the repository. */
  repository: webAddress.refine(
    (address) => !URL.canParse(address) || hasOnlyPath(address),
    'must have neither credentials nor a query',
  ),
  branch: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[^\p{Cc}\s~^:?*[\\]+$/u, 'must be the name of a branch'),
  root: z
    .string()
    .max(1024)
    .refine((path) => path === '' || isRelativePath(path), 'must be the path of a folder, such as docs/guides')
    .default(''),
});
export type GitRepository = z.infer<typeof GitRepository>;

/** A synced repository as it is stored. */
export const StoredGitSync = GitRepository.extend({ updatedAt: z.number() });
export type StoredGitSync = z.infer<typeof StoredGitSync>;

/** A kind of Git host, with the path segments before the branch in the URLs that show and edit a file. */
interface GitHost {
  provider?: 'github' | 'gitlab';
  /** A label of the host name that identifies the software. */
  label: string;
  show: string;
  edit: string;
  /** The query of the page on which a file is edited. */
  query?: string;
}

const hosts: GitHost[] = [
  { provider: 'github', label: 'github', show: 'blob', edit: 'edit' },
  { provider: 'gitlab', label: 'gitlab', show: '-/blob', edit: '-/edit' },
  { label: 'bitbucket', show: 'src', edit: 'src', query: '?mode=edit' },
  { label: 'codeberg', show: 'src/branch', edit: '_edit' },
  { label: 'forgejo', show: 'src/branch', edit: '_edit' },
  { label: 'gitea', show: 'src/branch', edit: '_edit' },
];

/** URLs of a synced folder. */
export interface GitRepositoryUrls {
  name: string;
  provider?: GitHost['provider'];
  /** The URL of the folder. The path of a file is appended to it. Undefined if the host is not known. */
  folder?: string;
  /** The URL at which a file is edited, with `{path}` for its path in the folder. */
  edit?: string;
}

/** Decodes a path of a URL for display. A path with malformed percent-encoding is returned unchanged. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the URLs of a synced folder on known git hosts. */
export function getGitRepositoryUrls({ repository, branch, root }: GitRepository): GitRepositoryUrls {
  const { hostname, pathname } = new URL(repository);
  const base = repository.replace(/\/+$/, '').replace(/\.git$/, '');
  const name = decodePath(
    pathname
      .replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .slice(1),
  );
  const labels = hostname.split('.');
  const host = hosts.find(({ label }) => labels.includes(label));
  if (host === undefined) return { name };
  const folder = [...branch.split('/'), ...root.split('/').filter(Boolean)].map(encodeURIComponent).join('/');
  const { provider, show, edit, query = '' } = host;
  return {
    name,
    provider,
    folder: `${base}/${show}/${folder}`,
    edit: `${base}/${edit}/${folder}/{path}${query}`,
  };
}

import type { WebOrigin } from './web-origin.ts';

const keywords = ["'self'", "'none'", "'unsafe-inline'", 'data:', 'blob:', 'https:'] as const;

/**
 * A source that a content security policy allows. An address from a user can become a source only through
 * `toWebOrigin`.
 */
export type PolicySource = (typeof keywords)[number] | `'sha256-${string}'` | WebOrigin | `${WebOrigin}/~/assets/`;

type Fetched = 'default' | 'script' | 'style' | 'img' | 'font' | 'media' | 'connect' | 'frame' | 'worker' | 'object';
type Directive = `${Fetched}-src` | 'form-action' | 'base-uri' | 'frame-ancestors';
type SandboxToken = `allow-${'scripts' | 'forms' | 'popups' | 'popups-to-escape-sandbox' | 'modals' | 'downloads'}`;

type Policy = { readonly [directive in Directive]?: readonly PolicySource[] } & {
  readonly sandbox?: readonly SandboxToken[];
};

const keyword: ReadonlySet<string> = new Set(keywords);
const origin = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?:\/~\/assets\/)?$/;
const isSource = (source: string): boolean =>
  keyword.has(source) || origin.test(source) || /^'sha256-[\w+/]{43}='$/.test(source);
const isSandboxToken = (token: string): boolean => /^allow-[a-z-]+$/.test(token);

/**
 * Builds the value of a `Content-Security-Policy` header. All policies of the platform are built here.
 * @throws if a source is not a keyword, a hash or an origin
 */
export const buildContentPolicy = (policy: Policy): string =>
  Object.entries(policy)
    .map(([directive, sources]) => {
      const isAllowed = directive === 'sandbox' ? isSandboxToken : isSource;
      const refused = sources.find((source) => !isAllowed(source));
      if (refused !== undefined) throw new Error(`The source ${refused} is invalid in a content security policy.`);
      return [directive, ...sources].join(' ');
    })
    .join('; ');

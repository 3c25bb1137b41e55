import type { Organization, SsoLogin } from '@octavo/schema';
import type { VNode } from 'preact';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import { useApi } from '../use-api.ts';

/** Links to the providers of an organization that requires single sign-on. */
export function SsoSignIn({ organization: { id, title } }: { organization: Organization }): VNode {
  const logins = useApi<{ items: SsoLogin[] }>(`/orgs/${id}/sso`);
  return (
    <EmptyState icon="key" title="Sign in through single sign-on">
      <p>{title} requires that its members sign in through its identity provider.</p>
      <LoadedContent loaded={logins} lines={1}>
        {({ items }) =>
          items.map((login) => (
            <a key={login.id} class="button primary" href={login.startURL}>
              Continue with {login.label}
            </a>
          ))
        }
      </LoadedContent>
    </EmptyState>
  );
}

import type { UserSession } from '@octavo/schema';
import type { VNode } from 'preact';
import { api } from '../api.ts';
import { notify, notifyError } from '../ui/notice.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { useList } from '../use-api.ts';

/** The browsers in which the user is signed in. */
export function SessionSection(): VNode {
  const sessions = useList<UserSession>('/user/sessions');
  const end = async (id: string): Promise<void> => {
    try {
      await api('DELETE', `/user/sessions/${id}`);
      await sessions.reload();
      notify('Session ended');
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <section>
      <h2>Sessions</h2>
      <LoadedContent loaded={sessions}>
        {(all) =>
          all.length === 0 ? (
            <p class="hint-text">You are not signed in with a session.</p>
          ) : (
            <ul class="rows">
              {all.map(({ id, browser, createdAt, lastUsedAt, current }) => (
                <li key={id} class="row">
                  <span class="grow">
                    <span class="strong">{browser}</span>
                    <small>
                      Last used <RelativeTime time={lastUsedAt ?? createdAt} />
                    </small>
                  </span>
                  {current ? (
                    <span class="label open">This browser</span>
                  ) : (
                    <button
                      type="button"
                      class="button"
                      aria-label={`End the session in ${browser}`}
                      onClick={() => end(id)}
                    >
                      End
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </LoadedContent>
    </section>
  );
}

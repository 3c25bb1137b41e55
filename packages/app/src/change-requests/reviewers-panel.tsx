import type { RequestedReviewer, Review, Team } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { getUserName } from '../comments/names.ts';
import { Avatar } from '../ui/avatar.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { notifyError } from '../ui/notice.tsx';
import { getLatestReviews } from './checklist.ts';
import { RequestDialog } from './request-dialog.tsx';
import { isActive, type OpenedChangeRequest, useTeams } from './use-change-request.ts';

const describeReview = ({ status, outdated }: Review): string => {
  if (status === 'changes-requested') return outdated ? 'Requested changes to an earlier version' : 'Requested changes';
  return outdated ? 'Approved an earlier version' : 'Approved';
};

interface PanelProps {
  opened: OpenedChangeRequest;
}

/** The reviewers of a change request: those who were asked, and the newest review of each. */
export function ReviewersPanel({ opened }: PanelProps): VNode {
  const { changeRequest, space, requested, organization } = opened;
  const [isAsking, setAsking] = useState(false);
  const { value: teams = [] } = useTeams(organization);
  const askedIds = new Set(requested.map((each) => (each.kind === 'user' ? each.user.id : each.team.id)));
  const latestReviews = getLatestReviews(opened).filter(({ reviewer }) => !askedIds.has(reviewer.id));
  const canAsk = space.permissions.edit && isActive(changeRequest);
  return (
    <section class="review-panel" aria-labelledby="reviewers">
      <header>
        <h2 id="reviewers">Reviewers</h2>
        {canAsk && (
          <button type="button" class="button small" onClick={() => setAsking(true)}>
            Request review
          </button>
        )}
      </header>
      {requested.length + latestReviews.length === 0 && <p class="muted">No reviews yet.</p>}
      <ul class="people">
        {latestReviews.map((review) => (
          <li key={review.id}>
            <Avatar name={getUserName(review.reviewer)} photo={review.reviewer.photoURL} />
            <span class="grow">
              {getUserName(review.reviewer)}
              <small class={`review ${review.outdated ? 'outdated' : review.status}`}>{describeReview(review)}</small>
            </span>
          </li>
        ))}
        {requested.map((each) => (
          <RequestedEntry
            key={each.kind === 'user' ? each.user.id : each.team.id}
            opened={opened}
            each={each}
            teams={teams}
          />
        ))}
      </ul>
      {isAsking && <RequestDialog opened={opened} teams={teams} onClose={() => setAsking(false)} />}
    </section>
  );
}

interface RequestedEntryProps extends PanelProps {
  each: RequestedReviewer;
  teams: Team[];
}

function RequestedEntry({ opened, each, teams }: RequestedEntryProps): VNode {
  const { path, space, changeRequest, user, reload } = opened;
  const id = each.kind === 'user' ? each.user.id : each.team.id;
  const name =
    each.kind === 'user' ? getUserName(each.user) : (teams.find((team) => team.id === id)?.title ?? 'A team');
  const canRemove = isActive(changeRequest) && each.kind === 'user' && (space.permissions.edit || id === user.id);
  const remove = (): void => {
    api('DELETE', `${path}/requested-reviewers/${id}`).then(reload, notifyError);
  };
  return (
    <li>
      <Avatar
        name={name}
        photo={each.kind === 'user' ? each.user.photoURL : undefined}
        isSquare={each.kind === 'team'}
      />
      <span class="grow">
        {name}
        <small>Review requested</small>
      </span>
      {canRemove && (
        <button type="button" class="icon-button" aria-label={`Withdraw the request to ${name}`} onClick={remove}>
          <UiIcon name="close" />
        </button>
      )}
    </li>
  );
}

import type {
  ChangeRequest,
  MergeRule,
  Organization,
  RequestedReviewer,
  Review,
  SemanticChanges,
  Space,
  Team,
  User,
} from '@octavo/schema';
import { useEffect } from 'preact/hooks';
import { rememberNames } from '../comments/names.ts';
import { useCurrentOrganization, usePlace, useUser } from '../session.ts';
import { type LoadedValue, useApi, useList } from '../use-api.ts';

/** Number of changes that are shown. */
export const maxShownChanges = 200;

/** A change request with everything that its screen shows. */
export interface OpenedChangeRequest {
  /** The path in the API. */
  path: string;
  changeRequest: ChangeRequest;
  changes: LoadedValue<SemanticChanges>;
  reviews: Review[];
  requested: RequestedReviewer[];
  space: Space;
  organization: Organization | undefined;
  user: User;
  /** Reads everything again. */
  reload: () => Promise<void>;
}

interface LoadingChangeRequest {
  opened: OpenedChangeRequest | undefined;
  error: unknown;
  retry: () => Promise<void>;
}

/** Reads a change request with its changes and reviews. */
export function useChangeRequest(space: string, id: string): LoadingChangeRequest {
  const path = `/spaces/${space}/change-requests/${id}`;
  const changeRequest = useApi<ChangeRequest>(path);
  const changes = useApi<SemanticChanges>(`${path}/changes`, { limit: maxShownChanges });
  const reviews = useList<Review>(`${path}/reviews`);
  const requested = useList<RequestedReviewer>(`${path}/requested-reviewers`);
  const { space: ownSpace } = usePlace();
  const user = useUser();
  const organization = useCurrentOrganization();
  const parts = [changeRequest, reviews, requested, user, ...(ownSpace === undefined ? [] : [ownSpace])];
  useEffect(() => {
    const creator = changeRequest.value === undefined ? [] : [changeRequest.value.createdBy];
    const others = (requested.value ?? []).flatMap((each) => (each.kind === 'user' ? [each.user] : []));
    rememberNames([...creator, ...others, ...(reviews.value ?? []).map(({ reviewer }) => reviewer)]);
  }, [changeRequest.value, reviews.value, requested.value]);
  const reload = async (): Promise<void> => {
    await Promise.all([...parts, changes].map((part) => part.reload()));
  };
  const isComplete = changeRequest.value && reviews.value && requested.value && user.value && ownSpace?.value;
  return {
    opened: isComplete && {
      ...{ path, changes, organization, reload },
      changeRequest: changeRequest.value as ChangeRequest,
      reviews: reviews.value ?? [],
      requested: requested.value ?? [],
      user: user.value as User,
      space: ownSpace?.value as Space,
    },
    error: parts.find((part) => part.error !== undefined && part.value === undefined)?.error,
    retry: reload,
  };
}

/** Returns the merge rules of a space: its own, or those of its organization. */
export function getMergeRules({ mergeRules }: Space, organization: Organization | undefined): MergeRule[] {
  const rules = mergeRules.type === 'inherit' ? organization?.mergeRules : mergeRules;
  return rules?.type === 'rules' ? rules.rules : [];
}

/** The teams of an organization that can be asked for a review. */
export const useTeams = (organization: Organization | undefined): LoadedValue<Team[]> =>
  useList<Team>(organization?.permissions.listTeams === true ? `/orgs/${organization.id}/teams` : undefined);

/** Whether a change request can still be edited, reviewed and merged. */
export const isActive = ({ status }: ChangeRequest): boolean => status === 'draft' || status === 'open';

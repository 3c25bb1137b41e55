import type { ComponentChildren, VNode } from 'preact';
import { ApiRequestError, toMessage } from '../api.ts';
import type { LoadedList, LoadedValue } from '../use-api.ts';
import { UiIcon, type UiIconName } from './icon.tsx';

/** Gray lines in place of content that is being loaded. They appear only if loading takes longer than a moment. */
export const LoadingLines = ({ count = 4 }: { count?: number }): VNode => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: count }, () => (
      <span />
    ))}
  </div>
);

interface EmptyProps {
  icon: UiIconName;
  title: string;
  /** Whether the title is that of the screen. */
  isScreen?: boolean;
  children?: ComponentChildren;
}

/** A message in place of a list without items, with the next step. */
export const EmptyState = ({ icon, title, isScreen = false, children }: EmptyProps): VNode => (
  <div class="empty">
    <UiIcon name={icon} />
    {isScreen ? <h1>{title}</h1> : <h2>{title}</h2>}
    {children}
  </div>
);

interface FailureProps {
  error: unknown;
  retry?: (() => Promise<void>) | undefined;
  isScreen?: boolean;
}

/** Whether a response says that an object does not exist, or that the user has no access to it. */
const isMissingError = (error: unknown): boolean =>
  error instanceof ApiRequestError && [403, 404].includes(error.status);

/** Whether the object of a screen does not exist or is not accessible. The screen then shows `NotFoundScreen`. */
export const isMissing = ({ value, error }: Pick<LoadedValue<unknown>, 'value' | 'error'>): boolean =>
  value === undefined && isMissingError(error);

/** An error in place of content that could not be loaded. */
export function FailureState({ error, retry, isScreen = false }: FailureProps): VNode {
  const Title = isScreen ? 'h1' : 'h2';
  const isNotFound = isMissingError(error);
  return (
    <div class="empty" role="alert">
      <UiIcon name="warning" />
      <Title>{isNotFound ? 'Not found' : 'Something went wrong'}</Title>
      <p>{isNotFound ? 'It does not exist, or you do not have access to it.' : toMessage(error)}</p>
      {isNotFound || retry === undefined ? (
        <a class="button" href="/app">
          Back to home
        </a>
      ) : (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The button that shows more items of a list. */
export const ShowMore = ({ label = 'Show more', onClick }: { label?: string; onClick: () => void }): VNode => (
  <button type="button" class="button show-more" onClick={onClick}>
    {label}
  </button>
);

/** The end of a list that has more items than are shown. */
const ListEnd = ({ list: { value, showMore } }: { list: LoadedList<unknown> }): VNode =>
  showMore === undefined ? (
    <p class="muted list-end">Only the first {value?.length.toLocaleString('en')} are shown.</p>
  ) : (
    <ShowMore onClick={showMore} />
  );

const hasMoreItems = (loaded: object): loaded is LoadedList<unknown> => 'hasMore' in loaded && loaded.hasMore === true;

interface LoadedContentProps<Value> {
  loaded: LoadedValue<Value> & Partial<Pick<LoadedList<unknown>, 'hasMore'>>;
  lines?: number;
  children: (value: Value) => ComponentChildren;
}

/** Shows a loaded value, or why it is not shown. Below an incomplete list, it says that the list has more items. */
export function LoadedContent<Value>({ loaded, lines = 4, children }: LoadedContentProps<Value>): VNode {
  const { value, error, reload } = loaded;
  if (value !== undefined)
    return (
      <>
        {children(value)}
        {hasMoreItems(loaded) && <ListEnd list={loaded} />}
      </>
    );
  return error === undefined ? <LoadingLines count={lines} /> : <FailureState error={error} retry={reload} />;
}

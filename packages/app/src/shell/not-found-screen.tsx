import type { VNode } from 'preact';
import { EmptyState } from '../ui/states.tsx';
import { AppScreen } from './screen.tsx';

/** The screen for an unknown address. */
export const NotFoundScreen = (): VNode => (
  <AppScreen title="Page not found" heading={false}>
    <EmptyState icon="search" title="Page not found" isScreen>
      <p>There is nothing at this address. It may have been moved or deleted.</p>
      <a class="button" href="/app">
        Back to home
      </a>
    </EmptyState>
  </AppScreen>
);

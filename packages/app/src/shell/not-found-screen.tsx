import type { VNode } from 'preact';
import { EmptyState } from '../ui/states.tsx';
import { AppScreen } from './screen.tsx';

/** The screen for an unknown address, or for the address of an object that does not exist. */
export const NotFoundScreen = (): VNode => (
  <AppScreen title="Page not found" heading={false}>
    <EmptyState icon="search" title="Page not found" isScreen>
      <p>It may have been moved or deleted, or you do not have access to it.</p>
      <a class="button" href="/app">
        Back to home
      </a>
    </EmptyState>
  </AppScreen>
);

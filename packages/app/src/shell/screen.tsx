import type { ComponentChildren, VNode } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { UiIcon } from '../ui/icon.tsx';

/** Opens the sidebar, which is hidden on phones. */
export const SidebarContext = createContext<() => void>(() => undefined);

interface Crumb {
  label: string;
  href: string;
}

interface AppScreenProps {
  /** The title of the browser's tab, and of the screen unless `heading` is false. */
  title: string;
  crumbs?: Crumb[];
  /** Buttons at the end of the bar above the content. */
  actions?: ComponentChildren;
  lead?: ComponentChildren;
  /** Whether the title is drawn above the content. */
  heading?: boolean;
  /** Whether the content is as wide as the window. */
  isWide?: boolean;
  children: ComponentChildren;
}

/** A screen of the app: a bar with breadcrumbs and actions, and the content below. */
export function AppScreen({
  title,
  crumbs = [],
  actions,
  lead,
  heading = true,
  isWide,
  children,
}: AppScreenProps): VNode {
  const openSidebar = useContext(SidebarContext);
  useEffect(() => {
    document.title = `${title} · Octavo`;
  }, [title]);
  return (
    <>
      <header class="bar">
        <button type="button" class="icon-button open-sidebar" aria-label="Open navigation" onClick={openSidebar}>
          <UiIcon name="menu" />
        </button>
        <nav class="crumbs" aria-label="Breadcrumbs">
          <ol>
            {crumbs.map(({ label, href }) => (
              <li key={href}>
                <a href={href}>{label}</a>
              </li>
            ))}
            <li aria-current="page">{title}</li>
          </ol>
        </nav>
        {actions !== undefined && <div class="bar-actions">{actions}</div>}
      </header>
      <main id="main" class={isWide ? 'screen wide' : 'screen'} tabIndex={-1}>
        {heading && (
          <div class="screen-head">
            <h1>{title}</h1>
            {lead !== undefined && <p class="lead">{lead}</p>}
          </div>
        )}
        {children}
      </main>
    </>
  );
}

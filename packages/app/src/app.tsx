import type { ChangeRequest, Organization, Space } from '@octavo/schema';
import { type ComponentType, render, type VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLiveSpace } from './live/live.ts';
import { followLinks, useAppLocation } from './router.ts';
import type { AppRoute, ScreenProps } from './routes.ts';
import { type CurrentPlace, PlaceContext } from './session.ts';
import { findRoute } from './shell/find-route.ts';
import { NotFoundScreen } from './shell/not-found-screen.tsx';
import { AppScreen, SidebarContext } from './shell/screen.tsx';
import { ScreenBoundary } from './shell/screen-boundary.tsx';
import { Sidebar } from './shell/sidebar.tsx';
import { NoticeArea } from './ui/notice.tsx';
import { FailureState, isMissing, LoadingLines } from './ui/states.tsx';
import { useApi } from './use-api.ts';

const reloadPage = async (): Promise<void> => window.location.reload();

type LoadedScreen = { route: AppRoute } & ({ Screen: ComponentType<ScreenProps> } | { error: unknown });

/** Loads the code of a screen. The previous screen stays visible until the code is loaded. */
function useScreen(route: AppRoute | undefined): LoadedScreen | undefined {
  const [loaded, setLoaded] = useState<LoadedScreen>();
  useEffect(() => {
    if (route === undefined) return;
    let isCurrent = true;
    const settle = (screen: LoadedScreen): void => {
      if (isCurrent) setLoaded(() => screen);
    };
    route.load().then(
      (Screen) => settle({ route, Screen }),
      (error: unknown) => settle({ route, error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [route]);
  return loaded?.route === route ? loaded : undefined;
}

function CurrentScreen(props: ScreenProps & { route: AppRoute | undefined }): VNode {
  const { route, ...screenProps } = props;
  const loaded = useScreen(route);
  if (route === undefined) return <NotFoundScreen />;
  if (loaded !== undefined && 'Screen' in loaded) return <loaded.Screen {...screenProps} />;
  return (
    <AppScreen title={loaded === undefined ? 'Loading' : 'Something went wrong'} heading={false}>
      {loaded === undefined ? <LoadingLines /> : <FailureState isScreen error={loaded.error} retry={reloadPage} />}
    </AppScreen>
  );
}

/** Moves the focus to the content after a change of the screen, so that screen readers read it. */
function useFocusOnChange(path: string): void {
  const former = useRef(path);
  useEffect(() => {
    if (former.current === path) return;
    former.current = path;
    window.scrollTo(0, 0);
    const { activeElement } = document;
    // The user may be navigating the page tree with the keyboard, so the focus stays there.
    if (activeElement?.closest('[role=tree]') == null) document.getElementById('main')?.focus({ preventScroll: true });
  }, [path]);
}

/** The organization and the space that the path names. They are undefined if they do not exist. */
interface NamedPlace extends CurrentPlace {
  /** Whether the path names an organization, a space or a change request that does not exist. */
  isMissing: boolean;
}

function useNamedPlace(params: Record<string, string>): NamedPlace {
  const path = `/spaces/${params.space}`;
  const space = useApi<Space>(params.space && path);
  const changeRequest = useApi<ChangeRequest>(
    params.changeRequest && `${path}/change-requests/${params.changeRequest}`,
  );
  const organization = useApi<Organization>(params.organization && `/orgs/${params.organization}`);
  // Admins can read a space until it is deleted permanently.
  const isSpaceMissing = isMissing(space) || space.value?.deletedAt !== undefined;
  return {
    organization: isMissing(organization) ? undefined : (params.organization ?? space.value?.organization),
    space: params.space === undefined || isSpaceMissing ? undefined : space,
    isMissing: isSpaceMissing || [changeRequest, organization].some(isMissing),
  };
}

interface NavigationProps {
  close: (() => void) | undefined;
  params: Record<string, string>;
}

const loadSpaceNavigation = () => import('./space/space-navigation.tsx').then((module) => module.SpaceNavigation);

type LazyComponent<Props> = { Loaded: ComponentType<Props> } | { error: unknown };

/** Loads a component when it is first needed. */
function useLazy<Props>(load: (() => Promise<ComponentType<Props>>) | undefined): LazyComponent<Props> | undefined {
  const [component, setComponent] = useState<LazyComponent<Props>>();
  useEffect(() => {
    load?.().then(
      (Loaded) => setComponent({ Loaded }),
      (error: unknown) => setComponent({ error }),
    );
  }, [load]);
  return component;
}

/** The navigation beside the screens. On phones it is hidden until it is opened. */
function Navigation({ close, params }: NavigationProps): VNode {
  const navigation = useLazy(params.space === undefined ? undefined : loadSpaceNavigation);
  return (
    <>
      <aside class="sidebar" aria-label="Navigation">
        <Sidebar>
          {navigation !== undefined && 'error' in navigation && (
            <FailureState error={navigation.error} retry={reloadPage} />
          )}
          {navigation !== undefined && 'Loaded' in navigation && params.space !== undefined && (
            <navigation.Loaded key={params.space} params={params} />
          )}
        </Sidebar>
      </aside>
      {close !== undefined && <button type="button" class="backdrop" aria-label="Close navigation" onClick={close} />}
    </>
  );
}

function App(): VNode {
  const { path, query, hash } = useAppLocation();
  const found = findRoute(path);
  const params = found?.params ?? {};
  const place = useNamedPlace(params);
  const space = place.space && params.space;
  const [isSidebarOpen, setSidebarOpen] = useState(false);
  useFocusOnChange(path);
  useLiveSpace(space);
  useEffect(() => setSidebarOpen(false), [path]);
  return (
    <PlaceContext.Provider value={place}>
      <SidebarContext.Provider value={() => setSidebarOpen(true)}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <div class={isSidebarOpen ? 'app sidebar-open' : 'app'}>
          <Navigation params={params} close={isSidebarOpen ? () => setSidebarOpen(false) : undefined} />
          <div class="content">
            <ScreenBoundary path={path}>
              <CurrentScreen route={place.isMissing ? undefined : found?.route} {...{ params, query, hash }} />
            </ScreenBoundary>
          </div>
        </div>
        <NoticeArea />
      </SidebarContext.Provider>
    </PlaceContext.Provider>
  );
}

const root = document.getElementById('app');
if (root !== null) {
  followLinks();
  render(<App />, root);
}

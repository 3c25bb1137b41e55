import { Component, type ComponentChildren } from 'preact';
import { FailureState } from '../ui/states.tsx';
import { AppScreen } from './screen.tsx';

interface BoundaryProps {
  /** The path of the screen. Another path clears the error. */
  path: string;
  children: ComponentChildren;
}

/** Shows a message in place of a screen that failed to render, and leaves the navigation usable. */
export class ScreenBoundary extends Component<BoundaryProps, { failedPath?: string; error?: unknown }> {
  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ failedPath: this.props.path, error });
  }

  override render() {
    const { path, children } = this.props;
    const { failedPath, error } = this.state;
    if (failedPath !== path) return children;
    return (
      <AppScreen title="Something went wrong" heading={false}>
        <FailureState isScreen error={error} retry={async () => window.location.reload()} />
      </AppScreen>
    );
  }
}

import type { ComponentChildren } from 'preact';

/** Places that links find beside the id of what follows them. */
export const Anchors = ({ ids }: { ids: string[] }): ComponentChildren =>
  ids.map((id) => <span id={id} class="alias" />);

import type { StoredEvent } from '@octavo/schema';
import { isOfInstallation, scopesOfEvent } from '@octavo/schema';
import type { StatusAt } from './former-statuses.ts';
import type { Wanting } from './subscriber.ts';

/** Which spaces and sites installations are on that are limited to some. */
export interface Reach {
  has(installation: string, place: string): boolean;
}

/** Whether a subscription gets an event, by what it was when that was written. */
export function isWanted(to: Wanting, event: StoredEvent, then: Then): boolean {
  if (to.kind === 'webhook') return then.status !== 'paused' && isWantedByWebhook(to, event);
  return isWantedByInstallation(to, event, then);
}

/** So many runs of scripts lead to what installations are told of: those that answer each other would go on for ever. */
const maxDepth = 5;

/** Whether so many runs of scripts led to an event that no installation is told of it, but of its own setup. */
export const isTooDeep = ({ type }: Pick<StoredEvent, 'type'>, depth: number): boolean =>
  depth >= maxDepth && !isOfInstallation(type);

/** When an event was written: what the subscription was, and how many runs led to it; and what is reached. */
interface Then {
  depth: number;
  status: ReturnType<StatusAt>;
  reach: Reach;
}

/** By the type, and by the space where the webhook names spaces. */
function isWantedByWebhook({ events, spaces }: Wanting, { type, space }: StoredEvent): boolean {
  if (events !== null && !events.includes(type)) return false;
  return spaces === null || (space !== null && spaces.includes(space));
}

/** What tells of itself an installation gets at any time, other events while it is active: those that its scopes allow. */
function isWantedByInstallation(to: Wanting, event: StoredEvent, { status, depth, reach }: Then): boolean {
  const { integration, installation, installed } = to;
  if (integration === null || installation === null) return false;
  if (to.kind === 'installation_webhook' && integration.webhook === null) return false;
  const { events } = integration;
  if (events !== null && !events.includes(event.type)) return false;
  if (isOwnDoing(to, event) || isTooDeep(event, depth)) return false;
  if (isOfInstallation(event.type))
    return event.data.installation === installation && (to.status !== 'leaving' || tellsOfAnEnd(event));
  if (installed === null || status !== 'active') return false;
  if (!scopesOfEvent(event.type).some((scope) => installed.scopes.includes(scope))) return false;
  return isReached(installed, event, (place) => reach.has(installation, place));
}

/** What one that is leaving hears of: that would wait behind what failed before. */
const tellsOfAnEnd = ({ type }: StoredEvent): boolean => type.endsWith('installation.deleted');

/**
 * Whether an installation did it itself, or its integration for it: a script that acts on what it is told would go on for
 * ever. Of its own setup it is told what it was put to by that, which ends by itself.
 */
function isOwnDoing({ installed, integration }: Wanting, { type, actor, data: { status, previous } }: StoredEvent) {
  if (actor !== installed?.account && actor !== integration?.account) return false;
  return !isOfInstallation(type) || status === previous;
}

function isReached(
  { spaceSelection, siteSelection }: NonNullable<Wanting['installed']>,
  { space, data: { site } }: StoredEvent,
  isOn: (place: string) => boolean,
): boolean {
  if (space !== null && spaceSelection !== 'all' && !isOn(space)) return false;
  return typeof site !== 'string' || siteSelection === 'all' || isOn(site);
}
